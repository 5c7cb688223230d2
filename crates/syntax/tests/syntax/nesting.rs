//! Texts that nest as deep as they are long: what is kept of them grows with their length and no faster.

use ox_syntax::{Facts, facts};

/// An opening of a scope, its close, and the file's name, in each language that has named scopes.
const SCOPES: &[(&str, &str, &str)] = &[
    ("a.rs", "mod abc {\n", "}\n"),
    ("a.cpp", "namespace abc {\n", "}\n"),
    ("a.cs", "class Abc {\n", "}\n"),
    ("a.ts", "namespace abc {\n", "}\n"),
    ("a.js", "function abc() {\n", "}\n"),
    ("a.php", "function abc() {\n", "}\n"),
    ("a.rb", "module Abc\n", "end\n"),
    ("a.kt", "class Abc {\n", "}\n"),
    ("a.scala", "object Abc {\n", "}\n"),
    ("a.java", "class Abc {\n", "}\n"),
    ("a.py", "", ""),
];

/// A file of `levels` scopes inside each other.
fn nested(file: &str, open: &str, close: &str, levels: usize) -> Facts {
    let text = match file {
        "a.php" => format!("<?php\n{}{}", open.repeat(levels), close.repeat(levels)),
        "a.py" => (0..levels).map(|it| format!("{}def abc():\n", " ".repeat(it))).collect(),
        _ => open.repeat(levels) + &close.repeat(levels),
    };
    facts(file, &text)
}

/// Bytes of all that is told of the symbols.
fn reported(facts: &Facts) -> usize {
    facts.symbols.iter().map(|it| it.name.len() + it.qualified.len() + it.signature.len() + it.doc.len()).sum()
}

#[test]
fn scopes_in_scopes_cost_no_more_than_their_length() {
    for (file, open, close) in SCOPES {
        let levels = if *file == "a.py" { 200 } else { 2_000 };
        let (once, twice) = (nested(file, open, close, levels), nested(file, open, close, 2 * levels));
        assert_eq!((once.symbols.len(), twice.symbols.len()), (levels, 2 * levels), "{file}");
        assert!(reported(&twice) <= reported(&once) * 21 / 10, "{file}: {} and {}", reported(&once), reported(&twice));
        let last = twice.symbols.last().expect("there are some");
        assert!(last.qualified.ends_with("bc") && last.qualified.len() < 300, "{file}: {}", last.qualified);
    }
}

#[test]
fn a_long_name_is_not_reported_again_for_each_thing_inside() {
    let long = "a".repeat(10_000);
    for text in [
        format!("mod {long} {{\n{}}}\n", "fn b() {}\n".repeat(1_000)),
        format!("impl {long} for C {{\n{}}}\n", "fn b() {}\n".repeat(1_000)),
    ] {
        let facts = facts("a.rs", &text);
        assert!(facts.symbols.len() >= 1_000 && reported(&facts) < 500_000, "{}", reported(&facts));
    }
}

#[test]
fn what_lies_deeper_than_names_tell_is_found_by_its_own_name() {
    let text = format!("{}fn deep() {{}}\n{}", "mod a {\n".repeat(100), "}\n".repeat(100));
    let found = ox_syntax::find("a.rs", &text, "deep");
    assert!(matches!(&found, Some(ox_syntax::Lookup::One(it)) if it.lines == (101..=101)), "{found:?}");
}
