//! The recorded states of a project: listing, comparing, going back and forward.
//!
//! What is there is recorded before anything is put back, and nobody else changes the project meanwhile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_protocol::locale::Language;
use ox_protocol::{CheckpointReason, ConversationId, Event, FileChange, Frame, Over, Problem, RestoredTree};
use ox_repo::{Checkpoint, Checkpoints, Note, Point, Pruned, RepoError, Restored, UndoOutcome};
use ox_store::{Log, TreeLock};

use super::{Project, now};

/// The recorded states of one project.
pub struct RecordedStates {
    store: Checkpoints,
    root: PathBuf,
    state: PathBuf,
    /// The stored conversations, which know why something was changed; none where they cannot be opened.
    log: Option<Arc<dyn Log>>,
}

/// The states that one turn made, never none.
pub struct TurnStates {
    /// The conversation; empty outside any.
    pub conversation: String,
    /// The turn in it, from 1; 0 before the first.
    pub turn: u32,
    /// The first line of what the user asked; empty where the log does not have it.
    pub prompt: String,
    /// The newest first.
    pub states: Vec<Checkpoint>,
}

impl TurnStates {
    /// Which turn it was, in words.
    pub fn title(&self, language: Language) -> String {
        match (self.conversation.as_str(), self.turn) {
            ("", _) => language.say("checkpoints.other", &[]),
            (id, 0) => language.say("checkpoints.opened", &[("conversation", id)]),
            (id, turn) if self.prompt.is_empty() => {
                language.say("checkpoints.turn", &[("conversation", id), ("turn", &turn.to_string())])
            }
            _ => self.prompt.clone(),
        }
    }
}

impl Project {
    /// The recorded states of this project.
    pub fn recorded_states(&self) -> Result<RecordedStates, Problem> {
        let tree = self.tree()?;
        let store = Checkpoints::open(&self.paths.state_dir, &tree).map_err(problem)?;
        let (root, state) = (tree.root().to_path_buf(), self.paths.state_dir.clone());
        Ok(RecordedStates { store, root, state, log: self.store().ok() })
    }
}

impl RecordedStates {
    /// What happened to the store itself, in English.
    pub fn reported(&self) -> Vec<String> {
        self.store.reported()
    }

    /// All states, the oldest first.
    pub fn list(&self) -> Result<Vec<Checkpoint>, Problem> {
        self.store.list().map_err(problem)
    }

    /// All states by the turns that made them: the newest turn first, and in it the newest state first. States that no turn
    /// made have an empty conversation.
    pub fn by_turns(&self) -> Result<Vec<TurnStates>, Problem> {
        let mut turns: Vec<TurnStates> = Vec::new();
        for state in self.list()?.into_iter().rev() {
            match turns.last_mut() {
                Some(last) if last.conversation == state.conversation && last.turn == state.turn => {
                    last.states.push(state)
                }
                _ => turns.push(TurnStates {
                    conversation: state.conversation.clone(),
                    turn: state.turn,
                    prompt: String::new(),
                    states: vec![state],
                }),
            }
        }
        let mut prompts: BTreeMap<String, BTreeMap<u32, String>> = BTreeMap::new();
        for it in turns.iter_mut().filter(|it| !it.conversation.is_empty()) {
            let asked = prompts.entry(it.conversation.clone()).or_insert_with_key(|id| self.prompts(id));
            it.prompt = asked.get(&it.turn).cloned().unwrap_or_default();
        }
        Ok(turns)
    }

    /// The first line of what was asked in each turn of a conversation.
    fn prompts(&self, conversation: &str) -> BTreeMap<u32, String> {
        let outline =
            self.log.as_ref().and_then(|it| it.recent_turns(&ConversationId(conversation.to_owned()), usize::MAX).ok());
        let asked = outline.into_iter().flat_map(|it| it.frames).filter_map(|it| match it.event {
            Event::TurnStart { turn, prompt, .. } => Some((turn, prompt.lines().next()?.to_owned())),
            _ => None,
        });
        asked.collect()
    }

    /// The one whose id begins with `id`; none where there is no such one.
    pub fn find(&self, id: &str) -> Result<Option<Checkpoint>, Problem> {
        match self.store.find(id) {
            Err(RepoError::NoCheckpoint { .. }) => Ok(None),
            found => found.map(Some).map_err(problem),
        }
    }

    /// The one whose id begins with `id`. Problems: that there is none, or several.
    pub fn get(&self, id: &str) -> Result<Checkpoint, Problem> {
        self.store.find(id).map_err(problem)
    }

    /// Where the last turn began that changed something.
    pub fn last_start(&self) -> Result<Option<Checkpoint>, Problem> {
        self.store.last_start().map_err(problem)
    }

    /// What going back or forward changed, line by line.
    pub fn restored(&self, it: &RestoredTree) -> Result<Vec<FileChange>, Problem> {
        self.diff(&Point::At(it.before.clone()), &Point::At(it.to.clone()), None)
    }

    /// What differs between two states, of one path where it is given.
    pub fn diff(&self, from: &Point, to: &Point, path: Option<&str>) -> Result<Vec<FileChange>, Problem> {
        self.store.diff(from, to, path).map_err(problem)
    }

    /// What differs between the beginning of a turn and another state, each file with the reasons that the turn gave.
    pub fn diff_since(&self, start: &Checkpoint, to: &Point, path: Option<&str>) -> Result<Vec<FileChange>, Problem> {
        let mut files = self.diff(&Point::At(start.id.clone()), to, path)?;
        let conversation = ConversationId(start.conversation.clone());
        let read = self.log.as_ref().map(|log| log.read(&conversation).map(|it| it.frames).unwrap_or_default());
        let reasons = reasons(&read.unwrap_or_default(), start.turn);
        for file in &mut files {
            file.why = reasons.get(&file.path).map(|it| it.join("; "));
        }
        Ok(files)
    }

    /// Makes the store smaller where it is larger than it may be.
    pub fn prune(&self) -> Result<Pruned, Problem> {
        self.store.prune(None).map_err(problem)
    }

    /// Takes the last turn's changes back. Without `over` nothing is changed and the answer says what would be.
    pub fn undo(&self, over: Option<Over>) -> Result<UndoOutcome, Problem> {
        let _lock = self.lock()?;
        self.store.undo(over, &note("ox undo")).map_err(problem)
    }

    /// What taking back the turns of a conversation from `turn` on would change; nothing is changed.
    pub fn would_rewind(&self, conversation: &ConversationId, turn: u32) -> Result<UndoOutcome, Problem> {
        let note = Note { conversation: conversation.0.clone(), ..note("") };
        self.store.rewind(turn, None, &note).map_err(problem)
    }

    /// Takes the last undo back; none where there is nothing to take back.
    pub fn redo(&self) -> Result<Option<Restored>, Problem> {
        let _lock = self.lock()?;
        self.store.redo(&note("ox redo")).map_err(problem)
    }

    /// Puts the project, or some of its paths, back to the state `to`.
    pub fn restore(&self, to: &Checkpoint, paths: &[String]) -> Result<Restored, Problem> {
        let _lock = self.lock()?;
        self.store.restore(&to.id, paths, &note("ox restore")).map_err(problem)
    }

    /// What putting back would change.
    pub fn would_restore(&self, to: &Checkpoint, paths: &[String]) -> Result<Vec<FileChange>, Problem> {
        let at = Point::At(to.id.clone());
        if paths.is_empty() {
            return self.diff(&Point::Now, &at, None);
        }
        let of = |path: &String| self.diff(&Point::Now, &at, Some(path));
        Ok(paths.iter().map(of).collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// The project's root.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn lock(&self) -> Result<TreeLock, Problem> {
        Ok(ox_store::lock_tree(&self.state, &self.root)?)
    }
}

/// The reasons that the calls of a turn gave for each file, each reason once.
fn reasons(frames: &[Frame], turn: u32) -> BTreeMap<String, Vec<String>> {
    let is_start = |it: &&Frame| matches!(it.event, Event::TurnStart { turn: number, .. } if number == turn);
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for frame in frames.iter().skip_while(|it| !is_start(it)) {
        match &frame.event {
            Event::TurnStart { turn: number, continues: false, .. } if *number > turn => break,
            Event::ToolComplete { outcome, .. } => {
                for change in &outcome.changed {
                    let known = reasons.entry(change.path.clone()).or_default();
                    let why = change.why.as_deref().map(str::trim).filter(|it| !it.is_empty());
                    known.extend(why.filter(|it| !known.iter().any(|known| known == it)).map(str::to_owned));
                }
            }
            _ => {}
        }
    }
    reasons.retain(|_, it| !it.is_empty());
    reasons
}

/// What is noted of a command of the user.
fn note(why: &str) -> Note {
    let reason = CheckpointReason::BeforeRestore;
    Note { conversation: String::new(), turn: 0, call: None, reason, why: why.to_owned(), time: now() }
}

/// An error of the checkpoints in the words of the user's language, where there are such.
fn problem(error: RepoError) -> Problem {
    match &error {
        RepoError::NoCheckpoint { id, near } if near.is_empty() => Problem::new("checkpoints.unknown").with("id", id),
        RepoError::NoCheckpoint { id, near } => {
            Problem::new("checkpoints.near").with("id", id).with("near", near.join(", "))
        }
        RepoError::ManyCheckpoints { id, candidates } => {
            Problem::new("checkpoints.many").with("id", id).with("near", candidates.join(", "))
        }
        RepoError::RedoGone { id } => Problem::new("redo.gone").with("id", id),
        _ => Problem::new("checkpoints.failed").with("why", error),
    }
}
