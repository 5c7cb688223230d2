//! The last line of the screen: the model, what it may do, where the project stands, what was used.

use super::Screen;
use super::state::Armed;
use crate::report;
use crate::text::{Line, Role, clip, width};

impl Screen {
    /// The footer, or a hint where the key before wants another.
    pub(super) fn footer(&self, columns: usize) -> Line {
        let say = |key: &str, args: &[(&str, &str)]| self.look.say(key, args);
        let hint = match self.armed {
            Some(Armed::Leave) => Some("repl.again_to_leave"),
            Some(Armed::Clear) => Some("composer.again_to_clear"),
            Some(Armed::Rewind) => Some("composer.again_to_rewind"),
            None => None,
        };
        if let Some(hint) = hint {
            return clip(&Line::of(&say(hint, &[]), Role::Warn).indented(2, 0), columns);
        }
        if let Some(own) = &self.tree.own {
            return clip(&Line::of(own, Role::Dim).indented(2, 0), columns);
        }
        let vi = self.composer.is_normal().map(|it| say(if it { "footer.normal" } else { "footer.insert" }, &[]));
        let mut left: Vec<String> = vi.into_iter().collect();
        left.extend([self.view.mode.name().to_string(), report::policy(&self.look, self.view.approval)]);
        if let Some(branch) = &self.tree.branch {
            let dirty = if self.tree.dirty > 0 { format!("*{}", self.tree.dirty) } else { String::new() };
            left.push(format!("{branch}{dirty}"));
        }
        let effort = self.view.effort.map(|it| format!(" {}", it.name())).unwrap_or_default();
        let mut right = vec![format!("{}{effort}", self.view.model)];
        let (filled, window) = self.view.window;
        for (key, count) in [("footer.jobs", self.view.jobs.len()), ("footer.queued", self.view.queue.len())] {
            if count > 0 {
                right.push(say(key, &[("count", &count.to_string())]));
            }
        }
        if let Some(share) = (filled * 100).checked_div(window).filter(|_| filled > 0) {
            right.push(say("footer.window", &[("share", &share.to_string())]));
        }
        let spent = &self.view.account.conversation;
        if spent.requests > 0 && spent.unpriced == 0 {
            right.push(report::price(&self.look, spent));
        }
        // What fits: the model loses its provider, the right side its end, then the left.
        let room = columns.saturating_sub(4);
        let both = |left: &[String], right: &[String]| width(&left.join(" · ")) + width(&right.join(" · ")) + 2;
        if both(&left, &right) > room {
            right[0] = format!("{}{effort}", self.view.model.rsplit('/').next().unwrap_or_default());
        }
        while right.len() > 1 && both(&left, &right) > room {
            right.pop();
        }
        while left.len() > 1 && both(&left, &right) > room {
            left.pop();
        }
        let (left, right) = (left.join(" · "), right.join(" · "));
        let gap = " ".repeat(room.saturating_sub(width(&left) + width(&right)).max(2));
        clip(&Line::of(&format!("{left}{gap}{right}"), Role::Dim).indented(2, 0), columns)
    }
}
