//! What edits break in the eyes of language servers that run: told after a call, and after a round of checks.

use ox_lsp::Before;
use ox_protocol::{Diagnostic, PathUse};

use super::context::CallContext;
use crate::text::{count, plain};

/// Diagnostics that are told at most.
const REPORTED: usize = 8;

/// The errors of the files that a call is about to write.
pub(crate) async fn before(cx: &CallContext, paths: &[PathUse]) -> Before {
    cx.servers.before(&cx.project(), paths.iter().filter(|it| it.write).map(|it| it.path.as_str())).await
}

/// What the call broke in the files it has changed, in words; none where nothing is new or nothing is known in time.
pub(crate) async fn after(cx: &CallContext, before: Before) -> Option<String> {
    let (server, new) = cx.servers.after(&cx.project(), before).await;
    let be = if new.len() == 1 { "was" } else { "were" };
    let mut words = format!("[{server} finds {} that {be} not there before]", count(new.len(), "error"));
    for Diagnostic { file, line, column, code, message } in new.iter().take(REPORTED) {
        words.push_str(&format!("\n{file}:{line}:{column}: {} [{code}]", message.replace('\n', "\n    ")));
    }
    (!new.is_empty()).then(|| plain(&words))
}

/// For a round of checks: the errors of all files edited so far that were not there before the first edit, by the server
/// that finds them.
pub async fn new_diagnostics(cx: &CallContext) -> Vec<(&'static str, Vec<Diagnostic>)> {
    let clean = |it: Diagnostic| Diagnostic { code: plain(&it.code), message: plain(&it.message), ..it };
    let found = cx.servers.since_first_edit(&cx.project()).await;
    found.into_iter().map(|(server, all)| (server, all.into_iter().map(clean).collect())).collect()
}
