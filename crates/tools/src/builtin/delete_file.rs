//! `delete_file`: a file, a link, or a folder with everything in it. A folder is never deleted unasked.

use ox_protocol::{CallKind, ChangeKind, FileChange, Level, Outcome};
use ox_repo::{Access, WalkOptions};
use serde_json::{Value, json};

use crate::args::text;
use crate::call::tool::{Alias, Operation, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::change::{FILES, bare, counted};
use crate::text::count;
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "delete_file".into(),
        aliases: Alias::list("delete remove_file remove rm unlink delete_path delete_folder delete_directory"),
        description: "Delete a file, or a folder with everything in it.".into(),
        schema: object(
            &["path"],
            json!({"path": {"type": "string"}, "why": {"type": "string", "description": "in a few words"}}),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        paths: |args| vec![PathAccess { removes: true, ..PathAccess::write(text(args, "path")) }],
        run: Run::Sync(run),
        operation: Some(Operation::Delete),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let path = text(args, "path");
    let place = cx.tree.locate_entry(path, Access::Write)?;
    let is_folder = place.abs.symlink_metadata().is_ok_and(|it| it.is_dir());
    if is_folder && !cx.scope.is_empty() {
        let options = WalkOptions { from: path.into(), hidden: true, ..WalkOptions::default() };
        for entry in cx.tree.walk(&options)?.iter().filter(|it| !it.is_dir) {
            cx.within_scope(&entry.rel)?;
        }
    }
    let lines = if is_folder { 0 } else { cx.tree.read(path).map_or(0, |it| it.text.lines().count()) };
    let gone = cx.tree.delete(path)?;
    cx.reads.forget(&place.rel);
    let why = crate::edit::change::why(args);
    let change =
        |rel: &String| FileChange { why: why.clone(), removed: counted(lines), ..bare(rel, ChangeKind::Deleted) };
    let changed = gone.iter().take(FILES).map(change).collect();
    let words = match is_folder {
        true => format!("deleted {} with {}", place.rel, count(gone.len(), "file")),
        false => format!("deleted {}", gone.first().unwrap_or(&place.rel)),
    };
    Ok(Outcome { changed, tree_changed: true, ..Outcome::ok(words) }.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::Level;
    use serde_json::json;

    #[test]
    fn files_and_folders_go_and_are_listed() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "1\n2\n");
        fixture.file("d/b.txt", "x");
        fixture.file("d/e/c.txt", "y");
        let ran = fixture.run("delete_file", json!({"path": "a.txt"}));
        assert_eq!((ran.outcome.output.as_str(), ran.outcome.changed[0].removed), ("deleted a.txt", 2));
        let ran = fixture.run("delete_file", json!({"path": "d"}));
        assert_eq!(ran.outcome.output, "deleted d with 2 files");
        assert_eq!(ran.outcome.changed.len(), 2);
        assert!(!fixture.exists("d"));
    }

    #[test]
    fn a_whole_folder_is_level_three_and_one_file_level_one() {
        let fixture = Fixture::new();
        fixture.file("d/b.txt", "x");
        assert_eq!(fixture.call("delete_file", json!({"path": "d"})).facts.level, Level::System);
        assert_eq!(fixture.call("delete_file", json!({"path": "d/b.txt"})).facts.level, Level::Edit);
    }

    #[test]
    fn what_may_not_go_stays() {
        let mut fixture = Fixture::new();
        fixture.file("src/a.txt", "x");
        fixture.file("src/deep/b.txt", "x");
        fixture.file(".env", "KEY=1");
        fixture.cx.scope = vec!["src/*".into()];
        let words: Vec<String> = ["src", "src/deep", "other", ".env", ".git/config", "."]
            .map(|path| fixture.fails("delete_file", json!({"path": path})))
            .to_vec();
        expect![[r#"
            `src` is outside the allowed scope (src/*); nothing was changed. Change only files within it, or ask the user to widen it.
            `src/deep/b.txt` is outside the allowed scope (src/*); nothing was changed. Change only files within it, or ask the user to widen it.
            `other` is outside the allowed scope (src/*); nothing was changed. Change only files within it, or ask the user to widen it.
            `.env` is protected and is never written: it is a file of secrets; ask the user to change it, or write a template such as `.env.example`
            `.git/config` is protected and is never written: it belongs to git; use git commands instead
            `.` is protected and is never written: it is the project's root folder"#]].assert_eq(&words.join("\n"));
        assert!(fixture.exists("src/deep/b.txt") && fixture.exists(".env"));
    }
}
