//! A temporary project for the tests, with the real tree and the real runner.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ox_protocol::{Call, CallId};
use ox_repo::Tree;
use serde_json::Value;

use crate::call::context::{CallContext, ToolEnv};
use crate::call::tool::ToolResult;
use crate::call::toolbox::Toolbox;

/// A project and the context of its calls.
pub(crate) struct Fixture {
    dir: tempfile::TempDir,
    /// The tools.
    pub toolbox: Toolbox,
    /// What the calls may use.
    pub cx: CallContext,
    live: Arc<Mutex<String>>,
    runtime: tokio::runtime::Runtime,
}

impl Fixture {
    /// An empty project in build mode.
    pub(crate) fn new() -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let live = Arc::new(Mutex::new(String::new()));
        let shown = live.clone();
        let tree = Tree::open(dir.path(), &[]).unwrap();
        let mut cx = CallContext::new(tree, Arc::new(ToolEnv::new(Arc::new(ox_sandbox::Plain))));
        cx.live = Arc::new(move |text| shown.lock().unwrap().push_str(text));
        // One for all calls: what goes on in the background lives in it.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Fixture { dir, toolbox: Toolbox::default(), cx, live, runtime }
    }

    /// A project with these files and an index of them.
    pub(crate) fn indexed(files: &[(&str, &str)]) -> Fixture {
        let mut fixture = Fixture::new();
        for (path, text) in files {
            fixture.file(path, text);
        }
        let cache = tempfile::tempdir().unwrap();
        let index = ox_index::Index::open(cache.path(), &fixture.root()).unwrap();
        let (tree, read, shown) = (fixture.cx.tree.clone(), fixture.cx.tree.clone(), index.clone());
        let refresh = move || {
            // The folder lives as long as the index does.
            let _ = &cache;
            let states =
                tree.states(false).files.into_iter().map(crate::session::code_index::file_state).collect::<Vec<_>>();
            index.update(&states, &|path| tree.listed(path), &|_| {}).unwrap();
        };
        fixture.cx.code = Some(crate::session::code_index::CodeIndex {
            snapshot: Arc::new(move || shown.snapshot()),
            similar: Arc::new(|_, _| Vec::new()),
            read: Arc::new(move |path| read.listed(path)),
            refresh: Arc::new(refresh),
        });
        fixture
    }

    /// Where a file of the project is.
    pub(crate) fn path(&self, rel: &str) -> PathBuf {
        self.dir.path().join(rel)
    }

    /// The project root as text.
    pub(crate) fn root(&self) -> String {
        self.cx.tree.root().display().to_string()
    }

    /// The last part of the root.
    pub(crate) fn name(&self) -> String {
        self.cx.tree.root().file_name().unwrap().to_string_lossy().into_owned()
    }

    /// Writes a file as somebody else would.
    pub(crate) fn file(&self, rel: &str, text: &str) {
        self.bytes(rel, text.as_bytes());
    }

    /// Writes raw bytes.
    pub(crate) fn bytes(&self, rel: &str, bytes: &[u8]) {
        let path = self.path(rel);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// The text of a file.
    pub(crate) fn read(&self, rel: &str) -> String {
        std::fs::read_to_string(self.path(rel)).unwrap()
    }

    /// True when something is there.
    pub(crate) fn exists(&self, rel: &str) -> bool {
        self.path(rel).exists()
    }

    /// What was shown while commands ran.
    pub(crate) fn live(&self) -> String {
        self.live.lock().unwrap().clone()
    }

    /// The call that a model would have written.
    pub(crate) fn call(&self, name: &str, args: Value) -> Call {
        self.toolbox.read(&self.cx, CallId("call_1_0".into()), name, &args.to_string())
    }

    /// Runs a call to its end.
    pub(crate) fn run(&self, name: &str, args: Value) -> ToolResult {
        self.run_call(&self.call(name, args))
    }

    /// Runs a call as it was decided on.
    pub(crate) fn run_call(&self, call: &Call) -> ToolResult {
        self.runtime.block_on(self.toolbox.run(&self.cx, call))
    }

    /// Waits for something in the runtime that all calls share.
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Runs a call that succeeds and answers with what the model reads.
    pub(crate) fn ok(&self, name: &str, args: Value) -> String {
        let outcome = self.run(name, args.clone()).outcome;
        assert!(!outcome.is_failure(), "{name} {args}: {}", outcome.output);
        outcome.output
    }

    /// Runs a call that fails and answers with what the model reads.
    pub(crate) fn fails(&self, name: &str, args: Value) -> String {
        let outcome = self.run(name, args.clone()).outcome;
        assert!(outcome.is_failure(), "{name} {args}: {}", outcome.output);
        assert!(!outcome.mutated(), "a failed call changed something");
        outcome.output.replace(&self.root(), "ROOT")
    }

    /// Runs git as a person would.
    pub(crate) fn git(&self, args: &[&str]) {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=T", "-c", "user.email=t@example.org"])
            .args(args)
            .current_dir(self.dir.path())
            .status();
        assert!(status.unwrap().success(), "git {args:?}");
    }
}
