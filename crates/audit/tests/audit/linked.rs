//! What changed files import, held against the index of the tree that they lie in.

use std::collections::{BTreeMap, BTreeSet};

use ox_audit::{Changed, Ground, audit};
use ox_index::{FileState, Index};

/// The changed file's path, its text before and now, the other files of the tree, and what is found.
type Row<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)], &'a str);

fn codes((path, before, now, others, _): &Row<'_>) -> String {
    let mut files: BTreeMap<&str, &str> = others.iter().copied().collect();
    files.insert(path, now);
    let state = |(path, text): (&&str, &&str)| FileState {
        path: (*path).to_owned(),
        size: text.len() as u64,
        mtime: 1,
        ctime: 1,
        inode: 1,
        mode: 0o644,
    };
    let states: Vec<FileState> = files.iter().map(state).collect();
    let dir = tempfile::tempdir().expect("a temporary folder can be made");
    let index = Index::open(dir.path(), "linked").expect("an index can be made");
    let read = |path: &str| files.get(path).map(|it| (*it).to_owned());
    let bytes = |path: &str| read(path).map(String::into_bytes).ok_or_else(|| std::io::ErrorKind::NotFound.into());
    index.update(&states, &bytes, &|_| {}).expect("the files can be read");
    let before = Some(*before).filter(|it| !it.is_empty());
    let changes = [Changed::new(path, before, Some(now))];
    let ground = Ground {
        changes: &changes,
        touched: &[],
        index: Some(&index.snapshot()),
        read: &read,
        scope: &[],
        failed: &BTreeSet::new(),
        task: "",
        planned: &[],
    };
    let found = audit(&ground);
    let one = |it: &ox_protocol::AuditFinding| format!("{} {}", it.kind.code().trim_start_matches("audit."), it.about);
    found.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn table(rows: &[Row<'_>]) {
    for row in rows {
        assert_eq!(codes(row), row.4, "{}: {}", row.0, row.2);
    }
}

const PACKAGE: &[(&str, &str)] = &[
    ("app/__init__.py", ""),
    ("app/b.py", "def f():\n    return 1\n"),
    ("app/dynamic.py", "def __getattr__(name):\n    return 1\n"),
];
const SCRIPTS: &[(&str, &str)] = &[
    ("package.json", "{\"name\": \"x\"}"),
    ("src/b.ts", "export const f = 1;\n"),
    ("src/all.ts", "export * from './b';\n"),
    ("src/data.json", "{}"),
];
const CRATE: &[(&str, &str)] =
    &[("Cargo.toml", "[package]\nname = \"x\"\n"), ("src/lib.rs", "mod a;\nmod b;\n"), ("src/b.rs", "pub fn f() {}\n")];
const MODULE: &[(&str, &str)] = &[("go.mod", "module example.com/x\n"), ("b/b.go", "package b\n\nfunc F() {}\n")];

#[test]
fn imports_that_stand_for_nothing_are_found_where_that_is_certain() {
    table(&[
        ("app/a.py", "", "from .b import f\nimport os\nimport numpy\n", PACKAGE, ""),
        ("app/a.py", "", "from .c import f\n", PACKAGE, "import_missing .c"),
        ("app/a.py", "", "from app.c import f\n", PACKAGE, "import_missing app.c"),
        ("app/a.py", "", "try:\n    from app.c import f\nexcept ImportError:\n    f = None\n", PACKAGE, ""),
        ("app/a.py", "from app.c import f\n", "from app.c import f\nx = 1\n", PACKAGE, ""),
        (
            "src/a.ts",
            "",
            "import { f } from './b';\nimport x from 'react';\nimport d from './data.json';\n",
            SCRIPTS,
            "",
        ),
        ("src/a.ts", "", "import { f } from './c';\n", SCRIPTS, "import_missing ./c"),
        ("src/a.js", "", "const c = require('./c');\n", SCRIPTS, "import_missing ./c"),
        ("src/a.ts", "", "import s from './style.css';\nimport g from '../generated/g';\n", SCRIPTS, ""),
        ("src/a.rs", "", "use crate::b::f;\nuse std::fmt;\nuse serde::Serialize;\n", CRATE, ""),
        ("src/a.rs", "", "use crate::nowhere::f;\n", CRATE, "import_missing crate::nowhere::f"),
        ("a.go", "", "package x\n\nimport (\n\t\"fmt\"\n\t\"example.com/x/b\"\n\t\"example.com/y\"\n)\n", MODULE, ""),
        ("a.go", "", "package x\n\nimport \"example.com/x/c\"\n", MODULE, "import_missing example.com/x/c"),
    ]);
}

#[test]
fn names_that_a_file_does_not_have_are_found_where_it_makes_none_by_itself() {
    table(&[
        ("app/a.py", "", "from app.b import f, g\n", PACKAGE, "name_missing g of app/b.py"),
        ("app/a.py", "", "from app.dynamic import g\n", PACKAGE, ""),
        ("app/a.py", "", "from app.b import *\n", PACKAGE, ""),
        ("src/a.ts", "", "import { g } from './b';\n", SCRIPTS, "name_missing g of src/b.ts"),
        ("src/a.ts", "", "import { f as g } from './b';\n", SCRIPTS, ""),
        ("src/a.ts", "", "import { g } from './all';\n", SCRIPTS, ""),
    ]);
}

#[test]
fn circles_of_imports_are_found_where_a_new_import_closes_them() {
    let python = [("app/__init__.py", ""), ("app/b.py", "from app.a import x\n\ny = 1\n")];
    let scripts = [
        ("src/b.ts", "import { c } from './c';\nexport const b = c;\n"),
        ("src/c.ts", "import { a } from './a';\nexport const c = a;\n"),
    ];
    let crate_ = [
        ("Cargo.toml", "[package]\nname = \"x\"\n"),
        ("src/lib.rs", "mod a;\nmod b;\n"),
        ("src/b.rs", "use crate::a::A;\npub struct B(A);\n"),
    ];
    let closed = "import_cycle app/a.py → app/b.py → app/a.py";
    let long = "import_cycle src/a.ts → src/b.ts → src/c.ts → src/a.ts";
    table(&[
        ("app/a.py", "x = 1\n", "from app.b import y\n\nx = 1\n", &python, closed),
        ("app/a.py", "from app.b import y\nx = 1\n", "from app.b import y\nx = 2\n", &python, ""),
        ("app/a.py", "x = 1\n", "x = 1\n\n\ndef late():\n    from app.b import y\n    return y\n", &python, ""),
        ("src/a.ts", "export const a = 1;\n", "import { b } from './b';\nexport const a = b;\n", &scripts, long),
        ("src/a.ts", "export const a = 1;\n", "import type { b } from './b';\nexport const a = 1;\n", &scripts, ""),
        ("src/a.rs", "pub struct A;\n", "use crate::b::B;\npub struct A;\n", &crate_, ""),
    ]);
}
