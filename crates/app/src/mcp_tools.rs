//! The tools of a project for other agents, over MCP: what Ox knows of the code, its edits, its checks, and whole tasks.
//!
//! Whoever calls asks its own user. What the rules of this project deny stays denied, and what would reach past the project is
//! refused, as there is nobody here who could be asked about it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ox_agent::turn_rules;
use ox_config::trust::TrustState;
use ox_core::{Verdict, permit};
use ox_lsp::Servers;
use ox_mcp::{ServedTool, ToolServer};
use ox_protocol::{
    ApprovalPolicy, BoxFuture, CallId, CallKind, Job, Level, Mode, Problem, Rights, Rules, Runner, Status,
};
use ox_tools::{CallContext, ToolEnv, Toolbox, object};
use serde_json::{Value, json};

use crate::Project;

/// What is served of the tools that models have.
const SERVED: [&str; 9] = [
    "search_semantic",
    "search_code",
    "find_symbol",
    "find_references",
    "impact",
    "list_definitions",
    "read_file",
    "edit_file",
    "apply_patch",
];
const CHECKS: &str = "run_checks";
const TASK: &str = "run_task";
/// Bytes of a task's result that are kept.
const RESULT: usize = 1 << 20;

/// The tools of one project, with an index that stays as fresh as the files.
pub struct ProjectTools {
    project: Arc<Project>,
    /// Ox itself, for whole tasks.
    program: PathBuf,
    toolbox: Arc<Toolbox>,
    rules: Rules,
    cx: CallContext,
}

impl ProjectTools {
    /// Of this project; `program` is the file of Ox itself. Problems: the tree or the sandbox cannot be opened.
    pub fn of(project: Project, program: PathBuf) -> Result<ProjectTools, Problem> {
        let tree = project.tree()?;
        let runner: Arc<dyn Runner> = Arc::new(project.sandbox()?);
        let trusted = project.trust.state == TrustState::Trusted;
        let index = project.index().ok();
        let tools = ToolEnv {
            code: index.as_ref().map(ox_agent::code::of),
            servers: Arc::new(Servers::new(trusted)),
            sandbox_policy: Arc::new(project.sandbox_policy()),
            ..ToolEnv::new(runner)
        };
        let rules = turn_rules(&project.settings, &tree, &tools, !trusted);
        // Edits are asked about by whoever calls.
        let rules = Rules { approval: ApprovalPolicy::AcceptEdits, ..rules };
        let mut cx = CallContext::new(tree, Arc::new(tools));
        cx.scope.clone_from(&rules.scope);
        Ok(ProjectTools { project: Arc::new(project), program, toolbox: Arc::default(), rules, cx })
    }

    /// One of the tools that models have.
    fn of_toolbox(&self, name: &str, args: &Value) -> BoxFuture<'static, Result<String, String>> {
        let stop = Stop(Arc::default());
        let mut cx = self.cx.clone();
        cx.cancel = stop.0.clone();
        let call = self.toolbox.read(&cx, CallId("mcp".into()), name, &args.to_string());
        let verdict = permit(Mode::Build, &self.rules, &[], &call);
        let (toolbox, language) = (self.toolbox.clone(), self.project.settings.language);
        Box::pin(async move {
            let _stop = stop;
            match (call.facts.rejected.clone(), verdict) {
                (Some(words), _) | (None, Verdict::Deny(words)) => return Err(words),
                (None, Verdict::Ask(why)) => {
                    return Err(language.problem(&Problem::new("mcp.asks").with("why", language.problem(&why))));
                }
                (None, Verdict::Allow) => {}
            }
            let outcome = toolbox.run(&cx, &call).await.outcome;
            if outcome.status == Status::Ok { Ok(outcome.output) } else { Err(outcome.output) }
        })
    }

    /// The project's checks, all of them.
    fn checks(&self) -> BoxFuture<'static, Result<String, String>> {
        let project = self.project.clone();
        let language = project.settings.language;
        let run = move || {
            if project.trust.state != TrustState::Trusted {
                return Err(Problem::new("mcp.checks_untrusted").with("root", project.root.display()));
            }
            let report = project.run_checks(&project.checks()?, None)?;
            Ok(ox_context::checks_output(&report, None))
        };
        Box::pin(async move {
            let ran = tokio::task::spawn_blocking(run).await.map_err(|error| error.to_string())?;
            ran.map_err(|problem| language.problem(&problem))
        })
    }

    /// A whole task, by an Ox of its own, which ends with the call.
    fn task(&self, args: &Value) -> BoxFuture<'static, Result<String, String>> {
        let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (task, mode) = (text("task"), text("mode"));
        let mut argv: Vec<String> =
            vec![self.program.display().to_string(), "run".into(), "--output".into(), "json".into()];
        if !mode.is_empty() {
            argv.extend(["--mode".to_owned(), mode]);
        }
        argv.extend(["--".to_owned(), task.clone()]);
        let root = self.project.root.clone();
        // A variable that is no text is of no use to Ox.
        let text_of = |(name, value): (OsString, OsString)| Some((name.into_string().ok()?, value.into_string().ok()?));
        let env = std::env::vars_os().filter_map(text_of).collect();
        let mut rights = Rights::command(root.clone(), Duration::MAX);
        rights.output = RESULT;
        let job = Job { argv, cwd: root, env, stdin: Vec::new(), terminal: None, rights };
        Box::pin(async move {
            if task.trim().is_empty() {
                return Err("`task` is empty: say what is to be done".to_owned());
            }
            let exit = ox_sandbox::Plain.run(job, None).await.map_err(|error| error.to_string())?;
            let words = exit.output.text(|left| format!("\n[{left} bytes left out]\n"));
            if exit.code == Some(0) { Ok(words) } else { Err(words) }
        })
    }
}

impl ToolServer for ProjectTools {
    fn tools(&self) -> Vec<ServedTool> {
        let of_toolbox = SERVED.iter().filter_map(|name| self.toolbox.find(name)).map(|tool| {
            let spec = tool.spec();
            let reads = tool.level == Level::Read && tool.kind == CallKind::Read;
            ServedTool { name: spec.name, description: spec.description, schema: spec.schema, reads, destroys: !reads }
        });
        let own = |name: &str, description: &str, schema: Value, destroys| ServedTool {
            name: name.to_owned(),
            description: description.to_owned(),
            schema,
            reads: false,
            destroys,
        };
        let checks = "Run the project's own checks (build, lints, tests) in a sandbox and tell what fails.";
        let task = "Have Ox do a whole task in this project: find the place, edit, run the checks, repair. Returns JSON with \
                    the answer, the changed files and the result of the checks. It can be undone with `ox undo`.";
        let schema = json!({
            "task": {"type": "string"},
            "mode": {"type": "string", "enum": ["auto", "chat", "plan", "build"], "description": "chat and plan change nothing"},
        });
        of_toolbox
            .chain([
                own(CHECKS, checks, object(&[], json!({})), false),
                own(TASK, task, object(&["task"], schema), true),
            ])
            .collect()
    }

    fn call(&self, name: &str, args: Value) -> BoxFuture<'static, Result<String, String>> {
        match name {
            CHECKS => self.checks(),
            TASK => self.task(&args),
            _ => self.of_toolbox(name, &args),
        }
    }
}

/// Stops a call that nobody waits for any more.
struct Stop(Arc<AtomicBool>);

impl Drop for Stop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
