//! `ox checks`: the checks that were found in this project, cheap ones first. It runs none of them.

use clap::Args;
use ox_protocol::Check;
use ox_protocol::locale::Language;

use super::print::{columns, json, out};
use crate::cmd::shared;

/// Arguments of `ox checks`.
#[derive(Debug, Args)]
pub struct ChecksArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Shows the checks.
pub fn run(args: ChecksArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let found = project.checks()?;
    if args.json {
        json(&serde_json::to_value(&found)?);
    } else if found.is_empty() {
        super::print::err(&project.settings.language.say("checks.none", &[]));
    } else {
        out(&table(&found, project.settings.language));
    }
    Ok(0)
}

fn table(checks: &[Check], language: Language) -> String {
    let row = |check: &Check| {
        let kind = serde_json::to_value(check.kind).unwrap_or_default();
        let kind = language.say(&format!("checks.kind.{}", kind.as_str().unwrap_or_default()), &[]);
        vec![kind, check.command.clone(), check.source.clone()]
    };
    columns(&checks.iter().map(row).collect::<Vec<Vec<String>>>())
}
