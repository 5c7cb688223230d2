//! `ox compare A B`: two conversations beside each other: what they did, what it took, and where they part.

use clap::Args;
use ox_app::conversations::comparison::{Comparison, Run};
use ox_app::conversations::stored::Conversations;
use ox_app::project::language;
use ox_protocol::locale::Language;
use ox_ui::words;
use serde_json::json;

use super::print::{columns, cut, json as print_json, out};

/// Longest text of a cell, in characters.
const CELL: usize = 40;

/// Arguments of `ox compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// First conversation: its id, the beginning of its id, or its name.
    a: String,
    /// Second conversation.
    b: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Compares them.
pub fn run(args: CompareArgs) -> anyhow::Result<u8> {
    let stored = Conversations::open()?;
    let compared = stored.compare(&args.a, &args.b)?;
    if args.json {
        print_json(&json!(compared));
        return Ok(0);
    }
    let language = language();
    out(&columns(&table(&compared, language)));
    for (key, files) in [("a", &compared.only_a), ("b", &compared.only_b), ("both", &compared.both)] {
        if !files.is_empty() {
            out(&language.say(&format!("compare.files.{key}"), &[("files", &files.join(", "))]));
        }
    }
    let parted = compared.parts_at.as_ref().map(|it| {
        let none = || language.say("compare.nothing", &[]);
        let call = |it: &Option<String>| it.clone().unwrap_or_else(none);
        let args = [("count", it.call.to_string()), ("a", call(&it.a)), ("b", call(&it.b))];
        language.say("compare.parts", &args.each_ref().map(|(name, value)| (*name, value.as_str())))
    });
    out(&parted.unwrap_or_else(|| language.say("compare.same", &[])));
    Ok(0)
}

fn table(compared: &Comparison, language: Language) -> Vec<Vec<String>> {
    let say = |key: &str| language.say(&format!("compare.{key}"), &[]);
    let row = |key: &str, of: &dyn Fn(&Run) -> String| {
        vec![say(key), cut(&of(&compared.a), CELL), cut(&of(&compared.b), CELL)]
    };
    vec![
        row("conversation", &|it| it.id.0.clone()),
        row("task", &|it| it.prompt.lines().next().unwrap_or_default().to_owned()),
        row("model", &|it| it.model.clone()),
        row("end", &|it| it.stop.map(|it| language.say(it.code(), &[])).unwrap_or_default()),
        row("turns", &|it| it.turns.to_string()),
        row("requests", &|it| it.requests.to_string()),
        row("calls", &|it| it.calls.to_string()),
        row("tokens", &|it| format!("{} + {}", words::tokens(it.input), words::tokens(it.output))),
        row("cost", &|it| it.cost.map(words::money).unwrap_or_default()),
        row("time", &|it| words::duration(it.duration_ms)),
        row("changes", &|it| format!("{} (+{} −{})", it.files.len(), it.added, it.removed)),
        row("checks", &|it| it.checks.join(", ")),
    ]
}
