//! Which model turns texts into vectors, if any: one that was pulled into a folder, or an endpoint.
//!
//! `auto` takes what the role `embedding` names, else a model that was pulled, else none. A model's weights are read when the
//! first text is to be embedded, never on start; nothing is fetched here.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ox_config::{Paths, Settings};
use ox_index::embed::{self, Embedder, Filled, Similar, Vectors};
use ox_index::{Index, IndexError, Read, Snapshot};
use ox_model::embeddings::Endpoint;
use ox_protocol::Problem;
use tokio::runtime::{Builder, Runtime};

/// The models that can be pulled by a short name, best first, and what they are called at the hub.
pub const KNOWN: &[(&str, &str)] =
    &[("potion-code", "minishlab/potion-code-16M"), ("potion", "minishlab/potion-base-8M")];

/// The file of a pulled model that tells it from every other, whatever it is called.
const FINGERPRINT: &str = "fingerprint";

/// The folder of all models that were pulled.
pub fn folder(paths: &Paths) -> PathBuf {
    paths.state_dir.join("models")
}

/// The folder of a model: its name with what no file's name may hold replaced. None for a name that is no name.
pub fn place(paths: &Paths, name: &str) -> Option<PathBuf> {
    let plain: String = name
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.') { it } else { '-' })
        .collect();
    (!plain.trim_matches(['.', '-']).is_empty() && !plain.starts_with('.')).then(|| folder(paths).join(plain))
}

/// The names of the models that were pulled, sorted.
pub fn pulled(paths: &Paths) -> Vec<String> {
    let entries = std::fs::read_dir(folder(paths)).into_iter().flatten().flatten();
    let whole = entries.filter(|it| it.path().join("config.json").is_file());
    let mut names: Vec<String> = whole.map(|it| it.file_name().to_string_lossy().into_owned()).collect();
    // What is still being fetched has a name that no model has.
    names.retain(|it| !it.starts_with('.'));
    names.sort();
    names
}

/// The name by which a pulled model is known here: it may have been pulled by its short name or by that of the hub.
fn found(paths: &Paths, name: &str) -> Option<(String, PathBuf)> {
    let other = KNOWN.iter().find_map(|(short, full)| match name {
        it if it == *short => Some(*full),
        it if it == *full => Some(*short),
        _ => None,
    });
    let folders = [Some(name), other].into_iter().flatten().filter_map(|it| place(paths, it));
    let folder = folders.into_iter().find(|it| it.join("config.json").is_file())?;
    Some((folder.file_name()?.to_string_lossy().into_owned(), folder))
}

/// A name that is neither that of a pulled model nor of a provider's, with those that are.
fn not_pulled(paths: &Paths, name: &str) -> Problem {
    let here = pulled(paths);
    let here = if here.is_empty() { "–".to_owned() } else { here.join(", ") };
    let known = KNOWN.iter().map(|it| it.0).collect::<Vec<_>>().join(", ");
    Problem::new("embeddings.not_pulled").with("model", name).with("here", here).with("known", known)
}

/// What makes vectors under these settings; none where nothing does. `connect` opens an endpoint by `provider/model`. Problems:
/// `embeddings.not_pulled` for a name without a folder or a provider, and those of opening an endpoint.
pub fn open(
    settings: &Settings,
    paths: &Paths,
    connect: &dyn Fn(&str) -> Result<Endpoint, Problem>,
) -> Result<Option<Arc<dyn Embedder>>, Problem> {
    let named = match settings.index.embeddings.as_str() {
        "off" => return Ok(None),
        "auto" | "" => settings.roles.embedding.clone().or_else(|| pulled(paths).into_iter().next()),
        name => Some(name.to_string()),
    };
    let Some(name) = named else { return Ok(None) };
    if let Some((name, folder)) = found(paths, &name) {
        return Ok(Some(Arc::new(Local { key: key(&name, &folder), name, folder, opened: OnceLock::new() })));
    }
    if !name.contains('/') {
        return Err(not_pulled(paths, &name));
    }
    // A model of a hub is named like one of a provider.
    let no_provider = |it: Problem| if it.code == "model.unknown_provider" { not_pulled(paths, &name) } else { it };
    Ok(Some(Arc::new(Asked { endpoint: Arc::new(connect(&name).map_err(no_provider)?), runtime: OnceLock::new() })))
}

/// What the vectors of a pulled model are kept under. What pulled it left a fingerprint; a folder that was put there by hand is
/// told from others by its size and time, because reading all of it would cost more than a start may take.
fn key(name: &str, folder: &Path) -> String {
    let left = std::fs::read_to_string(folder.join(FINGERPRINT)).ok();
    let seen = || {
        let facts = std::fs::metadata(folder.join("model.safetensors")).ok()?;
        let time = facts.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("{}-{}", facts.len(), time.as_millis()))
    };
    format!("{name}@{}", left.or_else(seen).unwrap_or_default().trim())
}

/// A model in a folder, read at the first text.
struct Local {
    name: String,
    key: String,
    folder: PathBuf,
    opened: OnceLock<Result<Box<dyn Embedder>, String>>,
}

impl Local {
    fn model(&self) -> Result<&dyn Embedder, IndexError> {
        let open = || embed::open(&self.folder, &self.name).map_err(|it| it.to_string());
        let opened = self.opened.get_or_init(open).as_ref();
        opened.map(|it| &**it).map_err(|why| IndexError::Model { place: self.name.clone(), why: why.clone() })
    }
}

impl Embedder for Local {
    fn name(&self) -> &str {
        &self.name
    }

    fn key(&self) -> String {
        self.key.clone()
    }

    fn dimensions(&self) -> usize {
        self.model().map_or(0, Embedder::dimensions)
    }

    fn batch(&self) -> usize {
        self.model().map_or(1, Embedder::batch)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        self.model()?.embed(texts)
    }
}

/// An endpoint, asked from whatever thread: it has a runtime of its own, begun with the first text.
struct Asked {
    endpoint: Arc<Endpoint>,
    runtime: OnceLock<Option<Runtime>>,
}

impl Embedder for Asked {
    fn name(&self) -> &str {
        self.endpoint.name()
    }

    fn dimensions(&self) -> usize {
        self.endpoint.dimensions()
    }

    fn batch(&self) -> usize {
        ox_model::embeddings::BATCH
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let failed = |why: String| IndexError::Model { place: self.endpoint.name().to_string(), why };
        let begin = || Builder::new_multi_thread().worker_threads(1).enable_all().build().ok();
        let runtime = self.runtime.get_or_init(begin).as_ref();
        let runtime = runtime.ok_or_else(|| failed("no thread can be started to ask it".to_string()))?;
        let (endpoint, (answer, answered)) = (self.endpoint.clone(), std::sync::mpsc::channel());
        let texts: Vec<String> = texts.iter().map(ToString::to_string).collect();
        runtime.spawn(async move {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            // Whoever asked may have gone.
            let _ = answer.send(endpoint.embed(&texts).await);
        });
        let vectors = answered.recv().map_err(|_| failed("it ended without an answer".to_string()))?;
        vectors.map_err(|it| failed(it.message))
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // A runtime may not be awaited where another one runs.
        if let Some(runtime) = self.runtime.take().flatten() {
            runtime.shutdown_background();
        }
    }
}

/// What makes the vectors of one project, and those that it has made.
pub(crate) struct Meaning {
    embedder: Arc<dyn Embedder>,
    vectors: Vectors,
}

impl Meaning {
    pub(crate) fn new(index: &Index, embedder: Arc<dyn Embedder>) -> Meaning {
        let vectors = Vectors::open(index, &embedder.key());
        Meaning { embedder, vectors }
    }

    pub(crate) fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    /// The pieces most like `text`. A model that has not made its vector after `patience` is not waited for any longer.
    pub(crate) fn similar(
        &self,
        snapshot: &Snapshot,
        (text, limit): (&str, usize),
        patience: Duration,
    ) -> Result<Vec<Similar>, IndexError> {
        // Another process may have made them.
        self.vectors.renew();
        if self.vectors.is_empty() || text.trim().is_empty() {
            return Ok(Vec::new());
        }
        let failed = |why: &str| IndexError::Model { place: self.embedder.name().to_owned(), why: why.to_owned() };
        let (embedder, text) = (self.embedder.clone(), text.to_owned());
        let (answer, answered) = std::sync::mpsc::channel();
        // Whoever asked may have gone.
        let work = move || drop(answer.send(embedder.embed(&[&text])));
        let thread = std::thread::Builder::new().name("question".to_owned()).spawn(work);
        thread.map_err(|it| failed(&it.to_string()))?;
        let made = answered.recv_timeout(patience).map_err(|_| failed("it took too long"))??;
        let vector = made.first().ok_or_else(|| failed("it made no vector"))?;
        Ok(embed::similar(snapshot, &self.vectors, vector, limit))
    }

    pub(crate) fn fill(
        &self,
        index: &Index,
        read: &Read<'_>,
        on: &dyn Fn(Filled) -> bool,
    ) -> Result<Filled, IndexError> {
        embed::fill(index, &self.vectors, &*self.embedder, read, on)
    }
}

/// Puts the model in `from` under `name` where [`open`] finds it, after it was opened and made a vector; what was there under this
/// name is replaced as a whole. Returns how many numbers its vectors have. Problem: `embeddings.unusable` with `why`.
pub fn adopt(paths: &Paths, name: &str, from: &Path) -> Result<usize, Problem> {
    let unusable = |why: String| Problem::new("embeddings.unusable").with("why", why);
    let target = place(paths, name).ok_or_else(|| unusable(format!("`{name}` is no name of a model")))?;
    let model = embed::open(from, name).map_err(|it| unusable(it.to_string()))?;
    let vector = model.embed(&["a text"]).map_err(|it| unusable(it.to_string()))?;
    let sound = vector.first().is_some_and(|it| it.iter().all(|it| it.is_finite()) && it.iter().any(|it| *it != 0.0));
    if !sound {
        return Err(unusable(format!("the model in {} makes no usable vectors", from.display())));
    }
    let staged = folder(paths).join(format!(".new-{}", std::process::id()));
    let moved = staging(from, &staged).and_then(|()| replace(&staged, &target));
    if let Err(why) = moved {
        let _ = std::fs::remove_dir_all(&staged);
        return Err(unusable(format!("{}: {why}", target.display())));
    }
    Ok(model.dimensions())
}

/// Copies the files of a model, and no others.
fn staging(from: &Path, to: &Path) -> std::io::Result<()> {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to)?;
    for name in embed::FILES.iter().filter(|it| from.join(it).is_file()) {
        let place = to.join(name);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::copy(from.join(name), &place)?;
    }
    std::fs::write(to.join(FINGERPRINT), embed::fingerprint(to)?)
}

fn replace(staged: &Path, target: &Path) -> std::io::Result<()> {
    if target.exists() {
        std::fs::remove_dir_all(target)?;
    }
    std::fs::rename(staged, target)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(root: &Path) -> Paths {
        Paths { config_dir: root.join("c"), state_dir: root.join("s"), cache_dir: root.join("k") }
    }

    /// A table of two vectors for the words `red` and `green`.
    fn table(folder: &Path) {
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
        write("config.json", br#"{"model_type": "model2vec"}"#);
        write("vocab.txt", b"a\ntext\n");
        let head = br#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
        let numbers: Vec<u8> = [1.0f32, 0.0, 0.0, 1.0].iter().flat_map(|it| it.to_le_bytes()).collect();
        write("model.safetensors", &[&(head.len() as u64).to_le_bytes(), head.as_slice(), &numbers].concat());
        write("secret.bin", b"not of the model");
    }

    fn opened(settings: &Settings, paths: &Paths) -> Result<Option<String>, String> {
        let connect = |name: &str| Err(Problem::new("model.no_key").with("asked", name));
        let found = open(settings, paths, &connect);
        found.map(|it| it.map(|it| it.name().to_string())).map_err(|it| it.code.to_string())
    }

    #[test]
    fn the_settings_say_what_makes_vectors() {
        let root = tempfile::tempdir().unwrap();
        let paths = paths(root.path());
        let mut settings = Settings::default();
        settings.index.embeddings = "auto".to_string();
        assert_eq!(opened(&settings, &paths), Ok(None));
        let source = tempfile::tempdir().unwrap();
        table(source.path());
        assert_eq!(adopt(&paths, "owner/colours", source.path()).unwrap(), 2);
        assert_eq!(pulled(&paths), ["owner-colours"]);
        assert!(!folder(&paths).join("owner-colours/secret.bin").exists());
        assert_eq!(opened(&settings, &paths), Ok(Some("owner-colours".to_string())));
        settings.roles.embedding = Some("mine/embed".to_string());
        assert_eq!(opened(&settings, &paths), Err("model.no_key".to_string()));
        for (named, expected) in [
            ("off", Ok(None)),
            ("owner/colours", Ok(Some("owner-colours".to_string()))),
            ("absent", Err("embeddings.not_pulled".to_string())),
        ] {
            settings.index.embeddings = named.to_string();
            assert_eq!(opened(&settings, &paths), expected, "{named}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_not_taken_and_leaves_what_was_there() {
        let root = tempfile::tempdir().unwrap();
        let paths = paths(root.path());
        let source = tempfile::tempdir().unwrap();
        table(source.path());
        adopt(&paths, "colours", source.path()).unwrap();
        std::fs::write(source.path().join("model.safetensors"), b"broken").unwrap();
        let why = adopt(&paths, "colours", source.path()).unwrap_err();
        assert_eq!(why.code, "embeddings.unusable");
        assert!(adopt(&paths, "..", source.path()).is_err());
        assert_eq!(pulled(&paths), ["colours"]);
        assert_ne!(std::fs::read(folder(&paths).join("colours/model.safetensors")).unwrap(), b"broken");
    }
}
