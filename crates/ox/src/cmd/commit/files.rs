//! The files of a commit, as they are shown before it.

use ox_app::commit::{CommitFile, CommitPlan};
use ox_protocol::locale::Language;

use crate::cmd::trust::plain;

/// The files, a line each with how many lines change; those say so of which only a part is committed, or the user's changes to
/// the same lines too.
pub(super) fn files(plan: &CommitPlan, before: &str, language: Language) -> String {
    let line = |file: &CommitFile| {
        let lines = file.lines.map(|(added, removed)| format!("  +{added} −{removed}")).unwrap_or_default();
        let notes = [(file.partial, "commit.partly"), (file.mixed, "commit.mixed")];
        let notes = notes.into_iter().filter(|it| it.0).map(|it| format!(" {}", language.say(it.1, &[])));
        format!("{before}{}{lines}{}\n", plain(&file.path), notes.collect::<String>())
    };
    plan.files.iter().map(line).collect()
}
