//! How a command line of text becomes a program with arguments.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The arguments that run `command` in the shell: bash where there is one, otherwise sh. No start-up file is read.
pub fn shell(command: &str) -> Vec<String> {
    static SHELL: OnceLock<&str> = OnceLock::new();
    let shell = SHELL.get_or_init(|| if on_path("bash").is_some() { "bash" } else { "sh" });
    vec![(*shell).to_owned(), "-c".to_owned(), command.to_owned()]
}

/// Where the search path finds the program `name`; none when it is not installed.
pub fn on_path(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name)).filter(|it| is_program(it));
    }
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|it| it.join(name)).find(|it| is_program(it))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
