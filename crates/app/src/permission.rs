//! What Ox would do about a command line or a path, and why. Nothing is run and nothing is changed.

use std::path::{Path, PathBuf};

use ox_core::{Verdict, permit};
use ox_protocol::{Call, CallFacts, CallId, CallKind, Effect, Level, Mode, PathUse, Problem, Rules, SimpleCommand};
use ox_repo::{PathOp, Tree};
use ox_tools::{Operation, Toolbox};
use serde::Serialize;
use serde_json::{Value, json};

use crate::Project;

/// Decides as a turn of this project would, without asking anybody.
pub struct Permissions {
    project: Project,
    mode: Mode,
    rules: Rules,
    tree: Tree,
    checks: Vec<String>,
    home: Option<PathBuf>,
}

/// What would become of a command or a path.
#[derive(Clone, Debug, Serialize)]
pub struct PermissionAnswer {
    /// How far it reaches.
    #[serde(serialize_with = "as_number")]
    pub level: Level,
    /// `allow`, `ask` or `deny`.
    pub verdict: &'static str,
    /// Why, in the user's language; empty where there is nothing to say.
    pub why: String,
    /// What it would do.
    pub effects: Vec<Effect>,
    /// The simple commands of a command line.
    pub commands: Vec<SimpleCommand>,
    /// The hosts that it names.
    pub hosts: Vec<String>,
}

impl Permissions {
    /// The permissions of a turn in this mode.
    pub fn of(project: Project, mode: Mode) -> Result<Permissions, Problem> {
        let settings = &project.settings;
        // Checks of a project that nobody trusts are commands like any other.
        let checks = if project.trust.counts() { project.checks()? } else { Vec::new() };
        // Without its journal: an interrupted change stays as it is.
        let tree = Tree::open(&project.root, project.added())
            .map_err(|error| Problem::new("error.tree").with("why", error))?;
        let rules = Rules {
            approval: settings.approval,
            rules: settings.rules.clone(),
            scope: settings.scope.clone(),
            isolated: project.sandbox().is_ok_and(|it| ox_protocol::Runner::isolated(&it)),
            ..Rules::default()
        };
        Ok(Permissions {
            mode,
            rules,
            tree,
            checks: checks.into_iter().map(|it| it.command).collect(),
            home: std::env::var_os("HOME").map(PathBuf::from),
            project,
        })
    }

    /// What would become of a command line; `folder` is where it would run, absolute.
    pub fn command(&self, command: &str, folder: &Path) -> PermissionAnswer {
        let context = ox_shell::ExecutionContext {
            root: &self.project.root,
            cwd: folder,
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
        self.answer(Operation::Command, json!({"command": command}), facts)
    }

    /// What would become of the use of a path.
    pub fn path(&self, op: PathOp, path: &str) -> PermissionAnswer {
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
        let answer = self.answer(operation, json!({"path": path}), facts);
        // What cannot work is not worth a question.
        let fails = reach.denied || !reach.allowed && reach.level < Level::System;
        let verdict = if fails { "deny" } else { answer.verdict };
        let why = if reach.why.is_empty() { answer.why } else { reach.why };
        PermissionAnswer { verdict, why, ..answer }
    }

    fn answer(&self, operation: Operation, args: Value, facts: CallFacts) -> PermissionAnswer {
        let tool = Toolbox::default().name_for(operation);
        let call = Call { id: CallId("permit".into()), tool, args, facts, as_written: None };
        let language = self.project.settings.language;
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
        PermissionAnswer {
            level: facts.level,
            verdict,
            why,
            effects: facts.effects,
            commands: facts.commands,
            hosts: facts.hosts,
        }
    }
}

fn as_number<S: serde::Serializer>(level: &Level, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u8(*level as u8)
}
