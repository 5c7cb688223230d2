//! Rules that the user granted "for this project": kept among the user's own files, by the project's root.
//!
//! They only ever allow, and a project can neither write nor read them. What may be granted is decided before
//! (`ox_core::can_grant`).

use std::path::{Path, PathBuf};

use ox_protocol::{Problem, Rule, RuleAction};

use super::project_state::ProjectState;

const PAGE: &str = "rules";

/// The file of a project's rules; it need not exist.
pub fn file(state: &Path, root: &Path) -> PathBuf {
    ProjectState::of(state, root).file(PAGE)
}

/// The rules that were granted for the project at `root`, oldest first.
pub fn load(state: &Path, root: &Path) -> Result<Vec<Rule>, Problem> {
    let kept: Vec<String> = ProjectState::of(state, root).read(PAGE)?.unwrap_or_default();
    let file = || file(state, root).display().to_string();
    let rule = |it: &String| Rule::parse(RuleAction::Allow, it);
    kept.iter()
        .map(rule)
        .collect::<Result<_, _>>()
        .map_err(|why| Problem::new("ledger.broken").with("file", file()).with("why", why))
}

/// Remembers `rule`. False where it is not remembered: it was already, or it does not allow.
pub fn add(state: &Path, root: &Path, rule: &Rule) -> Result<bool, Problem> {
    if rule.action != RuleAction::Allow {
        return Ok(false);
    }
    let text = rule.to_string();
    ProjectState::of(state, root).change(PAGE, |kept: &mut Vec<String>| {
        let fresh = !kept.contains(&text);
        if fresh {
            kept.push(text);
        }
        fresh
    })
}

/// Forgets the rule that is written `text`; all of them where there is no text. Returns what was forgotten.
pub fn forget(state: &Path, root: &Path, text: Option<&str>) -> Result<Vec<String>, Problem> {
    let ledger = ProjectState::of(state, root);
    if !ledger.file(PAGE).exists() {
        return Ok(Vec::new());
    }
    ledger.change(PAGE, |kept: &mut Vec<String>| {
        let (gone, stay) = kept.drain(..).partition(|it| text.is_none_or(|text| text.trim() == it));
        *kept = stay;
        gone
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allow(text: &str) -> Rule {
        Rule::parse(RuleAction::Allow, text).unwrap()
    }

    #[test]
    fn what_is_granted_for_a_project_holds_there_alone_until_it_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let (state, a, b) = (folder.path().join("state"), folder.path().join("a"), folder.path().join("b"));
        [&a, &b].iter().for_each(|it| std::fs::create_dir(it).unwrap());
        let rules = [allow("run_command(cargo test*)"), allow("network(crates.io)")];
        for rule in &rules {
            assert_eq!(add(&state, &a, rule), Ok(true));
            assert_eq!(add(&state, &a, rule), Ok(false));
        }
        assert_eq!((load(&state, &a), load(&state, &b)), (Ok(rules.to_vec()), Ok(Vec::new())));
        assert_eq!(forget(&state, &b, None), Ok(Vec::new()));
        assert_eq!(forget(&state, &a, Some("network(crates.io)")), Ok(vec!["network(crates.io)".to_string()]));
        assert_eq!(load(&state, &a), Ok(vec![rules[0].clone()]));
        assert_eq!(forget(&state, &a, None), Ok(vec!["run_command(cargo test*)".to_string()]));
        assert_eq!(load(&state, &a), Ok(Vec::new()));
    }

    #[test]
    fn refusals_are_never_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        let deny = Rule { action: RuleAction::Deny, ..allow("edit_file") };
        assert_eq!(add(place, place, &deny), Ok(false));
        assert!(!file(place, place).exists());
    }

    #[test]
    fn a_broken_list_is_an_error_and_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path();
        add(place, place, &allow("run_checks")).unwrap();
        std::fs::write(file(place, place), r#"{"root": "/", "kept": ["run_command("]}"#).unwrap();
        assert_eq!(load(place, place).unwrap_err().code, "ledger.broken");
    }
}
