//! `read_file`: a file as it is, whole or by lines, and pictures. It numbers no lines, so that text can be copied.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_protocol::{Image, Outcome, ReadFile};
use ox_repo::{Hash, Lines, RepoError};
use serde_json::{Map, Value, json};

use crate::args::{given, number, texts};
use crate::call::tool::{Alias, Availability, Operation, PathAccess, Run, Tool, ToolResult, object};
use crate::session::read_texts::LARGEST;
use crate::text::{count, name, with_status};
use crate::{call::context::CallContext, call::error::ToolError};

/// Lines that one call shows at most.
const LINES: usize = 2000;
/// Bytes that one call shows at most, over all its files.
const BYTES: usize = 50_000;
/// Bytes of a picture at most; what providers take.
const IMAGE_BYTES: u64 = 5 << 20;

pub(crate) fn tool() -> Tool {
    Tool {
        name: "read_file".into(),
        aliases: Alias::list("read view_file open_file view cat read_many_files read_files get_file editor:view"),
        description:
            "Read a file as raw text, or a png, jpeg, gif or webp image. At most 2000 lines or 50 KB per call.".into(),
        schema: object(
            &[],
            json!({
                "path": {"type": "string"},
                "paths": {"type": "array", "items": {"type": "string"}, "description": "several files at once"},
                "start_line": {"type": "integer", "description": "from 1"},
                "end_line": {"type": "integer", "description": "inclusive"},
            }),
        ),
        explores: true,
        availability: Availability::Always,
        normalize,
        validate,
        paths: |args| paths(args).into_iter().map(PathAccess::read).collect(),
        run: Run::Sync(run),
        operation: Some(Operation::Read),
        ..Tool::base()
    }
}

/// Other agents give a number of lines, a pair of lines, or a list as `path`.
fn normalize(args: &mut Map<String, Value>) {
    for key in ["path", "file_path", "files"] {
        if args.get(key).is_some_and(|it| it.is_array()) {
            let list = args.shift_remove(key).expect("the key was just found");
            args.insert("paths".into(), list);
        }
    }
    for key in ["view_range", "line_range", "range", "lines"] {
        if let Some([from, to]) = args.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            let (from, to) = (from.clone(), to.clone());
            args.insert("start_line".into(), from);
            args.insert("end_line".into(), to);
        }
    }
    let whole = |key: &str| args.get(key).and_then(|it| it.as_i64().or_else(|| it.as_str()?.trim().parse().ok()));
    if let Some(limit) = whole("limit").filter(|it| *it > 0)
        && whole("end_line").is_none()
    {
        let from = whole("offset").or_else(|| whole("start_line")).unwrap_or(1).max(1);
        args.insert("end_line".into(), Value::from(from.saturating_add(limit - 1)));
    }
}

fn paths(args: &Value) -> Vec<&str> {
    given(args, "path").into_iter().chain(texts(args, "paths")).collect()
}

fn validate(args: &Value) -> Option<String> {
    if paths(args).is_empty() {
        return Some("`path` is missing; name the file to read".into());
    }
    let (from, to) = range(args);
    to.filter(|to| *to < from)
        .map(|to| format!("end_line {to} is before start_line {from}; lines count from 1, inclusive"))
}

/// The first line, and the last one where it was given.
fn range(args: &Value) -> (usize, Option<usize>) {
    (number(args, "start_line").unwrap_or(1).max(1), number(args, "end_line").filter(|it| *it > 0))
}

pub fn run(cx: &CallContext, args: &Value) -> Result<ToolResult, ToolError> {
    let (from, to) = range(args);
    match paths(args).as_slice() {
        [path] => Ok(one(cx, path, from, to, BYTES, true)?.into()),
        several => several_files(cx, several, from, to),
    }
}

/// Each file under a line with its name. A file that cannot be read says so in its place.
fn several_files(cx: &CallContext, paths: &[&str], from: usize, to: Option<usize>) -> Result<ToolResult, ToolError> {
    let mut all = Outcome::default();
    let mut failed = None;
    let mut shown = 0;
    for path in paths {
        let room = BYTES.saturating_sub(all.output.len());
        let piece = match room {
            0 => Ok(Outcome::ok("[not shown: the 50 KB of this call are used up; read it by itself]")),
            room => one(cx, path, from, to, room, false),
        };
        let piece = piece.unwrap_or_else(|error| {
            let words = format!("[{error}]");
            failed = Some(error);
            Outcome::failed(words)
        });
        shown += usize::from(!piece.is_failure());
        all.output = with_status(all.output, &format!("==> {path} <==\n{}", piece.output));
        all.images.extend(piece.images);
        all.read.extend(piece.read);
    }
    match failed {
        Some(error) if shown == 0 => Err(error),
        _ => Ok(all.into()),
    }
}

/// The lines of one file. `named`: the line after them says whose they are, since results of several calls stand side by
/// side.
fn one(
    cx: &CallContext,
    path: &str,
    from: usize,
    to: Option<usize>,
    room: usize,
    named: bool,
) -> Result<Outcome, ToolError> {
    if let Some(image) = image(cx, path)? {
        let words = format!("[{}, {}, {} bytes of base64]", image.name, image.media_type, image.data.len());
        return Ok(Outcome { images: vec![image], ..Outcome::ok(words) });
    }
    let last = to.unwrap_or(usize::MAX).min(from.saturating_add(LINES - 1));
    let mut lines = match cx.tree.read_lines(path, from, Some(last), room) {
        // Whoever opens a folder wants to know what is in it.
        Err(RepoError::IsDirectory { path }) => return crate::builtin::list_files::folder(cx, &path),
        other => other?,
    };
    let cut_line = drop_cut_line(&mut lines);
    let mut read = Vec::new();
    if let (Some(hash), Some(total)) = (lines.hash, lines.total_lines)
        && !cut_line
    {
        cx.reads.mark_part(&lines.rel, hash, lines.from, lines.to, total);
        let whole = lines.from == 1 && lines.to >= total;
        read.push(ReadFile { path: lines.rel.clone(), hash: hash.to_string(), whole });
        if lines.size <= LARGEST as u64 {
            remember(cx, path, hash);
        }
    }
    let text = lines.text.replace("\r\n", "\n");
    let whose = if named { format!("{}: ", name(&lines.rel)) } else { String::new() };
    let output = match status(&lines, cut_line, to) {
        Some(status) => with_status(text, &format!("[{whose}{status}]")),
        None if named => with_status(text, &format!("[{whose}{}]", count(lines.to, "line"))),
        None => text,
    };
    Ok(Outcome { read, ..Outcome::ok(output) })
}

/// Keeps the text that the lines are from, so that an edit can be merged with what somebody else changes meanwhile.
fn remember(cx: &CallContext, path: &str, hash: Hash) {
    // A file that changed just now is the next call's matter.
    if let Ok(file) = cx.tree.read(path)
        && file.hash == hash
    {
        cx.reads.believe(&file.rel, &file.text);
    }
}

/// Ends the text after its last whole line. True when there is none: a single line is longer than what is shown.
fn drop_cut_line(lines: &mut Lines) -> bool {
    if !lines.truncated || lines.text.ends_with('\n') {
        return false;
    }
    match lines.text.rfind('\n') {
        Some(end) => {
            lines.text.truncate(end + 1);
            lines.to -= 1;
            false
        }
        None => true,
    }
}

/// What of the file is not in the text; none where nothing was left out.
fn status(lines: &Lines, cut_line: bool, to: Option<usize>) -> Option<String> {
    let of = lines.total_lines.map_or_else(|| format!("a file of {} bytes", lines.size), |it| format!("{it}"));
    if cut_line {
        let shown = lines.text.len();
        return Some(format!("line {} is cut after {shown} bytes; search_code finds text within it", lines.to));
    }
    match lines.total_lines {
        Some(0) => return Some("empty".into()),
        Some(total) if lines.to < lines.from => return Some(format!("has only {total} lines")),
        Some(total) if lines.to >= total && lines.from == 1 => return None,
        _ => {}
    }
    let shown = format!("lines {}-{} of {of}", lines.from, lines.to);
    let ends = to.is_some_and(|to| lines.to >= to) || lines.total_lines.is_some_and(|total| lines.to >= total);
    Some(if ends { shown } else { format!("{shown}; more lines; continue with start_line={}", lines.to + 1) })
}

/// The picture, if the file's name and first bytes say that it is one.
fn image(cx: &CallContext, path: &str) -> Result<Option<Image>, ToolError> {
    let lower = path.to_ascii_lowercase();
    if ![".png", ".jpg", ".jpeg", ".gif", ".webp"].iter().any(|it| lower.ends_with(it)) {
        return Ok(None);
    }
    let bytes = cx.tree.read_bytes(path, IMAGE_BYTES)?;
    let media_type = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        _ => return Ok(None),
    };
    Ok(Some(Image { media_type: media_type.into(), data: STANDARD.encode(&bytes), name: path.into() }))
}

#[cfg(test)]
mod tests {
    use crate::tests::testing::Fixture;
    use expect_test::expect;
    use serde_json::json;

    #[test]
    fn text_is_raw_and_what_is_left_out_is_said() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "one\r\n\ttwo \"quoted\"\r\nthree");
        fixture.file("empty.txt", "");
        fixture.file("long.txt", &(1..=2100).map(|it| format!("{it}\n")).collect::<String>());
        let tail = |args| {
            let output = fixture.ok("read_file", args);
            output.lines().rev().take(2).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
        };
        assert_eq!(fixture.ok("read_file", json!({"path": "a.txt"})), "one\n\ttwo \"quoted\"\nthree\n[a.txt: 3 lines]");
        assert_eq!(
            tail(json!({"path": "long.txt"})),
            "2000\n[long.txt: lines 1-2000 of 2100; more lines; continue with start_line=2001]"
        );
        assert_eq!(tail(json!({"path": "long.txt", "start_line": 2099})), "2100\n[long.txt: lines 2099-2100 of 2100]");
        assert_eq!(tail(json!({"path": "long.txt", "offset": 5, "limit": 2})), "6\n[long.txt: lines 5-6 of 2100]");
        assert_eq!(tail(json!({"path": "long.txt", "view_range": [7, 8]})), "8\n[long.txt: lines 7-8 of 2100]");
        assert_eq!(tail(json!({"path": "long.txt", "start_line": 3000})), "[long.txt: has only 2100 lines]");
        assert_eq!(tail(json!({"path": "empty.txt"})), "[empty.txt: empty]");
    }

    #[test]
    fn a_folder_is_listed() {
        let fixture = Fixture::new();
        fixture.file("src/a.rs", "");
        fixture.file("src/b/c.rs", "");
        assert_eq!(fixture.ok("read_file", json!({"path": "src"})), "src/a.rs\nsrc/b/\n[src is a folder]");
    }

    #[test]
    fn the_byte_limit_ends_after_a_whole_line() {
        let fixture = Fixture::new();
        fixture.file("wide.txt", &format!("{}\n", "x".repeat(999)).repeat(60));
        fixture.file("one.json", &"y".repeat(60_000));
        let output = fixture.ok("read_file", json!({"path": "wide.txt"}));
        assert!(
            output.ends_with("x\n[wide.txt: lines 1-50 of 60; more lines; continue with start_line=51]"),
            "{}",
            &output[output.len() - 80..]
        );
        let output = fixture.ok("read_file", json!({"path": "one.json"}));
        assert!(output.ends_with("y\n[one.json: line 1 is cut after 50000 bytes; search_code finds text within it]"));
    }

    #[test]
    fn a_file_of_any_size_is_read_by_lines() {
        let fixture = Fixture::new();
        fixture.file("huge.log", &"a line\n".repeat(50_000));
        // The rest is a hole: the file claims 5 GB and takes none.
        std::fs::OpenOptions::new().write(true).open(fixture.path("huge.log")).unwrap().set_len(5 << 30).unwrap();
        let output = fixture.ok("read_file", json!({"path": "huge.log", "start_line": 40_000, "end_line": 40_001}));
        assert_eq!(output, "a line\na line\n[huge.log: lines 40000-40001 of a file of 5368709120 bytes]");
        let output = fixture.ok("read_file", json!({"path": "huge.log"}));
        assert!(output.ends_with(
            "a line\n[huge.log: lines 1-2000 of a file of 5368709120 bytes; more lines; continue with start_line=2001]"
        ));
        let words = fixture.fails("write_file", json!({"path": "huge.log", "content": ""}));
        assert!(words.contains("5368709120 bytes"), "{words}");
    }

    #[test]
    fn several_files_come_under_their_names() {
        let fixture = Fixture::new();
        fixture.file("a.txt", "a\n");
        fixture.file("src/b.txt", "b");
        expect![[r#"
            ==> a.txt <==
            a
            ==> src/b.txt <==
            b
            ==> b.txt <==
            [`b.txt` does not exist; did you mean `src/b.txt`, `a.txt`?]"#]]
        .assert_eq(&fixture.ok("read_file", json!({"paths": ["a.txt", "src/b.txt", "b.txt"]})));
        assert!(fixture.fails("read_file", json!({"paths": ["x", "y"]})).contains("does not exist"));
    }

    #[test]
    fn pictures_are_shown_as_pictures() {
        let fixture = Fixture::new();
        fixture.bytes("dot.png", b"\x89PNG\r\n\x1a\nrest");
        fixture.bytes("fake.png", b"text");
        let outcome = fixture.run("read_file", json!({"path": "dot.png"})).outcome;
        assert_eq!((outcome.images[0].media_type.as_str(), outcome.images[0].name.as_str()), ("image/png", "dot.png"));
        assert_eq!(outcome.images[0].data, "iVBORw0KGgpyZXN0");
        assert_eq!(fixture.ok("read_file", json!({"path": "fake.png"})), "text\n[fake.png: 1 line]");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_the_next_step() {
        let fixture = Fixture::new();
        fixture.bytes("data.bin", b"\x7fELF\0\0\0\x01\xff\xfe\0\0");
        fixture.file("src/main.rs", "");
        let words: Vec<String> = [
            json!({"path": "data.bin"}),
            json!({"path": "src/mian.rs"}),
            json!({"path": "src/main.rs", "start_line": 9, "end_line": 3}),
            json!({}),
        ]
        .map(|args| fixture.fails("read_file", args))
        .to_vec();
        expect![[r#"
            `data.bin` is a binary file (12 bytes), not text; it cannot be shown or edited as text
            `src/mian.rs` does not exist; did you mean `src/main.rs`?
            The project root is ROOT.
            `read_file` was not run: end_line 3 is before start_line 9; lines count from 1, inclusive
            `read_file` was not run: `path` is missing; name the file to read"#]]
        .assert_eq(&words.join("\n"));
    }
}
