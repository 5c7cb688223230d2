//! Changes that are not finished.

use std::collections::BTreeSet;

use ox_audit::{Changed, Ground, audit};
use ox_protocol::PlanStep;

use crate::testing::table;

#[test]
fn what_does_not_parse_is_found_where_it_did_before() {
    table(&[
        ("a.json", "{\"a\": 1}\n", &[("1}", "1")], "does_not_parse"),
        ("a.toml", "a = 1\n", &[("1", "")], "does_not_parse"),
        ("a.py", "def f():\n    return (1)\n", &[("(1)", "(1")], "does_not_parse"),
        ("a.rs", "fn f() {}\n", &[("{}", "{")], "may_not_parse"),
        ("a.json", "{\"a\": 1\n", &[("1", "2")], ""),
        ("tsconfig.json", "{\"a\": 1}\n", &[("1}", "1, // one\n}")], ""),
        ("a.yaml", "a: [1, 2]\n---\nb: 1\n", &[("2]", "2")], "does_not_parse"),
        ("chart/templates/a.yaml", "a: {{ .Values.a }}\n", &[("a:", "{{- if .b }}\na:")], ""),
        (".github/workflows/ci.yml", "a: ${{ x }}\nb: [1]\n", &[("[1]", "[1")], "does_not_parse"),
        ("a.css", "a { color: red }\n", &[(" }", "")], "does_not_parse"),
        ("a.html", "<div><p>one</div>\n", &[("</div>", "")], "may_not_parse"),
        ("a.html", "<div>{% if x %}</div>\n", &[("</div>", "")], ""),
        ("a.go", "package a\n\nfunc f() {}\n", &[("{}", "{")], "does_not_parse"),
        ("a.ts", "function f() {}\n", &[("{}", "{")], "may_not_parse"),
        ("a.js", "function f() {}\n", &[("{}", "{")], "does_not_parse"),
        ("tests/fixtures/a.json", "{\"a\": 1}\n", &[("1}", "1")], ""),
    ]);
}

#[test]
fn scope_and_plan_are_held_against_the_change() {
    let changes = [Changed::new("src/a.rs", Some("a"), Some("b")), Changed::new("docs/a.md", Some("a"), Some("b"))];
    let touched = ["src/a.rs".to_owned(), "docs/a.md".to_owned()];
    let scope = ["src".to_owned()];
    let planned = ["Change `src/a.rs`", "Change src/b.rs", "Read src/c.rs"].map(PlanStep::new);
    let ground = Ground {
        changes: &changes,
        touched: &touched,
        index: None,
        read: &|path| path.starts_with("src/").then(String::new),
        scope: &scope,
        failed: &BTreeSet::new(),
        task: "",
        planned: &planned,
    };
    let seen: Vec<String> = audit(&ground).iter().map(|it| format!("{} {}", it.kind.code(), it.file)).collect();
    assert_eq!(seen, ["audit.out_of_scope docs/a.md", "audit.planned_file_left src/b.rs"]);
}

#[test]
fn secrets_are_found_on_new_lines_alone() {
    let key = ["gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let line = format!("token = \"{key}\"\n");
    table(&[
        ("a.py", "x = 1\n", &[("x = 1\n", &format!("x = 1\n{line}"))], "secret_added"),
        ("a.py", &format!("{line}x = 1\n"), &[("x = 1", "x = 2")], ""),
    ]);
}
