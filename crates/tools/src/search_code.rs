//! `search_code`: text and regular expressions in the project's files, with ripgrep's libraries. It follows no link.

use std::fmt::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use ox_protocol::Outcome;
use ox_repo::{RepoError, WalkOptions};
use serde_json::{Map, Value, json};

use crate::args::{flag, given, number, text};
use crate::text::{count, with_status};
use crate::tool::{Offered, Ran, Run, Tool, object, reads_path};
use crate::{Cx, ToolError};

/// Matching lines that one call shows unless told otherwise.
const SHOWN: usize = 100;
const SHOWN_MOST: usize = 1000;
const CONTEXT_MOST: usize = 20;
/// Characters of a line that are shown.
const LINE: usize = 300;
/// Bytes that one call shows at most.
const BYTES: usize = 40_000;
/// Larger files are not searched.
const FILE: u64 = 16 << 20;
/// What is found by then is what is answered.
const TIME: Duration = Duration::from_secs(10);
/// From this many files on, threads pay.
const MANY: usize = 64;

pub(crate) static TOOL: Tool = Tool {
    name: "search_code",
    also: &[
        "search_files",
        "grep",
        "grep_search",
        "ripgrep",
        "rg",
        "search",
        "search_file_content",
        "code_search",
        "search_text",
        "find_in_files",
        "search_in_files",
    ],
    words: "Search file contents by regex (ripgrep's). Files are found as list_files finds them; lines come as `number:text`.",
    schema,
    explores: true,
    offered: Offered::Always,
    adapt,
    touches: reads_path,
    run: Run::Slow(run),
    ..Tool::BASE
};

fn schema() -> Value {
    object(
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
    )
}

/// Other agents name the two sides of the context, and case the other way round.
fn adapt(args: &mut Map<String, Value>) {
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

/// What is looked for and how much is shown.
struct Query {
    matcher: RegexMatcher,
    context: usize,
    limit: usize,
    /// Said in the status line.
    note: Option<String>,
}

/// One file's matches.
struct Hits {
    rel: String,
    /// Each line as `number:text`, context as `number-text`, gaps as `--`.
    lines: Vec<Line>,
    matches: usize,
}

struct Line {
    text: String,
    is_match: bool,
}

fn run(cx: &Cx, args: &Value) -> Result<Ran, ToolError> {
    let query = query(args)?;
    let path = given(args, "path").unwrap_or(".");
    let (files, large) = files(cx, path, given(args, "glob"))?;
    let search = Search {
        cx,
        query: &query,
        deadline: Instant::now() + TIME,
        next: AtomicUsize::new(0),
        hits: Mutex::new(Vec::new()),
    };
    search.all(&files);
    if cx.cancelled() {
        return Err(ToolError::Cancelled);
    }
    let late = search.next.load(Ordering::Relaxed) < files.len();
    let mut hits = search.hits.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    hits.sort_by(|a, b| a.rel.cmp(&b.rel));
    let mut notes: Vec<String> = query.note.iter().cloned().collect();
    if large > 0 {
        notes.push(format!("{} over 16 MiB not searched", count(large, "file")));
    }
    if late {
        notes.push("stopped after 10 s: narrow with path or glob".into());
    }
    Ok(Outcome::ok(report(&hits, &query, notes, files.len())).into())
}

fn query(args: &Value) -> Result<Query, ToolError> {
    let pattern = text(args, "pattern");
    if pattern.is_empty() {
        return Err(ToolError::Wrong("`pattern` is empty; give the text or regex to look for".into()));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(flag(args, "ignore_case")).multi_line(true).line_terminator(Some(b'\n'));
    let literal = |builder: &mut RegexMatcherBuilder| {
        builder
            .fixed_strings(true)
            .build(pattern)
            .map_err(|error| ToolError::Wrong(format!("cannot search for this: {error}")))
    };
    let mut note = None;
    let matcher = match builder.fixed_strings(flag(args, "literal")).build(pattern) {
        Ok(matcher) => matcher,
        Err(_) if pattern.contains('\n') || pattern.contains("\\n") => {
            return Err(ToolError::Wrong(
                "a match is within one line; search for one line of it, with `context` to see the others".into(),
            ));
        }
        Err(error) => {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim().trim_start_matches("error: ").to_string();
            note = Some(format!("not a regex ({reason}); searched as plain text"));
            literal(&mut builder)?
        }
    };
    let limit = number(args, "limit").filter(|it| *it > 0).unwrap_or(SHOWN).min(SHOWN_MOST);
    Ok(Query { matcher, context: number(args, "context").unwrap_or(0).min(CONTEXT_MOST), limit, note })
}

/// The files to search, and how many are too large. A path may name one file.
fn files(cx: &Cx, path: &str, glob: Option<&str>) -> Result<(Vec<String>, usize), ToolError> {
    let options = WalkOptions {
        from: path.to_string(),
        include: glob.map(str::to_string).into_iter().collect(),
        hidden: true,
        ..WalkOptions::default()
    };
    let entries = match cx.tree.walk(&options) {
        Ok(entries) => entries,
        Err(RepoError::NotDirectory { path }) => return Ok((vec![path], 0)),
        Err(error) => return Err(error.into()),
    };
    let files = entries.into_iter().filter(|it| !it.is_dir);
    let (large, files): (Vec<_>, Vec<_>) = files.partition(|it| it.size > FILE);
    Ok((files.into_iter().map(|it| it.rel).collect(), large.len()))
}

struct Search<'a> {
    cx: &'a Cx,
    query: &'a Query,
    deadline: Instant,
    /// Index of the next file that nobody has taken yet.
    next: AtomicUsize,
    hits: Mutex<Vec<Hits>>,
}

impl Search<'_> {
    fn all(&self, files: &[String]) {
        let threads =
            if files.len() < MANY { 1 } else { std::thread::available_parallelism().map_or(2, usize::from).min(8) };
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(|| self.some(files));
            }
            self.some(files);
        });
    }

    /// Takes file after file until none is left, the time is up or the call is cancelled.
    fn some(&self, files: &[String]) {
        let mut searcher = SearcherBuilder::new()
            .line_number(true)
            .before_context(self.query.context)
            .after_context(self.query.context)
            .binary_detection(BinaryDetection::quit(0))
            .build();
        while !self.cx.cancelled() && Instant::now() < self.deadline {
            let Some(rel) = files.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            if let Some(hits) = self.one(&mut searcher, rel) {
                self.hits.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(hits);
            }
        }
    }

    fn one(&self, searcher: &mut Searcher, rel: &str) -> Option<Hits> {
        let link = self.cx.tree.root().join(rel).symlink_metadata().is_ok_and(|it| it.is_symlink());
        let bytes = if link { return None } else { self.cx.tree.read_bytes(rel, FILE).ok()? };
        let mut sink =
            Collect { limit: self.query.limit, hits: Hits { rel: rel.to_string(), lines: Vec::new(), matches: 0 } };
        searcher.search_slice(&self.query.matcher, &bytes, &mut sink).ok()?;
        (sink.hits.matches > 0).then_some(sink.hits)
    }
}

/// Keeps the lines up to the limit and counts the rest.
struct Collect {
    limit: usize,
    hits: Hits,
}

impl Collect {
    fn keep(&mut self, number: Option<u64>, bytes: &[u8], is_match: bool) {
        if self.hits.matches > self.limit {
            return;
        }
        let line = String::from_utf8_lossy(bytes);
        let line = line.trim_end_matches(['\n', '\r']);
        let mut text = format!("{}{}", number.unwrap_or_default(), if is_match { ':' } else { '-' });
        text.extend(line.chars().take(LINE));
        if line.chars().nth(LINE).is_some() {
            let _ = write!(text, "… [{} characters]", line.chars().count());
        }
        self.hits.lines.push(Line { text, is_match });
    }
}

impl Sink for Collect {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.hits.matches += 1;
        self.keep(found.line_number(), found.bytes(), true);
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, Self::Error> {
        self.keep(found.line_number(), found.bytes(), false);
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, Self::Error> {
        if self.hits.matches <= self.limit {
            self.hits.lines.push(Line { text: "--".into(), is_match: false });
        }
        Ok(true)
    }
}

/// Each file's name with its lines beneath, cut at the limit, and one line about what was left out.
fn report(hits: &[Hits], query: &Query, mut notes: Vec<String>, searched: usize) -> String {
    let total: usize = hits.iter().map(|it| it.matches).sum();
    let (mut out, mut shown) = (String::new(), 0);
    for file in hits {
        if shown == query.limit || out.len() > BYTES {
            break;
        }
        let _ = writeln!(out, "{}{}", if out.is_empty() { "" } else { "\n" }, file.rel);
        for line in &file.lines {
            if (line.is_match && shown == query.limit) || out.len() > BYTES {
                break;
            }
            shown += usize::from(line.is_match);
            let _ = writeln!(out, "{}", line.text);
        }
    }
    if total == 0 {
        notes.insert(0, format!("no match in {}", count(searched, "file")));
    } else if shown < total {
        let all = format!("{} in {}", count(total, "match"), count(hits.len(), "file"));
        notes.insert(0, format!("{} of {all} not shown; narrow with path or glob, or raise limit", total - shown));
    }
    let out = out.trim_end().to_string();
    if notes.is_empty() { out } else { with_status(out, &format!("[{}]", notes.join("; "))) }
}

#[cfg(test)]
mod tests {
    use crate::testing::World;
    use expect_test::expect;
    use serde_json::json;

    fn world() -> World {
        let world = World::new();
        world.file("src/a.rs", "fn add(a: i32) {}\n\nfn sub() {\n    add(1);\r\n}\n");
        world.file("src/b.py", "def add(x):\n    return x + 1\n");
        world.file("target/c.rs", "fn add() {}\n");
        world.file(".gitignore", "target\n");
        world.bytes("data.bin", b"add\0add");
        std::os::unix::fs::symlink("a.rs", world.path("src/link.rs")).unwrap();
        world
    }

    #[test]
    fn matches_come_under_their_files() {
        let world = world();
        let story = [
            world.ok("search_code", json!({"pattern": "add\\("})),
            world.ok("grep", json!({"query": "add", "include": "*.rs", "-C": 1})),
            world.ok("search_code", json!({"pattern": "ADD", "path": "src/b.py", "ignore_case": true})),
            world.ok("search_code", json!({"pattern": "add(", "path": "src"})),
            world.ok("search_code", json!({"pattern": "x + 1", "literal": true})),
            world.ok("search_code", json!({"pattern": "nowhere"})),
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
            [no match in 5 files]"#]]
        .assert_eq(&story.join("\n====\n"));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let world = World::new();
        for number in 0..70 {
            world.file(&format!("f{number:02}.txt"), "hit\nhit\nmiss\n");
        }
        world.file("long.txt", &format!("needle{}\n", "x".repeat(1000)));
        let output = world.ok("search_code", json!({"pattern": "^hit", "limit": 3}));
        expect![[r#"
            f00.txt
            1:hit
            2:hit

            f01.txt
            1:hit
            [137 of 140 matches in 70 files not shown; narrow with path or glob, or raise limit]"#]]
        .assert_eq(&output);
        let output = world.ok("search_code", json!({"pattern": "needle"}));
        assert!(output.ends_with("x… [1006 characters]"), "{output}");
    }

    #[test]
    fn what_cannot_be_searched_is_said() {
        let world = world();
        let words = [
            world.fails("search_code", json!({"pattern": ""})),
            world.fails("search_code", json!({"pattern": "a\nb"})),
            world.fails("search_code", json!({"pattern": "a", "path": "srcs"})),
        ];
        expect![[r#"
            `pattern` is empty; give the text or regex to look for
            a match is within one line; search for one line of it, with `context` to see the others
            `srcs` does not exist; did you mean `src`?
            The project root is ROOT."#]]
        .assert_eq(&words.join("\n"));
    }

    #[test]
    fn a_cancelled_search_stops() {
        let world = world();
        world.cx.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(world.fails("search_code", json!({"pattern": "a"})).contains("stopped by the user"));
    }
}
