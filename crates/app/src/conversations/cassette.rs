//! A stored conversation's model traffic as a cassette. Nothing is asked anew, and keys and secrets are left out.

use ox_agent::model_traffic::{self, Traffic};
use ox_model::cassette::{Head, to_cassette};
use ox_protocol::{Event, Frame, Level, Problem, RuleAction};

use crate::project::Project;

impl Project {
    /// The cassette of the conversation whose id begins with `id`.
    pub fn cassette_of(&self, id: &str) -> Result<String, Problem> {
        self.hide_keys();
        let log = self.store()?;
        let info = log.find(id)?;
        let frames = log.read(&info.id)?.frames;
        let traffic = model_traffic::traffic(&frames);
        if traffic.exchanges.is_empty() {
            return Err(Problem::new("record.nothing").with("id", info.id));
        }
        Ok(to_cassette(&head(&info.root, &traffic, &frames), &traffic.exchanges, &[]))
    }
}

fn head(root: &str, traffic: &Traffic, frames: &[Frame]) -> Head {
    let mut head = Head { ox: env!("CARGO_PKG_VERSION").to_string(), root: root.to_string(), ..Head::default() };
    head.interrupted = traffic.interrupted;
    if let Some(model) = &traffic.model {
        head.model = model.clone();
        head.effort = model.effort;
    }
    if let Some((mode, rules)) = &traffic.turn {
        head.mode = Some(*mode);
        head.approval = Some(rules.approval);
        head.allow = rules.rules.iter().filter(|it| it.action == RuleAction::Allow).map(ToString::to_string).collect();
        head.scope = rules.scope.clone();
    }
    for rule in granted(frames) {
        if !head.allow.contains(&rule) {
            head.allow.push(rule);
        }
    }
    head
}

/// What somebody allowed while it ran: a replay cannot ask them again. What concerns the system is asked about each time.
fn granted(frames: &[Frame]) -> Vec<String> {
    use ox_protocol::Decision::{Allow, AllowAlways};
    let asked = |wanted: &ox_protocol::CallId| {
        frames.iter().rev().find_map(|it| match &it.event {
            Event::ApprovalRequest { call, always, level, .. } if call == wanted && *level != Level::System => {
                Some(always.to_string())
            }
            _ => None,
        })
    };
    let grants = frames.iter().filter_map(|it| match &it.event {
        Event::Approval { call, decision: Allow | AllowAlways { .. }, .. } => asked(call),
        _ => None,
    });
    grants.collect()
}
