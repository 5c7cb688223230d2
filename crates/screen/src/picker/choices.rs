//! Short lists: themes, what may run unasked, commands in the background.

use crossterm::event::{KeyCode, KeyModifiers};
use ox_client::view::Job;
use ox_protocol::{Effort, Time};

use super::{Asks, Of, Picker, Row};
use crate::report::Look;
use crate::text::{Line, Role};
use crate::words;

/// Lines of a command's output that are shown.
const JOB_LINES: usize = 12;

/// The key that takes a rule away, or stops a command.
pub const REMOVE: KeyCode = KeyCode::Char('d');

/// The themes, with what each is for.
pub const THEMES: [(&str, &str); 5] = [
    ("auto", "picker.theme.auto"),
    ("dark", "picker.theme.dark"),
    ("light", "picker.theme.light"),
    ("16", "picker.theme.palette"),
    ("none", "picker.theme.none"),
];

/// The effort that leaves it to the provider.
pub const DEFAULT_EFFORT: &str = "default";

/// How much a model may reason, with what each is for.
pub const EFFORTS: [(&str, &str); 7] = [
    (DEFAULT_EFFORT, "picker.effort.default"),
    ("minimal", "picker.effort.minimal"),
    ("low", "picker.effort.low"),
    ("medium", "picker.effort.medium"),
    ("high", "picker.effort.high"),
    ("xhigh", "picker.effort.xhigh"),
    ("max", "picker.effort.max"),
];

/// The themes; `current`: the setting as it is.
pub fn themes(look: &Look, current: &str) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    Picker::numbered(Of::Themes, say("picker.theme.title"), say("picker.theme.enter"))
        .with_rows(named(look, &THEMES, current), String::new())
}

/// How much the model reasons; `current`: as it does now.
pub fn efforts(look: &Look, current: Option<Effort>) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    Picker::numbered(Of::Efforts, say("picker.effort.title"), say("picker.effort.enter"))
        .with_rows(named(look, &EFFORTS, current.map_or(DEFAULT_EFFORT, Effort::name)), String::new())
}

fn named(look: &Look, all: &[(&str, &str)], current: &str) -> Vec<Row> {
    let row = |(name, about): &(&str, &str)| Row {
        id: (*name).to_string(),
        cells: vec![((*name).to_string(), Role::Strong)],
        title: look.say(about, &[]),
        current: *name == current,
        ..Row::default()
    };
    all.iter().map(row).collect()
}

/// Carry the plan out, in build mode.
pub const PLAN_GO: &str = "go";
/// Say something about a step of it.
pub const PLAN_COMMENT: &str = "comment";

/// What to do with a plan that was made.
pub fn plan(look: &Look) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    let all = [(PLAN_GO, "picker.plan.go"), (PLAN_COMMENT, "picker.plan.comment"), ("stay", "picker.plan.stay")];
    let row = |(id, key): (&str, &str)| Row { id: id.to_string(), title: say(key), ..Row::default() };
    Picker::numbered(Of::Plan, say("picker.plan.title"), say("picker.plan.enter"))
        .with_rows(all.map(row).into(), String::new())
}

/// A rule and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// As it is written.
    pub rule: String,
    /// What it does and which files have it, in words.
    pub origin: String,
    /// True for one that the user granted in this project and can take away here.
    pub remembered: bool,
}

/// What may run unasked; `policy`: the sentence about when it is asked.
pub fn rules(look: &Look, policy: &str, all: &[Permission]) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    let rows = all.iter().map(|it| Row {
        id: it.rule.clone(),
        cells: vec![(it.origin.clone(), Role::Dim)],
        title: it.rule.clone(),
        dim: !it.remembered,
        ..Row::default()
    });
    let title = look.say("picker.rules.title", &[("policy", policy)]);
    Picker::new(Of::Rules, title, String::new()).with_rows(rows.collect(), say("picker.rules.none")).with_extra(
        REMOVE,
        KeyModifiers::CONTROL,
        say("picker.rules.delete"),
        Asks::Yes(say("picker.rules.delete_sure")),
    )
}

/// The recorded states of the project, whose rows are given; putting one back is asked about.
pub fn checkpoints(look: &Look, rows: Vec<Row>) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    Picker::new(Of::Checkpoints, say("picker.checkpoints.title"), String::new())
        .with_rows(rows, say("repl.checkpoints.none"))
        .with_previews()
        .with_extra(
            KeyCode::Enter,
            KeyModifiers::NONE,
            say("picker.checkpoints.restore"),
            Asks::Yes(say("picker.checkpoints.restore_sure")),
        )
}

/// The commands in the background.
pub fn jobs(look: &Look, all: &[Job], now: Time) -> Picker {
    let say = |key: &str| look.say(key, &[]);
    Picker::new(Of::Jobs, say("picker.jobs.title"), String::new())
        .with_rows(job_rows(all, now), say("picker.jobs.none"))
        .with_previews()
        .with_extra(REMOVE, KeyModifiers::CONTROL, say("picker.jobs.stop"), Asks::Yes(say("picker.jobs.stop_sure")))
}

/// A row for each that runs, with the time since it began.
pub fn job_rows(all: &[Job], now: Time) -> Vec<Row> {
    let row = |it: &Job| Row {
        id: it.id.clone(),
        cells: vec![(it.id.clone(), Role::Accent), (words::age(now, it.since), Role::Dim)],
        title: it.command.clone(),
        ..Row::default()
    };
    all.iter().map(row).collect()
}

/// The last lines that one printed.
pub fn job_preview(look: &Look, printed: Option<&String>) -> Vec<Line> {
    match printed.filter(|it| !it.trim().is_empty()) {
        None => vec![Line::of(&look.say("picker.jobs.silent", &[]), Role::Dim)],
        Some(printed) => {
            let lines: Vec<&str> = printed.lines().map(|it| it.rsplit('\r').next().unwrap_or(it)).collect();
            lines[lines.len().saturating_sub(JOB_LINES)..].iter().map(|it| Line::of(it, Role::Plain)).collect()
        }
    }
}
