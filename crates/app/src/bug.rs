//! A report about a fault of Ox: versions, settings, what the doctor found, and how the last conversation went.
//!
//! Promise: it holds no prompt, no reply, no file and no output of a command; what looks like a secret and the name of the home
//! folder are taken out. It is written to a file and sent nowhere.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use ox_core::secrets::redact;
use ox_protocol::{Event, Frame, Problem};

use crate::conversations::stored::Conversations;
use crate::project::{Project, env, now, paths};

/// Events of the last conversation that are named: the end of a turn and what led to it.
const EVENTS: usize = 60;
/// Variables that change how a terminal is used, none of which holds a secret.
const VARIABLES: [&str; 9] =
    ["TERM", "TERM_PROGRAM", "COLORTERM", "NO_COLOR", "TMUX", "LANG", "LC_ALL", "SHELL", "OX_LANGUAGE"];

/// The report, with what the doctor says.
pub fn report(project: Option<&Project>, doctor: &str) -> String {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut out = format!("# Ox {} on {os} {arch}\n\n## Environment\n", env!("CARGO_PKG_VERSION"));
    for name in VARIABLES {
        if let Some(value) = env(name).filter(|it| !it.is_empty()) {
            let _ = writeln!(out, "{name}={value}");
        }
    }
    let _ = write!(out, "\n## Doctor\n{}\n", doctor.trim_end());
    if let Some(project) = project {
        project.hide_keys();
        let _ = write!(out, "\n## Configuration\n{}", configuration(project));
        let _ = write!(out, "\n## The last conversation\n{}", conversation(project));
    }
    without_home(&redact(&ox_model::keys::hide(&out)).text)
}

/// The settings that have a value. A key's value never stands in the table of settings.
fn configuration(project: &Project) -> String {
    let settings = &project.settings;
    let mut out = String::new();
    for name in settings.all_names() {
        if let Some(value) = settings.value(name) {
            let origins: Vec<&str> = settings.origins_of(name).iter().map(|it| it.code()).collect();
            let _ = writeln!(out, "{name} = {value}  ({})", origins.join(", ").replace("config.origin.", ""));
        }
    }
    out
}

/// The kinds of the last events of this project's newest conversation; of failures also what failed.
fn conversation(project: &Project) -> String {
    let frames = project.store().and_then(|store| {
        let all = Conversations::of(store);
        let newest = all.list(Some(&project.root_name()), 1)?.pop();
        newest.map(|it| all.frames(&it.id)).transpose()
    });
    let frames = match frames {
        Ok(frames) => frames.unwrap_or_default(),
        Err(problem) => return format!("{}\n", problem.code),
    };
    frames.iter().skip(frames.len().saturating_sub(EVENTS)).map(line).collect()
}

fn line(frame: &Frame) -> String {
    let value = serde_json::to_value(&frame.event).unwrap_or_default();
    let kind = value["event"].as_str().unwrap_or_default();
    let more = match &frame.event {
        Event::ToolStart { tool, .. } => tool.clone(),
        Event::ToolComplete { tool, outcome, .. } => format!("{tool} {:?}", outcome.status),
        Event::ModelFailed { failure, .. } => format!("{:?} {}", failure.kind, failure.message),
        Event::Refusal { gate, .. } => format!("{gate:?}"),
        Event::Completion { stop, .. } => stop.code().to_owned(),
        _ => String::new(),
    };
    format!("{} {} {kind} {more}\n", frame.seq.0, frame.time.0)
}

fn without_home(text: &str) -> String {
    match env("HOME").filter(|it| it.len() > 1) {
        Some(home) => text.replace(&home, "~"),
        None => text.to_owned(),
    }
}

/// Writes the report to a new file: the named one, else one among Ox's own.
pub fn write(report: &str, to: Option<&Path>) -> Result<PathBuf, Problem> {
    let file = match to {
        Some(file) => file.to_path_buf(),
        None => paths()?.state_dir.join("reports").join(format!("ox-bug-{}.md", now().0)),
    };
    let failed = |error: std::io::Error| Problem::new("bug.failed").with("path", file.display()).with("why", error);
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let made = std::fs::OpenOptions::new().write(true).create_new(true).open(&file);
    made.and_then(|mut it| it.write_all(report.as_bytes())).map_err(failed)?;
    Ok(file)
}
