use std::path::Path;

use expect_test::expect;
use ox_protocol::RuleAction;

use super::*;

fn short(agent: Agent) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(agent.name());
    let clean = |text: String| text.replace("@SECRET@", "[redacted]");
    let it = read(&Home::at(agent, folder.clone()), &clean).unwrap();
    let servers: Vec<String> = it.servers.iter().map(|it| format!("{} {:?}", it.name, it.endpoint)).collect();
    let rules: Vec<String> = it.rules.iter().map(|it| format!("{:?} {it}", it.action)).collect();
    let left: Vec<String> = it.left.iter().map(|it| ox_protocol::locale::Language::En.problem(it)).collect();
    let all = [vec![format!("{:?}", it.model)], servers, vec![format!("{:?}", it.variables)], rules, left].concat();
    all.join("\n").replace(&folder.display().to_string(), "DIR") + "\n"
}

#[test]
fn claude_code() {
    expect![[r#""#]].assert_eq(&short(Agent::Claude));
}

#[test]
fn codex() {
    expect![[r#""#]].assert_eq(&short(Agent::Codex));
}

#[test]
fn opencode_says_it_with_comments() {
    expect![[r#""#]].assert_eq(&short(Agent::Opencode));
}

#[test]
fn rules_that_mean_the_same() {
    let of = |action: RuleAction, text: &str| {
        let rules = rules::of_claude(action, text);
        rules.map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    for (text, allowed, denied) in [
        ("Bash", Some("run_command"), Some("run_command")),
        ("Bash(cargo test:*)", Some("run_command(cargo test *)"), Some("run_command(cargo test*)")),
        ("Bash(git * main)", Some("run_command(git * main)"), Some("run_command(git * main)")),
        ("Read(.env)", Some(""), Some("*(**/.env)")),
        ("Read(./secrets/)", Some(""), Some("*(secrets/**)")),
        ("Read(~/.ssh/**)", None, None),
        ("Read(//etc/passwd)", None, None),
        ("WebFetch(domain:docs.rs)", Some("web_fetch(docs.rs)"), Some("web_fetch(docs.rs)")),
        ("WebFetch(docs.rs)", None, None),
        ("mcp__Git-Hub__list_issues", Some("mcp__git_hub__list_issues"), Some("mcp__git_hub__list_issues")),
        ("mcp__*", None, None),
        ("Task(Explore)", None, None),
        ("Bash(open", None, None),
    ] {
        assert_eq!(of(RuleAction::Allow, text).as_deref(), allowed, "allow {text}");
        assert_eq!(of(RuleAction::Deny, text).as_deref(), denied, "deny {text}");
    }
    assert!(of(RuleAction::Allow, "Edit(src/**)").unwrap().contains("edit_file(src/**)"));
}
