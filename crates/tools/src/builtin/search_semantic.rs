//! `search_semantic`: the pieces of code that a text is about, ranked as by `ox query`. Nothing is asked but the index.

use std::fmt::Write as _;

use ox_index::embed::ALIKE;
use ox_index::{Options, Snippet, query};
use ox_protocol::Outcome;
use serde_json::{Value, json};

use crate::args::{given, limit, text};
use crate::call::index_query::{known, rel};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::text::{count, name, plain};
use crate::{call::context::CallContext, call::error::ToolError};

const SNIPPETS: usize = 10;
const SNIPPETS_MOST: usize = 50;
/// Lines of one snippet, and bytes of all of them.
const LINES: usize = 20;
const BYTES: usize = 16 << 10;
/// How many times as many are looked at where only a folder's count.
const WIDER: usize = 20;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "search_semantic".into(),
        aliases: Alias::list("semantic_search codebase_search search_codebase query_index"),
        description: "Find the code that a text is about: a task, an issue, an error with its trace, words. Ranked snippets. For exact text use search_code.".into(),
        schema: object(
            &["query"],
            json!({
                "query": {"type": "string"},
                "path": {"type": "string", "description": "only in this folder or file"},
                "limit": {"type": "integer", "description": "10 by default"},
            }),
        ),
        explores: true,
        validate: |args| text(args, "query").trim().is_empty().then(|| "`query` is empty: say what is sought".into()),
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let folder = rel(cx, given(args, "path").unwrap_or("."))?;
    let limit = limit(args, SNIPPETS, SNIPPETS_MOST);
    let (code, known) = known(cx)?;
    // One more than is shown tells whether there are more.
    let wanted = if folder.is_empty() { limit + 1 } else { (limit + 1) * WIDER };
    let similar = (code.similar)(text(args, "query"), ALIKE);
    let options = Options { limit: wanted, similar: &similar, ..Options::default() };
    let answer = query(&known.snapshot, &|path| code.read(path), text(args, "query"), &options);
    let all: Vec<&Snippet> = answer.snippets.iter().filter(|it| within(&folder, &it.path)).collect();
    if all.is_empty() {
        let instead = "nothing bears on that; try other words, or search_code for exact text".to_owned();
        return Ok(Outcome::ok(known.reported(String::new(), &[instead])).into());
    }
    let mut out = String::new();
    let mut shown = 0;
    for it in all.iter().take(limit) {
        let piece = snippet(it);
        if shown > 0 && out.len() + piece.len() > BYTES {
            break;
        }
        out.push_str(&piece);
        shown += 1;
    }
    let more =
        if all.len() > shown { format!("{}; raise limit for more", count(shown, "snippet")) } else { String::new() };
    Ok(Outcome::ok(known.reported(out, &[more])).into())
}

/// True for a file in the folder, or the file itself.
pub(crate) fn within(folder: &str, path: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

fn snippet(it: &Snippet) -> String {
    let symbol = it.symbol.as_deref().unwrap_or_default();
    let mut out = format!("{}:{}-{}: {symbol} (score {:.2})\n", name(&it.path), it.start, it.end, it.score);
    let text = plain(&it.text);
    for line in text.lines().take(LINES) {
        let _ = writeln!(out, "{line}");
    }
    let left = text.lines().count().saturating_sub(LINES);
    if left > 0 {
        let next = it.start as usize + LINES;
        let _ = writeln!(out, "… {}: read_file from line {next}", count(left, "more line"));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn words_find_the_code_they_are_about() {
        let long = format!("/// Paints the fence.\npub fn paint_fence() {{\n{}}}\n", "    brush();\n".repeat(40));
        let fixture = Fixture::indexed(&[
            ("src/charge.rs", "/// Charges the battery with the cable.\npub fn charge_battery() {}\n"),
            ("src/fence.rs", &long),
            ("web/battery.js", "function batteryView() { return 1; }\n"),
        ]);
        let found = fixture.ok("search_semantic", json!({"query": "charge the battery"}));
        assert!(found.starts_with("src/charge.rs:1-2: charge_battery (score "), "{found}");
        assert!(found.contains("\npub fn charge_battery() {}\n"), "{found}");
        // The same ranking as the command's.
        let code = fixture.cx.code.clone().unwrap();
        let (_, known) = crate::call::index_query::known(&fixture.cx).unwrap();
        let answer =
            ox_index::query(&known.snapshot, &|it| code.read(it), "charge the battery", &ox_index::Options::default());
        let order: Vec<&str> = answer.snippets.iter().map(|it| it.path.as_str()).collect();
        let reported: Vec<&str> =
            found.lines().filter(|it| it.contains(" (score ")).map(|it| it.split(':').next().unwrap()).collect();
        assert_eq!(reported, order);
        let cut = fixture.ok("codebase_search", json!({"query": "paint the fence", "limit": 1}));
        assert!(cut.contains("more lines: read_file from line 21"), "{cut}");
        let only = fixture.ok("search_semantic", json!({"query": "battery", "path": "web"}));
        assert!(only.starts_with("web/battery.js:1") && !only.contains("src/"), "{only}");
        assert!(fixture.ok("search_semantic", json!({"query": "zeppelin"})).contains("nothing bears on that"));
        assert!(fixture.fails("search_semantic", json!({"query": " "})).contains("empty"));
    }
}
