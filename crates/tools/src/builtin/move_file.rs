//! `move_file`: another path for a file or folder. It never replaces what is already there.

use ox_protocol::{CallKind, ChangeKind, FileChange, Level, Outcome};
use ox_repo::Access;
use serde_json::{Value, json};

use crate::args::text;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::change::bare;
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "move_file".into(),
        aliases: Alias::list("move mv rename rename_file move_path"),
        description: "Move or rename a file or folder; folders on the way are made. References to it are not changed."
            .into(),
        schema: object(
            &["from", "to"],
            json!({
                "from": {"type": "string"},
                "to": {"type": "string", "description": "the new path, or an existing folder to move into"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        paths: |args| vec![PathAccess::write(text(args, "from")), PathAccess::write(text(args, "to"))],
        run: Run::Sync(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let from = cx.tree.locate_entry(text(args, "from"), Access::Write)?;
    let mut to = cx.tree.locate(text(args, "to"), Access::Write)?;
    if to.abs.is_dir() && to.abs != from.abs {
        let name = from.abs.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
        to = cx.tree.locate(&format!("{}/{name}", to.rel), Access::Write)?;
        cx.within_scope(&to.rel)?;
    }
    cx.tree.rename(text(args, "from"), &to.rel)?;
    cx.reads.rename(&from.rel, &to.rel);
    let change = FileChange {
        from: Some(from.rel.clone()),
        why: crate::edit::change::why(args),
        ..bare(&to.rel, ChangeKind::Renamed)
    };
    let words = format!("moved {} to {}", from.rel, to.rel);
    Ok(Outcome { changed: vec![change], tree_changed: true, ..Outcome::ok(words) }.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn files_and_folders_move() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "a");
        fixture.file("d/b.txt", "b");
        let story = [
            fixture.ok("move_file", json!({"from": "a.txt", "to": "new/place/z.txt"})),
            fixture.ok("move_file", json!({"source": "new/place/z.txt", "destination": "d"})),
            fixture.ok("move_file", json!({"from": "d", "to": "e"})),
        ];
        expect![[r#"
            moved a.txt to new/place/z.txt
            moved new/place/z.txt to d/z.txt
            moved d to e"#]]
        .assert_eq(&story.join("\n"));
        assert_eq!((fixture.read("e/z.txt"), fixture.read("e/b.txt")), ("a".into(), "b".into()));
    }

    #[test]
    fn what_was_read_is_known_under_its_new_name() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "a\n");
        fixture.ok("read_file", json!({"path": "a.txt"}));
        fixture.ok("move_file", json!({"from": "a.txt", "to": "b.txt"}));
        fixture.ok("write_file", json!({"path": "b.txt", "content": "c\n"}));
    }

    #[test]
    fn nothing_is_replaced() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "a");
        fixture.file("b.txt", "b");
        let words = [
            fixture.fails("move_file", json!({"from": "a.txt", "to": "b.txt"})),
            fixture.fails("move_file", json!({"from": "c.txt", "to": "d.txt"})),
        ];
        expect![[r#"
            `b.txt` already exists; read it and edit it, or choose another path
            `c.txt` does not exist; did you mean `a.txt`, `b.txt`?
            The project root is ROOT."#]]
        .assert_eq(&words.join("\n"));
        assert_eq!(fixture.read("b.txt"), "b");
    }
}
