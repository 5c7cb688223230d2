//! Fixers run for real: small shell commands over small projects.

use ox_protocol::{Fixer, Rights};
use ox_sandbox::Plain;

use super::*;
use crate::tests::project;

fn fixer(name: &str, command: &str, files: &[&str]) -> Fixer {
    let files = files.iter().map(|it| (*it).to_owned()).collect();
    Fixer { name: name.into(), command: command.into(), files, limit_ms: 2_000, source: "config".into(), lacks: None }
}

fn edited(path: &str, before: Option<&str>, now: &str) -> Edited {
    Edited { path: path.into(), before: before.map(str::to_owned), now: now.into() }
}

/// What came of the files, and what was said.
async fn run(tree: &Tree, fixers: &[Fixer], edited: &[Edited]) -> (Vec<(String, String, String)>, Vec<String>) {
    let rights = Rights::command(tree.root().to_owned(), Duration::MAX);
    let place = Place { tree, runner: &Plain, rights: &rights, scratch: &Scratch::default() };
    let fixed = fix(fixers, edited, &place).await;
    let said = |it: &Problem| {
        let args: Vec<String> = it.args.values().map(ToString::to_string).collect();
        format!("{} {}", it.code, args.join(" | "))
    };
    let files = fixed.files.into_iter().map(|it| (it.path, it.new, it.by.join(", "))).collect();
    (files, fixed.problems.iter().map(said).collect())
}

/// Removes blanks at the ends of lines.
const TRIM: &str = "sed -i -e 's/ *$//' {files}";

#[tokio::test]
async fn fixers_follow_one_another_and_touch_nothing_but_the_edit() {
    let files = [("src/a.txt", "old \nkept\nnew \n"), ("src/b.md", "x \n"), ("other.txt", "y \n")];
    let (dir, tree) = project(&files);
    let fixers = [
        fixer("trim", &format!("cd src && {TRIM} && echo z > made.txt && : > ../other.txt"), &["*.txt"]),
        fixer("capital", "sed -i -e 's/new/New/' {files}", &["src/*"]),
    ];
    let edits = [edited("src/a.txt", Some("old \nkept\n"), files[0].1), edited("src/b.md", Some("x\n"), files[1].1)];
    let (fixed, said) = run(&tree, &fixers, &edits).await;
    assert_eq!(fixed, [("src/a.txt".into(), "old \nkept\nNew\n".into(), "trim, capital".into())]);
    assert_eq!(said, [""; 0]);
    for (path, text) in files {
        assert_eq!(fs::read_to_string(dir.path().join(path)).expect("it is there"), text, "{path}");
    }
    assert!(!dir.path().join("src/made.txt").exists());
}

#[tokio::test]
async fn what_fails_hangs_or_breaks_a_file_changes_nothing() {
    let (_dir, tree) = project(&[("a.json", "{\"a\": 1 }\n"), ("-odd name'.txt", "a \n")]);
    let json = [edited("a.json", None, "{\"a\": 1 }\n")];
    let mut lacking = fixer("lacking", TRIM, &[]);
    lacking.lacks =
        Some(ox_protocol::Lack { status: ox_protocol::CheckStatus::NotInstalled, why: "it is not there".into() });
    let table = [
        (fixer("fails", "echo {files}; echo no >&2; exit 3", &[]), "fixers.failed fails | exit code 3: a.json\nno"),
        (fixer("missing", "no-such-program-at-all {files} 2>/dev/null", &[]), "fixers.failed missing | exit code 127"),
        (Fixer { limit_ms: 50, ..fixer("hangs", "sleep 60", &[]) }, "fixers.timed_out hangs | 0"),
        (fixer("breaks", "echo '{' > a.json", &[]), "fixers.breaks breaks | a.json"),
        (fixer("deletes", "rm {files}", &[]), ""),
        (fixer("binary", "printf '\\377' > a.json", &[]), "fixers.failed binary | the files could not be read back"),
        (lacking, "fixers.lacks lacking | it is not there"),
        (fixer("others", "exit 1", &["*.rs"]), ""),
    ];
    for (fixer, expected) in table {
        let name = fixer.name.clone();
        let (fixed, said) = run(&tree, &[fixer], &json).await;
        assert_eq!(fixed, [], "{name}");
        match expected {
            "" if name == "deletes" => assert!(said[0].starts_with("fixers.failed deletes | exit code 1"), "{said:?}"),
            "" => assert_eq!(said, [""; 0], "{name}"),
            expected => assert_eq!(said, [expected], "{name}"),
        }
    }
    let many = " l\n".repeat(40);
    let indented = [edited("a.json", Some(&many), &many.replacen(" l", " new", 1))];
    let (fixed, said) = run(&tree, &[fixer("indents", "sed -i -e 's/^ //' {files}", &[])], &indented).await;
    assert_eq!((fixed, said), (Vec::new(), vec!["fixers.reaches indents | a.json".to_owned()]));
    let odd = [edited("-odd name'.txt", None, "a \n")];
    let (fixed, said) = run(&tree, &[fixer("trim", TRIM, &[])], &odd).await;
    assert_eq!((fixed, said), (vec![("-odd name'.txt".into(), "a\n".into(), "trim".into())], Vec::new()));
}

#[tokio::test]
async fn the_project_is_left_alone_in_the_sandbox_too() {
    let (dir, tree) = project(&[("a.txt", "a \n"), ("b.txt", "b \n")]);
    let sandbox = ox_sandbox::Sandbox::open(&ox_sandbox::SandboxOptions::default()).expect("a sandbox");
    let rights = Rights::command(tree.root().to_owned(), Duration::MAX);
    let place = Place { tree: &tree, runner: &sandbox, rights: &rights, scratch: &Scratch::default() };
    let fixers = [Fixer { limit_ms: 20_000, ..fixer("trim", "sed -i -e 's/ *$//' {files} b.txt", &[]) }];
    let fixed = fix(&fixers, &[edited("a.txt", Some(""), "a \n")], &place).await;
    assert_eq!(fixed.problems, []);
    assert_eq!(fixed.files.iter().map(|it| it.new.as_str()).collect::<Vec<_>>(), ["a\n"]);
    for (path, text) in [("a.txt", "a \n"), ("b.txt", "b \n")] {
        assert_eq!(fs::read_to_string(dir.path().join(path)).expect("it is there"), text);
    }
}
