//! What commands of a project run in, and what they may reach.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_agent::project_index;
use ox_model::search::WebSearch;
use ox_protocol::{Network, Problem, Runner};
use ox_sandbox::Sandbox;
use ox_tools::{DocumentSources, SandboxPolicy};

use super::{Project, env};

impl Project {
    /// What commands run in, as it is configured.
    pub fn sandbox(&self) -> Result<Sandbox, Problem> {
        let wrong = |error: ox_sandbox::SandboxError| Problem::new("config.sandbox").with("why", error);
        let config = &self.settings.sandbox;
        let backend = config.backend.as_deref().unwrap_or("auto").parse().map_err(wrong)?;
        let tokens = self.settings.git_hosts.values().filter_map(|it| it.token_env.clone());
        let tokens = tokens.chain(self.settings.web_search.key_env.clone());
        ox_sandbox::withhold(self.settings.providers.values().filter_map(|it| it.key_env.clone()).chain(tokens));
        Sandbox::open(&ox_sandbox::SandboxOptions { backend, image: config.image.clone() }).map_err(wrong)
    }

    /// What commands may reach, as it is configured.
    pub fn sandbox_policy(&self) -> SandboxPolicy {
        let (config, paths) = (&self.settings.sandbox, &self.paths);
        let default = SandboxPolicy::default();
        let network = match config.hosts.as_deref() {
            None | Some([]) => default.network.clone(),
            Some(hosts) => Network::Hosts(hosts.to_vec()),
        };
        SandboxPolicy {
            home: env("HOME").map(PathBuf::from),
            state: vec![paths.state_dir.clone(), paths.config_dir.clone()],
            trusted: ox_config::trust::trusted_files(&self.root),
            write: config.write.iter().flatten().map(PathBuf::from).collect(),
            network,
            memory: config.memory.map_or(default.memory, |mib| mib << 20),
            processes: config.processes.unwrap_or(default.processes),
            output: paths.state_dir.join("output"),
            sources: Arc::new(DocumentSources::new(
                Some(project_index::folder(&self.settings, paths)),
                self.settings.index.docs.clone(),
                self.settings.index.rag.clone(),
            )),
            search: {
                let it = &self.settings.web_search;
                WebSearch::of(it.provider.as_deref(), it.url.as_deref(), it.key_env.as_deref(), it.tool.as_deref())
            },
            proxy: None,
        }
    }

    /// True where git knows of changes to its files that are not committed.
    pub fn is_dirty(&self) -> Result<bool, Problem> {
        Ok(self.changed_files("no")? > 0)
    }

    /// How many files git calls changed or new; a new folder counts as one.
    pub fn dirty_files(&self) -> Result<usize, Problem> {
        self.changed_files("normal")
    }

    /// `untracked`: which new files count, in git's words. Git is asked in the sandbox: the folder may bring filters of its own,
    /// which git runs.
    fn changed_files(&self, untracked: &str) -> Result<usize, Problem> {
        if !ox_repo::git::is_repo(&self.root) {
            return Ok(0);
        }
        let sandbox = self.sandbox()?;
        let untracked = format!("--untracked-files={untracked}");
        let mut job = ox_repo::git::question(&self.root, &["status", "--porcelain", &untracked]);
        job.env.push(("PATH".to_string(), safe_path(&self.root)));
        Ok(match super::wait(sandbox.run(job, None))? {
            Ok(exit) if exit.code == Some(0) => exit.output.text(|_| String::new()).lines().count(),
            // Where there is no git, nothing is known of changes.
            Ok(_) | Err(_) => 0,
        })
    }
}

/// The search path without the folders from which a project could slip in its own programs; for what Ox itself starts
/// outside the sandbox.
pub fn safe_path(root: &Path) -> String {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let risky = risky_folders(std::env::split_paths(&path), root);
    let safe = std::env::split_paths(&path).filter(|it| !risky.contains(it));
    std::env::join_paths(safe).unwrap_or_default().to_string_lossy().into_owned()
}

/// The folders of a search path that a project could fill: relative ones, and those inside it.
pub fn risky_folders(folders: impl Iterator<Item = PathBuf>, root: &Path) -> Vec<PathBuf> {
    let real = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_path_buf());
    let root = real(root);
    folders.filter(|it| !it.is_absolute() || real(it).starts_with(&root)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_that_a_project_could_fill_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let inside = folder.path().join("bin");
        std::fs::create_dir(&inside).unwrap();
        let all = ["/usr/bin", "", ".", "node_modules/.bin"].map(PathBuf::from).into_iter().chain([inside.clone()]);
        let found = risky_folders(all, folder.path());
        assert_eq!(found, [PathBuf::new(), ".".into(), "node_modules/.bin".into(), inside]);
    }
}
