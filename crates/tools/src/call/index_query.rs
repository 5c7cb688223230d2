//! Questions to the index of the project's code, which is refreshed before each: the refresh is waited for, but never long.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ox_index::Snapshot;

use super::context::CallContext;
use super::error::ToolError;
use crate::session::code_index::CodeIndex;

/// How long a call waits for the index to have seen what changed last; the limit of a tool that reads is two seconds.
const WAIT: Duration = Duration::from_millis(1_500);
const POLL: Duration = Duration::from_millis(5);

/// A snapshot, and what must be said about it.
pub(crate) struct Known {
    pub snapshot: Snapshot,
    /// True while the index has not seen all of the tree yet.
    pub unsettled: bool,
}

/// Does `work` on a thread of its own unless such work is under way, and waits for it for a bounded time. True when it was
/// done; false when it goes on. Work that is under way may have begun before the last edit: it is waited for first.
pub(crate) fn awaited(
    cx: &CallContext,
    busy: &Arc<AtomicBool>,
    work: impl FnOnce() + Send + 'static,
) -> Result<bool, ToolError> {
    let until = Instant::now() + WAIT;
    if !idle(cx, busy, until)? || busy.swap(true, Ordering::AcqRel) {
        return Ok(false);
    }
    let place = Busy(busy.clone());
    let begun = std::thread::Builder::new().name("refresh".into()).spawn(move || {
        let _place = place;
        work();
    });
    // Where no thread can be had what is known is as old as the last look.
    Ok(begun.is_ok() && idle(cx, busy, until)?)
}

fn idle(cx: &CallContext, busy: &AtomicBool, until: Instant) -> Result<bool, ToolError> {
    while busy.load(Ordering::Acquire) {
        if cx.cancelled() {
            return Err(ToolError::Cancelled);
        }
        if Instant::now() >= until {
            return Ok(false);
        }
        std::thread::sleep(POLL);
    }
    Ok(true)
}

/// Gives up the place when the work ends, also by a panic.
struct Busy(Arc<AtomicBool>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// The index of this project as it is now, or words that name another way. For threads that may block.
pub fn known(cx: &CallContext) -> Result<(&CodeIndex, Known), ToolError> {
    let instead = "Use search_code, or read_file and list_files.";
    let Some(code) = &cx.code else {
        return Err(ToolError::Wrong(format!("There is no index of this project's code. {instead}")));
    };
    let refresh = code.refresh.clone();
    let unsettled = !awaited(cx, &cx.sandbox_policy.sources.looking, move || refresh())?;
    let snapshot = (code.snapshot)();
    if snapshot.is_empty() {
        let why = if unsettled { "is still being built; ask again later" } else { "has no file" };
        return Err(ToolError::Wrong(format!("The index of this project's code {why}. {instead}")));
    }
    Ok((code, Known { snapshot, unsettled }))
}

impl Known {
    /// A status line of these parts, with what must be said about the index; none where nothing is to be said.
    pub(crate) fn status(&self, parts: &[String]) -> Option<String> {
        let mut parts: Vec<&str> = parts.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        let building =
            format!("the index is still being built ({} files so far), so there may be more", self.snapshot.len());
        if self.unsettled {
            parts.push(&building);
        }
        (!parts.is_empty()).then(|| format!("[{}]", parts.join("; ")))
    }

    /// `body` with that line at its end.
    pub(crate) fn reported(&self, body: String, parts: &[String]) -> String {
        match self.status(parts) {
            Some(status) => crate::text::with_status(body, &status),
            None => body.trim_end().to_owned(),
        }
    }
}

/// The path of an argument as the index calls it; empty for the root.
pub(crate) fn rel(cx: &CallContext, path: &str) -> Result<String, ToolError> {
    let place = cx.tree.locate(path, ox_repo::Access::Read)?;
    match place.rel.as_str() {
        "." => Ok(String::new()),
        outside if outside.starts_with('/') => Err(ToolError::Wrong(format!(
            "`{outside}` is outside the project, which the index does not see. Use search_code."
        ))),
        rel => Ok(rel.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::testing::Fixture;
    use serde_json::json;

    #[test]
    fn without_an_index_another_way_is_named() {
        let fixture = Fixture::new();
        for (tool, args) in [
            ("search_semantic", json!({"query": "x"})),
            ("find_symbol", json!({"name": "x"})),
            ("find_references", json!({"name": "x"})),
            ("impact", json!({"target": "x"})),
        ] {
            assert!(fixture.fails(tool, args).contains("no index of this project's code. Use search_code"), "{tool}");
        }
    }

    #[test]
    fn an_index_that_is_not_ready_is_not_waited_for_long() {
        let mut fixture = Fixture::new();
        fixture.file("a.rs", "fn a() {}\n");
        let index = ox_index::Index::open(&fixture.path(".cache"), "x").unwrap();
        let (gate, opened) = std::sync::mpsc::channel::<()>();
        let opened = std::sync::Mutex::new(opened);
        let refresh: crate::session::code_index::Refresh = Arc::new(move || {
            // It ends when the other side is gone.
            let _ = opened.lock().unwrap().recv();
        });
        fixture.cx.code = Some(CodeIndex {
            snapshot: Arc::new(move || index.snapshot()),
            similar: Arc::new(|_, _| Vec::new()),
            read: Arc::new(|_| Err(std::io::ErrorKind::NotFound.into())),
            refresh,
        });
        let words = fixture.fails("find_symbol", json!({"name": "a"}));
        assert!(words.contains("still being built; ask again later. Use search_code"), "{words}");
        drop(gate);
        // Now it is done, and there is still nothing in it.
        let words = fixture.fails("find_symbol", json!({"name": "a"}));
        assert!(words.contains("has no file"), "{words}");
    }

    #[test]
    fn what_was_edited_a_moment_ago_is_known() {
        let fixture = Fixture::indexed(&[("a.rs", "pub fn first() {}\n")]);
        assert!(fixture.ok("find_symbol", json!({"name": "first"})).starts_with("a.rs:1: "));
        fixture.file("a.rs", "\npub fn second() {}\n");
        assert!(fixture.ok("find_symbol", json!({"name": "second"})).starts_with("a.rs:2: "));
        assert!(!fixture.ok("find_symbol", json!({"name": "first", "how": "exact"})).contains("a.rs"));
    }
}
