//! `ox accept`: walks through what the last run changed, file by file and hunk by hunk, and takes back what is rejected.
//!
//! Accepting changes nothing in the tree; it is remembered, so that nobody is asked twice. Rejecting records the tree
//! first: `ox restore` brings the rejected back, `ox undo` takes back the rest of the turn too.

mod ask;

use std::collections::BTreeSet;
use std::io::IsTerminal;

use clap::Args;
use ox_app::accept::{Body, Decided, Part, Reviewed, Run, RunChanges, State, named};
use serde_json::{Value, json};

use super::print::{colours, err, json, out};
use super::shared;

/// Arguments of `ox accept`.
#[derive(Debug, Args)]
pub struct AcceptArgs {
    /// Go through this conversation; by default, the newest with changes.
    #[arg(long, value_name = "ID")]
    pub(super) session: Option<String>,
    /// Accept this hunk or all of this file. May be repeated.
    #[arg(long, value_name = "HUNK|PATH")]
    pub(super) accept: Vec<String>,
    /// Take back this hunk or all of this file. May be repeated.
    #[arg(long, value_name = "HUNK|PATH")]
    pub(super) reject: Vec<String>,
    /// Take back everything not yet accepted.
    #[arg(long, conflicts_with_all = ["accept", "reject", "accept_all"])]
    pub(super) reject_all: bool,
    /// Accept everything.
    #[arg(long, conflicts_with_all = ["accept", "reject"])]
    pub(super) accept_all: bool,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

/// Asks, or does what the flags say. Exit code 1: something that was rejected could not be taken back.
pub fn run(args: AcceptArgs) -> anyhow::Result<u8> {
    let changes = RunChanges::open(shared::open()?, args.session.as_deref())?;
    let files = changes.files()?;
    let pending = || files.iter().flat_map(|it| &it.parts).filter(|it| it.state == State::Pending);
    let decides = args.reject_all || args.accept_all || !args.accept.is_empty() || !args.reject.is_empty();
    let interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let decided = if decides {
        let all = |chosen: bool| pending().filter(move |_| chosen).map(|it| it.id.clone());
        let accepted = all(args.accept_all).chain(named(&files, &args.accept)?).collect();
        let rejected = all(args.reject_all).chain(named(&files, &args.reject)?).collect();
        Decided { accepted, rejected }
    } else if interactive && !args.json && pending().next().is_some() {
        let language = changes.project.settings.language;
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        ask::walk(&files, language, &mut stdin.lock(), &mut stdout.lock(), colours())?
    } else {
        show(&changes, &files, args.json);
        return Ok(0);
    };
    settle(&changes, &files, &decided, args.json)
}

/// Remembers what was accepted, takes back what was rejected, and says what came of it.
fn settle(changes: &RunChanges, files: &[Reviewed], decided: &Decided, as_json: bool) -> anyhow::Result<u8> {
    let taken = changes.settle(files, decided)?;
    let language = changes.project.settings.language;
    if as_json {
        let refused: Vec<Value> = taken.refused.iter().map(|(id, path)| json!({"id": id, "path": path})).collect();
        let left: Vec<Value> = taken.left.iter().map(|(path, why)| json!({"path": path, "why": why})).collect();
        json(&json!({
            "accepted": decided.accepted, "rejected": taken.rejected, "refused": refused, "left": left,
            "checkpoint": taken.checkpoint,
        }));
        return Ok(u8::from(!(taken.refused.is_empty() && taken.left.is_empty())));
    }
    for (id, path) in &taken.refused {
        err(&language.say("accept.refused", &[("id", id), ("path", path)]));
    }
    for (path, why) in &taken.left {
        err(&language.say("accept.left", &[("path", path), ("why", why)]));
    }
    let (kept, gone) = (decided.accepted.len().to_string(), taken.rejected.len().to_string());
    err(&language.say("accept.settled", &[("accepted", &kept), ("rejected", &gone)]));
    if let Some(checkpoint) = &taken.checkpoint {
        err(&language.say("accept.undo", &[("checkpoint", checkpoint)]));
    }
    Ok(u8::from(!(taken.refused.is_empty() && taken.left.is_empty())))
}

fn show(changes: &RunChanges, files: &[Reviewed], as_json: bool) {
    let language = changes.project.settings.language;
    if as_json {
        json(&report(&changes.run, files));
        return;
    }
    if files.is_empty() {
        err(&language.say("accept.none", &[("id", &changes.run.conversation)]));
        return;
    }
    let colour = colours();
    let mut text = String::new();
    for file in files {
        text += &ask::head(file, language, colour);
        for part in &file.parts {
            text += &format!("{} {}\n", part.id, ask::stands(part, language));
            text += &ask::painted(&file.shown(part), colour);
        }
    }
    out(&text);
}

/// A diff in colours, where the terminal shows colours.
pub(super) fn painted(diff: &str) -> String {
    ask::painted(diff, colours())
}

fn report(run: &Run, files: &[Reviewed]) -> Value {
    let part = |file: &Reviewed, it: &Part| {
        let range = |it: &std::ops::Range<usize>| json!({"start": it.start + 1, "lines": it.len()});
        let (old, new) = it.hunk.as_ref().map_or((Value::Null, Value::Null), |it| (range(&it.old), range(&it.new)));
        json!({"id": it.id, "state": it.state.name(), "old": old, "new": new, "diff": file.shown(it)})
    };
    let file = |it: &Reviewed| {
        let whole = match it.body {
            Body::Text { .. } => Value::Null,
            Body::Whole(key) => json!(key.trim_start_matches("accept.whole.")),
        };
        json!({
            "path": it.change.path, "from": it.change.from, "kind": it.change.kind, "why": it.whys, "whole": whole,
            "added": it.change.added, "removed": it.change.removed,
            "hunks": it.parts.iter().map(|part_of| part(it, part_of)).collect::<Vec<Value>>(),
        })
    };
    let ids: BTreeSet<&str> = files.iter().flat_map(|it| &it.parts).map(|it| it.id.as_str()).collect();
    json!({
        "conversation": run.conversation, "base": run.base, "end": run.end, "hunks": ids.len(),
        "files": files.iter().map(file).collect::<Vec<Value>>(),
    })
}
