//! A project with servers, in the real sandbox.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ox_mcp::{Launcher, Limits, McpServers, NoTokens, Reply, parse};
use ox_protocol::{Rights, Runner as _};
use ox_sandbox::{Sandbox, SandboxOptions};
use serde_json::{Value, json};

/// The folders that the set-up of the tests fills.
fn tools() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("tools")
}

/// Where a program is: in the folders that the set-up fills, else on the search path.
pub fn program(name: &str) -> Option<PathBuf> {
    let own = ["npm/node_modules/.bin", "python/bin"].map(|it| tools().join(it));
    let rest = std::env::var_os("PATH").unwrap_or_default();
    own.into_iter().chain(std::env::split_paths(&rest)).map(|it| it.join(name)).find(|it| it.is_file())
}

pub fn installed(name: &str) -> bool {
    program(name).is_some()
}

pub fn sandbox_works() -> bool {
    Sandbox::open(&SandboxOptions::default()).is_ok_and(|it| it.isolated())
}

/// Where the scripted server is.
pub fn script() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake_server.py")
}

/// A project.
pub struct Place {
    dir: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    pub servers: McpServers,
}

/// Short limits, for servers that will not keep any.
pub fn short() -> Limits {
    let [start, list, rest, longest_rest] = [20_000, 2_000, 30, 60_000].map(Duration::from_millis);
    Limits { start, list, rest, longest_rest }
}

impl Place {
    /// With the scripted server in this mode, called `fake`.
    pub fn scripted(mode: &str) -> Place {
        Place::with(short(), json!({"fake": {"command": "python3", "args": [script(), mode], "timeout": 20_000}}))
    }

    /// With servers in the format of a file.
    pub fn with(limits: Limits, servers: Value) -> Place {
        let dir = tempfile::Builder::new().prefix("project-").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("project")).unwrap();
        let launcher = launcher(&root, limits);
        let found = parse(&json!({"mcpServers": servers}).to_string()).unwrap();
        assert_eq!(found.unusable, []);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        Place { dir, runtime, servers: McpServers::new(found.usable, &launcher) }
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("project")
    }

    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Calls a tool of the server `fake`; the words of an error after `error: `.
    pub fn call(&self, tool: &str, args: Value) -> String {
        match self.reply("fake", tool, args) {
            Ok(reply) if reply.failed => format!("failed: {}", reply.text),
            Ok(reply) => reply.text,
            Err(error) => format!("error: {error}"),
        }
    }

    pub fn reply(&self, server: &str, tool: &str, args: Value) -> Result<Reply, ox_mcp::Error> {
        let args = args.as_object().unwrap().clone();
        self.block_on(self.servers.call(server, tool, args))
    }

    /// The names of the tools of a server.
    pub fn tools(&self, server: &str) -> Vec<String> {
        let list = self.block_on(self.servers.tools(server)).unwrap();
        list.tools.iter().map(|it| it.name.clone()).collect()
    }
}

pub fn launcher(folder: &Path, limits: Limits) -> Launcher {
    let root = folder.join("project");
    // Another test may have installed it already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut rights = Rights::command(root.clone(), Duration::from_secs(60));
    // What stands beneath /tmp would be hidden; a server may only read it.
    rights.write.extend([tools(), script().parent().unwrap().to_path_buf()].into_iter().filter(|it| it.exists()));
    Launcher {
        policy: format!("{rights:?}"),
        rights: Arc::new(move || rights.clone()),
        root,
        runner: Arc::new(Sandbox::open(&SandboxOptions::default()).unwrap()),
        cache: folder.join("cache"),
        http: Arc::new(|builder, _| Ok(builder.no_proxy())),
        tokens: Arc::new(NoTokens),
        limits,
    }
}

/// Processes whose command line holds `text`.
pub fn left(text: &str) -> usize {
    let is_ours = |it: &std::fs::DirEntry| {
        let line = std::fs::read(it.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(text)
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(is_ours).count()
}

/// Waits for what a process leaves behind to go: the kernel says when.
pub fn wait_for_none(text: &str) {
    while left(text) > 0 {
        std::thread::yield_now();
    }
}
