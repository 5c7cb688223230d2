//! What a command makes of a running turn.

use ox_core::{Rejected, decide};
use ox_protocol::{Command, Decision, Event, Keep, Problem, Submission};
use ox_tools::Jobs;

use super::context::TurnContext;
use crate::Journal;
use crate::subagents::tool::judge;

/// The facts that a command makes, or why it has no effect.
pub(crate) fn answer(cx: &TurnContext, submission: &Submission, journal: &Journal) -> Result<Vec<Event>, Problem> {
    match (decide(journal.conversation(), submission), &submission.command) {
        (Ok(mut events), command) => {
            events.extend(remember(cx, command, journal));
            cx.agents.follow(submission);
            Ok(events)
        }
        (Err(Rejected::NeedsFacts), Command::SetModel { model }) => {
            let model = (cx.env.open_model)(model)?;
            let name = model.facts().name.clone();
            cx.set_model(model);
            Ok(vec![Event::ModelSet { model: name }])
        }
        (Err(Rejected::NeedsFacts), command @ Command::Decide { .. }) => {
            let amended = amend(cx, command, journal).map(|it| vec![it]);
            amended.ok_or_else(|| Problem::new(Rejected::NotAsked.code()))
        }
        (Err(Rejected::NeedsFacts), Command::StopJob { job }) => {
            // The turn tells of its end with whatever comes next.
            drop(tokio::spawn(stopped(&cx.env.tools.jobs, job)?));
            Ok(Vec::new())
        }
        // What is left of those that need facts is about files.
        (Err(Rejected::NeedsFacts), command) => {
            let files = ox_context::context_files(&cx.env.tree, journal.conversation().files(), command)?;
            Ok(vec![Event::FilesSet(files)])
        }
        (Err(rejected), _) => Err(Problem::new(rejected.code())),
    }
}

/// What ends a command in the background, or that none of that name runs.
pub(crate) fn stopped(jobs: &Jobs, job: &str) -> Result<impl Future<Output = ()> + Send + use<>, Problem> {
    jobs.stop(job).ok_or_else(|| Problem::new("rejected.no_job").with("job", job))
}

/// A rule that is granted for the project is kept there; a rule that cannot be kept still holds for the conversation.
fn remember(cx: &TurnContext, command: &Command, journal: &Journal) -> Option<Event> {
    let Command::Decide { call, decision: Decision::AllowAlways { rule, further, keep: Keep::Project } } = command
    else {
        return None;
    };
    let mut rules = std::iter::once(rule).chain(further).filter(|it| journal.conversation().can_grant(call, it));
    let problem = rules.find_map(|it| (cx.env.remember)(it).err())?;
    Some(Event::Error { problem })
}

fn amend(cx: &TurnContext, command: &Command, journal: &Journal) -> Option<Event> {
    let Command::Decide { call, decision: Decision::Amend { args } } = command else { return None };
    let old = journal.conversation().call(call)?;
    let mut new = cx.env.toolbox.amended(&cx.call_context(journal), old, args.clone());
    judge(&cx.env.agents, &mut new);
    Some(Event::Amended { call: new })
}
