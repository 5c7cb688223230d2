//! `ox models pull`: fetches an embedding model from a hub, a web folder or a folder of this machine, and tries it before it is
//! taken. The only command that fetches a model; nothing else ever does.

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use ox_agent::embedding;
use ox_app::project::env;
use ox_config::Paths;
use ox_index::embed::FILES;
use ox_model::embeddings::hub::{self, Remote};
use ox_protocol::locale::Language;

use super::super::print::{err, json as print_json, out};
use crate::cmd::shared;

/// Fetches the model `name`, or takes it from `from`, and says what it is. Nothing is left behind where it cannot be used, but
/// what was fetched so far: the next try goes on there.
pub(super) fn run(language: Language, name: &str, from: Option<&str>, as_json: bool) -> anyhow::Result<u8> {
    let paths = ox_config::paths(&env)?;
    let named =
        embedding::place(&paths, name).ok_or_else(|| anyhow!(language.say("models.pull_name", &[("name", name)])))?;
    let folder = match from.filter(|it| !it.contains("://")) {
        Some(folder) => PathBuf::from(folder),
        None => fetched(language, &paths, name, from, as_json)?,
    };
    let dimensions = embedding::adopt(&paths, name, &folder)?;
    if folder.starts_with(embedding::folder(&paths)) {
        let _ = std::fs::remove_dir_all(&folder);
    }
    if as_json {
        print_json(&serde_json::json!({"name": name, "dimensions": dimensions, "folder": named}));
        return Ok(0);
    }
    let place = named.display().to_string();
    out(&language.say("models.pulled", &[("name", name), ("numbers", &dimensions.to_string()), ("folder", &place)]));
    out("\n");
    Ok(0)
}

/// Fetches the files of a model into a folder that keeps what is there until it is whole.
fn fetched(language: Language, paths: &Paths, name: &str, from: Option<&str>, quiet: bool) -> anyhow::Result<PathBuf> {
    let known = embedding::KNOWN.iter().find(|(short, _)| *short == name).map_or(name, |(_, full)| full);
    if from.is_none() && !known.contains('/') {
        let names: Vec<&str> = embedding::KNOWN.iter().map(|it| it.0).collect();
        let names = names.join(", ");
        return Err(anyhow!(language.say("models.pull_unknown", &[("name", name), ("known", &names)])));
    }
    let plain = embedding::place(paths, name).and_then(|it| it.file_name().map(|it| it.to_string_lossy().into_owned()));
    let folder = embedding::folder(paths).join(format!(".part-{}", plain.unwrap_or_default()));
    let mirror = env("HF_ENDPOINT").filter(|it| !it.is_empty()).unwrap_or_else(|| hub::HUB.to_string());
    let fetching = async {
        let base = from.unwrap_or(&mirror);
        let client = hub::client(base)?;
        let files = match from {
            Some(base) => below(base),
            None => hub::list(&client, base, known, &FILES).await?,
        };
        for file in &files {
            one(&client, file, &folder, language, quiet).await?;
        }
        Ok::<(), String>(())
    };
    shared::runtime()?
        .block_on(fetching)
        .map_err(|why| anyhow!(language.say("models.pull_failed", &[("why", &why)])))?;
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

async fn one(
    client: &hub::Client,
    file: &Remote,
    folder: &Path,
    language: Language,
    quiet: bool,
) -> Result<(), String> {
    let place = folder.join(&file.path);
    if let Some(parent) = place.parent() {
        std::fs::create_dir_all(parent).map_err(|it| format!("{}: {it}", parent.display()))?;
    }
    // One that is whole already was fetched by a try that failed later.
    if file.size.is_some() && std::fs::metadata(&place).ok().map(|it| it.len()) == file.size {
        return Ok(());
    }
    let there = hub::fetch(client, file, &place, &|_| {}).await?;
    if there && !quiet {
        let size = std::fs::metadata(&place).map_or(0, |it| it.len());
        err(&language.say("models.pulling", &[("file", &file.path), ("kib", &size.div_ceil(1024).to_string())]));
    }
    Ok(())
}
