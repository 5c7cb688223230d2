//! Updates as JSON objects for programs, each of which can be read alone.
//!
//! A line says of a call, a stage or a turn what stood in earlier events: that is derived here and never stored, so a log stays
//! small. What a reader gets back from such a line is the update itself.

use std::collections::HashMap;

use ox_protocol::{CallId, ConversationId, Event, Frame, Status, Time};
use serde_json::Value;

use crate::Update;

/// What is known of the conversations of a stream so far.
#[derive(Debug, Default)]
pub struct Lines {
    conversations: HashMap<ConversationId, Known>,
}

/// What is known of one conversation.
#[derive(Debug, Default)]
struct Known {
    /// When its turn began.
    began: Time,
    /// The iteration, and the limit.
    iteration: (u32, u32),
    /// The arguments and the iteration of the calls that have begun.
    calls: HashMap<CallId, (Value, u32)>,
}

impl Lines {
    /// The update with the path under which subscribers find it, and with what earlier ones say of it.
    pub fn line(&mut self, update: &Update) -> serde_json::Result<Value> {
        let mut value = serde_json::to_value(update)?;
        value["path"] = update.path().into();
        match update {
            Update::Frame(frame) => {
                self.conversations.entry(frame.conversation.clone()).or_default().add(frame, &mut value)
            }
            Update::Delta(delta) => {
                let iteration = self.conversations.get(&delta.conversation).map_or(0, |it| it.iteration.0);
                value["iteration"] = iteration.into();
            }
            Update::Control(_) => {}
        }
        Ok(value)
    }
}

impl Known {
    fn add(&mut self, frame: &Frame, value: &mut Value) {
        match &frame.event {
            Event::TurnStart { limits, .. } => {
                *self = Known { began: frame.time, iteration: (0, limits.iterations), calls: HashMap::new() };
            }
            Event::IterationStart { iteration, total, .. } => self.iteration = (*iteration, *total),
            Event::ToolStart { call, args, iteration, .. } => {
                self.calls.insert(call.clone(), (args.clone(), *iteration));
                value["total_iterations"] = self.iteration.1.into();
            }
            Event::ToolComplete { call, outcome, .. } => {
                // One that never began, such as a denied one, was asked for in this iteration.
                let (args, iteration) = self.calls.remove(call).unwrap_or((Value::Null, self.iteration.0));
                value["args"] = args;
                value["iteration"] = iteration.into();
                value["total_iterations"] = self.iteration.1.into();
                value["success"] = (outcome.status == Status::Ok).into();
                value["duration_ms"] = outcome.duration_ms.into();
            }
            Event::StageEnter { .. } | Event::StageExit { .. } | Event::StreamComplete { .. } => {
                value["iteration"] = self.iteration.0.into();
                value["total_iterations"] = self.iteration.1.into();
                if let Event::StreamComplete { calls, .. } = &frame.event {
                    let asked = calls.iter().map(|it| (it.id.clone(), (it.args.clone(), self.iteration.0)));
                    self.calls.extend(asked);
                }
            }
            Event::Completion { exit_code, .. } => {
                value["iteration"] = self.iteration.0.into();
                value["total_iterations"] = self.iteration.1.into();
                value["success"] = (*exit_code == 0).into();
                value["duration_ms"] = frame.time.0.saturating_sub(self.began.0).into();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use ox_protocol::{Limits, Mode, ModelFacts, Outcome, Rules, Seq, Stop, ToolChoice, Verification};
    use serde_json::json;

    use super::*;

    fn start() -> Event {
        Event::TurnStart {
            turn: 1,
            mode: Mode::Build,
            prompt: "task".into(),
            images: Vec::new(),
            continues: false,
            branch: None,
            rules: Rules::default(),
            limits: Limits { iterations: 7, ..Limits::default() },
            model: ModelFacts::default(),
            fallbacks: Vec::new(),
            verification: Verification::Full,
            review: ox_protocol::ReviewPolicy::Off,
            checks: Vec::new(),
            fixers: Vec::new(),
            router: None,
        }
    }

    #[test]
    fn a_line_alone_tells_what_a_call_was_and_how_it_ended() {
        let call = CallId("c".into());
        let tool = || "read_file".to_string();
        let outcome = Outcome { duration_ms: 12, ..Outcome::ok("text") };
        let events = [
            start(),
            Event::IterationStart { iteration: 2, total: 7, tool_choice: ToolChoice::Auto, max_output: None },
            Event::ToolStart { call: call.clone(), tool: tool(), args: json!({"path": "a"}), iteration: 2 },
            Event::IterationStart { iteration: 3, total: 7, tool_choice: ToolChoice::Auto, max_output: None },
            Event::ToolComplete { call, tool: tool(), outcome },
            Event::ToolComplete { call: CallId("d".into()), tool: tool(), outcome: Outcome::failed("no") },
            Event::Completion { stop: Stop::Done, exit_code: 0 },
        ];
        let mut lines = Lines::default();
        let mut shown_lines = String::new();
        for (at, event) in (1..).zip(events) {
            let update = Update::Frame(std::sync::Arc::new(Frame::new(Seq(at), Time(1_000 * at), event)));
            let line = lines.line(&update).expect("an update is JSON");
            assert_eq!(serde_json::from_value::<Update>(line.clone()).expect("it reads back"), update);
            let keys = ["event", "tool", "args", "iteration", "total_iterations", "success", "duration_ms"];
            let shown: Vec<String> = keys.iter().filter_map(|it| Some(format!("{it}={}", line.get(it)?))).collect();
            shown_lines += &(shown.join(" ") + "\n");
        }
        expect![[r#"
            event="turn_start"
            event="iteration_start" iteration=2
            event="tool_start" tool="read_file" args={"path":"a"} iteration=2 total_iterations=7
            event="iteration_start" iteration=3
            event="tool_complete" tool="read_file" args={"path":"a"} iteration=2 total_iterations=7 success=true duration_ms=12
            event="tool_complete" tool="read_file" args=null iteration=3 total_iterations=7 success=false duration_ms=0
            event="completion" iteration=3 total_iterations=7 success=true duration_ms=6000
        "#]].assert_eq(&shown_lines);
    }
}
