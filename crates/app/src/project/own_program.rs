//! Programs of the user's own, which run outside the sandbox: the editor, the desktop's clipboard, the status line.

use std::path::Path;
use std::time::Duration;

use ox_protocol::{Job, Rights};

use super::env;
use super::sandbox::safe_path;

/// A program in `root` with these variables of Ox's environment; programs below `root` are not found by their names.
pub(super) fn job(root: &Path, argv: Vec<String>, variables: &[&str], limit: Duration) -> Job {
    let mut vars = vec![("PATH".to_string(), safe_path(root))];
    vars.extend(variables.iter().filter_map(|it| Some(((*it).to_string(), env(it)?))));
    Job {
        argv,
        cwd: root.to_path_buf(),
        env: vars,
        stdin: Vec::new(),
        terminal: None,
        rights: Rights::command(root.to_path_buf(), limit),
    }
}
