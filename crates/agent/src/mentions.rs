//! Resources of MCP servers that a prompt mentions as `@server:uri`: read once and sent beside the prompt, as data.
//!
//! A rule that denies the server, or reading its resources, holds here too. Where nobody typed the prompt, only what a rule
//! allows is read. What cannot be read is said in its place, and the turn goes on.

use std::time::Duration;

use ox_context::estimate;
use ox_core::{Verdict, permit};
use ox_mcp::{tool_name, words};
use ox_protocol::{CallId, Mode, Rules, Section};
use ox_tools::{CallContext, Toolbox};
use serde_json::json;

use crate::SessionEnv;

/// Resources of one prompt that are read.
const MENTIONS: usize = 8;

/// How long a turn waits for all of them before it begins.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a prompt mentions: the server, and the address that it gave the resource; each once, in their order.
fn mentions<'a>(prompt: &'a str, servers: &[&str]) -> Vec<(&'a str, &'a str)> {
    let mut found = Vec::new();
    for word in prompt.split_whitespace() {
        let word = word.trim_start_matches(['(', '[', '"', '\'', '`']);
        let Some((server, uri)) = word.strip_prefix('@').and_then(|it| it.split_once(':')) else { continue };
        let uri = uri.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"', '\'', '`']);
        let is_one = uri.contains(':') && servers.contains(&server);
        if is_one && !found.contains(&(server, uri)) {
            found.push((server, uri));
        }
    }
    found.truncate(MENTIONS);
    found
}

/// The resources that `prompt` mentions. `typed`: the user themselves wrote it, and sees what it leads to.
pub(crate) async fn resources(env: &SessionEnv, rules: &Rules, prompt: &str, typed: bool) -> Vec<Section> {
    let mut sections = Vec::new();
    let servers: Vec<&str> = env.tools.mcp.names().into_iter().map(|it| it.0).collect();
    let until = tokio::time::Instant::now() + PATIENCE;
    for (server, uri) in mentions(prompt, &servers) {
        let text = match refusal(env, rules, server, uri, typed) {
            Some(why) => format!("[not read: {why}]"),
            None => match tokio::time::timeout_at(until, env.tools.mcp.read(server, uri)).await {
                Ok(Ok(reply)) => {
                    let (shown, left) = reply.shown();
                    let mut notes = reply.notes();
                    if left > 0 {
                        notes.push(format!("{left} more bytes: mcp_resource reads all of it"));
                    }
                    if !reply.images.is_empty() {
                        notes.push("it has pictures: mcp_resource shows them".to_owned());
                    }
                    let notes = if notes.is_empty() { String::new() } else { format!("\n[{}]", notes.join("; ")) };
                    format!("{}{shown}{notes}", words::data_of(server))
                }
                Ok(Err(error)) => format!("[not read: {error}]"),
                Err(_) => format!("[not read: no answer within {} s]", PATIENCE.as_secs()),
            },
        };
        let text = ox_tools::plain(&text);
        sections.push(Section { name: format!("resource:@{server}:{uri}"), tokens: estimate(&text), text });
    }
    sections
}

/// Why a resource is not read; none where it may be.
fn refusal(env: &SessionEnv, rules: &Rules, server: &str, uri: &str, typed: bool) -> Option<String> {
    let cx = CallContext::new(env.tree.clone(), env.tools.clone());
    let toolbox = Toolbox::default();
    let args = json!({"server": server, "uri": uri}).to_string();
    let call = toolbox.read(&cx, CallId("mention".to_owned()), "mcp_resource", &args);
    // Rules speak of the tool, or of the server.
    let of_server = ox_protocol::Call { tool: tool_name(server, "resource"), ..call.clone() };
    let verdicts = [call, of_server].map(|it| permit(Mode::Build, rules, &[], &it));
    let denied = verdicts.iter().find_map(|it| match it {
        Verdict::Deny(why) => Some(why.clone()),
        _ => None,
    });
    let is_allowed = typed || verdicts.contains(&Verdict::Allow);
    let needs = || format!("nobody is here to allow it; the user can, with the rule `allow = [\"mcp__{server}\"]`");
    denied.or_else(|| (!is_allowed).then(needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_names_a_server_and_what_it_has() {
        fn of(prompt: &str) -> Vec<(&str, &str)> {
            mentions(prompt, &["docs", "my-db"])
        }
        assert_eq!(of("Read @docs:file:///a/b.md, please."), [("docs", "file:///a/b.md")]);
        assert_eq!(of("(@my-db:table://x) and @docs:a:b?"), [("my-db", "table://x"), ("docs", "a:b")]);
        assert_eq!(of("@docs:a://b @docs:a://b"), [("docs", "a://b")], "once");
        for none in ["@other:a://b", "me@docs:a://b", "@docs", "@docs: a://b", "@docs:b", "docs:a://b", ""] {
            assert_eq!(of(none), [], "{none}");
        }
        let many: String = (0..20).map(|it| format!("@docs:a://{it} ")).collect();
        assert_eq!(of(&many).len(), MENTIONS);
    }
}
