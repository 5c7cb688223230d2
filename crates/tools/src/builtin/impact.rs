//! `impact`: what a change to a file or symbol reaches, each with the way that leads there. Nothing is run.

use std::fmt::Write as _;

use ox_index::{How, Reached, Target, Why, reached, targets};
use ox_protocol::Outcome;
use serde_json::{Map, Value, json};

use crate::args::{limit, text};
use crate::call::index_query::{Known, known};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::text::{count, name, plain};
use crate::{call::context::CallContext, call::error::ToolError};

const PLACES: usize = 50;
const PLACES_MOST: usize = 500;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "impact".into(),
        aliases: Alias::list("impact_analysis analyze_impact dependents what_depends_on blast_radius"),
        description: "Tell what a change to a file or symbol reaches: users, users of these, and the tests, each with the way there.".into(),
        schema: object(
            &["target"],
            json!({
                "target": {"type": "string", "description": "PATH, SYMBOL or PATH:SYMBOL"},
                "limit": {"type": "integer", "description": "places, 50 by default"},
            }),
        ),
        explores: true,
        normalize,
        validate: |args| text(args, "target").trim().is_empty().then(|| "`target` is empty: a path or a symbol".into()),
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn normalize(args: &mut Map<String, Value>) {
    let take = |args: &mut Map<String, Value>, keys: &[&str]| {
        keys.iter().find_map(|it| args.shift_remove(*it)).and_then(|it| it.as_str().map(str::to_owned))
    };
    if args.get("target").is_some_and(|it| !it.is_null()) {
        return;
    }
    let path = take(args, &["path", "file", "file_path", "filename"]);
    let symbol = take(args, &["symbol", "name", "function", "query"]);
    let target = match (path, symbol) {
        (Some(path), Some(symbol)) => format!("{path}:{symbol}"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return,
    };
    args.insert("target".into(), target.into());
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let named = text(args, "target").trim().trim_end_matches("()");
    let limit = limit(args, PLACES, PLACES_MOST);
    let (_, known) = known(cx)?;
    let root = format!("{}/", cx.tree.root().display());
    let targets = targets(&known.snapshot, named.strip_prefix(root.as_str()).unwrap_or(named));
    if targets.is_empty() {
        return Err(ToolError::Wrong(unknown(&known, named)));
    }
    let impact = reached(&known.snapshot, &targets, limit);
    let mut out = format!("A change of {} reaches:\n", changed(&targets));
    for it in &impact.items {
        let _ = writeln!(out, "{}", line(&known, it));
    }
    let (files, tests) = (impact.files().len(), impact.tests().len());
    let mut total = format!("{} in {}", count(impact.items.len(), "place"), count(files, "file"));
    if tests > 0 {
        let _ = write!(total, ", tests in {}", count(tests, "file"));
    }
    if impact.items.is_empty() {
        total = "nothing that names or imports tell".into();
    }
    let more = if impact.cut { "there is more: raise limit or name a symbol" } else { "" };
    Ok(Outcome::ok(known.reported(out, &[total, more.to_owned()])).into())
}

fn unknown(known: &Known, named: &str) -> String {
    let near: Vec<String> =
        known.snapshot.defined(named, How::Fuzzy, 3).into_iter().map(|it| it.symbol.qualified).collect();
    let hint = if near.is_empty() { String::new() } else { format!(" There is {}.", near.join(", ")) };
    format!("`{named}` is neither a file nor a symbol of this project.{hint} find_symbol and list_files find names.")
}

/// What is changed, in few words.
fn changed(targets: &[Target]) -> String {
    let word = |it: &Target| match it {
        Target::File(path) => path.clone(),
        Target::Symbol { path, name } => format!("{name} ({path})"),
    };
    let first: Vec<String> = targets.iter().take(3).map(word).collect();
    match targets.len() {
        0..=3 => plain(&first.join(", ")),
        all => plain(&format!("{} and {} more", first.join(", "), all - 3)),
    }
}

fn line(known: &Known, it: &Reached) -> String {
    let at = it.symbol.as_deref().and_then(|symbol| {
        let facts = known.snapshot.facts(&it.path)?;
        facts.symbols.iter().find(|it| it.qualified == symbol).map(|it| it.line)
    });
    let place = at.map_or_else(|| name(&it.path).into_owned(), |at| format!("{}:{at}", name(&it.path)));
    let test = if it.test { " (test)" } else { "" };
    let symbol = it.symbol.as_deref().unwrap_or("the file");
    plain(&format!("{place}: {symbol}{test} — {}", way(it)))
}

/// The way to it, the change first: `calls area; calls price (src/shop.rs)`.
fn way(it: &Reached) -> String {
    let mut before: Option<&str> = None;
    let mut steps = Vec::new();
    for step in &it.because {
        let to = before.map(|it| format!(" {it}")).unwrap_or_default();
        steps.push(format!("{}{to}", verb(step.why)));
        before = Some(step.symbol.as_deref().unwrap_or(&step.path));
    }
    steps.reverse();
    match steps.len() {
        1 => format!("{} it", steps[0]),
        _ => format!("{}, which {} it", steps[..steps.len() - 1].join(", which "), steps[steps.len() - 1]),
    }
}

fn verb(why: Why) -> &'static str {
    match why {
        Why::Calls => "calls",
        Why::HasType => "has the type",
        Why::Uses => "uses",
        Why::Imports => "imports",
        Why::Tests => "tests",
        Why::Declares => "declares",
        Why::Defines => "defines",
        Why::PartOf => "has as a part",
    }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn what_a_change_reaches_comes_with_the_way() {
        let fixture = Fixture::indexed(&[
            ("app/core.py", "def area(x):\n    return x * x\n\ndef lonely():\n    return 1\n"),
            ("app/shop.py", "from app.core import area\n\ndef price(x):\n    return area(x)\n"),
            ("tests/test_shop.py", "from app.shop import price\n\ndef test_price():\n    assert price(2) == 4\n"),
        ]);
        let ask = |args| fixture.ok("impact", args);
        let story = [
            ask(json!({"target": "area"})),
            ask(json!({"path": "app/core.py"})),
            ask(json!({"path": format!("{}/app/core.py", fixture.root()), "symbol": "area", "limit": 1})),
            ask(json!({"target": "lonely"})),
            fixture.fails("impact", json!({"target": "aera"})),
        ];
        expect![[r#"
            A change of area (app/core.py) reaches:
            app/shop.py:3: price — calls it
            tests/test_shop.py:3: test_price (test) — calls price, which calls it
            [2 places in 2 files, tests in 1 file]
            --
            A change of app/core.py reaches:
            app/shop.py:3: price — calls it
            tests/test_shop.py:3: test_price (test) — calls price, which calls it
            [2 places in 2 files, tests in 1 file]
            --
            A change of area (app/core.py) reaches:
            app/shop.py:3: price — calls it
            [1 place in 1 file; there is more: raise limit or name a symbol]
            --
            A change of lonely (app/core.py) reaches:
            [nothing that names or imports tell]
            --
            `aera` is neither a file nor a symbol of this project. find_symbol and list_files find names."#]]
        .assert_eq(&story.join("\n--\n"));
    }
}
