//! Files with their lines, and the frames of stacks, in the words of the common languages.

use std::sync::LazyLock;

use regex::Regex;

use super::links::Mention;

/// What the stacks of a text say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Stack {
    /// The files of its frames, where the fault happened first.
    pub mentions: Vec<Mention>,
    /// The functions of its frames: what stands before, and the name.
    pub functions: Vec<(Vec<String>, String)>,
}

/// So many frames of one stack are kept.
const FRAMES: usize = 24;

/// How languages write frames: where the fault is, and what such a line looks like.
static SHAPES: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let rows = include_str!("frames.txt").lines().filter(|it| !it.starts_with('#'));
    let row = |it: &'static str| {
        let (kind, regex) = it.split_once(' ')?;
        Some((kind, Regex::new(regex).ok()?))
    };
    rows.map(|it| row(it).expect("the table's expressions are tested")).collect()
});
/// A path in a text: with a folder or a well-known ending, and perhaps a line.
static PATH: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:[A-Za-z]:)?(?:[\w@.+\-]+[/\\]|/)*[\w@+\-][\w@.+\-]*\.(?P<ending>[A-Za-z][A-Za-z0-9+]{0,9})\b(?::(?P<line>\d+)|\((?P<other>\d+)\)|#L(?P<third>\d+))?")
        .expect("the expression is tested")
});
/// Endings of files that are named without a folder.
const ENDINGS: &[&str] = &[
    "c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "m", "mm", "rs", "py", "pyi", "pyx", "js", "jsx", "mjs",
    "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "go", "java", "kt", "kts", "scala", "groovy", "cs", "fs", "vb",
    "rb", "php", "swift", "lua", "sh", "bash", "zsh", "fish", "ps1", "pl", "r", "jl", "ex", "exs", "erl", "hs", "ml",
    "clj", "dart", "zig", "nim", "sql", "proto", "toml", "yaml", "yml", "json", "xml", "gradle", "cmake", "md", "rst",
    "txt", "css", "scss", "less", "html", "cfg", "ini", "conf", "tcl", "in", "def", "nu",
];

/// The frames of all stacks in a text.
pub(super) fn frames(text: &str) -> Stack {
    let mut stack = Stack::default();
    let mut runs: Vec<(Vec<Frame>, bool)> = Vec::new();
    let mut last_line = usize::MAX;
    for (number, line) in
        text.lines().enumerate().filter(|(_, it)| it.len() < 2_000 && it.contains([':', '(', '"', '.']))
    {
        let found = SHAPES.iter().find_map(|(kind, regex)| Some((*kind, regex.captures(line)?)));
        let Some((kind, captures)) = found else { continue };
        let name = captures.name("name").and_then(|it| function(it.as_str()));
        let innermost_last = kind == "last";
        let file = match kind {
            "alone" => {
                stack.functions.extend(name.filter(|_| stack.functions.len() < FRAMES));
                continue;
            }
            "packaged" => packaged(&captures["file"], name.as_ref()),
            _ => captures["file"].replace('\\', "/"),
        };
        let frame = Frame { file, line: captures.name("line").and_then(|it| it.as_str().parse().ok()), name };
        // Python prints the source line below each frame, Go and Rust the function.
        let near = number.saturating_sub(last_line) <= if innermost_last { 14 } else { 3 } && number > last_line;
        match runs.last_mut().filter(|(_, last)| near && *last == innermost_last) {
            Some((run, _)) => run.push(frame),
            None => runs.push((vec![frame], innermost_last)),
        }
        last_line = number;
    }
    for (mut run, innermost_last) in runs {
        if innermost_last {
            run.reverse();
        }
        for (depth, frame) in run.into_iter().take(FRAMES).enumerate() {
            let depth = u32::try_from(depth).expect("there are few frames");
            stack.functions.extend(frame.name.filter(|_| stack.functions.len() < FRAMES));
            stack.mentions.push(Mention { path: frame.file, line: frame.line, frame: Some(depth) });
        }
    }
    stack.mentions.truncate(4 * FRAMES);
    stack
}

struct Frame {
    file: String,
    line: Option<u32>,
    name: Option<(Vec<String>, String)>,
}

/// `a.b.Type.method` and `File.java` as `a/b/File.java`.
fn packaged(file: &str, name: Option<&(Vec<String>, String)>) -> String {
    let folders = name.map(|(before, _)| before.as_slice()).unwrap_or_default();
    let package = folders.iter().take_while(|it| it.starts_with(char::is_lowercase));
    package.map(|it| format!("{it}/")).collect::<String>() + file
}

/// A function's name in its parts; none for closures, lambdas and modules.
fn function(name: &str) -> Option<(Vec<String>, String)> {
    let name = name.rsplit('/').next()?.replace("(*", "").replace(')', "");
    let plain = name.replace("::", ".").replace("->", ".").replace(['\\', '#', '$'], ".");
    let mut parts: Vec<String> = plain
        .split('.')
        .map(|it| it.split('<').next().unwrap_or(it).trim())
        .filter(|it| {
            !it.is_empty()
                && it.chars().all(|it| it.is_alphanumeric() || it == '_')
                && !it.starts_with(|it: char| it.is_ascii_digit())
        })
        .filter(|it| {
            !matches!(*it, "lambda" | "init" | "new" | "module" | "Object" | "anonymous" | "closure" | "func1")
        })
        .map(str::to_owned)
        .collect();
    let last = parts.pop()?;
    Some((parts, last))
}

/// The paths in a line, outside of frames too.
pub(super) fn paths(line: &str) -> Vec<Mention> {
    let mention = |it: regex::Captures<'_>| {
        let number =
            ["line", "other", "third"].iter().find_map(|name| it.name(name)).and_then(|it| it.as_str().parse().ok());
        let whole = it.get(0)?.as_str();
        let path = whole.split([':', '(', '#']).find(|it| it.len() > 1 || whole.len() < 3)?.replace('\\', "/");
        let known = ENDINGS.contains(&&it["ending"].to_ascii_lowercase()[..]);
        let path = path.trim_start_matches("./").to_owned();
        known.then_some(Mention { path, line: number, frame: None })
    };
    if !line.contains('.') {
        return Vec::new();
    }
    PATH.captures_iter(line).filter_map(mention).take(16).collect()
}
