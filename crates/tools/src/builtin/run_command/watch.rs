//! Watching a command: showing what it prints while it comes, and telling a model what it printed and how it ended.

use std::path::Path;
use std::time::Duration;

use ox_protocol::{Exit, Output};

use crate::builtin::run_command::refusal::refusal;
use crate::call::context::CallContext;
use crate::jobs::Job;
use crate::text::{plain, with_status};

/// What happened while a command was watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It ended.
    Ended,
    /// It still runs.
    Slow,
    /// The turn is to stop.
    Stopped,
}

/// Takes in and shows what `job` prints until it ends, for `time` at most.
pub(crate) async fn watch(cx: &CallContext, job: &Job, time: Duration) -> Seen {
    let mut pieces = Pieces::default();
    let until = tokio::time::Instant::now() + time;
    loop {
        // A command that never stops printing must not keep the other two from being seen.
        tokio::select! {
            biased;
            () = cx.stopped() => return Seen::Stopped,
            () = tokio::time::sleep_until(until) => return Seen::Slow,
            more = job.step() => {
                let shown = pieces.text(&job.live());
                if !shown.is_empty() {
                    (cx.live)(&shown);
                }
                if !more {
                    return Seen::Ended;
                }
            }
        }
    }
}

/// What `job` printed since it was last asked, with `status` as the last line where there is anything to say.
pub(crate) fn reported(job: &Job, status: &str) -> String {
    let (output, whole) = job.take();
    let printed = shown(&output, whole.as_deref());
    let badly = job.ended().is_some_and(|it| it.exit.code != Some(0));
    let refused = job.rights.as_ref().filter(|_| badly).and_then(|it| refusal(&printed, it));
    let status = [Some(status.to_owned()).filter(|it| !it.is_empty()), refused];
    let status = status.into_iter().flatten().collect::<Vec<_>>().join("; ");
    match (status.is_empty(), printed.trim().is_empty()) {
        (true, true) => "[no output]".into(),
        (true, false) => printed,
        (false, true) => format!("[no output; {status}]"),
        (false, false) => with_status(printed, &format!("[{status}]")),
    }
}

fn shown(output: &Output, whole: Option<&Path>) -> String {
    let note = |dropped: u64| match whole {
        Some(path) => format!("[… {dropped} bytes left out here; read_file shows all of it: {} …]", path.display()),
        None => format!("[… {dropped} bytes left out here …]"),
    };
    plain(&output.text(note))
}

/// The exit code as a shell tells it: a signal counts, too.
pub(crate) fn code(exit: &Exit) -> Option<i32> {
    exit.code.or(exit.signal.map(|it| 128 + it))
}

/// How a command ended, in words; none where it ended well.
pub(crate) fn ending(exit: &Exit) -> Option<String> {
    if exit.timed_out {
        return Some(format!("killed at its limit of {} h", exit.duration.as_secs().div_ceil(3600)));
    }
    match (exit.code, exit.signal) {
        (Some(0), _) => None,
        (Some(127), _) => Some("exit code 127: the shell did not find the program".into()),
        (Some(code), _) => Some(format!("exit code {code}")),
        (None, Some(signal)) => Some(format!("killed by signal {signal}")),
        (None, None) => Some("ended without an exit code".into()),
    }
}

/// Bytes as they arrive to text, a character that is cut at the end of a piece kept for the next.
#[derive(Default)]
struct Pieces {
    rest: Vec<u8>,
}

impl Pieces {
    fn text(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]).into_owned();
        self.rest.drain(..whole);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_comes_in_two_pieces_is_shown_once() {
        let mut pieces = Pieces::default();
        assert_eq!((pieces.text(b"a\xc3"), pieces.text(b"\xa9b")), ("a".into(), "éb".into()));
    }

    #[test]
    fn an_end_is_reported_only_where_it_is_not_good() {
        let exit = |code, signal, timed_out| Exit {
            code,
            signal,
            timed_out,
            output: Output::default(),
            duration: Duration::from_secs(7201),
        };
        let table = [
            (exit(Some(0), None, false), None),
            (exit(Some(1), None, false), Some("exit code 1")),
            (exit(Some(127), None, false), Some("exit code 127: the shell did not find the program")),
            (exit(None, Some(9), false), Some("killed by signal 9")),
            (exit(None, None, false), Some("ended without an exit code")),
            (exit(None, Some(15), true), Some("killed at its limit of 3 h")),
        ];
        for (exit, words) in table {
            assert_eq!(ending(&exit).as_deref(), words);
        }
    }
}
