//! `find_references`: where a name is defined and where it is used, by name over the whole project.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use ox_index::{How, RefPlace};
use ox_protocol::Outcome;
use ox_syntax::{RefKind, Symbol};
use serde_json::{Value, json};

use crate::args::{given, limit, text};
use crate::builtin::search_semantic::within;
use crate::call::index_query::{Known, known, rel};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::session::code_index::CodeIndex;
use crate::session::outline::{kind, lines_of, own_line};
use crate::text::{count, name, plain};
use crate::{call::context::CallContext, call::error::ToolError};

const USES: usize = 60;
const USES_MOST: usize = 500;
/// Uses that are counted at most.
const COUNTED: usize = 5_000;
const DEFINITIONS: usize = 20;
/// Characters of a line that are shown.
const WIDTH: usize = 160;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "find_references".into(),
        aliases: Alias::list(
            "find_usages get_references symbol_references find_callers find_referencing_symbols references",
        ),
        description: "Find the definitions of a name and all its uses, with who calls it. By name: for one of several symbols of the same name ask language_server.".into(),
        schema: object(
            &["name"],
            json!({
                "name": {"type": "string"},
                "path": {"type": "string", "description": "uses in this folder or file only"},
                "limit": {"type": "integer", "description": "uses, 60 by default"},
            }),
        ),
        explores: true,
        argument_aliases: "name: symbol symbol_name query identifier name_path pattern",
        validate: |args| {
            text(args, "name").trim().is_empty().then(|| "`name` is empty: give the name of a symbol".into())
        },
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let folder = rel(cx, given(args, "path").unwrap_or("."))?;
    let sought = text(args, "name").trim().trim_end_matches("()");
    let limit = limit(args, USES, USES_MOST);
    let (code, known) = known(cx)?;
    let mut out = String::new();
    let defined = definitions(code, &known, sought, &mut out);
    let mut uses = known.snapshot.referenced(sought, COUNTED);
    let counted = uses.len();
    uses.retain(|it| within(&folder, &it.path));
    if uses.is_empty() && defined == 0 {
        let nothing = format!("no definition and no use of `{sought}`; search_code finds it in texts and comments");
        return Ok(Outcome::ok(known.reported(String::new(), &[nothing])).into());
    }
    let mut files: BTreeMap<&str, Vec<&RefPlace>> = BTreeMap::new();
    for it in uses.iter().take(limit) {
        files.entry(&it.path).or_default().push(it);
    }
    for (path, places) in files {
        let lines = lines_of(code, path);
        let facts = known.snapshot.facts(path);
        let symbols = facts.as_ref().map(|it| it.symbols.as_slice()).unwrap_or_default();
        for it in places {
            out.push_str(&line(path, it, symbols, &lines));
        }
    }
    let total =
        if counted >= COUNTED { format!("at least {}", count(counted, "use")) } else { count(uses.len(), "use") };
    let left = uses.len().saturating_sub(limit);
    let more = if left > 0 { format!("{left} not shown: raise limit or narrow with path") } else { String::new() };
    Ok(Outcome::ok(known.reported(out, &[format!("{total}, each symbol's first"), more])).into())
}

/// Writes the definitions, and says how many there are.
fn definitions(code: &CodeIndex, known: &Known, sought: &str, out: &mut String) -> usize {
    let places = known.snapshot.defined(sought, How::Exact, DEFINITIONS);
    let mut files: HashMap<&str, Vec<String>> = HashMap::new();
    for it in &places {
        let lines = files.entry(&it.path).or_insert_with(|| lines_of(code, &it.path));
        let at = own_line(lines, &it.symbol);
        let word = if it.symbol.is_declaration { "declared" } else { "defined" };
        let said = plain(&format!("{word}, {} — {}", kind(it.symbol.kind), crate::session::outline::said(&it.symbol)));
        let _ = writeln!(out, "{}:{at}: {said}", name(&it.path));
    }
    places.len()
}

fn line(path: &str, it: &RefPlace, symbols: &[Symbol], lines: &[String]) -> String {
    let how = match it.reference.kind {
        RefKind::Call => "called",
        RefKind::Type => "type",
        RefKind::Import => "imported",
        RefKind::Other => "used",
    };
    let within = it.reference.within.and_then(|at| symbols.get(at as usize));
    let by =
        within.map(|it| format!(" in {}{}", it.qualified, if it.test { " (test)" } else { "" })).unwrap_or_default();
    let at = it.reference.line;
    let text = lines.get((at as usize).saturating_sub(1)).map(|it| it.trim()).unwrap_or_default();
    let text: String = text.chars().take(WIDTH).collect();
    format!("{}:{at}: {}\n", name(path), plain(&format!("{how}{by}: {text}")))
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn definition_and_uses_come_with_their_callers() {
        let fixture = Fixture::indexed(&[
            (
                "src/lib.rs",
                "/// Adds area.\npub fn area(x: f64) -> f64 {\n    x\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn works() {\n        super::area(1.0);\n    }\n}\n",
            ),
            (
                "src/shop.rs",
                "use crate::area;\n\npub struct Shop;\n\nimpl Shop {\n    pub fn price(&self) -> f64 {\n        let one = area(1.0);\n        one + area(2.0)\n    }\n}\n",
            ),
            ("py/x.py", "def other():\n    return 1\n"),
        ]);
        let ask = |args| fixture.ok("find_references", args);
        let story = [
            ask(json!({"name": "area"})),
            ask(json!({"symbol": "area", "path": "src/shop.rs", "limit": 1})),
            ask(json!({"name": "other"})),
            ask(json!({"name": "zeppelin"})),
        ];
        expect![[r#"
            src/lib.rs:2: defined, function — pub fn area(x: f64) -> f64
            src/lib.rs:10: called in tests::works (test): super::area(1.0);
            src/shop.rs:1: imported: use crate::area;
            src/shop.rs:7: called in Shop::price: let one = area(1.0);
            [3 uses, each symbol's first]
            --
            src/lib.rs:2: defined, function — pub fn area(x: f64) -> f64
            src/shop.rs:1: imported: use crate::area;
            [2 uses, each symbol's first; 1 not shown: raise limit or narrow with path]
            --
            py/x.py:1: defined, function — def other():
            [0 uses, each symbol's first]
            --
            [no definition and no use of `zeppelin`; search_code finds it in texts and comments]"#]]
        .assert_eq(&story.join("\n--\n"));
    }
}
