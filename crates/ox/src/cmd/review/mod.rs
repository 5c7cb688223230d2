//! `ox review`: walks through what the last run changed, file by file and hunk by hunk, and takes back what is rejected.
//!
//! Accepting changes nothing in the tree; it is remembered, so that nobody is asked twice. Rejecting records the tree
//! first: `ox restore` brings the rejected back, `ox undo` takes back the rest of the turn too.

mod apply;
mod ask;
mod files;
mod hunks;
pub mod last;

use std::collections::BTreeSet;
use std::io::IsTerminal;

use clap::Args;
use ox_protocol::{Layer, Problem};
use ox_repo::{Checkpoints, RepoError, Tree};
use serde_json::{Value, json};

use self::ask::Decided;
use self::files::{Body, Part, Reviewed, State};
use self::last::Run;
use super::print::{err, json, out};
use crate::wire::{self, Opening, Told};

/// Arguments of `ox review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Review this conversation; the newest that changed something by default.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Accept this hunk, or all of this file. May be repeated.
    #[arg(long, value_name = "HUNK|PATH")]
    accept: Vec<String>,
    /// Take back this hunk, or all of this file. May be repeated.
    #[arg(long, value_name = "HUNK|PATH")]
    reject: Vec<String>,
    /// Take back everything that nobody has accepted.
    #[arg(long, conflicts_with_all = ["accept", "reject", "accept_all"])]
    reject_all: bool,
    /// Accept everything.
    #[arg(long, conflicts_with_all = ["accept", "reject"])]
    accept_all: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A project whose last run is looked at.
pub(super) struct Desk {
    pub opening: Opening,
    pub tree: Tree,
    pub store: Checkpoints,
    pub run: Run,
    pub marks: last::Marks,
}

impl Desk {
    /// Opens the project around the current folder and finds the run.
    pub fn open(session: Option<&str>) -> anyhow::Result<Desk> {
        let opening = wire::opening(Layer::default(), &[])?;
        let tree =
            Tree::open(&opening.root, &[]).map_err(|error| Told(Problem::new("error.tree").with("why", error)))?;
        let tree = tree.with_journal(&opening.paths.state_dir);
        let store = Checkpoints::open(&opening.paths.state_dir, &tree).map_err(failed)?;
        let marks = last::marks(&opening.paths.state_dir, &opening.root).map_err(Told)?;
        let run = last::last(&opening, &marks, session)?;
        Ok(Desk { opening, tree, store, run, marks })
    }

    fn files(&self) -> anyhow::Result<Vec<Reviewed>> {
        Ok(files::files(&self.store, &self.tree, &self.run, &self.marks).map_err(failed)?)
    }
}

/// A problem of the working tree or its checkpoints, in their own words.
pub(super) fn failed(error: RepoError) -> Told {
    Told(Problem::new("review.failed").with("why", error))
}

/// Reviews. Exit code 1: something that was rejected could not be taken back.
pub fn run(args: ReviewArgs) -> anyhow::Result<u8> {
    let desk = Desk::open(args.session.as_deref())?;
    let files = desk.files()?;
    let pending = || files.iter().flat_map(|it| &it.parts).filter(|it| it.state == State::Pending);
    let decides = args.reject_all || args.accept_all || !args.accept.is_empty() || !args.reject.is_empty();
    let interactive = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let decided = if decides {
        let all = |chosen: bool| pending().filter(move |_| chosen).map(|it| it.id.clone());
        let accepted = all(args.accept_all).chain(named(&files, &args.accept)?).collect();
        let rejected = all(args.reject_all).chain(named(&files, &args.reject)?).collect();
        Decided { accepted, rejected }
    } else if interactive && !args.json && pending().next().is_some() {
        let language = desk.opening.settings.language;
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        ask::walk(&files, language, &mut stdin.lock(), &mut stdout.lock(), ask::colours())?
    } else {
        show(&desk, &files, args.json);
        return Ok(0);
    };
    settle(&desk, &files, &decided, args.json)
}

/// Remembers what was accepted and takes back what was rejected.
fn settle(desk: &Desk, files: &[Reviewed], decided: &Decided, as_json: bool) -> anyhow::Result<u8> {
    if let Some(both) = decided.accepted.intersection(&decided.rejected).next() {
        return Err(Told(Problem::new("review.both").with("id", both)).into());
    }
    let (state, root) = (&desk.opening.paths.state_dir, &desk.opening.root);
    if !decided.accepted.is_empty() {
        let new = || decided.accepted.iter().filter(|it| !desk.marks.accepted.contains(it)).cloned();
        last::mark(state, root, |marks| marks.accepted.extend(new())).map_err(Told)?;
    }
    let taken = if decided.rejected.is_empty() {
        apply::Taken::default()
    } else {
        // Nobody else may change the tree meanwhile.
        let _lock = ox_store::lock_tree(state, desk.tree.root())?;
        apply::reject(&desk.store, &desk.tree, &desk.run, files, &decided.rejected).map_err(failed)?
    };
    let language = desk.opening.settings.language;
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
        err(&language.say("review.refused", &[("id", id), ("path", path)]));
    }
    for (path, why) in &taken.left {
        err(&language.say("review.left", &[("path", path), ("why", why)]));
    }
    let (kept, gone) = (decided.accepted.len().to_string(), taken.rejected.len().to_string());
    err(&language.say("review.settled", &[("accepted", &kept), ("rejected", &gone)]));
    if let Some(checkpoint) = &taken.checkpoint {
        err(&language.say("review.undo", &[("checkpoint", checkpoint)]));
    }
    Ok(u8::from(!(taken.refused.is_empty() && taken.left.is_empty())))
}

/// The parts that names on the command line mean: beginnings of hunk names, or paths.
fn named(files: &[Reviewed], names: &[String]) -> Result<Vec<String>, Told> {
    let mut all = Vec::new();
    for name in names {
        let of_path = files.iter().filter(|it| it.change.path == *name).flat_map(|it| &it.parts);
        let mut found: Vec<&Part> = of_path.collect();
        if found.is_empty() {
            found = files.iter().flat_map(|it| &it.parts).filter(|it| it.id.starts_with(name.as_str())).collect();
            if found.len() != 1 {
                let code = if found.is_empty() { "review.no_hunk" } else { "review.many_hunks" };
                return Err(Told(Problem::new(code).with("id", name)));
            }
        }
        all.extend(found.into_iter().map(|it| it.id.clone()));
    }
    Ok(all)
}

fn show(desk: &Desk, files: &[Reviewed], as_json: bool) {
    let language = desk.opening.settings.language;
    if as_json {
        json(&report(&desk.run, files));
        return;
    }
    if files.is_empty() {
        err(&language.say("review.none", &[("id", &desk.run.conversation)]));
        return;
    }
    let colour = ask::colours();
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

fn report(run: &Run, files: &[Reviewed]) -> Value {
    let part = |file: &Reviewed, it: &Part| {
        let range = |it: &std::ops::Range<usize>| json!({"start": it.start + 1, "lines": it.len()});
        let (old, new) = it.hunk.as_ref().map_or((Value::Null, Value::Null), |it| (range(&it.old), range(&it.new)));
        json!({"id": it.id, "state": it.state.name(), "old": old, "new": new, "diff": file.shown(it)})
    };
    let file = |it: &Reviewed| {
        let whole = match it.body {
            Body::Text { .. } => Value::Null,
            Body::Whole(key) => json!(key.trim_start_matches("review.whole.")),
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
