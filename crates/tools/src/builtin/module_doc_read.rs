//! `module_doc_read`: what is written about a module in the `.ac.mod.md` beside its code, and what in it is gone. Without a
//! path it lists the documents there are.

use std::fmt::Write as _;

use ox_index::docs::{MODULE_DOC, module_doc, module_docs};
use ox_protocol::Outcome;
use serde_json::{Value, json};

use crate::args::given;
use crate::call::index_query::{Known, known, rel};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object};
use crate::text::{count, name, plain, with_status};
use crate::{builtin::read_file, call::context::CallContext, call::error::ToolError};

/// Documents that one call lists.
const LISTED: usize = 200;
/// Names that are gone that one call tells.
const GONE: usize = 10;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "module_doc_read".into(),
        aliases: Alias::list("ac_mod_read read_module_doc ac_module_read"),
        description: "Read what is written about a module (.ac.mod.md in its folder or the nearest above): purpose, files, API, and whether it is out of date. Without a path: all module documents.".into(),
        schema: object(&[], json!({"path": {"type": "string", "description": "a folder or file of the module"}})),
        explores: true,
        paths: crate::call::tool::reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let Some(path) = given(args, "path") else { return list(cx) };
    let path = rel(cx, path)?;
    let Some(document) = nearest(cx, &path) else {
        let words =
            format!("There is no {MODULE_DOC} for `{path}`, nor in a folder above. module_doc_write makes one.");
        return Err(ToolError::Wrong(words));
    };
    let mut ran = read_file::run(cx, &json!({"path": document}))?;
    // Whether it is out of date is told where there is an index, and left unsaid elsewhere.
    if let Ok((_, known)) = known(cx)
        && let Ok(text) = cx.tree.read(&document)
        && let Some(status) = gone(&known, &document, &text.text)
    {
        ran.outcome.output = with_status(ran.outcome.output, &status);
    }
    Ok(ran)
}

/// The document of the folder `path`, or of the nearest above it within the project.
fn nearest(cx: &CallContext, path: &str) -> Option<String> {
    let mut folder = path.strip_suffix(MODULE_DOC).unwrap_or(path).trim_end_matches('/');
    loop {
        let document = if folder.is_empty() { MODULE_DOC.to_owned() } else { format!("{folder}/{MODULE_DOC}") };
        if cx.tree.root().join(&document).is_file() {
            return Some(document);
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |it| it.0);
    }
}

/// Why the document is out of date, if it is.
fn gone(known: &Known, document: &str, text: &str) -> Option<String> {
    let held = module_doc(&known.snapshot, document, text);
    // What is not indexed yet is not gone.
    if known.unsettled || !held.is_stale() {
        return None;
    }
    let all = &held.missing;
    let named: Vec<String> = all.iter().take(GONE).map(|it| format!("{} (line {})", it.name, it.line)).collect();
    let more = if all.len() > GONE { format!(" and {} more", all.len() - GONE) } else { String::new() };
    Some(match all.is_empty() {
        true => format!("[out of date: the code changed {} later]", count(held.behind as usize, "day")),
        false => format!("[out of date: the project has no {}{more}]", plain(&named.join(", "))),
    })
}

fn list(cx: &CallContext) -> Result<ToolResult, ToolError> {
    let (code, known) = known(cx)?;
    let all = module_docs(&known.snapshot);
    let mut out = String::new();
    for document in all.iter().take(LISTED) {
        let bytes = code.read(document).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let held = module_doc(&known.snapshot, document, &text);
        let stale = if held.is_stale() && !known.unsettled { " [out of date]" } else { "" };
        let _ = writeln!(out, "{}: {}{stale}", name(document), plain(&held.says));
    }
    let left = all.len().saturating_sub(LISTED);
    let more = if left > 0 { format!("{left} more: list_files with the glob **/{MODULE_DOC}") } else { String::new() };
    Ok(Outcome::ok(known.reported(out, &[count(all.len(), "module document"), more])).into())
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn the_nearest_document_is_read_and_held_against_the_code() {
        let fixture = Fixture::indexed(&[
            ("lamp/.ac.mod.md", "# lamp\nWhat shines.\n* `switch_on()` and `switch_off()`\n"),
            ("lamp/src/lib.rs", "pub fn switch_on() {}\n"),
            (".ac.mod.md", "# all\nEverything.\n"),
            ("other/a.rs", "fn a() {}\n"),
        ]);
        let ask = |args| fixture.ok("module_doc_read", args);
        let story = [ask(json!({"path": "lamp/src/lib.rs"})), ask(json!({"path": "other"})), ask(json!({}))];
        expect![[r#"
            # lamp
            What shines.
            * `switch_on()` and `switch_off()`
            [lamp/.ac.mod.md: 3 lines]
            [out of date: the project has no switch_off (line 3)]
            --
            # all
            Everything.
            [.ac.mod.md: 2 lines]
            --
            .ac.mod.md: Everything.
            lamp/.ac.mod.md: What shines. [out of date]
            [2 module documents]"#]]
        .assert_eq(&story.join("\n--\n"));
        assert_eq!(fixture.ok("ac_mod_read", json!({"path": "lamp"})), story[0]);
        assert_eq!(ask(json!({"path": "lamp/.ac.mod.md"})), story[0]);
    }

    #[test]
    fn without_an_index_it_is_read_all_the_same() {
        let fixture = Fixture::new();
        fixture.file("a/.ac.mod.md", "# a\n`gone_name()`\n");
        assert_eq!(fixture.ok("module_doc_read", json!({"path": "a"})).lines().last(), Some("[a/.ac.mod.md: 2 lines]"));
        assert!(fixture.fails("module_doc_read", json!({"path": "b"})).contains("module_doc_write makes one"));
    }
}
