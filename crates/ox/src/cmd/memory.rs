//! `ox memory`: what a new conversation is told of earlier tasks of this project, and having some of it forgotten.
//!
//! It shows the very words that are sent. Forgetting changes no log: whoever goes on with the conversation still has it.

use clap::{Args, Subcommand};
use ox_agent::memory::memory;
use ox_context::Past;
use ox_protocol::{ConversationId, Layer, Problem, Seq};
use ox_store::Log;
use serde_json::{Value, json};

use super::print::{err, json as print_json, out};
use crate::wire::{self, Opening, Told};

/// Turns of one conversation that are forgotten at once, at most.
const TURNS: usize = 10_000;

/// Arguments of `ox memory`.
#[derive(Debug, Args)]
pub struct MemoryArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Leave tasks out of the memory from now on; the conversations stay.
    Forget {
        /// A conversation, or the beginning of its id, with `:N` for its turn N alone.
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// All tasks of this project so far.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

/// Shows what is remembered, or has it forgotten.
pub fn run(args: MemoryArgs) -> anyhow::Result<u8> {
    let opening = wire::opening(Layer::default(), &[])?;
    let store = wire::store(&opening.paths)?;
    let root = opening.root.canonicalize().unwrap_or_else(|_| opening.root.clone()).to_string_lossy().into_owned();
    match args.what {
        None => show(&opening, store.as_ref(), &root, args.json)?,
        Some(What::Forget { ids, all }) => {
            let turns = if all { remembered(store.as_ref(), &root)? } else { named(store.as_ref(), &ids)? };
            for (id, begun) in &turns {
                store.forget(id, begun)?;
            }
            let count = turns.iter().map(|(_, begun)| begun.len()).sum::<usize>().to_string();
            err(&opening.settings.language.say("memory.forgotten", &[("count", &count)]));
        }
    }
    Ok(0)
}

fn show(opening: &Opening, store: &dyn Log, root: &str, as_json: bool) -> anyhow::Result<()> {
    let limits = (opening.settings.memory_turns, wire::window(&opening.settings));
    let found = memory(store, root, (&ConversationId::default(), &[]), limits)?;
    if as_json {
        let turns: Vec<Value> = found.turns.iter().map(turn).collect();
        let (text, tokens) = found.section.map(|it| (it.text, it.tokens.0)).unwrap_or_default();
        print_json(&json!({ "turns": turns, "text": text, "tokens": tokens }));
    } else if let Some(section) = found.section {
        out(&section.text);
    } else {
        err(&opening.settings.language.say("memory.none", &[("root", root)]));
    }
    Ok(())
}

fn turn(past: &Past) -> Value {
    let files: Vec<&str> = past.files.iter().map(|it| it.path.as_str()).collect();
    json!({
        "id": format!("{}:{}", past.conversation, past.turn), "time": past.time, "instruction": past.instruction,
        "summary": past.summary, "files": files,
    })
}

/// Turns by the conversations that they belong to.
type Turns = Vec<(ConversationId, Vec<Seq>)>;

/// Every turn of the project that is still remembered.
fn remembered(store: &dyn Log, root: &str) -> anyhow::Result<Turns> {
    let all = store.list(Some(root), usize::MAX)?;
    all.into_iter().map(|it| Ok((it.id.clone(), of(store, &it.id, None)?))).collect()
}

/// The turns that are named; all are looked up before anything is forgotten.
fn named(store: &dyn Log, ids: &[String]) -> anyhow::Result<Turns> {
    let mut turns = Vec::new();
    for name in ids {
        let (id, number) = match name.rsplit_once(':').map(|(id, turn)| (id, turn.parse::<u32>())) {
            Some((id, Ok(turn))) => (id, Some(turn)),
            _ => (name.as_str(), None),
        };
        let id = store.find(id)?.id;
        let found = of(store, &id, number)?;
        if found.is_empty() {
            return Err(Told(Problem::new("memory.unknown").with("id", name)).into());
        }
        turns.push((id, found));
    }
    Ok(turns)
}

fn of(store: &dyn Log, id: &ConversationId, number: Option<u32>) -> anyhow::Result<Vec<Seq>> {
    let told = store.told(id, TURNS)?;
    let turns = ox_context::turns(id, &told.frames).into_iter();
    let wanted = turns.filter(|it| number.is_none_or(|number| it.turn == number));
    Ok(wanted.map(|it| it.begun).filter(|it| !told.forgotten.contains(it)).collect())
}
