//! The plans of a project, read from the stored conversations, and changing one between two turns.
//!
//! Nothing is kept beside the logs. A plan that was carried over into another conversation keeps its name; what happened to
//! it last counts.

use std::path::Path;

use ox_core::{Conversation, decide};
use ox_protocol::{Command, CommandId, ConversationId, Event, Frame, Plan, Problem, Seq, Submission, Time};
use ox_store::{Log, lock_conversation};

use crate::project::{Project, now};

/// How many of the latest conversations are looked through for plans.
const LOOKED_THROUGH: usize = 50;

/// A plan and where it was last changed.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredPlan {
    /// The plan under its name.
    pub plan: Plan,
    /// The conversation that changed it last.
    pub conversation: ConversationId,
    /// When.
    pub updated: Time,
}

impl Project {
    /// The plans of this project, the latest first; dropped ones are left out.
    pub fn plans(&self) -> Result<Vec<StoredPlan>, Problem> {
        plans(self.store()?.as_ref(), &self.root_name())
    }

    /// The plan whose name begins so; without a name the latest that is not done, or else the latest.
    pub fn plan(&self, name: Option<&str>) -> Result<StoredPlan, Problem> {
        let all = self.plans()?;
        let Some(name) = name else {
            let open = all.iter().position(|it| it.plan.is_open()).unwrap_or(0);
            return all.into_iter().nth(open).ok_or_else(|| Problem::new("plan.none").with("root", self.root_name()));
        };
        let mut found = all.into_iter().filter(|it| it.plan.id.starts_with(name));
        match (found.next(), found.next()) {
            (Some(it), None) => Ok(it),
            (Some(it), Some(_)) if it.plan.id == name => Ok(it),
            (Some(_), Some(_)) => Err(Problem::new("plan.ambiguous").with("id", name)),
            (None, _) => Err(Problem::new("plan.unknown").with("id", name)),
        }
    }

    /// Changes a plan where it was last changed, so that the next turn there works by it. Not while a process goes on with
    /// that conversation.
    pub fn change_plan(&self, stored: &StoredPlan, command: Command) -> Result<Plan, Problem> {
        change(self.store()?.as_ref(), &self.paths.state_dir, stored, command)
    }
}

fn plans(log: &dyn Log, root: &str) -> Result<Vec<StoredPlan>, Problem> {
    let mut all: Vec<StoredPlan> = Vec::new();
    for info in log.list(Some(root), LOOKED_THROUGH)? {
        let frames = log.read(&info.id)?.frames;
        let last = frames.iter().rev().find_map(|it| match &it.event {
            Event::Plan { plan } => Some((plan.clone(), it.time)),
            _ => None,
        });
        let Some((mut plan, updated)) = last else { continue };
        plan.number();
        if plan.id.is_empty() {
            plan.id.clone_from(&info.id.0);
        }
        match all.iter_mut().find(|it| it.plan.id == plan.id) {
            Some(known) if known.updated >= updated => {}
            Some(known) => *known = StoredPlan { plan, conversation: info.id, updated },
            None => all.push(StoredPlan { plan, conversation: info.id, updated }),
        }
    }
    all.retain(|it| !it.plan.is_empty());
    all.sort_by_key(|it| std::cmp::Reverse(it.updated));
    Ok(all)
}

fn change(log: &dyn Log, state: &Path, stored: &StoredPlan, command: Command) -> Result<Plan, Problem> {
    let id = &stored.conversation;
    let _lock = lock_conversation(state, id)?;
    let owner = log.own(id)?;
    let history = log.read(id)?;
    if let Some(why) = history.read_only() {
        return Err(Problem::new("session.read_only").with("id", id).with("why", why));
    }
    let mut conversation = Conversation::replay(&history.frames);
    let submission = Submission { id: CommandId::default(), command };
    let events = decide(&conversation, &submission).map_err(|it| Problem::new(it.code()))?;
    let last = history.frames.last().map_or(Seq(0), |it| it.seq);
    let frame = |(at, event): (usize, Event)| Frame {
        conversation: id.clone(),
        ..Frame::new(Seq(last.0 + 1 + at as u64), now(), event)
    };
    let frames: Vec<Frame> = events.into_iter().enumerate().map(frame).collect();
    log.append(id, owner, last, &frames)?;
    frames.iter().for_each(|it| conversation.apply(it));
    Ok(conversation.plan().cloned().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use ox_protocol::PlanStep;
    use ox_store::{Owner, Store};

    use super::*;

    fn conversation(log: &dyn Log, id: &str, root: &str, plans: &[(u64, Plan)]) {
        let id = ConversationId(id.into());
        let first = Event::ConversationId { id: id.clone(), root: root.into(), ox: "0".into(), from: None };
        let frame =
            |seq: u64, time, event| Frame { conversation: id.clone(), ..Frame::new(Seq(seq), Time(time), event) };
        log.create(&frame(1, 1, first)).unwrap();
        for (at, (time, plan)) in plans.iter().enumerate() {
            let seq = at as u64 + 2;
            log.append(&id, Owner::FIRST, Seq(seq - 1), &[frame(seq, *time, Event::Plan { plan: plan.clone() })])
                .unwrap();
        }
    }

    #[test]
    fn a_plan_is_listed_once_as_it_is_now_and_can_be_changed_where_nobody_works() {
        let folder = tempfile::tempdir().unwrap();
        let log = Store::open(&folder.path().join("ox.db")).unwrap();
        let plan = |id: &str, text: &str| Plan {
            id: id.into(),
            steps: vec![PlanStep { id: 1, ..PlanStep::new(text) }],
            ..Plan::default()
        };
        conversation(&log, "one", "/p", &[(10, plan("one-1", "old"))]);
        conversation(&log, "two", "/p", &[(20, plan("one-1", "new"))]);
        conversation(&log, "three", "/p", &[(30, plan("", "nameless"))]);
        conversation(&log, "four", "/p", &[(40, Plan { id: "gone".into(), ..Plan::default() })]);
        conversation(&log, "five", "/elsewhere", &[(50, plan("five-1", "x"))]);
        let all = plans(&log, "/p").unwrap();
        let listed: Vec<_> =
            all.iter().map(|it| (it.plan.id.as_str(), it.plan.title(), it.conversation.0.as_str())).collect();
        assert_eq!(listed, [("three", "nameless", "three"), ("one-1", "new", "two")]);

        let comment = Command::CommentPlan { step: 1, text: "Mind the rest.".into() };
        let changed = change(&log, folder.path(), &all[1], comment.clone()).unwrap();
        assert_eq!(changed.steps[0].comments, ["Mind the rest."]);
        assert_eq!(plans(&log, "/p").unwrap()[0].plan, changed, "it is the latest now");
        let absent = Command::CommentPlan { step: 7, text: "x".into() };
        assert_eq!(change(&log, folder.path(), &all[1], absent).unwrap_err().code, "rejected.not_planned");
        let held = lock_conversation(folder.path(), &all[1].conversation).unwrap();
        assert!(change(&log, folder.path(), &all[1], comment).is_err());
        drop(held);
        let drop = Command::SetPlan { plan: Plan { id: "one-1".into(), ..Plan::default() } };
        change(&log, folder.path(), &all[1], drop).unwrap();
        assert_eq!(plans(&log, "/p").unwrap().len(), 1);
    }
}
