//! `project_structure`: the folders as an indented tree, with a count of what lies deeper.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use ox_protocol::Outcome;
use ox_repo::{Entry, WalkOptions};
use serde_json::{Value, json};

use crate::args::{given, number, texts};
use crate::call::tool::{Alias, Run, Tool, ToolResult, object, reads_path};
use crate::text::{count, name as shown, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

const DEPTH: usize = 2;
const DEPTH_MOST: usize = 5;
/// Lines that one call shows at most.
const LINES: usize = 400;
/// Entries that are looked at to count what lies deeper.
const COUNTED: usize = 100_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "project_structure".into(),
        aliases: Alias::list("get_project_structure tree directory_tree repo_map project_tree view_folder"),
        description: "Show folders and files as a tree.".into(),
        schema: schema(),
        explores: true,
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

fn schema() -> Value {
    let globs = json!({"type": "array", "items": {"type": "string"}, "description": "globs"});
    object(
        &[],
        json!({
            "path": {"type": "string"},
            "depth": {"type": "integer", "description": "2 by default, 5 at most"},
            "include": globs,
            "exclude": globs,
        }),
    )
}

/// A folder with what is in it.
#[derive(Default)]
struct Folder {
    folders: BTreeMap<String, Folder>,
    files: Vec<String>,
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let owned = |key: &str| texts(args, key).into_iter().map(str::to_string).collect();
    let from = given(args, "path").unwrap_or(".");
    let options = WalkOptions {
        from: from.to_string(),
        include: owned("include"),
        exclude: owned("exclude"),
        hidden: true,
        limit: COUNTED,
        ..WalkOptions::default()
    };
    let entries = cx.tree.walk(&options)?;
    let base = cx.tree.locate(from, ox_repo::Access::Read)?.rel;
    let top = grown(&entries, &base);
    let depth = number(args, "depth").unwrap_or(DEPTH).clamp(1, DEPTH_MOST);
    let mut lines = Vec::new();
    draw(&top, depth, 0, &mut lines);
    let left = lines.len().saturating_sub(LINES);
    lines.truncate(LINES);
    let (folders, files) = counted(&top);
    let total = crate::builtin::list_files::counted(folders, files);
    let status = match left {
        0 => format!("[{total}]"),
        left => format!("[{total}; {} not shown: lower the depth or narrow the path]", count(left, "line")),
    };
    Ok(Outcome::ok(with_status(lines.join("\n"), &status)).into())
}

fn grown(entries: &[Entry], base: &str) -> Folder {
    let mut top = Folder::default();
    for entry in entries {
        let inside = if base == "." { entry.rel.as_str() } else { entry.rel.strip_prefix(base).unwrap_or(&entry.rel) };
        let mut parts: Vec<&str> = inside.split('/').filter(|it| !it.is_empty()).collect();
        let file = if entry.is_dir { None } else { parts.pop() };
        let folder = parts.into_iter().fold(&mut top, |at, part| at.folders.entry(part.to_string()).or_default());
        folder.files.extend(file.map(str::to_string));
    }
    top
}

fn draw(folder: &Folder, depth: usize, level: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(level);
    for (name, inner) in &folder.folders {
        let mut line = format!("{indent}{}/", shown(name));
        if depth == 1 {
            let (folders, files) = counted(inner);
            if folders + files > 0 {
                let _ = write!(line, " ({})", crate::builtin::list_files::counted(folders, files));
            }
        }
        lines.push(line);
        if depth > 1 {
            draw(inner, depth - 1, level + 1, lines);
        }
    }
    lines.extend(folder.files.iter().map(|file| format!("{indent}{}", shown(file))));
}

fn counted(folder: &Folder) -> (usize, usize) {
    let start = (folder.folders.len(), folder.files.len());
    folder.folders.values().map(counted).fold(start, |sum, it| (sum.0 + it.0, sum.1 + it.1))
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn two_levels_by_default_and_what_lies_deeper_is_counted() {
        let fixture = Fixture::new();
        for path in ["Cargo.toml", "src/lib.rs", "src/deep/a.rs", "src/deep/er/b.rs", "docs/guide/x.md"] {
            fixture.file(path, "");
        }
        let story = [
            fixture.ok("project_structure", json!({})),
            fixture.ok("project_structure", json!({"path": "src", "depth": 9})),
            fixture.ok("project_structure", json!({"include": ["*.rs"], "exclude": "er", "depth": 1})),
        ];
        expect![[r#"
            docs/
              guide/ (0 folders, 1 file)
            src/
              deep/ (1 folder, 2 files)
              lib.rs
            Cargo.toml
            [5 folders, 5 files]
            --
            deep/
              er/
                b.rs
              a.rs
            lib.rs
            [2 folders, 3 files]
            --
            src/ (1 folder, 2 files)
            [2 folders, 2 files]"#]]
        .assert_eq(&story.join("\n--\n"));
    }
}
