//! Asking before a commit: yes, edit, no.

use ox_app::commit::CommitPlan;
use ox_protocol::Problem;
use ox_protocol::locale::Language;

use super::edit;
use super::files::files;
use crate::cmd::answer;
use crate::cmd::print::out;

/// The message that the user agrees to; none where they do not.
pub(super) fn confirmed(plan: &CommitPlan, message: String, language: Language) -> anyhow::Result<Option<String>> {
    if !ox_ui::is_interactive() {
        return Err(Problem::new("usage.needs_terminal").with("flag", "--ask").into());
    }
    let mut message = message;
    loop {
        out(&shown(plan, &message, language));
        match answer::line(&format!("{} [y,e,n]", language.say("commit.ask", &[])))?.as_deref() {
            Some("y") => return Ok(Some(message)),
            Some("e") => message = edit::edited(plan, &message, language)?,
            _ => return Ok(None),
        }
    }
}

/// The message, the files below it, and what is left out.
pub(super) fn shown(plan: &CommitPlan, message: &str, language: Language) -> String {
    let hooks = plan.hooks_left_out.then(|| format!("{}\n", language.say("commit.hooks_left", &[])));
    format!("{}\n{}{}", message.trim_end(), files(plan, "  ", language), hooks.unwrap_or_default())
}
