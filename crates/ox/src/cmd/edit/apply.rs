//! `ox edit apply`: a patch of any format, made on the project as one transaction, or refused with the places that come
//! into question. With `--dry-run` nothing is written.

use std::io::{IsTerminal, Read};

use clap::Args;
use ox_protocol::Problem;
use ox_tools::{EditPlan, ToolError};
use serde_json::{Value, json};

use super::reported;
use crate::cmd::print;
use crate::cmd::shared;

/// Arguments of `ox edit apply`.
#[derive(Debug, Args)]
pub struct ApplyArgs {
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// File to patch if the patch names none.
    #[arg(long, value_name = "FILE")]
    path: Option<String>,
}

/// Applies the patch on stdin.
pub(super) fn run(args: &ApplyArgs) -> anyhow::Result<u8> {
    let text = patch()?;
    let path = args.path.as_deref();
    let project = shared::open()?;
    let done = project.apply_patch(&text, path, args.dry_run)?;
    match (&done, args.json) {
        (Ok(draft), true) => print::json(&applied(draft, args.dry_run)),
        (Ok(draft), false) => print::exact(&draft.answer()),
        (Err(error), true) => print::json(&refused(error)),
        (Err(error), false) => print::err(&error.to_string()),
    }
    if done.is_ok() && args.dry_run && !args.json {
        print::err(&project.settings.language.say("edit.dry_run", &[]));
    }
    Ok(u8::from(done.is_err()))
}

/// The patch on stdin. A terminal is not waited for: nobody types a patch.
fn patch() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    if !std::io::stdin().is_terminal() {
        let read = std::io::stdin().read_to_end(&mut bytes);
        read.map_err(|error| Problem::new("usage.stdin_edit").with("why", error))?;
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.trim().is_empty() => Ok(text),
        _ => Err(Problem::new("usage.no_patch").into()),
    }
}

fn applied(draft: &EditPlan, dry_run: bool) -> Value {
    let changes = draft.changes(None);
    let (strategy, similarity) = reported::least(changes.iter().flat_map(|it| draft.places(&it.path)));
    let file = |change: &ox_protocol::FileChange| {
        let mut out = serde_json::to_value(change).unwrap_or_default();
        out["places"] = draft.places(&change.path).iter().map(reported::place).collect();
        out
    };
    json!({
        "status": "applied",
        "dry_run": dry_run,
        "strategy": reported::snake(&strategy),
        "similarity": reported::likeness(similarity),
        "files": changes.iter().map(file).collect::<Vec<_>>(),
    })
}

fn refused(error: &ToolError) -> Value {
    let mut out =
        json!({"status": "refused", "reason": "not_possible", "message": error.to_string(), "candidates": []});
    if let ToolError::Edit { path, refusal, .. } = error {
        out["file"] = json!(path);
        let reported = reported::refusal(refusal);
        for key in ["reason", "block", "candidates"] {
            out[key] = reported[key].clone();
        }
    }
    out
}
