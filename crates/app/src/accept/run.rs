//! The run that is reviewed: the newest conversation of this project that changed something, read from its log.
//!
//! It begins at the checkpoint before its first change, or after what was committed of it, and ends at the checkpoint
//! after its last turn, where there is one.

use std::collections::BTreeMap;
use std::path::Path;

use ox_config::state::ProjectState;
use ox_protocol::{CheckLine, CheckpointReason, Claim, ConversationId, Event, Frame, Outcome, Problem, Seq};
use serde::{Deserialize, Serialize};

use crate::project::Project;

/// How many conversations are looked through for one that changed something.
const LOOKED: usize = 50;
const PAGE: &str = "review";

/// A run that changed something.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// The conversation.
    pub conversation: String,
    /// Number of its last event.
    pub last: u64,
    /// The checkpoint before its first change.
    pub base: String,
    /// The checkpoint after its last change; none where there is none.
    pub end: Option<String>,
    /// The checkpoints around each of its turns that changed something: before the first change and, where there is one,
    /// after the last.
    pub turns: Vec<(String, Option<String>)>,
    /// The files it changed, each with the reasons that were given; old paths of renamed files too.
    pub files: BTreeMap<String, Vec<String>>,
    /// True where a command changed something and nobody knows what: then every file counts.
    pub any_file: bool,
    /// The user's words, turn by turn, of the turns that changed something.
    pub prompts: Vec<String>,
    /// The model's last words in those.
    pub text: String,
    /// The last checks.
    pub checks: Vec<CheckLine>,
    /// What is said to work, each with the run that shows it or without.
    pub claims: Vec<Claim>,
    /// What was left undone.
    pub undone: Vec<String>,
}

/// What was said about a run's changes, kept among the user's own files.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Marks {
    /// Names of hunks that were accepted.
    pub accepted: Vec<String>,
    /// Up to which event a conversation's changes are committed.
    pub committed: BTreeMap<String, u64>,
}

/// The marks of the project at `root`.
pub fn marks(state: &Path, root: &Path) -> Result<Marks, Problem> {
    Ok(ProjectState::of(state, root).read(PAGE)?.unwrap_or_default())
}

/// Changes the marks.
pub fn mark(state: &Path, root: &Path, change: impl FnOnce(&mut Marks)) -> Result<(), Problem> {
    ProjectState::of(state, root).change(PAGE, change)
}

/// The run to review: the one whose id begins with `id`, else the newest that changed something and is `wanted`.
pub fn last(
    project: &Project,
    marks: &Marks,
    id: Option<&str>,
    wanted: &dyn Fn(&Run) -> Result<bool, Problem>,
) -> Result<Run, Problem> {
    let store = project.store()?;
    let committed = |id: &ConversationId| marks.committed.get(&id.0).copied().unwrap_or(0);
    let of = |id: &ConversationId| -> Result<Option<Run>, Problem> {
        Ok(of_log(id, &store.read(id)?.frames, committed(id)))
    };
    if let Some(prefix) = id {
        let id = store.find(prefix)?.id;
        return of(&id)?.ok_or_else(|| Problem::new("accept.unchanged").with("id", &id.0));
    }
    for info in store.list(Some(&project.root_name()), LOOKED)? {
        if let Some(run) = of(&info.id)?
            && wanted(&run)?
        {
            return Ok(run);
        }
    }
    Err(Problem::new("accept.nothing").with("root", project.root.display()))
}

/// What a log says of the changes after the event `from`; none where there are none or no checkpoint goes before them.
pub fn of_log(id: &ConversationId, frames: &[Frame], from: u64) -> Option<Run> {
    let mut run = Run { conversation: id.0.clone(), ..Run::default() };
    // The newest state before a call, and the one that a command has just left behind: it is recorded before its result.
    let (mut before, mut after): (Option<String>, Option<String>) = (None, None);
    let mut begun = false;
    let mut asked: Option<&String> = None;
    for frame in frames {
        let Seq(seq) = frame.seq;
        run.last = seq;
        match &frame.event {
            Event::Checkpoint { id, reason: CheckpointReason::BeforeTurn | CheckpointReason::BeforeCall, .. } => {
                (before, after) = (Some(id.clone()), None);
            }
            Event::Checkpoint { id, reason: CheckpointReason::AfterCommand, .. } => after = Some(id.clone()),
            Event::Checkpoint { id, reason: CheckpointReason::AfterTurn, .. } if !run.base.is_empty() => {
                run.end = Some(id.clone());
                if let Some(turn) = run.turns.last_mut().filter(|_| begun) {
                    turn.1 = Some(id.clone());
                }
            }
            _ if seq <= from => {}
            Event::TurnStart { prompt, .. } => {
                begun = false;
                asked = Some(prompt).filter(|it| !it.trim().is_empty()).or(asked);
            }
            Event::ToolComplete { outcome, .. } if outcome.mutated() => {
                if run.base.is_empty() {
                    run.base = before.clone()?;
                }
                if !begun {
                    run.turns.push((before.clone()?, None));
                    run.prompts.extend(asked.take().cloned());
                    begun = true;
                }
                run.end = after.take();
                if let Some(turn) = run.turns.last_mut() {
                    turn.1.clone_from(&run.end);
                }
                run.add(outcome);
            }
            Event::Summary { summary } if begun || run.text.is_empty() => {
                run.text.clone_from(&summary.text);
                run.checks.clone_from(&summary.checks);
                run.claims.clone_from(&summary.claims);
                run.undone.clone_from(&summary.undone);
            }
            _ => {}
        }
    }
    (!run.base.is_empty()).then_some(run)
}

impl Run {
    fn add(&mut self, outcome: &Outcome) {
        self.any_file |= outcome.changed.is_empty();
        for change in &outcome.changed {
            let why = change.why.as_deref().map(str::trim).filter(|it| !it.is_empty());
            for path in std::iter::once(&change.path).chain(&change.from) {
                let whys = self.files.entry(path.clone()).or_default();
                if let Some(why) = why.filter(|why| !whys.iter().any(|it| it == why)) {
                    whys.push(why.to_string());
                }
            }
        }
    }

    /// True when the run changed this file.
    pub fn changed(&self, path: &str) -> bool {
        self.any_file || self.files.contains_key(path)
    }

    /// The reasons that were given for a file.
    pub fn why(&self, path: &str) -> &[String] {
        self.files.get(path).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::{CallId, ChangeKind, FileChange, Summary, Time};

    use super::*;

    fn point(id: &str, reason: CheckpointReason) -> Event {
        Event::Checkpoint { id: id.into(), reason, files: 0, tree: String::new(), skipped: Vec::new() }
    }

    fn edit(path: &str, why: &str) -> Event {
        let change = FileChange {
            path: path.into(),
            kind: ChangeKind::Modified,
            from: None,
            why: Some(why.into()),
            diff: String::new(),
            added: 1,
            removed: 0,
        };
        let outcome = Outcome { changed: vec![change], tree_changed: true, ..Outcome::ok("") };
        Event::ToolComplete { call: CallId("c".into()), tool: "edit_file".into(), outcome }
    }

    fn look() -> Event {
        Event::ToolComplete { call: CallId("c".into()), tool: "read_file".into(), outcome: Outcome::ok("") }
    }

    fn run(events: Vec<Event>, from: u64) -> Option<Run> {
        let frame = |(i, event)| Frame::new(Seq(i as u64 + 1), Time(0), event);
        let frames: Vec<Frame> = events.into_iter().enumerate().map(frame).collect();
        of_log(&ConversationId("c".into()), &frames, from)
    }

    #[test]
    fn a_run_begins_before_its_first_change_and_ends_after_its_last_turn() {
        use CheckpointReason::{AfterTurn, BeforeCall, BeforeTurn};
        let summary = Summary { text: "Done.".into(), ..Summary::default() };
        let story = || {
            vec![
                point("a", BeforeTurn),
                look(),
                point("b", AfterTurn),
                point("c", BeforeTurn),
                look(),
                point("d", BeforeCall),
                edit("x", "typo"),
                edit("y", "typo"),
                edit("x", "other"),
                point("e", AfterTurn),
                Event::Summary { summary: summary.clone() },
                look(),
            ]
        };
        let found = run(story(), 0).unwrap();
        assert_eq!((found.base.as_str(), found.end.as_deref(), found.text.as_str()), ("d", Some("e"), "Done."));
        assert_eq!(found.files["x"], ["typo", "other"]);
        assert_eq!(found.turns, [("d".to_string(), Some("e".to_string()))]);
        assert!(found.changed("y") && !found.changed("z"));
        // What was committed is no longer part of it.
        let mut more = story();
        more.extend([point("f", BeforeTurn), edit("z", "more")]);
        let found = run(more, 12).unwrap();
        assert_eq!((found.base.as_str(), found.end, found.files.len()), ("f", None, 1));
        let mut more = story();
        more.extend([
            point("f", BeforeTurn),
            edit("z", "more"),
            point("g", CheckpointReason::AfterCommand),
            edit("z", "sed"),
        ]);
        assert_eq!(
            run(more, 0).unwrap().end.as_deref(),
            Some("g"),
            "what a command left is recorded before its result"
        );
        assert!(run(story(), 12).is_none());
        assert!(run(vec![point("a", BeforeTurn), look()], 0).is_none());
        assert!(run(vec![edit("x", "no checkpoint goes before")], 0).is_none());
    }
}
