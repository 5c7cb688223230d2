//! `list_definitions`: what a file or the files of a folder define, with lines and signatures.

use std::fmt::Write as _;

use ox_protocol::Outcome;
use ox_syntax::{Symbol, SymbolKind};
use serde_json::{Value, json};

use crate::args::{given, limit};
use crate::builtin::search_semantic::within;
use crate::call::index_query::{Known, known, rel};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::session::outline::{lines_of, own_line, said};
use crate::text::{count, name, plain};
use crate::{call::context::CallContext, call::error::ToolError};

const LINES: usize = 200;
const LINES_MOST: usize = 2_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "list_definitions".into(),
        aliases: Alias::list(
            "get_symbols list_code_definition_names list_symbols document_symbols get_symbols_overview file_outline outline",
        ),
        description: "Show the outline of a file: its definitions with lines and signatures; of a folder: the outer definitions of its files.".into(),
        schema: object(
            &[],
            json!({
                "path": {"type": "string"},
                "limit": {"type": "integer", "description": "lines, 200 by default"},
            }),
        ),
        explores: true,
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let given = given(args, "path").unwrap_or(".");
    let path = rel(cx, given)?;
    let limit = limit(args, LINES, LINES_MOST);
    let (code, known) = known(cx)?;
    let is_file = known.snapshot.has(&path);
    let files: Vec<&str> = known.snapshot.paths().filter(|it| within(&path, it)).collect();
    if files.is_empty() {
        // The tree says best what is wrong with a path that is not there.
        let there = cx.tree.root().join(&path).exists();
        let words = if there { "the index leaves it out (ignored, or without files)" } else { "does not exist" };
        return Err(ToolError::Wrong(format!("`{given}`: {words}. Use list_files.")));
    }
    let mut out = String::new();
    let (mut shown, mut left) = (0, 0);
    for file in files {
        let symbols = symbols_of(&known, file);
        let lines = if shown < limit && !symbols.is_empty() { lines_of(code, file) } else { Vec::new() };
        for (depth, it) in outline(&symbols, is_file) {
            if shown == limit {
                left += 1;
                continue;
            }
            let _ = writeln!(out, "{}:{}", name(file), line(&lines, depth, it));
            shown += 1;
        }
    }
    let more = match (left, is_file) {
        (0, _) if shown == 0 => {
            "no definitions: a language that is not known, or none in there; read_file shows it".to_owned()
        }
        (0, _) => String::new(),
        (left, true) => format!("{} not shown: raise limit", count(left, "definition")),
        (left, false) => format!("{} not shown: narrow the path or raise limit", count(left, "definition")),
    };
    Ok(Outcome::ok(known.reported(out, &[more])).into())
}

fn symbols_of(known: &Known, file: &str) -> Vec<Symbol> {
    known.snapshot.facts(file).map(|it| it.symbols.clone()).unwrap_or_default()
}

/// The definitions with how deep they stand; of a folder's files only the outer ones, and what implementations hold.
fn outline(symbols: &[Symbol], all: bool) -> Vec<(usize, &Symbol)> {
    let depth = |it: &Symbol| {
        let mut depth = 0;
        let mut at = it.parent;
        while let Some(above) = at.and_then(|it| symbols.get(it as usize)) {
            // An order that is broken must not make this go on for ever.
            if depth > 50 {
                break;
            }
            depth += 1;
            at = above.parent;
        }
        depth
    };
    let inner_function = |it: &Symbol| {
        it.parent.and_then(|it| symbols.get(it as usize)).is_some_and(|above| above.kind == SymbolKind::Function)
    };
    let kept = symbols.iter().filter(|it| !inner_function(it)).map(|it| (depth(it), it));
    kept.filter(|(depth, it)| all || *depth == 0 && !it.test && it.kind != SymbolKind::Impl).collect()
}

fn line(lines: &[String], depth: usize, it: &Symbol) -> String {
    let at = own_line(lines, it);
    let range = if it.end > at { format!("{at}-{}", it.end) } else { at.to_string() };
    format!("{range}: {}{}", "  ".repeat(depth), plain(&said(it)))
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn files_and_folders_have_outlines() {
        let fixture = Fixture::indexed(&[
            (
                "src/lib.rs",
                "/// A shape.\npub struct Shape;\n\nimpl Shape {\n    /// Its area.\n    pub fn area(&self) -> f64 {\n        fn inner() {}\n        1.0\n    }\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {}\n}\n",
            ),
            ("src/deep/shop.py", "class Shop:\n    def price(self, x):\n        return x\n"),
            ("notes.txt", "nothing\n"),
        ]);
        let ask = |args| fixture.ok("list_definitions", args);
        let story = [
            ask(json!({"path": "src/lib.rs"})),
            ask(json!({"path": "src"})),
            ask(json!({"path": "src/lib.rs", "limit": 1})),
            ask(json!({"path": "notes.txt"})),
        ];
        expect![[r#"
            src/lib.rs:2: pub struct Shape
            src/lib.rs:4-10: impl Shape
            src/lib.rs:6-9:   pub fn area(&self) -> f64
            src/lib.rs:13-16: mod tests
            src/lib.rs:15:   fn works()
            --
            src/deep/shop.py:1-3: class Shop:
            src/lib.rs:2: pub struct Shape
            --
            src/lib.rs:2: pub struct Shape
            [4 definitions not shown: raise limit]
            --
            [no definitions: a language that is not known, or none in there; read_file shows it]"#]]
        .assert_eq(&story.join("\n--\n"));
        assert_eq!(fixture.ok("list_code_definition_names", json!({"path": "src"})), story[1]);
        assert!(fixture.fails("get_symbols", json!({"path": "nowhere"})).contains("does not exist"));
    }
}
