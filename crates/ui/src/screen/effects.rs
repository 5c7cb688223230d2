//! What a call would do, as it is shown where consent is asked.
//!
//! Promise: an effect of the highest level is never left out.

use ox_protocol::Effect;

use crate::report::Look;
use crate::state::Request;
use crate::text::{Line, Role};

/// Effects shown before "and N more".
const SHOWN: usize = 8;

/// The effects in the order of danger, cut to the most dangerous; all of the highest level are there.
pub(super) fn effects(look: &Look, request: &Request) -> Vec<Line> {
    let sorted = sorted(request);
    let top = sorted.first().map(|it| it.level);
    let shown = sorted.iter().filter(|it| Some(it.level) == top).count().max(SHOWN);
    let mut out: Vec<Line> = sorted.iter().take(shown).map(|it| line(look, it, Some(it.level) == top)).collect();
    let left = sorted.len().saturating_sub(shown);
    if left > 0 {
        let more = look.say("approval.more_effects", &[("count", &left.to_string())]);
        out.push(Line::of(&more, Role::Dim).indented(4, 0));
    }
    out
}

/// All of them.
pub(super) fn all_effects(look: &Look, request: &Request) -> Vec<Line> {
    sorted(request).iter().map(|it| line(look, it, false)).collect()
}

fn sorted(request: &Request) -> Vec<&Effect> {
    let mut sorted: Vec<&Effect> = request.effects.iter().collect();
    sorted.sort_by_key(|it| std::cmp::Reverse(it.level));
    sorted
}

fn line(look: &Look, effect: &Effect, strong: bool) -> Line {
    let role = if strong { Role::Warn } else { Role::Plain };
    let text = look.say(effect.kind.key(), &[("what", &effect.what)]);
    Line::of(&format!("· {text}"), role).indented(4, 2)
}
