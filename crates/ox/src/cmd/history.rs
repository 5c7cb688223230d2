//! `ox history`: what was done in this project, task by task, read from the stored conversations.
//!
//! Nothing is kept beside the logs. Tasks that changed nothing are listed too; what was taken back later is marked.

use clap::Args;
use ox_app::conversations::history::{Entry, entries};
use ox_app::project::now;
use ox_core::secrets::redact;
use ox_protocol::locale::Language;
use ox_protocol::{CheckStatus, FileChange};
use ox_ui::{markdown, words};
use serde_json::{Value, json};

use super::print::{cut, err, json as print_json, out, paint};
use crate::cmd::shared;

/// Longest instruction and summary in a list, in characters.
const WORDS: usize = 100;

/// Arguments of `ox history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    /// Only tasks that changed this file or folder.
    path: Option<String>,
    /// Maximum number of tasks.
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Show the diff of each task.
    #[arg(long)]
    diff: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists the tasks, the newest first.
pub fn run(args: HistoryArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let store = project.store()?;
    let root = std::path::PathBuf::from(project.root_name());
    let path = args.path.as_deref().map(|it| from_root(it, &root));
    let entries = entries(store.as_ref(), &root.to_string_lossy(), path.as_deref(), args.limit)?;
    let language = project.settings.language;
    if args.json {
        print_json(&entries.iter().map(|it| as_json(it, args.diff)).collect());
    } else if entries.is_empty() {
        let key = if path.is_some() { "history.none_there" } else { "history.none" };
        err(&language.say(key, &[("root", &root.to_string_lossy()), ("path", path.as_deref().unwrap_or_default())]));
    } else {
        out(&entries.iter().map(|it| as_text(it, args.diff, language)).collect::<Vec<String>>().join("\n"));
    }
    Ok(0)
}

/// A path as the logs have it: relative to the project's root.
fn from_root(path: &str, root: &std::path::Path) -> String {
    let full = super::checkpoints::here(path);
    let full = std::path::Path::new(&full);
    let near = full.strip_prefix(root).or_else(|_| full.strip_prefix(super::checkpoints::here(".")));
    near.map_or_else(|_| path.to_owned(), |it| it.to_string_lossy().into_owned())
}

fn as_json(entry: &Entry, diff: bool) -> Value {
    let past = &entry.past;
    let file = |it: &FileChange| json!({ "path": it.path, "kind": it.kind, "from": it.from, "why": it.why, "added": it.added, "removed": it.removed });
    let mut value = json!({
        "id": format!("{}:{}", past.conversation, past.turn), "time": past.time, "mode": past.mode,
        "instruction": past.instruction, "summary": past.summary, "stop": past.stop, "taken_back": entry.taken_back,
        "plan": past.plan, "files": entry.files().iter().map(file).collect::<Vec<Value>>(), "checks": past.checks,
        "images": past.images,
    });
    if diff {
        value["edits"] = entry.edits.iter().map(|it| json!({ "path": it.path, "diff": it.diff })).collect();
    }
    value
}

/// What a model wrote in Markdown, in words alone on one line and without secrets.
pub(super) fn plain(markdown: &str) -> String {
    let lines = markdown::lines(markdown, usize::from(u16::MAX));
    let words: Vec<String> = lines.iter().map(|it| it.text().trim().to_string()).filter(|it| !it.is_empty()).collect();
    redact(&words.join(" ")).text
}

fn as_text(entry: &Entry, diff: bool, language: Language) -> String {
    let past = &entry.past;
    let id = paint(&format!("{}:{}", past.conversation, past.turn), "36");
    let ago = words::long_ago(language, now(), past.time);
    let mut text = format!("{id}  {ago}  {}\n", cut(&past.instruction, WORDS));
    let mut line = |words: &str| text += &format!("    {words}\n");
    if entry.taken_back {
        line(&language.say("history.taken_back", &[]));
    }
    if !past.summary.is_empty() {
        line(&format!("→ {}", cut(&plain(&past.summary), WORDS)));
    }
    if let Some(stop) = past.stop.filter(|it| it.exit_code() != 0) {
        line(&language.say(stop.code(), &[]));
    }
    for step in past.plan.iter().flat_map(|it| &it.steps) {
        line(&format!("[{}] {}", if step.is_open() { ' ' } else { 'x' }, cut(&step.text, WORDS)));
    }
    super::checkpoints::files(entry.files()).lines().for_each(&mut line);
    for check in &past.checks {
        let mark = match check.status {
            CheckStatus::Passed => paint("✓", "32"),
            status if status.is_bad() => paint("✗", "31"),
            _ => paint("–", "90"),
        };
        line(&format!("{mark} {}", language.check(&check.name)));
    }
    past.images.iter().filter(|it| !it.is_empty()).for_each(|it| line(&format!("▣ {it}")));
    if diff {
        for edit in entry.edits.iter().filter(|it| !it.diff.is_empty()) {
            text += &format!("--- {}\n{}\n", edit.path, edit.diff.trim_end());
        }
    }
    text
}
