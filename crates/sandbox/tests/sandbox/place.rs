//! A project to run commands in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Exit, Job, Rights, Runner};
use ox_sandbox::{Sandbox, SandboxOptions, shell};

/// A temporary project with a sandbox.
pub struct Place {
    _dir: tempfile::TempDir,
    pub root: PathBuf,
    pub sandbox: Sandbox,
}

impl Place {
    pub fn new() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap().join("project");
        std::fs::create_dir(&root).unwrap();
        Place { _dir: dir, root, sandbox: Sandbox::open(&SandboxOptions::default()).unwrap() }
    }

    pub fn job(&self, command: &str) -> Job {
        let rights = Rights::command(self.root.clone(), Duration::from_secs(60));
        Job { argv: shell(command), cwd: self.root.clone(), env: Vec::new(), stdin: Vec::new(), terminal: None, rights }
    }

    pub async fn run(&self, command: &str) -> Exit {
        self.sandbox.run(self.job(command), None).await.unwrap()
    }
}

pub fn text(exit: &Exit) -> String {
    exit.output.text(|dropped| format!("[{dropped}]"))
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}
