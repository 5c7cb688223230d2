//! Letting the user change a file in their editor.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Job, Problem, Runner};
use ox_sandbox::Plain;

use super::{env, own_program};

/// How long a user may take to edit a text.
const PATIENT: Duration = Duration::from_secs(24 * 3600);

/// The editor that the first of these variables names.
pub fn named(variables: &[&str]) -> Option<String> {
    variables.iter().find_map(|it| env(it).filter(|it| !it.trim().is_empty()))
}

/// The user's editor; `vi` where they named none.
pub fn chosen() -> String {
    named(&["VISUAL", "EDITOR"]).unwrap_or_else(|| "vi".to_string())
}

/// Opens the file in the editor and waits for it.
pub async fn open(editor: &str, root: &Path, file: &Path) -> Result<(), Problem> {
    let failed = |why: String| Problem::new("commit.editor").with("editor", editor).with("why", why);
    match Plain.run(job(editor, root, file), None).await {
        Ok(exit) if exit.code == Some(0) => Ok(()),
        Ok(exit) => Err(failed(exit.output.text(|_| String::new()).trim().to_string())),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// Lets the user edit a text; `suffix` tells the editor what it is. None where it was left as it was.
pub async fn edited(root: &Path, text: &str, suffix: &str) -> Result<Option<String>, Problem> {
    let editor = chosen();
    let failed = |why: std::io::Error| Problem::new("commit.editor").with("editor", &editor).with("why", why);
    let file = tempfile::Builder::new().prefix("ox-").suffix(suffix).tempfile().map_err(failed)?;
    fs::write(file.path(), text).map_err(failed)?;
    open(&editor, root, file.path()).await?;
    let now = fs::read_to_string(file.path()).map_err(failed)?;
    Ok((now != text).then_some(now))
}

/// The editor gets the terminal by its name: what Ox starts leads a session of its own, which has none.
fn job(editor: &str, root: &Path, file: &Path) -> Job {
    let place = terminal().map(|it| format!(" <'{0}' >'{0}' 2>&1", it.display())).unwrap_or_default();
    let argv = ["sh", "-c", &format!("{editor} \"$1\"{place}"), "sh", &file.display().to_string()];
    own_program::job(root, argv.map(str::to_string).to_vec(), &["TERM"], PATIENT)
}

fn terminal() -> Option<PathBuf> {
    use std::io::IsTerminal;
    let found = std::io::stdin().is_terminal().then(|| fs::read_link("/proc/self/fd/0").ok()).flatten()?;
    // A name that the shell would read otherwise is none of a terminal.
    found.to_str().is_some_and(|it| it.starts_with("/dev/") && !it.contains('\'')).then_some(found)
}
