//! A project with its session of language servers, in the real sandbox.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ox_lsp::{Limits, Servers};
use ox_protocol::{Call, CallId, Outcome, Runner};
use ox_repo::Tree;
use ox_sandbox::{Sandbox, SandboxOptions};
use ox_tools::{CallContext, ToolEnv, Toolbox};
use serde_json::{Value, json};

/// The folders that real servers are looked for in: the one that the set-up fills, and those of the environment.
pub fn search_path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("tools/npm/node_modules/.bin");
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&rest))).unwrap()
}

/// True when the program is there.
pub fn installed(program: &str) -> bool {
    std::env::split_paths(&search_path()).any(|it| it.join(program).is_file())
}

/// True when commands are isolated here.
pub fn sandbox_works() -> bool {
    Sandbox::open(&SandboxOptions::default()).is_ok_and(|it| it.isolated())
}

/// A project.
pub struct Place {
    dir: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    /// What calls may use.
    pub cx: CallContext,
    toolbox: Toolbox,
    /// The script that starts the scripted server; it is in the server's command line.
    pub script: PathBuf,
    _scripts: Option<tempfile::TempDir>,
}

impl Place {
    /// With the servers of this machine.
    pub fn real() -> Place {
        Place::open(Servers::new(false).searching(search_path()), None)
    }

    /// With a scripted server in the place of pyright. `before` is a line of shell that comes first.
    pub fn scripted(mode: &str, before: &str, limits: Limits) -> Place {
        use std::os::unix::fs::PermissionsExt as _;
        // Not beneath /tmp, which is private inside.
        let scripts = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let script = scripts.path().join("pyright-langserver");
        let program = std::env::current_exe().unwrap();
        std::fs::write(&script, format!("#!/bin/sh\n{before}\n'{}' __fake {mode} \"$0\"\n", program.display()))
            .unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        let path = std::env::join_paths([scripts.path(), Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        let mut place = Place::open(Servers::new(false).searching(path).within(limits), Some(scripts));
        place.script = script;
        place.file("a.py", "first = 1\n");
        place
    }

    /// With the scripted MCP server in this mode, called `fake`.
    pub fn mcp(mode: &str) -> Place {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp/tests/fake_server.py").canonicalize().unwrap();
        let text = json!({"mcpServers": {"fake": {"command": "python3", "args": [script, mode]}}}).to_string();
        let mut place = Place::open(Servers::new(false), None);
        let root = place.cx.tree.root().to_path_buf();
        let mut rights = ox_protocol::Rights::command(root.clone(), Duration::from_secs(60));
        // What stands beneath /tmp would be hidden; a server may only read it.
        rights.write.push(script.parent().unwrap().to_path_buf());
        let launcher = ox_mcp::Launcher {
            rights: Arc::new(move || rights.clone()),
            policy: String::new(),
            cache: root.join(".cache"),
            root,
            runner: place.cx.runner.clone(),
            http: Arc::new(|_, _| Err("there is no network here".to_owned())),
            tokens: Arc::new(ox_mcp::NoTokens),
            limits: ox_mcp::Limits::default(),
        };
        place.cx.mcp = ox_mcp::McpServers::new(ox_mcp::parse(&text).unwrap().usable, &launcher);
        place
    }

    /// The tools of a new request, as they are sent.
    pub fn offered(&self) -> String {
        serde_json::to_string(&self.toolbox.offered(self.cx.mode, false, std::iter::empty())).unwrap()
    }

    fn open(servers: Servers, scripts: Option<tempfile::TempDir>) -> Place {
        // Servers pass over folders whose names begin with a dot.
        let dir = tempfile::Builder::new().prefix("project-").tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let tree = Tree::open(dir.path(), &[]).unwrap();
        let runner = Arc::new(Sandbox::open(&SandboxOptions::default()).unwrap());
        let env = ToolEnv { servers: Arc::new(servers), ..ToolEnv::new(runner) };
        let mut cx = CallContext::new(tree, Arc::new(env));
        cx.asked = true;
        Place { dir, runtime, cx, toolbox: Toolbox::default(), script: PathBuf::new(), _scripts: scripts }
    }

    /// Writes a file as somebody else would.
    pub fn file(&self, rel: &str, text: &str) {
        let path = self.dir.path().join(rel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Writes a program.
    pub fn program(&self, rel: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.file(rel, text);
        std::fs::set_permissions(self.dir.path().join(rel), std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Removes a file as somebody else would.
    pub fn remove(&self, rel: &str) {
        std::fs::remove_file(self.dir.path().join(rel)).unwrap();
    }

    /// The text of a file.
    pub fn read(&self, rel: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(rel)).unwrap()
    }

    /// A call, with the facts that would be decided from.
    pub fn call(&self, tool: &str, args: &Value) -> Call {
        self.toolbox.read(&self.cx, CallId("call_1_0".into()), tool, &args.to_string())
    }

    /// Runs a call that was consented to.
    pub fn run_call(&self, call: &Call) -> Outcome {
        self.runtime.block_on(self.toolbox.run(&self.cx, call)).outcome
    }

    /// Runs a call to its end.
    pub fn run(&self, tool: &str, args: &Value) -> Outcome {
        self.run_call(&self.call(tool, args))
    }

    /// Asks the language server; the answer, or the words of the failure after `failed: `.
    pub fn ask(&self, query: &str, path: &str, symbol: &str) -> String {
        let outcome = self.run("language_server", &json!({"query": query, "path": path, "symbol": symbol}));
        let words = outcome.output.replace(&self.cx.tree.root().display().to_string(), "ROOT");
        if outcome.is_failure() { format!("failed: {words}") } else { words }
    }

    /// Ends all servers.
    pub fn close(&self) {
        self.runtime.block_on(self.cx.servers.close());
    }

    /// The work in the runtime of the servers.
    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Processes whose command line names the scripted server.
    pub fn left(&self) -> usize {
        left(&self.script.display().to_string())
    }
}

/// Processes whose command line names `script`.
pub fn left(script: &str) -> usize {
    let is_ours = |it: &std::fs::DirEntry| {
        let line = std::fs::read(it.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(script)
    };
    std::fs::read_dir("/proc").unwrap().flatten().filter(is_ours).count()
}

/// Short limits, for servers that will not keep any.
pub fn short() -> Limits {
    let [start, ready, answer, quit] = [10_000, 200, 600, 300].map(Duration::from_millis);
    Limits { start, ready, answer, quit }
}
