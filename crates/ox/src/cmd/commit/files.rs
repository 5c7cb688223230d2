//! The files of a commit, as they are shown before it.

use ox_app::commit::CommitPlan;
use ox_protocol::locale::Language;

use crate::cmd::trust::plain;

/// The files, a line each; those of which only a part is committed say so.
pub(super) fn files(plan: &CommitPlan, before: &str, language: Language) -> String {
    let line = |path: &String| {
        let part = plan.partial.contains(path).then(|| format!(" {}", language.say("commit.partly", &[])));
        format!("{before}{}{}\n", plain(path), part.unwrap_or_default())
    };
    plan.files.iter().map(line).collect()
}
