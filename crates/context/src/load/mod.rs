//! What Ox tells the model about the project before its first request.
//!
//! The same tree and the same facts give the same sections in the same order. Nothing here asks git, the clock or the
//! network: what is not in the tree is handed in. Everything is cut to a budget and says where it was cut.

pub(crate) mod active;
mod entries;
mod files;
mod named;
pub(crate) mod plan;
mod project;
mod rules;
mod survey;

use ox_protocol::{Check, ContextFiles, Mode, Plan, Section};
use ox_repo::Tree;

use crate::budget::{Budget, bytes};
use crate::section::section;
use crate::words::mode_words;
pub use rules::INSTRUCTION_FILES;
use survey::Survey;

/// A list of names has fewer bytes a token than text: so many parts of so many.
const NAMES: (usize, usize) = (3, 4);
/// The most uncommitted files that are named.
const DIRTY: usize = 20;

/// What is known besides the tree itself.
#[derive(Clone, Debug, Default)]
pub struct PromptFacts<'a> {
    /// What the turn may do.
    pub mode: Mode,
    /// Nobody can answer or consent.
    pub headless: bool,
    /// What the user asked.
    pub prompt: &'a str,
    /// The operating system, for example `linux`.
    pub os: &'a str,
    /// The programs that commands find and what is hidden from them, as lines; empty where that is not known.
    pub programs: &'a str,
    /// Today, for example `2026-11-20`.
    pub date: &'a str,
    /// The project's checks, cheap ones first.
    pub checks: &'a [Check],
    /// Globs that edits must stay within; empty means the whole project.
    pub scope: &'a [String],
    /// The MCP servers, each with one line about it, which may be empty.
    pub servers: &'a [(&'a str, &'a str)],
    /// The state of git; none outside a repository.
    pub git: Option<Git>,
    /// A plan made in an earlier turn.
    pub plan: Option<&'a Plan>,
    /// What the conversation keeps in view and leaves out.
    pub files: Option<&'a ContextFiles>,
    /// The files that the model has read whole and that are unchanged since, by their paths.
    pub read: &'a [String],
}

/// What git says of the working tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Git {
    /// The branch; empty when none is checked out.
    pub branch: String,
    /// A linked work tree: what git keeps of it lies in another repository, where commands may not write.
    pub linked: bool,
    /// Files known to have changes that are not committed, relative to the root; nothing is said where none is known.
    pub dirty: Vec<String>,
}

/// The sections that precede the user's words: what stays the same for longest first, the mode last.
///
/// Empty ones are left out. What an earlier turn has sent already is for [`crate::unsent`] to drop.
pub fn load(tree: &Tree, facts: &PromptFacts<'_>, budget: Budget) -> Vec<Section> {
    let survey = Survey::of(tree);
    let named = named::find(tree, &survey, facts.prompt);
    let mut sections = vec![section("environment", environment(tree, facts))];
    sections.push(section("project", project::describe(tree, &survey, facts.checks)));
    sections.extend(rules::load(tree, &survey, &named, budget.rules));
    sections.push(section("files", files::listing(&survey, facts.prompt, bytes(budget.files) * NAMES.0 / NAMES.1)));
    sections.push(section("git", facts.git.as_ref().map(git).unwrap_or_default()));
    sections.push(section("mcp", servers(facts.servers)));
    sections.push(section("scope", scope(facts.scope)));
    sections.push(section("plan", facts.plan.map(|it| plan::words(it, bytes(budget.task))).unwrap_or_default()));
    sections.push(section("excluded", facts.files.map(excluded).unwrap_or_default()));
    if let Some(files) = facts.files {
        sections.extend(active::sections(tree, files, &|it| facts.read.iter().any(|read| read == it), budget.active));
    }
    sections.push(section("named", named::describe(&named)));
    sections.push(section("mode", mode_words(facts.mode, facts.headless)));
    sections.retain(|it| !it.text.is_empty());
    sections
}

fn environment(tree: &Tree, facts: &PromptFacts<'_>) -> String {
    let name = tree.root().file_name().map_or("/".into(), |it| it.to_string_lossy());
    let known = [facts.os, facts.date].into_iter().filter(|it| !it.is_empty());
    let all: Vec<String> = std::iter::once(format!("Project `{name}`")).chain(known.map(str::to_owned)).collect();
    let text = format!("{}. Paths are relative to the project's root, where commands run.", all.join(", "));
    format!("{text}\n{}", facts.programs).trim_end().to_owned()
}

fn git(it: &Git) -> String {
    let branch = if it.branch.is_empty() { "No branch".to_owned() } else { format!("Branch {}", it.branch) };
    let linked =
        if it.linked { " A linked work tree: commands cannot commit in it, the tool `git_commit` can." } else { "" };
    if it.dirty.is_empty() {
        return format!("{branch}.{linked}");
    }
    let shown = it.dirty[..it.dirty.len().min(DIRTY)].join(", ");
    let more = it.dirty.len().saturating_sub(DIRTY);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{branch}; uncommitted: {shown}{more}.{linked}")
}

/// One line for each server, whatever it can do: what that is, is asked for.
fn servers(all: &[(&str, &str)]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let line = |(name, about): &(&str, &str)| match *about {
        "" => format!("\n{name}"),
        about => format!("\n{name}: {about}"),
    };
    let lines: String = all.iter().map(line).collect();
    format!(
        "MCP servers; find_tools with a server's name finds its tools, use_tool calls them, mcp_resource reads:{lines}"
    )
}

fn excluded(files: &ContextFiles) -> String {
    match files.excluded.as_slice() {
        [] => String::new(),
        globs => format!("The user left these files out; tools neither read nor list them: {}", globs.join(", ")),
    }
}

fn scope(globs: &[String]) -> String {
    if globs.is_empty() { String::new() } else { format!("Edits are refused outside: {}", globs.join(", ")) }
}
