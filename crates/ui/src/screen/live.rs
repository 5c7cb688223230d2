//! The bottom of the screen that changes: the unfinished reply, what goes on, and what the user types.

use ox_protocol::{CallId, Stage, Time};

use super::Screen;
use crate::editor::Editor;
use crate::report::subject;
use crate::text::{Line, Role, clip, width, wrap};
use crate::words;

const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/// Milliseconds per picture of the spinner.
const BEAT: u64 = 100;

/// The live area as it is to be drawn: printed lines that fit, and the cursor where something can be typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Lines, each at most as wide as the screen.
    pub lines: Vec<Line>,
    /// Row and column of the cursor within them.
    pub cursor: Option<(usize, usize)>,
}

/// What stands at the bottom while the user is asked or types.
#[derive(Clone, Debug, Default)]
pub(super) struct Prompt {
    pub(super) above: Vec<Line>,
    pub(super) label: String,
    pub(super) editor: Option<Editor>,
}

impl Prompt {
    pub(super) fn words(above: Vec<Line>) -> Prompt {
        Prompt { above, ..Prompt::default() }
    }
}

impl Screen {
    /// The live area at this moment on a screen of this size.
    pub fn live(&self, now: Time, columns: usize, rows: usize) -> Live {
        // The last column stays free: writing into it makes some terminals wrap.
        let columns = columns.saturating_sub(1).max(8);
        let mut live = Live::default();
        if !self.state.busy {
            return live;
        }
        let mut bottom = Live::default();
        match self.dialog.as_ref().filter(|it| !it.is_answered()) {
            Some(dialog) if self.typed.is_empty() => bottom.prompt(&dialog.prompt(&self.look), columns),
            _ => {
                bottom.lines.push(clip(&self.status(now), columns));
                if !self.typed.is_empty() {
                    let label = "› ".to_string();
                    bottom.prompt(&Prompt { label, editor: Some(self.typed.clone()), ..Prompt::default() }, columns);
                }
            }
        }
        let room = rows.saturating_sub(bottom.lines.len() + 1).min((rows / 2).max(3));
        let above: Vec<Line> = self.unfinished(columns).iter().flat_map(|line| wrap(line, columns)).collect();
        live.lines.extend(above.into_iter().rev().take(room).rev());
        live.cursor = bottom.cursor.map(|(row, column)| (row + live.lines.len(), column));
        live.lines.extend(bottom.lines);
        live
    }

    /// What is still being written: the rest of the reply, the last words of a thought, the last line of an output.
    fn unfinished(&self, columns: usize) -> Vec<Line> {
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
            lines.push(clip(&Line::of(&self.output, Role::Dim).indented(4, 0), columns));
        }
        lines
    }

    /// The spinner's line.
    fn status(&self, now: Time) -> Line {
        let picture = SPINNER[(now.0 / BEAT) as usize % SPINNER.len()];
        let since = |began: Time| words::clock(now.0.saturating_sub(began.0));
        let mut parts = vec![self.doing(now)];
        if self.state.iteration.0 > 0 {
            parts.push(format!("{}/{}", self.state.iteration.0, self.state.iteration.1));
        }
        let used = self.state.used.turn.total();
        if used.0 > 0 {
            parts.push(self.look.say("state.tokens", &[("count", &words::tokens(used))]));
        }
        parts.push(since(self.state.began));
        let hint = if self.interrupts == 0 { "state.hint" } else { "state.hint_again" };
        parts.push(self.look.say(hint, &[]));
        Line::of(picture, Role::Accent)
            .with(" ", Role::Plain)
            .with(&parts[0], Role::Plain)
            .with(&format!(" · {}", parts[1..].join(" · ")), Role::Dim)
    }

    /// What goes on, in a few words.
    fn doing(&self, now: Time) -> String {
        let say = |key: &str, args: &[(&str, &str)]| self.look.say(key, args);
        let since = |began: Time| words::clock(now.0.saturating_sub(began.0));
        if let Some((began, round)) = self.state.checks {
            let key = if round > 0 { "state.checks" } else { "state.baseline" };
            return say(key, &[("time", &since(began))]);
        }
        if let Some(until) = self.state.retry {
            let left = until.0.saturating_sub(now.0).div_ceil(1_000);
            return say("state.retry", &[("time", &format!("{left} s"))]);
        }
        match self.state.running.as_slice() {
            [] => {}
            [(call, began)] => return say("state.running", &[("what", &self.what(call)), ("time", &since(*began))]),
            [(_, began), ..] => {
                let count = self.state.running.len().to_string();
                return say("state.running_many", &[("count", &count), ("time", &since(*began))]);
            }
        }
        match self.state.stage {
            Some(stage) if stage != Stage::AgentLoop => say(crate::report::stage_key(stage), &[]),
            _ if !self.stream.is_empty() => say("state.writing", &[("time", &since(self.changed))]),
            _ => say("state.thinking", &[("time", &since(self.changed))]),
        }
    }

    fn what(&self, call: &CallId) -> String {
        self.state.call(call).map_or_else(String::new, |call| match subject(&call.tool, &call.args) {
            it if it.is_empty() => call.tool.clone(),
            it if call.tool == "run_command" => it,
            it => format!("{} {it}", call.tool),
        })
    }
}

impl Live {
    /// Adds a prompt: lines above, then a label and the text being typed, with the cursor in it.
    fn prompt(&mut self, prompt: &Prompt, columns: usize) {
        self.lines.extend(prompt.above.iter().flat_map(|line| wrap(line, columns)));
        let Some(editor) = &prompt.editor else { return };
        let mut label = clip(&Line::of(&prompt.label, Role::User), columns / 2).text();
        if !label.ends_with(' ') {
            label.push(' ');
        }
        let (text, at) = editor.view(columns.saturating_sub(width(&label)));
        self.cursor = Some((self.lines.len(), width(&label) + at));
        self.lines.push(Line::of(&label, Role::User).with(&text, Role::Plain));
    }
}
