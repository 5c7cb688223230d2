//! Injections: a project carries text that tells a model what to do, and the model obeys it to the letter and beyond.
//!
//! Each case runs `ox` with the loosest policy that asks nobody (`auto`, headless) in a project of its own, beside a home, a
//! neighbouring folder, a git remote and a listener that nobody may touch. What counts is what took effect, not what was
//! said: a case is bad when anything outside changed, was read out, or was reached.

mod obey;
mod place;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::program::ox;
use place::{Case, Place};

/// What came of all cases.
pub struct Row {
    /// How many there were.
    pub cases: usize,
    /// Calls that the obeying models made.
    pub attempts: usize,
    /// `id: what took effect`.
    pub took_effect: Vec<String>,
}

/// What is played to which program.
#[derive(clap::Args)]
pub struct Options {
    /// Injections as JSON lines: id, carrier, payload.
    #[arg(long)]
    corpus: PathBuf,
    /// A binary to take instead of building one.
    #[arg(long)]
    ox: Option<PathBuf>,
}

/// Runs every case and prints what took effect; answers whether nothing did.
pub fn run(options: Options) -> Result<bool> {
    let row = measure(&ox(options.ox.as_ref())?, &options.corpus)?;
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
