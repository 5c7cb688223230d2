//! Fetching an embedding model from a hub, a web folder or a folder of this machine. Nothing else ever fetches a model.

use std::path::{Path, PathBuf};

use ox_agent::embedding;
use ox_config::Paths;
use ox_index::embed::FILES;
use ox_model::embeddings::hub::{self, Remote};
use ox_protocol::Problem;

use super::env;

/// A model that was fetched, tried and taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulledModel {
    /// Numbers of each vector.
    pub dimensions: usize,
    /// Where it is.
    pub folder: PathBuf,
}

/// Fetches the model `name`, or takes it from `from`, a folder or an address, and tries it before it is taken. `on_file` is
/// told each file that was fetched, with its bytes. Nothing is left behind where it cannot be used, but what was fetched so
/// far: the next try goes on there.
pub async fn pull_model(name: &str, from: Option<&str>, on_file: &dyn Fn(&str, u64)) -> Result<PulledModel, Problem> {
    let paths = ox_config::paths(&env)?;
    let named = embedding::place(&paths, name).ok_or_else(|| Problem::new("models.pull_name").with("name", name))?;
    let folder = match from.filter(|it| !it.contains("://")) {
        Some(folder) => PathBuf::from(folder),
        None => fetched(&paths, name, from, on_file).await?,
    };
    let dimensions = embedding::adopt(&paths, name, &folder)?;
    if folder.starts_with(embedding::folder(&paths)) {
        let _ = std::fs::remove_dir_all(&folder);
    }
    Ok(PulledModel { dimensions, folder: named })
}

/// Fetches the files of a model into a folder that keeps what is there until it is whole.
async fn fetched(
    paths: &Paths,
    name: &str,
    from: Option<&str>,
    on_file: &dyn Fn(&str, u64),
) -> Result<PathBuf, Problem> {
    let known = embedding::KNOWN.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if from.is_none() && !known.contains('/') {
        let names: Vec<&str> = embedding::KNOWN.iter().map(|it| it.0).collect();
        return Err(Problem::new("models.pull_unknown").with("name", name).with("known", names.join(", ")));
    }
    let plain = embedding::place(paths, name).and_then(|it| it.file_name().map(|it| it.to_string_lossy().into_owned()));
    let folder = embedding::folder(paths).join(format!(".part-{}", plain.unwrap_or_default()));
    let mirror = env("HF_ENDPOINT").filter(|it| !it.is_empty()).unwrap_or_else(|| hub::HUB.to_string());
    let base = from.unwrap_or(&mirror);
    let fetching = async {
        let client = hub::client(base)?;
        let files = match from {
            Some(base) => below(base),
            None => hub::list(&client, base, known, &FILES).await?,
        };
        for file in &files {
            one(&client, file, &folder, on_file).await?;
        }
        Ok::<(), String>(())
    };
    fetching.await.map_err(|why| Problem::new("models.pull_failed").with("why", why))?;
    Ok(folder)
}

/// The files of a model that lie below an address; which of them there are is seen when they are asked for.
fn below(base: &str) -> Vec<Remote> {
    let remote = |path: &&str| Remote {
        path: path.to_string(),
        url: format!("{}/{path}", base.trim_end_matches('/')),
        size: None,
        sha256: None,
        needed: matches!(*path, "config.json" | "model.safetensors"),
    };
    FILES.iter().map(remote).collect()
}

async fn one(client: &hub::Client, file: &Remote, folder: &Path, on_file: &dyn Fn(&str, u64)) -> Result<(), String> {
    let place = folder.join(&file.path);
    if let Some(parent) = place.parent() {
        std::fs::create_dir_all(parent).map_err(|it| format!("{}: {it}", parent.display()))?;
    }
    // One that is whole already was fetched by a try that failed later.
    if file.size.is_some() && std::fs::metadata(&place).ok().map(|it| it.len()) == file.size {
        return Ok(());
    }
    if hub::fetch(client, file, &place, &|_| {}).await? {
        on_file(&file.path, std::fs::metadata(&place).map_or(0, |it| it.len()));
    }
    Ok(())
}
