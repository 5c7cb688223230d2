//! `ox context`: what a model would be told of a task before its first word, section by section, and why. No model is
//! asked, nothing is sent, and nothing of the project changes; the index is brought up to date first.

use std::sync::Arc;

use clap::Args;
use ox_agent::gather::{Around, Gathered, gather};
use ox_agent::knowledge::{Knowledge, folder};
use ox_agent::memory::memory;
use ox_agent::{Clock, checks};
use ox_context::{Because, Item, system_prompt};
use ox_model::tokens::Counter;
use ox_protocol::locale::Language;
use ox_protocol::{ConversationId, Layer, Mode, ModelFacts, Problem, Section, Tokens};
use ox_repo::Tree;
use serde_json::{Value, json};

use super::index::Bar;
use super::print::{columns, json, out};
use crate::wire::{self, Extras, Opening, Told};

/// Width of the bar of the largest section.
const BAR: u64 = 30;

/// Arguments of `ox context`.
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// The task, in the words in which it would be given.
    #[arg(value_name = "TASK", required = true)]
    task: Vec<String>,
    /// Print JSON, with the texts.
    #[arg(long)]
    json: bool,
    /// Say of each file and piece why it is in, and of those that are not, why not.
    #[arg(long)]
    explain: bool,
}

/// What is shown: name, text, tokens.
struct Row {
    name: String,
    text: String,
    tokens: Tokens,
}

/// Everything that would be sent, and for whom.
struct Shown {
    facts: ModelFacts,
    counter: Counter,
    rows: Vec<Row>,
    gathered: Gathered,
}

/// Gathers and shows.
pub fn run(args: ContextArgs) -> anyhow::Result<u8> {
    let opening = wire::opening(Layer::default(), &[])?;
    let task = args.task.join(" ");
    let shown = look(&opening, &task)?;
    let language = opening.settings.language;
    if args.json {
        json(&as_json(&shown));
    } else {
        out(&table(&shown, language));
        if args.explain {
            out(&format!("\n{}", explained(&shown.gathered, language)));
        }
    }
    Ok(0)
}

fn look(opening: &Opening, task: &str) -> anyhow::Result<Shown> {
    let failed = |code: &'static str, why: &dyn std::fmt::Display| Told(Problem::new(code).with("why", why));
    let settings = &opening.settings;
    let tree = Tree::open(&opening.root, &opening.added).map_err(|it| failed("error.tree", &it))?;
    let runner = Arc::new(wire::sandbox(settings).map_err(Told)?);
    let knowledge =
        Knowledge::open(&tree, &folder(settings, &opening.paths), runner).map_err(|it| failed("index.failed", &it))?;
    let bar = Bar::new(settings.language);
    let refreshed = knowledge.refresh(false, &|it| bar.show(it)).map_err(|it| failed("index.failed", &it));
    bar.clear();
    refreshed?;
    let facts = model(opening);
    let found = checks::discover(&tree, settings.checks.as_deref().unwrap_or_default());
    let gathered = gather(&Around {
        tree: &tree,
        knowledge: Some(&knowledge),
        behind: false,
        settings,
        window: facts.window,
        today: &Clock::real().today,
        checks: &found,
        mode: settings.mode,
        prompt: task,
        plan: None,
        memory: remembered(opening, &tree, facts.window),
        reads: &ox_tools::Reads::default(),
    });
    knowledge.save();
    let counter = Counter::for_model(&facts.name);
    let rows = rows(&gathered.sections, settings.mode, task, counter);
    Ok(Shown { facts, counter, rows, gathered })
}

/// What is known of the main model; the usual where none is configured, for nothing is asked.
fn model(opening: &Opening) -> ModelFacts {
    let settings = &opening.settings;
    let name = wire::main_model(settings).ok();
    let explained =
        name.map(|name| ox_model::explain(&wire::choice(settings, Some(name.clone()), &Extras::default()), &name));
    explained.and_then(Result::ok).map_or_else(ModelFacts::default, |it| it.facts)
}

/// What a new conversation is told of earlier ones; a store that cannot be read tells nothing here.
fn remembered(opening: &Opening, tree: &Tree, window: Tokens) -> Option<Section> {
    let (store, root) = (wire::store(&opening.paths).ok()?, tree.root().to_string_lossy());
    let limits = (opening.settings.memory_turns, window);
    memory(store.as_ref(), &root, (&ConversationId::default(), &[]), limits).ok()?.section
}

fn rows(sections: &[Section], mode: Mode, task: &str, counter: Counter) -> Vec<Row> {
    let tools: Vec<String> =
        ox_tools::specs(mode).iter().map(|it| format!("{} {} {}", it.name, it.description, it.schema)).collect();
    let fixed = [("system".to_owned(), system_prompt()), ("tools".to_owned(), tools.join("\n"))];
    let sections = sections.iter().map(|it| (it.name.clone(), it.text.clone()));
    let all = fixed.into_iter().chain(sections).chain([("task".to_owned(), task.to_owned())]);
    all.map(|(name, text)| Row { tokens: counter.count(&text), name, text }).collect()
}

fn total(shown: &Shown) -> u64 {
    shown.rows.iter().map(|it| it.tokens.0).sum()
}

fn table(shown: &Shown, language: Language) -> String {
    let most = shown.rows.iter().map(|it| it.tokens.0).max().unwrap_or(1).max(1);
    let bar = |tokens: u64| "█".repeat(usize::try_from((tokens * BAR).div_ceil(most)).unwrap_or(0));
    let row = |it: &Row| vec![it.name.clone(), format!("{:>6}", it.tokens.0), bar(it.tokens.0)];
    let rows: Vec<Vec<String>> = shown.rows.iter().map(row).collect();
    let (sum, window) = (total(shown).to_string(), shown.facts.window.0.to_string());
    let key = if shown.counter.is_exact() { "context.total" } else { "context.total_about" };
    let model = if shown.facts.name.is_empty() { "-" } else { &shown.facts.name };
    format!("{}{}", columns(&rows), language.say(key, &[("tokens", &sum), ("window", &window), ("model", model)]))
}

/// Why each item is in, then why each other is not.
fn explained(gathered: &Gathered, language: Language) -> String {
    let picked = &gathered.picked;
    if picked.items.is_empty() && picked.left_out.is_empty() {
        return language.say("context.nothing", &[]);
    }
    let why = |it: &Item| {
        let shares: Vec<String> = it.sources.iter().take(4).map(|(name, share)| format!("{name} {share:.1}")).collect();
        shares.join(", ")
    };
    let row = |it: &Item, mark: String| {
        let name = format!("{} {}", it.section, place(it));
        vec![mark, name, it.rank.name().to_owned(), format!("{:.2}", it.score), why(it)]
    };
    let is_in = picked.items.iter().map(|it| row(it, format!("+{}", it.tokens.0)));
    let out =
        |(it, because): &(Item, Because)| row(it, language.say(&format!("context.because.{}", because.name()), &[]));
    let rows: Vec<Vec<String>> = is_in.chain(picked.left_out.iter().map(out)).collect();
    columns(&rows)
}

fn place(it: &Item) -> String {
    match it.lines {
        Some((from, to)) => format!("{}:{from}-{to}", it.path),
        None => it.path.clone(),
    }
}

fn as_json(shown: &Shown) -> Value {
    let item = |it: &Item, because: Option<Because>| {
        let sources: Vec<Value> =
            it.sources.iter().map(|(name, share)| json!({"name": name, "share": share})).collect();
        json!({
            "section": it.section, "path": it.path, "start": it.lines.map(|it| it.0), "end": it.lines.map(|it| it.1),
            "symbol": it.symbol, "rank": it.rank.name(), "score": it.score, "tokens": it.tokens.0,
            "sources": sources, "because": because.map(Because::name),
        })
    };
    let sections: Vec<Value> =
        shown.rows.iter().map(|it| json!({"name": it.name, "tokens": it.tokens.0, "text": it.text})).collect();
    let picked = &shown.gathered.picked;
    json!({
        "model": shown.facts.name, "window": shown.facts.window.0, "exact": shown.counter.is_exact(),
        "tokens": total(shown), "sections": sections,
        "in": picked.items.iter().map(|it| item(it, None)).collect::<Vec<_>>(),
        "out": picked.left_out.iter().map(|(it, because)| item(it, Some(*because))).collect::<Vec<_>>(),
    })
}
