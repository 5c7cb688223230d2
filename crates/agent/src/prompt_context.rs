//! What the model is told before its first word: the project's sections, and what the index picks for the task.
//!
//! Nothing is refreshed here and nothing is recorded: the same tree and index give the same answer, for a turn and for
//! whoever only wants to see it.

use std::time::Duration;

use ox_config::Settings;
use ox_context::{Budget, Freshness, Git, PickInputs, Picked, PromptFacts, build, load, unrepeated};
use ox_index::embed::ALIKE;
use ox_mcp::McpServers;
use ox_protocol::{Check, ContextFiles, Mode, Plan, Section, Tokens};
use ox_repo::Tree;
use ox_tools::ReadLog;

use crate::freshness::TINY;
use crate::project_index::ProjectIndex;

/// The section that says what the turn may do; it stands last.
const MODE: &str = "mode";

/// How long the first request waits for the vector of its task, where there are vectors to compare it with.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a prompt is built from.
pub struct PromptInputs<'a> {
    /// The working tree.
    pub tree: &'a Tree,
    /// The index; none where nothing is indexed.
    pub index: Option<&'a ProjectIndex>,
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
    /// What the conversation keeps in view and leaves out.
    pub files: &'a ContextFiles,
    /// The MCP servers.
    pub servers: &'a McpServers,
    /// What is remembered of earlier turns, where that is told now.
    pub memory: Option<Section>,
    /// What the model has read.
    pub reads: &'a ReadLog,
}

/// The sections of a prompt, and what the index had for it.
#[derive(Clone, Debug, Default)]
pub struct PromptContext {
    /// Everything, in the order in which it is sent.
    pub sections: Vec<Section>,
    /// What was picked for the task and what was not. Its sections are among the others.
    pub picked: Picked,
    /// What each section might have taken.
    pub budget: Budget,
}

/// Gathers what is known before the first request of a turn.
pub fn prompt_context(inputs: &PromptInputs<'_>) -> PromptContext {
    // A glob that cannot be read was refused when it was given.
    let tree = &inputs.tree.without(&inputs.files.excluded).unwrap_or_else(|_| inputs.tree.clone());
    let read: Vec<String> =
        inputs.files.files.iter().map(|it| &it.path).filter(|it| has_read(inputs, it)).cloned().collect();
    let servers = inputs.servers.names();
    let facts = PromptFacts {
        servers: &servers,
        mode: inputs.mode,
        headless: inputs.headless,
        prompt: inputs.prompt,
        os: std::env::consts::OS,
        programs: inputs.programs,
        date: inputs.today,
        checks: inputs.checks,
        scope: &inputs.settings.scope,
        git: ox_repo::git::branch(tree.root()).map(|branch| {
            let linked = tree.root().join(".git").is_file();
            Git { branch, linked, dirty: Vec::new() }
        }),
        plan: inputs.plan,
        files: Some(inputs.files),
        read: &read,
    };
    let budget = Budget::of(inputs.window).with_picked(inputs.settings.context_tokens);
    let mut sections = load(tree, &facts, budget);
    // A tree that is shown whole needs nothing picked from it, unless somebody wants it all the same.
    // One that is only being built does not tell yet how large the tree is.
    let is_built = inputs.fresh != Freshness::Building;
    let index = inputs.index.filter(|it| budget.asked || !is_built || it.snapshot().len() > TINY);
    let picked = index.map(|it| pick(inputs, tree, it, &budget)).unwrap_or_default();
    sections = unrepeated(sections, &picked);
    // What belongs to this task alone comes after what stays, and before the words about the mode.
    let at = sections.iter().position(|it| it.name == MODE).unwrap_or(sections.len());
    sections.splice(at..at, inputs.memory.iter().chain(&picked.sections).cloned());
    PromptContext { sections, picked, budget }
}

/// True for a file that the model has read whole and that is unchanged since.
fn has_read(inputs: &PromptInputs<'_>, path: &str) -> bool {
    let known = inputs.reads.get(path);
    known.is_some_and(|known| inputs.tree.hash(path).is_ok_and(|now| now == known))
}

fn pick(inputs: &PromptInputs<'_>, tree: &Tree, index: &ProjectIndex, budget: &Budget) -> Picked {
    let snapshot = index.snapshot();
    // What is kept in view is sent anyway.
    let is_kept = |path: &str| inputs.files.files.iter().any(|it| it.path == path && it.lines.is_none());
    // Without vectors there are the words.
    let similar = index.similar(inputs.prompt, ALIKE, PATIENCE).unwrap_or_default();
    let known = PickInputs {
        snapshot: &snapshot,
        read: &|path| index.read(path),
        task: inputs.prompt,
        similar: &similar,
        has_read: &|path| is_kept(path) || has_read(inputs, path),
        left_out: &|path| tree.leaves_out(path),
        fresh: inputs.fresh,
    };
    build(&known, budget)
}
