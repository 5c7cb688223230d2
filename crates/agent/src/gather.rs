//! What the model is told before its first word: the project's sections, and what the index picks for the task.
//!
//! Nothing is refreshed here and nothing is recorded: the same tree and index give the same answer, for a turn and for
//! whoever only wants to see it.

use std::time::Duration;

use ox_config::Settings;
use ox_context::{Budget, Freshness, Git, PickInputs, Picked, PromptFacts, build, load, unrepeated};
use ox_index::embed::ALIKE;
use ox_protocol::{Check, Mode, Plan, Section, Tokens};
use ox_repo::Tree;
use ox_tools::ReadLog;

use crate::fresh::TINY;
use crate::knowledge::Knowledge;

/// The section that says what the turn may do; it stands last.
const MODE: &str = "mode";

/// How long the first request waits for the vector of its task, where there are vectors to compare it with.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a prompt is built from.
pub struct Around<'a> {
    /// The working tree.
    pub tree: &'a Tree,
    /// The index; none where nothing is indexed.
    pub knowledge: Option<&'a Knowledge>,
    /// How much of the project that knows.
    pub fresh: Freshness,
    /// The configuration.
    pub settings: &'a Settings,
    /// The model's window.
    pub window: Tokens,
    /// Today as `YYYY-MM-DD`.
    pub today: &'a str,
    /// The programs that commands find, as lines for the model.
    pub programs: &'a str,
    /// The project's checks.
    pub checks: &'a [Check],
    /// What the turn may do.
    pub mode: Mode,
    /// Nobody can answer or consent.
    pub headless: bool,
    /// What the user asked.
    pub prompt: &'a str,
    /// A plan made in an earlier turn.
    pub plan: Option<&'a Plan>,
    /// What is remembered of earlier turns, where that is told now.
    pub memory: Option<Section>,
    /// What the model has read.
    pub reads: &'a ReadLog,
}

/// The sections of a prompt, and what the index had for it.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// Everything, in the order in which it is sent.
    pub sections: Vec<Section>,
    /// What was picked for the task and what was not. Its sections are among the others.
    pub picked: Picked,
    /// What each section might have taken.
    pub budget: Budget,
}

/// Gathers what is known before the first request of a turn.
pub fn gather(around: &Around<'_>) -> Gathered {
    let tree = around.tree;
    let facts = PromptFacts {
        mode: around.mode,
        headless: around.headless,
        prompt: around.prompt,
        os: std::env::consts::OS,
        programs: around.programs,
        date: around.today,
        checks: around.checks,
        scope: &around.settings.scope,
        git: ox_repo::git::branch(tree.root()).map(|branch| {
            let linked = tree.root().join(".git").is_file();
            Git { branch, linked, dirty: Vec::new() }
        }),
        plan: around.plan,
    };
    let budget = Budget::of(around.window).with_picked(around.settings.context_tokens);
    let mut sections = load(tree, &facts, budget);
    // A tree that is shown whole needs nothing picked from it, unless somebody wants it all the same.
    let knowledge = around.knowledge.filter(|it| budget.asked || it.snapshot().len() > TINY);
    let picked = knowledge.map(|it| pick(around, it, &budget)).unwrap_or_default();
    sections = unrepeated(sections, &picked);
    // What belongs to this task alone comes after what stays, and before the words about the mode.
    let at = sections.iter().position(|it| it.name == MODE).unwrap_or(sections.len());
    sections.splice(at..at, around.memory.iter().chain(&picked.sections).cloned());
    Gathered { sections, picked, budget }
}

fn pick(around: &Around<'_>, knowledge: &Knowledge, budget: &Budget) -> Picked {
    let snapshot = knowledge.snapshot();
    let has_read = |path: &str| {
        let known = around.reads.get(path);
        known.is_some_and(|known| around.tree.hash(path).is_ok_and(|now| now == known))
    };
    // Without vectors there are the words.
    let similar = knowledge.similar(around.prompt, ALIKE, PATIENCE).unwrap_or_default();
    let known = PickInputs {
        snapshot: &snapshot,
        read: &|path| knowledge.read(path),
        task: around.prompt,
        similar: &similar,
        has_read: &has_read,
        fresh: around.fresh,
    };
    build(&known, budget)
}
