//! Plugins that the user added: kept as copies, and used as long as they are what was added.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_config::state::replace;
use ox_extensions::{Extensions, Manifest, Source, copy_plugin, manifest, plugin_digest};
use ox_mcp::ServerConfig;
use ox_protocol::{Problem, Runner};
use ox_sandbox::Plain;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sandbox::safe_path;
use super::{Project, wait};

/// How long fetching one may take.
const PATIENCE: Duration = Duration::from_secs(180);

/// A plugin that was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedPlugin {
    /// Its name.
    pub name: String,
    /// Its version; empty where it says none.
    pub version: String,
    /// Where it came from.
    pub source: String,
    /// The folder within that, where it is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// What it was, by all of its bytes.
    digest: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Record {
    plugins: Vec<AddedPlugin>,
}

/// A plugin that was looked at and not added yet.
pub struct NewPlugin {
    /// What it says of itself.
    pub manifest: Manifest,
    /// What it would add.
    pub extensions: Extensions,
    /// The MCP servers that it would add.
    pub servers: Vec<ServerConfig>,
    /// Where that is now; another place than where it will be used.
    pub place: PathBuf,
    added: AddedPlugin,
    /// The copy; it goes with this value unless the plugin is added.
    copy: tempfile::TempDir,
}

impl Project {
    /// The plugins that were added.
    pub fn plugins(&self) -> Result<Vec<AddedPlugin>, Problem> {
        let file = self.plugins_file();
        let unusable =
            |why: String| Problem::new("extensions.unreadable").with("file", file.display()).with("why", why);
        match fs::read_to_string(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(unusable(error.to_string())),
            Ok(text) => {
                let record: Record = serde_json::from_str(&text).map_err(|why| unusable(why.to_string()))?;
                Ok(record.plugins)
            }
        }
    }

    /// The folders of the plugins that are what was added, and what is wrong with others.
    pub(crate) fn plugin_sources(&self) -> (Vec<Source>, Vec<Problem>) {
        let all = match self.plugins() {
            Ok(all) => all,
            Err(problem) => return (Vec::new(), vec![problem]),
        };
        let (mut sources, mut problems) = (Vec::new(), Vec::new());
        for plugin in all {
            let folder = self.plugin_folder(&plugin.name);
            match plugin_digest(&folder) {
                Ok(digest) if digest == plugin.digest => sources.push(Source::of_plugin(&plugin.name, &folder)),
                _ => problems.push(
                    Problem::new("plugin.changed")
                        .with("name", &plugin.name)
                        .with("folder", folder.display())
                        .with("from", &plugin.source),
                ),
            }
        }
        (sources, problems)
    }

    /// Fetches a plugin from a folder or a git repository, and looks at it. Nothing of it is run.
    pub fn fetch_plugin(&self, from: &str, folder: Option<&str>) -> Result<NewPlugin, Problem> {
        let bad = |why: String| Problem::new("plugin.bad").with("from", from).with("why", why);
        let unwritten = |why: std::io::Error| Problem::new("plugin.unwritten").with("file", "plugins").with("why", why);
        let place = self.paths.cache_dir.join("plugins");
        fs::create_dir_all(&place).map_err(unwritten)?;
        let fetched = tempfile::tempdir_in(&place).map_err(unwritten)?;
        let path = Path::new(from);
        let (root, source) = match path.canonicalize() {
            Ok(real) => (real.clone(), real.display().to_string()),
            Err(_) if is_address(from) => (clone(from, fetched.path())?, from.to_owned()),
            Err(error) => return Err(bad(error.to_string())),
        };
        let whole = root.canonicalize().map_err(|why| bad(why.to_string()))?;
        let root = whole.join(folder.unwrap_or(".")).canonicalize().map_err(|why| bad(why.to_string()))?;
        if !root.starts_with(&whole) || !root.is_dir() {
            return Err(bad("it is no folder in it".to_owned()));
        }
        let manifest = manifest(&root, &last_name(folder.unwrap_or(&source))).map_err(bad)?;
        let copy = tempfile::tempdir_in(&place).map_err(unwritten)?;
        copy_plugin(&root, copy.path()).map_err(bad)?;
        let digest = plugin_digest(copy.path()).map_err(bad)?;
        let mut extensions = Extensions::find(&[Source::of_plugin(&manifest.name, copy.path())]);
        let (servers, problems) = self.servers_of(&Source::of_plugin(&manifest.name, copy.path()));
        extensions.problems.extend(problems);
        let added = AddedPlugin {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            source,
            folder: folder.map(str::to_owned),
            digest,
        };
        Ok(NewPlugin { manifest, extensions, servers, place: copy.path().to_path_buf(), added, copy })
    }

    /// Adds a plugin in the place of one of the same name, and gives its folder.
    pub fn add_plugin(&self, new: NewPlugin) -> Result<PathBuf, Problem> {
        let mut all = self.plugins()?;
        all.retain(|it| it.name != new.added.name);
        let folder = self.plugin_folder(&new.added.name);
        let unwritten =
            |why: std::io::Error| Problem::new("plugin.unwritten").with("file", folder.display()).with("why", why);
        // The one before goes only once the new one is in its place.
        let before = tempfile::tempdir_in(self.paths.cache_dir.join("plugins")).map_err(unwritten)?;
        let before = before.path().join("before");
        if folder.exists() {
            fs::rename(&folder, &before).map_err(unwritten)?;
        }
        if let Err(why) = fs::rename(new.copy.path(), &folder) {
            let _ = fs::rename(&before, &folder);
            return Err(unwritten(why));
        }
        all.push(new.added);
        self.keep_plugins(all)?;
        Ok(folder)
    }

    /// Removes a plugin with its copy.
    pub fn remove_plugin(&self, name: &str) -> Result<(), Problem> {
        let mut all = self.plugins()?;
        let known: Vec<String> = all.iter().map(|it| it.name.clone()).collect();
        if !known.iter().any(|it| it == name) {
            return Err(Problem::new("plugin.unknown").with("name", name).with("known", known.join(", ")));
        }
        all.retain(|it| it.name != name);
        self.keep_plugins(all)?;
        // A copy that stays is used by nobody.
        let _ = fs::remove_dir_all(self.plugin_folder(name));
        Ok(())
    }

    /// The MCP servers of a plugin, and what is wrong with others.
    pub(super) fn servers_of(&self, source: &Source) -> (Vec<ServerConfig>, Vec<Problem>) {
        let files = ["mcp.json", ".mcp.json"].map(|it| source.folder.join(it));
        let Some(file) = files.iter().find(|it| it.is_file()) else { return (Vec::new(), Vec::new()) };
        let wrong = |why: &str| Problem::new("extensions.unreadable").with("file", file.display()).with("why", why);
        let read = source.text_of(file).and_then(|it| ox_mcp::parse(&placed(&it, &source.folder)));
        match read {
            Err(why) => (Vec::new(), vec![wrong(&why)]),
            Ok(found) => {
                (found.usable, found.unusable.iter().map(|it| wrong(&format!("{}: {}", it.name, it.why))).collect())
            }
        }
    }

    fn plugin_folder(&self, name: &str) -> PathBuf {
        self.paths.cache_dir.join("plugins").join(name)
    }

    /// The record of the plugins.
    pub(super) fn plugins_file(&self) -> PathBuf {
        self.paths.config_dir.join("plugins.json")
    }

    fn keep_plugins(&self, plugins: Vec<AddedPlugin>) -> Result<(), Problem> {
        let file = self.plugins_file();
        let text = serde_json::to_string_pretty(&Record { plugins }).expect("invariant: a record is JSON");
        let written = fs::create_dir_all(&self.paths.config_dir).and_then(|()| replace(&file, &(text + "\n")));
        written.map_err(|why| Problem::new("plugin.unwritten").with("file", file.display()).with("why", why))
    }
}

/// The name that a folder or a repository goes by.
fn last_name(from: &str) -> String {
    let last = from.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    last.strip_suffix(".git").unwrap_or(last).to_lowercase()
}

/// The text of a file of servers in which a program of the plugin is named by its whole path.
fn placed(text: &str, folder: &Path) -> String {
    let Ok(mut file) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let servers = file.get_mut("mcpServers").and_then(Value::as_object_mut);
    for server in servers.into_iter().flat_map(|it| it.values_mut()) {
        if let Some(own) = server["command"].as_str().and_then(|it| it.strip_prefix("./")) {
            server["command"] = folder.join(own).to_string_lossy().into();
        }
    }
    file.to_string()
}

/// True for an address that git knows how to reach.
fn is_address(from: &str) -> bool {
    !from.starts_with('-') && (from.contains("://") || from.split_once(':').is_some_and(|it| it.0.contains('@')))
}

/// Clones a repository into a folder, with git hardened as it is for questions: nothing of the repository runs.
fn clone(from: &str, place: &Path) -> Result<PathBuf, Problem> {
    let failed = |why: String| Problem::new("plugin.not_fetched").with("from", from).with("why", why);
    let args = ["clone", "--quiet", "--depth", "1", "--no-recurse-submodules", "--", from, "fetched"];
    let mut job = ox_repo::git::job(place, &args);
    job.env.push(("PATH".to_owned(), safe_path(place)));
    job.rights.time = PATIENCE;
    let exit = wait(Plain.run(job, None))?.map_err(|it| failed(it.to_string()))?;
    match exit.code {
        Some(0) => Ok(place.join("fetched")),
        _ => Err(failed(exit.output.text(|_| "[…]".to_owned()).trim().to_owned())),
    }
}
