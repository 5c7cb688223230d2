//! `ox checks`: the checks that were found in this project, cheap ones first. It runs none of them.

use clap::Args;
use ox_agent::checks;
use ox_protocol::locale::Language;
use ox_protocol::{Check, Layer, Problem};
use ox_repo::Tree;

use super::print::{columns, json, out};
use crate::wire::{self, Opening, Told};

/// Arguments of `ox checks`.
#[derive(Debug, Args)]
pub struct ChecksArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Shows the checks.
pub fn run(args: ChecksArgs) -> anyhow::Result<u8> {
    let opening = wire::opening(Layer::default(), &[])?;
    let found = found(&opening)?;
    if args.json {
        json(&serde_json::to_value(&found)?);
    } else if found.is_empty() {
        super::print::err(&opening.settings.language.say("checks.none", &[]));
    } else {
        out(&table(&found, opening.settings.language));
    }
    Ok(0)
}

/// The project's checks, as a task would find them.
pub(super) fn found(opening: &Opening) -> anyhow::Result<Vec<Check>> {
    let tree = Tree::open(&opening.root, &opening.added)
        .map_err(|error| Told(Problem::new("error.tree").with("why", error)))?;
    Ok(checks::discover(&tree, opening.settings.checks.as_deref().unwrap_or_default()))
}

fn table(checks: &[Check], language: Language) -> String {
    let row = |check: &Check| {
        let kind = serde_json::to_value(check.kind).unwrap_or_default();
        let kind = language.say(&format!("checks.kind.{}", kind.as_str().unwrap_or_default()), &[]);
        vec![kind, check.command.clone(), check.source.clone()]
    };
    columns(&checks.iter().map(row).collect::<Vec<Vec<String>>>())
}
