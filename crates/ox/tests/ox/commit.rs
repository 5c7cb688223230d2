//! What a run changed is committed, and nothing else.

use std::process::Command;

use expect_test::expect;

use crate::place::{Place, Ran};
use crate::terminal::Terminal;

const RUN: &str = "-- model --
@edit_file
path: src/sum.txt
old: a - b
new: a + b
why: the sign was wrong
-- model --
@write_file
path: tests/sum.txt
content: 2 + 2 = 4
why: keep it right
-- model --
@attempt_completion
result: Fixed the sign in `sum`. It added where it should subtract.
";

/// A repository with one commit, in which a run has changed something and the user has staged something else.
fn place() -> Place {
    let place = Place::new();
    place.write("src/sum.txt", "a - b\n");
    place.write("mine.txt", "old\n");
    place.write(".gitignore", "*.log\n");
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-q", "-m", "begin"]);
    let ran = place.play(RUN, &["fix the sign"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place.write("mine.txt", "staged\n");
    place.write("untracked.txt", "mine\n");
    git(&place, &["add", "mine.txt"]);
    place
}

const NAMES: [(&str, &str); 5] = [
    ("GIT_AUTHOR_NAME", "Ann"),
    ("GIT_AUTHOR_EMAIL", "ann@example.com"),
    ("GIT_COMMITTER_NAME", "Ann"),
    ("GIT_COMMITTER_EMAIL", "ann@example.com"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
];

fn git(place: &Place, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(args).current_dir(place.project("")).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
    let output = command.env("HOME", place.home("")).envs(NAMES).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn ox(place: &Place, args: &[&str]) -> Ran {
    let home = place.home("").display().to_string();
    place.ox_with(args, &[&NAMES[..], &[("HOME", home.as_str())]].concat())
}

#[test]
fn the_runs_files_are_committed_with_the_reasons_and_the_users_stay_staged() {
    let place = place();
    let ran = ox(&place, &["commit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.trim_end().ends_with(" Fix the sign"), "{}", ran.out);
    assert_eq!(ran.err, "Committed 2 files.\n");
    expect![[r#"
        Fix the sign

        Fixed the sign in `sum`. It added where it should subtract.

        - src/sum.txt: the sign was wrong
        - tests/sum.txt: keep it right


        src/sum.txt
        tests/sum.txt
    "#]]
    .assert_eq(&git(&place, &["show", "--name-only", "--format=%B"]));
    assert_eq!(git(&place, &["status", "--porcelain"]), "M  mine.txt\n?? untracked.txt\n");
    // It is done, and there is nothing to review or to commit any more.
    let nothing = "ox: No run has uncommitted changes in /project.\n";
    assert_eq!(ox(&place, &["commit"]).refusal(1), nothing);
}

#[test]
fn a_dry_run_only_shows() {
    let place = place();
    let ran = ox(&place, &["commit", "--dry-run", "--message", "Mine"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Mine\n  src/sum.txt  +1 −1\n  tests/sum.txt  +1 −0\n"));
    assert_eq!(git(&place, &["log", "--format=%s"]), "begin\n");
    assert!(git(&place, &["status", "--porcelain"]).contains("?? tests/"));
}

#[test]
fn the_message_can_be_changed_in_an_editor_of_the_users_and_none_of_the_projects() {
    let place = place();
    git(&place, &["config", "core.editor", "touch trapped; true"]);
    let edit = |editor: &str| {
        let home = place.home("").display().to_string();
        let variables = [&NAMES[..], &[("HOME", home.as_str()), ("EDITOR", editor)]].concat();
        place.ox_with(&["commit", "--edit"], &variables)
    };
    let ran = edit("false");
    assert!(ran.refusal(1).contains("The editor `false` failed:"), "{}", ran.err);
    assert_eq!(
        edit("sh -c 'echo > \"$1\"' sh").refusal(1),
        "ox: The commit message is empty. Write one, then try again.\n"
    );
    assert_eq!(git(&place, &["log", "--format=%s"]), "begin\n");
    let ran = edit("sed -i '1s/.*/Mine alone/'");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let message = git(&place, &["log", "-1", "--format=%B"]);
    assert!(
        message.starts_with("Mine alone\n\nFixed the sign in `sum`. It added") && !message.contains('#'),
        "{message}"
    );
    assert!(!place.project("trapped").exists());
}

#[test]
fn an_editor_has_the_terminal() {
    let place = place();
    let home = place.home("").display().to_string();
    let editor = "sh -c 'echo what shall it be; read line; echo \"$line\" > \"$1\"' sh";
    let variables = [&NAMES[..], &[("HOME", home.as_str()), ("EDITOR", editor)]].concat();
    let mut terminal = Terminal::open(&place, &["commit", "--edit"], &variables);
    terminal.shows("what shall it be");
    terminal.types("Typed by hand\r");
    terminal.shows("Committed 2 files.");
    terminal.ends(0);
    assert_eq!(git(&place, &["log", "-1", "--format=%s"]), "Typed by hand\n");
}

#[test]
fn a_branch_is_made_for_it() {
    let place = place();
    for (name, why) in [
        ("a b", "is not a valid branch name"),
        ("main", "Branch main already exists"),
        ("-x", "is not a valid branch name"),
    ] {
        let ran = ox(&place, &["commit", &format!("--branch={name}")]);
        assert!(ran.code == Some(1) && ran.err.contains(why), "{}", ran.err);
    }
    assert_eq!(ox(&place, &["commit", "--branch", "fix/sign"]).code, Some(0));
    assert_eq!(git(&place, &["log", "--format=%s", "main"]), "begin\n");
    assert_eq!(git(&place, &["branch", "--show-current"]), "fix/sign\n");
    assert_eq!(git(&place, &["log", "--format=%s"]), "Fix the sign\nbegin\n");
    assert_eq!(git(&place, &["status", "--porcelain"]), "M  mine.txt\n?? untracked.txt\n");
}

#[test]
fn hooks_run_only_when_asked_and_a_refusal_leaves_everything_as_it_was() {
    let place = place();
    place.write(".git/hooks/pre-commit", "#!/bin/sh\necho no bad commits >&2\nexit 1\n");
    std::process::Command::new("chmod").arg("+x").arg(place.project(".git/hooks/pre-commit")).status().unwrap();
    let before = git(&place, &["status", "--porcelain"]);
    for args in [&["commit", "--hooks"][..], &["commit", "--hooks", "--branch", "other"]] {
        let ran = ox(&place, args);
        assert_eq!(ran.refusal(1), "ox: git failed: no bad commits\n");
        assert_eq!(git(&place, &["status", "--porcelain"]), before);
        assert_eq!(git(&place, &["branch", "--format=%(refname:short)"]), "main\n");
    }
    let ran = ox(&place, &["commit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("Git hooks are not run"), "{}", ran.err);
}

#[test]
fn where_no_commit_can_be_made_it_is_said() {
    let place = place();
    git(&place, &["checkout", "-q", "--detach"]);
    assert!(ox(&place, &["commit"]).refusal(1).contains("No branch is checked out in /project"));
    git(&place, &["checkout", "-q", "main"]);
    place.write(".git/MERGE_HEAD", git(&place, &["rev-parse", "HEAD"]));
    assert!(ox(&place, &["commit"]).refusal(1).contains("A merge is in progress"));
    std::fs::remove_file(place.project(".git/MERGE_HEAD")).unwrap();
    let home = place.home("").display().to_string();
    git(&place, &["config", "user.useConfigOnly", "true"]);
    let ran = place.ox_with(&["commit"], &[("HOME", home.as_str())]);
    assert!(ran.refusal(1).contains("Git does not know your name and email"), "{}", ran.err);
    place.write("src/sum.txt", "a - b\n");
    std::fs::remove_file(place.project("tests/sum.txt")).unwrap();
    assert!(ox(&place, &["commit"]).refusal(1).contains("Nothing to commit"));
    std::fs::remove_dir_all(place.project(".git")).unwrap();
    assert!(ox(&place, &["commit"]).refusal(1).contains("is not in a git repository"));
}

#[test]
fn the_first_commit_of_a_repository_can_be_a_runs() {
    let place = Place::new();
    place.write("src/sum.txt", "a - b\n");
    git(&place, &["init", "-q", "-b", "main"]);
    assert_eq!(place.play(RUN, &["fix the sign"]).code, Some(0));
    place.write("mine.txt", "mine\n");
    git(&place, &["add", "mine.txt"]);
    let ran = ox(&place, &["commit"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(git(&place, &["status", "--porcelain"]), "A  mine.txt\n");
    assert_eq!(git(&place, &["ls-tree", "-r", "--name-only", "HEAD"]), "src/sum.txt\ntests/sum.txt\n");
}

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

/// A run changes `two`, then `eight`; before, between and after the user changes lines of the same file by hand.
fn shared_file(last: &str) -> Place {
    let place = Place::new();
    place.write("list.txt", LINES);
    git(&place, &["init", "-q", "-b", "main"]);
    git(&place, &["add", "."]);
    git(&place, &["commit", "-q", "-m", "begin"]);
    let edit = |old: &str, new: &str| {
        format!(
            "-- model --\n@edit_file\npath: list.txt\nold: {old}\nnew: {new}\n-- model --\n@attempt_completion\nresult: Done.\n"
        )
    };
    let by_hand = |old: &str, new: &str| {
        let text = std::fs::read_to_string(place.project("list.txt")).unwrap();
        place.write("list.txt", text.replace(old, new));
    };
    by_hand("four", "four by hand");
    assert_eq!(place.play(&edit("two", "2"), &["--name", "both", "change two"]).code, Some(0));
    by_hand("six", "six by hand");
    let second = place.play(&edit("eight", "8"), &["--resume", "both", "change eight"]);
    assert_eq!(second.code, Some(0), "{}", second.err);
    by_hand(last, "by hand");
    place
}

#[test]
fn lines_that_the_user_changed_stay_uncommitted() {
    let place = shared_file("one");
    let ran = ox(&place, &["commit", "--dry-run"]);
    assert!(ran.out.ends_with("  list.txt  +2 −2 (without your other changes)\n"), "{}", ran.out);
    let ran = ox(&place, &["commit"]);
    assert_eq!(ran.err, "Committed 1 file.\nLeft uncommitted: your own changes in list.txt\n");
    let committed = LINES.replace("two", "2").replace("eight", "8");
    assert_eq!(git(&place, &["show", "HEAD:list.txt"]), committed);
    assert_eq!(git(&place, &["status", "--porcelain"]), " M list.txt\n");
    let left = std::fs::read_to_string(place.project("list.txt")).unwrap();
    assert_eq!(left, "by hand\n2\nthree\nfour by hand\nfive\nsix by hand\nseven\n8\n");
}

#[test]
fn what_the_user_made_of_a_line_of_the_runs_is_committed() {
    let place = shared_file("8");
    let ran = ox(&place, &["commit", "--dry-run"]);
    let line = "  list.txt  +2 −2 (without your other changes) (with your own changes to the same lines)\n";
    assert!(ran.out.ends_with(line), "{}", ran.out);
    let ran = ox(&place, &["commit"]);
    let said =
        "Left uncommitted: your own changes in list.txt\nCommitted with your own changes to the same lines: list.txt\n";
    assert!(ran.code == Some(0) && ran.err.ends_with(said), "{}", ran.err);
    let committed = LINES.replace("two", "2").replace("eight", "by hand");
    assert_eq!(git(&place, &["show", "HEAD:list.txt"]), committed);
}

#[test]
fn what_was_undone_is_passed_over() {
    let place = place();
    let write =
        "-- model --\n@write_file\npath: more.txt\ncontent: more\n-- model --\n@attempt_completion\nresult: Written.\n";
    assert_eq!(place.play(write, &["write more"]).code, Some(0));
    assert_eq!(ox(&place, &["undo"]).code, Some(0));
    let ran = ox(&place, &["commit", "--dry-run"]);
    assert!(ran.out.starts_with("Fix the sign\n"), "{}{}", ran.out, ran.err);
}

#[test]
fn a_commit_that_is_made_stays_where_the_index_is_held() {
    let place = place();
    place.write(".git/index.lock", "");
    let ran = ox(&place, &["commit", "--branch", "held"]);
    assert!(ran.code == Some(0) && ran.err.contains("run `git reset`"), "{}", ran.err);
    std::fs::remove_file(place.project(".git/index.lock")).unwrap();
    assert_eq!(git(&place, &["log", "--format=%s", "held"]), "Fix the sign\nbegin\n");
    git(&place, &["reset", "-q"]);
    assert_eq!(git(&place, &["status", "--porcelain"]), " M mine.txt\n?? untracked.txt\n");
}
