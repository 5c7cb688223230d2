//! What is asked of the user, as requests for permission, and what the answers mean. Pure.

use std::path::Path;

use agent_client_protocol::v1::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, ToolCallContent, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind,
};
use ox_client::view::{ApprovalRequest, Asked};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Decision, Keep};

use super::tool_calls;
use crate::screen::can_always;

const ALLOW: &str = "allow";
const ALWAYS: &str = "allow_always";
const PROJECT: &str = "allow_project";
const REJECT: &str = "reject";
/// Answers to a question are chosen by their number behind this.
const CHOICE: &str = "choice_";
/// The user answers in words of their own.
const WORDS: &str = "own_words";

/// What to show, and the answers to choose from; none where only words can answer.
pub(super) fn request(
    language: Language,
    root: &Path,
    asked: &Asked,
) -> Option<(ToolCallUpdate, Vec<PermissionOption>)> {
    let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Pending);
    let (fields, options) = match asked {
        Asked::Approval(it) => {
            let title = match it.commands.as_slice() {
                [] => tool_calls::title(&it.tool, &it.args),
                commands => crate::text::clean(&commands.join("\n")),
            };
            let fields = fields.title(title).content(shown(language, root, it)).raw_input(it.args.clone());
            (fields, approvals(language, it))
        }
        Asked::Question { options, .. } if options.is_empty() => return None,
        Asked::Question { text, options, .. } => {
            let option = |(at, it): (usize, &String)| {
                PermissionOption::new(format!("{CHOICE}{at}"), it.clone(), PermissionOptionKind::AllowOnce)
            };
            let words = language.say("acp.own_words", &[]);
            let words = PermissionOption::new(WORDS, words, PermissionOptionKind::RejectOnce);
            let options = options.iter().enumerate().map(option).chain([words]).collect();
            (fields.title(text.clone()).kind(ToolKind::Other), options)
        }
    };
    Some((ToolCallUpdate::new(asked.call().0.clone(), fields), options))
}

fn approvals(language: Language, request: &ApprovalRequest) -> Vec<PermissionOption> {
    let rules: Vec<String> =
        std::iter::once(&request.always).chain(&request.further).map(ToString::to_string).collect();
    let rule = rules.join(", ");
    let one = |id: &'static str, kind| {
        PermissionOption::new(id, language.say(&format!("acp.{id}"), &[("rule", &rule)]), kind)
    };
    let mut all = vec![one(ALLOW, PermissionOptionKind::AllowOnce)];
    // No rule covers what reaches furthest.
    if can_always(request) {
        all.push(one(ALWAYS, PermissionOptionKind::AllowAlways));
        all.push(one(PROJECT, PermissionOptionKind::AllowAlways));
    }
    all.push(one(REJECT, PermissionOptionKind::RejectOnce));
    all
}

/// Why it is asked, what the call does, and the edits that it asks for.
fn shown(language: Language, root: &Path, request: &ApprovalRequest) -> Vec<ToolCallContent> {
    let mut lines = vec![language.problem(&request.why)];
    let mut effects: Vec<_> = request.effects.iter().collect();
    effects.sort_by_key(|it| std::cmp::Reverse(it.level));
    lines.extend(effects.iter().map(|it| format!("- {}", language.effect(it.kind, &it.what))));
    let diffs = request.changes.iter().flat_map(|it| tool_calls::changed(root, it));
    std::iter::once(tool_calls::text(&lines.join("\n"))).chain(diffs).collect()
}

/// What an answer means; none where the user is to answer in words. Whatever is not understood refuses.
pub(super) fn answer(asked: &Asked, outcome: &RequestPermissionOutcome) -> Option<Command> {
    let call = asked.call().clone();
    let chosen = match outcome {
        RequestPermissionOutcome::Selected(it) => &*it.option_id.0,
        _ => REJECT,
    };
    match asked {
        Asked::Question { options, .. } => {
            let at: usize = chosen.strip_prefix(CHOICE)?.parse().ok()?;
            Some(Command::Answer { call, text: options.get(at)?.clone() })
        }
        Asked::Approval(request) => {
            let (rule, further) = (&request.always, &request.further);
            let always = |keep| Decision::AllowAlways { rule: rule.clone(), further: further.clone(), keep };
            let decision = match chosen {
                ALLOW => Decision::Allow,
                ALWAYS => always(Keep::Conversation),
                PROJECT => always(Keep::Project),
                _ => Decision::Deny { reason: String::new(), stop: false },
            };
            Some(Command::Decide { call, decision })
        }
    }
}

/// What is made of a request that the client could not answer.
pub(super) fn refused(asked: &Asked, why: &str) -> Option<Command> {
    let decision = Decision::Deny { reason: why.to_owned(), stop: false };
    match asked {
        Asked::Approval(it) => Some(Command::Decide { call: it.call.clone(), decision }),
        Asked::Question { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::SelectedPermissionOutcome;
    use ox_protocol::{CallId, Level, Problem, Rule, RuleAction};
    use serde_json::json;

    use super::*;

    fn approval(level: Level) -> Asked {
        let always = Rule { action: RuleAction::Allow, tool: "run_command".into(), pattern: Some("ls*".into()) };
        Asked::Approval(ApprovalRequest {
            call: CallId("c1".into()),
            tool: "run_command".into(),
            args: json!({"command": "ls"}),
            level,
            commands: vec!["ls".into()],
            effects: Vec::new(),
            hosts: Vec::new(),
            why: Problem::new("approval.why.checks"),
            always,
            further: Vec::new(),
            changes: Vec::new(),
            sandbox_reach: None,
            agent: None,
        })
    }

    fn question(options: &[&str]) -> Asked {
        let options = options.iter().map(ToString::to_string).collect();
        Asked::Question { call: CallId("q1".into()), text: "Which?".into(), options, agent: None }
    }

    fn selected(id: &str) -> RequestPermissionOutcome {
        RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()))
    }

    #[test]
    fn each_answer_means_what_its_words_say() {
        let asked = approval(Level::Shell);
        let decided = |outcome| match answer(&asked, &outcome) {
            Some(Command::Decide { decision, .. }) => serde_json::to_value(decision).unwrap().to_string(),
            other => panic!("{other:?}"),
        };
        assert!(decided(selected(ALLOW)).contains("\"allow\""));
        assert!(decided(selected(ALWAYS)).contains("conversation"));
        assert!(decided(selected(PROJECT)).contains("project"));
        for refused in [selected(REJECT), selected("?"), RequestPermissionOutcome::Cancelled] {
            assert!(decided(refused).contains("deny"));
        }
    }

    #[test]
    fn what_reaches_furthest_is_never_allowed_for_good() {
        let ids = |level| {
            let (_, options) = request(Language::En, Path::new("/p"), &approval(level)).unwrap();
            options.iter().map(|it| it.option_id.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ids(Level::Shell), "allow allow_always allow_project reject");
        assert_eq!(ids(Level::System), "allow reject");
    }

    #[test]
    fn a_question_is_answered_by_choice_or_in_words() {
        let asked = question(&["red", "blue"]);
        let (_, options) = request(Language::En, Path::new("/p"), &asked).unwrap();
        assert_eq!(options.len(), 3);
        let chosen = answer(&asked, &selected("choice_1"));
        assert!(matches!(chosen, Some(Command::Answer { text, .. }) if text == "blue"));
        assert_eq!(answer(&asked, &selected(WORDS)), None);
        assert!(request(Language::En, Path::new("/p"), &question(&[])).is_none());
    }
}
