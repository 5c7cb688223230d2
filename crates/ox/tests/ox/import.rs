//! `ox import`: conversations and settings of other agents, from made-up files in their real shape.

use std::path::PathBuf;

use expect_test::expect;
use serde_json::Value;

use crate::fixtures::{SECRET, file_below, fixtures, listed};
use crate::place::Place;
use crate::provider::{Format, Provider};

/// A project, and the folder of an agent with conversations held in it.
fn with_agent(agent: &str) -> (Place, tempfile::TempDir, PathBuf) {
    let place = Place::new();
    let root = place.project("").canonicalize().unwrap().display().to_string();
    let folder = fixtures(&root);
    let home = folder.path().join(agent);
    (place, folder, home)
}

#[test]
fn an_imported_conversation_is_listed_searched_played_and_gone_on_with() {
    let (place, _folder, home) = with_agent("claude");
    let before = listed(&home);
    let from = home.display().to_string();
    let ran = place.ox(&["import", "claude", "--from", &from]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let id = ran.out.split_whitespace().next().unwrap().to_owned();
    assert_eq!(id, "claude-11112222-778888");
    assert!(ran.err.contains("Conversations imported: 1; skipped: 0."), "{}", ran.err);
    assert!(ran.err.contains("`ox import claude --all`") && ran.err.contains("newer-kind (1)"), "{}", ran.err);
    assert!(ran.err.contains("1 line or file was broken") && ran.err.contains("There is no terminal"), "{}", ran.err);
    assert_eq!(listed(&home), before, "nothing of the other agent's is written");

    let list = place.ox(&["sessions"]).out;
    assert!(list.contains(&id) && list.contains("Round totals to cents"), "{list}");
    let found = place.ox(&["sessions", "search", "to cents"]).out;
    assert!(found.contains(&id), "{found}");
    let log = place.ox(&["sessions", "export", &id, "--format", "json"]).out;
    assert!(!log.contains(SECRET) && log.contains("[redacted") && !log.contains("taken back"), "{log}");
    let played = place.ox(&["play", &id, "--speed", "0"]);
    assert!(played.out.contains("The tax is rounded as well."), "{}{}", played.out, played.err);

    // What the model is sent: the digest in the place of what was compacted, then what was said since.
    let provider = Provider::new(Format::OpenAi, "-- model --\nIt is.\n");
    let args = ["run", "--mode", "chat", "--resume", &id, "Is the discount, too?"];
    let ran = place.finish(place.command_on(&provider, &args));
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is.\n"), "{}", ran.err);
    provider.is_content();
    let request = provider.mock.requests()[0]["messages"].clone();
    let said: Vec<(String, String)> = request.as_array().unwrap()[1..]
        .iter()
        .map(|it| (it["role"].as_str().unwrap().to_owned(), words(&it["content"])))
        .collect();
    let said: Vec<(&str, &str)> = said.iter().map(|(role, text)| (role.as_str(), text.as_str())).collect();
    let digest = "This session rounds the totals of a till; total() in till.py was changed.";
    assert_eq!(
        said[..2],
        [("user", format!("{digest}\n\nAnd the tax?").as_str()), ("assistant", "The tax is rounded as well.")]
    );
    assert!(said[2].0 == "user" && said[2].1.ends_with("Is the discount, too?"), "{said:?}");
    assert_eq!(said.len(), 3);
    // Gone on with here, and unchanged there: known, and not taken again.
    let again = place.ox(&["import", "claude", "--from", &from]);
    assert!(again.err.contains("imported: 0; skipped: 1") && again.out.contains("already here"), "{}", again.err);
}

/// The texts of a message.
fn words(content: &Value) -> String {
    match content.as_array() {
        Some(parts) => parts.iter().filter_map(|it| it["text"].as_str()).collect::<Vec<_>>().join("\n"),
        None => content.as_str().unwrap_or_default().to_owned(),
    }
}

#[test]
fn calls_and_results_of_another_agent_are_sent_as_messages() {
    let (place, _folder, home) = with_agent("opencode");
    // Without the compaction, so that all of it is sent.
    for file in
        ["storage/message/ses_0001aaaabbbbccccdddd/msg_03.json", "storage/message/ses_0001aaaabbbbccccdddd/msg_04.json"]
    {
        std::fs::remove_file(home.join(file)).unwrap();
    }
    let ran = place.ox(&["import", "opencode", "--from", &home.display().to_string(), "--json"]);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let id = report["conversations"][0]["id"].as_str().unwrap();
    let provider = Provider::new(Format::OpenAi, "-- model --\nYes.\n");
    let ran = place.finish(place.command_on(&provider, &["run", "--mode", "chat", "--resume", id, "Sure?"]));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let request = provider.mock.requests()[0]["messages"].clone();
    let messages = request.as_array().unwrap();
    let roles: Vec<&str> = messages.iter().map(|it| it["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "user"]);
    let calls: Vec<&str> = messages[2]["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(calls, ["read", "bash"]);
    assert_eq!(messages[2]["tool_calls"][0]["id"], messages[3]["tool_call_id"]);
    assert!(words(&messages[3]["content"]).starts_with("name = None"), "{}", messages[3]);
    assert!(!request.to_string().contains(SECRET));
    assert!(messages[1].to_string().contains("data:image/png;base64,iVBOR"), "the picture goes with it");
}

#[test]
fn a_conversation_that_grew_gets_the_rest_and_one_that_went_on_in_both_stays() {
    let (place, _folder, home) = with_agent("codex");
    let from = home.display().to_string();
    let fate = || {
        let ran = place.ox(&["import", "codex", "--from", &from, "--json"]);
        let report: Value = serde_json::from_str(&ran.out).unwrap();
        report["conversations"][0].clone()
    };
    let dry = place.ox(&["import", "codex", "--from", &from, "--dry-run"]);
    assert!(dry.err.contains("would be imported: 1") && dry.err.contains("nothing was written"), "{}", dry.err);
    let first = fate();
    assert_eq!((first["fate"].as_str(), first["turns"].as_u64()), (Some("new"), Some(3)));
    assert_eq!(first["title"], "The failing test");
    assert_eq!(fate()["fate"], "known");
    let file = file_below(&home, "eeeeffff0001.jsonl");
    let grow = |text: &str| {
        let line = serde_json::json!({"timestamp": "2026-03-04T12:00:00Z", "type": "response_item", "payload":
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}});
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, format!("{before}{line}\n")).unwrap();
    };
    grow("One more?");
    assert_eq!(fate()["fate"], "grown");
    let id = first["id"].as_str().unwrap();
    let markdown = || place.ox(&["sessions", "export", id]).out;
    assert!(markdown().contains("One more?") && !markdown().contains("A second one?"));
    let provider = Provider::new(Format::OpenAi, "-- model --\nHere.\n");
    place.finish(place.command_on(&provider, &["run", "--mode", "chat", "--resume", id, "Here, too?"]));
    // What was taken back there is not sent.
    assert!(!provider.mock.requests()[0].to_string().contains("A wrong question"));
    grow("A second one?");
    assert_eq!(fate()["fate"], "apart");
    assert!(markdown().contains("Here, too?") && !markdown().contains("A second one?"));
}

#[test]
fn settings_are_shown_first_and_no_key_is_copied() {
    let (place, _folder, home) = with_agent("claude");
    let from = home.display().to_string();
    let shown = place.ox(&["import", "claude", "--from", &from]);
    assert!(!place.home("mcp.json").exists() && !place.home("config.toml").exists());
    // What the user has there already stays, once.
    std::fs::write(place.home("config.toml"), "[rules]\n# mine\nallow = [\"run_command(git status)\"]\n").unwrap();
    let taken = place.ox(&["import", "claude", "--from", &from, "--yes"]);
    assert_eq!(taken.code, Some(0), "{}", taken.err);
    let servers = std::fs::read_to_string(place.home("mcp.json")).unwrap();
    let config = std::fs::read_to_string(place.home("config.toml")).unwrap();
    for text in [&shown.err, &taken.err, &servers, &config] {
        assert!(!text.contains(SECRET) && !text.contains("plain-word") && !text.contains("sk-ant-api03"), "{text}");
    }
    assert!(servers.contains("${TRACKER_AUTHORIZATION}") && servers.contains("${FILES_TOKEN}"), "{servers}");
    assert!(shown.err.contains("ox login anthropic") && shown.err.contains("FILES_TOKEN"), "{}", shown.err);
    expect![[r#"
        model = "opus"
        [rules]
        # mine
        allow = ["run_command(git status)", "run_command(cargo test *)", "web_fetch(docs.rs)", "mcp__tracker__list"]
        deny = ["run_command(rm -rf*)", "*(secrets/**)"]
        ask = ["run_command(git push*)"]
    "#]]
    .assert_eq(&config);
    // What is there already is not offered again.
    let again = place.ox(&["import", "claude", "--from", &from, "--yes"]);
    assert!(again.err.contains("no settings to take over"), "{}", again.err);
}

#[test]
fn a_server_of_ones_own_that_cannot_be_used_is_not_replaced() {
    let (place, _folder, home) = with_agent("claude");
    let own = "{\"mcpServers\": {\"tracker\": {\"command\": \"\", \"note\": \"mine\"}}}\n";
    std::fs::write(place.home("mcp.json"), own).unwrap();
    let taken = place.ox(&["import", "claude", "--from", &home.display().to_string(), "--yes"]);
    assert_eq!(taken.code, Some(0), "{}", taken.err);
    assert!(taken.err.contains("Not taken: the MCP server tracker; you have another one"), "{}", taken.err);
    let servers: Value = serde_json::from_str(&std::fs::read_to_string(place.home("mcp.json")).unwrap()).unwrap();
    assert_eq!(servers["mcpServers"]["tracker"]["note"], "mine", "{servers}");
    assert!(servers["mcpServers"]["files"].is_object(), "{servers}");
}

#[test]
fn what_is_not_there_is_said_in_the_users_language() {
    let place = Place::new();
    let nowhere = place.root().join("nowhere").display().to_string();
    let ran = place.ox(&["import", "codex", "--from", &nowhere]);
    expect![[r#"
        ox: There is nothing of Codex in /nowhere. Name its folder: ox import codex --from DIR
    "#]]
    .assert_eq(ran.refusal(1));
    let ran = place.ox_with(&["import", "codex", "--from", &nowhere], &[("OX_LANGUAGE", "zh")]);
    assert!(ran.err.contains("没有 Codex 的内容"), "{}", ran.err);
}
