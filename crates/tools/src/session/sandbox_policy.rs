//! The sandbox policy of a session: what its tools may reach, from the configuration; and what facts about a call are found from.
//!
//! Nothing here decides about a call. The policy is data; the runner makes it hold.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ox_model::search::WebSearch;
use ox_protocol::{CommandReach, Network, Rights};
use ox_repo::Tree;

use crate::session::sources::DocumentSources;

/// What the commands of a session may reach beside the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// The user's home, in which there are files that make programs run things.
    pub home: Option<PathBuf>,
    /// Ox's own folders: state and configuration.
    pub state: Vec<PathBuf>,
    /// Further folders that commands may write.
    pub write: Vec<PathBuf>,
    /// Files of the project that somebody trusted as they are, such as the scripts of its hooks. To change one is level system.
    pub trusted: Vec<PathBuf>,
    /// Whom commands may speak to.
    pub network: Network,
    /// Memory of a command in bytes.
    pub memory: u64,
    /// Processes of a command.
    pub processes: u32,
    /// The folder where output that was cut is kept whole. Reading in it needs no consent; nobody but Ox writes there.
    pub output: PathBuf,
    /// Where documents are: further folders, and servers that are asked for them.
    pub sources: Arc<DocumentSources>,
    /// What searches the web; none where nothing does.
    pub search: Option<WebSearch>,
    /// The proxy through which pages of the web are read; none: that of the environment.
    pub proxy: Option<String>,
}

impl Default for SandboxPolicy {
    /// No network, 2 GiB, 256 processes, output in a temporary folder of this process alone.
    fn default() -> SandboxPolicy {
        let Rights { memory, processes, network, .. } = Rights::command(PathBuf::new(), Duration::ZERO);
        let output = std::env::temp_dir().join(format!("ox-output-{}", std::process::id()));
        SandboxPolicy {
            home: None,
            state: Vec::new(),
            write: Vec::new(),
            trusted: Vec::new(),
            network,
            memory,
            processes,
            output,
            sources: Arc::default(),
            search: None,
            proxy: None,
        }
    }
}

impl SandboxPolicy {
    /// The rights of a command in `root` that runs for `time` at most and may write `added` too.
    pub fn rights(&self, root: &Path, added: &[PathBuf], time: Duration) -> Rights {
        let mut rights = Rights::command(root.to_path_buf(), time);
        rights.write.extend(self.write.iter().chain(added).cloned());
        rights.network = self.network.clone();
        rights.memory = self.memory;
        rights.processes = self.processes;
        let protected = ox_sandbox::protected(&rights.write, self.home.as_deref(), &self.state);
        rights.protect = protected.write;
        rights.protect.extend(self.trusted.iter().cloned());
        rights.hide = protected.hide;
        rights
    }

    /// The same for whoever is asked about a command: what it can change and whom it can speak to.
    pub fn reach(&self, tree: &Tree) -> CommandReach {
        let write = [tree.root()].into_iter().chain(tree.added().iter().chain(&self.write).map(PathBuf::as_path));
        let hosts = match &self.network {
            Network::None => Vec::new(),
            Network::Hosts(hosts) => hosts.clone(),
            Network::All => vec!["*".to_owned()],
        };
        CommandReach { write: write.map(|it| it.display().to_string()).collect(), hosts }
    }

    /// The true place of `path` where it is a file of kept output, or the folder of them.
    pub(crate) fn kept(&self, path: &str) -> Option<PathBuf> {
        let path = Path::new(path);
        let real = path.is_absolute().then(|| path.canonicalize().ok()).flatten()?;
        real.starts_with(self.output.canonicalize().ok()?).then_some(real)
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::Level;
    use ox_repo::PathOp;

    use crate::tests::testing::Fixture;

    #[test]
    fn what_no_command_may_change_no_edit_changes_unasked() {
        let fixture = Fixture::new();
        let root = fixture.cx.tree.root();
        let names = ox_sandbox::protected(&[root.to_owned()], None, &[]).write;
        assert!(names.len() > 80, "{}", names.len());
        let free = names.iter().filter_map(|name| {
            let rel = name.strip_prefix(root).expect("without a home and a state all is in the project");
            let reach = fixture.cx.tree.reach(PathOp::Write, &rel.display().to_string());
            (!reach.denied && reach.level < Level::System).then(|| rel.display().to_string())
        });
        assert_eq!(free.collect::<Vec<_>>(), [""; 0]);
    }
}
