//! `module_doc_write`: writes the `.ac.mod.md` of a folder. It is an ordinary write: what was not read is not replaced, the
//! scope and the sandbox holds, and it can be undone.

use ox_index::docs::MODULE_DOC;
use ox_protocol::{CallKind, Level};
use serde_json::{Value, json};

use crate::args::text;
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::{builtin::write_file, call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "module_doc_write".into(),
        aliases: Alias::list("ac_mod_write write_module_doc ac_module_write"),
        description: "Write what a module is for, its files and its API into the .ac.mod.md of its folder. Read the one that is there first.".into(),
        schema: object(
            &["path", "content"],
            json!({
                "path": {"type": "string", "description": "the folder"},
                "content": {"type": "string"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        validate: |args| {
            text(args, "content").trim().is_empty().then(|| "`content` is empty: say what the module is for".into())
        },
        paths: |args| vec![PathAccess::write(document(text(args, "path")))],
        run: Run::Sync(run),
        ..Tool::base()
    }
}

/// The document of a folder, or the path itself where it is one.
fn document(path: &str) -> String {
    let path = path.trim().trim_end_matches('/');
    match path {
        "" | "." => MODULE_DOC.to_owned(),
        one if one == MODULE_DOC || one.ends_with(&format!("/{MODULE_DOC}")) => one.to_owned(),
        folder => format!("{folder}/{MODULE_DOC}"),
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let path = document(text(args, "path"));
    let folder = path.strip_suffix(MODULE_DOC).unwrap_or_default().trim_end_matches('/');
    let place = cx.tree.locate(if folder.is_empty() { "." } else { folder }, ox_repo::Access::Read)?;
    if !cx.tree.root().join(&place.rel).is_dir() {
        let words =
            format!("`{folder}` is no folder of this project; a module's document lies in the folder of its code.");
        return Err(ToolError::Wrong(words));
    }
    let mut call = args.clone();
    call["path"] = json!(path);
    write_file::run(cx, &call)
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use ox_protocol::{CallKind, Level, Mode};
    use serde_json::json;

    #[test]
    fn a_document_is_written_beside_its_code() {
        let fixture = Fixture::new();
        fixture.file("lamp/lib.rs", "");
        let args = json!({"path": "lamp", "content": "# lamp\nWhat shines.\n"});
        let facts = fixture.call("module_doc_write", args.clone()).facts;
        assert_eq!((facts.kind, facts.level), (CallKind::Mutate, Level::Edit));
        assert_eq!(facts.paths[0].path, "lamp/.ac.mod.md");
        let ran = fixture.run("ac_mod_write", args);
        assert_eq!(ran.outcome.output, "created lamp/.ac.mod.md (2 lines)");
        assert_eq!(ran.outcome.changed[0].path, "lamp/.ac.mod.md");
        assert_eq!(fixture.read("lamp/.ac.mod.md"), "# lamp\nWhat shines.\n");
    }

    #[test]
    fn what_was_not_read_is_not_replaced_and_a_file_has_none() {
        let mut fixture = Fixture::new();
        fixture.file("lamp/.ac.mod.md", "# lamp\nKept.\n");
        fixture.file("lamp/lib.rs", "");
        let args = json!({"path": "lamp/.ac.mod.md", "content": "# new\n"});
        assert!(fixture.fails("module_doc_write", args.clone()).contains("have not read it"));
        fixture.ok("module_doc_read", json!({"path": "lamp"}));
        fixture.ok("module_doc_write", args.clone());
        assert_eq!(fixture.read("lamp/.ac.mod.md"), "# new\n");
        let words = fixture.fails("module_doc_write", json!({"path": "lamp/lib.rs", "content": "x"}));
        assert!(words.contains("no folder"), "{words}");
        fixture.fails("module_doc_write", json!({"path": "lamp", "content": " "}));
        fixture.cx.scope = vec!["src/**".into()];
        assert!(fixture.fails("module_doc_write", args.clone()).contains("outside the allowed scope"));
        fixture.cx.mode = Mode::Chat;
        fixture.fails("module_doc_write", args);
    }
}
