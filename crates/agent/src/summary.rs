//! What a turn did, summed up from the log, not from the model's memory of it.

use std::path::Path;

use ox_core::Conversation;
use ox_core::verify::compare;
use ox_protocol::{
    Call, CallKind, ChangeKind, CheckLine, CheckResult, CheckStatus, Claim, Event, Evidence, FileChange, Frame,
    Outcome, PlanStep, RedGreen, RedGreenLine, Statement, Status, Summary, Todo, TodoState,
};
use ox_repo::{Checkpoints, Point};

use crate::{Journal, checkpoint_guard};

/// The summary of the turn that the journal holds: `checkpoints` and `root` are those of its tree.
pub(crate) fn summary(journal: &Journal, checkpoints: Option<&Checkpoints>, root: &Path) -> Summary {
    let conversation = journal.conversation();
    let frames = this_turn(journal.frames());
    let (usage, cost) = conversation.usage();
    let began = frames.first().map_or(0, |it| it.time.0);
    let (text, last) = last_words(frames);
    let (mut undone, verify) = match last.and_then(|it| it.facts.statement.as_ref()) {
        Some(Statement::Completion { undone, verify, .. }) => (undone.clone(), verify.clone()),
        _ => Default::default(),
    };
    let steps = steps(conversation, frames);
    let left = steps.iter().filter(|it| it.is_open() && !it.is_changed()).map(|it| &it.text);
    let is_step = |todo: &Todo| steps.iter().any(|it| it.text == todo.text);
    let todos = conversation.todos().iter().filter(|it| it.state != TodoState::Completed && !is_step(it));
    let todos = todos.filter(|_| !frames.is_empty() && conversation.mode().may_change()).map(|it| &it.text);
    undone.extend(left.chain(todos).cloned());
    Summary {
        text,
        files: net((checkpoints, root), frames, merge(frames)),
        checks: check_lines(conversation),
        seen: passing(frames, ox_checks::passed_tests),
        red_green: red_green_lines(conversation),
        claims: claims(conversation, frames, last),
        findings: conversation.findings(),
        review: conversation.review(),
        verify,
        steps,
        undone,
        iterations: conversation.iterations(),
        usage,
        cost,
        duration_ms: conversation.time().0.saturating_sub(began),
    }
}

/// The steps of the plan that the turn worked by; none where nothing was to be changed, or all was done before.
fn steps(conversation: &ox_core::Conversation, frames: &[Frame]) -> Vec<PlanStep> {
    let plan = conversation.plan_at_hand().filter(|_| !frames.is_empty() && conversation.mode().may_change());
    let steps = plan.map(|it| it.steps.clone()).unwrap_or_default();
    let worked = frames.iter().any(|it| matches!(it.event, Event::Plan { .. }));
    if worked || steps.iter().any(PlanStep::is_open) { steps } else { Vec::new() }
}

/// The events since the turn began; a turn that continues another one counts from that one's beginning.
pub(crate) fn this_turn(frames: &[Frame]) -> &[Frame] {
    let start = frames.iter().rposition(|it| matches!(it.event, Event::TurnStart { continues: false, .. }));
    &frames[start.unwrap_or(0)..]
}

/// What the user asked of the turn with these frames, and said while it ran.
pub(crate) fn asked(frames: &[Frame]) -> String {
    let mut said: Vec<&str> = Vec::new();
    for frame in frames {
        match &frame.event {
            Event::TurnStart { prompt: text, .. } | Event::Steered { text, .. } => said.push(text),
            Event::TakenBack { count } => said.truncate(said.len().saturating_sub(*count as usize)),
            _ => {}
        }
    }
    said.retain(|it| !it.trim().is_empty());
    said.join("\n\n")
}

/// The last words: what a concluding call says counts more than the prose around it, and what was said on the way to
/// further calls is no answer.
pub(crate) fn last_words(frames: &[Frame]) -> (String, Option<&Call>) {
    for frame in frames.iter().rev() {
        let Event::StreamComplete { text, calls, .. } = &frame.event else { continue };
        let last = calls.iter().find(|it| it.facts.kind == CallKind::Conclude);
        if last.is_none() && !calls.is_empty() {
            continue;
        }
        let said = last.and_then(|it| match it.facts.statement.as_ref()? {
            Statement::Completion { result, .. } => Some(result.as_str()),
            Statement::Plan { plan } => Some(plan.text.as_str()),
            Statement::Question { .. } | Statement::Agent { .. } => None,
        });
        let words = said.unwrap_or(text).trim();
        if !words.is_empty() {
            return (words.to_string(), last);
        }
    }
    (String::new(), None)
}

/// One entry a file, in the order of the first change, with every reason that still stands. What was made and deleted
/// again, and what was changed and taken back, is none.
pub(crate) fn merge(frames: &[Frame]) -> Vec<FileChange> {
    let mut files: Vec<Merged> = Vec::new();
    let outcomes = frames.iter().filter_map(|it| match &it.event {
        Event::ToolComplete { outcome, .. } => Some(&outcome.changed),
        _ => None,
    });
    for change in outcomes.flatten() {
        let earlier = change.from.as_ref().unwrap_or(&change.path);
        let Some(at) = files.iter().position(|it| it.change.path == *earlier) else {
            files.push(Merged { change: change.clone(), steps: vec![change.clone()] });
            continue;
        };
        let known = &mut files[at];
        known.change.path.clone_from(&change.path);
        known.change.kind = match (known.change.kind, change.kind) {
            (ChangeKind::Created, ChangeKind::Modified | ChangeKind::Renamed) => ChangeKind::Created,
            (ChangeKind::Deleted, ChangeKind::Created) => ChangeKind::Modified,
            (ChangeKind::Created, ChangeKind::Deleted) => {
                files.remove(at);
                continue;
            }
            (_, kind) => kind,
        };
        match known.steps.iter().rposition(|it| takes_back(it, change)) {
            Some(step) => drop(known.steps.remove(step)),
            None => known.steps.push(change.clone()),
        }
    }
    files.into_iter().filter_map(Merged::done).collect()
}

/// A file and the changes of it that still stand.
struct Merged {
    change: FileChange,
    steps: Vec<FileChange>,
}

impl Merged {
    fn done(self) -> Option<FileChange> {
        if self.steps.is_empty() && self.change.kind == ChangeKind::Modified {
            return None;
        }
        let mut whys: Vec<&str> = Vec::new();
        for why in self.steps.iter().filter_map(|it| it.why.as_deref()) {
            if !whys.iter().any(|it| it.contains(why)) {
                whys.push(why);
            }
        }
        Some(FileChange {
            added: self.steps.iter().map(|it| it.added).sum(),
            removed: self.steps.iter().map(|it| it.removed).sum(),
            why: (!whys.is_empty()).then(|| whys.join("; ")),
            diff: String::new(),
            ..self.change
        })
    }
}

/// True where the later change of a file puts back exactly the lines that the earlier one took, and takes those that it put.
fn takes_back(earlier: &FileChange, later: &FileChange) -> bool {
    let lines = |it: &FileChange, mark: char| -> Vec<String> {
        it.diff.lines().filter_map(|line| line.strip_prefix(mark)).map(str::to_string).collect()
    };
    let (added, removed) = (lines(earlier, '+'), lines(earlier, '-'));
    !(added.is_empty() && removed.is_empty()) && added == lines(later, '-') && removed == lines(later, '+')
}

/// The same by what lies on the disk, where the state before the turn is kept: lines are counted once however often they
/// changed, and a file that is as it was is left out.
fn net(
    (checkpoints, root): (Option<&Checkpoints>, &Path),
    frames: &[Frame],
    files: Vec<FileChange>,
) -> Vec<FileChange> {
    let Some(store) = checkpoints.filter(|_| !files.is_empty()) else { return files };
    let turn = frames.iter().find_map(|it| match it.event {
        Event::TurnStart { turn, .. } => Some(turn),
        _ => None,
    });
    let Some(before) = turn.and_then(|turn| checkpoint_guard::before_turn(frames, turn)) else { return files };
    let Ok(now) = store.diff(&Point::At(before.clone()), &Point::Now, None) else { return files };
    let one = |file: FileChange| match now.iter().find(|it| it.path == file.path) {
        Some(it) => Some(FileChange { diff: String::new(), why: file.why, ..it.clone() }),
        // What is not kept, such as ignored files, is known from the calls alone.
        None => (!matches!(store.content(&before, &file.path), Ok(Some(_))) && root.join(&file.path).exists())
            .then_some(file),
    };
    files.into_iter().filter_map(one).collect()
}

/// What passed of the model's own runs since the tree last changed, each command once: `run` reads one.
fn passing(frames: &[Frame], run: fn(&Call, &Outcome) -> Option<Evidence>) -> Vec<Evidence> {
    let calls: Vec<&Call> = frames.iter().filter_map(|it| calls(&it.event)).flatten().collect();
    let mut seen: Vec<Evidence> = Vec::new();
    for frame in frames {
        let Event::ToolComplete { call, outcome, .. } = &frame.event else { continue };
        if outcome.mutated() {
            seen.clear();
        }
        let run = calls.iter().rfind(|it| it.id == *call).and_then(|it| run(it, outcome));
        if let Some(run) = run.filter(|_| !outcome.mutated()) {
            seen.retain(|it| it.command != run.command);
            seen.push(run);
        }
    }
    seen
}

/// Any command that ended well.
fn passed(call: &Call, outcome: &Outcome) -> Option<Evidence> {
    let command = call.facts.command.as_ref()?;
    let ok = outcome.status == Status::Ok && outcome.exit_code == Some(0);
    ok.then(|| ox_checks::passed_tests(call, outcome).unwrap_or_else(|| ox_checks::evidence(command, None, outcome)))
}

/// What the model claims, each with the run that shows it: a check or a command that passed over the tree as it is.
fn claims(conversation: &Conversation, frames: &[Frame], last: Option<&Call>) -> Vec<Claim> {
    let Some(Statement::Completion { claims, .. }) = last.and_then(|it| it.facts.statement.as_ref()) else {
        return Vec::new();
    };
    let (lines, runs) = (check_lines(conversation), passing(frames, passed));
    let of = |command: &str| {
        let same = |it: &&Evidence| !command.is_empty() && it.command.trim() == command.trim();
        let named = |it: &&CheckLine| it.status == CheckStatus::Passed && it.name == command.trim();
        let checks =
            || lines.iter().filter(|it| it.status == CheckStatus::Passed).filter_map(|it| it.evidence.as_ref());
        let check = lines.iter().find(named).and_then(|it| it.evidence.as_ref());
        check.or_else(|| checks().find(same)).or_else(|| runs.iter().find(same)).cloned()
    };
    claims.iter().map(|it| Claim { evidence: of(&it.command), ..it.clone() }).collect()
}

fn red_green_lines(conversation: &Conversation) -> Vec<RedGreenLine> {
    let report = conversation.last_report();
    let runs = report.iter().flat_map(|it| &it.results).filter_map(|it| it.red_green.as_ref());
    let line = |it: &RedGreen| RedGreenLine {
        tests: it.tests.clone(),
        dependence: it.dependence(),
        before: evidence(&it.before, ""),
        after: evidence(&it.after, report.map_or("", |it| &it.tree)),
    };
    runs.map(line).collect()
}

/// How a check ran over the tree with this stamp.
fn evidence(it: &CheckResult, tree: &str) -> Evidence {
    Evidence {
        command: it.check.command.clone(),
        exit_code: it.exit_code,
        duration_ms: it.duration_ms,
        tree: tree.to_owned(),
        tests: it.tests,
        excerpt: Evidence::excerpt_of(it.cause()),
    }
}

fn calls(event: &Event) -> Option<&[Call]> {
    match event {
        Event::StreamComplete { calls, .. } => Some(calls),
        Event::Amended { call } => Some(std::slice::from_ref(call)),
        _ => None,
    }
}

/// How the last checks ended, a line each.
pub(crate) fn check_lines(conversation: &Conversation) -> Vec<CheckLine> {
    let Some(report) = conversation.last_report() else { return Vec::new() };
    let newly: Vec<&str> =
        compare(conversation.baseline(), report).iter().map(|it| it.check.check.command.as_str()).collect();
    let line = |it: &CheckResult| CheckLine {
        evidence: (it.duration_ms > 0).then(|| evidence(it, &report.tree)),
        failed_before: it.status == CheckStatus::Failed && !newly.contains(&it.check.command.as_str()),
        why: it.cause().to_owned(),
        tests: it.tests,
        flaky: it.flaky.clone(),
        untested: it.untested.clone(),
        ..CheckLine::new(&it.check.name, it.status)
    };
    // Where a narrower form could not run, the whole check says more.
    let counts = |it: &&CheckResult| !it.status.is_missing() || it.check.part_of.is_none();
    report.results.iter().filter(counts).map(line).collect()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use ox_protocol::{CallId, Outcome, Seq, Time};

    use super::*;

    fn change(kind: ChangeKind, path: &str, why: &str, diff: &str) -> FileChange {
        let count = |mark| diff.lines().filter(|it| it.starts_with(mark)).count() as u32;
        let why = (!why.is_empty()).then(|| why.to_string());
        let (added, removed) = (count('+'), count('-'));
        FileChange { path: path.into(), kind, from: None, why, diff: diff.into(), added, removed }
    }

    /// What is left of changes that were made one after the other, a line each.
    fn left(changes: &[FileChange]) -> String {
        let frame = |changed: &FileChange| {
            let outcome = Outcome { changed: vec![changed.clone()], ..Outcome::ok("") };
            let event = Event::ToolComplete { call: CallId("c".into()), tool: "edit_file".into(), outcome };
            Frame::new(Seq(1), Time(1), event)
        };
        let line = |it: &FileChange| {
            let why = it.why.as_deref().unwrap_or("-");
            format!("{:?} {} +{} -{} ({why})\n", it.kind, it.path, it.added, it.removed)
        };
        merge(&changes.iter().map(frame).collect::<Vec<_>>()).iter().map(line).collect()
    }

    #[test]
    fn files_are_summed_up_by_what_stands_at_the_end() {
        use ChangeKind::{Created, Deleted, Modified, Renamed};
        let there = change(Modified, "a", "faster", "-one\n+two\n");
        let back = change(Modified, "a", "as it was", "-two\n+one\n");
        let more = change(Modified, "a", "clearer", "+three\n+four\n");
        let new = change(Created, "b", "needed", "+x\n");
        let renamed = FileChange { from: Some("b".into()), ..change(Renamed, "c", "its name", "") };
        assert_eq!(left(&[there.clone(), back.clone()]), "", "changed and changed back");
        assert_eq!(left(&[new.clone(), change(Deleted, "b", "", "-x\n")]), "", "made and deleted");
        expect![[r#"
            Modified a +3 -1 (faster; clearer)
        "#]]
        .assert_eq(&left(&[there.clone(), more.clone()]));
        expect![[r#"
            Modified a +2 -0 (clearer)
        "#]]
        .assert_eq(&left(&[there.clone(), more, back]));
        expect![[r#"
            Created c +1 -0 (needed; its name)
            Modified a +1 -1 (faster)
        "#]]
        .assert_eq(&left(&[new, renamed, there]));
        expect![[r#"
            Modified a +1 -1 (old; new)
        "#]]
        .assert_eq(&left(&[change(Deleted, "a", "old", "-x\n"), change(Created, "a", "new", "+y\n")]));
    }
}
