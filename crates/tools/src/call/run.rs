//! Runs a call. What the mode or the scope forbids is refused here again, whatever was decided before.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use ox_protocol::{Call, CallKind, Level, Outcome, Status};
use ox_repo::RepoError;
use serde_json::Value;

use super::context::{CallContext, blocking};
use super::error::ToolError;
use super::tool::{Need, Run, Tool, ToolResult};
use super::toolbox::Toolbox;
use super::{bring, consent, diagnostics, facts};

impl Toolbox {
    /// Runs `call` to its end. Never fails and never panics: what goes wrong is an outcome with words for the model.
    pub async fn run(&self, cx: &CallContext, call: &Call) -> ToolResult {
        let began = Instant::now();
        let mut brought = cx.clone();
        // A call that was refused already starts nothing.
        if call.facts.rejected.is_none() && !cx.mcp.is_empty() && self.needs(&call.tool, Need::Directory) {
            brought.missing = bring::bring(self, cx, &call.args).await.into();
        }
        let cx = &brought;
        let mut result = match self.permitted(cx, call) {
            Err(refused) => refused.into(),
            Ok((tool, cx)) => watched(&cx, &tool, call).await,
        };
        result.events.extend(cx.jobs.news());
        result.outcome.duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        result
    }

    /// What an edit would come to over the files as they are; nothing is changed. None where only its run can tell.
    pub fn preview(&self, cx: &CallContext, call: &Call) -> Option<Outcome> {
        let tool = self.find(&call.tool).filter(|it| it.kind == CallKind::Mutate && it.level == Level::Edit)?;
        let (Run::Sync(run) | Run::Blocking(run)) = &tool.run else { return None };
        let mut cx = cx.clone();
        (cx.tree, cx.reads) = (cx.tree.dry(), Arc::new(cx.reads.copied()));
        let ran = |cx: &CallContext| guarded(&tool.name, || run(cx, &call.args));
        Some(match self.permitted(&cx, call) {
            Err(refused) => refused,
            Ok((_, cx)) => ran(&cx).map_or_else(|error| failed(&cx, &error), |it| it.outcome),
        })
    }

    /// The tool and the context in which it may act.
    fn permitted(&self, cx: &CallContext, call: &Call) -> Result<(Arc<Tool>, CallContext), Outcome> {
        if let Some(words) = &call.facts.rejected {
            return Err(Outcome::failed(words));
        }
        let tool = self.find(&call.tool).ok_or_else(|| Outcome::failed(self.unknown(&call.tool)))?;
        if !tool.is_allowed(cx.mode, cx.runner.isolated()) {
            return Err(failed(
                cx,
                &ToolError::Denied(format!(
                    "`{}` is not available in {} mode, which only reads. Answer from what you can read, or say what you would change.",
                    tool.name,
                    cx.mode.name()
                )),
            ));
        }
        let now = facts::of(cx, &tool, &call.args);
        if let Some(what) = consent::exceeds(&call.facts, &now) {
            return Err(Outcome::failed(format!(
                "Between the decision about this call and its start the situation changed: {what}. Nothing was done. Send the call again, so that it is decided on as it is now."
            )));
        }
        for path in now.paths.iter().filter(|it| it.write) {
            cx.within_scope(&path.path).map_err(|error| failed(cx, &error))?;
        }
        let mut cx = cx.consented(&call.facts, &now);
        if tool.needs == Some(Need::Directory) {
            cx.directory = self.directory(cx.mode, cx.offered.as_deref()).into();
        }
        Ok((tool, cx))
    }
}

/// Runs it, and says what an edit breaks in the eyes of a language server that runs.
async fn watched(cx: &CallContext, tool: &Tool, call: &Call) -> ToolResult {
    let edits = tool.kind == CallKind::Mutate && tool.level == Level::Edit;
    let before = if edits { Some(diagnostics::before(cx, &call.facts.paths).await) } else { None };
    let mut result = perform(cx, tool, &call.args).await.unwrap_or_else(|error| failed(cx, &error).into());
    if let Some(before) = before.filter(|_| !result.outcome.is_failure())
        && let Some(words) = diagnostics::after(cx, before).await
    {
        result.outcome.output = crate::text::with_status(result.outcome.output, &words);
    }
    result
}

async fn perform(cx: &CallContext, tool: &Tool, args: &Value) -> Result<ToolResult, ToolError> {
    match &tool.run {
        Run::Sync(run) => guarded(&tool.name, || run(cx, args)),
        Run::Blocking(run) => {
            let (cx, args, name, run) = (cx.clone(), args.clone(), tool.name.clone(), *run);
            blocking(&tool.name, move || guarded(&name, || run(&cx, &args))).await
        }
        Run::Async(run) => run(cx, args).await,
        Run::Dynamic(run) => run(cx, args).await,
        Run::Core => Err(ToolError::Wrong(format!("`{}` is answered by the turn, not run as a tool", tool.name))),
    }
}

/// A panic in a tool is that call's failure and nobody else's.
fn guarded(tool: &str, run: impl FnOnce() -> Result<ToolResult, ToolError>) -> Result<ToolResult, ToolError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|it| (*it).to_string());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into());
        Err(ToolError::Broke { tool: tool.to_string(), what })
    })
}

fn failed(cx: &CallContext, error: &ToolError) -> Outcome {
    let status = match error {
        ToolError::Denied(_) => Status::Denied,
        ToolError::Cancelled => Status::Interrupted,
        _ => Status::Failed,
    };
    let mut words = error.to_string();
    if let ToolError::Repo(RepoError::NotFound { .. }) | ToolError::Commit { cause: RepoError::NotFound { .. }, .. } =
        error
    {
        words.push_str(&format!("\nThe project root is {}.", cx.tree.root().display()));
    }
    Outcome { tree_changed: error.leaves_changes(), ..Outcome::ended(status, words) }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::{Mode, Status};
    use serde_json::json;

    const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";

    #[test]
    fn a_reading_mode_refuses_every_tool_that_changes_something() {
        let mut fixture = Fixture::new();
        fixture.file("a.txt", "a\n");
        for mode in [Mode::Chat, Mode::Plan] {
            fixture.cx.mode = mode;
            for (name, args) in [
                ("edit_file", json!({"path": "a.txt", "old": "a", "new": "b"})),
                ("write_file", json!({"path": "b.txt", "content": ""})),
                ("replace_in_file", json!({"path": "a.txt", "diff": BLOCK})),
                ("edit_lines", json!({"path": "a.txt", "from": 1, "to": 1, "new": "b", "expected": "a"})),
                ("apply_patch", json!({"patch": "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch"})),
                ("delete_file", json!({"path": "a.txt"})),
                ("use_tool", json!({"name": "move_file", "args": {"from": "a.txt", "to": "b.txt"}})),
                ("run_command", json!({"command": "true"})),
                ("run_checks", json!({})),
            ] {
                let outcome = fixture.run(name, args).outcome;
                assert_eq!(outcome.status, Status::Denied, "{name}");
                assert!(outcome.output.contains("which only reads"), "{}", outcome.output);
            }
            fixture.ok("read_file", json!({"path": "a.txt"}));
            fixture.ok("todo_write", json!({"action": "create", "tasks": ["look"]}));
        }
        assert_eq!(fixture.read("a.txt"), "a\n");
    }

    #[test]
    fn the_scope_holds_for_every_write_and_for_no_read() {
        let mut fixture = Fixture::new();
        fixture.file("src/a.rs", "a\n");
        fixture.file("docs/b.md", "b\n");
        fixture.cx.scope = vec!["src/**".into()];
        let words: Vec<String> = [
            ("write_file", json!({"path": "docs/new.md", "content": ""})),
            ("edit_file", json!({"edits": [{"path": "src/a.rs", "old": "a", "new": "c"}, {"path": "docs/b.md", "old": "b", "new": "c"}]})),
            ("move_file", json!({"from": "src/a.rs", "to": "docs/a.rs"})),
            ("delete_file", json!({"path": "docs/b.md"})),
        ]
        .map(|(name, args)| {
            let outcome = fixture.run(name, args).outcome;
            assert_eq!(outcome.status, Status::Denied);
            outcome.output
        })
        .to_vec();
        expect![[r#"
            `docs/new.md` is outside the allowed scope (src/**); nothing was changed. Change only files within it, or ask the user to widen it.
            `docs/b.md` is outside the allowed scope (src/**); nothing was changed. Change only files within it, or ask the user to widen it.
            `docs/a.rs` is outside the allowed scope (src/**); nothing was changed. Change only files within it, or ask the user to widen it.
            `docs/b.md` is outside the allowed scope (src/**); nothing was changed. Change only files within it, or ask the user to widen it."#]].assert_eq(&words.join("\n"));
        assert_eq!(fixture.read("src/a.rs"), "a\n");
        fixture.ok("read_file", json!({"path": "docs/b.md"}));
        fixture.ok("write_file", json!({"path": "src/deep/new.rs", "content": ""}));
    }

    #[test]
    fn what_is_outside_is_reached_only_as_it_was_decided() {
        let fixture = Fixture::new();
        let other = Fixture::new();
        other.file("notes.txt", "from outside\n");
        other.file("more.txt", "not asked for\n");
        let path = other.path("notes.txt").canonicalize().unwrap().display().to_string();
        // Deciding on level system is the user's consent to exactly this path.
        assert_eq!(fixture.ok("read_file", json!({"path": path})), format!("from outside\n[{path}: 1 line]"));
        let mut call = fixture.call("read_file", json!({"path": path}));
        call.args = json!({"path": path.replace("notes", "more")});
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outcome = runtime.block_on(fixture.toolbox.run(&fixture.cx, &call)).outcome;
        assert!(outcome.output.contains("outside the project"), "{}", outcome.output);
        let new = other.cx.tree.root().join("x.txt").display().to_string();
        assert_eq!(fixture.ok("write_file", json!({"path": new, "content": "x"})), format!("created {new} (1 line)"));
    }

    #[test]
    fn a_rejected_call_answers_with_its_words_and_a_wanted_one_is_not_run() {
        let fixture = Fixture::new();
        assert!(fixture.fails("fly", json!({})).contains("There is no tool `fly`"));
        assert!(fixture.fails("edit_file", json!({"path": []})).contains("must be a text"));
        assert!(fixture.fails("ask_user", json!({"question": "?"})).contains("answered by the turn"));
    }

    #[test]
    fn a_panic_in_a_tool_is_that_calls_failure() {
        let result = super::guarded("think", || panic!("index {} is gone", 3));
        expect!["`think` broke down inside Ox: index 3 is gone. Nothing more is known; try another way."]
            .assert_eq(&result.unwrap_err().to_string());
    }

    #[test]
    fn a_preview_says_what_a_run_does_and_changes_nothing() {
        let fixture = Fixture::new();
        let files = [("a.txt", "one\ntwo\n"), ("b.txt", "x\n"), ("d/c.txt", "y\n")];
        files.iter().for_each(|(path, text)| fixture.file(path, text));
        fixture.ok("read_file", json!({"path": "b.txt"}));
        let patch = "*** Begin Patch\n*** Add File: new.txt\n+n\n*** Delete File: b.txt\n*** End Patch";
        let calls = [
            ("edit_file", json!({"path": "a.txt", "edits": [{"old": "one", "new": "1"}, {"old": "two", "new": "2"}]})),
            ("write_file", json!({"path": "b.txt", "content": "z\n"})),
            ("write_file", json!({"path": "new/e.txt", "content": "z\n"})),
            ("replace_in_file", json!({"path": "a.txt", "diff": BLOCK.replace('a', "one").replace("\nb", "\n1")})),
            ("edit_lines", json!({"path": "a.txt", "from": 1, "to": 1, "new": "1", "expected": "one"})),
            ("apply_patch", json!({"patch": patch})),
            ("move_file", json!({"from": "a.txt", "to": "n/f.txt"})),
            ("delete_file", json!({"path": "d/c.txt"})),
            ("module_doc_write", json!({"path": "d", "content": "# d\n"})),
            ("edit_file", json!({"path": "a.txt", "old": "three", "new": "3"})),
            ("write_file", json!({"path": "a.txt", "content": "not read\n"})),
        ];
        for (name, args) in calls {
            let call = fixture.call(name, args.clone());
            let preview = fixture.toolbox.preview(&fixture.cx, &call).expect("it is an edit");
            files.iter().for_each(|(path, text)| assert_eq!(fixture.read(path), *text, "{name}"));
            assert!(!fixture.exists("new.txt") && !fixture.exists("new") && !fixture.exists("n"), "{name}");
            let other = Fixture::new();
            files.iter().for_each(|(path, text)| other.file(path, text));
            other.ok("read_file", json!({"path": "b.txt"}));
            let ran = other.run(name, args.clone()).outcome;
            assert_eq!((preview.status, &preview.changed), (ran.status, &ran.changed), "{name} {args}");
            assert!(preview.is_failure() || !preview.changed.is_empty(), "{name} {args}");
        }
        assert_eq!(fixture.toolbox.preview(&fixture.cx, &fixture.call("run_command", json!({"command": "ls"}))), None);
    }
}
