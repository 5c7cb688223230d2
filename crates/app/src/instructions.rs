//! The page of instructions of a project, as a model writes it from what it reads.
//!
//! Nothing is written here: the page is text for the caller to show and to write.

use std::fmt::Write as _;

use ox_context::init_words;
use ox_protocol::{Command, Delivery, Mode};

use crate::project::Project;

/// What a model is asked, in a mode that changes nothing. `before`: the page that is there, empty for none.
pub fn task(project: &Project, before: &str) -> Command {
    let mut text = init_words("page").to_owned();
    if !before.is_empty() {
        let _ = write!(text, "\n{}", init_words("improve"));
    }
    let checks = project.checks().unwrap_or_default();
    if !checks.is_empty() {
        let list: Vec<String> = checks.iter().map(|it| format!("`{}`", it.command)).collect();
        let _ = write!(text, "\nChecks that were found: {}", list.join(", "));
    }
    let images = ox_model::attachment("page.md", before.as_bytes()).filter(|_| !before.is_empty());
    let images = images.into_iter().collect();
    Command::Prompt { text, images, mode: Some(Mode::Chat), delivery: Delivery::Steer }
}

/// What the model is asked where its answer is no page.
pub fn again() -> &'static str {
    init_words("again")
}

/// The page of an answer, without the fence that models like to put around one; none where it is something else.
pub fn page(answer: &str) -> Option<String> {
    let text = answer.trim();
    let inner = text.strip_prefix("```").and_then(|it| it.strip_suffix("```")).and_then(|it| it.split_once('\n'));
    let text = inner.map_or(text, |(_, body)| body.trim());
    text.starts_with("# ").then(|| format!("{text}\n"))
}

/// What two pages differ in.
pub fn diff(before: &str, after: &str) -> String {
    similar::TextDiff::from_lines(before, after).unified_diff().context_radius(3).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_with_a_heading_and_may_stand_in_a_fence() {
        assert_eq!(page("# A\ntext").as_deref(), Some("# A\ntext\n"));
        assert_eq!(page("```markdown\n# A\n```\n").as_deref(), Some("# A\n"));
        assert_eq!(page("Here is the page:\n# A"), None);
        assert_eq!(page(""), None);
    }
}
