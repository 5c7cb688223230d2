//! `ox impact`: what a change to a file or symbol reaches, each with the way that leads there. Nothing is run and nothing of
//! the project changes; the index is brought up to date first.

use std::path::Path;

use clap::Args;
use ox_index::{Impact, Reached, Target, Why, reached, targets};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use serde_json::{Value, json};

use super::print::{err, json as print_json, out};
use super::query::refreshed;
use crate::cmd::shared;

/// Arguments of `ox impact`.
#[derive(Debug, Args)]
pub struct ImpactArgs {
    /// File, folder, symbol name or PATH:SYMBOL that changes.
    #[arg(value_name = "PATH|SYMBOL")]
    target: String,
    /// Maximum number of places.
    #[arg(long, value_name = "N", default_value_t = 100)]
    limit: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Shows what a change reaches.
pub fn run(args: ImpactArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let index = refreshed(&project)?;
    let snapshot = index.snapshot();
    let named = beneath(&project.root, &args.target);
    let found = targets(&snapshot, &named);
    if found.is_empty() {
        return Err(Problem::new("usage.impact").with("name", &args.target).into());
    }
    let impact = reached(&snapshot, &found, args.limit);
    if args.json {
        print_json(&as_json(&found, &impact));
        return Ok(0);
    }
    let language = project.settings.language;
    for it in &impact.items {
        out(&line(it, language));
    }
    let count = |key: &str, many: usize| language.say(key, &[("count", &many.to_string())]);
    let files = |many| count("impact.files", many);
    let (files, tests) = (files(impact.files().len()), files(impact.tests().len()));
    let places = count("impact.places", impact.items.len());
    err(&language.say("impact.total", &[("places", &places), ("files", &files), ("tests", &tests)]));
    if impact.cut {
        err(&language.say("impact.cut", &[]));
    }
    Ok(0)
}

/// A path as the index calls it: from the root, also where it was typed in a folder below or whole. Else the word itself.
fn beneath(root: &Path, named: &str) -> String {
    let (path, symbol) = match named.rsplit_once(':') {
        Some((path, symbol)) if !path.ends_with(':') => (path, Some(symbol)),
        _ => (named, None),
    };
    let here = std::env::current_dir().and_then(|it| it.join(path).canonicalize());
    let (Ok(full), Ok(root)) = (here, root.canonicalize()) else { return named.to_owned() };
    let Ok(inner) = full.strip_prefix(&root) else { return named.to_owned() };
    let parts: Vec<String> = inner.components().map(|it| it.as_os_str().to_string_lossy().into_owned()).collect();
    match symbol {
        Some(symbol) => format!("{}:{symbol}", parts.join("/")),
        None => parts.join("/"),
    }
}

fn as_json(targets: &[Target], impact: &Impact) -> Value {
    let target = |it: &Target| match it {
        Target::File(path) => json!({"path": path, "symbol": null}),
        Target::Symbol { path, name } => json!({"path": path, "symbol": name}),
    };
    json!({
        "targets": targets.iter().map(target).collect::<Vec<_>>(),
        "items": impact.items,
        "files": impact.files(),
        "tests": impact.tests(),
        "cut": impact.cut,
    })
}

/// `path  symbol  [test]  ← calls price (app/shop.py) ← calls area`, the nearest step first.
fn line(it: &Reached, language: Language) -> String {
    let symbol = it.symbol.as_deref().map(|it| format!("  {it}")).unwrap_or_default();
    let test = if it.test { format!("  [{}]", language.say("impact.test", &[])) } else { String::new() };
    let mut way = String::new();
    for (at, step) in it.because.iter().enumerate().rev() {
        let verb = language.say(&format!("impact.why.{}", key(step.why)), &[]);
        let before = at.checked_sub(1).and_then(|it_at| it.because.get(it_at));
        let to = before.map(|it| match &it.symbol {
            Some(symbol) => format!(" {symbol} ({})", it.path),
            None => format!(" {}", it.path),
        });
        way += &format!(" ← {verb}{}", to.unwrap_or_default());
    }
    format!("{}{symbol}{test} {way}", it.path)
}

fn key(why: Why) -> &'static str {
    match why {
        Why::Calls => "calls",
        Why::HasType => "has_type",
        Why::Uses => "uses",
        Why::Imports => "imports",
        Why::Tests => "tests",
        Why::Declares => "declares",
        Why::Defines => "defines",
        Why::PartOf => "part_of",
    }
}
