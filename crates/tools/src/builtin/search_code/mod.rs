//! `search_code`: text and regular expressions in the project's files, with ripgrep's libraries. It follows no link.

mod scan;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ox_protocol::Outcome;
use ox_protocol::names::is_secret;
use ox_repo::{RepoError, WalkOptions};
use serde_json::{Map, Value, json};

use crate::args::{flag, given, globs, limit, number, one_glob, text};
use crate::builtin::search_code::scan::{BYTES, FILE, Found, Query, scan};
use crate::call::tool::{Alias, Availability, Run, Tool, ToolResult, object, reads_path};
use crate::text::{count, name, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

/// Matching lines that one call shows unless told otherwise.
const SHOWN: usize = 100;
const SHOWN_MOST: usize = 1000;
const CONTEXT_MOST: usize = 20;
/// What is found by then is what is answered.
const TIME: Duration = Duration::from_secs(2);

pub(crate) fn tool() -> Tool {
    Tool {
        name: "search_code".into(),
        aliases: Alias::list(
            "search_files grep grep_search ripgrep rg search search_file_content code_search search_text find_in_files search_in_files",
        ),
        description: "Search file contents with a regex (Rust's). Matches come as `number:text` under their file. What .gitignore names is left out.".into(),
        schema: object(
            &["pattern"],
            json!({
                "pattern": {"type": "string"},
                "path": {"type": "string"},
                "glob": {"type": "string"},
                "context": {"type": "integer", "description": "lines around each match"},
                "ignore_case": {"type": "boolean"},
                "literal": {"type": "boolean"},
                "limit": {"type": "integer", "description": "100 by default"},
            }),
        ),
        explores: true,
        availability: Availability::Always,
        normalize,
        validate: |args| {
            text(args, "pattern").is_empty().then(|| "`pattern` is empty; give the text or regex to look for".into())
        },
        paths: reads_path,
        run: Run::Blocking(run),
        ..Tool::base()
    }
}

/// Other agents name the two sides of the context, and case the other way round.
fn normalize(args: &mut Map<String, Value>) {
    one_glob(args);
    for key in ["-A", "-B", "after_context", "before_context"] {
        if let Some(lines) = args.shift_remove(key) {
            args.entry("context").or_insert(lines);
        }
    }
    for key in ["case_sensitive", "caseSensitive"] {
        if let Some(sensitive) = args.shift_remove(key).and_then(|it| it.as_bool()) {
            args.entry("ignore_case").or_insert(Value::Bool(!sensitive));
        }
    }
    if let Some(kind) = args.get("type").and_then(Value::as_str) {
        let glob = format!(
            "*.{}",
            match kind {
                "rust" => "rs",
                "python" => "py",
                "typescript" => "ts",
                "javascript" => "js",
                it => it,
            }
        );
        args.entry("glob").or_insert(Value::String(glob));
    }
}

fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let deadline = Instant::now() + TIME;
    let (matcher, note) = matcher(text(args, "pattern"), flag(args, "literal"), flag(args, "ignore_case"))?;
    let limit = limit(args, SHOWN, SHOWN_MOST);
    let wanted = number(args, "context").unwrap_or(0);
    let context = wanted.min(CONTEXT_MOST);
    let (files, large) = files(cx, given(args, "path").unwrap_or("."), globs(args))?;
    let mut found = scan(cx, &Query { matcher, context, limit, deadline }, &files);
    let mut notes: Vec<String> = note.into_iter().collect();
    if found.hits.is_empty()
        && let Some((matcher, note)) = meant(args)
    {
        let other = scan(cx, &Query { matcher, context, limit, deadline }, &files);
        if !other.hits.is_empty() {
            found = other;
            notes.push(note.into());
        }
    }
    if cx.cancelled() {
        return Err(ToolError::Cancelled);
    }
    if wanted > CONTEXT_MOST && !found.hits.is_empty() {
        notes.push(format!("context is {CONTEXT_MOST} lines at most; read_file shows more"));
    }
    if large > 0 {
        notes.push(format!("{} over 8 MiB not searched", count(large, "file")));
    }
    if let Some((number, why)) = &found.unread {
        notes.push(format!("{} not searched: {why}", count(*number, "file")));
    }
    if found.searched < files.len() {
        let left = count(files.len() - found.searched, "file");
        notes.push(format!("stopped after 2 s with {left} to go: narrow with path or glob"));
    }
    Ok(Outcome::ok(report(&found, limit, notes)).into())
}

/// The compiled pattern. What is not a regex is looked for as it stands, and a note says so.
fn matcher(pattern: &str, literal: bool, any_case: bool) -> Result<(RegexMatcher, Option<String>), ToolError> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(any_case).multi_line(true).line_terminator(Some(b'\n'));
    let error = match builder.fixed_strings(literal).build(pattern) {
        Ok(matcher) => return Ok((matcher, None)),
        Err(error) => error.to_string(),
    };
    if pattern.contains('\n') || pattern.contains("\\n") {
        let words = "a match is within one line; search for one line of it, with `context` to see the others";
        return Err(ToolError::Wrong(words.into()));
    }
    let reason = error.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
    let matcher = builder.fixed_strings(true).build(pattern);
    let matcher = matcher.map_err(|error| ToolError::Wrong(format!("cannot search for this: {error}")))?;
    Ok((matcher, Some(format!("not a regex ({reason}); searched as plain text"))))
}

/// What a pattern without any match was probably meant to be: alternatives in grep's basic syntax, or another case.
fn meant(args: &Value) -> Option<(RegexMatcher, &'static str)> {
    let (pattern, literal, any_case) = (text(args, "pattern"), flag(args, "literal"), flag(args, "ignore_case"));
    if !literal && pattern.contains(r"\|") {
        let (matcher, note) = matcher(&pattern.replace(r"\|", "|"), false, any_case).ok()?;
        return note.is_none().then_some((matcher, r"`\|` read as `|`"));
    }
    let (matcher, note) = if any_case { return None } else { matcher(pattern, literal, true).ok()? };
    note.is_none().then_some((matcher, "no match in this case; these ignore case"))
}

/// The files to search, and how many are too large. A path may name one file; files of secrets are searched only so.
fn files(
    cx: &CallContext,
    path: &str,
    (include, exclude): (Vec<String>, Vec<String>),
) -> Result<(Vec<String>, usize), ToolError> {
    let options = WalkOptions { from: path.to_string(), include, exclude, hidden: true, ..WalkOptions::default() };
    let entries = match cx.tree.walk(&options) {
        Ok(entries) => entries,
        Err(RepoError::NotDirectory { path }) => return Ok((vec![path], 0)),
        Err(error) => return Err(error.into()),
    };
    let files = entries.into_iter().filter(|it| !it.is_dir && !is_secret(&it.rel));
    let (large, files): (Vec<_>, Vec<_>) = files.partition(|it| it.size > FILE);
    Ok((files.into_iter().map(|it| it.rel).collect(), large.len()))
}

/// Each file's name with its lines beneath, cut at the limit, and one line about what was left out.
fn report(found: &Found, limit: usize, mut notes: Vec<String>) -> String {
    let total: usize = found.hits.iter().map(|it| it.matches).sum();
    let (mut out, mut shown) = (String::new(), 0);
    for file in &found.hits {
        if shown == limit || out.len() > BYTES || file.lines.is_empty() {
            break;
        }
        let _ = writeln!(out, "{}{}", if out.is_empty() { "" } else { "\n" }, name(&file.rel));
        for line in &file.lines {
            if (line.is_match && shown == limit) || out.len() > BYTES {
                break;
            }
            shown += usize::from(line.is_match);
            let _ = writeln!(out, "{}", line.text);
        }
    }
    if total == 0 {
        notes.insert(0, format!("no match in {}", count(found.searched, "file")));
    } else if shown < total {
        let all = format!("{} in {}", count(total, "match"), count(found.hits.len(), "file"));
        notes.insert(0, format!("{} of {all} not shown; narrow with path or glob, or raise limit", total - shown));
    }
    let out = out.trim_end().to_string();
    if notes.is_empty() { out } else { with_status(out, &format!("[{}]", notes.join("; "))) }
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    fn fixture() -> Fixture {
        let fixture = Fixture::new();
        fixture.file("src/a.rs", "fn add(a: i32) {}\n\nfn sub() {\n    add(1);\r\n}\n");
        fixture.file("src/b.py", "def add(x):\n    return x + 1\n");
        fixture.file("target/c.rs", "fn add() {}\n");
        fixture.file(".gitignore", "target\n");
        fixture.bytes("data.bin", b"add\0add");
        std::os::unix::fs::symlink("a.rs", fixture.path("src/link.rs")).unwrap();
        fixture
    }

    #[test]
    fn matches_come_under_their_files() {
        let fixture = fixture();
        let story = [
            fixture.ok("search_code", json!({"pattern": "add\\("})),
            fixture.ok("grep", json!({"query": "add", "include": "*.rs", "-C": 1})),
            fixture.ok("search_code", json!({"pattern": "ADD", "path": "src/b.py", "ignore_case": true})),
            fixture.ok("search_code", json!({"pattern": "add(", "path": "src"})),
            fixture.ok("search_code", json!({"pattern": "x + 1", "literal": true})),
            fixture.ok("search_code", json!({"pattern": "nowhere"})),
            fixture.ok("search_code", json!({"pattern": "SUB\\|nowhere"})),
            fixture.ok("search_code", json!({"pattern": "sub()\\|nowhere"})),
            fixture.ok("search_code", json!({"pattern": "DEF"})),
            fixture.ok("search_code", json!({"pattern": "add", "glob": "!*.rs"})),
            fixture.ok("search_code", json!({"pattern": "add", "glob": ["*.{rs,py}", "!b.*"], "context": 21})),
            fixture.ok("search_code", json!({"pattern": "add", "glob": "!src/"})),
        ];
        expect![[r#"
            src/a.rs
            1:fn add(a: i32) {}
            4:    add(1);

            src/b.py
            1:def add(x):
            ====
            src/a.rs
            1:fn add(a: i32) {}
            2-
            3-fn sub() {
            4:    add(1);
            5-}
            ====
            src/b.py
            1:def add(x):
            ====
            src/a.rs
            1:fn add(a: i32) {}
            4:    add(1);

            src/b.py
            1:def add(x):
            [not a regex (unclosed group); searched as plain text]
            ====
            src/b.py
            2:    return x + 1
            ====
            [no match in 5 files]
            ====
            [no match in 5 files]
            ====
            src/a.rs
            3:fn sub() {
            [`\|` read as `|`]
            ====
            src/b.py
            1:def add(x):
            [no match in this case; these ignore case]
            ====
            src/b.py
            1:def add(x):
            ====
            src/a.rs
            1:fn add(a: i32) {}
            2-
            3-fn sub() {
            4:    add(1);
            5-}
            [context is 20 lines at most; read_file shows more]
            ====
            [no match in 2 files]"#]]
        .assert_eq(&story.join("\n====\n"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let fixture = Fixture::new();
        for number in 0..70 {
            fixture.file(&format!("f{number:02}.txt"), "hit\nhit\nmiss\n");
        }
        fixture.file("long.txt", &format!("needle{}\n", "x".repeat(1000)));
        let output = fixture.ok("search_code", json!({"pattern": "^hit", "limit": 3}));
        expect![[r#"
            f00.txt
            1:hit
            2:hit

            f01.txt
            1:hit
            [137 of 140 matches in 70 files not shown; narrow with path or glob, or raise limit]"#]]
        .assert_eq(&output);
        let output = fixture.ok("search_code", json!({"pattern": "needle"}));
        assert!(output.ends_with("x… [1006 characters]"), "{output}");
    }

    #[test]
    fn what_cannot_be_searched_is_said() {
        let fixture = fixture();
        fixture.bytes("huge.txt", &vec![b'a'; 9 << 20]);
        fixture.file(".env", "add = 1\n");
        assert!(
            fixture
                .ok("search_code", json!({"pattern": "add = 1"}))
                .contains("no match in 5 files; 1 file over 8 MiB not searched")
        );
        assert!(
            fixture.ok("search_code", json!({"pattern": "add = 1", "path": ".env"})).contains("1:add = 1"),
            "with consent"
        );
        assert!(
            fixture
                .ok("search_code", json!({"pattern": "a", "path": "huge.txt"}))
                .contains("1 file not searched: `huge.txt` has")
        );
        let words = [
            fixture.fails("search_code", json!({"pattern": ""})),
            fixture.fails("search_code", json!({"pattern": "a\nb"})),
            fixture.fails("search_code", json!({"pattern": "a", "path": "srcs"})),
        ];
        expect![[r#"
            `search_code` was not run: `pattern` is empty; give the text or regex to look for
            a match is within one line; search for one line of it, with `context` to see the others
            `srcs` does not exist; did you mean `src`?
            The project root is ROOT."#]]
        .assert_eq(&words.join("\n"));
    }

    #[test]
    fn a_cancelled_search_stops() {
        let fixture = fixture();
        fixture.cx.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(fixture.fails("search_code", json!({"pattern": "a"})).contains("stopped by the user"));
    }
}
