//! Mistakes of whoever types the command, and what standard input and output carry.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::time::{Duration, Instant};

use expect_test::expect;

use crate::place::{OX, Place, start};

const ANSWERS: &str = "-- model --\nI look first.\n@list_files\n-- model --\nIt is **empty**.\n";

#[test]
fn mistakes_on_the_command_line_end_with_2_and_say_what_is_right() {
    let place = Place::new();
    place.write("notes.zip", "PK");
    fs::File::create(place.project("large.png")).unwrap().set_len((14 << 20) + 1).unwrap();
    let table = [
        (
            &["run"][..],
            expect![[r#"
                ox: No task. Give one as an argument, such as `ox run "fix the failing test"`, or on standard input.
            "#]],
        ),
        (
            &["run", "--bogus", "x"],
            expect![[r#"
                error: unexpected argument '--bogus' found

                  tip: to pass '--bogus' as a value, use '-- --bogus'

                Usage: ox {run|--print|-p} [OPTIONS] [TASK]...

                For more information, try '--help'.
            "#]],
        ),
        (
            &["run", "--max-time", "soon", "x"],
            expect![[r#"
                ox: --max-time: `limits.max_time` must be a duration such as "90s" or "10m", not soon.
            "#]],
        ),
        (
            &["run", "--max-iterations", "0", "x"],
            expect![[r#"
                ox: --max-iterations: `limits.max_iterations` must be an integer of at least 1, not 0.
            "#]],
        ),
        (
            &["run", "--mode", "biuld", "x"],
            expect![[r#"
                error: invalid value 'biuld' for '--mode <WORD>'
                  [possible values: auto, chat, plan, build]

                  tip: a similar value exists: 'build'

                For more information, try '--help'.
            "#]],
        ),
        (
            &["run", "--image", "notes.zip", "x"],
            expect![[r#"
                ox: Cannot attach notes.zip: it is not what its name says, or models do not read this type. Use an image (PNG, JPEG, GIF, WebP), a PDF document or a text file.
            "#]],
        ),
        (
            &["run", "--image", "absent.png", "x"],
            expect![[r#"
                ox: Cannot read the image absent.png: No such file or directory (os error 2).
            "#]],
        ),
        (
            &["run", "--image", "large.png", "x"],
            expect![[r#"
                ox: large.png is too large to send (limit: 14 MB). Make it smaller.
            "#]],
        ),
        (
            &["run", "--add-dir", "absent", "x"],
            expect![[r#"
                ox: --add-dir: absent is not a folder. Name an existing one.
            "#]],
        ),
        (
            &["run", "--allow", "run_command(", "x"],
            expect![[r#"
            ox: --allow: `rules.allow` must be a list of rules such as ["run_command(cargo test*)"], not ["run_command("].
        "#]],
        ),
        (
            &["run", "--base-url", "localhost:1", "x"],
            expect![[r#"
                ox: --base-url: `base_url` must be a URL such as "http://localhost:8000/v1", not localhost:1.
            "#]],
        ),
        (
            &["run", "--model", "mymodel", "x"],
            expect![[r#"
                ox: `mymodel` is not a valid model name. Write provider/model, for example anthropic/claude-sonnet-5-5 or ollama/qwen3.
            "#]],
        ),
        (
            &["sesions"],
            expect![[r#"
                ox: `sesions` is not a command. Did you mean: ox sessions
                To run the word as a task: ox run sesions
            "#]],
        ),
        (
            &["agents"],
            expect![[r#"
                ox: Ox has no command `agents`. `ox --help` lists all commands.
                To run these words as a task: ox run agents
            "#]],
        ),
        (
            &["config", "set", "model", "foo"],
            expect![[r#"
                ox: `foo` is not a valid model name. Write provider/model, for example anthropic/claude-sonnet-5-5 or ollama/qwen3.
            "#]],
        ),
        (
            &["resume"],
            expect![[r#"
                ox: No stored conversations for /project. `ox sessions list --all` shows those of other folders.
            "#]],
        ),
    ];
    for (args, expected) in table {
        expected.assert_eq(place.ox(args).refusal(2));
    }
}

#[test]
fn a_task_comes_from_standard_input_too() {
    let place = Place::new();
    let model = place.script(ANSWERS);
    for args in [
        &["run", "--json", "--mode", "chat", "--model", &model, "-"][..],
        &["run", "--json", "--mode", "chat", "--model", &model],
    ] {
        let ran = place.feed(place.command(args), "What is here?\nBriefly.\n");
        let events = ran.json_lines();
        let began = events.iter().find(|it| it["event"] == "turn_start").unwrap();
        assert_eq!(began["prompt"], "What is here?\nBriefly.");
    }
    let ran = place.feed(place.command(&["run", "--model", &model, "-"]), "  \n");
    assert!(ran.refusal(2).contains("No task."));
}

#[test]
fn what_is_piped_in_beside_a_task_comes_below_it() {
    let place = Place::new();
    let model = place.script(ANSWERS);
    let task = |ran: &crate::place::Ran| {
        let events = ran.json_lines();
        events.iter().find(|it| it["event"] == "turn_start").unwrap()["prompt"].as_str().unwrap().to_string()
    };
    let args = ["run", "--json", "--mode", "chat", "--model", &model, "Explain this."];
    let ran = place.feed(place.command(&args), "error: MARK\n\n");
    assert_eq!(task(&ran), "Explain this.\n\n<stdin>\nerror: MARK\n</stdin>");
    let ran = place.feed(place.command(&args), "");
    assert_eq!(task(&ran), "Explain this.");
    let ran = place.feed(place.command(&["--mode", "chat", "--model", &model, "Explain this."]), "MARK");
    let id = ran.err.lines().next().unwrap().trim_start_matches("Conversation ").to_string();
    assert!(place.ox(&["sessions", "export", &id, "--format", "json"]).out.contains("<stdin>\\nMARK"), "{}", ran.err);
    // A pipe that whoever starts Ox leaves open and silent does not hold it for ever.
    let (reader, writer) = std::io::pipe().unwrap();
    let mut command = place.command(&args);
    command.stdin(reader);
    let ran = place.finish(command);
    drop(writer);
    assert_eq!(task(&ran), "Explain this.");
    assert!(ran.err.contains("Nothing came on standard input within 3 s"), "{}", ran.err);
}

#[test]
fn output_that_cannot_be_written_is_an_error_and_a_reader_that_leaves_is_none() {
    let place = Place::new();
    let model = place.script(ANSWERS);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for args in [&["run", "--mode", "chat", "--model", &model, "x"][..], &["run", "--json", "--model", &model, "x"]] {
        let mut command = place.command(args);
        command.stdout(full()).stdin(std::process::Stdio::null());
        let ended = command.output().unwrap();
        let words = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{words}");
        assert!(words.contains("Cannot write to standard output: No space left on device"), "{words}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = place.command(&["completions", "bash"]);
    command.stdout(writer);
    let ended = command.output().unwrap();
    assert_eq!((ended.status.code(), ended.stderr.len()), (Some(0), 0), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn standard_output_carries_the_answer_alone_and_no_escapes() {
    let place = Place::new();
    let ran = place.play(ANSWERS, &["--mode", "chat", "What is here?"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is **empty**.\n"), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}') && ran.err.contains("list_files"), "{}", ran.err);
    let mut bare = place.command(&["--mode", "chat", "--model", &place.script(ANSWERS), "What is here?"]);
    bare.env("NO_COLOR", "1").env("TERM", "xterm-256color");
    let ran = place.finish(bare);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "It is **empty**.\n"), "{}", ran.err);
    assert!(!ran.err.contains('\u{1b}'));
}

#[test]
fn json_is_one_object_a_line_in_order_and_deltas_add_up() {
    let place = Place::new();
    let long = "A long reply — with 中文 — that comes in several pieces.";
    let events = place.events(&format!("-- model --\n@list_files\n-- model --\n{long}\n"), &["--mode", "chat", "hi"]);
    let frames: Vec<_> = events.iter().filter(|it| !it["seq"].is_null()).collect();
    let numbers: Vec<u64> = frames.iter().map(|it| it["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(events[0]["event"], "conversation_id");
    let last = events.last().unwrap();
    assert_eq!((&last["event"], &last["exit_code"]), (&"completion".into(), &0.into()));
    let mut text = String::new();
    for delta in events.iter().filter(|it| it["event"] == "stream_delta") {
        assert_eq!(delta["offset"], text.len(), "{delta}");
        text += delta["delta"].as_str().unwrap();
    }
    assert_eq!(text, long);
    let complete = frames.iter().rfind(|it| it["event"] == "stream_complete").unwrap();
    assert_eq!((&complete["text"], &complete["total_length"]), (&long.into(), &long.len().into()));
}

#[test]
fn a_task_that_was_not_finished_has_no_answer() {
    let place = Place::new();
    let script = "-- model --\nI look first.\n@list_files\n-- model --\nOnce more.\n@list_files\n";
    let ran = place.play(script, &["--max-iterations", "2", "look"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(6), ""), "{}", ran.err);
    assert!(ran.err.contains("I look first.") && ran.err.contains("Once more."), "{}", ran.err);
    let ran = place.play(script, &["--max-tokens", "10", "look"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(5), ""), "{}", ran.err);
}

/// What is said of the call that was refused.
fn refused(err: &str) -> &str {
    let from = err.find('✗').unwrap();
    let end = err[from..].find("\n\n").unwrap();
    &err[from..=from + end]
}

#[test]
fn what_is_refused_because_nobody_can_be_asked_says_how_to_allow_it() {
    let place = Place::new();
    let script =
        "-- model --\n@run_command\ncommand: sh -c 'true'\n-- model --\n@attempt_completion\nresult: Not run.\n";
    let ran = place.play(script, &["say so"]);
    expect![[r#"
        ✗ $ sh -c 'true'
            Denied, because there is no terminal to ask on: `sh -c 'true'`
            To allow it, start Ox with: --allow 'run_command(sh -c '\''true'\'')'
    "#]]
    .assert_eq(refused(&ran.err));
    // What it advises is what helps.
    let (_, rule) = ran.err.split_once("--allow ").unwrap();
    let line = format!("'{OX}' run --model '{}' --allow {} hi", place.script(script), rule.lines().next().unwrap());
    let mut shell = place.program("sh");
    shell.args(["-c", &line]);
    let ran = place.finish(shell);
    assert!(ran.err.contains("✓ $ sh -c 'true'"), "{line}\n{}", ran.err);
}

#[test]
fn why_a_sandbox_cannot_start_is_said_where_a_command_is_refused() {
    let place = Place::new();
    let script =
        "-- model --\n@run_command\ncommand: sh -c 'true'\n-- model --\n@attempt_completion\nresult: Not run.\n";
    let model = place.script(script);
    // A container needs an image, whether or not there is a docker.
    let variables = [("OX_SANDBOX", "docker")];
    let args = ["run", "--approval", "auto", "--model", &model, "say so"];
    let ran = place.ox_with(&args, &variables);
    expect![[r#"
        ✗ $ sh -c 'true'
            Denied, because there is no terminal to ask on: `sh -c 'true'`
            · the sandbox does not work here: no image is set for containers; name one that holds the project's tools in `sandbox.image`
            To allow it, start Ox with: --allow 'run_command(sh -c '\''true'\'')'
    "#]].assert_eq(refused(&ran.err));
    let ran = place.ox_with(&[&args[..], &["--json"]].concat(), &variables);
    let events = ran.json_lines();
    let outcomes = crate::place::outputs(&events, "run_command");
    expect!["permission refused: `sh -c 'true'` needs the user's consent (the sandbox does not work here: no image is set for containers; name one that holds the project's tools in `sandbox.image`; runs code: sh -c true; runs code: true), and nobody can be asked in this run. Do what you can without it. Say at the end what was left undone."].assert_eq(&outcomes.join("\n"));
}

#[test]
fn a_reader_that_leaves_early_ends_the_run() {
    let place = Place::new();
    let steps = "-- model --\n@run_command\ncommand: true\n".repeat(8);
    let model = place.script(&format!("{steps}-- model --\n@attempt_completion\nresult: Done.\n"));
    let args = ["run", "--json", "--allow", "run_command", "--model", &model, "hi"];
    let mut child = start(&mut place.command(&args));
    let mut first = String::new();
    // The pipe breaks behind the first line, as with `head -n1`.
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("conversation_id"), "{first}");
    let mut words = String::new();
    child.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    let began = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{words}");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(words, "");
    // Words that nobody reads any more are no reason to panic.
    for task in ["'' 2>&1 >/dev/null", "demo --no-such-flag 2>&1"] {
        let mut shell = place.program("sh");
        shell.args(["-c", &format!("('{OX}' run {task}; echo $? >code) | true")]);
        place.finish(shell);
        assert_eq!(place.read("code"), "2\n", "{task}");
    }
}

#[test]
fn a_mistake_in_a_file_is_named_by_file_and_line() {
    let place = Place::new();
    fs::write(place.home("config.toml"), "model = \"a/b\"\n\n[limits]\nmax_iterations = \"many\"\n").unwrap();
    expect![[r#"
        ox: /home/config.toml:4: `limits.max_iterations` must be an integer of at least 1, not "many".
    "#]]
    .assert_eq(place.ox(&["run", "x"]).refusal(2));
    fs::write(place.home("config.toml"), "model = \"a/b\"\nmode = = \"plan\"\n").unwrap();
    expect![[r#"
        ox: /home/config.toml:2: not valid TOML: extra `=`, expected nothing
    "#]]
    .assert_eq(place.ox(&["run", "x"]).refusal(2));
    fs::remove_file(place.home("config.toml")).unwrap();
    place.write(".ox/config.toml", "# A project must not send code elsewhere.\nbase_url = \"https://example.com\"\n");
    expect![[r#"
        ox: /project/.ox/config.toml:2: a project must not set `base_url`: only you decide which model answers, where requests go and what they cost. Set it in your own file (`ox config path`).
    "#]].assert_eq(place.ox(&["run", "--trust", "x"]).refusal(2));
    let mut command = place.command(&["run", "x"]);
    command.env("OX_LANGUAGE", "zh").env("OX_TRUST", "1");
    let ran = place.finish(command);
    expect![[r#"
        ox: /project/.ox/config.toml:2：项目不得设置 `base_url`：由哪个模型回答、请求发往哪里、花费多少，由你决定。请写入你自己的文件（`ox config path`）。
    "#]].assert_eq(ran.refusal(2));
}

#[test]
fn a_home_that_is_taken_for_a_project_is_reported_of() {
    let place = Place::new();
    let model = place.script(ANSWERS);
    let home = place.project("").display().to_string();
    let said = |home: &str| {
        let ran = place.ox_with(&["run", "--model", &model, "What is here?"], &[("HOME", home)]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.err.contains("is treated as one project")
    };
    assert!(said(&home) && !said("/nowhere"));
}
