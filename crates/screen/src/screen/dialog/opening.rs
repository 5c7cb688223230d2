//! The lines that open a question, and what of them is shown where there is no room for all.
//!
//! Promise: the title, the beginning of what is asked about and the worst effect are shown before anything else, and what is left
//! out is counted.

use ox_client::view::{ApprovalRequest, Asked};

use super::Dialog;
use crate::report::{Look, asks};
use crate::screen::effects::{effects, reach};
use crate::screen::explain::{level_key, tells_why, what, within};
use crate::screen::preview;
use crate::text::{Line, Role, wrap};

/// What a question says before its keys.
#[derive(Clone, Debug, Default)]
pub(in crate::screen) struct Opening {
    /// Who asks, and the title.
    head: Vec<Line>,
    /// The command, the arguments or the change.
    body: Vec<Line>,
    /// What it would do, the worst first.
    tail: Vec<Line>,
}

impl Dialog {
    /// The lines that open it. A question's text is told by its event.
    pub(in crate::screen) fn opening(&self, look: &Look, root: &str) -> Opening {
        let (Asked::Approval(ApprovalRequest { agent, .. }) | Asked::Question { agent, .. }) = &self.asked;
        let asks = |kind: &String| {
            Line::of("│ ", Role::Dim).with(&look.say("ui.agent.asks", &[("kind", kind)]), Role::Strong).hanging(2)
        };
        let mut out = Opening { head: agent.iter().map(asks).collect(), ..Opening::default() };
        let Asked::Approval(request) = &self.asked else { return out };
        let (tool, level) = (look.tool(&request.tool), look.say(level_key(request), &[]));
        let head = [("tool", tool.as_str()), ("level", &level)];
        // Tools that everybody meets have a title of their own.
        let own = format!("approval.title.{}", request.tool);
        let title = match look.language.has(&own) {
            _ if !request.changes.is_empty() => asks::question(look, request),
            true => look.say(&own, &head),
            false => look.say("approval.title", &head),
        };
        out.head.push(Line::of("? ", Role::Warn).with(&title, Role::Strong).hanging(2));
        out.body = match request.changes.as_slice() {
            [] => what(request),
            changes => preview::beginning(look, changes, self.shown),
        };
        out.tail = effects(look, request);
        let reached = reach(look, &within(look, request, root));
        out.tail.extend(reached.iter().map(|it| Line::of(it, Role::Dim).indented(4, 0)));
        let why = look.language.problem(&request.why);
        if tells_why(request) && !why.is_empty() {
            out.tail.push(Line::of(&look.say("approval.because", &[("why", &why)]), Role::Dim).indented(4, 0));
        }
        out
    }
}

impl Opening {
    pub(in crate::screen) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// All of it.
    pub(in crate::screen) fn lines(&self) -> Vec<Line> {
        [self.head.as_slice(), &self.body, &self.tail].concat()
    }

    /// At most so many rows, below an empty one where there is room for that, and whether anything had to be left out.
    pub(in crate::screen) fn rows(&self, look: &Look, columns: usize, most: usize) -> (Vec<Line>, bool) {
        let wrapped = |lines: &[Line]| lines.iter().flat_map(|it| wrap(it, columns)).collect::<Vec<_>>();
        let [head, mut body, mut tail] = [&self.head, &self.body, &self.tail].map(|it| wrapped(it));
        let all = head.len() + body.len() + tail.len();
        if all <= most {
            let gap = (all > 0 && all < most).then(Line::empty);
            return (gap.into_iter().chain(head).chain(body).chain(tail).collect(), false);
        }
        // One row counts what is left out; a row of the body comes before the effects, two of these before the rest of the body.
        let room = most.saturating_sub(head.len() + 1);
        let first = body.len().min(room.saturating_sub(tail.len().min(2)).max(room.min(1)));
        tail.truncate(room - first);
        body.truncate(room - tail.len());
        let left = all - head.len() - body.len() - tail.len();
        let more = look.say("approval.more_rows", &[("count", &left.to_string())]);
        let more = wrap(&Line::of(&more, Role::Dim).indented(4, 0), columns).into_iter().next();
        let rows = head.into_iter().chain(body).chain(more).chain(tail);
        (rows.take(most).collect(), true)
    }
}
