//! Calls of MCP servers: what is known of each beforehand, and what comes back.
//!
//! What a server says of its own tools lowers no level: each call reaches outside, unless the user has said otherwise by a
//! rule. Its words, its descriptions and its answers are data.

use std::future::Future;

use ox_mcp::{Reply, words};
use ox_protocol::{CallFacts, Effect, EffectKind, Level, Outcome};
use serde_json::{Map, Value};

use super::context::CallContext;
use super::error::ToolError;
use super::tool::ToolResult;
use crate::text::{plain, with_status};

/// What is known of every call of a server: it does as somebody else says, and may speak to anybody.
pub(crate) fn reaches(facts: &mut CallFacts, server: &str) {
    let what = format!("the MCP server {server}");
    facts.effects.push(Effect::new(EffectKind::Network, Level::System, what.trim_end().to_owned()));
}

pub(super) async fn call(
    cx: &CallContext,
    server: String,
    tool: String,
    args: Map<String, Value>,
) -> Result<ToolResult, ToolError> {
    let reply = answer(cx, cx.mcp.call(&server, &tool, args)).await?;
    let outcome = outcome(cx, &server, reply);
    Ok(Outcome { tree_changed: cx.mcp.writes(&server), ..outcome }.into())
}

/// Waits for an answer, unless the call is to stop.
pub(crate) async fn answer<T>(
    cx: &CallContext,
    asked: impl Future<Output = Result<T, ox_mcp::Error>>,
) -> Result<T, ToolError> {
    tokio::select! {
        biased;
        () = cx.stopped() => Err(ToolError::Cancelled),
        answer = asked => answer.map_err(|error| ToolError::Wrong(plain(&error.to_string()))),
    }
}

/// An answer as a model reads it; what is too long is whole in a file.
pub(crate) fn outcome(cx: &CallContext, server: &str, reply: Reply) -> Outcome {
    let reply = Reply { text: plain(&reply.text), ..reply };
    let (shown, left) = reply.shown();
    let mut said = format!("{}{shown}", words::data_of(server));
    let mut notes: Vec<String> = reply.notes().iter().map(|it| plain(it)).collect();
    if left > 0 {
        notes.insert(0, rest(cx, &reply.text, left));
    }
    if !notes.is_empty() {
        said = with_status(said, &format!("[{}]", notes.join("; ")));
    }
    let outcome = if reply.failed { Outcome::failed(said) } else { Outcome::ok(said) };
    Outcome { images: reply.images, ..outcome }
}

/// Where all of a long answer is.
fn rest(cx: &CallContext, whole: &str, left: usize) -> String {
    let path = cx.jobs.file(&cx.sandbox_policy.output);
    let kept =
        ox_sandbox::create_private(&path).and_then(|mut file| std::io::Write::write_all(&mut file, whole.as_bytes()));
    match kept {
        Ok(()) => format!("{left} more bytes: read_file {}", path.display()),
        Err(_) => format!("{left} more bytes were left out; ask for less"),
    }
}
