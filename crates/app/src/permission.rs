//! What Ox would do about a command line or a path, and why. Nothing is run and nothing is changed.

use std::path::Path;
use std::sync::Arc;

use ox_agent::turn_rules;
use ox_config::trust::TrustState;
use ox_core::{Verdict, permit};
use ox_protocol::locale::Language;
use ox_protocol::{
    Call, CallFacts, CallId, CallKind, Effect, Level, Mode, PathUse, Problem, Rules, Runner, SimpleCommand,
};
use ox_repo::{PathOp, Tree};
use ox_tools::{CallContext, Operation, ToolEnv, Toolbox};
use serde::Serialize;
use serde_json::json;

use crate::Project;
use crate::project::no_tree;

/// Decides as a turn of this project would, without asking anybody.
pub struct Permissions {
    language: Language,
    mode: Mode,
    rules: Rules,
    toolbox: Toolbox,
    cx: CallContext,
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
    pub fn of(project: &Project, mode: Mode) -> Result<Permissions, Problem> {
        // Without its journal: an interrupted change stays as it is.
        let tree = Tree::open(&project.root, project.added()).map_err(no_tree)?;
        let runner: Arc<dyn Runner> = match project.sandbox() {
            Ok(sandbox) => Arc::new(sandbox),
            Err(_) => Arc::new(ox_sandbox::Plain),
        };
        let tools = ToolEnv { sandbox_policy: Arc::new(project.sandbox_policy()), ..ToolEnv::new(runner) };
        let untrusted = project.trust.state != TrustState::Trusted;
        let rules = turn_rules(&project.settings, &tree, &tools, untrusted);
        let mut cx = CallContext::new(tree, Arc::new(tools));
        // Checks of a project that nobody trusts are commands like any other.
        let checks = if project.trust.counts() { project.checks()? } else { Vec::new() };
        cx.checks = checks.into_iter().map(|it| it.command).collect();
        cx.mode = mode;
        cx.scope = rules.scope.clone();
        Ok(Permissions { language: project.settings.language, mode, rules, toolbox: Toolbox::default(), cx })
    }

    /// What would become of a command line; `folder` is where it would run, absolute.
    pub fn command(&self, command: &str, folder: &Path) -> PermissionAnswer {
        let mut args = json!({"command": command});
        if folder != self.cx.tree.root() {
            args["cwd"] = json!(folder);
        }
        let tool = self.toolbox.name_for(Operation::Command);
        self.answer(self.toolbox.read(&self.cx, CallId("permit".into()), &tool, &args.to_string()))
    }

    /// What would become of the use of a path.
    pub fn path(&self, op: PathOp, path: &str) -> PermissionAnswer {
        let reach = self.cx.tree.reach(op, path);
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
        let (id, tool) = (CallId("permit".into()), self.toolbox.name_for(operation));
        let answer = self.answer(Call { id, tool, args: json!({"path": path}), facts, as_written: None });
        // What cannot work is not worth a question.
        let fails = reach.denied || !reach.allowed && reach.level < Level::System;
        let verdict = if fails { "deny" } else { answer.verdict };
        let why = if reach.why.is_empty() { answer.why } else { reach.why };
        PermissionAnswer { verdict, why, ..answer }
    }

    fn answer(&self, call: Call) -> PermissionAnswer {
        let (verdict, mut why) = match (call.facts.rejected.clone(), permit(self.mode, &self.rules, &[], &call)) {
            (Some(words), _) | (None, Verdict::Deny(words)) => ("deny", words),
            (None, Verdict::Allow) => ("allow", String::new()),
            (None, Verdict::Ask(problem)) => ("ask", self.language.problem(&problem)),
        };
        let facts = call.facts;
        let top = facts.effects.iter().filter(|it| it.level == facts.level && it.level > Level::Read);
        let said: Vec<String> = top.take(3).map(|it| self.language.effect(it.kind, &it.what)).collect();
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
