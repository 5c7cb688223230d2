//! `ox memory`: what a new conversation is told of earlier tasks of this project, and having some of it forgotten.
//!
//! The JSON has the very words that are sent. Forgetting changes no log: a conversation that goes on still has it.

use clap::{Args, Subcommand};
use ox_app::Project;
use ox_app::project::now;
use ox_context::Past;
use ox_core::secrets::redact;
use ox_protocol::ConversationId;
use ox_protocol::locale::Language;
use ox_ui::words;
use serde_json::{Value, json};

use super::history::plain;
use super::print::{cut, err, json as print_json, out, table};
use crate::cmd::shared;

/// Longest task and longest result in the table, in characters.
const TASK: usize = 40;
const RESULT: usize = 60;

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
    /// Forget tasks; the conversations are kept.
    Forget {
        /// Conversation id or its beginning; add `:N` for turn N only.
        #[arg(required_unless_present = "all")]
        ids: Vec<String>,
        /// Forget all tasks of this project so far.
        #[arg(long, conflicts_with = "ids")]
        all: bool,
    },
}

/// Shows what is remembered, or has it forgotten.
pub fn run(args: MemoryArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let language = project.settings.language;
    match args.what {
        None => show(&project, args.json)?,
        Some(What::Forget { ids, all }) => {
            let count = if all { project.forget_all()? } else { project.forget(&ids)? };
            err(&language.say("memory.forgotten", &[("count", &count.to_string())]));
        }
    }
    Ok(0)
}

fn show(project: &Project, as_json: bool) -> anyhow::Result<()> {
    let found = project.memory(&ConversationId::default())?;
    if as_json {
        let turns: Vec<Value> = found.turns.iter().map(turn).collect();
        let (text, tokens) = found.section.map(|it| (it.text, it.tokens.0)).unwrap_or_default();
        print_json(&json!({ "turns": turns, "text": text, "tokens": tokens }));
        return Ok(());
    }
    let language = project.settings.language;
    if found.turns.is_empty() {
        err(&language.say("memory.none", &[("root", &project.root_name())]));
        return Ok(());
    }
    let head = ["id", "when", "task", "files", "result"].map(|it| language.say(&format!("memory.head.{it}"), &[]));
    out(&table(&head, found.turns.iter().map(|it| row(it, language)).collect()));
    if let Some(section) = found.section {
        err(&language.say("memory.how", &[("tokens", &words::tokens(section.tokens))]));
    }
    Ok(())
}

fn row(past: &Past, language: Language) -> Vec<String> {
    let result = match past.stop {
        Some(stop) if stop.exit_code() != 0 => language.say(stop.code(), &[]),
        _ => plain(&past.summary),
    };
    vec![
        format!("{}:{}", past.conversation, past.turn),
        words::long_ago(language, now(), past.time),
        cut(&redact(&past.instruction.split_whitespace().collect::<Vec<_>>().join(" ")).text, TASK),
        past.files.len().to_string(),
        cut(&result, RESULT),
    ]
}

fn turn(past: &Past) -> Value {
    let files: Vec<&str> = past.files.iter().map(|it| it.path.as_str()).collect();
    json!({
        "id": format!("{}:{}", past.conversation, past.turn), "time": past.time, "instruction": past.instruction,
        "summary": past.summary, "files": files,
    })
}
