//! `list_files`: what is in a folder; all levels only where asked.

use ox_protocol::Outcome;
use ox_repo::{Access, Entry, RepoError, WalkOptions};
use serde_json::{Map, Value, json};

use crate::args::{flag, given, globs, one_glob};
use crate::call::tool::{Alias, Availability, Operation, Run, Tool, ToolResult, object, reads_path};
use crate::text::{count, name, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

/// Entries that one call lists at most.
const ENTRIES: usize = 500;
/// Entries that are looked at to say how many were left out.
const COUNTED: usize = 100_000;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "list_files".into(),
        aliases: Alias::list(
            "list_dir list_directory ls list glob find_files file_search glob_file_search list_folder find",
        ),
        description:
            "List a folder (one level; all levels with `recursive` or `glob`). What .gitignore names is left out."
                .into(),
        schema: object(
            &[],
            json!({
                "path": {"type": "string"},
                "recursive": {"type": "boolean"},
                "glob": {"type": "string", "description": "such as **/*.rs"},
            }),
        ),
        explores: true,
        availability: Availability::Always,
        normalize,
        paths: reads_path,
        run: Run::Blocking(run),
        operation: Some(Operation::List),
        ..Tool::base()
    }
}

/// A pattern given as `path` is a glob; an absolute or relative base in front of it stays part of it.
fn normalize(args: &mut Map<String, Value>) {
    let is_pattern = |key: &&&str| args.get(**key).and_then(Value::as_str).is_some_and(|it| it.contains('*'));
    let pattern = ["path", "paths", "directory", "dir", "folder"].iter().find(is_pattern);
    if let Some(key) = pattern.filter(|_| !args.contains_key("glob") && !args.contains_key("pattern")) {
        let glob = args.shift_remove(*key).expect("the pattern was just read");
        args.insert("glob".into(), glob);
    }
    // Here a pattern is a glob, which is one whatever it is called.
    if !args.contains_key("glob")
        && let Some(glob) = args.shift_remove("pattern")
    {
        args.insert("glob".into(), glob);
    }
    one_glob(args);
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let glob = given(args, "glob");
    let all_levels = flag(args, "recursive") || glob.is_some();
    let (include, exclude) = globs(args);
    let options = WalkOptions {
        from: given(args, "path").unwrap_or(".").to_string(),
        depth: (!all_levels).then_some(1),
        include,
        exclude,
        hidden: true,
        limit: COUNTED,
    };
    let entries = match cx.tree.walk(&options) {
        Err(RepoError::NotDirectory { path }) if glob.is_none() => {
            let size = cx.tree.locate(&path, Access::Read)?.abs.metadata().map_or(0, |it| it.len());
            return Ok(Outcome::ok(format!("[{} is a file of {size} bytes]", name(&path))).into());
        }
        other => other?,
    };
    Ok(Outcome::ok(listed(cx, &options, &entries)).into())
}

/// What is in a folder, for a tool that met one where it expected a file.
pub(crate) fn folder(cx: &CallContext, path: &str) -> Result<Outcome, ToolError> {
    let options = WalkOptions { from: path.to_string(), depth: Some(1), hidden: true, ..WalkOptions::default() };
    let entries = cx.tree.walk(&options)?;
    Ok(Outcome::ok(with_status(listed(cx, &options, &entries), &format!("[{} is a folder]", name(path)))))
}

fn listed(cx: &CallContext, options: &WalkOptions, entries: &[Entry]) -> String {
    let all_levels = options.depth.is_none();
    // With all levels a folder is named by what is in it.
    let listed: Vec<&Entry> = entries.iter().filter(|it| !(all_levels && it.is_dir)).collect();
    if listed.is_empty() {
        return nothing(cx, options);
    }
    let mut output = String::new();
    for entry in listed.iter().take(ENTRIES) {
        output.push_str(&name(&entry.rel));
        output.push_str(if entry.is_dir { "/\n" } else { "\n" });
    }
    if listed.len() > ENTRIES {
        let left = listed.len() - ENTRIES;
        let more = if entries.len() == COUNTED { "at least " } else { "" };
        output = with_status(output, &format!("[{more}{left} more; narrow with path or glob]"));
    }
    output.truncate(output.trim_end_matches('\n').len());
    output
}

fn nothing(cx: &CallContext, options: &WalkOptions) -> String {
    match options.include.first() {
        Some(glob) => format!("[no file matches {glob} in {} ({})]", options.from, cx.tree.root().display()),
        None => format!("[{} is empty, but for what .gitignore names]", options.from),
    }
}

/// Folders and files beneath `options.from`, for tools that count them.
pub(crate) fn counted(folders: usize, files: usize) -> String {
    format!("{}, {}", count(folders, "folder"), count(files, "file"))
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    fn fixture() -> Fixture {
        let fixture = Fixture::new();
        for path in ["Cargo.toml", "src/lib.rs", "src/deep/a.rs", ".github/ci.yml", "target/junk.o", "notes.log"] {
            fixture.file(path, "");
        }
        fixture.file(".gitignore", "/target\n*.log\n");
        fixture
    }

    #[test]
    fn one_level_unless_asked_for_all() {
        let fixture = fixture();
        let story = [
            fixture.ok("list_files", json!({})),
            fixture.ok("list_files", json!({"path": "src"})),
            fixture.ok("list_files", json!({"path": "src", "recursive": "true"})),
            fixture.ok("Glob", json!({"pattern": "**/*.rs"})),
            fixture.ok("list_files", json!({"path": "src/**/a.*"})),
            fixture.ok("list_files", json!({"glob": "*.py"})).replace(&fixture.root(), "ROOT"),
        ];
        expect![[r#"
            .github/
            .gitignore
            Cargo.toml
            src/
            --
            src/deep/
            src/lib.rs
            --
            src/deep/a.rs
            src/lib.rs
            --
            src/deep/a.rs
            src/lib.rs
            --
            src/deep/a.rs
            --
            [no file matches *.py in . (ROOT)]"#]]
        .assert_eq(&story.join("\n--\n"));
    }

    #[test]
    fn odd_names_stay_one_line_each_and_can_be_read() {
        let fixture = Fixture::new();
        fixture.file("two words.txt", "a");
        fixture.file("two\nlines\u{1b}[31m.txt", "b");
        let output = fixture.ok("list_files", json!({}));
        assert_eq!(output, "\"two\\nlines\\u001b[31m.txt\"\ntwo words.txt");
        assert_eq!(
            fixture.ok("read_file", json!({"path": "two\nlines\u{1b}[31m.txt"})),
            "b\n[\"two\\nlines\\u001b[31m.txt\": 1 line]"
        );
    }

    #[test]
    fn what_cannot_be_listed_is_named() {
        let fixture = fixture();
        let words = [
            fixture.fails("list_files", json!({"path": "scr"})),
            fixture.ok("list_files", json!({"path": "Cargo.toml"})),
            fixture.fails("list_files", json!({"glob": "a[b"})),
        ];
        expect![[r#"
            `scr` does not exist; did you mean `src`?
            The project root is ROOT.
            [Cargo.toml is a file of 0 bytes]
            the glob `a[b` is not valid: unclosed character class; missing ']'"#]]
        .assert_eq(&words.join("\n"));
    }

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let fixture = Fixture::new();
        for number in 0..510 {
            fixture.file(&format!("f{number:03}"), "");
        }
        let output = fixture.ok("list_files", json!({}));
        assert!(output.ends_with("f499\n[10 more; narrow with path or glob]"), "{output}");
    }
}
