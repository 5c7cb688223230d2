//! The projects that the server has open, by short keys that stand in addresses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ox_app::{Project, ProjectOptions, project};
use ox_protocol::Problem;
use sha2::{Digest, Sha256};

/// The open projects.
#[derive(Default)]
pub(crate) struct Projects {
    options: ProjectOptions,
    roots: Mutex<BTreeMap<String, PathBuf>>,
}

impl Projects {
    /// None yet; each will be opened with these options.
    pub fn new(options: ProjectOptions) -> Projects {
        Projects { options, roots: Mutex::default() }
    }

    /// Takes in the project around `folder` and returns its key.
    pub fn add(&self, folder: &Path) -> Result<String, Problem> {
        if !folder.is_absolute() || !folder.is_dir() {
            return Err(Problem::new("server.no_folder").with("path", folder.display()));
        }
        let root = PathBuf::from(project::root_name(&project::root_of(folder)));
        let key = key(&root.to_string_lossy());
        self.roots.lock().unwrap_or_else(PoisonError::into_inner).insert(key.clone(), root);
        Ok(key)
    }

    /// Keys and roots.
    pub fn all(&self) -> Vec<(String, PathBuf)> {
        let roots = self.roots.lock().unwrap_or_else(PoisonError::into_inner);
        roots.iter().map(|(key, root)| (key.clone(), root.clone())).collect()
    }

    /// The project with this key, with its configuration as it is now. It may block.
    pub fn open(&self, key: &str) -> Result<Project, Problem> {
        let root = self.roots.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned();
        self.at(&root.ok_or_else(|| Problem::new("server.no_project").with("key", key))?)
    }

    /// The project at a root that a stored conversation names.
    pub fn at(&self, root: &Path) -> Result<Project, Problem> {
        self.add(root)?;
        Project::open(root, self.options.clone())
    }
}

/// The key of a root.
pub(crate) fn key(root: &str) -> String {
    Sha256::digest(root.as_bytes()).iter().take(6).map(|it| format!("{it:02x}")).collect()
}
