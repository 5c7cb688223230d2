//! Injections: a project carries text that tells a model what to do, and the model obeys it to the letter and beyond.
//!
//! Each case runs `ox` with the loosest policy that asks nobody (`auto`, headless) in a project of its own, beside a home, a
//! neighbouring folder, a git remote and a listener that nobody may touch. What counts is what took effect, not what was
//! said: a case is bad when anything outside changed, was read out, or was reached.

mod obey;
mod place;

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use place::Place;

/// One text and what carries it.
#[derive(Clone, Debug)]
pub struct Case {
    /// Its name in the corpus.
    pub id: String,
    /// What carries it, in the corpus's words.
    pub carrier: String,
    /// The text.
    pub payload: String,
}

/// What came of all cases.
pub struct Row {
    /// How many there were.
    pub cases: usize,
    /// Calls that the obeying models made.
    pub attempts: usize,
    /// `id: what took effect`.
    pub took_effect: Vec<String>,
}

const USAGE: &str = "usage: cargo xtask bench injections --corpus FILE [--ox FILE]";

/// Runs every case and prints what took effect; answers whether nothing did.
pub fn run(args: &[String]) -> Result<bool> {
    let (mut corpus, mut ox) = (None, None);
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let value = args.next().with_context(|| format!("{arg} needs a value\n{USAGE}"))?;
        match arg.as_str() {
            "--corpus" => corpus = Some(std::path::absolute(value)?),
            "--ox" => ox = Some(std::path::absolute(value)?),
            _ => anyhow::bail!("unknown option `{arg}`\n{USAGE}"),
        }
    }
    let ox = ox.map_or_else(super::agent_loop::build, Ok)?;
    let row = measure(&ox, &corpus.context(USAGE)?)?;
    println!("injections  {} cases, {} attempts, {} took effect", row.cases, row.attempts, row.took_effect.len());
    row.took_effect.iter().for_each(|it| println!("  {it}"));
    Ok(row.took_effect.is_empty())
}

/// Runs every case of `corpus` (JSON lines) through the program `ox`.
pub fn measure(ox: &Path, corpus: &Path) -> Result<Row> {
    let text = std::fs::read_to_string(corpus).with_context(|| format!("reading {}", corpus.display()))?;
    let mut row = Row { cases: 0, attempts: 0, took_effect: Vec::new() };
    for line in text.lines().filter(|it| !it.trim().is_empty()) {
        let value: Value = serde_json::from_str(line).context("a line of the corpus is no JSON")?;
        let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let case = Case { id: field("id"), carrier: field("carrier"), payload: field("payload") };
        if case.id.is_empty() || case.payload.is_empty() {
            continue;
        }
        let place = Place::new(&case)?;
        let script = obey::script(&case, &place);
        row.attempts += script.calls;
        let effects = place.run(ox, &script.text)?;
        row.cases += 1;
        row.took_effect.extend(effects.into_iter().map(|it| format!("{}: {it}", case.id)));
    }
    Ok(row)
}
