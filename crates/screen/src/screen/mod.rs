//! The terminal's picture of a session, without a terminal.
//!
//! Promise: pure. `update` and `key` return lines that are final: they are printed once and never touched again; only
//! what `live` returns is redrawn. Nothing is sent and nothing is printed here.

mod beside;
mod dialog;
pub mod draft;
mod effects;
mod explain;
mod footer;
mod keys;
mod live;
mod pick;
mod preview;
mod state;
mod stop;
mod streaming;

use std::collections::BTreeMap;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ox_client::{Control, Update};
use ox_protocol::{
    ApprovalPolicy, CallId, Command, Event, FailureKind, FileChange, Frame, MessageId, Mode, RestoredTree, Time,
};

use crate::composer::{Action, Composer, Edited};
use crate::markdown::Stream;
use crate::picker::{Picked, Picker};
pub use crate::report::asks::can_always;
use crate::report::{self, Look};
use crate::text::Line;
use dialog::Dialog;
pub use live::Live;
use ox_client::view::{Spent, View};
use state::{Armed, BEAT, SECOND, next_mode, next_policy};
pub use state::{Questions, WorkTree};

/// What the user's keys ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// To be sent to the agent.
    Send(Command),
    /// A line typed while the turn runs; the caller attaches images and sends it.
    Typed(String),
    /// Leave.
    Leave,
    /// Edit what is typed in the user's editor.
    Editor,
    /// Edit what the user is asked about in their editor, see [`Screen::draft`].
    Draft,
    /// Stop the process, as a shell's job control does.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Take the picture that the clipboard holds.
    PastePicture,
    /// Show everything that was left out so far.
    Expand,
    /// List the prompts that can be said again.
    Rewind,
    /// Something was chosen from a list.
    Picked(Picked),
}

/// What a key led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reaction {
    /// What to do.
    pub act: Option<Act>,
    /// Lines to print.
    pub lines: Vec<Line>,
}

/// What the last printed lines were, for the empty line between text and the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    Nothing,
    Text,
    /// The text of a reply that is complete: another one begins after an empty line.
    Reply,
    Lines,
}

/// The picture.
#[derive(Debug)]
pub struct Screen {
    /// How to tell.
    pub look: Look,
    /// What goes on.
    pub view: View,
    /// What was used since the program was started.
    pub run: Spent,
    stream: Stream,
    /// The reply being streamed.
    message: Option<MessageId>,
    /// The ends of the thought and of the output.
    thought: String,
    output: String,
    /// The end of what each command in the background printed.
    pub printed: BTreeMap<String, String>,
    dialog: Option<Dialog>,
    /// A list that has the keyboard until something is chosen from it.
    pub picker: Option<Picker>,
    /// Where the user types.
    pub composer: Composer,
    /// False where nobody types: a conversation is played.
    pub has_composer: bool,
    /// Presses of Ctrl-C or Esc in this turn.
    interrupts: u8,
    /// The key before was one that leaves, or goes back, when it is pressed twice.
    armed: Option<Armed>,
    /// What the footer shows beside the conversation.
    pub tree: WorkTree,
    /// False while another window has the keyboard: nothing is animated.
    pub focused: bool,
    last: Block,
    /// What happened beside the reply that streams in: it is printed below it.
    beside: Vec<Line>,
    /// What happened while a question waits: it is printed below the answer.
    waiting: Vec<Line>,
    /// Calls of this turn whose whole diff was printed with the question about them, and what it was.
    diffs: Vec<(CallId, Vec<FileChange>)>,
    /// The last going back or forward since the last turn began.
    pub restored: Option<RestoredTree>,
    /// Where the question that waits stands.
    pub questions: Questions,
    /// What the question that waits says, where it is not printed for good.
    held_question: dialog::Opening,
    /// How many of the last lines that were printed open the question that waits.
    opened: usize,
    /// Rows of the terminal.
    pub rows: usize,
    /// Requests that were made again since the model answered last: how many, of how many, and why the last of them.
    retries: Option<(u32, u32, FailureKind)>,
    /// True while the most used keys are shown below the prompt.
    shows_keys: bool,
    /// A command of the user's own that runs, and since when.
    own: Option<(String, Time)>,
    /// The mode and the policy that keys asked for and that are not there yet: keys can be faster than answers.
    ahead: (Option<Mode>, Option<ApprovalPolicy>),
    /// When the last frame came.
    changed: Time,
    /// A key that consents, held back until it is clear that it is not the first letter of a line.
    held: Option<(KeyEvent, Time)>,
}

/// Rows of a terminal that does not say how many it has.
const ROWS: usize = 24;

/// How long a key that consents is held back, in milliseconds: longer than between two letters of a typed word, and too
/// short to be noticed.
const HOLD: u64 = 250;

impl Screen {
    /// An empty picture.
    pub fn new(look: Look) -> Screen {
        Screen {
            look,
            view: View::default(),
            run: Spent::default(),
            stream: Stream::new(look.links),
            message: None,
            thought: String::new(),
            output: String::new(),
            printed: BTreeMap::new(),
            dialog: None,
            picker: None,
            composer: Composer::default(),
            has_composer: false,
            interrupts: 0,
            armed: None,
            tree: WorkTree::default(),
            focused: true,
            last: Block::Nothing,
            beside: Vec::new(),
            waiting: Vec::new(),
            diffs: Vec::new(),
            restored: None,
            questions: Questions::Printed,
            held_question: dialog::Opening::default(),
            opened: 0,
            rows: ROWS,
            retries: None,
            shows_keys: false,
            own: None,
            ahead: (None, None),
            changed: Time::default(),
            held: None,
        }
    }

    /// Takes in an update and returns the lines to print.
    pub fn update(&mut self, update: &Update) -> Vec<Line> {
        self.opened = 0;
        match update {
            // What a sub-agent says is for its parent.
            Update::Delta(delta) if self.view.is_of_agent(&delta.conversation) => Vec::new(),
            Update::Delta(delta) => self.delta(delta),
            Update::Frame(frame) => self.frame(frame),
            Update::Control(control) => self.control(control),
        }
    }

    /// True while neither a reply nor a thought nor output is streaming in.
    pub fn is_silent(&self) -> bool {
        self.stream.is_empty() && self.thought.is_empty() && self.output.is_empty()
    }

    /// When something changes by itself: the next picture of the spinner, a held key that counts. None while nothing does.
    pub fn wakes(&self, now: Time) -> Option<Time> {
        let held = self.held.map(|(_, since)| Time(since.0 + HOLD));
        let moves = self.is_at_work() && self.focused && self.look.live;
        // Without animation the clock alone goes on.
        let beat = if self.look.still { SECOND } else { BEAT };
        let beat = moves.then(|| Time(now.0 - now.0 % beat + beat));
        held.into_iter().chain(beat).min()
    }

    /// Goes over to another conversation; mode, model and what was used stay.
    pub fn begin_anew(&mut self) {
        let (mode, effort, model) = (self.view.mode, self.view.effort, std::mem::take(&mut self.view.model));
        let fresh = Screen::new(self.look);
        *self = Screen {
            run: self.run,
            composer: std::mem::take(&mut self.composer),
            has_composer: self.has_composer,
            tree: std::mem::take(&mut self.tree),
            focused: self.focused,
            rows: self.rows,
            questions: self.questions,
            ..fresh
        };
        (self.view.mode, self.view.effort, self.view.model) = (mode, effort, model);
    }

    /// Fits the screen to so many columns.
    pub fn resize(&mut self, columns: usize) {
        self.look.width = columns - 1;
        self.composer.resize(columns - 1);
    }

    /// A prompt is on its way: the turn is as good as begun.
    pub fn begins(&mut self, now: Time) {
        self.view.busy = true;
        self.view.began = now;
        self.changed = now;
        self.interrupts = 0;
    }

    fn control(&mut self, control: &Control) -> Vec<Line> {
        let mut out = Vec::new();
        if let Control::Snapshot { view } = control {
            self.break_off(&mut out);
            self.view.clone_from(view);
        }
        if let Control::Rejected { .. } = control {
            self.ahead = (None, None);
        }
        let lines = report::control(&self.look, control);
        self.put(&mut out, Block::Lines, lines);
        self.release(&mut out);
        self.ask(&mut out);
        out
    }

    fn frame(&mut self, frame: &Frame) -> Vec<Line> {
        let mut out = Vec::new();
        match &frame.event {
            _ if self.view.is_of_agent(&frame.conversation) => {}
            Event::AgentEnd(end) => self.run.add_agent(end.usage, end.cost, end.iterations),
            Event::TurnStart { .. } => {
                self.interrupts = 0;
                self.retries = None;
                self.diffs.clear();
                self.restored = None;
            }
            Event::Restored(it) => self.restored = Some(it.clone()),
            Event::Retry { total, kind, .. } => {
                self.ask_again(&mut out);
                self.retried(*total, *kind);
            }
            Event::Fallback { .. } => self.ask_again(&mut out),
            Event::StreamComplete { text, message_id, usage, cost, .. } => {
                self.run.add(*usage, *cost);
                self.retries = None;
                if self.message.as_ref() != Some(message_id) {
                    self.stream = Stream::new(self.look.links);
                }
                let lines = self.stream.finish(text, self.look.width);
                self.put(&mut out, Block::Text, lines);
                if self.last == Block::Text {
                    self.last = Block::Reply;
                }
                self.quiet();
            }
            Event::Stopped { .. } | Event::Interrupted | Event::Completion { .. } => self.break_off(&mut out),
            Event::UserCommand(..) => self.own_ended(),
            Event::ToolStart { .. } | Event::ToolComplete { .. } => self.output.clear(),
            _ => {}
        }
        let held = self.is_held(&frame.event);
        let look = Look { diff_above: self.is_above(&frame.event), asked_in_place: held, ..self.look };
        let lines = if self.is_no_news(&frame.event) { Vec::new() } else { report::lines(&look, &self.view, frame) };
        self.view.apply(frame);
        self.catch_up();
        self.put_in_turn(&mut out, &frame.event, lines);
        self.changed = frame.time;
        self.ask(&mut out);
        out
    }

    /// What keys asked for is there.
    fn catch_up(&mut self) {
        self.ahead.0.take_if(|it| *it == self.view.mode);
        self.ahead.1.take_if(|it| *it == self.view.approval);
    }

    /// Takes pasted text.
    pub fn paste(&mut self, text: &str) {
        self.armed = None;
        if let Some(picker) = &mut self.picker {
            return picker.paste(text);
        }
        match &mut self.dialog {
            Some(dialog) if self.composer.is_empty() && !dialog.is_answered() => dialog.paste(text),
            _ => self.composer.paste(text),
        }
    }

    /// True while a question of the agent has the keyboard.
    pub fn is_asked(&self) -> bool {
        self.composer.is_empty() && self.picker.is_none() && self.waits()
    }

    /// Takes a key pressed at `now`.
    pub fn key(&mut self, key: KeyEvent, now: Time) -> Reaction {
        if self.picker.is_some() && !self.is_beside(key) {
            return self.pick(key);
        }
        if key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.held = None;
            // A text that is typed for an answer is left before anything is stopped.
            if self.is_asked() && self.dialog.as_ref().is_some_and(Dialog::edits) {
                return self.answer(KeyEvent::from(KeyCode::Esc));
            }
            return self.interrupt();
        }
        if let Some((first, _)) = self.held.take() {
            if key.code == KeyCode::Enter {
                return self.answer(first);
            }
            if key.code == first.code {
                self.held = Some((first, now));
                return Reaction::default();
            }
            // Letters in quick succession are a line, not consent.
            if !self.dialog.as_mut().is_some_and(|it| it.types_on(first)) {
                self.composer.key(first);
            }
        }
        let armed = self.armed.take();
        if self.overlay(key) {
            return Reaction::default();
        }
        // Nobody who is in the middle of a line means its letters as an answer.
        if self.is_asked() && !self.is_beside(key) {
            let Some(dialog) = self.dialog.as_ref().filter(|it| !it.comes_too_soon(key, now)) else {
                return Reaction::default();
            };
            if key.code == KeyCode::Esc && !dialog.types() {
                return self.stop();
            }
            if self.look.live && self.composer.keymap().is(key, Action::Editor) {
                return Reaction::act(Act::Draft);
            }
            if dialog.consents(key) {
                self.held = Some((key, now));
                return Reaction::default();
            }
            // A letter that is no answer begins a line, whose further letters are none either.
            if dialog.is_text(key) {
                self.composer.key(key);
                return Reaction::default();
            }
            return self.answer(key);
        }
        let keymap = self.composer.keymap();
        let back = self.has_queued() && (keymap.is(key, Action::Up) || keymap.is(key, Action::HistoryBefore));
        if back && self.composer.is_empty() {
            return Reaction::act(Act::Send(Command::TakeBack { count: 1 }));
        }
        match self.composer.key(key) {
            Edited::Entered(text) if !text.trim().is_empty() => Reaction::act(Act::Typed(text)),
            Edited::Entered(_) if self.view.retry.is_some() => Reaction::act(Act::Send(Command::Retry)),
            Edited::Wants(action) => self.wanted(action, armed),
            Edited::Entered(_) | Edited::Changed | Edited::No => Reaction::default(),
        }
    }

    /// True for keys that do the same whether something is asked or not.
    fn is_beside(&self, key: KeyEvent) -> bool {
        let keymap = self.composer.keymap();
        [Action::Suspend, Action::Redraw, Action::NextApproval].iter().any(|it| keymap.is(key, *it))
    }

    /// What a key does beyond the text.
    fn wanted(&mut self, action: Action, armed: Option<Armed>) -> Reaction {
        match action {
            // At a question the way back to its answers comes before the end of the turn.
            Action::Stop if self.waits() && !self.composer.is_empty() => {
                self.composer.clear();
                Reaction::default()
            }
            Action::Stop if self.is_at_work() => self.stop(),
            Action::Stop if !self.composer.is_empty() => {
                if armed == Some(Armed::Clear) {
                    self.composer.clear();
                } else {
                    self.armed = Some(Armed::Clear);
                }
                Reaction::default()
            }
            Action::Stop if armed == Some(Armed::Rewind) => Reaction::act(Act::Rewind),
            Action::Stop => {
                self.armed = Some(Armed::Rewind);
                Reaction::default()
            }
            Action::Leave => Reaction::act(Act::Leave),
            Action::Suspend => Reaction::act(Act::Suspend),
            Action::Redraw => Reaction::act(Act::Redraw),
            Action::Editor => Reaction::act(Act::Editor),
            Action::PasteImage => Reaction::act(Act::PastePicture),
            Action::Expand | Action::Pager => Reaction::act(Act::Expand),
            Action::NextApproval => {
                let policy = next_policy(self.ahead.1.unwrap_or(self.view.approval));
                self.ahead.1 = Some(policy);
                Reaction::act(Act::Send(Command::SetApproval { policy }))
            }
            Action::NextMode => {
                let mode = next_mode(self.ahead.0.unwrap_or(self.view.mode));
                self.ahead.0 = Some(mode);
                Reaction::act(Act::Send(Command::SetMode { mode }))
            }
            _ => Reaction::default(),
        }
    }

    /// Time has passed: a held key counts once nothing followed it.
    pub fn tick(&mut self, now: Time) -> Reaction {
        match self.held {
            Some((key, since)) if now.0.saturating_sub(since.0) >= HOLD => {
                self.held = None;
                self.answer(key)
            }
            _ => Reaction::default(),
        }
    }

    /// What the user can edit before they consent; none where nothing waits for it. `current`: the content of a file of the
    /// project.
    pub fn draft(&self, current: &dyn Fn(&str) -> Option<String>) -> Option<draft::Draft> {
        self.dialog.as_ref()?.draft(current)
    }

    /// Takes what became of a draft in the user's editor; none where it was left as it was.
    pub fn edited(&mut self, draft: &draft::Draft, text: Option<String>) -> Reaction {
        let Some(dialog) = self.dialog.as_mut().filter(|it| !it.is_answered()) else { return Reaction::default() };
        let answered = dialog.edited(draft, text, &self.look);
        Reaction { act: answered.command.map(Act::Send), lines: answered.lines }
    }

    /// Gives a key to the open dialog.
    fn answer(&mut self, key: KeyEvent) -> Reaction {
        let Some(dialog) = self.dialog.as_mut().filter(|it| !it.is_answered()) else { return Reaction::default() };
        let answered = dialog.key(key, &self.look);
        let mut lines = Vec::new();
        let cut = if answered.explains { self.cut_question() } else { Vec::new() };
        self.put(&mut lines, Block::Lines, [cut, answered.lines].concat());
        let act = if answered.drafts { Some(Act::Draft) } else { answered.command.map(Act::Send) };
        Reaction { act, lines }
    }
}

impl Reaction {
    fn act(act: Act) -> Reaction {
        Reaction { act: Some(act), lines: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
