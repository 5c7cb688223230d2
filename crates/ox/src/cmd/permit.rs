//! `ox permit`: what Ox would do about a command line or a path, and why, under the configuration of this project.
//!
//! It runs nothing and changes nothing. With `--batch` it answers JSON lines, a line that it cannot
//! read with an error.

use std::path::Path;

use clap::Args;
use ox_app::Project;
use ox_app::permission::{PermissionAnswer, Permissions};
use ox_config::Flags;
use ox_protocol::locale::Language;
use ox_protocol::{Effect, Mode, Problem};
use ox_repo::PathOp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::batch;
use super::print::{cut, json as print_json, out};
use super::shared::words;

/// Arguments of `ox permit`.
#[derive(Debug, Args)]
pub struct PermitArgs {
    /// What the turn may do.
    #[arg(long, value_name = "WORD", value_parser = words("mode"))]
    mode: Option<String>,
    /// When to ask for approval.
    #[arg(long, value_name = "WORD", value_parser = words("approval"))]
    approval: Option<String>,
    /// Allow a tool without asking: `run_checks`, `run_command(cargo test*)`. May be repeated.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Ask before a tool runs. May be repeated.
    #[arg(long, value_name = "RULE")]
    ask: Vec<String>,
    /// Deny a tool. May be repeated.
    #[arg(long, value_name = "RULE")]
    deny: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Check a path instead: `read`, `list`, `write` or `delete`, and the path.
    #[arg(long, num_args = 2, value_names = ["OP", "PATH"], conflicts_with = "command")]
    path: Option<Vec<String>>,
    /// Read JSON lines with `id` and `cmd`, or `id`, `op` and `path`, from stdin; print one answer per line.
    #[arg(long, hide = true, conflicts_with_all = ["command", "path"])]
    batch: bool,
    /// Command line; several words are joined with spaces.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<String>,
}

/// One line of a batch. Further fields are left alone.
#[derive(Deserialize)]
struct Question {
    #[serde(default)]
    id: Value,
    cmd: Option<String>,
    cwd: Option<String>,
    op: Option<String>,
    path: Option<String>,
}

/// Answers.
pub fn run(args: PermitArgs) -> anyhow::Result<u8> {
    let flags = Flags::default()
        .with_all("mode", &args.mode)
        .with_all("approval", &args.approval)
        .with_all("rules.allow", &args.allow)
        .with_all("rules.ask", &args.ask)
        .with_all("rules.deny", &args.deny);
    let project = Project::here(flags.into())?;
    let mode = args.mode.as_ref().map_or(Mode::Build, |_| project.settings.mode);
    let permissions = Permissions::of(&project, mode)?;
    if args.batch {
        return batch::answer_lines(|line, number| answered(&permissions, &project.root, line, number));
    }
    let answer = match &args.path {
        Some(words) => permissions.path(op(&words[0])?, &words[1]),
        None if args.command.is_empty() => return Err(Problem::new("usage.no_line").into()),
        None => permissions.command(&args.command.join(" "), &std::env::current_dir()?),
    };
    match args.json {
        true => print_json(&json!(answer)),
        false => out(&text(&answer, project.settings.language)),
    }
    Ok(0)
}

fn op(word: &str) -> Result<PathOp, Problem> {
    match word {
        "read" => Ok(PathOp::Read),
        "list" | "glob" => Ok(PathOp::List),
        "write" | "edit" | "create" => Ok(PathOp::Write),
        "delete" => Ok(PathOp::Delete),
        _ => Err(Problem::new("usage.path_op").with("op", word)),
    }
}

/// The answer to one line of a batch; `root` is the folder of commands that name none.
fn answered(permissions: &Permissions, root: &Path, line: &[u8], number: usize) -> Value {
    let question: Question = match batch::read(line, number) {
        Ok(question) => question,
        Err((id, why)) => return json!({"id": id, "error": why}),
    };
    let answer = match (&question.cmd, &question.op, &question.path) {
        (Some(command), _, _) => permissions.command(command, &root.join(question.cwd.unwrap_or_default())),
        (None, Some(word), Some(path)) => match op(word) {
            Ok(op) => permissions.path(op, path),
            Err(why) => return json!({"id": question.id, "error": Language::En.problem(&why)}),
        },
        _ => return json!({"id": question.id, "error": "a line needs `cmd`, or `op` and `path`, as text"}),
    };
    json!({"id": question.id, "level": answer.level as u8, "verdict": answer.verdict, "why": answer.why})
}

fn text(answer: &PermissionAnswer, language: Language) -> String {
    let between = if answer.why.is_empty() { "" } else { ": " };
    let head = format!("{} ({}){between}{}\n", answer.verdict, answer.level as u8, answer.why);
    let effect = |it: &Effect| format!("  {} {}\n", it.level as u8, language.effect(it.kind, &cut(&it.what, 120)));
    head + &answer.effects.iter().map(effect).collect::<String>()
}
