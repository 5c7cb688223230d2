//! `find_symbol`: where a name is defined, exactly or nearly, with kind and signature.

use std::collections::HashMap;
use std::fmt::Write as _;

use ox_index::{How, Place};
use ox_protocol::Outcome;
use ox_syntax::SymbolKind;
use serde_json::{Value, json};

use crate::args::{given, limit, text};
use crate::builtin::search_semantic::within;
use crate::call::index_query::{Known, known, rel};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::session::code_index::CodeIndex;
use crate::session::outline::{kind, kinds, lines_of, own_line, said};
use crate::text::{count, name, plain};
use crate::{call::context::CallContext, call::error::ToolError};

const PLACES: usize = 30;
const PLACES_MOST: usize = 300;
/// Definitions that are looked through for those of a kind and a folder.
const LOOKED: usize = 5_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "find_symbol".into(),
        aliases: Alias::list("get_symbol symbol_search search_symbols find_definition go_to_definition search_symbol"),
        description: "Find where functions, types and values are defined, by name or qualified name. Without an exact match: names that begin so, then similar ones.".into(),
        schema: object(
            &["name"],
            json!({
                "name": {"type": "string"},
                "how": {"type": "string", "enum": ["exact", "prefix", "fuzzy"], "description": "the first that finds one, if left out"},
                "kind": {"type": "string", "description": "function, type, value, module"},
                "path": {"type": "string", "description": "only in this folder or file"},
                "limit": {"type": "integer", "description": "30 by default"},
            }),
        ),
        explores: true,
        argument_aliases: "name: symbol symbol_name query identifier name_path pattern",
        validate,
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn validate(args: &Value) -> Option<String> {
    if text(args, "name").trim().is_empty() {
        return Some("`name` is empty: give the name of a function, type or value".into());
    }
    kinds(text(args, "kind")).is_none().then(|| "`kind` is one of function, type, value, module, impl".into())
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let folder = rel(cx, given(args, "path").unwrap_or("."))?;
    let sought = text(args, "name").trim().trim_end_matches("()");
    let limit = limit(args, PLACES, PLACES_MOST);
    let wanted = kinds(text(args, "kind")).unwrap_or_default();
    let (code, known) = known(cx)?;
    let ways: &[(How, &str)] = match text(args, "how") {
        "exact" => &[(How::Exact, "")],
        "prefix" => &[(How::Prefix, "names that begin so")],
        "fuzzy" => &[(How::Fuzzy, "similar names")],
        _ => &[
            (How::Exact, ""),
            (How::Prefix, "nothing is named so; these begin so"),
            (How::Fuzzy, "nothing is named so; these are similar"),
        ],
    };
    for (how, note) in ways {
        let found = places(&known, sought, *how, wanted, &folder);
        if !found.is_empty() {
            return Ok(Outcome::ok(reported(code, &known, &found, limit, note)).into());
        }
    }
    let nothing = format!("no definition of `{sought}`; search_code finds text that is none");
    Ok(Outcome::ok(known.reported(String::new(), &[nothing])).into())
}

fn places(known: &Known, sought: &str, how: How, wanted: &[SymbolKind], folder: &str) -> Vec<Place> {
    let mut found = known.snapshot.defined(sought, how, LOOKED);
    found.retain(|it| wanted.contains(&it.symbol.kind) && within(folder, &it.path));
    // A name of that very writing comes before one in other letters, and a definition before its announcement.
    found.sort_by_key(|it| (how == How::Prefix && it.symbol.name.len() > sought.len(), it.symbol.is_declaration));
    found
}

fn reported(code: &CodeIndex, known: &Known, found: &[Place], limit: usize, note: &str) -> String {
    let mut files: HashMap<&str, Vec<String>> = HashMap::new();
    let mut out = String::new();
    for it in found.iter().take(limit) {
        let lines = files.entry(&it.path).or_insert_with(|| lines_of(code, &it.path));
        let line = own_line(lines, &it.symbol);
        let symbol = &it.symbol;
        let qualified = if symbol.qualified == symbol.name { String::new() } else { format!("{} ", symbol.qualified) };
        let test = if symbol.test { " (test)" } else { "" };
        let what = plain(&format!("{} {qualified}— {}{test}", kind(symbol.kind), said(symbol)));
        let _ = writeln!(out, "{}:{line}: {what}", name(&it.path));
    }
    let left = found.len().saturating_sub(limit);
    let more = if left > 0 {
        format!("{} not shown: raise limit, or narrow by kind or path", count(left, "definition"))
    } else {
        String::new()
    };
    known.reported(out, &[note.to_owned(), more])
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn names_are_found_exactly_by_their_beginning_and_nearly() {
        let fixture = Fixture::indexed(&[
            (
                "src/lib.rs",
                "/// Adds area.\npub fn area(x: f64) -> f64 {\n    x\n}\n\npub struct Shape;\n\nimpl Shape {\n    pub fn area(&self) -> f64 {\n        1.0\n    }\n}\n",
            ),
            ("py/shop.py", "class Shop:\n    def price(self, x):\n        return x\n\ndef area_of(x):\n    return x\n"),
        ]);
        let ask = |args| fixture.ok("find_symbol", args);
        let story = [
            ask(json!({"name": "area"})),
            ask(json!({"symbol": "Shape::area"})),
            ask(json!({"name": "area", "how": "prefix", "limit": 1})),
            ask(json!({"query": "prize"})),
            ask(json!({"name": "Sha"})),
            ask(json!({"name": "area", "how": "prefix", "path": "py"})),
            ask(json!({"name": "area", "kind": "class"})),
            ask(json!({"name": "zeppelin"})),
        ];
        expect![[r#"
            src/lib.rs:2: function — pub fn area(x: f64) -> f64
            src/lib.rs:9: function Shape::area — pub fn area(&self) -> f64
            --
            src/lib.rs:9: function Shape::area — pub fn area(&self) -> f64
            --
            src/lib.rs:2: function — pub fn area(x: f64) -> f64
            [names that begin so; 2 definitions not shown: raise limit, or narrow by kind or path]
            --
            py/shop.py:2: function Shop.price — def price(self, x):
            [nothing is named so; these are similar]
            --
            src/lib.rs:6: type — pub struct Shape
            [nothing is named so; these begin so]
            --
            py/shop.py:5: function — def area_of(x):
            [names that begin so]
            --
            [no definition of `area`; search_code finds text that is none]
            --
            [no definition of `zeppelin`; search_code finds text that is none]"#]]
        .assert_eq(&story.join("\n--\n"));
        assert!(fixture.fails("find_symbol", json!({"name": "x", "kind": "thing"})).contains("`kind` is one of"));
    }
}
