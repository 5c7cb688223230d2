//! What verification itself costs before any check runs and after it ended: finding the checks, choosing what a change
//! reaches, reading a large output, and the audit of a change, on made trees with several ecosystems. `cargo xtask bench checks`.
//!
//! Prints each part against the limit, and ends with 1 where the sum is above it. The index is made before and not measured.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ox_audit::{Changed, Ground, audit};
use ox_checks::{discover, narrow, parse, reached};
use ox_index::{FileState, Index, Snapshot};
use ox_repo::Tree;

/// Files of a tree, and the milliseconds that all parts may take together.
const SIZES: [(usize, u64); 2] = [(1_000, 50), (10_000, 200)];
/// Each part is measured so often; the median counts.
const RUNS: usize = 7;
/// Failures in the output that is read.
const FAILURES: usize = 400;
/// Files of the change that is audited, about [`LINES`] long each.
const EDITED: [&str; 5] = [
    "packages/api/src/large.py",
    "packages/api/tests/test_large.py",
    "packages/web/src/large.ts",
    "services/gate/large.go",
    "crates/c0/src/large.rs",
];
const LINES: usize = 300;

fn main() -> ExitCode {
    let mut kept = true;
    for (files, limit) in SIZES {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        let root = dir.path().join("project");
        let written = write(&root, files);
        let tree = Tree::open(&root, &[]).expect("the folder exists");
        let snapshot = indexed(&dir.path().join("index"), &tree);
        let (found, checks) = median(|| discover(&tree, &[]));
        let changed = ["packages/api/src/m1.py", "crates/c1/src/lib.rs", "packages/web/src/m1.ts"].map(String::from);
        let choose = || (narrow(&checks, &tree, &snapshot, &changed), reached(&checks, &changed));
        let (chosen, (forms, _)) = median(choose);
        let output = output();
        let pytest = checks.iter().find(|it| it.name == "pytest").expect("the tree has tests in Python");
        let (read, diagnostics) = median(|| parse(&output, pytest, &tree));
        let changes: Vec<Changed> = EDITED.iter().map(|it| edited(it)).collect();
        let (audited, findings) = median(|| audited(&tree, &snapshot, &changes));
        let sum = found + chosen + read + audited;
        kept &= sum <= Duration::from_millis(limit);
        let forms = forms.iter().flatten().count();
        println!("{written} files: {} checks found in {found:.1?}; {forms} narrowed in {chosen:.1?};", checks.len());
        println!("  {} complaints read from {} KiB in {read:.1?};", diagnostics.len(), output.len() >> 10);
        println!("  {} files of {LINES} lines audited in {audited:.1?} ({findings} findings)", changes.len());
        println!(
            "  together {sum:.1?}, limit {limit} ms: {}",
            if sum.as_millis() <= limit.into() { "kept" } else { "NOT KEPT" }
        );
    }
    if kept { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The median time of some runs, and what the last one gave.
fn median<T>(mut part: impl FnMut() -> T) -> (Duration, T) {
    let mut last = part();
    let mut times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            last = part();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[RUNS / 2], last)
}

/// A repository with four ecosystems in as many folders; a module imports its neighbour and has a test.
fn write(root: &Path, files: usize) -> usize {
    let mut count = 0;
    let mut put = |path: &str, text: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders can be made");
        fs::write(path, text).expect("files can be written");
        count += 1;
    };
    put("Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    let steps = "      - run: cargo test --workspace\n      - run: pytest\n        working-directory: packages/api\n";
    put(".github/workflows/ci.yml", &format!("jobs:\n  test:\n    steps:\n{steps}"));
    put("packages/api/pyproject.toml", "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n");
    let scripts = r#"{"scripts": {"test": "vitest run", "lint": "eslint .", "typecheck": "tsc --noEmit"}}"#;
    put("packages/web/package.json", scripts);
    put("services/gate/go.mod", "module example.com/gate\n");
    let each = files / 8;
    for it in 0..each {
        let before = it.saturating_sub(1);
        let python = format!("from src.m{before} import f{before}\n\n\ndef f{it}():\n    return f{before}()\n");
        put(&format!("packages/api/src/m{it}.py"), &python);
        let test = format!("from src.m{it} import f{it}\n\n\ndef test_{it}():\n    assert f{it}() == 1\n");
        put(&format!("packages/api/tests/test_m{it}.py"), &test);
        let script = format!("import {{ f{before} }} from './m{before}';\nexport const f{it} = () => f{before}();\n");
        put(&format!("packages/web/src/m{it}.ts"), &script);
        let test = format!("import {{ f{it} }} from './m{it}';\ntest('m{it}', () => {{ f{it}(); }});\n");
        put(&format!("packages/web/src/m{it}.test.ts"), &test);
        let go = format!("package gate\n\nfunc F{it}() int {{ return {it} }}\n");
        put(&format!("services/gate/p{}/m{it}.go", it % 40), &go);
        let test = format!("package gate\n\nimport \"testing\"\n\nfunc TestF{it}(t *testing.T) {{ F{it}() }}\n");
        put(&format!("services/gate/p{}/m{it}_test.go", it % 40), &test);
    }
    for path in EDITED {
        put(path, &large(path, true));
    }
    for it in 0..(files / 80).max(2) {
        put(&format!("crates/c{it}/Cargo.toml"), &format!("[package]\nname = \"c{it}\"\n"));
        let modules: String = (0..18).map(|module| format!("pub mod m{module};\n")).collect();
        put(&format!("crates/c{it}/src/lib.rs"), &modules);
        for module in 0..18 {
            let text = format!("pub fn f{module}() -> u32 {{\n    {module}\n}}\n");
            put(&format!("crates/c{it}/src/m{module}.rs"), &text);
        }
    }
    count
}

/// What is audited: a file that lost some lines, gained others and has a new import.
fn edited(path: &str) -> Changed {
    Changed::new(path, Some(&large(path, false)), Some(&large(path, true)))
}

/// A long file; a new condition, a new import and a longer test make it what it is now.
fn large(path: &str, now: bool) -> String {
    let function = |it: usize| match path.rsplit('.').next() {
        Some("py") if path.contains("test_") => {
            let more = if now && it.is_multiple_of(10) { "    assert value != 9\n" } else { "" };
            format!("def test_large_{it}():\n    value = large_{it}({it})\n    assert value == {it}\n{more}\n\n")
        }
        Some("py") => {
            let more = if now && it.is_multiple_of(10) { "    if x == 42:\n        return 7\n" } else { "" };
            format!("def large_{it}(x):\n    # Adds {it}.\n{more}    y = x + {it}\n    return y\n\n\n")
        }
        Some("ts") => {
            let more = if now && it.is_multiple_of(10) { "  if (x < 0) {\n    return 0;\n  }\n" } else { "" };
            format!("export function large{it}(x: number): number {{\n{more}  const y = x + {it};\n  return y;\n}}\n\n")
        }
        Some("go") => {
            let more = if now && it.is_multiple_of(10) { "\tif x < 0 {\n\t\treturn 0\n\t}\n" } else { "" };
            format!("// Large{it} adds.\nfunc Large{it}(x int) int {{\n{more}\ty := x + {it}\n\treturn y\n}}\n\n")
        }
        _ => {
            let more = if now && it.is_multiple_of(10) { "    if x < 0 {\n        return 0;\n    }\n" } else { "" };
            format!("pub fn large{it}(x: i64) -> i64 {{\n{more}    let y = x + {it};\n    y\n}}\n\n")
        }
    };
    let head = match path {
        "packages/api/src/large.py" if now => "from src.m1 import f1\nfrom src.m2 import f2\n\n\n",
        "packages/api/src/large.py" => "from src.m1 import f1\n\n\n",
        "packages/api/tests/test_large.py" => "from src.large import large_1\n\n\n",
        "packages/web/src/large.ts" if now => "import { f1 } from './m1';\nimport { f2 } from './m2';\n\n",
        "packages/web/src/large.ts" => "import { f1 } from './m1';\n\n",
        "services/gate/large.go" => "package gate\n\n",
        _ => "",
    };
    let mut text = head.to_owned();
    for it in 0.. {
        if text.lines().count() >= LINES {
            break;
        }
        text += &function(it);
    }
    text
}

/// How much the audit of the change finds.
fn audited(tree: &Tree, snapshot: &Snapshot, changes: &[Changed]) -> usize {
    let touched: Vec<String> = changes.iter().map(|it| it.path.clone()).collect();
    let read = |path: &str| tree.listed(path).ok().and_then(|it| String::from_utf8(it).ok());
    let ground = Ground {
        changes,
        touched: &touched,
        index: Some(snapshot),
        read: &read,
        scope: &["**".to_owned()],
        failed: &BTreeSet::new(),
        task: "",
        planned: &[],
    };
    audit(&ground).len()
}

fn indexed(folder: &Path, tree: &Tree) -> Snapshot {
    let index = Index::open(folder, &tree.root().to_string_lossy()).expect("an index can be made");
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

/// What a run of pytest says of many failing tests, between the lines of thousands that pass.
fn output() -> String {
    let passed: String = (0..8_000).map(|it| format!("tests/test_m{it}.py::test_{it} PASSED\n")).collect();
    let failures: String = (0..FAILURES)
        .map(|it| {
            format!(
                "__ test_{it} __\ntests/test_m{it}.py:5: in test_{it}\n    assert f{it}() == 1\nE   assert 2 == 1\n"
            )
        })
        .collect();
    let summary: String =
        (0..FAILURES).map(|it| format!("FAILED tests/test_m{it}.py::test_{it} - assert 2 == 1\n")).collect();
    format!("{passed}==== FAILURES ====\n{failures}==== short test summary info ====\n{summary}")
}
