//! The settings of the fixtures, and rules one by one.

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
    expect![[r#"
        Some("opus")
        tracker Http { url: "https://mcp.example.org/mcp", headers: {"Authorization": "${TRACKER_AUTHORIZATION}", "X-Team": "till"} }
        files Stdio { command: "npx", args: ["-y", "server-files", "."], env: {"FILES_TOKEN": "${FILES_TOKEN}", "LOG_LEVEL": "info"} }
        ["TRACKER_AUTHORIZATION", "FILES_TOKEN"]
        Allow run_command(cargo test *)
        Allow run_command(git status)
        Allow web_fetch(docs.rs)
        Allow mcp__tracker__list
        Ask run_command(git push*)
        Deny run_command(rm -rf*)
        Deny *(secrets/**)
        Not taken from DIR/settings.json: theme
        Not copied: the keys in DIR/settings.json. Store yours with `ox login anthropic`.
        Not taken: the permission `allow: Task(Explore)`, which has no equal in Ox.
        Not taken: the permission `deny: Edit(/etc/hosts)`, which has no equal in Ox.
        Not taken: the permission `permissions.defaultMode = "bypassPermissions"`, which has no equal in Ox.
        Not taken: the MCP server old: Ox has no servers of type `sse`; ask for its `http` address
        Not taken: the MCP server leaky: a key or password stands in its command or address; put it into a variable and add the server with `ox mcp add`
    "#]].assert_eq(&short(Agent::Claude));
}

#[test]
fn codex() {
    expect![[r#"
        Some("openai/gpt-5-codex")
        docs Http { url: "https://docs.example.org/mcp", headers: {"Authorization": "Bearer ${DOCS_TOKEN}"} }
        []
        Not taken: the MCP server off: it is turned off
        Not taken from DIR/config.toml: approval_policy
    "#]]
    .assert_eq(&short(Agent::Codex));
}

#[test]
fn opencode_says_it_with_comments() {
    expect![[r#"
        Some("anthropic/claude-sonnet-4-5")
        local Stdio { command: "node", args: ["server.js"], env: {"API_KEY": "${LOCAL_KEY}"} }
        far Http { url: "https://far.example.org/mcp", headers: {"Authorization": "${FAR_AUTHORIZATION}"} }
        ["FAR_AUTHORIZATION"]
        Ask apply_patch
        Ask delete_file
        Ask edit_file
        Ask edit_lines
        Ask edit_symbol
        Ask module_doc_write
        Ask move_file
        Ask rename_symbol
        Ask replace_in_file
        Ask revert_file
        Ask write_file
        Allow run_command(git status)
        Deny run_command(rm *)
        Not taken from DIR/opencode.jsonc: theme
        Not taken: the permission `permission.doom_loop: *`, which has no equal in Ox.
    "#]]
    .assert_eq(&short(Agent::Opencode));
}

#[test]
fn what_is_asked_about_there_is_not_allowed_here() {
    let mut settings = Settings::default();
    let value = serde_json::json!({"permissions": {
        "allow": ["Bash(npm run build)", "Bash(cargo test:*)", "Bash(curl -H sk-1 x)"], "ask": ["Bash(npm *)", "Bash(cargo test --release)"]
    }});
    let clean = |text: String| text.replace("sk-1", "[redacted]");
    claude::take(&mut settings, Path::new("settings.json"), &value, &clean);
    settings.ask_rather();
    let rules: Vec<String> = settings.rules.iter().map(|it| format!("{:?} {it}", it.action)).collect();
    let expected =
        ["Allow run_command(cargo test *)", "Ask run_command(npm *)", "Ask run_command(cargo test --release)"];
    assert_eq!(rules, expected);
    let left: Vec<&str> = settings.left.iter().map(|it| it.args["what"].as_str()).collect();
    assert_eq!(left, ["allow: Bash(curl -H [redacted] x)", "allow: run_command(npm run build)"]);
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
        ("Read(.env)", Some(""), Some("*(**/.env) *(**/.env/**)")),
        ("Read(./secrets/)", Some(""), Some("*(secrets/**)")),
        ("Read(~/.ssh/**)", None, None),
        ("Read(//etc/passwd)", None, None),
        ("WebFetch(domain:docs.rs)", Some("web_fetch(docs.rs)"), Some("web_fetch(docs.rs)")),
        ("WebFetch(docs.rs)", None, None),
        ("WebFetch(domain:https://evil.org)", None, None),
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
