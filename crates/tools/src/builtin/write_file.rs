//! `write_file`: a whole file at once. It never replaces text that the model has not seen, nor a large file by a sketch.

use ox_edit::{marker_guard, short_diff, write_guard};
use ox_protocol::{CallKind, ChangeKind, FileChange, Level, Outcome, ReadFile};
use ox_repo::{FileText, RepoError};
use serde_json::{Value, json};

use crate::args::text;
use crate::call::tool::{Alias, Availability, Operation, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::change::{DIFF_CONTEXT, DIFF_LINES, bare, counted};
use crate::text::count;
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "write_file".into(),
        aliases: Alias::list("write write_to_file create_file new_file save_file overwrite_file editor:create"),
        description:
            "Create a file with its folders, or replace a whole file that you have read. For changes use edit_file."
                .into(),
        schema: object(
            &["path", "content"],
            json!({"path": {"type": "string"}, "content": {"type": "string"}, "why": {"type": "string", "description": "in a few words"}}),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        availability: Availability::Build,
        paths: |args| vec![PathAccess::write(text(args, "path"))],
        run: Run::Sync(run),
        operation: Some(Operation::Write),
        ..Tool::base()
    }
}

pub fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (path, content) = (text(args, "path"), text(args, "content"));
    match cx.tree.read(path) {
        Ok(old) => replace(cx, path, &old, content, args),
        Err(RepoError::NotFound { .. }) => create(cx, path, content, args),
        Err(error) => Err(error.into()),
    }
}

fn create(cx: &CallContext, path: &str, content: &str, args: &Value) -> Result<ToolResult, ToolError> {
    marker_guard("", content).map_err(|refusal| ToolError::edit(path, refusal, 1))?;
    let hash = cx.tree.create(path, content)?;
    let rel = cx.tree.locate(path, ox_repo::Access::Read)?.rel;
    cx.reads.mark(&rel, hash);
    cx.reads.believe(&rel, content);
    let lines = content.lines().count();
    let diff = short_diff("", content, DIFF_CONTEXT, DIFF_LINES);
    let why = crate::edit::change::why(args);
    let change = FileChange { why, diff, added: counted(lines), ..bare(&rel, ChangeKind::Created) };
    let words = format!("created {rel} ({})", count(lines, "line"));
    let read = vec![ReadFile { path: rel, hash: hash.to_string(), whole: true }];
    Ok(Outcome { changed: vec![change], read, tree_changed: true, ..Outcome::ok(words) }.into())
}

fn replace(cx: &CallContext, path: &str, old: &FileText, content: &str, args: &Value) -> Result<ToolResult, ToolError> {
    match cx.reads.get(&old.rel) {
        None if !old.text.trim().is_empty() => {
            return Err(ToolError::Wrong(format!(
                "`{}` exists ({} lines) and you have not read it; nothing was written. Read it whole first, or change only the part you mean with edit_file.",
                old.rel,
                old.text.lines().count()
            )));
        }
        Some(seen) if seen != old.hash => return Err(ToolError::Stale { path: old.rel.clone() }),
        _ => {}
    }
    let new = with_endings_of(&old.text, content);
    if new == old.text {
        return Ok(Outcome::ok(format!("{} already has exactly this content; nothing was written", old.rel)).into());
    }
    write_guard(&old.text, &new).map_err(|refusal| ToolError::edit(&old.rel, refusal, 1))?;
    let hash = cx.tree.write(path, old, &new)?;
    cx.reads.mark(&old.rel, hash);
    cx.reads.believe(&old.rel, &new);
    let change = crate::edit::change::modified(&old.rel, &old.text, &new, crate::edit::change::why(args));
    let words =
        format!("wrote {} ({}, +{} -{})", old.rel, count(new.lines().count(), "line"), change.added, change.removed);
    let read = vec![ReadFile { path: old.rel.clone(), hash: hash.to_string(), whole: true }];
    Ok(Outcome { changed: vec![change], read, tree_changed: true, ..Outcome::ok(words) }.into())
}

/// The content with CRLF where every line of the file ended so.
fn with_endings_of(old: &str, content: &str) -> String {
    let (crlf, all) = (old.matches("\r\n").count(), old.matches('\n').count());
    if all > 0 && crlf == all && !content.contains('\r') { content.replace('\n', "\r\n") } else { content.to_string() }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::ChangeKind;
    use serde_json::json;

    #[test]
    fn a_mark_of_what_was_hidden_is_written_by_no_tool() {
        let fixture = Fixture::new();
        let mark = "[redacted: password #1a2b]";
        fixture.file("a.ini", "user = me\npassword = hunter2\n");
        fixture.ok("read_file", json!({"path": "a.ini"}));
        for (tool, args) in [
            ("write_file", json!({"path": "b.ini", "content": format!("password = {mark}\n")})),
            ("write_file", json!({"path": "a.ini", "content": format!("user = you\npassword = {mark}\n")})),
            ("edit_file", json!({"path": "a.ini", "old": format!("password = {mark}"), "new": "password = x"})),
            ("edit_file", json!({"path": "a.ini", "old": "user", "new": mark, "all": true})),
            ("edit_file", json!({"path": "c.ini", "old": "", "new": mark})),
            ("edit_lines", json!({"path": "a.ini", "from": 1, "to": 1, "new": mark, "expected": "user = me"})),
            ("apply_patch", json!({"patch": format!("*** Begin Patch\n*** Add File: d.ini\n+{mark}\n*** End Patch")})),
        ] {
            let words = fixture.fails(tool, args.clone());
            assert!(words.contains("hidden from you"), "{tool} {args}: {words}");
        }
        assert_eq!(fixture.read("a.ini"), "user = me\npassword = hunter2\n");
        assert!(["b.ini", "c.ini", "d.ini"].iter().all(|it| !fixture.exists(it)));
        fixture.ok("edit_file", json!({"path": "a.ini", "old": "user = me", "new": "user = you"}));
    }

    #[test]
    fn a_new_file_comes_with_its_folders() {
        let fixture = Fixture::new();
        let ran = fixture.run("write_file", json!({"path": "a/b/c.rs", "content": "fn c() {}\n", "why": "a start"}));
        assert_eq!(ran.outcome.output, "created a/b/c.rs (1 line)");
        let change = &ran.outcome.changed[0];
        assert_eq!((change.kind, change.added, change.why.as_deref()), (ChangeKind::Created, 1, Some("a start")));
        assert_eq!(fixture.read("a/b/c.rs"), "fn c() {}\n");
        assert_eq!(
            fixture.ok("write_file", json!({"path": "a/b/c.rs", "content": "fn d() {}\n"})),
            "wrote a/b/c.rs (1 line, +1 -1)",
            "what the model wrote itself it has seen"
        );
    }

    #[test]
    fn a_file_is_replaced_only_by_one_who_has_seen_it_as_it_is() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "one\n");
        let write = json!({"path": "a.txt", "content": "two\n"});
        let mut story = vec![fixture.fails("write_file", write.clone())];
        fixture.ok("read_file", json!({"path": "a.txt"}));
        fixture.file("a.txt", "changed by the user\n");
        story.push(fixture.fails("write_file", write.clone()));
        assert_eq!(fixture.read("a.txt"), "changed by the user\n");
        fixture.ok("read_file", json!({"path": "a.txt"}));
        story.push(fixture.ok("write_file", write.clone()));
        story.push(fixture.ok("write_file", write));
        expect![[r#"
            `a.txt` exists (1 lines) and you have not read it; nothing was written. Read it whole first, or change only the part you mean with edit_file.
            `a.txt` changed on disk after you read it (the user, a command or a formatter wrote it); nothing was written. Read it again, or change only the part you mean with edit_file.
            wrote a.txt (1 line, +1 -1)
            a.txt already has exactly this content; nothing was written"#]].assert_eq(&story.join("\n"));
    }

    #[test]
    fn a_part_of_a_file_is_not_the_file() {
        let fixture = Fixture::new();
        fixture.file("a.txt", &"line\n".repeat(50));
        fixture.ok("read_file", json!({"path": "a.txt", "end_line": 10}));
        assert!(fixture.fails("write_file", json!({"path": "a.txt", "content": "x"})).contains("have not read it"));
        fixture.ok("read_file", json!({"path": "a.txt", "start_line": 11}));
        fixture.ok("write_file", json!({"path": "a.txt", "content": "x\n".repeat(40)}));
    }

    #[test]
    fn a_large_file_is_not_replaced_by_a_sketch_and_line_endings_survive() {
        let fixture = Fixture::new();
        fixture.file("big.txt", &"line\r\n".repeat(400));
        fixture.ok("read_file", json!({"path": "big.txt"}));
        expect![[r#"
            `big.txt` was not edited. The new text would remove the file's text, or most of it.
            The file has 400 lines, the new text 1.
            Write the whole file, or edit only the part that changes; to remove code, name it in an edit."#]]
        .assert_eq(&fixture.fails("write_file", json!({"path": "big.txt", "content": "line\n"})));
        fixture.ok("write_file", json!({"path": "big.txt", "content": "other\n".repeat(300)}));
        assert_eq!(fixture.read("big.txt"), "other\r\n".repeat(300));
    }
}
