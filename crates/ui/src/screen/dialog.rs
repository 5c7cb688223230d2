//! What waits for the user: a request for consent or a question, and the keys that answer it.
//!
//! Promise: nothing is ever answered by a key that is not one of the offered ones.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ox_protocol::{Command, Decision, Keep, Level};
use serde_json::Value;

use super::effects::{all_effects, effects, explained};
use crate::editor::{Edited, Editor};
use crate::report::Look;
use crate::text::{Line, Role, each, each_visible};
use ox_client::view::{ApprovalRequest, Asked};

/// What stands at the bottom while the user is asked or types.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompt {
    pub(super) above: Vec<Line>,
    pub(super) editor: Option<Editor>,
}

/// An open question with what the user has typed so far.
#[derive(Clone, Debug)]
pub(super) struct Dialog {
    pub(super) asked: Asked,
    step: Step,
    editor: Editor,
    /// True when the last key was not one of the choices.
    puzzled: bool,
    /// Why what was entered cannot be taken.
    problem: Option<String>,
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
    /// A free answer is typed.
    Answer,
    /// The answer is on its way.
    Answered,
}

/// What a key led to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answered {
    pub(super) command: Option<Command>,
    pub(super) lines: Vec<Line>,
}

impl Dialog {
    pub(super) fn new(asked: Asked) -> Dialog {
        let step = match asked {
            Asked::Approval(_) => Step::Choice,
            Asked::Question { .. } => Step::Answer,
        };
        Dialog { asked, step, editor: Editor::default(), puzzled: false, problem: None }
    }

    /// True once the user has answered; the agent's confirmation is still to come.
    pub(super) fn is_answered(&self) -> bool {
        self.step == Step::Answered
    }

    /// True for a key that would consent at once.
    pub(super) fn consents(&self, key: KeyEvent) -> bool {
        self.step == Step::Choice
            && matches!(key.code, KeyCode::Char('y' | 'Y' | 'a' | 'A' | 'p' | 'P'))
            && is_plain(key)
    }

    /// The lines that open it. A question's text is told by its event.
    pub(super) fn opening(&self, look: &Look) -> Vec<Line> {
        let (Asked::Approval(ApprovalRequest { agent, .. }) | Asked::Question { agent, .. }) = &self.asked;
        let asks = |kind: &String| {
            Line::of("│ ", Role::Dim).with(&look.say("ui.agent.asks", &[("kind", kind)]), Role::Strong).hanging(2)
        };
        let mut out: Vec<Line> = agent.iter().map(asks).collect();
        let Asked::Approval(request) = &self.asked else { return out };
        let head = [("tool", request.tool.as_str()), ("level", &look.say(level_key(request.level), &[]))];
        // Tools that everybody meets have a title of their own.
        let own = format!("approval.title.{}", request.tool);
        let title = if look.language.has(&own) { own.as_str() } else { "approval.title" };
        out.push(Line::of("? ", Role::Warn).with(&look.say(title, &head), Role::Strong).hanging(2));
        out.extend(what(request));
        out.extend(effects(look, request));
        let why = look.language.problem(&request.why);
        if !why.is_empty() {
            out.push(Line::of(&look.say("approval.because", &[("why", &why)]), Role::Dim).indented(4, 0));
        }
        out
    }

    /// The bottom of the screen while it is open.
    pub(super) fn prompt(&self, look: &Look) -> Prompt {
        let label = match self.step {
            Step::Choice => return Prompt { above: self.choices(look), editor: None },
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

    fn choices(&self, look: &Look) -> Vec<Line> {
        let Asked::Approval(request) = &self.asked else { return Vec::new() };
        let mut line = Line::empty();
        if self.puzzled {
            line = line.with(&format!("{} ", look.say("approval.press_one", &[])), Role::Warn);
        }
        let mut keys = vec![("y", look.say("approval.key.yes", &[])), ("n", look.say("approval.key.no", &[]))];
        if can_always(request) {
            keys.push(("a", look.say("approval.key.always", &[("rule", &request.always.to_string())])));
            keys.push(("p", look.say("approval.key.project", &[])));
        }
        if can_edit(request) {
            keys.push(("e", look.say("approval.key.edit", &[])));
        }
        keys.push(("x", look.say("approval.key.explain", &[])));
        for (index, (key, word)) in keys.iter().enumerate() {
            let gap = if index == 0 { "" } else { "  " };
            line = line.with(gap, Role::Plain).with(key, Role::User).with(&format!(" {word}"), Role::Plain);
        }
        vec![line]
    }

    pub(super) fn paste(&mut self, text: &str) {
        if matches!(self.step, Step::Choice | Step::Answered) {
            self.puzzled = true;
        } else {
            self.editor.paste(text);
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent, look: &Look) -> Answered {
        match self.step {
            Step::Choice => self.choose(key, look),
            Step::Answered => Answered::default(),
            _ if key.code == KeyCode::Esc => {
                self.back();
                self.step_lines(look)
            }
            _ => match self.editor.key(key) {
                Edited::Entered(text) => self.entered(text, look),
                _ => Answered::default(),
            },
        }
    }

    /// From a text back to the choices; a question has none to go back to, so its text is cleared.
    fn back(&mut self) {
        self.editor = Editor::default();
        self.problem = None;
        if matches!(self.asked, Asked::Approval(_)) {
            self.step = Step::Choice;
        }
    }

    fn choose(&mut self, key: KeyEvent, look: &Look) -> Answered {
        let Asked::Approval(request) = self.asked.clone() else { return Answered::default() };
        self.puzzled = false;
        let plain = is_plain(key);
        let KeyCode::Char(c) = key.code else { return self.puzzle(look) };
        match c.to_ascii_lowercase() {
            'y' if plain => self.decide(&request, Decision::Allow),
            'a' if plain && can_always(&request) => self.decide(&request, always(&request, Keep::Conversation)),
            'p' if plain && can_always(&request) => self.decide(&request, always(&request, Keep::Project)),
            'n' if plain => {
                self.step = Step::Reason;
                self.step_lines(look)
            }
            'e' if plain && can_edit(&request) => {
                (self.step, self.editor) = match request.args.get("command").and_then(Value::as_str) {
                    Some(command) => (Step::Command, Editor::with(command)),
                    None => (Step::Args, Editor::with(&request.args.to_string())),
                };
                self.step_lines(look)
            }
            'x' | '?' if plain => Answered { command: None, lines: explain(look, &request) },
            _ => self.puzzle(look),
        }
    }

    /// Where no live area shows the prompt of a new step, lines do.
    fn step_lines(&self, look: &Look) -> Answered {
        Answered { command: None, lines: if look.live { Vec::new() } else { self.prompt(look).above } }
    }

    /// A key that is none of the choices: they are shown again.
    fn puzzle(&mut self, look: &Look) -> Answered {
        self.puzzled = true;
        self.step_lines(look)
    }

    fn decide(&mut self, request: &ApprovalRequest, decision: Decision) -> Answered {
        self.step = Step::Answered;
        Answered { command: Some(Command::Decide { call: request.call.clone(), decision }), lines: Vec::new() }
    }

    fn entered(&mut self, text: String, look: &Look) -> Answered {
        match (&self.asked.clone(), self.step) {
            (Asked::Approval(request), Step::Reason) => {
                self.decide(request, Decision::Deny { reason: text.trim().to_string() })
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
            (Asked::Approval(request), _) => match serde_json::from_str::<Value>(&text) {
                Ok(args) if args.is_object() => self.decide(request, amended(request, args)),
                Ok(_) => self.refuse_entry(text, look.say("approval.not_object", &[]), look),
                Err(error) => {
                    let why = look.say("approval.not_json", &[("why", &error.to_string())]);
                    self.refuse_entry(text, why, look)
                }
            },
            (Asked::Question { call, options, .. }, _) => {
                if text.trim().is_empty() {
                    return Answered::default();
                }
                self.step = Step::Answered;
                let text = chosen(&text, options);
                Answered { command: Some(Command::Answer { call: call.clone(), text }), lines: Vec::new() }
            }
        }
    }

    /// Keeps what was entered, with the reason why it cannot be taken.
    fn refuse_entry(&mut self, text: String, why: String, look: &Look) -> Answered {
        self.editor = Editor::with(&text);
        self.problem = Some(why);
        self.step_lines(look)
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

/// What reaches outside the project is asked every time, whatever rules there are.
pub(crate) fn can_always(request: &ApprovalRequest) -> bool {
    request.level != Level::System
}

/// The project's checks are a set of commands, not a call with arguments.
fn can_edit(request: &ApprovalRequest) -> bool {
    !request.call.0.starts_with("checks_") && request.args.as_object().is_some_and(|it| !it.is_empty())
}

/// What would be done: the exact commands, or the arguments where there are none.
fn what(request: &ApprovalRequest) -> Vec<Line> {
    if request.commands.is_empty() {
        return arguments(&request.args);
    }
    let commands = request.commands.iter().flat_map(|command| {
        let mut lines = each_visible(command, Role::Code);
        if let Some(first) = lines.first_mut() {
            first.lead.push(crate::text::Span::new("$ ", Role::Dim));
            first.follow.push(crate::text::Span::new("  ", Role::Plain));
        }
        lines
    });
    commands.map(|line| line.indented(4, 0)).collect()
}

/// Arguments one by one, long ones cut to their beginning.
fn arguments(args: &Value) -> Vec<Line> {
    const SHOWN: usize = 12;
    let mut out = Vec::new();
    for (name, value) in args.as_object().into_iter().flatten() {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
        let lines = each_visible(&text, Role::Code);
        let Some(first) = lines.first() else { continue };
        let mut line = Line::of(&format!("{name}: "), Role::Dim);
        if lines.len() == 1 {
            line.spans.extend(first.spans.clone());
            out.push(line.indented(4, 2));
            continue;
        }
        out.push(line.indented(4, 0));
        let left = lines.len().saturating_sub(SHOWN);
        out.extend(lines.into_iter().take(SHOWN).map(|it| it.indented(6, 0)));
        if left > 0 {
            out.push(Line::of(&format!("… +{left}"), Role::Dim).indented(6, 0));
        }
    }
    out
}

/// Everything there is to know before a decision.
fn explain(look: &Look, request: &ApprovalRequest) -> Vec<Line> {
    let head = [("tool", request.tool.as_str()), ("level", &look.say(level_key(request.level), &[]))];
    let mut out = vec![Line::of(&look.say("approval.explain.title", &head), Role::Strong).indented(2, 2)];
    let mut part = |key: &str, lines: Vec<Line>| {
        if !lines.is_empty() {
            out.push(Line::of(&look.say(key, &[]), Role::Dim).indented(2, 2));
            out.extend(lines);
        }
    };
    if !request.commands.is_empty() {
        part("approval.explain.commands", what(request));
    }
    part("approval.explain.args", each_argument(&request.args));
    let effect = explained(look, request).into_iter().map(|it| Line::of(&it, Role::Plain).indented(4, 0));
    part("approval.explain.effect", effect.collect());
    part("approval.explain.effects", all_effects(look, request));
    let why = look.language.problem(&request.why);
    part("approval.explain.why", each(&why, Role::Plain).into_iter().map(|it| it.indented(4, 0)).collect());
    if can_always(request) {
        let rule = look.say("approval.explain.rule", &[("rule", &request.always.to_string())]);
        part("approval.explain.always", vec![Line::of(&rule, Role::Plain).indented(4, 0)]);
    }
    out
}

/// The arguments in full.
fn each_argument(args: &Value) -> Vec<Line> {
    let pretty = serde_json::to_string_pretty(args).unwrap_or_default();
    each(&pretty, Role::Code).into_iter().map(|line| line.indented(4, 2)).collect()
}

fn level_key(level: Level) -> &'static str {
    match level {
        Level::Read => "approval.level.read",
        Level::Edit => "approval.level.edit",
        Level::Shell => "approval.level.shell",
        Level::System => "approval.level.system",
    }
}

#[cfg(test)]
mod tests;
