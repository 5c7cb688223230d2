//! `rag_query`: what the documents say about a question: those of the project and of configured folders, or those behind a
//! server. What a server says is data and is handed on as such.

mod local;
mod passage;
mod server;
#[cfg(test)]
mod tests;

use ox_protocol::{BoxFuture, CallFacts, Effect, EffectKind, Level};
use reqwest::Url;
use serde_json::{Value, json};

use crate::args::{given, limit, text};
use crate::builtin::web_fetch::get::Guard;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::{
    call::context::CallContext, call::context::blocking, call::error::ToolError, session::sources::DocumentSources,
};
use ox_model::web_address as address;

const RESULTS: usize = 5;
const RESULTS_MOST: usize = 30;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "rag_query".into(),
        aliases: Alias::list("use_rag_tool search_docs docs_search query_docs search_documentation rag_search"),
        description: "Ask the documents: sections of the project's documentation and of configured folders that a question is about, or what a documentation server (`source`: URL or configured name) answers.".into(),
        schema: object(
            &["query"],
            json!({
                "query": {"type": "string"},
                "source": {"type": "string", "description": "a folder, or a server's URL or name; the project's documents if left out"},
                "limit": {"type": "integer", "description": "5 by default"},
            }),
        ),
        explores: true,
        argument_aliases: "source: server server_name url path\nquery: question prompt q text",
        validate: |args| text(args, "query").trim().is_empty().then(|| "`query` is empty: say what is sought".into()),
        paths: touches,
        classify,
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Where to ask.
enum Source {
    /// The documents of the project and of configured folders; those under a path where one is given.
    Here(String),
    /// A server, and whom it may be.
    There(Url, Guard),
}

/// What `source` means. A name from the configuration comes first, and only such a server may be on this machine.
fn source(sources: &DocumentSources, args: &Value) -> Result<Source, String> {
    let Some(named) = given(args, "source").map(str::trim) else { return Ok(Source::Here(String::new())) };
    if let Some(url) = sources.servers.get(named) {
        let url =
            address::parse(url).map_err(|why| format!("the configured server `{named}` cannot be asked: {why}"))?;
        return Ok(Source::There(url, Guard::Named));
    }
    if !named.contains("://") {
        return Ok(Source::Here(named.to_owned()));
    }
    let url = address::parse(named)?;
    let configured = sources.servers.values().filter_map(|it| address::parse(it).ok()).any(|it| it == url);
    Ok(Source::There(url, if configured { Guard::Named } else { Guard::Public }))
}

/// Folders are read; whether a word without a slash is one is seen when it is looked for.
fn touches(args: &Value) -> Vec<PathAccess> {
    let path = given(args, "source").filter(|it| !it.contains("://") && it.contains('/'));
    path.map(PathAccess::read).into_iter().collect()
}

fn classify(cx: &CallContext, args: &Value, facts: &mut CallFacts) {
    let Ok(Source::There(url, _)) = source(&cx.sandbox_policy.sources, args) else { return };
    let host = address::host(&url);
    facts.level = Level::System;
    facts.effects.push(Effect::new(EffectKind::Network, Level::System, host.clone()));
    facts.hosts.push(host);
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let limit = limit(args, RESULTS, RESULTS_MOST);
    let query = text(args, "query").trim().to_owned();
    match source(&cx.sandbox_policy.sources, args).map_err(ToolError::Wrong)? {
        Source::There(url, guard) => server::ask(cx, &url, guard, &query, limit).await,
        Source::Here(folder) => {
            let cx = cx.clone();
            blocking("rag_query", move || local::ask(&cx, &folder, &query, limit)).await
        }
    }
}
