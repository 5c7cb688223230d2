//! Letting the user change a message in their editor.
//!
//! The editor is the one that the user named in the environment or in their own git configuration, never one that the
//! project names.

use std::fs;

use ox_app::commit::CommitPlan;
use ox_app::project::editor;
use ox_protocol::locale::Language;

use super::files::files;
use crate::cmd::shared;

/// What is below this line is not part of the message.
const MARK: &str = "# ------------------------ >8 ------------------------";

/// The message as the user wants it; empty where they want none.
pub fn edited(plan: &CommitPlan, message: &str, language: Language) -> anyhow::Result<String> {
    let folder = tempfile::Builder::new().prefix("ox-message-").tempdir()?;
    let file = folder.path().join("COMMIT_EDITMSG");
    let listed = files(plan, "#   ", language);
    let hint = language.say("commit.edit_hint", &[]);
    fs::write(&file, format!("{message}\n{MARK}\n# {hint}\n{listed}"))?;
    let editor = chosen(plan)?;
    shared::runtime()?.block_on(editor::open(&editor, plan.root(), &file))?;
    let text = fs::read_to_string(&file)?;
    let text = text.split(&format!("{MARK}\n")).next().unwrap_or_default();
    Ok(text.trim().to_string() + "\n")
}

fn chosen(plan: &CommitPlan) -> anyhow::Result<String> {
    if let Some(named) = editor::named(&["GIT_EDITOR", "VISUAL", "EDITOR"]) {
        return Ok(named);
    }
    Ok(plan.configured_editor()?.unwrap_or_else(|| "vi".to_string()))
}
