//! Projects as lists of files, a change, and the narrower forms of their checks.

use std::cmp::Ordering;
use std::sync::{Arc, Mutex};

use expect_test::{Expect, expect};
use ox_index::{FileState, Index, Snapshot};
use ox_protocol::{BoxFuture, CheckReport, CheckResult, CheckStatus, Diagnostic};
use ox_repo::Tree;

use super::*;
use crate::rounds::{CurrentIndex, RunChecks};
use crate::{discover, rounds};

struct Place {
    _dir: tempfile::TempDir,
    tree: Tree,
    index: Arc<Index>,
}

/// The index of `tree` as it is now.
fn refreshed(index: &Index, tree: &Tree) -> Snapshot {
    let state = |it: ox_repo::State| FileState {
        path: it.path,
        size: it.size,
        mtime: it.mtime,
        ctime: it.ctime,
        inode: it.inode,
        mode: it.mode,
    };
    let files: Vec<FileState> = tree.states(false).files.into_iter().map(state).collect();
    index.update(&files, &|path| tree.listed(path), &|_| {}).expect("the tree can be read");
    index.snapshot()
}

fn place(files: &[(&str, &str)]) -> Place {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let root = dir.path().join("project");
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    let tree = Tree::open(&root, &[]).expect("the folder exists");
    let index = Index::open(&dir.path().join("cache"), &root.to_string_lossy()).expect("an index can be made");
    Place { _dir: dir, tree, index: Arc::new(index) }
}

fn check(files: &[(&str, &str)], changed: &[&str], expected: Expect) {
    let it = place(files);
    let changed: Vec<String> = changed.iter().map(|it| (*it).to_owned()).collect();
    let checks = discover(&it.tree, &[]);
    let shown = |it: Option<Check>| it.map(|it| format!("{}: {}\n", it.name, it.command));
    let forms = narrow(&checks, &it.tree, &refreshed(&it.index, &it.tree), &changed);
    expected.assert_eq(&forms.into_iter().filter_map(shown).collect::<String>());
}

const PYTHON: [(&str, &str); 7] = [
    ("pyproject.toml", "[tool.pytest]\n[tool.ruff]\n"),
    ("app/__init__.py", ""),
    ("app/a.py", "def first():\n    return 1\n"),
    ("app/b.py", "def second():\n    return 2\n"),
    ("tests/test_a.py", "from app.a import first\n\ndef test_first():\n    assert first() == 1\n"),
    ("tests/test_b.py", "from app.b import second\n\ndef test_second():\n    assert second() == 2\n"),
    ("tests/test_c.py", "def test_nothing():\n    pass\n"),
];

#[test]
fn pytest_and_ruff_take_files() {
    let forms = expect![[r#"
        ruff (narrow): python3 -m ruff check app/a.py
        pytest (narrow): python3 -m pytest -q -rfE --tb=short --continue-on-collection-errors tests/test_a.py
    "#]];
    let place = place(&PYTHON);
    let checks = discover(&place.tree, &[]);
    let snapshot = refreshed(&place.index, &place.tree);
    let shown = |it: Check| format!("{}: {}\n", it.name, it.command.replace("; ruff", "; python3 -m ruff"));
    let found: String =
        narrow(&checks, &place.tree, &snapshot, &["app/a.py".into()]).into_iter().flatten().map(shown).collect();
    // Where ruff is installed it is called by its own name.
    forms.assert_eq(&found.replace(": ruff ", ": python3 -m ruff "));
    // What has no known reach, and what is not there any more, has no narrower tests.
    assert!(narrow(&checks, &place.tree, &snapshot, &["README.md".into()]).iter().all(Option::is_none));
    assert!(narrow(&checks, &place.tree, &snapshot, &["gone.py".into()]).iter().all(Option::is_none));
}

#[test]
fn cargo_takes_packages_targets_and_modules() {
    let files = [
        ("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n"),
        ("a/Cargo.toml", "[package]\nname = \"a\"\n"),
        ("a/src/lib.rs", "pub mod deep;\npub mod other;\n"),
        (
            "a/src/deep.rs",
            "pub fn dig() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n#[test]\nfn digs() { super::dig(); }\n}\n",
        ),
        ("a/src/other.rs", "pub fn rest() -> u8 { 1 }\n"),
        ("b/Cargo.toml", "[package]\nname = \"b\"\n[dependencies]\na = { path = \"../a\" }\n"),
        ("b/src/lib.rs", "use a::other::rest;\npub fn use_it() -> u8 { rest() }\n"),
        ("b/tests/uses.rs", "use b::use_it;\n#[test]\nfn uses() { use_it(); }\n"),
        ("b/tests/none.rs", "#[test]\nfn none() {}\n"),
    ];
    let unit = expect![[r#"
        cargo test (narrow): cargo test --no-fail-fast -p a --lib -- deep::
    "#]];
    check(&files, &["a/src/deep.rs"], unit);
    let other = expect![[r#"
        cargo test (narrow): cargo test --no-fail-fast -p b --test uses
    "#]];
    check(&files, &["a/src/other.rs"], other);
}

#[test]
fn cargo_takes_those_who_depend_on_the_edited_package_and_no_neighbours() {
    let test = "#[test]\nfn matches() { dig(); }\n";
    let files = [
        (
            "Cargo.toml",
            "[package]\nname = \"root\"\n[[bin]]\nname = \"root\"\npath = \"core/main.rs\"\n\
            [[test]]\nname = \"integration\"\npath = \"tests/tests.rs\"\n[workspace]\n[workspace.dependencies]\n\
            dig = { package = \"digging\", path = \"crates/dig\" }\n[dependencies]\nwalk = { path = \"crates/walk\" }\n",
        ),
        ("core/main.rs", "fn main() { walk::walk(); }\n"),
        ("tests/tests.rs", "#[test]\nfn runs() {}\n"),
        ("crates/dig/Cargo.toml", "[package]\nname = \"digging\"\n"),
        (
            "crates/dig/src/lib.rs",
            "pub fn dig() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n#[test]\nfn digs() { super::dig(); }\n}\n",
        ),
        ("crates/walk/Cargo.toml", "[package]\nname = \"walk\"\n[dependencies]\ndig = { workspace = true }\n"),
        ("crates/walk/src/lib.rs", "pub fn walk() { dig::dig(); }\n"),
        ("crates/beside/Cargo.toml", "[package]\nname = \"beside\"\n"),
        ("crates/beside/src/lib.rs", "pub fn dig() {}\n"),
        ("crates/beside/tests/a.rs", test),
    ];
    check(
        &files,
        &["crates/dig/src/lib.rs"],
        expect![[r#"
            cargo test (narrow): cargo test --no-fail-fast -p digging -p root
        "#]],
    );
}

#[test]
fn a_runner_of_the_project_takes_labels_or_files() {
    let sources = [
        ("app/a.py", "def first():\n    return 1\n"),
        ("tests/basic/test_a.py", "from app.a import first\n\ndef test_first():\n    assert first() == 1\n"),
        ("tests/basic/test_b.py", "def test_second():\n    pass\n"),
    ];
    for (runner, expected) in [
        (
            ("tests/runtests.py", "import unittest\n"),
            "runtests.py (narrow): cd tests && PYTHONPATH=.. python3 runtests.py basic.test_a\n",
        ),
        (("bin/test", "#!/usr/bin/env python\n"), "bin/test (narrow): python3 bin/test tests/basic/test_a.py\n"),
    ] {
        let files: Vec<(&str, &str)> = sources.into_iter().chain([runner]).collect();
        let it = place(&files);
        let forms = narrow(&discover(&it.tree, &[]), &it.tree, &refreshed(&it.index, &it.tree), &["app/a.py".into()]);
        let shown: String = forms.into_iter().flatten().map(|it| format!("{}: {}\n", it.name, it.command)).collect();
        assert_eq!(shown, expected);
    }
}

#[test]
fn what_does_not_end_is_not_run_in_full_again() {
    let it = place(&PYTHON);
    let whole = discover(&it.tree, &[]).into_iter().find(|it| it.kind == CheckKind::Test).unwrap();
    let cut = |check: &Check| answer(check, CheckStatus::TimedOut, "");
    let said = |status| answer(&whole, status, "");
    let frame = |seq, result| {
        let event = ox_protocol::Event::CheckResult {
            want: ox_protocol::WantId { seq: ox_protocol::Seq(seq), index: 0 },
            baseline: false,
            round: 1,
            total: 5,
            report: CheckReport { results: vec![result], tree: String::new() },
        };
        ox_protocol::Frame::new(ox_protocol::Seq(seq), ox_protocol::Time(seq), event)
    };
    let mut log = vec![frame(2, cut(&whole)), frame(3, said(CheckStatus::Skipped))];
    assert_eq!(rounds::endless(&log), std::slice::from_ref(&whole));
    log.push(frame(4, said(CheckStatus::Passed)));
    assert_eq!(rounds::endless(&log), []);
    // A part that does not end speaks for the whole.
    assert_eq!(
        round(&["app/a.py"], None, |it| answer(it, CheckStatus::TimedOut, "")),
        "ran pytest (narrow) → pytest (narrow) TimedOut, pytest Skipped"
    );
}

#[test]
fn scripts_that_run_vitest_or_jest_take_files() {
    let tests = [
        ("src/a.ts", "export const one = () => 1;\n"),
        ("src/a.test.ts", "import { one } from './a';\nit('is', () => { one(); });\n"),
        ("src/b.test.ts", "it('b', () => {});\n"),
    ];
    for (package, expected) in [
        (r#"{"scripts": {"test": "vitest run"}}"#, "npm run test (narrow): npm test --silent -- src/a.test.ts\n"),
        (
            // What needs its manager by name runs by no other.
            r#"{"packageManager": "pnpm@9", "scripts": {"test": "jest --reporters pnpm"}}"#,
            "pnpm run test (narrow): pnpm --silent run test --runTestsByPath src/a.test.ts\n",
        ),
        (r#"{"devDependencies": {"vitest": "1"}}"#, "vitest (narrow): npx --no-install vitest run src/a.test.ts\n"),
        (r#"{"scripts": {"test": "vitest run && echo done"}}"#, ""),
        (r#"{"scripts": {"test": "mocha"}}"#, ""),
    ] {
        let files: Vec<(&str, &str)> = tests.into_iter().chain([("package.json", package)]).collect();
        let it = place(&files);
        let checks = discover(&it.tree, &[]);
        let forms = narrow(&checks, &it.tree, &refreshed(&it.index, &it.tree), &["src/a.ts".into()]);
        let shown: String = forms.into_iter().flatten().map(|it| format!("{}: {}\n", it.name, it.command)).collect();
        assert_eq!(shown, expected, "{package}");
    }
}

#[test]
fn go_takes_packages() {
    let files = [
        ("go.mod", "module m\n"),
        ("a/a.go", "package a\n\nfunc Sum() int { return 1 }\n"),
        ("a/a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) { Sum() }\n"),
        ("b/b.go", "package b\n\nfunc Else() int { return 1 }\n"),
        ("b/b_test.go", "package b\n\nimport \"testing\"\n\nfunc TestElse(t *testing.T) { Else() }\n"),
    ];
    check(
        &files,
        &["a/a.go"],
        expect![[r#"
        go test (narrow): go test ./a
    "#]],
    );
    check(&files, &["a/a.go", "b/b.go"], expect![[""]]);
}

#[test]
fn maven_and_gradle_take_classes() {
    let sources = [
        ("core/src/main/java/m/A.java", "package m;\npublic class A { public int sum() { return 1; } }\n"),
        ("core/src/test/java/m/ATest.java", "package m;\npublic class ATest { void sums() { new A().sum(); } }\n"),
        ("core/src/test/java/m/BTest.java", "package m;\npublic class BTest { void none() { } }\n"),
    ];
    let with = |more: &[(&'static str, &'static str)]| -> Vec<(&'static str, &'static str)> {
        sources.into_iter().chain(more.iter().copied()).collect()
    };
    let other = "<project><modules><module>web</module></modules></project>";
    check(
        &with(&[("pom.xml", other), ("core/pom.xml", "<project/>")]),
        &["core/src/main/java/m/A.java"],
        expect![[""]],
    );
    check(
        &with(&[("pom.xml", "<project/>"), ("core/pom.xml", "<project/>")]),
        &["core/src/main/java/m/A.java"],
        expect![[r#"
            mvn test (narrow): mvn -B --fail-at-end -pl core -am test -Dtest=ATest -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false
        "#]],
    );
    check(
        &with(&[("settings.gradle", ""), ("core/build.gradle", "")]),
        &["core/src/main/java/m/A.java"],
        expect![[r#"
            gradle test (narrow): gradle --console=plain -q --continue :core:test --tests ATest
        "#]],
    );
}

/// Runs the checks of the Python project after a change of `changed`, each answering as `says` has it, and tells which ran
/// and how the report ends.
fn round(changed: &[&str], baseline: Option<CheckReport>, says: fn(&Check) -> CheckResult) -> String {
    ran(&PYTHON, says, async |it| {
        let changed = changed.iter().map(|it| (*it).to_owned()).collect();
        rounds::Round { changed, baseline, ..it }.run().await
    })
}

/// The same for a project of `files`, with a round in which nothing was changed.
fn ran(
    files: &[(&str, &str)],
    says: fn(&Check) -> CheckResult,
    runs: impl AsyncFnOnce(rounds::Round) -> CheckReport,
) -> String {
    let it = place(files);
    let ran: Arc<Mutex<Vec<String>>> = Arc::default();
    let (noted, seen) = (ran.clone(), it.tree.clone());
    let run: RunChecks = Arc::new(move |checks: Vec<Check>| -> BoxFuture<'static, CheckReport> {
        noted.lock().unwrap().extend(checks.iter().map(|it| it.name.clone()));
        let results = checks.iter().map(says).collect();
        Box::pin(std::future::ready(CheckReport { results, tree: seen.snapshot().stamp() }))
    });
    let checks: Vec<Check> = discover(&it.tree, &[]).into_iter().filter(|it| it.kind == CheckKind::Test).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (index, tree) = (it.index.clone(), it.tree.clone());
    let (of_index, of_tree) = (index, tree.clone());
    let index: Option<CurrentIndex> = Some(Arc::new(move || Some(refreshed(&of_index, &of_tree))));
    let (changed, endless) = (Vec::new(), Vec::new());
    let round = rounds::Round { run, index, tree, checks, changed, baseline: None, endless, earlier: None, kept: None };
    let report = runtime.block_on(runs(round));
    let results: Vec<String> = report.results.iter().map(|it| format!("{} {:?}", it.check.name, it.status)).collect();
    let ran = ran.lock().unwrap().join(", ");
    format!("ran {ran} → {}", results.join(", "))
}

#[test]
fn what_failed_before_keeps_no_other_check_from_running() {
    let it = place(&PYTHON);
    let test = discover(&it.tree, &[]).into_iter().find(|it| it.kind == CheckKind::Test).unwrap();
    let check = |command: &str| Check { name: command.into(), command: command.into(), ..test.clone() };
    let fails = |it: Check| CheckResult::ended(it, CheckStatus::Failed);
    // As they really run: behind one that fails the others are skipped.
    let run: RunChecks = Arc::new(move |checks: Vec<Check>| -> BoxFuture<'static, CheckReport> {
        let at = checks.iter().position(|it| it.command == "lint").unwrap_or(checks.len());
        let status = |index: usize| match index.cmp(&at) {
            Ordering::Less => CheckStatus::Passed,
            Ordering::Equal => CheckStatus::Failed,
            Ordering::Greater => CheckStatus::Skipped,
        };
        let results = checks.into_iter().enumerate().map(|(index, it)| CheckResult::ended(it, status(index))).collect();
        Box::pin(std::future::ready(CheckReport { results, tree: String::new() }))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ended = |before: Vec<CheckResult>| -> String {
        let round = rounds::Round {
            run: run.clone(),
            index: None,
            tree: it.tree.clone(),
            checks: ["types", "lint", "test"].map(check).to_vec(),
            changed: Vec::new(),
            baseline: Some(CheckReport { results: before, tree: String::new() }),
            endless: Vec::new(),
            earlier: None,
            kept: None,
        };
        let results = runtime.block_on(round.run()).results;
        results.iter().map(|it| format!("{} {:?}", it.check.name, it.status)).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(ended(vec![fails(check("lint"))]), "types Passed, lint Failed, test Passed");
    assert_eq!(ended(Vec::new()), "types Passed, lint Failed, test Skipped");
}

#[test]
fn of_a_large_project_only_the_tests_that_an_edit_can_reach_run_before_it() {
    // With the three that the project has, the last one makes it large.
    let more: Vec<String> = (0..58).map(|it| format!("tests/test_more_{it}.py")).collect();
    let files = |count: usize| -> Vec<(&str, &str)> {
        let more = more[..count].iter().map(|it| (it.as_str(), "def test_more():\n    pass\n"));
        PYTHON.into_iter().chain(more).collect()
    };
    for (count, edited, expected) in [
        (57, "app/a.py", "ran pytest → pytest Passed"),
        (58, "app/a.py", "ran pytest (narrow) → pytest (narrow) Passed"),
        (58, "notes.txt", "ran  → pytest Skipped"),
    ] {
        let found = ran(
            &files(count),
            |it| answer(it, CheckStatus::Passed, ""),
            async |it| rounds::Round { changed: vec![edited.to_owned()], ..it }.before().await,
        );
        assert_eq!(found, expected, "{count} {edited}");
    }
}

#[test]
fn what_passed_over_the_same_tree_is_not_run_again_before_an_edit_and_is_after_one() {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let kept = Arc::new(crate::Kept::new(dir.path().join("kept")));
    let with = |it: rounds::Round| rounds::Round {
        changed: Vec::new(),
        checks: it.checks.into_iter().map(|it| Check { command: "sh -c true".into(), ..it }).collect(),
        kept: Some(kept.clone()),
        ..it
    };
    let found = ran(
        &PYTHON,
        |it| answer(it, CheckStatus::Passed, ""),
        async |it| {
            let (tree, checks, run) = (it.tree.clone(), it.checks.clone(), it.run.clone());
            let index = it.index.clone();
            let again = || rounds::Round {
                run: run.clone(),
                index: index.clone(),
                tree: tree.clone(),
                checks: checks.clone(),
                changed: Vec::new(),
                baseline: None,
                endless: Vec::new(),
                earlier: None,
                kept: None,
            };
            let stamp = tree.snapshot().stamp();
            let first = with(again()).before().await;
            assert_eq!(first.tree, stamp);
            let second = with(again()).before().await;
            assert_eq!(second.results.len(), first.results.len());
            with(again()).run().await
        },
    );
    // Once before the first edit, and once after an edit.
    assert_eq!(found, "ran pytest, pytest → pytest Passed");
}

fn answer(check: &Check, status: CheckStatus, message: &str) -> CheckResult {
    let said =
        Diagnostic { file: "tests/test_a.py".into(), line: 4, column: 1, code: String::new(), message: message.into() };
    CheckResult {
        exit_code: Some(i32::from(status != CheckStatus::Passed)),
        diagnostics: if message.is_empty() { Vec::new() } else { vec![said] },
        ..CheckResult::ended(check.clone(), status)
    }
}

#[test]
fn the_narrow_form_comes_first_and_the_whole_check_last() {
    let passes = |it: &Check| answer(it, CheckStatus::Passed, "");
    let fails = |it: &Check| answer(it, CheckStatus::Failed, "assert 1 == 2");
    let unread = |it: &Check| match it.part_of {
        Some(_) => answer(it, CheckStatus::Failed, ""),
        None => answer(it, CheckStatus::Passed, ""),
    };
    let old = || {
        let whole = discover(&place(&PYTHON).tree, &[]).into_iter().find(|it| it.kind == CheckKind::Test).unwrap();
        Some(CheckReport { results: vec![fails(&whole)], tree: String::new() })
    };
    for (what, found, expected) in [
        (
            "it passes, so all run",
            round(&["app/a.py"], None, passes),
            "ran pytest (narrow), pytest → pytest (narrow) Passed, pytest Passed",
        ),
        (
            "it fails, so the whole would tell no more",
            round(&["app/a.py"], None, fails),
            "ran pytest (narrow) → pytest (narrow) Failed, pytest Skipped",
        ),
        (
            "what failed before is not held against the change",
            round(&["app/a.py"], old(), fails),
            "ran pytest (narrow), pytest → pytest (narrow) Failed, pytest Failed",
        ),
        (
            "it may be wrong itself",
            round(&["app/a.py"], None, unread),
            "ran pytest (narrow), pytest → pytest (narrow) CouldNotStart, pytest Passed",
        ),
        ("nothing is known to be reached", round(&["notes.txt"], None, passes), "ran pytest → pytest Passed"),
        ("nothing was changed", round(&[], None, passes), "ran pytest → pytest Passed"),
    ] {
        assert_eq!(found, expected, "{what}");
    }
}
