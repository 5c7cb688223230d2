//! Commands that do work: the page of instructions, the commit inside of a conversation, the report about a fault.

use std::fs;

use crate::place::{Place, Ran};
use crate::terminal::Terminal;

const PAGE: &str = "-- model --\n```markdown\n# Sums\nAdds numbers.\n\n## Checks\n- `cargo test`\n```\n";

fn init(place: &Place, script: &str, args: &[&str]) -> Ran {
    let model = place.script(script);
    place.ox(&[&["init", "--model", &model], args].concat())
}

#[test]
fn the_model_writes_the_page_and_nothing_is_overwritten_unapproved() {
    let place = Place::new();
    place.write("src/lib.rs", "pub fn add() {}\n");
    let ran = init(&place, PAGE, &[]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("Wrote /project/AGENTS.md\nWrote /project/.ox/config.toml\n"), "{}", ran.err);
    let page = "# Sums\nAdds numbers.\n\n## Checks\n- `cargo test`\n";
    assert_eq!(place.read("AGENTS.md"), page);
    place.trusts();
    // The same page again is no change.
    assert!(init(&place, PAGE, &[]).err.contains("AGENTS.md needs no change"));
    let better = "-- model --\n# Sums\nAdds and subtracts numbers.\n\n## Checks\n- `cargo test`\n";
    let ran = init(&place, better, &[]);
    assert_eq!(ran.code, Some(4), "{}", ran.err);
    assert!(ran.out.contains("-Adds numbers.\n+Adds and subtracts numbers.\n"), "{}", ran.out);
    assert_eq!(place.read("AGENTS.md"), page);
    assert_eq!(init(&place, better, &["--yes"]).code, Some(0));
    assert_eq!(place.read("AGENTS.md"), page.replace("Adds", "Adds and subtracts"));
}

#[test]
fn what_is_no_page_is_asked_for_again_and_never_written() {
    let place = Place::new();
    let ran = init(&place, "-- model --\nDone!\n-- model --\nI wrote it.\n", &[]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("The model wrote no page"), "{}", ran.err);
    assert!(!place.project("AGENTS.md").exists());
    // Without a model the page holds what the files say, and that is said.
    let ran = place.ox(&["init"]);
    assert!(
        ran.err.contains("No model is configured, so the page holds only")
            && ran.err.contains("Wrote /project/AGENTS.md")
    );
}

#[test]
fn a_report_about_a_fault_holds_neither_secrets_nor_words_of_the_conversation() {
    let place = Place::new();
    fs::write(
        place.home("config.toml"),
        "[providers.own]\nkey = \"s3cret-own\"\nbase_url = \"http://127.0.0.1:1/v1\"\n",
    )
    .unwrap();
    let ran = place.play("-- model --\nThe answer is plums.\n", &["what about apples?"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = place.ox_with(&["bug"], &[("OPENAI_API_KEY", "s3cret-env"), ("TERM", "xterm")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.starts_with("Nothing was sent."), "{}", ran.err);
    let report = fs::read_to_string(place.root().join(ran.out.trim().trim_start_matches('/'))).unwrap();
    for part in
        ["# Ox ", "TERM=xterm", "## Doctor\n✓ Ox ", "## Configuration\n", "turn_start", "completion stop.answered"]
    {
        assert!(report.contains(part), "{part}: {report}");
    }
    for secret in ["s3cret", "apples", "plums"] {
        assert!(!report.contains(secret), "{secret}: {report}");
    }
    let file = place.project("mine.md").display().to_string();
    assert_eq!(place.ox(&["bug", "-o", &file]).code, Some(0));
    assert!(place.ox(&["bug", "-o", &file]).refusal(1).contains("Cannot write"));
}

#[test]
fn the_doctor_is_short_unless_asked() {
    let place = Place::new();
    let (short, long) = (place.ox(&["doctor"]).out, place.ox(&["doctor", "--verbose"]).out);
    assert!(short.lines().count() <= long.lines().count());
    assert!(!short.contains("a private mount namespace"), "{short}");
}

const RUN: &str = "-- model --
@write_file
path: sum.txt
content: 2 + 2 = 4
why: keep it right
-- model --
@attempt_completion
result: Wrote down the sum.
";

#[test]
fn a_commit_inside_shows_its_message_first_and_is_asked_about() {
    let place = Place::new();
    place.write("a.txt", "a\n");
    let names = [
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@b"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@b"),
    ];
    let git = |args: &[&str]| {
        let mut command = place.program("git");
        command.args(args).envs(names);
        let ran = place.finish(command);
        assert_eq!(ran.code, Some(0), "git {args:?}: {}", ran.err);
        ran.out
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "begin"]);
    let model = place.script(RUN);
    let mut terminal =
        Terminal::open(&place, &["--model", &model, "--approval", "accept-edits", "write the sum"], &names);
    terminal.shows("Done");
    terminal.shows("›");
    terminal.types("/commit\r");
    terminal.shows("Commit this?");
    terminal.types("n\r");
    terminal.shows("Nothing was committed.");
    terminal.shows("›");
    terminal.types("/commit\r");
    terminal.shows("Commit this?");
    terminal.types("y\r");
    terminal.shows("Committed");
    terminal.shows("›");
    terminal.types("/doctor\r");
    terminal.shows("Ox 0.1.0 on");
    terminal.shows("›");
    let shown = terminal.leaves();
    assert!(shown.contains("  sum.txt"), "{shown}");
    assert_eq!(git(&["log", "--format=%s", "--name-only", "-1"]).lines().last(), Some("sum.txt"));
}
