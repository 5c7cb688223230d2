//! `revert_file`: a file as it was when the turn began, or as it was committed last. What is there now is recorded
//! first, so that this can be taken back too; where it cannot be recorded, nothing is reverted.

use ox_protocol::{BoxFuture, CallKind, CheckpointReason, Level, Outcome};
use ox_repo::{Access, Note, git};
use serde_json::{Map, Value, json};

use crate::args::{given, text};
use crate::builtin::git_diff::start_git;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::change::modified;
use crate::session::checkpoints::TurnCheckpoints;
use crate::text::output;
use crate::{call::context::CallContext, call::context::blocking, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "revert_file".into(),
        aliases: Alias::list(
            "undo_edit revert restore_file undo_changes git_restore reset_file discard_changes editor:undo_edit",
        ),
        description:
            "Put a file back: as it was when this turn began, or with to=head as it was committed last. Can be undone."
                .into(),
        schema: object(
            &["path"],
            json!({"path": {"type": "string"}, "to": {"type": "string", "enum": ["turn", "head"]}}),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        normalize,
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Async(|cx, args| Box::pin(run(cx, args)) as BoxFuture<'_, _>),
        ..Tool::base()
    }
}

/// Other words for the last commit.
fn normalize(args: &mut Map<String, Value>) {
    for key in ["to", "rev", "revision", "source"] {
        let committed = args.get(key).and_then(Value::as_str).is_some_and(|it| {
            ["head", "git", "commit", "last_commit", "index"].contains(&it.trim().to_ascii_lowercase().as_str())
        });
        if committed {
            args.shift_remove(key);
            args.insert("to".into(), json!("head"));
        }
    }
}

async fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let rel = cx.tree.locate_entry(text(args, "path"), Access::Write)?.rel;
    let outcome = match given(args, "to") {
        Some("head") => to_head(cx, &rel).await?,
        _ => to_turn(cx, &rel).await?,
    };
    cx.reads.forget(&rel);
    Ok(outcome.into())
}

/// As it was before the turn changed anything.
async fn to_turn(cx: &CallContext, rel: &str) -> Result<Outcome, ToolError> {
    let TurnCheckpoints { checkpoints, note } = cx.past.clone().ok_or_else(|| not_kept(rel))?;
    let path = rel.to_string();
    let reverted = blocking("revert_file", move || {
        let begun = checkpoints.list()?.into_iter().rev().find(|it| {
            it.conversation == note.conversation && it.turn == note.turn && it.reason == CheckpointReason::BeforeTurn
        });
        let Some(begun) = begun else { return Ok(None) };
        let note = Note { reason: CheckpointReason::BeforeRestore, ..note };
        Ok(Some(checkpoints.restore(&begun.id, &[path], &note)?))
    });
    let files = reverted.await?.map(|it| it.files).unwrap_or_default();
    match files.first() {
        None => Err(ToolError::Wrong(format!(
            "`{rel}` is as it was when this turn began; nothing was changed. With to=head it becomes what was committed last."
        ))),
        Some(first) => {
            let lines = match (first.added, first.removed) {
                (0, 0) => String::new(),
                (added, removed) => format!(" (+{added} -{removed})"),
            };
            let words = format!("{rel} is again as it was when this turn began{lines}");
            Ok(Outcome { changed: files, tree_changed: true, ..Outcome::ok(words) })
        }
    }
}

/// As it was committed last. Git writes the file, so that filters and line endings are as in any checkout.
async fn to_head(cx: &CallContext, rel: &str) -> Result<Outcome, ToolError> {
    if cx.past.is_none() {
        return Err(not_kept(rel));
    }
    if !git::is_repo(cx.tree.root()) {
        return Err(ToolError::Wrong(format!(
            "`{rel}`: the project is not in a git repository; there is no commit to go back to"
        )));
    }
    let old = cx.tree.read(rel).map(|it| it.text).ok();
    let exit = start_git(cx, git::job(cx.tree.root(), &["restore", "--source=HEAD", "--worktree", "--", rel])).await?;
    if exit.code != Some(0) {
        let printed = output(&exit.output);
        let why = match printed.contains("did not match any file") {
            true => "it is not in the last commit: it is new, and delete_file removes it".to_string(),
            false => format!("git refused: {}", printed.trim()),
        };
        return Err(ToolError::Wrong(format!("`{rel}` was not reverted: {why}")));
    }
    let new = cx.tree.read(rel).map(|it| it.text).ok();
    match (old, new) {
        (Some(old), Some(new)) if old == new => {
            Err(ToolError::Wrong(format!("`{rel}` is as it was committed last; nothing was changed")))
        }
        (old, new) => {
            let change = modified(rel, &old.unwrap_or_default(), &new.unwrap_or_default(), None);
            let words = format!("{rel} is again as it was committed last (+{} -{})", change.added, change.removed);
            Ok(Outcome { changed: vec![change], tree_changed: true, ..Outcome::ok(words) })
        }
    }
}

fn not_kept(rel: &str) -> ToolError {
    ToolError::Wrong(format!(
        "`{rel}` was not reverted: no states of the tree are kept here, so what is there now would be lost. Edit it back instead."
    ))
}

#[cfg(test)]
mod tests {
    use crate::session::checkpoints::TurnCheckpoints;
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::{CheckpointReason, Time};
    use ox_repo::{Checkpoints, Note};
    use serde_json::json;

    /// A project whose turn has just begun, and the folder of its checkpoints.
    fn begun(files: &[(&str, &str)]) -> (Fixture, tempfile::TempDir) {
        let (mut fixture, state) = (Fixture::new(), tempfile::tempdir().unwrap());
        fixture.git(&["init", "-q", "-b", "main"]);
        files.iter().for_each(|(path, text)| fixture.file(path, text));
        fixture.git(&["add", "."]);
        fixture.git(&["commit", "-q", "-m", "Begin"]);
        let checkpoints = Checkpoints::open(state.path(), &fixture.cx.tree).unwrap();
        let note = Note {
            conversation: "c".into(),
            turn: 2,
            call: None,
            reason: CheckpointReason::BeforeTurn,
            why: "a turn".into(),
            time: Time(1),
        };
        fixture.cx.past = Some(TurnCheckpoints { checkpoints, note });
        (fixture, state)
    }

    fn begin_turn(fixture: &Fixture) {
        let past = fixture.cx.past.as_ref().unwrap();
        past.checkpoints.take(&past.note).unwrap();
    }

    #[test]
    fn a_file_goes_back_to_the_beginning_of_the_turn_or_to_the_last_commit() {
        let (fixture, _state) = begun(&[("a.txt", "committed\n"), ("b.txt", "b\n")]);
        fixture.file("a.txt", "the user's own\n");
        begin_turn(&fixture);
        fixture.file("a.txt", "the model's\nmore\n");
        fixture.file("b.txt", "stays\n");
        fixture.file("new.txt", "new\n");
        let mut story = vec![fixture.ok("revert_file", json!({"path": "a.txt"}))];
        assert_eq!(fixture.read("a.txt"), "the user's own\n");
        story.push(fixture.fails("revert_file", json!({"path": "a.txt"})));
        story.push(fixture.ok("undo_edit", json!({"path": "a.txt", "to": "HEAD"})));
        assert_eq!((fixture.read("a.txt"), fixture.read("b.txt")), ("committed\n".into(), "stays\n".into()));
        story.push(fixture.fails("revert_file", json!({"path": "a.txt", "to": "head"})));
        story.push(fixture.fails("revert_file", json!({"path": "new.txt", "to": "head"})));
        story.push(fixture.ok("revert_file", json!({"path": "new.txt"})));
        assert!(!fixture.exists("new.txt"));
        std::fs::remove_file(fixture.path("b.txt")).unwrap();
        story.push(fixture.ok("revert_file", json!({"path": "b.txt"})));
        assert_eq!(fixture.read("b.txt"), "b\n");
        expect![[r#"
            a.txt is again as it was when this turn began
            `a.txt` is as it was when this turn began; nothing was changed. With to=head it becomes what was committed last.
            a.txt is again as it was committed last (+1 -1)
            `a.txt` is as it was committed last; nothing was changed
            `new.txt` was not reverted: it is not in the last commit: it is new, and delete_file removes it
            new.txt is again as it was when this turn began
            b.txt is again as it was when this turn began"#]].assert_eq(&story.join("\n"));
        let kept = fixture.cx.past.as_ref().unwrap().checkpoints.list().unwrap();
        assert!(
            kept.iter().filter(|it| it.reason == CheckpointReason::BeforeRestore).count() >= 2,
            "each can be undone"
        );
    }

    #[test]
    fn nothing_is_reverted_that_could_not_be_brought_back() {
        let (mut fixture, _state) = begun(&[("a.txt", "a\n")]);
        fixture.file("a.txt", "changed\n");
        fixture.cx.past = None;
        for args in [json!({"path": "a.txt"}), json!({"path": "a.txt", "to": "head"})] {
            assert!(fixture.fails("revert_file", args).contains("would be lost"));
        }
        assert_eq!(fixture.read("a.txt"), "changed\n");
        fixture.cx.scope = vec!["src/**".into()];
        assert!(fixture.fails("revert_file", json!({"path": "a.txt"})).contains("outside the allowed scope"));
        assert!(fixture.fails("revert_file", json!({"path": ".git/config"})).contains("protected"));
    }
}
