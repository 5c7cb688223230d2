//! What is shown beside the transcript: the plan, the changes, the checks, what runs.

use ox_client::view::View;
use ox_protocol::{Event, FileChange, Frame, WantId};

use super::rows::{self, Row};
use super::transcript::Transcript;
use crate::diff;
use crate::report::{self, Look, subject_of};
use crate::text::{Line, Role};

/// A pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Plan,
    Changes,
    Checks,
    Jobs,
}

impl Pane {
    pub(super) const ALL: [Pane; 4] = [Pane::Plan, Pane::Changes, Pane::Checks, Pane::Jobs];

    /// The catalogue's key of its name.
    pub(super) fn title(self) -> &'static str {
        match self {
            Pane::Plan => "full.plan",
            Pane::Changes => "full.changes",
            Pane::Checks => "full.checks",
            Pane::Jobs => "full.jobs",
        }
    }

    /// The one that follows; none behind the last.
    pub(super) fn next(of: Option<Pane>) -> Option<Pane> {
        match of {
            None => Some(Pane::Plan),
            Some(pane) => Pane::ALL.iter().skip_while(|it| **it != pane).nth(1).copied(),
        }
    }

    fn lines(self, look: &Look, view: &View, of: &Transcript) -> Vec<Line> {
        let lines = match self {
            Pane::Plan => plan(look, view),
            Pane::Changes => changes(look, view, of),
            Pane::Checks => checks(look, view, of.checked.as_deref()),
            Pane::Jobs => jobs(look, view),
        };
        let none = match self {
            Pane::Plan => "ui.plan.none",
            Pane::Changes => "full.changes.none",
            Pane::Checks => "full.checks.none",
            Pane::Jobs => "full.jobs.none",
        };
        if lines.is_empty() { vec![Line::of(&look.say(none, &[]), Role::Dim)] } else { lines }
    }

    /// What its lines depend on.
    fn state(self, view: &View, of: &Transcript) -> u64 {
        match self {
            Pane::Changes => of.changes().count() as u64,
            _ => view.seq.0,
        }
    }
}

/// The open pane with its rows, which are made anew when what they tell of has changed.
#[derive(Debug)]
pub(super) struct Open {
    pub(super) pane: Pane,
    /// The first row that is seen.
    pub(super) top: usize,
    made: Option<(Pane, usize, u64)>,
    rows: Vec<Row>,
}

impl Open {
    pub(super) fn new(pane: Pane) -> Open {
        Open { pane, top: 0, made: None, rows: Vec::new() }
    }

    /// Its rows from the top on.
    pub(super) fn rows(&mut self, look: &Look, view: &View, of: &Transcript, height: usize) -> &[Row] {
        let wanted = Some((self.pane, look.width, self.pane.state(view, of)));
        if self.made != wanted {
            self.made = wanted;
            self.rows.clear();
            let lines = self.pane.lines(look, view, of);
            lines.iter().enumerate().for_each(|(at, it)| rows::add(&mut self.rows, it, at, look.width));
        }
        self.top = self.top.min(self.rows.len().saturating_sub(height));
        let end = self.rows.len().min(self.top + height);
        &self.rows[self.top..end]
    }

    /// Rows below the last that is seen at this height.
    pub(super) fn below(&self, height: usize) -> usize {
        self.rows.len().saturating_sub(self.top + height)
    }
}

fn plan(look: &Look, view: &View) -> Vec<Line> {
    match &view.plan {
        Some(plan) => report::plan_lines(look, plan),
        None if view.todos.is_empty() => Vec::new(),
        None => report::todo_lines(look, &view.todos),
    }
}

fn changes(look: &Look, view: &View, of: &Transcript) -> Vec<Line> {
    let mut out = Vec::new();
    let mut paths: Vec<&str> = Vec::new();
    let mut total = (0, 0);
    for (event, files) in of.changes() {
        if matches!(event, Event::Restored(..)) {
            let frame = Frame::new(view.seq, view.began, event.clone());
            out.extend(report::lines(look, view, &frame));
            continue;
        }
        for change in files {
            paths.push(&change.path);
            total = (total.0 + change.added, total.1 + change.removed);
            out.push(name(change));
            out.extend(diff::lines_of_file(Some(&change.path), &change.diff, usize::MAX).0);
        }
    }
    paths.sort_unstable();
    paths.dedup();
    if paths.len() > 1 {
        let count = look.say("full.files", &[("count", &paths.len().to_string())]);
        out.insert(0, counted(Line::of(&count, Role::Dim), total));
        out.insert(1, Line::empty());
    }
    out
}

fn name(change: &FileChange) -> Line {
    let from = change.from.as_ref().map(|it| format!("{it} → ")).unwrap_or_default();
    counted(Line::of(&format!("{from}{}", change.path), Role::Strong), (change.added, change.removed)).hanging(2)
}

fn counted(line: Line, (added, removed): (u32, u32)) -> Line {
    let line = if added > 0 { line.with(&format!(" +{added}"), Role::Added) } else { line };
    if removed > 0 { line.with(&format!(" −{removed}"), Role::Removed) } else { line }
}

fn checks(look: &Look, view: &View, last: Option<&Frame>) -> Vec<Line> {
    let mut out = Vec::new();
    if view.checks.is_some() {
        out.push(Line::of(&look.say("ui.checks.running", &[]), Role::Accent));
    }
    if let Some(Frame { event: Event::CheckResult { report, .. }, .. }) = last {
        let want = WantId::default();
        let event = Event::CheckResult { want, baseline: false, round: 0, total: 0, report: report.clone() };
        let frame = Frame::new(view.seq, view.began, event);
        out.extend(report::lines(&Look { expanded: true, ..*look }, view, &frame));
    }
    out
}

fn jobs(look: &Look, view: &View) -> Vec<Line> {
    let line = |name: &str, what: &str| Line::of(name, Role::Accent).with(&format!(" {what}"), Role::Plain).hanging(2);
    let running = view.running.iter().filter_map(|(id, _)| view.call(id));
    let mut out: Vec<Line> = running.map(|it| line(&it.tool, &subject_of(it))).collect();
    out.extend(view.agents.iter().map(|it| {
        let count = format!("{}/{} {}", it.iteration.0, it.iteration.1, it.tool);
        line(&it.kind, count.trim_end())
    }));
    for job in &view.jobs {
        let args = [("id", job.id.as_str()), ("command", job.command.as_str())];
        out.push(Line::of(&look.say("ui.background.started", &args), Role::Plain).hanging(2));
    }
    out
}
