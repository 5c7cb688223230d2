//! A project that is open: its root, its configuration, and whether its own settings count.
//!
//! Opening reads; it creates nothing, starts nothing and believes nothing of a folder that is not trusted.

pub mod attachments;
pub mod browser;
pub mod catalogue;
pub mod checkpoints;
pub mod checks;
pub mod clipboard;
mod completion;
pub mod editor;
pub mod extensions;
mod instructions;
pub mod login;
pub mod mcp;
pub mod models;
mod own_program;
pub mod plugins;
pub mod pull;
pub mod sandbox;
pub mod shown;
pub mod status_line;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use ox_agent::Clock;
use ox_config::trust::{FolderTrust, Trust, TrustState};
use ox_config::{Flags, Paths, ProjectConfig, Settings};
use ox_protocol::locale::Language;
use ox_protocol::{Problem, Time};
use ox_repo::{Checkpoints, Tree};
use ox_store::{Log, PostgresStore, Store};

/// How a project is opened.
#[derive(Clone, Debug, Default)]
pub struct ProjectOptions {
    /// The last layer of configuration.
    pub flags: Flags,
    /// Further folders to work in.
    pub added: Vec<PathBuf>,
    /// Lets the project's own settings count, whatever the record of trust says.
    pub trusted: bool,
    /// True for a folder that was just made of what somebody else has: nothing that was said of its place before counts.
    pub foreign: bool,
    /// The folder whose record of trust counts for this one: that of the work tree which a linked one was made from. What is not
    /// the same in both is not trusted.
    pub like: Option<PathBuf>,
}

impl From<Flags> for ProjectOptions {
    fn from(flags: Flags) -> ProjectOptions {
        ProjectOptions { flags, ..ProjectOptions::default() }
    }
}

/// A project with its configuration.
#[derive(Clone)]
pub struct Project {
    /// The project's root, absolute.
    pub root: PathBuf,
    /// The merged configuration.
    pub settings: Settings,
    /// Where Ox keeps its files.
    pub paths: Paths,
    /// Whether the project's own settings count; they are in `settings` only where they do.
    pub trust: FolderTrust,
    options: ProjectOptions,
}

impl Project {
    /// Opens the project around the current folder.
    pub fn here(options: ProjectOptions) -> Result<Project, Problem> {
        Project::open(&current_folder()?, options)
    }

    /// Opens the project around `folder`.
    pub fn open(folder: &Path, options: ProjectOptions) -> Result<Project, Problem> {
        let root = root_of(folder);
        if let Some(absent) = options.added.iter().find(|it| !it.is_dir()) {
            return Err(Problem::new("usage.add_dir").with("path", absent.display()));
        }
        let paths = paths()?;
        let mut trust = Trust::open(&paths.state_dir).look_like(
            &root,
            options.like.as_deref().unwrap_or(&root),
            Some(&paths.config_file()),
        );
        // A variable of the process itself, never one that a file of the project set.
        if options.trusted || env("OX_TRUST").is_some_and(|it| it == "1") {
            trust.state = TrustState::Trusted;
        }
        if options.foreign {
            trust.state = TrustState::Unknown;
        }
        let own = match trust.counts() {
            _ if options.foreign => ProjectConfig::Foreign,
            true => ProjectConfig::Use,
            false => ProjectConfig::Ignore,
        };
        let mut settings = ox_config::load(&root, own, options.flags.clone(), &env)?;
        if options.foreign {
            // What was done in another folder of this name is nothing to it.
            settings.memory_tasks = 0;
        }
        Ok(Project { root, settings, paths, trust, options })
    }

    /// The same project with its configuration read anew.
    pub fn reopened(&self) -> Result<Project, Problem> {
        Project::open(&self.root, self.options.clone())
    }

    /// Another folder with the same options, in which what was trusted here and is the same there is trusted too.
    pub fn opened_alike(&self, folder: &Path) -> Result<Project, Problem> {
        let like = Some(self.root.clone());
        Project::open(folder, ProjectOptions { like, ..self.options.clone() })
    }

    /// The same project with one more flag.
    pub fn with_flag(&self, key: &str, value: &str) -> Result<Project, Problem> {
        let mut options = self.options.clone();
        options.flags = options.flags.with(key, value);
        Project::open(&self.root, options)
    }

    /// Writes a choice of the user's into their own configuration file.
    pub fn remember(&self, key: &str, value: &str) -> Result<(), Problem> {
        ox_config::set(&self.paths.config_file(), key, value)
    }

    /// The further folders that it was opened with.
    pub fn added(&self) -> &[PathBuf] {
        &self.options.added
    }

    /// The root as stored conversations have it: absolute, links followed.
    pub fn root_name(&self) -> String {
        root_name(&self.root)
    }

    /// The working tree. What a crash cut short is taken back here, before anything reads it.
    pub fn tree(&self) -> Result<Tree, Problem> {
        let tree = Tree::open(&self.root, &self.options.added);
        Ok(tree.map_err(no_tree)?.with_journal(&self.paths.state_dir))
    }

    /// The store of conversations. All who work on some in this process share it: they take turns, where each with a connection
    /// of its own would find the others' lock and sleep.
    pub fn store(&self) -> Result<Arc<dyn Log>, Problem> {
        static OPEN: Mutex<BTreeMap<PathBuf, Weak<dyn Log>>> = Mutex::new(BTreeMap::new());
        let path = self.paths.database();
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = open.get(&path).and_then(Weak::upgrade) {
            return Ok(store);
        }
        let store = store(&self.paths)?;
        open.insert(path, Arc::downgrade(&store));
        Ok(store)
    }

    /// The recorded states of the working tree.
    pub fn checkpoints(&self, tree: &Tree) -> Result<Checkpoints, Problem> {
        Checkpoints::open(&self.paths.state_dir, tree).map_err(no_tree)
    }
}

/// Why the project's folder cannot be worked in.
pub fn no_tree(why: impl std::fmt::Display) -> Problem {
    Problem::new("error.tree").with("why", why)
}

/// Opens the store of conversations by itself: who reads there is not held up by those who work on some.
/// Where `OX_STORE` names a PostgreSQL database, it is that one; otherwise the file in the user's state folder.
pub fn store(paths: &Paths) -> Result<Arc<dyn Log>, Problem> {
    match env("OX_STORE").filter(|it| !it.is_empty()) {
        Some(source) => Ok(Arc::new(PostgresStore::open(&source)?)),
        None => Ok(Arc::new(Store::open(&paths.database())?)),
    }
}

/// The folder that the process was started in.
pub fn current_folder() -> Result<PathBuf, Problem> {
    std::env::current_dir().map_err(|error| Problem::new("error.no_folder").with("why", error))
}

/// The root of a project as stored conversations have it.
pub fn root_name(root: &Path) -> String {
    root.canonicalize().unwrap_or_else(|_| root.to_path_buf()).to_string_lossy().into_owned()
}

/// The nearest folder above that is a repository or has a configuration; the folder itself where there is none. The
/// home folder does not count: a repository of dot files is not the project of everything in it.
pub fn root_of(folder: &Path) -> PathBuf {
    let home = env("HOME").map(PathBuf::from);
    let marks = |it: &&Path| it.join(".git").exists() || it.join(".ox").is_dir();
    let found = folder.ancestors().filter(|it| Some(*it) != home.as_deref()).find(marks);
    found.unwrap_or(folder).to_path_buf()
}

/// Where Ox keeps its files.
pub fn paths() -> Result<Paths, Problem> {
    ox_config::paths(&env)
}

/// A variable of the environment.
pub fn env(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The language of messages that come before the configuration is read.
pub fn language() -> Language {
    ox_config::language(&env)
}

/// The present moment.
pub fn now() -> Time {
    (Clock::real().now)()
}

/// Waits for a future on this thread, which must not be one of an async runtime.
pub fn wait<T>(future: impl Future<Output = T>) -> Result<T, Problem> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    Ok(runtime.map_err(|error| Problem::new("error.session").with("why", error))?.block_on(future))
}
