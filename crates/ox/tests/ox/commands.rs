//! The commands around a task, run as a user runs them: their words, what they write, their exit codes.

use std::fs;

use expect_test::{Expect, expect};
use ox_protocol::{ConversationId, Event, Frame, Seq, Time};
use ox_store::{Log, Owner, Store};

use crate::place::{Place, Ran};

/// A project that is a repository.
fn repository() -> Place {
    let place = Place::new();
    fs::create_dir(place.project(".git")).unwrap();
    place
}

/// Stores a conversation of the project with one prompt.
fn conversation(place: &Place, id: &str, time: u64, prompt: &str) {
    let store = Store::open(&place.home("state/ox.db")).unwrap();
    let root = place.project("").canonicalize().unwrap().display().to_string();
    let id = ConversationId(id.into());
    let frame = |seq, event| Frame::new(Seq(seq), Time(time), event);
    let first = Event::ConversationId { id: id.clone(), root, ox: "0.1.0".into(), from: None };
    store.create(&frame(1, first)).unwrap();
    let steered = Event::Steered { text: prompt.into(), images: vec![] };
    let named = Event::Named { name: format!("about {id}") };
    store.append(&id, Owner::FIRST, Seq(1), &[frame(2, named), frame(3, steered)]).unwrap();
}

impl Ran {
    #[track_caller]
    fn says(&self, code: i32, out: Expect, err: Expect) {
        out.assert_eq(&self.out);
        err.assert_eq(&self.err);
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
    }

    #[track_caller]
    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

#[test]
fn config_shows_every_value_with_its_origin() {
    let place = repository();
    fs::write(place.home("config.toml"), "model = \"a/b\"\n[providers.x]\nkey = \"s3cret\"\n").unwrap();
    fs::create_dir(place.project(".ox")).unwrap();
    fs::write(place.project(".ox/config.toml"), "[limits]\nmax_iterations = 7\n").unwrap();
    place.trusts();
    place.ox_with(&["config", "--all"], &[("OX_MODE", "plan")]).says(
        0,
        expect![[r#"
            model                     "a/b"     your file /home/config.toml:1
            effort                    –         not set
            base_url                  –         not set
            preset                    –         not set
            fallback                  –         not set
            roles.planner             –         not set
            roles.summary             –         not set
            roles.router              –         not set
            roles.repair              –         not set
            roles.agent               –         not set
            roles.review              –         not set
            roles.embedding           –         not set
            roles.image               –         not set
            timeouts.connect          –         not set
            timeouts.first_byte       –         not set
            timeouts.idle             –         not set
            mode                      "plan"    environment variable OX_MODE
            approval                  "ask"     default
            verification              "full"    default
            review                    "auto"    default
            language                  "en"      default
            theme                     "auto"    default
            terminal.ambiguous_width  "auto"    default
            terminal.motion           "full"    default
            terminal.screen_reader    false     default
            terminal.editing_mode     "emacs"   default
            terminal.status_line      –         not set
            screen                    "inline"  default
            scope                     –         not set
            rules.allow               –         not set
            rules.ask                 –         not set
            rules.deny                –         not set
            hooks                     –         not set
            telemetry.endpoint        –         not set
            sandbox.backend           "auto"    default
            sandbox.image             –         not set
            sandbox.memory            2048      default
            sandbox.processes         256       default
            sandbox.hosts             –         not set
            sandbox.write             –         not set
            limits.max_iterations     7         project's file /project/.ox/config.toml:2
            limits.max_tokens         –         not set
            limits.max_cost           –         not set
            limits.max_time           –         not set
            limits.check_rounds       5         default
            limits.stop_hook_retries  5         default
            limits.repair_attempts    2         default
            limits.repair_edits       "keep"    default
            limits.memory_tasks       10        default
            agents.depth              1         default
            agents.parallel           4         default
            agents.per_turn           12        default
            agents.iterations         30        default
            context.keep_iterations   2         default
            context.tokens            –         not set
            index.cache               –         not set
            index.embeddings          "auto"    default
            index.docs                –         not set
            checks                    –         not set
            fixers                    –         not set
            web_search.provider       –         not set
            web_search.url            –         not set
            web_search.key_env        –         not set
            web_search.tool           –         not set
            providers.x.key           "…"       your file /home/config.toml:3
        "#]],
        expect![[""]],
    );
    let ran = place.ox(&["config", "--json"]);
    let value = ran.json();
    assert_eq!(value["limits.max_iterations"]["origins"][0]["place"], "/project/.ox/config.toml:2");
    assert_eq!(value["limits.max_iterations"]["origins"][0]["from"], "project");
    assert_eq!(value["mode"]["value"], "auto");
    assert!(!ran.out.contains("s3cret"));
}

#[test]
fn config_reads_and_changes_single_values() {
    let place = repository();
    place.ox(&["config", "path"]).says(
        0,
        expect![[r#"
        /home/config.toml
    "#]],
        expect![""],
    );
    place.ox(&["config", "set", "model", "ollama/b"]).says(0, expect![""], expect![""]);
    place.ox(&["config", "get", "model"]).says(
        0,
        expect![[r#"
        ollama/b
    "#]],
        expect![""],
    );
    place.ox_with(&["config", "set", "model", "ollama/d"], &[("OX_MODEL", "e/f")]).says(
        0,
        expect![""],
        expect![[r#"
            Saved, but OX_MODEL overrides `model`.
        "#]],
    );
    assert_eq!(fs::read_to_string(place.home("config.toml")).unwrap(), "model = \"ollama/d\"\n");
    place.ox(&["config", "set", "limits.max_iterations", "many"]).says(
        2,
        expect![""],
        expect![[r#"
            ox: /home/config.toml: `limits.max_iterations` must be an integer of at least 1, not many.
        "#]],
    );
    place.ox(&["config", "set", "limits.max_iteration", "3"]).says(
        2,
        expect![""],
        expect![[r#"
            ox: /home/config.toml: unknown key `limits.max_iteration`. Did you mean `limits.max_iterations`?
        "#]],
    );
    place.ox(&["config", "get", "modle"]).says(
        2,
        expect![""],
        expect![[r#"
            ox: Unknown key `modle`. `ox config` lists all keys.
        "#]],
    );
    place.ox(&["config", "get", "base_url"]).says(1, expect![""], expect![""]);
    place.ox(&["config", "unset", "model"]).says(0, expect![""], expect![""]);
    place.ox(&["config", "unset", "model"]).says(1, expect![""], expect![""]);
}

#[test]
fn a_mistake_in_a_file_ends_every_command_with_its_place_and_exit_code_2() {
    let place = repository();
    fs::write(place.home("config.toml"), "# mine\nmodle = \"a/b\"\n").unwrap();
    place.ox(&["config", "--all"]).says(
        2,
        expect![""],
        expect![[r#"
            ox: /home/config.toml:2: unknown key `modle`. Did you mean `model`?
        "#]],
    );
    place.ox(&["run", "x"]).says(
        2,
        expect![""],
        expect![[r#"
            ox: /home/config.toml:2: unknown key `modle`. Did you mean `model`?
        "#]],
    );
    // Where the file is and what was said can be seen all the same.
    assert_eq!(place.ox(&["config", "path"]).code, Some(0));
    assert_eq!(place.ox(&["sessions"]).code, Some(0));
    let ran = place.ox(&["doctor"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("✗ /home/config.toml:2: unknown key `modle`. Did you mean `model`?"), "{}", ran.out);
}

#[test]
fn words_are_in_the_users_language() {
    let place = repository();
    place.ox_with(&["sessions", "--all"], &[("LANG", "zh_CN.UTF-8")]).says(
        0,
        expect![""],
        expect![[r#"
        还没有保存的会话。
    "#]],
    );
}

#[test]
fn init_writes_two_files_and_overwrites_none() {
    let place = repository();
    fs::write(place.project("Cargo.toml"), "[package]\nname = \"sums\"\n").unwrap();
    place.ox(&["init", "--no-model"]).says(
        0,
        expect![""],
        expect![[r#"
            Wrote /project/AGENTS.md
            Wrote /project/.ox/config.toml
            Next: read the new files, fill in the gaps, and commit them.
        "#]],
    );
    let page = fs::read_to_string(place.project("AGENTS.md")).unwrap();
    assert!(page.starts_with("# project\n") && page.contains("Written in Rust."), "{page}");
    assert_eq!(place.ox(&["config"]).code, Some(0));
    fs::write(place.project("AGENTS.md"), "mine").unwrap();
    place.ox(&["init", "--no-model"]).says(
        0,
        expect![""],
        expect![[r#"
            Kept /project/AGENTS.md (already exists)
            Kept /project/.ox/config.toml (already exists)
        "#]],
    );
    assert_eq!(fs::read_to_string(place.project("AGENTS.md")).unwrap(), "mine");
}

#[test]
fn checks_are_shown_as_they_are_configured() {
    let place = repository();
    place.ox(&["checks"]).says(0, expect![""], expect![[r#"
        No checks found in this project. Add them to .ox/config.toml: [[checks]] with command = "…" (`ox init` writes an example).
    "#]]);
    fs::create_dir(place.project(".ox")).unwrap();
    let text = "[[checks]]\ncommand = \"make lint\"\nkind = \"lint\"\n[[checks]]\ncommand = \"make test\"\n";
    fs::write(place.project(".ox/config.toml"), text).unwrap();
    place.trusts();
    place.ox(&["checks"]).says(
        0,
        expect![[r#"
        lint  make lint  config
        test  make test  config
    "#]],
        expect![[r#"
            2 of 2 can run here (`ox checks --run`).
        "#]],
    );
    assert_eq!(place.ox(&["checks", "--json"]).json()[1]["command"], "make test");
    let fixer = "[[fixers]]\ncommand = \"tidy {files}\"\nfiles = [\"*.c\"]\n";
    fs::write(place.project(".ox/config.toml"), format!("{text}{fixer}")).unwrap();
    place.trusts();
    place.ox(&["checks"]).says(
        0,
        expect![[r#"
        lint   make lint     config
        test   make test     config
        fixer  tidy {files}  config
    "#]],
        expect![[r#"
        2 of 2 can run here (`ox checks --run`).
    "#]],
    );
    assert_eq!(place.ox(&["checks", "--json"]).json()[2]["kind"], "fixer");
}

#[test]
fn sessions_are_listed_searched_named_exported_and_deleted() {
    let place = repository();
    place.ox(&["sessions"]).says(
        0,
        expect![""],
        expect![[r#"
            No stored conversations for /project. `ox sessions --all` shows those of other folders.
        "#]],
    );
    conversation(&place, "20260101-aaaa", 1, "Fix the parser");
    conversation(&place, "20260101-bbbb", 2, "Write the docs");
    let list = place.ox(&["sessions", "list"]).out;
    let order: Vec<&str> = list.lines().map(|it| it.split(' ').next().unwrap()).collect();
    assert_eq!(order, ["20260101-bbbb", "20260101-aaaa"], "{list}");
    let found = place.ox(&["sessions", "search", "PARSER"]).out;
    assert!(found.lines().count() == 1 && found.contains("Fix the parser"), "{found}");
    place.ox(&["sessions", "rename", "20260101-a", "first"]).says(0, expect![""], expect![""]);
    place.ox(&["sessions", "export", "first"]).says(
        0,
        expect![[r#"
        # first

        `20260101-aaaa` · `/project`

        ## You

        Fix the parser
    "#]],
        expect![""],
    );
    let exported = place.ox(&["sessions", "export", "first", "--format", "json"]).json();
    assert_eq!(exported["events"].as_array().map(Vec::len), Some(3));
    place.ox(&["sessions", "delete", "20260101-a", "x"]).says(
        1,
        expect![""],
        expect![[r#"
            ox: There is no conversation x. `ox sessions` lists all.
        "#]],
    );
    place.ox(&["sessions", "rename", "2026", "x"]).says(
        1,
        expect![""],
        expect![[r#"
            ox: 2026 matches several conversations: 20260101-bbbb, 20260101-aaaa. Type more of the id.
        "#]],
    );
    place.ox(&["sessions", "delete", "first"]).says(
        0,
        expect![""],
        expect![[r#"
        Deleted 20260101-aaaa first
    "#]],
    );
    let left = place.ox(&["sessions", "--json"]).json();
    assert_eq!(left.as_array().map(Vec::len), Some(1));
    assert_eq!(left[0]["title"], "about 20260101-bbbb");
}

#[test]
fn a_database_that_is_none_is_named() {
    let place = repository();
    fs::create_dir(place.home("state")).unwrap();
    fs::write(place.home("state/ox.db"), "a note, not a database\n".repeat(99)).unwrap();
    place.ox(&["sessions"]).says(
        1,
        expect![""],
        expect![[r#"
            ox: /home/state/ox.db is damaged or not an Ox database (file is not a database).
            Move it away to start with an empty one; `sqlite3 FILE .recover` may recover its contents.
        "#]],
    );
}

#[test]
fn doctor_names_keys_and_never_shows_them() {
    let place = repository();
    fs::write(place.home("config.toml"), "[providers.own]\nkey = \"s3cret\"\nkey_env = \"OWN_TOKEN\"\n").unwrap();
    let ran = place.ox_with(&["doctor", "--json"], &[("OPENAI_API_KEY", "s3cret"), ("OWN_TOKEN", "s3cret")]);
    let value = ran.json();
    let findings = value["findings"].as_array().unwrap();
    let keys = findings.iter().filter(|it| it["code"] == "doctor.keys");
    let names: Vec<&str> = keys.filter_map(|it| it["args"]["names"].as_str()).collect();
    assert_eq!(names, ["OPENAI_API_KEY, OWN_TOKEN, providers.own.key"]);
    assert!(!ran.out.contains("s3cret"), "{}", ran.out);
    let grade = |name: &str| findings.iter().find(|it| it["name"] == name).map(|it| it["grade"].clone());
    // A sandbox or none: which it is depends on the machine.
    assert!([Some("ok".into()), Some("warning".into())].contains(&grade("sandbox")), "{}", ran.out);
    assert_eq!((grade("trust"), grade("checkpoints"), grade("path")), (Some("ok".into()), Some("ok".into()), None));
    assert_eq!(grade("config"), Some("ok".into()));
}

#[test]
fn doctor_says_what_is_not_trusted_and_where_a_project_could_slip_programs_in() {
    let place = repository();
    fs::create_dir_all(place.project(".ox")).unwrap();
    fs::write(place.project(".ox/config.toml"), "mode = \"chat\"\n").unwrap();
    let path = format!("{}:.", std::env::var("PATH").unwrap());
    let ran = place.ox_with(&["doctor"], &[("PATH", path.as_str())]);
    assert!(ran.out.contains("· The project's settings are not trusted, so they are not used"), "{}", ran.out);
    assert!(ran.out.contains("! PATH contains `.`: programs in the project could run"), "{}", ran.out);
    assert_eq!(ran.err, "");
    assert!(!place.home("state/checkpoints").exists(), "looking made a store");
}

#[test]
fn doctor_tries_the_endpoint_that_was_configured() {
    let place = repository();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let variables = [("OX_MODEL", "openai/x"), ("OX_BASE_URL", url.as_str()), ("OPENAI_API_KEY", "k")];
    let grade = |ran: &Ran| {
        let value = ran.json();
        let findings = value["findings"].as_array().unwrap();
        findings.iter().find(|it| it["name"] == "endpoint").map(|it| it["grade"].clone())
    };
    assert_eq!(grade(&place.ox_with(&["doctor", "--json"], &variables)), Some("ok".into()));
    drop(listener);
    let ran = place.ox_with(&["doctor", "--json"], &variables);
    assert_eq!((grade(&ran), ran.code), (Some("fault".into()), Some(1)));
}

#[test]
#[cfg(unix)]
fn doctor_names_a_file_of_keys_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let place = repository();
    let file = place.home("config.toml");
    fs::write(&file, "providers.own.key = \"s3cret\"\n").unwrap();
    let warned = |mode: u32| {
        fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
        place.ox(&["doctor"]).out.contains("other users can read it")
    };
    assert!(warned(0o644));
    assert!(!warned(0o600));
}

#[test]
fn permissions_are_answered_line_by_line() {
    let place = Place::new();
    let lines = [
        r#"{"id": 1, "cmd": "ls"}"#,
        r#"{"id": 2, "cmd": "cat notes.txt", "cwd": "src"}"#,
        r#"{"id": 3, "op": "write", "path": "a.txt"}"#,
        r#"{"id": 4, "op": "burn", "path": "a.txt"}"#,
        r#"{"id": 5}"#,
        "nonsense",
    ];
    let ran = place.feed(place.command(&["permit", "--approval", "ask", "--batch"]), &lines.join("\n"));
    let answers: Vec<serde_json::Value> = ran.out.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let verdicts: Vec<&str> = answers.iter().map(|it| it["verdict"].as_str().unwrap_or("error")).collect();
    assert_eq!(verdicts, ["allow", "allow", "ask", "error", "error", "error"], "{}", ran.out);
    assert_eq!(answers[3]["error"], "Unknown operation `burn`. Use read, list, write or delete.");
}

#[test]
fn the_configuration_is_edited_and_a_mistake_in_it_is_named() {
    let place = repository();
    place.write("good.sh", "echo 'mode = \"plan\"' >> \"$1\"\n");
    place.write("bad.sh", "echo 'modle = 1' >> \"$1\"\n");
    let edit = |script: &str| {
        let script = format!("sh {}", place.project(script).display());
        place.ox_with(&["config", "edit"], &[("EDITOR", script.as_str())])
    };
    let ran = edit("good.sh");
    assert!(ran.code == Some(0) && ran.err.contains("is valid and in use"), "{}", ran.err);
    assert_eq!(place.ox(&["config", "get", "mode"]).out, "plan\n");
    let words = edit("bad.sh").refusal(2).to_owned();
    assert!(words.contains("config.toml:3: unknown key `modle`. Did you mean `model`?"), "{words}");
    let kept = fs::read_to_string(place.home("config.toml")).unwrap();
    assert!(kept.contains("mode = \"plan\"") && kept.contains("modle = 1"), "{kept}");
    place.write("mend.sh", "sed -i /modle/d \"$1\"\n");
    assert_eq!(edit("mend.sh").code, Some(0));
}

#[test]
fn a_conversation_is_played_into_a_pipe_as_text_and_written_as_a_scenario() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let script = "-- model --\n@read_file\npath: a.txt\n-- model --\nIt says one.\n";
    assert_eq!(place.play(script, &["--quiet", "--no-index", "--name", "reading", "what does it say?"]).code, Some(0));
    let played = place.ox_with(&["play", "--speed", "0", "reading"], &[("TERM", "xterm-256color")]);
    assert_eq!(played.code, Some(0), "{}", played.err);
    assert!(played.out.contains("It says one.") && !played.out.contains('\u{1b}'), "{:?}", played.out);
    let written = place.ox(&["scenario", "reading"]);
    assert_eq!(written.code, Some(0), "{}", written.err);
    assert!(written.out.contains("-- user: auto --\nwhat does it say?\n"), "{}", written.out);
    assert!(written.out.contains("-- tool: read_file --\none\n"), "{}", written.out);
}

#[test]
fn two_conversations_are_compared_to_where_they_part() {
    let place = Place::new();
    place.write("a.txt", "one\n");
    let edit = |new: &str| {
        format!(
            "-- model --\n@read_file\npath: a.txt\n-- model --\n@edit_file\npath: a.txt\nold: one\nnew: {new}\n-- model --\nDone.\n"
        )
    };
    for (name, new) in [("first", "two"), ("second", "three")] {
        place.write("a.txt", "one\n");
        let ran = place.play(&edit(new), &["--quiet", "--no-index", "--name", name, "change it"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }
    let compared = place.ox(&["compare", "first", "second"]);
    assert_eq!(compared.code, Some(0), "{}", compared.err);
    assert!(compared.out.contains("Changed by both: a.txt"), "{}", compared.out);
    assert!(compared.out.contains("They differ from tool call 2 on:"), "{}", compared.out);
    let same = place.ox(&["compare", "first", "first"]);
    assert!(same.out.contains("Both made the same tool calls."), "{}", same.out);
    let json: serde_json::Value =
        serde_json::from_str(&place.ox(&["compare", "first", "second", "--json"]).out).unwrap();
    assert_eq!((&json["a"]["calls"], &json["b"]["turns"]), (&2.into(), &1.into()), "{json}");
}

#[test]
fn a_quiet_run_says_only_its_answer_and_problems() {
    let place = Place::new();
    let ran = place.play("-- model --\nHello.\n", &["--quiet", "hi"]);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "Hello.\n", ""));
    let ran = place.play("-- model: fail 404 no such model --\n", &["-q", "hi"]);
    assert!(ran.code != Some(0) && !ran.err.is_empty(), "{}", ran.err);
}

#[test]
fn a_command_that_is_the_goal_needs_no_further_consent_and_allows_no_other_check() {
    let place = Place::new();
    place.write("Makefile", "test:\n\ttouch checked\n");
    let script =
        "-- model --\n@write_file\npath: made.txt\ncontent: one\n-- model --\n@attempt_completion\nresult: Made.\n";
    let ran = place.play(script, &["--until", "test -f made.txt", "make it"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(!place.project("checked").exists(), "{}", ran.err);
    let ran = place.play("-- model --\n@attempt_completion\nresult: Made.\n", &["--until", "test -f none", "make it"]);
    assert_ne!(ran.code, Some(0), "{}{}", ran.out, ran.err);
}
