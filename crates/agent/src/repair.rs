//! Another attempt at a task whose attempt failed: a diagnosis, the edits kept or taken back, a context built anew.

use ox_context::{diagnosis, diagnosis_request};
use ox_core::Attempt;
use ox_protocol::{CheckpointReason, Event, Money, Repair, RepairEdits, Stop, Tokens, Usage};

use crate::notes::notes;
use crate::session::Session;
use crate::{checkpoint_guard, summary, undo};

/// The longest diagnosis, in tokens.
const LONGEST: Tokens = Tokens(600);

/// What a diagnosing model added, and what that used and cost.
type Diagnosed = (String, Usage, Option<Money>);

/// Ends the failed attempt: its `Repair` event is recorded, and the turn waits for its prompt again.
pub(crate) async fn begin(session: &mut Session, attempt: Attempt, stop: Stop) {
    let conversation = session.journal.conversation();
    let reports = (conversation.baseline(), conversation.last_report());
    let made = summary::summary(&session.journal, session.env.checkpoints.as_ref(), session.env.tree.root());
    let undone = match session.settings.repair_edits {
        RepairEdits::Undo if !made.files.is_empty() => take_back(session),
        _ => Vec::new(),
    };
    let rolled_back = undone.iter().any(|it| matches!(it, Event::Restored(..)));
    let frames = summary::this_turn(session.journal.frames());
    let facts = diagnosis(frames, stop, &made.files, !rolled_back, reports);
    let (more, usage, cost) = ask(session, &facts).await.unwrap_or_default();
    let diagnosis =
        if more.is_empty() { facts } else { format!("{facts}\n\nA diagnosis of it, which may be wrong:\n{more}") };
    undone.into_iter().for_each(|event| session.journal.note(event));
    let Attempt { number, total, iterations } = attempt;
    let repair = Repair { attempt: number, total, stop, diagnosis, iterations, rolled_back, usage, cost };
    session.journal.note(Event::Repair(repair));
    // What it read is not in front of the model any more.
    session.env.tools.reads.clear();
    session.restore_reads();
}

/// Puts the tree back to before the turn. What somebody else changed meanwhile stays.
fn take_back(session: &Session) -> Vec<Event> {
    let Some(store) = &session.env.checkpoints else { return Vec::new() };
    let note = checkpoint_guard::note(&session.journal, CheckpointReason::BeforeRestore, (session.env.clock.now)());
    undo::before_turn(store, session.journal.conversation().turns(), &note)
}

/// What the model of the role `repair` makes of it, where one is configured and answers in time.
async fn ask(session: &Session, facts: &str) -> Option<Diagnosed> {
    let model = session.role_model(ox_config::roles::Role::Repair)?;
    let frames = session.journal.frames();
    let until = frames.last()?.seq;
    let (system, text) = diagnosis_request(frames, until, facts, Tokens(model.facts().window.0 / 2));
    let notes = notes(model.as_ref(), system, text, LONGEST).await?;
    Some((notes.text, notes.usage, ox_core::price::cost(notes.usage, model.facts())))
}
