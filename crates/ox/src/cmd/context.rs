//! `ox context`: what a model would be told of a task before its first word, section by section, and why. No model is
//! asked, nothing is sent, and nothing of the project changes; the index is brought up to date first.

mod shown;

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use ox_agent::gather::{Around, Gathered, gather};
use ox_agent::knowledge::{Knowledge, folder};
use ox_agent::memory::memory;
use ox_agent::{Clock, checks};
use ox_context::{Fresh, system_prompt};
use ox_model::tokens::Counter;
use ox_protocol::{ConversationId, Layer, Mode, ModelFacts, Problem, Section, Tokens};
use ox_repo::Tree;

use super::index::Bar;
use super::print::{json, out};
use crate::wire::{self, Extras, Opening, Told};

/// Arguments of `ox context`.
#[derive(Debug, Args)]
pub struct ContextArgs {
    /// The task, in the words in which it would be given.
    #[arg(value_name = "TASK", required = true)]
    task: Vec<String>,
    /// Pick as much as this from the index, in tokens, as `context.tokens` would.
    #[arg(long, value_name = "N")]
    tokens: Option<u32>,
    /// Print JSON, with the texts.
    #[arg(long)]
    json: bool,
    /// Say of each file and piece why it is in, and of those that are not, why not; and how long each step took.
    #[arg(long)]
    explain: bool,
}

/// What is shown: name, what it is for, text, tokens.
struct Row {
    name: String,
    purpose: String,
    text: String,
    tokens: Tokens,
}

/// Everything that would be sent, and for whom.
struct Shown {
    facts: ModelFacts,
    counter: Counter,
    rows: Vec<Row>,
    gathered: Gathered,
    /// How long each step took.
    spent: Vec<(&'static str, Duration)>,
}

/// Steps and how long they took.
struct Steps {
    spent: Vec<(&'static str, Duration)>,
    last: Instant,
}

impl Steps {
    fn new() -> Steps {
        Steps { spent: Vec::new(), last: Instant::now() }
    }

    fn step(&mut self, name: &'static str) {
        self.spent.push((name, self.last.elapsed()));
        self.last = Instant::now();
    }
}

/// Gathers and shows.
pub fn run(args: ContextArgs) -> anyhow::Result<u8> {
    let mut opening = wire::opening(Layer::default(), &[])?;
    opening.settings.context_tokens = args.tokens.or(opening.settings.context_tokens);
    let task = args.task.join(" ");
    let shown = look(&opening, &task)?;
    let language = opening.settings.language;
    if args.json {
        json(&shown::as_json(&shown));
        return Ok(0);
    }
    out(&shown::table(&shown, language));
    if args.explain {
        out(&format!("\n{}\n{}", shown::explained(&shown.gathered, language), shown::times(&shown, language)));
    }
    Ok(0)
}

fn look(opening: &Opening, task: &str) -> anyhow::Result<Shown> {
    let mut steps = Steps::new();
    let failed = |code: &'static str, why: &dyn std::fmt::Display| Told(Problem::new(code).with("why", why));
    let settings = &opening.settings;
    let tree = Tree::open(&opening.root, &opening.added).map_err(|it| failed("error.tree", &it))?;
    let runner = Arc::new(wire::sandbox(settings).map_err(Told)?);
    let knowledge =
        Knowledge::open(&tree, &folder(settings, &opening.paths), runner).map_err(|it| failed("index.failed", &it))?;
    steps.step("open");
    let bar = Bar::new(settings.language);
    let refreshed = knowledge.refresh(false, &|it| bar.show(it)).map_err(|it| failed("index.failed", &it));
    bar.clear();
    refreshed?;
    steps.step("refresh");
    // A session learns it beside its first turn; here nobody would see it otherwise.
    wire::runtime()?.block_on(knowledge.learn_history());
    steps.step("git");
    wire::embedding_or_say(&knowledge, settings, &opening.paths);
    let facts = model(opening);
    let found = checks::discover(&tree, settings.checks.as_deref().unwrap_or_default());
    let memory = remembered(opening, &tree, facts.window);
    steps.step("facts");
    let gathered = gather(&Around {
        tree: &tree,
        knowledge: Some(&knowledge),
        fresh: Fresh::Whole,
        settings,
        window: facts.window,
        today: &Clock::real().today,
        programs: "",
        checks: &found,
        mode: settings.mode,
        headless: false,
        prompt: task,
        plan: None,
        memory,
        reads: &ox_tools::Reads::default(),
    });
    steps.spent.extend(gathered.spent.iter().copied());
    steps.last = Instant::now();
    let counter = Counter::for_model(&facts.name);
    let rows = rows(&gathered, settings.mode, task, counter);
    steps.step("count");
    knowledge.save();
    steps.step("save");
    Ok(Shown { facts, counter, rows, gathered, spent: steps.spent })
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

fn rows(gathered: &Gathered, mode: Mode, task: &str, counter: Counter) -> Vec<Row> {
    let tools: Vec<String> =
        ox_tools::specs(mode, false).iter().map(|it| format!("{} {} {}", it.name, it.description, it.schema)).collect();
    let fixed = [("system".to_owned(), system_prompt()), ("tools".to_owned(), tools.join("\n"))];
    let sections = gathered.sections.iter().map(|it| (it.name.clone(), it.text.clone()));
    let all = fixed.into_iter().chain(sections).chain([("task".to_owned(), task.to_owned())]);
    let purpose = |name: &str| {
        let own = name.split(':').next().unwrap_or(name);
        gathered.picked.purpose(name).unwrap_or(own).to_owned()
    };
    all.map(|(name, text)| Row { tokens: counter.count(&text), purpose: purpose(&name), name, text }).collect()
}
