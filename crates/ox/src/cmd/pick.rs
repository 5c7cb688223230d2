//! Choosing one of a few answers at a terminal, before or beside a conversation.
//!
//! Promise: nothing is chosen for the user; who leaves the list has chosen nothing.

use ox_app::Project;
use ox_ui::{Choice, TerminalOptions};

use super::shared;

/// Whose key it is, chosen from the providers that take one; none where the user leaves.
pub(super) fn ask_whose(project: &Project, terminal: &TerminalOptions) -> anyhow::Result<Option<String>> {
    let all = project.providers().into_iter().filter(|(_, variable)| variable.is_some());
    let answers: Vec<Choice> = all.map(|(name, _)| Choice { id: name.clone(), name, about: String::new() }).collect();
    choose(terminal, &project.settings.language.say("first_run.whose", &[]), &answers)
}

/// How lists are shown here; none where nobody can choose from one.
pub(super) fn lists(project: &Project) -> Option<TerminalOptions> {
    let options = TerminalOptions::detect(project, env!("CARGO_PKG_VERSION"));
    Some(options).filter(|it| it.moves && ox_ui::is_interactive())
}

/// The id of what the user chose; none where they leave.
pub(super) fn choose(options: &TerminalOptions, question: &str, answers: &[Choice]) -> anyhow::Result<Option<String>> {
    Ok(shared::runtime()?.block_on(ox_ui::choose_answer(options, question, answers))?)
}
