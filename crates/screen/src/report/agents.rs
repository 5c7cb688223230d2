//! Sub-agents, in few lines: what each is to do, how it ended, and what it was refused. What it did in between stands in
//! its own log.

use ox_client::view::View;
use ox_protocol::{AgentEnd, AgentStart, Event, Frame, Severity, Status};

use super::look::Look;
use super::tool::subject;
use crate::text::{Line, Role};
use crate::words;

/// The lines of a sub-agent's beginning and end; none for any other event.
pub(super) fn lines(look: &Look, view: &View, event: &Event) -> Vec<Line> {
    match event {
        Event::AgentStart(AgentStart { call, request, .. }) => {
            let task = words::short(&request.task, 100);
            let text = match call.is_review() {
                true => look.say("ui.agent.review", &[]),
                false => look.say("ui.agent.start", &[("kind", &request.kind), ("task", &task)]),
            };
            vec![Line::of("┌ ", Role::Dim).with(&text, Role::Dim).hanging(2)]
        }
        Event::AgentEnd(AgentEnd { conversation, stop, iterations, usage, findings, .. }) => {
            let kind = view.agent_of(conversation).map_or_else(|| conversation.0.clone(), |it| it.kind.clone());
            let how = look.say(stop.code(), &[]);
            let counted = |key: &str, count: String| look.say(key, &[("count", &count)]);
            let requests = counted("ui.agent.requests", iterations.to_string());
            let tokens = counted("state.tokens", words::tokens(usage.total()));
            let args = [
                ("kind", kind.as_str()),
                ("how", how.trim_end_matches(['.', '。'])),
                ("requests", &requests),
                ("tokens", &tokens),
            ];
            let role = if stop.exit_code() == 0 { Role::Dim } else { Role::Warn };
            let found = findings.iter().map(|it| {
                let role = if it.severity == Severity::Error { Role::Bad } else { Role::Warn };
                Line::of("│ ", Role::Dim).with(&it.line(), role).hanging(2)
            });
            let end = Line::of("└ ", role).with(&look.say("ui.agent.end", &args), role).hanging(2);
            found.chain([end]).collect()
        }
        _ => Vec::new(),
    }
}

/// The lines of what happens in a sub-agent: what it is refused or fails at is told, everything else only while it happens.
pub(super) fn within(look: &Look, view: &View, frame: &Frame) -> Vec<Line> {
    match &frame.event {
        Event::ToolComplete { tool, outcome, .. } if outcome.status == Status::Denied => {
            let kind = view.agent_of(&frame.conversation).map_or("", |it| it.kind.as_str());
            let what = words::short(&outcome.output, 160);
            let text = look.say("ui.agent.tool", &[("kind", kind), ("tool", tool), ("what", &what)]);
            vec![Line::of("│ ", Role::Dim).with(&text, Role::Warn).hanging(2)]
        }
        Event::ToolStart { tool, args, .. } if !look.live => {
            let kind = view.agent_of(&frame.conversation).map_or("", |it| it.kind.as_str());
            let text = look.say("ui.agent.tool", &[("kind", kind), ("tool", tool), ("what", &subject(args))]);
            vec![Line::of("│ ", Role::Dim).with(text.trim_end(), Role::Dim).hanging(2)]
        }
        event => lines(look, view, event),
    }
}
