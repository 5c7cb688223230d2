//! The bottom of the screen that changes: the unfinished reply, what goes on, and what the user types.

use ox_protocol::{CallId, FailureKind, MessageId, Presentation, Stage, Time};

use super::Screen;
use super::state::{BEAT, Prompt};
use crate::composer::SIGN;
use crate::report::{self, subject_of};
use crate::text::{Line, Role, clip, rule, width, wrap};
use crate::words;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// On a lower screen the composer has no line above it.
const LOW: usize = 12;
/// Lines of a command's output that are seen while it runs.
const OUTPUT: usize = 4;
/// Rows of a list below the composer, where half of the screen has as many.
const LIST: usize = 12;

/// The live area as it is to be drawn: printed lines that fit, and the cursor where something can be typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Lines, each at most as wide as the screen.
    pub lines: Vec<Line>,
    /// Row and column of the cursor within them.
    pub cursor: Option<(usize, usize)>,
}

impl Screen {
    /// The live area at this time on a screen of this size.
    pub fn live(&self, now: Time, columns: usize, rows: usize) -> Live {
        // The last column stays free: writing into it makes some terminals wrap.
        let columns = columns.saturating_sub(1).max(8);
        let bottom = self.below(now, columns, rows);
        let room = rows.saturating_sub(bottom.lines.len() + 1).min((rows / 2).max(3));
        let above: Vec<Line> = self.unfinished(columns).iter().flat_map(|line| wrap(line, columns)).collect();
        let mut live = Live::default();
        live.lines.extend(above.into_iter().rev().take(room).rev());
        live.cursor = bottom.cursor.map(|(row, column)| (row + live.lines.len(), column));
        live.lines.extend(bottom.lines);
        live
    }

    /// The live area without what is still being written, for a screen that shows that elsewhere.
    pub fn bottom(&self, now: Time, columns: usize, rows: usize) -> Live {
        self.below(now, columns.saturating_sub(1).max(8), rows)
    }

    fn below(&self, now: Time, columns: usize, rows: usize) -> Live {
        let mut bottom = Live::default();
        match self.dialog.as_ref().filter(|it| !it.is_answered()) {
            _ if self.picker.is_some() => bottom = self.picking(columns, rows),
            Some(dialog) if self.composer.is_empty() => {
                let (prompt, question, _) = self.held(dialog, columns, rows);
                bottom.lines = question;
                bottom.prompt(&prompt, columns);
            }
            _ => {
                if self.is_at_work() {
                    bottom.lines.push(self.status(now, columns));
                }
                if self.has_composer {
                    bottom.compose(self, columns, rows);
                }
                bottom.above(self.held_rows(columns, rows.saturating_sub(bottom.lines.len() + 1)).0);
            }
        }
        bottom
    }

    /// True where a thought or the output of a command is all that is being written.
    pub fn is_thinking(&self) -> bool {
        self.stream.is_empty()
    }

    /// The part of the reply being streamed that was given out.
    pub fn given_out(&self) -> Option<(MessageId, Vec<Line>)> {
        let lines = self.stream.given_out(self.look.width);
        self.message.clone().filter(|_| !lines.is_empty()).map(|id| (id, lines))
    }

    /// What is being typed, as it is shown; `None` where single keys are awaited or nothing is typed.
    pub fn typing(&self) -> Option<String> {
        if !self.is_asked() {
            return self.has_composer.then(|| self.composer.flat());
        }
        let editor = self.dialog.as_ref()?.prompt(&self.look, false).editor?;
        Some(editor.view(usize::MAX).0)
    }

    /// What is still being written: the rest of the reply, the last words of a thought, the last lines of an output.
    pub fn unfinished(&self, columns: usize) -> Vec<Line> {
        let mut lines = self.stream.tail(columns);
        if !lines.is_empty() && self.needs_gap(super::Block::Text) {
            lines.insert(0, Line::empty());
        }
        if lines.is_empty() && !self.thought.is_empty() {
            let words: Vec<&str> = self.thought.split_whitespace().collect();
            let mut tail = String::new();
            for word in words.iter().rev() {
                if width(&tail) + width(word) + 4 > columns {
                    break;
                }
                tail = if tail.is_empty() { (*word).to_string() } else { format!("{word} {tail}") };
            }
            lines.push(clip(&Line::of(&tail, Role::Dim).indented(2, 0), columns));
        }
        if !self.output.is_empty() {
            let output: Vec<&str> = self.output.lines().map(str::trim_end).filter(|it| !it.is_empty()).collect();
            let last = &output[output.len().saturating_sub(OUTPUT)..];
            lines.extend(last.iter().map(|it| clip(&Line::of(it, Role::Dim).indented(4, 0), columns)));
        }
        lines
    }

    /// The spinner's line. Where it is too long, what matters least goes first.
    fn status(&self, now: Time, columns: usize) -> Line {
        let picture = if self.look.still { "•" } else { SPINNER[(now.0 / BEAT) as usize % SPINNER.len()] };
        let hint = if self.interrupts == 0 { "state.hint" } else { "state.hint_again" };
        // At a question the first Esc clears the line, as is said there.
        let mut parts = if self.waits() { Vec::new() } else { vec![self.look.say(hint, &[])] };
        let doing = self.doing(now);
        if self.own.is_none() {
            self.count(now, &mut parts);
        }
        while !parts.is_empty() && width(&doing) + width(&parts.join(" · ")) + 5 > columns {
            parts.remove(0);
        }
        let rest = parts.iter().map(|part| format!(" · {part}")).collect::<String>();
        let line = Line::of(picture, Role::Accent).with(" ", Role::Plain).with(&doing, Role::Plain);
        clip(&line.with(&rest, Role::Dim), columns)
    }

    /// What the turn has used, before what is said already.
    fn count(&self, now: Time, parts: &mut Vec<String>) {
        // One clock: of the command or the checks that run, else of the turn.
        if self.view.running.is_empty() && self.view.checks.is_none() && self.view.retry.is_none() {
            parts.insert(0, words::clock(now.0.saturating_sub(self.view.began.0)));
        }
        if self.view.iteration.0 > 0 {
            parts.insert(0, self.look.say("state.step", &[("count", &self.view.iteration.0.to_string())]));
        }
        let turn = &self.view.account.turn;
        if turn.requests > 0 {
            // What has no price is told of below the turn; here it would only be in the way.
            if turn.unpriced == 0 {
                parts.insert(0, report::price(&self.look, turn));
            }
            parts.insert(0, self.look.say("state.tokens", &[("count", &words::tokens(turn.usage.total()))]));
        }
    }

    /// What goes on, in a few words.
    fn doing(&self, now: Time) -> String {
        let say = |key: &str, args: &[(&str, &str)]| self.look.say(key, args);
        let since = |began: Time| words::clock(now.0.saturating_sub(began.0));
        if self.waits() {
            return say("state.waiting", &[]);
        }
        if let Some((command, began)) = &self.own {
            let what = words::short(command, (self.look.width / 2).max(16));
            return say("state.running", &[("what", &what), ("time", &since(*began))]);
        }
        if let Some((began, round)) = self.view.checks {
            let key = if round > 0 { "state.checks" } else { "state.baseline" };
            return say(key, &[("time", &since(began))]);
        }
        if let Some(until) = self.view.retry {
            let left = until.0.saturating_sub(now.0).div_ceil(1_000);
            let (attempt, total, kind) = self.retries.unwrap_or((1, 1, FailureKind::Connect));
            let (time, why) = (format!("{left} s"), report::failure(&self.look, kind));
            let args = [("attempt", attempt.to_string()), ("total", total.to_string()), ("time", time), ("why", why)];
            return say("state.retry", &args.each_ref().map(|(key, value)| (*key, value.as_str())));
        }
        match self.view.running.as_slice() {
            [] => {}
            [(call, began)] => {
                let what = clip(&Line::of(&self.what(call), Role::Plain), (self.look.width / 2).max(16)).text();
                return say("state.running", &[("what", &what), ("time", &since(*began))]);
            }
            [(_, began), ..] => {
                let count = self.view.running.len().to_string();
                return say("state.running_many", &[("count", &count), ("time", &since(*began))]);
            }
        }
        let stage = match self.view.stage {
            Some(Stage::AgentLoop) => None,
            None if self.view.iteration.0 == 0 => Some(Stage::Claim),
            None if self.view.stages.iter().any(|(stage, ..)| *stage == Stage::AgentLoop) => Some(Stage::FinalResponse),
            other => other,
        };
        match stage {
            Some(Stage::FinalResponse | Stage::WriteResult | Stage::Cleanup) => say("state.finishing", &[]),
            Some(_) => say("state.preparing", &[]),
            None if !self.stream.is_empty() => say("state.writing", &[]),
            None => say("state.thinking", &[]),
        }
    }

    fn what(&self, call: &CallId) -> String {
        self.view.call(call).map_or_else(String::new, |call| match subject_of(call) {
            it if it.is_empty() => self.look.tool(&call.tool),
            it if call.facts.presentation == Presentation::Command => it,
            it => format!("{} {it}", self.look.tool(&call.tool)),
        })
    }
}

impl Live {
    /// Puts lines above all others.
    pub(super) fn above(&mut self, lines: Vec<Line>) {
        self.cursor = self.cursor.map(|(row, column)| (row + lines.len(), column));
        self.lines.splice(0..0, lines);
    }

    /// Adds the composer with what is below it: a list, a hint, or the footer.
    fn compose(&mut self, screen: &Screen, columns: usize, rows: usize) {
        if rows >= LOW {
            self.lines.push(Line::of(&rule(columns), Role::Dim));
        }
        let say = |key: &str| screen.look.say(key, &[]);
        let hint = match screen.view.busy {
            true if screen.has_queued() => say("composer.take_back"),
            true => say("composer.steer"),
            false => say("composer.hint"),
        };
        let (lines, (row, column)) = screen.composer.rows(columns, (rows / 3).max(1), &say("composer.search"), &hint);
        self.cursor = Some((self.lines.len() + row, column));
        self.lines.extend(lines);
        let more = |count: usize| screen.look.say("composer.more", &[("count", &count.to_string())]);
        let mut list = screen.composer.list(columns, LIST.min((rows / 2).max(2)), more);
        list.extend(screen.shown_keys(columns));
        if list.is_empty() {
            self.lines.push(screen.footer(columns));
        } else {
            self.lines.extend(list);
        }
    }

    /// Adds a prompt: lines above, then the text being typed, with the cursor in it.
    fn prompt(&mut self, prompt: &Prompt, columns: usize) {
        self.lines.extend(prompt.above.iter().flat_map(|line| wrap(line, columns)));
        let Some(editor) = &prompt.editor else { return };
        let (text, at) = editor.view(columns - width(SIGN));
        self.cursor = Some((self.lines.len(), width(SIGN) + at));
        self.lines.push(Line::of(SIGN, Role::User).with(&text, Role::Plain));
    }
}
