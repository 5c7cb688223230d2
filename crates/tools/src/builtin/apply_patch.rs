//! `apply_patch`: a patch over any number of files, in the forms that models write. All of it is made or nothing; which
//! files it touches is read from its words before anybody is asked for consent.

use ox_edit::{FileOperation, Format, NamedFile, Request, detect};
use ox_protocol::{CallKind, Level};
use serde_json::{Value, json};

use crate::args::{given, text};
use crate::call::tool::{Alias, PathAccess, Run, Tool, ToolResult, object};
use crate::edit::patch::plan;
use crate::{call::context::CallContext, call::error::ToolError};

pub(crate) fn tool() -> Tool {
    Tool {
        name: "apply_patch".into(),
        aliases: Alias::list("apply_diff patch patch_file apply_unified_diff git_apply"),
        description: "Apply a patch to one or several files: a unified diff, or `*** Begin Patch` … `*** End Patch`. All or nothing.".into(),
        schema: object(
            &["patch"],
            json!({
                "patch": {"type": "string"},
                "path": {"type": "string", "description": "for a patch that names no file"},
                "why": {"type": "string", "description": "in a few words"},
            }),
        ),
        kind: CallKind::Mutate,
        level: Level::Edit,
        validate,
        paths: touches,
        run: Run::Sync(run),
        ..Tool::base()
    }
}

/// The patch; none where the text is in no form of one.
fn request(args: &Value) -> Option<Request<'_>> {
    let patch = text(args, "patch");
    match detect(patch) {
        Format::WholeFile | Format::LineRange => None,
        format => Request::of_text(format, given(args, "path"), patch),
    }
}

fn validate(args: &Value) -> Option<String> {
    let Some(request) = request(args) else {
        return Some("`patch` is neither a unified diff nor a `*** Begin Patch`".into());
    };
    match request.named() {
        Err(refusal) => Some(refusal.message()),
        Ok(named) if named.is_empty() => Some("the patch names no file; give its `path`".into()),
        Ok(_) => None,
    }
}

fn touches(args: &Value) -> Vec<PathAccess> {
    let named = request(args).and_then(|it| it.named().ok()).unwrap_or_default();
    let touch = |NamedFile { readings, does }: NamedFile| {
        let mut readings = readings.into_iter();
        let path = readings.next()?;
        let alternatives = if does == FileOperation::Create { Vec::new() } else { readings.collect() };
        Some(PathAccess {
            path,
            write: does != FileOperation::Read,
            removes: does == FileOperation::Remove,
            alternatives,
        })
    };
    named.into_iter().filter_map(touch).collect()
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let request = request(args).ok_or_else(|| ToolError::Wrong(validate(args).unwrap_or_default()))?;
    let draft = plan(&cx.tree, Some(&cx.reads), &request)?;
    Ok(draft.make(cx, crate::edit::change::why(args))?.into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use ox_protocol::{ChangeKind, Level};
    use serde_json::json;

    const PATCH: &str = "*** Begin Patch
*** Update File: src/a.rs
@@ fn b
-    2
+    3
*** Add File: src/new.rs
+fn new() {}
*** Update File: src/old.rs
*** Move to: src/moved.rs
@@
-one
+uno
*** Delete File: src/gone.rs
*** End Patch
";

    fn project() -> Fixture {
        let fixture = Fixture::new();
        fixture.file("src/a.rs", "fn a() {\n    2\n}\n\nfn b() {\n    2\n}\n");
        fixture.file("src/old.rs", "one\ntwo\n");
        fixture.file("src/gone.rs", "x\ny\n");
        fixture
    }

    #[test]
    fn a_patch_over_several_files_is_applied_as_one() {
        let fixture = project();
        let ran = fixture.run("apply_patch", json!({"patch": PATCH, "why": "tidy"}));
        expect![[r#"
            edited src/a.rs:6
            @@ -6,1 +6,1 @@
            -    2
            +    3
            created src/new.rs (1 line)
            moved src/old.rs to src/moved.rs
            edited src/moved.rs:1
            @@ -1,1 +1,1 @@
            -one
            +uno
            deleted src/gone.rs"#]]
        .assert_eq(&ran.outcome.output);
        let kinds: Vec<_> = ran.outcome.changed.iter().map(|it| (it.kind, it.added, it.removed)).collect();
        let expected = [
            (ChangeKind::Modified, 1, 1),
            (ChangeKind::Created, 1, 0),
            (ChangeKind::Renamed, 1, 1),
            (ChangeKind::Deleted, 0, 2),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(ran.outcome.changed[2].from.as_deref(), Some("src/old.rs"));
        assert_eq!(ran.outcome.changed[0].why.as_deref(), Some("tidy"));
        assert_eq!(fixture.read("src/moved.rs"), "uno\ntwo\n");
        assert!(!fixture.exists("src/old.rs") && !fixture.exists("src/gone.rs") && fixture.exists("src/new.rs"));
    }

    #[test]
    fn the_facts_name_every_file_of_the_patch() {
        let fixture = project();
        fixture.file("b/x.rs", "one\n");
        let facts = |patch: &str| {
            let facts = fixture.call("apply_patch", json!({"patch": patch})).facts;
            let paths = facts.paths.iter().map(|it| format!("{}{}", it.path, if it.write { "!" } else { "" }));
            (paths.collect::<Vec<_>>().join(" "), facts.level, facts.rejected)
        };
        assert_eq!(
            facts(PATCH),
            ("src/a.rs! src/new.rs! src/old.rs! src/moved.rs! src/gone.rs!".into(), Level::Edit, None)
        );
        // Of the ways to read a name the one counts under which there is a file, as when it is applied.
        assert_eq!(facts("--- a/src/a.rs\n+++ b/src/a.rs\n@@ -1 +1 @@\n-x\n+y\n").0, "src/a.rs!");
        assert_eq!(facts("--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-one\n+two\n").0, "b/x.rs!");
        assert_eq!(facts("--- /dev/null\n+++ b/x.rs\n@@ -0,0 +1 @@\n+one\n").0, "x.rs!");
        let (_, _, rejected) = facts("--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-x\n+y\n");
        assert!(rejected.unwrap().contains("never written"));
        let (_, level, _) = facts("*** Begin Patch\n*** Delete File: src\n*** End Patch\n");
        assert_eq!(level, Level::System, "a whole folder");
    }

    #[test]
    fn the_scope_and_the_project_bound_a_patch() {
        let mut fixture = project();
        fixture.cx.scope = vec!["src/a.rs".into()];
        let words = fixture.fails("apply_patch", json!({"patch": PATCH}));
        assert!(words.contains("`src/new.rs` is outside the allowed scope"), "{words}");
        fixture.cx.scope.clear();
        let out = "*** Begin Patch\n*** Add File: ../../out.rs\n+x\n*** End Patch\n";
        assert_eq!(fixture.call("apply_patch", json!({"patch": out})).facts.level, Level::System);
        assert_eq!(fixture.read("src/old.rs"), "one\ntwo\n");
    }

    #[test]
    fn one_part_that_has_no_place_keeps_all_from_being_made() {
        let fixture = project();
        fixture.file("taken.rs", "here\n");
        let diff = "--- a/src/old.rs\n+++ b/src/old.rs\n@@ -1,2 +1,2 @@\n-one\n+uno\n two\n--- a/src/gone.rs\n+++ b/src/gone.rs\n@@ -1 +1 @@\n-let a = 1;\n+let a = 2;\n";
        let words: Vec<String> = [
            diff.to_string(),
            diff.replace("src/gone.rs", "src/gine.rs"),
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-    2\n+    3\n*** End Patch\n".to_string(),
            "*** Begin Patch\n*** Add File: taken.rs\n+mine\n*** End Patch\n".to_string(),
            "*** Begin Patch\n*** Update File: src/old.rs\n*** Move to: taken.rs\n@@\n-one\n+uno\n*** End Patch\n"
                .to_string(),
            "one\ntwo\n".to_string(),
            "@@ -1 +1 @@\n-one\n+uno\n".to_string(),
            "*** Begin Patch\n*** Update File: src/old.rs\n*** End Patch\n".to_string(),
        ]
        .map(|patch| fixture.fails("apply_patch", json!({"patch": patch})))
        .to_vec();
        expect![[r#"
            `src/gone.rs` was not edited. The search text is not in the file, and nothing in it is alike.
            Take the lines from the file as it is now (read it again if in doubt) and send the edit again.
            None of the files of this call was changed.
            ---
            `src/gine.rs` does not exist; did you mean `src/gone.rs`?
            The other files of this call are as they were.
            The project root is ROOT.
            ---
            `src/a.rs` was not edited. The search text fits 2 places equally well.
            line 2 (in `fn a() {`):
                    2
            line 6 (in `fn b() {`):
                    2
            Add lines before or after which only the place you mean has, or give its line number.
            ---
            `taken.rs` was not edited. The file is to be created, but it is there already.
            Read the file and edit it, or write it whole.
            ---
            `taken.rs` already exists; read it and edit it, or choose another path
            ---
            `apply_patch` was not run: `patch` is neither a unified diff nor a `*** Begin Patch`
            ---
            `apply_patch` was not run: the patch names no file; give its `path`
            ---
            `src/old.rs` was not edited. The edit cannot be read.
            It has nothing to change in the file.
            Write `*** Begin Patch`, for each file `*** Update File: PATH` (or `Add File`, `Delete File`), then `@@` and lines that start with a blank, `-` or `+`, and `*** End Patch`."#]].assert_eq(&words.join("\n---\n"));
        assert_eq!((fixture.read("src/old.rs").as_str(), fixture.read("taken.rs").as_str()), ("one\ntwo\n", "here\n"));
    }

    #[test]
    fn a_file_that_cannot_be_written_keeps_all_others_as_they_were() {
        use std::os::unix::fs::PermissionsExt;
        let fixture = project();
        std::fs::set_permissions(fixture.path("src/old.rs"), std::fs::Permissions::from_mode(0o444)).unwrap();
        expect![[r#"
            `src/old.rs` cannot be written: its mode permits nobody to write it
            The other files of this call are as they were."#]]
        .assert_eq(&fixture.fails("apply_patch", json!({"patch": PATCH})));
        assert!(fixture.exists("src/gone.rs") && !fixture.exists("src/new.rs"));
        assert!(fixture.read("src/a.rs").ends_with("    2\n}\n"));
    }

    #[test]
    fn every_form_and_name_is_understood() {
        let block = "a.txt\n<<<<<<< SEARCH\none\n=======\nuno\n>>>>>>> REPLACE\n";
        let v4a = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+uno\n*** End Patch";
        for (name, args) in [
            ("apply_patch", json!({"input": v4a})),
            ("apply_patch", json!({"patchText": v4a})),
            ("functions.apply_patch", json!({"diff": "--- a.txt\n+++ a.txt\n@@ -1 +1 @@\n-one\n+uno\n"})),
            ("apply_diff", json!({"path": "a.txt", "diff": "@@ -1 +1 @@\n-one\n+uno\n"})),
            ("apply_diff", json!({"path": "a.txt", "diff": block.replace("a.txt\n", "")})),
            ("use_tool", json!({"name": "apply_patch", "args": {"patch": block}})),
        ] {
            let fixture = Fixture::new();
            fixture.file("a.txt", "one\r\ntwo\r\n");
            fixture.ok(name, args.clone());
            assert_eq!(fixture.read("a.txt"), "uno\r\ntwo\r\n", "{args}");
        }
    }

    #[test]
    fn what_the_user_changed_meanwhile_stays() {
        let fixture = project();
        for path in ["src/a.rs", "src/old.rs", "src/gone.rs"] {
            fixture.ok("read_file", json!({"path": path}));
        }
        fixture.file("src/a.rs", "// The user's.\nfn a() {\n    2\n}\n\nfn b() {\n    2\n}\n");
        fixture.file("src/old.rs", "one\ntwo\nthree\n");
        expect![[r#"
            edited src/a.rs:7
            @@ -7,1 +7,1 @@
            -    2
            +    3
            created src/new.rs (1 line)
            moved src/old.rs to src/moved.rs
            edited src/moved.rs:1
            @@ -1,1 +1,1 @@
            -one
            +uno
            deleted src/gone.rs
            [changed on disk since you read it: src/a.rs (line 1), src/moved.rs (line 3); both changes are in it now]"#]]
        .assert_eq(&fixture.ok("apply_patch", json!({"patch": PATCH})));
        assert_eq!(fixture.read("src/moved.rs"), "uno\ntwo\nthree\n");

        let fixture = project();
        fixture.ok("read_file", json!({"path": "src/gone.rs"}));
        fixture.file("src/gone.rs", "precious\n");
        let words = fixture.fails("apply_patch", json!({"patch": PATCH}));
        assert!(words.starts_with("`src/gone.rs` changed on disk after you read it"), "{words}");
        assert!(!fixture.exists("src/new.rs") && fixture.read("src/gone.rs") == "precious\n");
        // Also where the words of another part fit the text there is now and not the one that was read.
        let patch = "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-    7\n+    8\n*** Delete File: src/gone.rs\n*** End Patch\n";
        fixture.ok("read_file", json!({"path": "src/a.rs"}));
        fixture.file("src/a.rs", "fn a() {\n    7\n}\n");
        let words = fixture.fails("apply_patch", json!({"patch": patch}));
        assert!(words.starts_with("`src/gone.rs` changed on disk"), "{words}");
    }

    #[test]
    fn a_file_that_is_no_text_can_go_and_cannot_be_edited() {
        let fixture = Fixture::new();
        fixture.bytes("logo.bin", b"\x00\x01\x02");
        let edit = "*** Begin Patch\n*** Update File: logo.bin\n@@\n-a\n+b\n*** End Patch\n";
        assert!(fixture.fails("apply_patch", json!({"patch": edit})).contains("is a binary file"));
        let gone = "*** Begin Patch\n*** Delete File: logo.bin\n*** End Patch\n";
        assert_eq!(fixture.ok("apply_patch", json!({"patch": gone})), "deleted logo.bin");
        assert!(!fixture.exists("logo.bin"));
    }
}
