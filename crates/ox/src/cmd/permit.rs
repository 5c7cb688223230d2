//! `ox permit`: what Ox would do about a command line or a path, and why, under the configuration of this project.
//!
//! It runs nothing and changes nothing. With `--batch` it answers JSON lines, one for each that it reads, and a line that
//! it cannot read with an error of its own; it never stops before the end of its input.

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ox_app::Project;
use ox_config::Flags;
use ox_core::{Verdict, permit};
use ox_protocol::locale::Language;
use ox_protocol::{Call, CallFacts, CallId, CallKind, Effect, Level, Mode, PathUse, Problem, Rules, SimpleCommand};
use ox_repo::{PathOp, Tree};
use ox_tools::{Operation, Toolbox};
use serde_json::{Value, json};

use super::print::{json as print_json, out};
use super::shared::words;

/// Longest line of a batch, in bytes.
const LONGEST_LINE: usize = 4 << 20;

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

/// Everything that an answer depends on.
struct Judge {
    project: Project,
    mode: Mode,
    rules: Rules,
    tree: Tree,
    checks: Vec<String>,
    home: Option<PathBuf>,
}

/// One answer.
struct Answer {
    level: Level,
    verdict: &'static str,
    why: String,
    effects: Vec<Effect>,
    commands: Vec<SimpleCommand>,
    hosts: Vec<String>,
}

/// Answers.
pub fn run(args: PermitArgs) -> anyhow::Result<u8> {
    let judge = Judge::of(&args)?;
    if args.batch {
        judge.batch(&mut std::io::stdin().lock(), &mut std::io::stdout().lock());
        return Ok(0);
    }
    let answer = match &args.path {
        Some(words) => match op(&words[0]) {
            Some(op) => judge.path(op, &words[1]),
            None => return Err(Problem::new("usage.path_op").with("op", &words[0]).into()),
        },
        None if args.command.is_empty() => return Err(Problem::new("usage.no_line").into()),
        None => judge.command(&args.command.join(" "), &std::env::current_dir()?),
    };
    match args.json {
        true => print_json(&answer.full()),
        false => out(&answer.text(judge.project.settings.language)),
    }
    Ok(0)
}

fn op(word: &str) -> Option<PathOp> {
    match word {
        "read" => Some(PathOp::Read),
        "list" | "glob" => Some(PathOp::List),
        "write" | "edit" | "create" => Some(PathOp::Write),
        "delete" => Some(PathOp::Delete),
        _ => None,
    }
}

impl Judge {
    fn of(args: &PermitArgs) -> anyhow::Result<Judge> {
        let flags = Flags::default()
            .with_all("mode", &args.mode)
            .with_all("approval", &args.approval)
            .with_all("rules.allow", &args.allow)
            .with_all("rules.ask", &args.ask)
            .with_all("rules.deny", &args.deny);
        let project = Project::here(flags.into())?;
        let settings = &project.settings;
        let tree = Tree::open(&project.root, project.added())
            .map_err(|error| Problem::new("error.tree").with("why", error))?;
        // Checks of a project that nobody trusts are commands like any other.
        let checks = if project.trust.counts() { project.checks()? } else { Vec::new() };
        let rules = Rules {
            approval: settings.approval,
            rules: settings.rules.clone(),
            scope: settings.scope.clone(),
            isolated: project.sandbox().is_ok_and(|it| ox_protocol::Runner::isolated(&it)),
            ..Rules::default()
        };
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let checks = checks.into_iter().map(|it| it.command).collect();
        let mode = args.mode.as_ref().map_or(Mode::Build, |_| settings.mode);
        Ok(Judge { mode, rules, tree, checks, home, project })
    }

    fn language(&self) -> Language {
        self.project.settings.language
    }

    /// What would become of a command line.
    fn command(&self, command: &str, cwd: &Path) -> Answer {
        let context = ox_shell::ExecutionContext {
            root: &self.project.root,
            cwd,
            home: self.home.as_deref(),
            added: self.project.added(),
            checks: &self.checks,
            lookup: ox_tools::entry_at,
        };
        let found = ox_shell::classify(command, &context);
        let facts = CallFacts {
            kind: if found.level == Level::Read { CallKind::Read } else { CallKind::Mutate },
            level: found.level,
            paths: found.paths,
            command: Some(command.to_owned()),
            commands: found.commands,
            effects: found.effects,
            hosts: found.hosts,
            ..CallFacts::default()
        };
        self.judge(Operation::Command, json!({"command": command}), facts)
    }

    /// What would become of the use of a path.
    fn path(&self, op: PathOp, path: &str) -> Answer {
        let reach = self.tree.reach(op, path);
        let (operation, write) = match op {
            PathOp::Read => (Operation::Read, false),
            PathOp::List => (Operation::List, false),
            PathOp::Write => (Operation::Write, true),
            PathOp::Delete => (Operation::Delete, true),
        };
        let facts = CallFacts {
            kind: if write { CallKind::Mutate } else { CallKind::Read },
            level: reach.level,
            paths: vec![PathUse { path: reach.path.clone(), write }],
            ..CallFacts::default()
        };
        let answer = self.judge(operation, json!({"path": path}), facts);
        // What cannot work is not worth a question.
        let fails = reach.denied || !reach.allowed && reach.level < Level::System;
        let verdict = if fails { "deny" } else { answer.verdict };
        let why = if reach.why.is_empty() { answer.why } else { reach.why };
        Answer { verdict, why, ..answer }
    }

    fn judge(&self, operation: Operation, args: Value, facts: CallFacts) -> Answer {
        let tool = Toolbox::default().name_for(operation);
        let call = Call { id: CallId("permit".into()), tool, args, facts, as_written: None };
        let language = self.language();
        let (verdict, mut why) = match permit(self.mode, &self.rules, &[], &call) {
            Verdict::Allow => ("allow", String::new()),
            Verdict::Ask(problem) => ("ask", language.problem(&problem)),
            Verdict::Deny(words) => ("deny", words),
        };
        let facts = call.facts;
        let top = facts.effects.iter().filter(|it| it.level == facts.level && it.level > Level::Read);
        let said: Vec<String> = top.take(3).map(|it| language.say(it.kind.key(), &[("what", &it.what)])).collect();
        if !said.is_empty() {
            let between = if why.is_empty() { "" } else { ": " };
            why = format!("{why}{between}{}", said.join("; "));
        }
        Answer {
            level: facts.level,
            verdict,
            why,
            effects: facts.effects,
            commands: facts.commands,
            hosts: facts.hosts,
        }
    }

    /// Answers line by line until the input ends or nobody reads the answers any more.
    fn batch(&self, input: &mut impl BufRead, output: &mut impl Write) {
        let mut output = std::io::BufWriter::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let text = String::from_utf8_lossy(&line);
            if text.trim().is_empty() {
                continue;
            }
            if writeln!(output, "{}", self.line(text.trim())).is_err() {
                return;
            }
        }
        // Whoever closed the pipe has seen enough.
        let _ = output.flush();
    }

    fn line(&self, text: &str) -> Value {
        if text.len() > LONGEST_LINE {
            return json!({"error": "the line is too long"});
        }
        let case: Value = match serde_json::from_str(text) {
            Ok(case) => case,
            Err(error) => return json!({"error": format!("not JSON: {error}")}),
        };
        let id = case.get("id").cloned();
        let answer = match self.case(&case) {
            Ok(answer) => answer.short(),
            Err(error) => json!({"error": error}),
        };
        let mut whole = serde_json::Map::new();
        whole.extend(id.map(|id| ("id".to_owned(), id)));
        if let Value::Object(fields) = answer {
            whole.extend(fields);
        }
        Value::Object(whole)
    }

    fn case(&self, case: &Value) -> Result<Answer, String> {
        let text = |key: &str| case.get(key).and_then(Value::as_str);
        if let Some(command) = text("cmd") {
            let folder = match case.get("cwd") {
                None | Some(Value::Null) => self.project.root.clone(),
                Some(Value::String(cwd)) => self.project.root.join(cwd),
                Some(_) => return Err("`cwd` is no text".to_owned()),
            };
            return Ok(self.command(command, &folder));
        }
        match (text("op"), text("path")) {
            (Some(word), Some(path)) => match op(word) {
                Some(op) => Ok(self.path(op, path)),
                None => Err(format!("`{word}` is no operation; there is read, list, write and delete")),
            },
            _ => Err("a line needs `cmd`, or `op` and `path`, as text".to_owned()),
        }
    }
}

impl Answer {
    fn short(&self) -> Value {
        json!({"level": self.level as u8, "verdict": self.verdict, "why": self.why})
    }

    fn full(&self) -> Value {
        json!({
            "level": self.level as u8, "verdict": self.verdict, "why": self.why,
            "effects": self.effects, "commands": self.commands, "hosts": self.hosts,
        })
    }

    fn text(&self, language: Language) -> String {
        let head = match self.why.as_str() {
            "" => format!("{} ({})\n", self.verdict, self.level as u8),
            why => format!("{} ({}): {why}\n", self.verdict, self.level as u8),
        };
        let effect = |it: &Effect| {
            format!(
                "  {} {}\n",
                it.level as u8,
                language.say(it.kind.key(), &[("what", &super::print::cut(&it.what, 120))])
            )
        };
        head + &self.effects.iter().map(effect).collect::<String>()
    }
}
