//! Made-up conversations in the real shape of each agent, with what is broken, unknown and secret in them, read and written as
//! events.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

mod fixtures;

use std::fmt::Write;

use expect_test::expect;
use fixtures::{SECRET, fixtures};
use ox_import::{Agent, Foreign, Home, Item, What, conversation_id, frames, without_secrets};
use ox_protocol::{ConversationId, Event, Frame, Time, Usage};
use serde_json::json;

/// The conversations of an agent's fixtures, as they are taken over.
fn read(agent: Agent) -> (Foreign, Vec<Frame>) {
    let folder = fixtures("/fixture/till");
    let home = Home::at(agent, folder.path().join(agent.name()));
    read_from(&home)
}

fn read_from(home: &Home) -> (Foreign, Vec<Frame>) {
    let listing = home.list().unwrap();
    let stored = listing.conversations.iter().find(|it| it.folder == "/fixture/till").unwrap();
    let mut foreign = home.read(&listing, stored).unwrap();
    without_secrets(&mut foreign, &|text| text.replace(SECRET, "[redacted]"));
    let id = conversation_id(home.agent, stored);
    let frames = frames(&foreign, &id, "/fixture/till", "0");
    (foreign, frames)
}

/// The events in short, and what was not understood.
fn short((foreign, frames): &(Foreign, Vec<Frame>)) -> String {
    let mut out = format!("{} {:?}\n", frames[0].conversation, foreign.title.as_deref().unwrap_or_default());
    for frame in frames {
        // Writing to a string cannot fail.
        let _ = match &frame.event {
            Event::TurnStart { turn, prompt, images, model, .. } => {
                writeln!(out, "turn {turn}: {prompt} ({} pictures, {})", images.len(), model.name)
            }
            Event::StreamComplete { text, reasoning, calls, usage, cost, .. } => {
                let calls: Vec<String> = calls.iter().map(|it| format!("{}{}", it.tool, it.args)).collect();
                let thought: Vec<&str> = reasoning.iter().map(|it| it.text.as_str()).collect();
                let (input, output) = (usage.input.0, usage.output.0);
                writeln!(out, "  reply: {text} {thought:?} {calls:?} {input}+{output} {cost:?}")
            }
            Event::ToolComplete { tool, outcome, .. } => {
                writeln!(out, "  {tool} {:?}: {:?}", outcome.status, outcome.output)
            }
            Event::Pruned { pruning, .. } => writeln!(out, "  known as: {}", pruning.digest),
            Event::Completion { stop, .. } => writeln!(out, "  {stop:?}"),
            Event::Rewound { turn } => writeln!(out, "back to before {turn}"),
            Event::Interrupted => writeln!(out, "  interrupted"),
            _ => Ok(()),
        };
    }
    let broken = foreign.unread.broken.iter().map(|it| it.rsplit('/').next().unwrap_or_default());
    let _ = writeln!(out, "broken: {:?}\nunknown: {:?}", broken.collect::<Vec<_>>(), foreign.unread.kinds);
    out
}

#[test]
fn claude_code() {
    let read = read(Agent::Claude);
    expect![[r#"
        claude-11112222-778888 "Round totals to cents"
        turn 1: Round the totals to cents (1 pictures, anthropic/claude-sonnet-4-5)
          reply: I look at the code. ["I should read it first."] ["Read{\"file_path\":\"/fixture/till/till.py\"}", "Bash{\"command\":\"cat .env; exit 3\"}"] 157+40 None
          Read Ok: "def total(a): return a"
          Bash Failed: "GITHUB_TOKEN=[redacted]"
          reply: Totals are rounded now. [] [] 157+20 None
          DoneUnchecked
          known as: This session rounds the totals of a till; total() in till.py was changed.
        turn 2: And the tax? (0 pictures, anthropic/claude-sonnet-4-5)
          reply: The tax is rounded as well. [] [] 157+20 None
          Answered
        broken: ["11112222-3333-4444-8555-666677778888.jsonl:14"]
        unknown: {"newer-kind": 1}
    "#]].assert_eq(&short(&read));
}

#[test]
fn codex() {
    let read = read(Agent::Codex);
    expect![[r#"
        codex-0199aaaa-ff0001 "The failing test"
        turn 1: Why does the test fail? (1 pictures, openai/gpt-5-codex)
          reply: I run it. ["Run it first."] ["exec_command{\"cmd\":\"python3 -m unittest\"}"] 900+30 None
          exec_command Ok: "FAILED\npassword = \"correct-Horse7battery\""
          reply:  [] ["apply_patch{\"input\":\"*** Begin Patch\\n*** End Patch\"}"] 0+0 None
          apply_patch Ok: "Done"
          reply: It passes now. [] [] 0+0 None
          DoneUnchecked
          known as: The test of the till was repaired.
        turn 2: A wrong question (0 pictures, openai/gpt-5-codex)
          reply: A wrong answer. [] [] 0+0 None
          Answered
        back to before 2
        turn 3: Is there another one? (0 pictures, openai/gpt-5-codex)
          reply: No. [] [] 0+0 None
          Answered
        broken: ["rollout-2026-03-04T11-00-00-0199aaaa-bbbb-7ccc-8ddd-eeeeffff0001.jsonl:16"]
        unknown: {"future_record": 1, "item future_item": 1}
    "#]]
    .assert_eq(&short(&read));
}

#[test]
fn opencode() {
    let read = read(Agent::Opencode);
    expect![[r#"
        opencode-0001aaaa-ccdddd "Name the till"
        turn 1: Give the till a name (1 pictures, anthropic/claude-sonnet-4-5)
          reply:  ["Read first."] ["read{\"filePath\":\"/fixture/till/till.py\"}", "bash{\"command\":\"false\"}"] 130+25 Some(Money(4000))
          read Ok: "name = None # [redacted]"
          bash Failed: "exit 1"
          reply: It is called **Penny** now. [] [] 130+10 Some(Money(1000))
          DoneUnchecked
          known as: The till was named Penny.
        turn 2: And the drawer? (0 pictures, anthropic/claude-sonnet-4-5)
          reply: Dime. [] [] 0+0 None
          Answered
        broken: ["prt_61.json"]
        unknown: {"part future-part": 1}
    "#]].assert_eq(&short(&read));
}

#[test]
fn the_database_of_opencode_says_the_same_as_its_files_and_nothing_is_written_beside_it() {
    let folder = fixtures("/fixture/till");
    let home = Home::at(Agent::Opencode, folder.path().join("opencode"));
    let from_files = short(&read_from(&home)).replace("prt_61.json", "");
    let file = home.folder.join("opencode.db");
    let database = rusqlite::Connection::open(&file).unwrap();
    // It stays open, so that most of it stands in the file beside it.
    fixtures::fill(&database, &home.folder);
    let before = fixtures::listed(&home.folder);
    let from_database = short(&read_from(&home));
    let words = |text: &str| text.split("broken:").next().unwrap().to_owned();
    assert_eq!(words(&from_database), words(&from_files));
    assert_eq!(fixtures::listed(&home.folder), before);
    let listing = home.list().unwrap();
    assert_eq!((listing.conversations.len(), listing.of_agents), (1, 1));
    drop(database);
}

#[test]
fn conversations_of_sub_agents_are_counted_and_left_out() {
    let folder = fixtures("/fixture/till");
    for (agent, conversations) in [(Agent::Claude, 2), (Agent::Codex, 1), (Agent::Opencode, 1)] {
        let listing = Home::at(agent, folder.path().join(agent.name())).list().unwrap();
        assert_eq!((listing.conversations.len(), listing.of_agents), (conversations, 1), "{agent}");
    }
}

#[test]
fn the_same_conversation_gives_the_same_events_and_one_that_grew_begins_with_them() {
    let folder = fixtures("/fixture/till");
    let home = Home::at(Agent::Codex, folder.path().join("codex"));
    let (_, first) = read_from(&home);
    assert_eq!(read_from(&home).1, first);
    let file = fixtures::file_below(&home.folder, "eeeeffff0001.jsonl");
    let more = r#"{"timestamp":"2026-03-04T12:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"More?"}]}}"#;
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("{text}{more}\n")).unwrap();
    let (_, grown) = read_from(&home);
    assert!(grown.len() > first.len());
    assert_eq!(grown[..first.len()], first);
}

#[test]
fn what_was_taken_at_the_end_of_a_turn_is_the_beginning_of_what_is_taken_later() {
    for agent in [Agent::Claude, Agent::Codex, Agent::Opencode] {
        let (whole, all) = read(agent);
        let mut cuts = 0;
        for (at, item) in whole.items.iter().enumerate().skip(1) {
            cuts += usize::from(matches!(item.what, What::Compacted { .. }));
            if matches!(item.what, What::Prompt { .. } | What::Rewound { .. } | What::Compacted { .. }) {
                let earlier = Foreign { items: whole.items[..at].to_vec(), ..whole.clone() };
                let first = frames(&earlier, &all[0].conversation, "/fixture/till", "0");
                assert_eq!(all[..first.len()], first, "{agent}, before item {at}");
            }
        }
        // The memory is made shorter in each of them, after a turn has ended.
        assert_eq!(cuts, 1, "{agent}");
    }
}

#[test]
fn a_memory_made_shorter_within_a_turn_does_not_end_it() {
    let item = |time, what| Item { time: Time(time), what };
    let reply = || What::Reply {
        id: String::new(),
        model: "a/b".to_owned(),
        text: "I go on.".to_owned(),
        reasoning: Vec::new(),
        calls: Vec::new(),
        usage: Usage::default(),
        cost: None,
    };
    let prompt = What::Prompt { text: "Do it.".to_owned(), images: Vec::new() };
    let digest = What::Compacted { digest: "It is begun.".to_owned() };
    let items = vec![item(1, prompt), item(2, reply()), item(3, digest), item(4, reply())];
    let foreign = Foreign { items, ..Foreign::default() };
    let frames = frames(&foreign, &ConversationId("claude-1".to_owned()), "/", "0");
    let turns = frames.iter().filter(|it| matches!(it.event, Event::TurnStart { .. } | Event::Completion { .. }));
    assert_eq!(turns.count(), 2);
}

#[test]
fn the_time_for_a_long_conversation_grows_with_its_length_and_no_faster() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("projects/-fixture-till");
    std::fs::create_dir_all(&place).unwrap();
    let file = place.join("33334444-5555-4666-8777-888899990000.jsonl");
    let home = Home::at(Agent::Claude, folder.path().to_owned());
    let took = |replies: usize| {
        let mut text = String::new();
        let mut parent = String::new();
        for number in 0..replies {
            let (id, kind) = (format!("u{number}"), if number % 2 == 0 { "user" } else { "assistant" });
            let message = match kind {
                "user" => json!({"role": "user", "content": "Go on."}),
                _ => {
                    json!({"id": format!("msg_{number:012}"), "model": "m", "content": [{"type": "text", "text": "Yes."}]})
                }
            };
            let line = json!({
                "type": kind, "uuid": id, "parentUuid": parent, "cwd": "/fixture/till", "message": message,
                "timestamp": "2026-03-04T11:00:00Z",
            });
            let _ = writeln!(text, "{line}");
            parent = id;
        }
        std::fs::write(&file, text).unwrap();
        let once = || {
            let begun = std::time::Instant::now();
            let (foreign, frames) = read_from(&home);
            assert!(foreign.items.len() == replies && frames.len() > replies);
            begun.elapsed()
        };
        // The fastest of some is the one that nothing else slowed down.
        (0..5).map(|_| once()).min().unwrap()
    };
    let (some, many) = (took(2_000), took(32_000));
    assert!(many < some * 64, "16 times as much took {many:?} after {some:?}");
}

#[test]
fn the_folders_are_those_that_the_agents_themselves_use() {
    let usual = |agent, variables: &[(&str, &str)]| {
        let variables: Vec<(String, String)> = variables.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let home = Home::usual(agent, &|name| variables.iter().find(|it| it.0 == name).map(|it| it.1.clone()));
        home.map(|it| (it.folder.display().to_string(), it.settings.last().unwrap().display().to_string()))
    };
    let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
    assert_eq!(usual(Agent::Claude, &[("HOME", "/h")]), pair("/h/.claude", "/h/.claude.json"));
    assert_eq!(usual(Agent::Claude, &[("HOME", "/h"), ("CLAUDE_CONFIG_DIR", "/c")]), pair("/c", "/c/.claude.json"));
    assert_eq!(usual(Agent::Codex, &[("HOME", "/h")]), pair("/h/.codex", "/h/.codex/config.toml"));
    assert_eq!(usual(Agent::Codex, &[("CODEX_HOME", "/c")]), pair("/c", "/c/config.toml"));
    let opencode = pair("/d/opencode", "/h/.config/opencode/opencode.jsonc");
    assert_eq!(usual(Agent::Opencode, &[("HOME", "/h"), ("XDG_DATA_HOME", "/d")]), opencode);
    assert_eq!(usual(Agent::Codex, &[]), None);
}
