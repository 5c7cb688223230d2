//! Checks run for real: the tools that this machine has, over small projects.

use std::fs;
use std::sync::Mutex;

use ox_protocol::{Check, CheckConfig, CheckKind, CheckReport, CheckStatus, Tests};
use ox_repo::Tree;
use ox_sandbox::Plain;
use tempfile::TempDir;

use super::*;

pub(super) fn project(files: &[(&str, &str)]) -> (TempDir, Tree) {
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
    }
    let tree = Tree::open(dir.path(), &[]).expect("the folder exists");
    (dir, tree)
}

fn configured(command: &str, kind: CheckKind) -> CheckConfig {
    CheckConfig { command: command.to_owned(), kind: Some(kind), name: None, timeout: None }
}

/// Status and diagnostics of each check.
fn shown(report: &CheckReport) -> Vec<(String, CheckStatus, Vec<String>)> {
    let diagnostics = |it: &ox_protocol::CheckResult| {
        let lines = it.diagnostics.iter();
        lines.map(|it| format!("{}:{} [{}] {}", it.file, it.line, it.code, it.message)).collect()
    };
    report.results.iter().map(|it| (it.check.name.clone(), it.status, diagnostics(it))).collect()
}

fn wanted(name: &str, status: CheckStatus, diagnostics: &[&str]) -> (String, CheckStatus, Vec<String>) {
    (name.to_owned(), status, diagnostics.iter().map(|it| (*it).to_owned()).collect())
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"lab\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
const LOCK: (&str, &str) = ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"lab\"\nversion = \"0.1.0\"\n");

#[tokio::test]
async fn a_rust_project_fails_repairs_and_stays_as_it_is() {
    let broken = "pub fn add(a: i32, b: i32) -> i32 { a - c }\n";
    let (dir, tree) = project(&[MANIFEST, LOCK, ("src/lib.rs", broken)]);
    let checks = discover(&tree, &[]);
    let live = Mutex::new(String::new());
    let on_output = |_: &Check, piece: &[u8]| live.lock().expect("no panic").push_str(&String::from_utf8_lossy(piece));

    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), Some(&on_output)).await;
    let words = "src/lib.rs:1 [E0425] cannot find value `c` in this scope\nhelp: a local variable with a similar name exists: `a`";
    let skipped = wanted("cargo test", CheckStatus::Skipped, &[]);
    assert_eq!(shown(&report), [wanted("cargo check", CheckStatus::Failed, &[words]), skipped]);
    let live = live.into_inner().expect("no panic");
    assert!(live.contains("error[E0425]") && !live.contains("{\"reason\""), "{live}");

    let wrong = "pub fn add(a: i32, b: i32) -> i32 { a - b }\n#[test]\nfn adds() { assert_eq!(add(2, 2), 4); }\n";
    fs::write(dir.path().join("src/lib.rs"), wrong).expect("files can be written");
    let before = tree.snapshot();
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    let words = "src/lib.rs:3 [adds] assertion `left == right` failed\n  left: 0\n right: 4";
    let passed = wanted("cargo check", CheckStatus::Passed, &[]);
    assert_eq!(shown(&report), [passed.clone(), wanted("cargo test", CheckStatus::Failed, &[words])]);
    assert_eq!(report.tree, before.stamp());
    // Build output is derived and does not count, ignored or not.
    assert_eq!(before.diff(&tree.snapshot()), []);

    fs::write(dir.path().join("src/lib.rs"), wrong.replace("a - b", "a + b")).expect("files can be written");
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    assert_eq!(shown(&report), [passed, wanted("cargo test", CheckStatus::Passed, &[])]);
    assert!(report.passed());
}

#[tokio::test]
async fn a_python_project_is_tested_without_leaving_a_trace() {
    let test = "import unittest\nfrom calc import add\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 1), 2)\n";
    let (_dir, tree) = project(&[("calc.py", "def add(a, b):\n    return a - b\n"), ("test_calc.py", test)]);
    let before = tree.snapshot();
    let report = run(&discover(&tree, &[]), &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    let words = "test_calc.py:5 [test_calc.T.test_add] AssertionError: 0 != 2";
    assert_eq!(shown(&report), [wanted("unittest", CheckStatus::Failed, &[words])]);
    assert_eq!(before.diff(&tree.snapshot()), []);
}

#[tokio::test]
async fn what_is_not_installed_is_unavailable() {
    let package = r#"{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "4"}}"#;
    let (_dir, tree) = project(&[("package.json", package)]);
    let mut checks = discover(&tree, &[]);
    let missing = configured("no-such-program --check", CheckKind::Lint);
    let module = configured("python3 -m no_such_module -q", CheckKind::Lint);
    let empty = configured("echo 'no tests ran in 0.01s'; exit 5", CheckKind::Test);
    let plugin = configured(
        "echo 'ERROR: usage: python -m pytest [options]\npython -m pytest: error: unrecognized arguments: --cov=a'; exit 4",
        CheckKind::Test,
    );
    checks.extend(discover(&tree, &[missing, module, empty, plugin]));
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    let status: Vec<_> = report.results.iter().map(|it| it.status).collect();
    let [missing, empty] = [CheckStatus::NotInstalled, CheckStatus::CouldNotStart];
    assert_eq!(status, [missing, missing, missing, empty, missing]);
    let words: Vec<&str> = report.results.iter().map(|it| it.tail.as_str()).collect();
    assert!(words[0].contains("run `npm install` first"), "{words:?}");
    assert!(words[1].contains("no-such-program") && words[1].contains("install the program"), "{words:?}");
    assert!(words[2].contains("No module named no_such_module"), "{words:?}");
    assert!(words[4].contains("arguments: --cov=a") && words[4].contains("install that plugin"), "{words:?}");
    assert!(report.passed(), "what cannot run is held against nobody");
}

#[tokio::test]
async fn a_run_of_no_tests_is_no_proof() {
    let (_dir, tree) = project(&[("tests/notes.txt", "")]);
    let check = configured("python3 -m unittest discover -s tests", CheckKind::Test);
    let report = run(&discover(&tree, &[check]), &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    assert_eq!(report.results[0].status, CheckStatus::CouldNotStart);
    assert_eq!(report.results[0].tail, "it found no tests to run");
}

#[tokio::test]
async fn a_broken_hook_is_no_lack_of_tests() {
    let (_dir, tree) = project(&[("a", "")]);
    let command = "echo 'INTERNALERROR> ValueError: x'; echo 'no tests ran in 0.01s'; exit 3";
    let report = run(
        &discover(&tree, &[configured(command, CheckKind::Test)]),
        &tree,
        &Plain,
        &rights(&tree),
        &Scratch::default(),
        None,
    )
    .await;
    assert_eq!(report.results[0].status, CheckStatus::Failed);
}

#[tokio::test]
async fn a_check_that_hangs_is_ended_and_its_last_words_are_kept() {
    let (_dir, tree) = project(&[("a", "")]);
    let mut checks = discover(&tree, &[configured("echo waiting; sleep 60", CheckKind::Test)]);
    checks[0].limit_ms = 200;
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    assert_eq!((report.results[0].status, report.results[0].tail.as_str()), (CheckStatus::TimedOut, "waiting"));
    assert!((200..5_000).contains(&report.results[0].duration_ms) && !report.passed());
}

#[tokio::test]
async fn a_type_checker_beside_an_interpreter_does_not_stop_the_tests() {
    let (_dir, tree) = project(&[("a", "")]);
    let commands = [
        configured("echo 'a.py:3: error: bad  [type]'; exit 1", CheckKind::Types),
        configured("true", CheckKind::Test),
    ];
    let report = run(&discover(&tree, &commands), &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    let status: Vec<_> = report.results.iter().map(|it| it.status).collect();
    assert_eq!(status, [CheckStatus::Failed, CheckStatus::Passed]);
}

#[tokio::test]
async fn what_was_seen_before_the_limit_counts() {
    let (_dir, tree) = project(&[("a", "")]);
    let mut checks = discover(&tree, &[configured("echo '........F.  [ 10%]'; sleep 60", CheckKind::Test)]);
    checks[0].limit_ms = 300;
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    assert_eq!(report.results[0].status, CheckStatus::TimedOut);
    assert_eq!(report.results[0].tests, Some(Tests { passed: 9, failed: 1 }));
}

#[tokio::test]
async fn make_builds_in_a_copy_that_follows_the_project() {
    let makefile = "test: out\n\t@grep -q good out\n\t@echo 'a.c:3:1: error: bad'; test -f fine\nout: a.c\n\tcp a.c out; echo built\n";
    let (dir, tree) = project(&[("Makefile", makefile), ("a.c", "good"), ("gone", "")]);
    let (checks, scratch) = (discover(&tree, &[]), Scratch::default());
    let before = tree.snapshot();
    let report = run(&checks, &tree, &Plain, &rights(&tree), &scratch, None).await;
    assert_eq!(shown(&report), [wanted("make test", CheckStatus::Failed, &["a.c:3 [] bad"])]);
    assert_eq!((before.diff(&tree.snapshot()), &report.results[0].wrote), (Vec::new(), &Vec::new()));
    fs::write(dir.path().join("fine"), "").expect("files can be written");
    fs::remove_file(dir.path().join("gone")).expect("it is there");
    let report = run(&checks, &tree, &Plain, &rights(&tree), &scratch, None).await;
    assert_eq!(shown(&report), [wanted("make test", CheckStatus::Passed, &[])]);
    let copy = scratch.of(&tree).expect("it is there");
    assert!(copy.join("out").exists() && !copy.join("gone").exists(), "what was built stays, what is gone goes");
    drop(scratch);
    assert!(!copy.exists());
}

#[tokio::test]
async fn what_another_check_leaves_behind_is_reported() {
    let (_dir, tree) = project(&[("a", "")]);
    let checks =
        discover(&tree, &[configured("mkdir tmp; touch tmp/1 tmp/2 tmp/3 tmp/4 tmp/5 tmp/6", CheckKind::Test)]);
    let report = run(&checks, &tree, &Plain, &rights(&tree), &Scratch::default(), None).await;
    assert_eq!(report.results[0].wrote, ["tmp/1", "tmp/2", "tmp/3", "tmp/4", "tmp/5", "+1"]);
}

#[tokio::test]
async fn what_cannot_run_is_known_without_running_it() {
    let package = r#"{"scripts": {"typecheck": "tsc --noEmit"}, "devDependencies": {"vitest": "1"}}"#;
    let config = "{ \"files\": [ ], \"references\": [] }";
    let files =
        [("package.json", package), ("tsconfig.json", config), ("node_modules/x", ""), (".venv/pyvenv.cfg", "")];
    let (_dir, tree) = project(&files);
    let python = Check::new("pytest", CheckKind::Test, ".venv/bin/python -m pytest -q", 1, "pytest.ini");
    fs::create_dir_all(tree.root().join(".venv/lib/python3.12/site-packages/ruff")).expect("folders can be made");
    fs::create_dir_all(tree.root().join(".venv/bin/python")).expect("folders can be made");
    let mut checks = discover(&tree, &[]);
    checks.extend([python.clone(), Check { command: ".venv/bin/python -m ruff".into(), ..python.clone() }]);
    checks.push(Check { command: "no-such-program -x".into(), ..python });
    let seen = seen_from_inside(checks, &tree, &Plain, &rights(&tree)).await;
    let why: Vec<String> = seen
        .iter()
        .map(|it| it.lacks.as_ref().map_or("-".to_owned(), |it| format!("{:?} {}", it.status, it.why)))
        .collect();
    let expected = [
        "CouldNotStart tsconfig.json has `\"files\": []`, so that this type check would look at nothing",
        "NotInstalled vitest is not among the installed dependencies",
        "NotInstalled the package pytest is not installed for .venv/bin/python: run `.venv/bin/python -m pip install pytest`",
        "-",
        "NotInstalled no-such-program is not installed",
    ];
    assert_eq!(why, expected);
}

#[tokio::test]
async fn paths_are_those_of_the_tree() {
    let (dir, tree) = project(&[("src/a.c", ""), ("pkg/calc/calc_test.go", ""), ("web/src/b.ts", "")]);
    let root = dir.path().canonicalize().expect("the folder exists");
    let table = [
        (format!("echo '{}/src/a.c:3:1: error: x'; exit 1", root.display()), "src/a.c"),
        ("echo './src/a.c:3:1: error: x'; exit 1".to_owned(), "src/a.c"),
        ("cd web && echo 'src/b.ts(3,1): error TS1: x'; exit 1".to_owned(), "web/src/b.ts"),
        ("echo 'calc_test.go:3:1: error: x'; exit 1".to_owned(), "pkg/calc/calc_test.go"),
        ("echo 'example.com/m/pkg/calc/calc_test.go:3:1: x'; exit 1".to_owned(), "pkg/calc/calc_test.go"),
        ("echo '/usr/include/stdio.h:3:1: error: x'; exit 1".to_owned(), "/usr/include/stdio.h"),
        ("echo 'gone.c:3:1: error: x'; exit 1".to_owned(), "gone.c"),
    ];
    for (command, file) in table {
        let report = run(
            &discover(&tree, &[configured(&command, CheckKind::Lint)]),
            &tree,
            &Plain,
            &rights(&tree),
            &Scratch::default(),
            None,
        )
        .await;
        let found = &report.results[0].diagnostics;
        assert_eq!((found.len(), found[0].file.as_str(), found[0].line), (1, file, 3), "{command}");
    }
}

#[tokio::test]
async fn the_end_of_unreadable_output_is_kept() {
    let (_dir, tree) = project(&[("a", "")]);
    let command = "seq 1 20000; echo 'all is lost'; exit 3";
    let report = run(
        &discover(&tree, &[configured(command, CheckKind::Test)]),
        &tree,
        &Plain,
        &rights(&tree),
        &Scratch::default(),
        None,
    )
    .await;
    let result = &report.results[0];
    assert_eq!((result.status, result.exit_code, result.diagnostics.len()), (CheckStatus::Failed, Some(3), 0));
    assert!(result.tail.starts_with("[…]\n") && result.tail.ends_with("20000\nall is lost"));
    assert!(result.tail.len() <= 9 << 10);
}

fn rights(tree: &Tree) -> ox_protocol::Rights {
    ox_protocol::Rights::command(tree.root().to_owned(), std::time::Duration::MAX)
}
