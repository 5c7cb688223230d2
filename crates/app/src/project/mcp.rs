//! The MCP servers of a project: those of the user's own file, and those of the project where somebody trusted it as it is.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ox_config::state::key_store::KeyStore;
use ox_config::trust::TrustState;
use ox_extensions::Source;
use ox_mcp::{Launcher, Limits, McpServers, ServerConfig, Tokens};
use ox_protocol::{Problem, Runner};
use ox_tools::SandboxPolicy;

use super::Project;

/// Whose file a server stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServerScope {
    /// The user's.
    User,
    /// The project's.
    Project,
    /// A plugin's: added with it.
    Plugin,
}

/// A server of one of the files.
#[derive(Clone, Debug)]
pub struct KnownServer {
    /// The server.
    pub config: ServerConfig,
    /// Whose file it stands in.
    pub scope: ServerScope,
    /// False for one of a project that nobody trusted as it is: it is never started.
    pub counts: bool,
}

/// The servers of both files.
#[derive(Clone, Debug, Default)]
pub struct KnownServers {
    /// Those that can be used, each name once: the user's own come first.
    pub servers: Vec<KnownServer>,
    /// What is wrong with others.
    pub problems: Vec<Problem>,
}

impl Project {
    /// The file of a scope; it need not exist.
    pub fn mcp_file(&self, scope: ServerScope) -> PathBuf {
        match scope {
            ServerScope::User => self.paths.config_dir.join("mcp.json"),
            ServerScope::Project => self.root.join(ox_mcp::PROJECT_FILE),
            ServerScope::Plugin => self.plugins_file(),
        }
    }

    /// The text of the file of a scope; empty where there is none.
    pub fn mcp_text(&self, scope: ServerScope) -> Result<String, Problem> {
        let file = self.mcp_file(scope);
        match std::fs::read_to_string(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            text => text.map_err(|error| unusable(&file, &error.to_string())),
        }
    }

    /// The servers that are configured. Nothing is started.
    pub fn mcp_known(&self) -> KnownServers {
        self.mcp_known_with(&self.plugin_sources().0)
    }

    /// The same with these plugins.
    fn mcp_known_with(&self, plugins: &[Source]) -> KnownServers {
        let mut known = KnownServers::default();
        for scope in [ServerScope::User, ServerScope::Project] {
            let file = self.mcp_file(scope);
            let read = self.mcp_text(scope).and_then(|it| ox_mcp::parse(&it).map_err(|why| unusable(&file, &why)));
            let found = match read {
                Ok(found) => found,
                Err(problem) => {
                    known.problems.push(problem);
                    continue;
                }
            };
            let counts = scope == ServerScope::User || self.trust.state == TrustState::Trusted;
            for config in found.usable {
                if !known.servers.iter().any(|it| it.config.name == config.name) {
                    known.servers.push(KnownServer { config, scope, counts });
                }
            }
            known.problems.extend(found.unusable.into_iter().map(|it| {
                Problem::new("mcp.unusable").with("name", it.name).with("file", file.display()).with("why", it.why)
            }));
        }
        for source in plugins {
            let (servers, problems) = self.servers_of(source);
            let new = servers.into_iter().filter(|it| known.servers.iter().all(|other| other.config.name != it.name));
            let new = new.map(|config| KnownServer { config, scope: ServerScope::Plugin, counts: true });
            let new: Vec<KnownServer> = new.collect();
            known.servers.extend(new);
            known.problems.extend(problems);
        }
        known
    }

    /// The servers that a session may use, with those of `plugins`.
    pub(crate) fn mcp_servers(
        &self,
        runner: Arc<dyn Runner>,
        policy: &SandboxPolicy,
        plugins: &[Source],
    ) -> McpServers {
        let known = self.mcp_known_with(plugins);
        known.problems.iter().for_each(crate::notice::tell);
        let configs = known.servers.into_iter().filter(|it| it.counts).map(|it| it.config).collect();
        McpServers::new(configs, &self.mcp_launcher(runner, policy))
    }

    /// What starting and reaching servers needs.
    pub fn mcp_launcher(&self, runner: Arc<dyn Runner>, policy: &SandboxPolicy) -> Launcher {
        let (root, added, policy) = (self.root.clone(), self.added().to_vec(), policy.clone());
        Launcher {
            policy: format!("{policy:?} {added:?}"),
            root: self.root.clone(),
            runner,
            rights: Arc::new(move || policy.rights(&root, &added, Duration::MAX)),
            cache: self.paths.cache_dir.join("mcp"),
            http: Arc::new(|builder, url| ox_model::with_roots(builder, url.scheme() == "https")),
            tokens: Arc::new(Logins(KeyStore::of(&self.paths))),
            limits: Limits::default(),
        }
    }

    /// Replaces the text of the file in which servers of this scope are kept. A problem: it cannot be written.
    pub fn write_mcp(&self, scope: ServerScope, text: &str) -> Result<(), Problem> {
        let file = self.mcp_file(scope);
        let unwritable = |why: std::io::Error| unusable(&file, &why.to_string());
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(unwritable)?;
        }
        match scope {
            // It may hold keys.
            ServerScope::User => ox_config::state::replace(&file, text).map_err(unwritable),
            ServerScope::Project | ServerScope::Plugin => std::fs::write(&file, text).map_err(unwritable),
        }
    }
}

fn unusable(file: &std::path::Path, why: &str) -> Problem {
    Problem::new("mcp.file").with("file", file.display()).with("why", why)
}

/// What logins to servers brought, beside the keys of providers.
struct Logins(KeyStore);

impl Tokens for Logins {
    fn load(&self, server: &str) -> Result<Option<String>, String> {
        Ok(self.0.all().map_err(words)?.remove(&name(server)))
    }

    fn keep(&self, server: &str, text: &str) -> Result<(), String> {
        self.0.keep(&name(server), text).map_err(words)
    }

    fn forget(&self, server: &str) -> Result<bool, String> {
        self.0.remove(&name(server)).map_err(words)
    }
}

/// The name under which a login is kept, which no provider has.
fn name(server: &str) -> String {
    format!("mcp:{server}")
}

fn words(problem: Problem) -> String {
    super::language().problem(&problem)
}
