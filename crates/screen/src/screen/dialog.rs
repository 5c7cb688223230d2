//! What waits for the user: a request for consent or a question, and the keys that answer it.
//!
//! Promise: nothing is ever answered by a key that is not one of the offered ones.

mod opening;
mod options;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ox_protocol::{CallId, Command, Decision, FileChange, Keep, Time};
use serde_json::Value;

use super::draft::{self, Draft};
use super::explain::explain;
use super::preview;
use super::state::Prompt;
use crate::editor::{Edited, Editor};
use crate::report::{Look, asks};
use crate::text::{Line, Role, width};
use ox_client::view::{ApprovalRequest, Asked};

pub(super) use opening::Opening;

/// How long Enter counts for nothing after a question has come up, in milliseconds: it may be the end of a line.
const READING: u64 = 500;

/// An open question with what the user has typed so far.
#[derive(Clone, Debug)]
pub(super) struct Dialog {
    pub(super) asked: Asked,
    step: Step,
    editor: Editor,
    /// When it was asked.
    since: Time,
    /// The choice that the arrow keys have moved to, which Enter takes.
    selected: Option<usize>,
    /// True when the last key was not one of the choices.
    puzzled: bool,
    /// Why what was entered cannot be taken.
    problem: Option<String>,
    /// Lines of the diffs that are shown with it.
    shown: usize,
    /// True where that is not all of them.
    is_folded: bool,
    /// True once the explanation stands above.
    is_explained: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// A single key is awaited.
    Choice,
    /// The reason of a refusal is typed.
    Reason,
    /// The command is edited.
    Command,
    /// The arguments are edited.
    Args,
    /// One of a question's options is awaited.
    Option,
    /// A free answer is typed.
    Answer,
    /// The answer is on its way.
    Answered,
}

/// What a person can say to a request for consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Yes,
    No,
    Always,
    Project,
    Edit,
    Explain,
    Diff,
}

/// What a key led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answered {
    pub(super) command: Option<Command>,
    pub(super) lines: Vec<Line>,
    /// True where the user wants it in their own editor.
    pub(super) drafts: bool,
    /// True where the lines explain the question.
    pub(super) explains: bool,
}

impl Dialog {
    /// On a screen of so many rows; what is asked about stays in view above the keys.
    pub(super) fn new(asked: Asked, look: &Look, rows: usize, since: Time) -> Dialog {
        let (shown, is_folded) = match &asked {
            Asked::Approval(request) => preview::fitting(look, &request.changes, rows),
            Asked::Question { .. } => (0, false),
        };
        let step = Dialog::first_step(&asked, look.live);
        let selected = (look.live && matches!(asked, Asked::Approval(_))).then_some(0);
        Dialog {
            asked,
            step,
            editor: Editor::default(),
            selected,
            since,
            puzzled: false,
            problem: None,
            shown,
            is_folded,
            is_explained: false,
        }
    }

    /// The call that is asked about and what it would change, where all of it is shown.
    pub(super) fn whole_diff(&self) -> Option<(CallId, Vec<FileChange>)> {
        match &self.asked {
            Asked::Approval(request) if !self.is_folded && !request.changes.is_empty() => {
                Some((request.call.clone(), request.changes.clone()))
            }
            _ => None,
        }
    }

    /// True for Enter that was on its way before the question could be read.
    pub(super) fn comes_too_soon(&self, key: KeyEvent, now: Time) -> bool {
        !self.types() && key.code == KeyCode::Enter && now.0.saturating_sub(self.since.0) < READING
    }

    /// True once the user has answered; the agent's confirmation is still to come.
    pub(super) fn is_answered(&self) -> bool {
        self.step == Step::Answered
    }

    /// True while a text is typed, not a key awaited.
    pub(super) fn types(&self) -> bool {
        !matches!(self.step, Step::Choice | Step::Option | Step::Answered)
    }

    /// True while a text is typed from which there is a way back to the choices.
    pub(super) fn edits(&self) -> bool {
        self.types() && matches!(self.asked, Asked::Approval(_))
    }

    /// True while the call itself is edited, so that Enter consents to it.
    pub(super) fn amends(&self) -> bool {
        matches!(self.step, Step::Command | Step::Args)
    }

    /// True for a key that would consent or answer at once; Enter does so only where an arrow key has chosen it.
    pub(super) fn consents(&self, key: KeyEvent) -> bool {
        if self.step == Step::Option {
            return self.picked(key).is_some();
        }
        self.step == Step::Choice && matches!(self.meant(key), Some(Choice::Yes | Choice::Always | Choice::Project))
    }

    /// True for a character that is none of the choices that are offered.
    pub(super) fn is_text(&self, key: KeyEvent) -> bool {
        let types = is_plain(key) && matches!(key.code, KeyCode::Char(it) if it != ' ');
        self.step == Step::Choice && types && self.meant(key).is_none()
    }

    /// The choices that are offered, in their order.
    fn offered(&self) -> Vec<Choice> {
        let Asked::Approval(request) = &self.asked else { return Vec::new() };
        let always = asks::can_always(request);
        let all = [
            (Choice::Yes, true),
            (Choice::Always, always),
            (Choice::Project, always),
            (Choice::No, true),
            (Choice::Edit, can_edit(request)),
            (Choice::Explain, true),
            (Choice::Diff, self.is_folded),
        ];
        all.into_iter().filter(|it| it.1).map(|it| it.0).collect()
    }

    /// The choice that a key stands for: its letter, its number, or Enter for the one that the arrow keys have moved to.
    fn meant(&self, key: KeyEvent) -> Option<Choice> {
        let offered = self.offered();
        let unfolds = key.modifiers == KeyModifiers::CONTROL && key.code == KeyCode::Char('o');
        match key.code {
            KeyCode::Char(_) if unfolds => offered.into_iter().find(|it| *it == Choice::Diff),
            KeyCode::Enter if key.modifiers.is_empty() => offered.get(self.selected?).copied(),
            KeyCode::Char('?') if is_plain(key) => Some(Choice::Explain),
            KeyCode::Char(c) if is_plain(key) => match c.to_digit(10) {
                Some(number) => offered.get((number as usize).checked_sub(1)?).copied(),
                None => offered.into_iter().find(|it| it.key() == c.to_ascii_lowercase()),
            },
            _ => None,
        }
    }

    /// The bottom of the screen while it is open.
    ///
    /// `tight`: on as few rows as it can be.
    pub(super) fn prompt(&self, look: &Look, tight: bool) -> Prompt {
        let label = match self.step {
            Step::Choice => return Prompt { above: self.choices(look, tight), editor: None },
            Step::Option => return Prompt { above: self.option_lines(look), editor: None },
            Step::Reason => "approval.reason",
            Step::Command => "approval.edit_command",
            Step::Args => "approval.edit_args",
            Step::Answer => "ui.question.answer",
            Step::Answered => return Prompt::default(),
        };
        let mut above = vec![Line::of(&look.say(label, &[]), Role::Strong)];
        above.extend(self.problem.iter().map(|text| Line::of(text, Role::Bad)));
        Prompt { above, editor: Some(self.editor.clone()) }
    }

    /// The answers, a row each, and below them what else can be done, as much in a row as fits; `tight` puts the answers so too.
    fn choices(&self, look: &Look, tight: bool) -> Vec<Line> {
        let Asked::Approval(request) = &self.asked else { return Vec::new() };
        let rule = asks::covered(look, request);
        let mut rows: Vec<Line> = Vec::new();
        for (at, choice) in self.offered().into_iter().enumerate() {
            let mark = if self.selected == Some(at) { "❯ " } else { "  " };
            let words = format!(" {}", look.say(choice.words(), &[("rule", &rule)]));
            let key = choice.key().to_string();
            let room = look.width.saturating_sub(width(mark) + width(&key) + width(&words));
            let joins = tight || matches!(choice, Choice::Explain | Choice::Diff);
            match rows.last_mut() {
                Some(row) if joins && width(&row.text()) <= room => {
                    *row = std::mem::replace(row, Line::empty()).with(mark, Role::User)
                }
                _ => rows.push(Line::of(mark, Role::User).hanging(4)),
            }
            if let Some(row) = rows.last_mut() {
                let begun = std::mem::replace(row, Line::empty());
                *row = begun.with(&key, Role::User).with(&words, Role::Plain);
            }
        }
        if self.puzzled {
            rows.push(Line::of(&look.say("approval.press_one", &[]), Role::Warn).indented(2, 0));
        }
        rows
    }

    /// What can be edited outside; none where nothing waits for consent.
    pub(super) fn draft(&self, current: &dyn Fn(&str) -> Option<String>) -> Option<Draft> {
        let Asked::Approval(request) = &self.asked else { return None };
        let mut draft = (can_edit(request) && self.step != Step::Answered).then(|| draft::of(request, current))?;
        if self.step == Step::Command {
            draft.text = self.editor.clone().take();
        }
        Some(draft)
    }

    /// Takes what became of the draft in the user's editor. Where it was left as it was, it is asked as before: closing an
    /// editor is no consent.
    pub(super) fn edited(&mut self, draft: &Draft, text: Option<String>, look: &Look) -> Answered {
        let Asked::Approval(request) = self.asked.clone() else { return Answered::default() };
        if request.call != draft.call {
            return Answered::default();
        }
        let Some(text) = text else {
            self.back(look);
            return self.step_lines(look);
        };
        self.take_arguments(&request, draft::amended(draft, &request.args, &text), text, look)
    }

    pub(super) fn paste(&mut self, text: &str) {
        match self.step {
            Step::Choice | Step::Answered => self.puzzled = true,
            Step::Option => (self.step, self.editor) = (Step::Answer, Editor::with(text)),
            _ => self.editor.paste(text),
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent, look: &Look) -> Answered {
        match self.step {
            Step::Choice => self.choose(key, look),
            Step::Option => self.pick(key),
            Step::Answered => Answered::default(),
            _ if key.code == KeyCode::Esc => {
                self.back(look);
                self.step_lines(look)
            }
            _ => match self.editor.key(key) {
                Edited::Entered(text) => self.entered(text, look),
                _ => Answered::default(),
            },
        }
    }

    /// From a text back to the choices; a question without options has none to go back to, so its text is cleared.
    fn back(&mut self, look: &Look) {
        self.editor = Editor::default();
        self.problem = None;
        self.step = Dialog::first_step(&self.asked, look.live);
    }

    fn choose(&mut self, key: KeyEvent, look: &Look) -> Answered {
        let Asked::Approval(request) = self.asked.clone() else { return Answered::default() };
        self.puzzled = false;
        if let KeyCode::Up | KeyCode::Down = key.code {
            self.select(key.code == KeyCode::Down, self.offered().len());
            return self.step_lines(look);
        }
        match self.meant(key) {
            Some(Choice::Yes) => self.decide(&request, Decision::Allow),
            Some(Choice::Always) => self.decide(&request, always(&request, Keep::Conversation)),
            Some(Choice::Project) => self.decide(&request, always(&request, Keep::Project)),
            Some(Choice::No) => {
                self.step = Step::Reason;
                self.step_lines(look)
            }
            Some(Choice::Edit) if look.live && (look.has_editor || request.args.get("command").is_none()) => {
                Answered { drafts: true, ..Answered::default() }
            }
            Some(Choice::Edit) => {
                (self.step, self.editor) = match request.args.get("command").and_then(Value::as_str) {
                    Some(command) => (Step::Command, Editor::with(command)),
                    None => (Step::Args, Editor::with(&request.args.to_string())),
                };
                self.step_lines(look)
            }
            Some(Choice::Explain) if std::mem::replace(&mut self.is_explained, true) => Answered::default(),
            Some(Choice::Explain) => Answered { lines: explain(look, &request), explains: true, ..Answered::default() },
            Some(Choice::Diff) => Answered { lines: preview::whole(look, &request.changes), ..Answered::default() },
            None => self.puzzle(look),
        }
    }

    /// To the next of so many choices or the one before; the first arrow key goes to the first or the last.
    fn select(&mut self, down: bool, choices: usize) {
        let last = choices.saturating_sub(1);
        self.selected = Some(match self.selected {
            None if down => 0,
            None => last,
            Some(at) if down => (at + 1).min(last),
            Some(at) => at.saturating_sub(1),
        });
    }

    /// Where no live area shows the prompt of a new step, lines do.
    fn step_lines(&self, look: &Look) -> Answered {
        Answered { lines: if look.live { Vec::new() } else { self.prompt(look, false).above }, ..Answered::default() }
    }

    /// A key that is none of the choices: they are shown again.
    fn puzzle(&mut self, look: &Look) -> Answered {
        self.puzzled = true;
        self.step_lines(look)
    }

    fn decide(&mut self, request: &ApprovalRequest, decision: Decision) -> Answered {
        self.step = Step::Answered;
        let command = Some(Command::Decide { call: request.call.clone(), decision });
        Answered { command, ..Answered::default() }
    }

    fn entered(&mut self, text: String, look: &Look) -> Answered {
        match (&self.asked.clone(), self.step) {
            (Asked::Approval(request), Step::Reason) => {
                // Whoever says only no has something else in mind.
                let (reason, stop) = (text.trim().to_string(), text.trim().is_empty());
                self.decide(request, Decision::Deny { reason, stop })
            }
            (Asked::Approval(request), Step::Command) => {
                let mut args = request.args.clone();
                if text.trim().is_empty() {
                    return self.refuse_entry(text, look.say("approval.empty", &[]), look);
                }
                if let Some(object) = args.as_object_mut() {
                    object.insert("command".to_string(), Value::String(text));
                }
                self.decide(request, amended(request, args))
            }
            (Asked::Approval(request), _) => self.take_arguments(request, serde_json::from_str(&text), text, look),
            (Asked::Question { call, options, .. }, _) => {
                if text.trim().is_empty() {
                    return Answered::default();
                }
                self.step = Step::Answered;
                let text = chosen(&text, options);
                Answered { command: Some(Command::Answer { call: call.clone(), text }), ..Answered::default() }
            }
        }
    }

    /// Answers with these arguments, or asks for them again.
    fn take_arguments(
        &mut self,
        request: &ApprovalRequest,
        args: serde_json::Result<Value>,
        text: String,
        look: &Look,
    ) -> Answered {
        let why = match args {
            Ok(args) if args.is_object() => return self.decide(request, amended(request, args)),
            Ok(_) => look.say("approval.not_object", &[]),
            Err(error) => look.say("approval.not_json", &[("why", &error.to_string())]),
        };
        self.step = Step::Args;
        self.refuse_entry(text, why, look)
    }

    /// Keeps what was entered, with the reason why it cannot be taken.
    fn refuse_entry(&mut self, text: String, why: String, look: &Look) -> Answered {
        self.editor = Editor::with(&text);
        self.problem = Some(why);
        self.step_lines(look)
    }
}

impl Choice {
    fn key(self) -> char {
        match self {
            Choice::Yes => 'y',
            Choice::No => 'n',
            Choice::Always => 'a',
            Choice::Project => 'p',
            Choice::Edit => 'e',
            Choice::Explain => 'x',
            Choice::Diff => 'd',
        }
    }

    fn words(self) -> &'static str {
        match self {
            Choice::Yes => "approval.key.yes",
            Choice::No => "approval.key.no",
            Choice::Always => "approval.key.always",
            Choice::Project => "approval.key.project",
            Choice::Edit => "approval.key.edit",
            Choice::Explain => "approval.key.explain",
            Choice::Diff => "approval.key.diff",
        }
    }
}

fn is_plain(key: KeyEvent) -> bool {
    key.modifiers.is_empty() || key.modifiers == KeyModifiers::SHIFT
}

/// Yes to this call and to whatever its rules cover.
fn always(request: &ApprovalRequest, keep: Keep) -> Decision {
    Decision::AllowAlways { rule: request.always.clone(), further: request.further.clone(), keep }
}

/// Unchanged arguments are a plain yes.
fn amended(request: &ApprovalRequest, args: Value) -> Decision {
    if args == request.args { Decision::Allow } else { Decision::Amend { args } }
}

/// The option with this number, or the text itself.
fn chosen(text: &str, options: &[String]) -> String {
    let number = text.trim().trim_end_matches('.').parse::<usize>().ok();
    let option = number.and_then(|it| options.get(it.wrapping_sub(1)));
    option.cloned().unwrap_or_else(|| text.trim().to_string())
}

/// The project's checks are a set of commands, not a call with arguments.
fn can_edit(request: &ApprovalRequest) -> bool {
    !asks::is_about_checks(request) && request.args.as_object().is_some_and(|it| !it.is_empty())
}

#[cfg(test)]
mod tests;
