//! Letting the user change a message in their editor.
//!
//! The editor is the one that the user named in the environment or in their own git configuration, never one that the
//! project names.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_app::commit::CommitPlan;
use ox_app::project::env;
use ox_app::project::sandbox::safe_path;
use ox_protocol::locale::Language;
use ox_protocol::{Job, Problem, Rights, Runner};
use ox_sandbox::Plain;

use crate::cmd::shared;
use crate::cmd::trust::plain;

/// What is below this line is not part of the message.
const MARK: &str = "# ------------------------ >8 ------------------------";
/// How long somebody may think about a message.
const PATIENT: Duration = Duration::from_secs(24 * 3600);

/// The message as the user wants it; empty where they want none.
pub fn edited(plan: &CommitPlan, message: &str, language: Language) -> anyhow::Result<String> {
    let folder = tempfile::Builder::new().prefix("ox-message-").tempdir()?;
    let file = folder.path().join("COMMIT_EDITMSG");
    let listed: String = plan.files.iter().map(|it| format!("#   {}\n", plain(it))).collect();
    let hint = language.say("commit.edit_hint", &[]);
    fs::write(&file, format!("{message}\n{MARK}\n# {hint}\n{listed}"))?;
    let editor = editor(plan)?;
    let exit = shared::runtime()?.block_on(Plain.run(job(&editor, plan.root(), &file), None));
    let failed = |why: String| Problem::new("commit.editor").with("editor", &editor).with("why", why);
    match exit {
        Ok(exit) if exit.code == Some(0) => {}
        Ok(exit) => return Err(failed(exit.output.text(|_| String::new()).trim().to_string()).into()),
        Err(error) => return Err(failed(error.to_string()).into()),
    }
    let text = fs::read_to_string(&file)?;
    let text = text.split(&format!("{MARK}\n")).next().unwrap_or_default();
    Ok(text.trim().to_string() + "\n")
}

fn editor(plan: &CommitPlan) -> anyhow::Result<String> {
    let named =
        ["GIT_EDITOR", "VISUAL", "EDITOR"].into_iter().find_map(|it| env(it).filter(|it| !it.trim().is_empty()));
    if let Some(named) = named {
        return Ok(named);
    }
    Ok(plan.configured_editor()?.unwrap_or_else(|| "vi".to_string()))
}

/// The editor gets the terminal by its name: what Ox starts leads a session of its own, which has none.
fn job(editor: &str, root: &Path, file: &Path) -> Job {
    let place = terminal().map(|it| format!(" <'{0}' >'{0}' 2>&1", it.display())).unwrap_or_default();
    let argv = ["sh", "-c", &format!("{editor} \"$1\"{place}"), "sh", &file.display().to_string()];
    let mut vars = vec![("PATH".to_string(), safe_path(root))];
    vars.extend(env("TERM").map(|it| ("TERM".to_string(), it)));
    Job {
        argv: argv.map(str::to_string).to_vec(),
        cwd: root.to_path_buf(),
        env: vars,
        stdin: Vec::new(),
        terminal: None,
        rights: Rights::command(root.to_path_buf(), PATIENT),
    }
}

fn terminal() -> Option<PathBuf> {
    use std::io::IsTerminal;
    let found = std::io::stdin().is_terminal().then(|| fs::read_link("/proc/self/fd/0").ok()).flatten()?;
    // A name that the shell would read otherwise is none of a terminal.
    found.to_str().is_some_and(|it| it.starts_with("/dev/") && !it.contains('\'')).then_some(found)
}
