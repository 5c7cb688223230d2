//! Says in which way a request differs from the recorded one.

use ox_protocol::{Message, Part};

use super::{Asked, Match};

/// The first difference, for whoever must decide whether to record anew; none where the request may be answered.
pub(super) fn difference(recorded: &Asked, now: &Asked, matching: Match) -> Option<String> {
    if matching == Match::Exact && recorded.tools != now.tools {
        return Some(both("tools", &names(&recorded.tools), &names(&now.tools)));
    }
    if matching == Match::Exact && recorded.tool_choice != now.tool_choice {
        let show = |asked: &Asked| format!("{:?}", asked.tool_choice);
        return Some(both("tool choice", &show(recorded), &show(now)));
    }
    let old = recorded.new.iter().map(|it| lines(it, matching));
    let new = now.new.iter().map(|it| lines(it, matching));
    let (old, new): (Vec<Vec<String>>, Vec<Vec<String>>) = (old.collect(), new.collect());
    let first = recorded.messages - recorded.new.len();
    for at in 0..old.len().max(new.len()) {
        let nothing = vec!["(no message)".to_string()];
        let (old, new) = (old.get(at).unwrap_or(&nothing), new.get(at).unwrap_or(&nothing));
        let line = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        if line < old.len().max(new.len()) {
            let show = |lines: &[String]| lines.get(line).cloned().unwrap_or("(end)".to_string());
            return Some(both(&format!("message {}", first + at + 1), &show(old), &show(new)));
        }
    }
    None
}

fn both(what: &str, recorded: &str, now: &str) -> String {
    format!("{what}\n  recorded: {recorded}\n  now:      {now}")
}

fn names(tools: &Option<Vec<String>>) -> String {
    tools.as_ref().map_or("as before".to_string(), |it| it.join(", "))
}

/// What is compared of a message, line by line, so that a difference can be shown.
fn lines(message: &Message, matching: Match) -> Vec<String> {
    let exact = matching == Match::Exact;
    let mut out = vec![format!("{:?}", message.role)];
    for part in &message.parts {
        match part {
            Part::Text { text } if exact => out.extend(text.lines().map(str::to_string)),
            Part::Call { name, args, .. } if exact => out.push(format!("call {name} {args}")),
            Part::Result { name, ok, text, .. } if exact => {
                out.push(format!("result {name} ok={ok}"));
                out.extend(text.lines().map(str::to_string));
            }
            Part::Call { name, .. } => out.push(format!("call {name}")),
            Part::Result { name, ok, .. } => out.push(format!("result {name} ok={ok}")),
            Part::Image { image } if exact => out.push(format!("image {} of {} bytes", image.name, image.data.len())),
            Part::Image { .. } => out.push("image".to_string()),
            Part::Text { .. } | Part::Reasoning { .. } => {}
        }
    }
    out
}
