//! What users and projects add in files of other agents: custom commands, skills, sub-agents, hooks. Whose count, what they
//! say, and what becomes of files that cannot be used.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use crate::place::{Place, Ran, outputs};
use crate::terminal::Terminal;

/// Writes a file of the user's home.
fn at_home(place: &Place, path: &str, text: &str) {
    let path = place.root().join("user").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// `ox` of a user who has a home.
fn ox(place: &Place, args: &[&str]) -> Ran {
    let home = place.root().join("user");
    fs::create_dir_all(&home).unwrap();
    place.ox_with(args, &[("HOME", home.to_str().unwrap())])
}

fn run(place: &Place, script: &str, prompt: &str) -> Vec<Value> {
    let model = place.script(script);
    ox(place, &["run", "--json", "--mode", "auto", "--model", &model, prompt]).json_lines()
}

/// What the model was asked.
/// What the command says, below what was typed.
fn prompt(events: &[Value]) -> &str {
    let whole = events.iter().find(|it| it["event"] == "turn_start").unwrap()["prompt"].as_str().unwrap();
    whole.strip_prefix('/').and_then(|it| it.split_once("\n\n")).map_or(whole, |it| it.1)
}

/// What the request says of the tool of that name; empty where it is not offered.
fn offered(events: &[Value], name: &str) -> String {
    let tools = events.iter().filter_map(|it| it["tools"].as_array()).flatten();
    tools.filter(|it| it["name"] == name).map(|it| it["description"].as_str().unwrap()).collect()
}

const DONE: &str = "-- model --\nDone.\n";

#[test]
fn a_command_of_ones_own_is_a_prompt_and_one_of_the_project_counts_as_long_as_it_is_what_was_trusted() {
    let place = Place::new();
    at_home(&place, ".codex/prompts/ask.md", "---\ndescription: asks\n---\nAsk about $TOPIC.");
    at_home(&place, ".claude/commands/fix.md", "My own $1.");
    place.write(
        ".claude/commands/fix.md",
        "---\nargument-hint: [issue]\n---\nFix issue $1 of $ARGUMENTS.\n\n!`touch ran`\n",
    );
    let asked = |text: &str| prompt(&run(&place, DONE, text)).to_owned();
    assert_eq!(asked("/ask TOPIC=tests"), "Ask about tests.");
    assert_eq!(asked("/fix 12 now"), "My own 12.");
    let shown = ox(&place, &["trust"]);
    assert!(shown.err.contains("command  .claude/commands/fix.md  tokens: 10 when used"), "{}", shown.err);
    place.trusts();
    let after = asked("/fix 12 now");
    assert!(after.starts_with("Fix issue 12 of 12 now.\n\n!`touch ran`\n\nWhere `!` and a command line"), "{after}");
    assert!(!place.project("ran").exists(), "nobody asked for it");
    assert_eq!(asked("/user:fix 12"), "My own 12.");
    place.write(".claude/commands/fix.md", "Fix all.");
    assert_eq!(asked("/fix 12"), "My own 12.", "a changed file has to be trusted again");
    assert_eq!(asked("/none 12"), "/none 12");
}

#[test]
fn commands_are_listed_with_where_they_came_from() {
    let place = Place::new();
    place.write(".claude/commands/tidy-up.md", "---\ndescription: Tidies the tree\n---\nTidy $ARGUMENTS up.");
    place.write(".claude/commands/review.md", "Review it as we do.");
    place.trusts();
    let model = place.script("-- model --\nTidied.\n-- model --\nReviewed.\n");
    let mut terminal = Terminal::open(&place, &["--mode", "chat", "--model", &model], &[]);
    terminal.pictures(&["Describe a task"]);
    terminal.types("/tidy");
    terminal.pictures(&["/tidy-up", "Tidies the tree (project)"]);
    terminal.types("-up src\r");
    terminal.shows("› /tidy-up src");
    terminal.shows("Tidied.");
    terminal.pictures(&["Describe a task"]);
    terminal.types("/help\r");
    terminal.shows("Custom commands");
    terminal.shows("/project:review");
    terminal.types("/project:review\r");
    terminal.shows("Reviewed.");
    terminal.leaves();
}

#[test]
fn files_that_cannot_be_used_are_said_and_the_others_are_there() {
    let place = Place::new();
    fs::write(place.root().join("secret.md"), "the secret").unwrap();
    place.write(".claude/commands/good.md", "Good.");
    place.write(".claude/commands/bytes.md", [0xff, 0xfe, 0x00]);
    place.write(".claude/commands/long.md", "x".repeat(300 << 10));
    place.write(".claude/skills/bare/SKILL.md", "No head.");
    place.write(".claude/agents/yaml.md", "---\ntools: [Read\n---\nLook.");
    symlink(place.root().join("secret.md"), place.project(".claude/commands/out.md")).unwrap();
    let untrusted = place.play(DONE, &["look"]);
    assert!(!untrusted.err.contains("bytes.md"), "{}", untrusted.err);
    place.trusts();
    let ran = place.play(DONE, &["/good"]);
    for said in [
        "bytes.md is not used: it is not UTF-8 text",
        "long.md is not used: it has 307200 bytes",
        "SKILL.md is not used: it does not begin with",
        "yaml.md is not used: what stands between the two lines `---` is no YAML",
        "out.md is not used: it is a link that leads out of",
    ] {
        assert!(ran.err.contains(said), "{said}: {}", ran.err);
    }
    assert_eq!(ran.code, Some(0));
    assert_eq!(prompt(&place.events(DONE, &["/good"])), "Good.");
    let all = place.events(DONE, &["/out"]);
    assert!(!all.iter().any(|it| it.to_string().contains("the secret")));
}

const SKILL: &str =
    "---\nname: release\ndescription: How releases are made here. Use it before a release.\n---\nTag it, then push.\n";

#[test]
fn a_skill_is_one_line_until_it_is_used() {
    let place = Place::new();
    place.write(".claude/skills/release/SKILL.md", SKILL);
    place.write(".claude/skills/release/references/hosts.md", "The host is example.org.\n");
    let script = "-- model --\n@skill\nskill: release\n-- model --\n@skill\nskill: release\nfile: references/hosts.md\n\
        -- model --\n@skill\nskill: release\nfile: ../../../secret\n-- model --\nDone.\n";
    let before = run(&place, script, "Release it.");
    assert_eq!(offered(&before, "skill"), "");
    assert!(!before.iter().any(|it| it.to_string().contains("Tag it")), "nobody trusts it");
    let shown = ox(&place, &["trust"]);
    assert!(shown.err.contains(".claude/skills/release  tokens: 15 in each request, 5 when used"), "{}", shown.err);
    place.trusts();
    let after = run(&place, script, "Release it.");
    let words = offered(&after, "skill");
    assert!(words.ends_with("Skills:\n- release: How releases are made here. Use it before a release."), "{words}");
    let first = after.iter().position(|it| it["event"] == "tool_complete").unwrap();
    assert!(!after[..first].iter().any(|it| it.to_string().contains("Tag it")), "it is read on use");
    let read = outputs(&after, "skill");
    assert!(read[0].ends_with("which `file` reads: references/hosts.md\n\nTag it, then push."), "{}", read[0]);
    assert_eq!(read[1].trim_end(), "The host is example.org.");
    assert!(read[2].contains("has no file `../../../secret`"), "{}", read[2]);
    // A skill is a command too.
    assert_eq!(prompt(&run(&place, DONE, "/release")), "Tag it, then push.");
    place.write(".claude/skills/release/references/hosts.md", "The host is evil.org.\n");
    let changed = run(&place, script, "Release it.");
    assert_eq!(offered(&changed, "skill"), "", "one changed file of its folder is asked about again");
}

#[test]
fn an_agent_of_another_agents_format_works_with_its_own_tools() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let agent = "---\nname: looker\ndescription: Looks at files. Use it: always.\ntools: Read, Grep\nmodel: sonnet\ncolor: blue\n---\nYou look.\n";
    place.write(".claude/agents/any.md", agent);
    place.trusts();
    let script = "-- model --\n@spawn_subagent\nkind: looker\ntask: Look.\n-- model --\n@write_file\npath: a.txt\ncontent: two\n\
        -- model --\n@read_file\npath: a.txt\n-- model --\nIt says one.\n-- model --\nDone.\n";
    let ran = run(&place, script, "Look at it.");
    assert!(outputs(&ran, "spawn_subagent").concat().starts_with("It says one."), "{ran:?}");
    assert_eq!(place.read("a.txt"), "one\n");
    place.write(".claude/agents/any.md", agent.replace("Read, Grep", "Write"));
    let changed = run(&place, "-- model --\n@spawn_subagent\nkind: looker\ntask: Look.\n-- model --\nDone.\n", "Look.");
    assert!(outputs(&changed, "spawn_subagent").concat().contains("There is no sub-agent of kind `looker`"));
}

/// A plugin of others: a skill, a command, an agent, a hook and a server, in a git repository.
fn plugin(place: &Place) -> String {
    let write = |path: &str, text: &str| {
        let path = place.root().join("kit").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "plugin.json",
        r#"{"$schema": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "name": "kit", "version": "1.2.0"}"#,
    );
    write("skills/release/SKILL.md", SKILL);
    write("commands/hello.md", "Say hello to $1.");
    write("agents/looker.md", "---\nname: looker\ndescription: Looks\ntools: Read\n---\nYou look.\n");
    let hook = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "grep -q '\"tool_name\":\"Bash\"' && echo '{\"decision\":\"block\",\"reason\":\"not with the kit\"}'"}]}]}}"#;
    write("hooks/hooks.json", hook);
    write("mcp.json", r#"{"mcpServers": {"files": {"command": "./server.sh", "args": ["x"]}}}"#);
    place.root().join("kit").display().to_string()
}

#[test]
fn a_plugin_is_shown_with_its_cost_added_from_git_used_and_removed() {
    let place = Place::new();
    let folder = plugin(&place);
    for args in [&["init", "-q"][..], &["add", "."], &["commit", "-qm", "kit"]] {
        let mut git = place.program("git");
        git.current_dir(&folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args);
        assert!(git.status().unwrap().success());
    }
    let url = format!("file://{folder}");
    let shown = ox(&place, &["plugin", "add", &url]);
    assert_eq!(shown.code, Some(1), "nobody was asked: {}", shown.err);
    for said in [
        "The plugin kit 1.2.0 adds:",
        "skill            kit:release     tokens: ",
        "command          /kit:hello      tokens: 4 when used",
        "sub-agent        kit:looker      tokens: ",
        "runs automatically  PreToolUse (run_command): grep",
        "MCP server",
        "files: ${PLUGIN_ROOT}/server.sh x",
        "Tokens in each request: about ",
    ] {
        let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(squeezed(&shown.err).contains(&squeezed(said)), "{said}: {}", shown.err);
    }
    assert!(ox(&place, &["plugin", "list"]).err.contains("There are no plugins"));
    let added = ox(&place, &["plugin", "add", "--yes", &url]);
    assert!(added.code == Some(0) && added.err.contains("Added the plugin kit"), "{}", added.err);
    let listed: Value = serde_json::from_str(&ox(&place, &["plugin", "list", "--json"]).out).unwrap();
    assert_eq!(listed["plugins"][0]["name"], "kit");
    assert_eq!(listed["things"].as_array().unwrap().len(), 4, "{listed}");
    assert!(ox(&place, &["mcp", "list"]).out.contains("plugin"), "its server is there");
    let script =
        "-- model --\n@skill\nskill: kit:release\n-- model --\n@run_command\ncommand: touch ran\n-- model --\nDone.\n";
    let ran = run(&place, script, "/kit:hello world");
    assert_eq!(prompt(&ran), "Say hello to world.");
    assert!(outputs(&ran, "skill").concat().ends_with("Tag it, then push."), "{ran:?}");
    assert!(ran.iter().any(|it| it.to_string().contains("not with the kit")), "{ran:?}");
    assert!(!place.project("ran").exists());
    assert_eq!(ox(&place, &["plugin", "remove", "kit"]).code, Some(0));
    let gone = ox(&place, &["plugin", "remove", "kit"]);
    assert!(gone.code != Some(0) && gone.err.contains("There is no plugin kit"), "{}", gone.err);
    assert_eq!(prompt(&run(&place, DONE, "/kit:hello world")), "/kit:hello world");
}

#[test]
fn a_plugin_whose_files_change_is_not_used_until_it_is_added_again() {
    let place = Place::new();
    let folder = plugin(&place);
    assert_eq!(ox(&place, &["plugin", "add", "--yes", &folder]).code, Some(0));
    // What the folder becomes later is nothing to the copy.
    fs::write(format!("{folder}/commands/hello.md"), "Say goodbye.").unwrap();
    assert_eq!(prompt(&run(&place, DONE, "/kit:hello you")), "Say hello to you.");
    fs::write(place.home("cache/plugins/kit/commands/hello.md"), "Say goodbye.").unwrap();
    let model = place.script(DONE);
    let ran = ox(&place, &["run", "--model", &model, "/kit:hello you"]);
    assert!(ran.err.contains("The plugin kit is not used, because its files have changed"), "{}", ran.err);
    assert_eq!(prompt(&run(&place, DONE, "/kit:hello you")), "/kit:hello you");
    let whole = place.root().display().to_string();
    let again = ox(&place, &["plugin", "add", "--yes", "--folder", "kit", &whole]);
    assert_eq!(again.code, Some(0), "{}", again.err);
    assert_eq!(prompt(&run(&place, DONE, "/kit:hello")), "Say goodbye.");
    let outside = ox(&place, &["plugin", "add", "--yes", "--folder", "..", &whole]);
    assert!(outside.err.contains("it is no folder in it"), "{}", outside.err);
}

#[test]
fn what_is_no_plugin_is_said_and_nothing_is_kept() {
    let place = Place::new();
    let add = |from: &str| {
        let ran = ox(&place, &["plugin", "add", "--yes", from]);
        assert_ne!(ran.code, Some(0));
        ran.err
    };
    assert!(add("nowhere").contains("nowhere is no plugin that can be added"));
    let empty = place.root().join("empty");
    fs::create_dir_all(&empty).unwrap();
    assert!(add(empty.to_str().unwrap()).contains("it has neither `plugin.json` nor"));
    let folder = plugin(&place);
    symlink("/etc/hostname", format!("{folder}/skills/out.md")).unwrap();
    assert!(add(&folder).contains("`skills/out.md` is a link that leads out of it"));
    let unreachable = add("file:///nowhere/at/all");
    assert!(unreachable.contains("file:///nowhere/at/all could not be fetched"), "{unreachable}");
    let left = fs::read_dir(place.home("cache/plugins")).unwrap().count();
    assert_eq!(left, 0, "nothing is left of them");
}

#[test]
fn hooks_of_another_agents_settings_read_its_json_and_run_only_once_trusted() {
    let place = Place::new();
    let settings = r#"{"permissions": {"allow": ["Bash"]}, "hooks": {
        "PreToolUse": [{"matcher": "Write", "hooks": [{"type": "command", "command": "sh \"$CLAUDE_PROJECT_DIR/.claude/guard.sh\""}]}],
        "Notification": [{"hooks": [{"type": "command", "command": "touch notified"}]}]}}"#;
    place.write(".claude/settings.json", settings);
    place.write(".claude/guard.sh", "cat >read.json; echo 'no writing today' >&2; exit 2\n");
    let script = "-- model --\n@write_file\npath: a.txt\ncontent: one\n-- model --\nDone.\n";
    run(&place, script, "Write it.");
    assert!(place.project("a.txt").exists() && !place.project("read.json").exists(), "nobody trusts it");
    fs::remove_file(place.project("a.txt")).unwrap();
    let shown = ox(&place, &["trust"]);
    assert!(
        shown.err.contains("PreToolUse (write_file): sh") && shown.err.contains(".claude/guard.sh"),
        "{}",
        shown.err
    );
    place.trusts();
    let ran = run(&place, script, "Write it.");
    assert!(ran.iter().any(|it| it["event"] == "hooked" && it.to_string().contains("no writing today")), "{ran:?}");
    assert!(!place.project("a.txt").exists() && !place.project("notified").exists());
    let read: Value = serde_json::from_str(&place.read("read.json")).unwrap();
    assert_eq!((&read["hook_event_name"], &read["tool_name"]), (&Value::from("PreToolUse"), &Value::from("Write")));
    assert!(read["tool_input"]["file_path"].as_str().unwrap().ends_with("/project/a.txt"), "{read}");
    let listed = ox(&place, &["plugin", "list"]);
    assert!(listed.err.contains("hooks for `Notification`, which Ox does not have"), "{}", listed.err);
    fs::remove_file(place.project("read.json")).unwrap();
    place.write(".claude/guard.sh", "cat >read.json\n");
    run(&place, script, "Write it.");
    assert!(!place.project("read.json").exists(), "its script changed");
}
