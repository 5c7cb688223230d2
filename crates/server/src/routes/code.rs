//! What is known of a project's code, what a model would be told, and the checks.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::sync::Arc;

use aide::OperationInput;
use aide::generate::GenContext;
use aide::openapi::Operation;
use axum::Json;
use axum::extract::{FromRequestParts, Query, State};
use axum::http::request::Parts;
use ox_app::project::extensions::ListedCommand;
use ox_protocol::{Check, CheckReport, ContextFiles, Tokens};
use ox_text::document::{self, TextSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::{At, Keyed, Params};
use crate::shared::Shared;

/// The names of the page's own commands, which no other command is called by there; `web/src/chat/commands.ts` has them.
const PAGE: [&str; 21] = [
    "mode",
    "approval",
    "effort",
    "model",
    "new",
    "fork",
    "continue",
    "stop",
    "undo",
    "redo",
    "compact",
    "clear",
    "diff",
    "plan",
    "checks",
    "files",
    "checkpoints",
    "context",
    "play",
    "export",
    "help",
];

/// Files in a picture of what depends on what.
const NODES: usize = 60;

/// A question.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Question {
    /// A task, an error, names, paths.
    text: String,
    /// At most so many places.
    #[serde(default = "crate::input::ten")]
    limit: usize,
}

/// Places in the code, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Hits {
    hits: Vec<Hit>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Hit {
    path: String,
    /// First and last line, from 1.
    from: u32,
    to: u32,
    /// Comparable within one answer only.
    score: f32,
    symbol: Option<String>,
    lines: Vec<Vec<TextSpan>>,
}

pub(crate) async fn query(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Params(Question { text, limit }): Params<Question>,
) -> Answer<Hits> {
    let hits = blocking(move || {
        let answer = shared.projects.open(&project)?.find(&text, limit.min(100))?;
        let hits = answer.snippets.into_iter().map(|it| Hit {
            lines: document::code(&it.text, None, Some(&it.path)),
            path: it.path,
            from: it.start,
            to: it.end,
            score: it.score,
            symbol: it.symbol,
        });
        Ok(Hits { hits: hits.collect() })
    });
    Ok(Json(hits.await?))
}

/// Files: the parameter is given once for each.
#[derive(Debug, JsonSchema)]
pub(crate) struct Paths {
    /// Relative to the root.
    path: Vec<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Paths {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Paths, Infallible> {
        let pairs = url::form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes());
        Ok(Paths { path: pairs.filter(|it| it.0 == "path").map(|it| it.1.into_owned()).collect() })
    }
}

impl OperationInput for Paths {
    fn operation_input(cx: &mut GenContext, operation: &mut Operation) {
        Query::<Paths>::operation_input(cx, operation);
    }
}

/// Files and what ties them together.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Graph {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// True where there is more than is shown.
    cut: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Node {
    path: String,
    /// True for a file that was asked about.
    changed: bool,
    test: bool,
    /// How many steps it is away; 0 for a file that was asked about.
    distance: u32,
}

/// `from` depends on `to`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
struct Edge {
    from: String,
    to: String,
    /// `imports` or `tests`.
    kind: &'static str,
}

pub(crate) async fn graph(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Paths { path: asked }: Paths,
) -> Answer<Graph> {
    let graph = blocking(move || {
        let project = shared.projects.open(&project)?;
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        let mut edges = BTreeSet::new();
        for path in &asked {
            nodes.insert(path.clone(), Node { path: path.clone(), changed: true, test: false, distance: 0 });
        }
        let mut cut = false;
        // One after another: a way does not say at which of several files it begins.
        for start in &asked {
            let impact = project.dependents(std::slice::from_ref(start), 400)?;
            cut |= impact.cut;
            for item in &impact.items {
                if nodes.len() >= NODES && !nodes.contains_key(&item.path) {
                    cut = true;
                    continue;
                }
                let node = Node { path: item.path.clone(), changed: false, test: item.test, distance: item.distance };
                let known = nodes.entry(item.path.clone()).or_insert(node);
                known.distance = known.distance.min(item.distance);
                known.test |= item.test;
                // The way leads from the change to it; its last step is itself.
                let before = item.because.iter().rev().map(|it| it.path.as_str()).find(|it| *it != item.path);
                let to = before.unwrap_or(start).to_owned();
                if nodes.contains_key(&to) && to != item.path {
                    edges.insert(Edge {
                        from: item.path.clone(),
                        to,
                        kind: if item.test { "tests" } else { "imports" },
                    });
                }
            }
        }
        Ok(Graph { nodes: nodes.into_values().collect(), edges: edges.into_iter().collect(), cut })
    });
    Ok(Json(graph.await?))
}

/// What a model is to do.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Task {
    /// In plain words.
    #[serde(default)]
    task: String,
}

/// What a model would be sent for a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Context {
    sections: Vec<ContextSection>,
    total: Tokens,
    window: Tokens,
    model: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ContextSection {
    name: String,
    purpose: String,
    tokens: Tokens,
    text: String,
}

pub(crate) async fn context(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Params(Task { task }): Params<Task>,
) -> Answer<Context> {
    let context = blocking(move || {
        let project = shared.projects.open(&project)?;
        let preview = project.context_preview(&task, &ContextFiles::default(), &|_| {})?;
        let sections: Vec<ContextSection> = preview
            .sections
            .into_iter()
            .map(|it| ContextSection { name: it.name, purpose: it.purpose, tokens: it.tokens, text: it.text })
            .collect();
        let total = Tokens(sections.iter().map(|it| it.tokens.0).sum());
        Ok(Context { sections, total, window: preview.facts.window, model: preview.facts.name })
    });
    Ok(Json(context.await?))
}

/// The custom commands of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Commands {
    /// By their names.
    commands: Vec<CommandJson>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct CommandJson {
    /// What calls it, without the slash.
    name: String,
    /// What it takes; empty where nobody says.
    hint: String,
    /// What it does.
    about: String,
    /// Whose it is: `user`, `project`, or `plugin` and its name.
    source: String,
}

pub(crate) async fn commands(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Commands> {
    let commands = blocking(move || {
        let one = |it: ListedCommand| CommandJson { name: it.name, hint: it.hint, about: it.about, source: it.source };
        let found = shared.projects.open(&project)?.custom_commands(&|it| PAGE.contains(&it));
        Ok(Commands { commands: found.into_iter().map(one).collect() })
    });
    Ok(Json(commands.await?))
}

/// The checks of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Checks {
    /// Cheap ones first.
    checks: Vec<Check>,
}

pub(crate) async fn checks(State(shared): State<Arc<Shared>>, At(Keyed { project }): At<Keyed>) -> Answer<Checks> {
    let checks = blocking(move || {
        let found = shared.projects.open(&project)?.seen_checks(&[])?;
        Ok(Checks { checks: found.into_iter().map(|it| it.check).collect() })
    });
    Ok(Json(checks.await?))
}

pub(crate) async fn run_checks(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
) -> Answer<CheckReport> {
    let report = blocking(move || {
        let project = shared.projects.open(&project)?;
        let found: Vec<Check> = project.seen_checks(&[])?.into_iter().map(|it| it.check).collect();
        project.run_checks(&found, None)
    });
    Ok(Json(report.await?))
}
