//! Notices when a turn goes in circles. Counts only; what is done about it is decided where calls settle.
//!
//! A circle is work that can tell nothing new because nothing changed in between: one call repeated, several calls repeated in
//! turn, a file read again that is known whole, a failing command in other words, a tree that keeps coming back.

use std::collections::{BTreeSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use ox_protocol::{Call, Limits, Outcome, Status, Stop};

/// How many of the last calls are looked at for one call that comes back.
const WINDOW: usize = 5;
/// The longest circle of calls that is looked for.
const LONGEST_CIRCLE: usize = 8;
/// What comes back less plainly than the very same call in a row comes back so many times as often before it counts.
const SPREAD: u32 = 2;
/// Returns to an earlier tree that are no circle yet: a fix taken back once to see its test fail, and put on again.
const ONE_TOGGLE: u32 = 2;

/// What was called lately, and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Loops {
    recent: VecDeque<Trace>,
    /// What was seen since the tree last changed, and how often.
    since_change: Vec<(u64, u32)>,
    /// The files that are known whole since the model last lost something of what it read, by path and content.
    whole: BTreeSet<(String, String)>,
    changes: u64,
    failing: Vec<(u64, u32)>,
    failed_replies: u32,
    /// Trees that were there before a change, as far as they were recorded, without equal neighbours.
    trees: Vec<String>,
    /// How often the tree came back to one of them.
    returns: u32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Trace {
    call: u64,
    outcome: u64,
    changes: u64,
}

impl Loops {
    /// Records a settled call; `changes` counts the changes of the tree so far, this call's included.
    pub fn record(&mut self, call: &Call, outcome: &Outcome, changes: u64) {
        if matches!(outcome.status, Status::Skipped | Status::Interrupted | Status::Lost) {
            return;
        }
        let call_digest = digest(&(&call.tool, call.args.to_string()));
        let result = digest_outcome(outcome);
        self.recent.push_back(Trace { call: call_digest, outcome: result, changes });
        if self.recent.len() > LONGEST_CIRCLE * (SPREAD as usize + 2) {
            self.recent.pop_front();
        }
        if self.changes != changes {
            self.changes = changes;
            self.since_change.clear();
        }
        self.count(digest(&("call", call_digest, result)));
        let failed = outcome.is_failure() || outcome.exit_code.is_some_and(|it| it != 0);
        if let Some(gist) = gist(call).filter(|_| failed) {
            self.count(digest(&("command", gist)));
        }
        for file in &outcome.read {
            let file_id = (file.path.clone(), file.hash.clone());
            if self.whole.contains(&file_id) {
                self.count(digest(&("file", &file_id)));
            } else if file.whole {
                self.whole.insert(file_id);
            }
        }
        if outcome.is_failure() {
            match self.failing.iter_mut().find(|(it, _)| *it == call_digest) {
                Some((_, count)) => *count += 1,
                None => self.failing.push((call_digest, 1)),
            }
        }
    }

    /// Records the tree as it stands; one that has stood before was gone back to.
    pub fn tree(&mut self, tree: &str) {
        if tree.is_empty() || self.trees.last().is_some_and(|it| it == tree) {
            return;
        }
        self.returns += u32::from(self.trees.iter().any(|it| it == tree));
        self.trees.push(tree.to_string());
    }

    /// The trees that were recorded, oldest first.
    pub fn trees(&self) -> &[String] {
        &self.trees
    }

    /// Records that a reply's calls have all settled.
    pub fn end_reply(&mut self, all_failed: bool) {
        self.failed_replies = if all_failed { self.failed_replies + 1 } else { 0 };
    }

    /// What the model read may be left out from now on: reading it again is no circle.
    pub fn forgotten(&mut self) {
        self.whole.clear();
        self.since_change.clear();
        self.recent.clear();
    }

    /// How often this command has failed since the tree last changed, in these or other words.
    pub fn failures_of(&self, call: &Call) -> u32 {
        let wanted = gist(call).map(|it| digest(&("command", it)));
        self.since_change.iter().find(|it| Some(it.0) == wanted).map_or(0, |it| it.1)
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self, limits: &Limits) -> Option<Stop> {
        let most = limits.oscillation as usize;
        let spread = limits.oscillation.saturating_mul(SPREAD);
        // Made and taken back, again and again.
        let returned = self.returns.saturating_sub(ONE_TOGGLE) >= limits.oscillation;
        let repeated = || self.since_change.iter().any(|it| it.1 >= spread);
        if self.failing.iter().any(|(_, count)| *count >= limits.same_failure) {
            Some(Stop::RepeatedFailure)
        } else if self.comes_back(most) || self.circles(most) || repeated() || returned {
            Some(Stop::Oscillation)
        } else if self.failed_replies >= limits.failed_replies {
            Some(Stop::AllCallsFailed)
        } else {
            None
        }
    }

    fn count(&mut self, what: u64) {
        match self.since_change.iter_mut().find(|it| it.0 == what) {
            Some(known) => known.1 += 1,
            None => self.since_change.push((what, 1)),
        }
    }

    /// One call with one outcome that is so often among the last ones.
    fn comes_back(&self, most: usize) -> bool {
        let last = self.recent.back();
        last.is_some_and(|last| self.recent.iter().rev().take(WINDOW).filter(|it| *it == last).count() >= most)
    }

    /// The last calls are the same few, so many times over.
    fn circles(&self, most: usize) -> bool {
        let recent: Vec<&Trace> = self.recent.iter().collect();
        (1..=LONGEST_CIRCLE).filter(|length| *length * most <= recent.len()).any(|length| {
            let tail = &recent[recent.len() - length * most..];
            tail.chunks(length).all(|it| it == &tail[..length])
        })
    }
}

/// What a command is about without how much it says: its first simple command that does something, without flags, variables
/// and redirections. A script that stands in the line is all of what it is about.
fn gist(call: &Call) -> Option<String> {
    let line = call.facts.command.as_deref()?;
    let first = |it: &&str| it.split_whitespace().next().unwrap_or_default().to_owned();
    let does = |it: &&str| !["cd", "export", "set", "source", ".", ""].contains(&first(it).as_str());
    let command = call.facts.commands.iter().map(|it| it.text.as_str()).find(does).unwrap_or(line);
    if line.contains("<<") || command.split_whitespace().any(|it| it == "-c" || it == "-e") {
        return Some(line.to_owned());
    }
    let plain = |it: &&str| !it.starts_with('-') && !it.contains(['=', '>', '<']);
    let words: Vec<&str> = command.split_whitespace().filter(plain).map(|it| it.trim_start_matches("./")).collect();
    // How long it may take is no part of what it does.
    let from = words
        .iter()
        .position(|it| *it != "timeout" && *it != "time" && it.trim_end_matches('s').parse::<f32>().is_err());
    Some(words[from.unwrap_or(0)..].join(" "))
}

fn digest_outcome(outcome: &Outcome) -> u64 {
    digest(&(&outcome.output, outcome.exit_code, outcome.is_failure()))
}

/// Equal values have equal digests within one build; the fold compares them with nothing else.
fn digest<T: Hash>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
