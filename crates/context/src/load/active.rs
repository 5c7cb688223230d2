//! The files that a conversation keeps in view: which those are, and what of them a prompt has.
//!
//! Each is a section of its own, so that one that has not changed is not sent again. Small files come whole; those that do
//! not fit share what room is left, cut at the ends of definitions, and one that would get too little is named.

use ox_protocol::{Command, ContextFile, ContextFiles, FileOrigin, Problem, Section, Tokens};
use ox_repo::{RepoError, Tree, WalkOptions};

use crate::budget::estimate;
use crate::build::{LEAST_ROOM, shorten};
use crate::section::section;

/// The most files that are kept in view.
const MOST: usize = 100;

/// What `now` is after `command`, one of those that say what is kept in view or left out.
///
/// Errors: `files.none` where a pattern names no file, `files.many`, `files.bad`, `files.not_kept` and `files.not_excluded`.
pub fn context_files(tree: &Tree, now: &ContextFiles, command: &Command) -> Result<ContextFiles, Problem> {
    let mut files = now.clone();
    match command {
        Command::AddFiles { files: patterns } => {
            let found = matching(&seen(tree, now)?, patterns)?;
            files.files.retain(|it| !found.iter().any(|new| new.path == it.path && it.origin == FileOrigin::User));
            let at = files.files.iter().position(|it| it.origin == FileOrigin::Editor).unwrap_or(files.files.len());
            files.files.splice(at..at, found);
        }
        Command::DropFiles { files: patterns } => {
            let is_users = |it: &ContextFile| it.origin == FileOrigin::User;
            let patterns: Vec<String> = patterns.iter().map(|it| lines_of(it).0.to_owned()).collect();
            for pattern in &patterns {
                if !now.files.iter().any(|it| is_users(it) && names(std::slice::from_ref(pattern), &it.path)) {
                    return Err(Problem::new("files.not_kept").with("name", pattern));
                }
            }
            files.files.retain(|it| !is_users(it) || !(patterns.is_empty() || names(&patterns, &it.path)));
        }
        Command::SetEditorFiles { files: open } => {
            files.files.retain(|it| it.origin == FileOrigin::User);
            files.files.extend(open.iter().map(|it| ContextFile { origin: FileOrigin::Editor, ..it.clone() }));
        }
        Command::Exclude { globs } => {
            let new = globs.iter().filter(|it| !now.excluded.contains(it)).cloned();
            files.excluded.extend(new.collect::<Vec<_>>());
            tree.without(&files.excluded).map_err(|it| bad(&it))?;
            files.files.retain(|it| !names(globs, &it.path));
        }
        Command::Include { globs } => {
            if let Some(other) = globs.iter().find(|it| !now.excluded.contains(it)) {
                return Err(Problem::new("files.not_excluded").with("name", other));
            }
            files.excluded.retain(|it| !(globs.is_empty() || globs.contains(it)));
        }
        _ => {}
    }
    let count = files.files.len();
    let many = Problem::new("files.many").with("count", count).with("most", MOST);
    if count > MOST { Err(many) } else { Ok(files) }
}

/// The tree without what is left out of the conversation.
fn seen(tree: &Tree, files: &ContextFiles) -> Result<Tree, Problem> {
    tree.without(&files.excluded).map_err(|it| bad(&it))
}

fn bad(why: &RepoError) -> Problem {
    Problem::new("files.bad").with("why", why)
}

fn names(globs: &[String], path: &str) -> bool {
    ox_repo::covers(globs, path)
}

/// The files of these patterns, each once.
fn matching(tree: &Tree, patterns: &[String]) -> Result<Vec<ContextFile>, Problem> {
    let mut found: Vec<ContextFile> = Vec::new();
    for pattern in patterns {
        let (name, lines) = lines_of(pattern);
        let is_glob = name.contains(['*', '?', '[', '{']);
        // What a name leads to is asked before it is taken for a glob: `[id].tsx` is a name.
        let place = tree.locate(name, ox_repo::Access::Read).ok().filter(|it| it.abs.exists());
        let paths: Vec<String> = match place {
            Some(place) if place.abs.is_file() => vec![place.rel],
            Some(place) => beneath(tree, &WalkOptions { from: place.rel, ..WalkOptions::default() })?,
            None if is_glob => {
                beneath(tree, &WalkOptions { include: vec![name.to_owned()], ..WalkOptions::default() })?
            }
            None => Vec::new(),
        };
        if paths.is_empty() {
            let similar = tree.similar(name).join(", ");
            let problem = Problem::new(if similar.is_empty() { "files.none" } else { "files.none_similar" });
            return Err(problem.with("name", name).with("similar", similar));
        }
        for path in paths {
            found.retain(|it| it.path != path);
            found.push(ContextFile { path, lines, origin: FileOrigin::User });
        }
    }
    Ok(found)
}

fn beneath(tree: &Tree, options: &WalkOptions) -> Result<Vec<String>, Problem> {
    let entries = tree.walk(options).map_err(|it| bad(&it))?;
    Ok(entries.into_iter().filter(|it| !it.is_dir).map(|it| it.rel).collect())
}

/// `src/a.rs:10-20` as a name and lines; `src/a.rs:10` is one line.
fn lines_of(pattern: &str) -> (&str, Option<(u32, u32)>) {
    let split = pattern.rsplit_once(':').and_then(|(name, lines)| {
        let (from, to) = lines.split_once('-').unwrap_or((lines, lines));
        let (from, to) = (from.parse().ok()?, to.parse().ok()?);
        (from >= 1 && from <= to && !name.is_empty()).then_some((name, Some((from, to))))
    });
    split.unwrap_or((pattern, None))
}

/// A file that may be sent.
struct Offered {
    name: String,
    path: String,
    text: String,
    /// The number of its first line.
    first: u32,
    tokens: Tokens,
}

/// The sections of what is kept in view, in at most `room`. What the model has read whole is not sent; whatever else is
/// missing is named in the last section.
pub(crate) fn sections(
    tree: &Tree,
    files: &ContextFiles,
    has_read: &dyn Fn(&str) -> bool,
    room: Tokens,
) -> Vec<Section> {
    let (mut offered, mut missing) = (Vec::new(), Vec::new());
    for file in &files.files {
        match offer(tree, file) {
            Ok(_) if has_read(&file.path) => {}
            Ok(it) => offered.push(it),
            Err(why) => missing.push(why),
        }
    }
    let rooms = rooms(&offered.iter().map(|it| it.tokens).collect::<Vec<_>>(), room);
    let mut sections = Vec::new();
    for (it, room) in offered.iter().zip(rooms) {
        match room {
            Some(room) if room.0 >= it.tokens.0 => sections.push(section(&it.name, it.text.clone())),
            Some(room) => {
                let symbols = ox_syntax::facts(&it.path, &it.text).symbols;
                // Definitions are numbered in the text that is shown.
                sections.push(section(&it.name, shorten(&it.text, it.first, &shifted(symbols, it.first), &[], room)));
            }
            None => missing.push(format!("`{}` has about {} tokens, too many for its room", it.path, it.tokens.0)),
        }
    }
    if !missing.is_empty() {
        sections.push(section("not-sent", missing.join("\n")));
    }
    sections
}

fn shifted(mut symbols: Vec<ox_syntax::Symbol>, first: u32) -> Vec<ox_syntax::Symbol> {
    for it in &mut symbols {
        (it.line, it.end) = (it.line + first - 1, it.end + first - 1);
    }
    symbols
}

fn offer(tree: &Tree, file: &ContextFile) -> Result<Offered, String> {
    let read = tree.read(&file.path).map_err(|it| it.to_string())?;
    let kind = if file.origin == FileOrigin::Editor { "editor" } else { "added" };
    let total = u32::try_from(read.text.lines().count()).unwrap_or(u32::MAX);
    let (name, text, first) = match file.lines {
        Some((from, to)) if from <= total => {
            let lines: Vec<&str> = read.text.lines().skip(from as usize - 1).take((to - from) as usize + 1).collect();
            (format!("{kind}:{}:{from}-{}", file.path, to.min(total)), lines.join("\n"), from)
        }
        Some((from, _)) => return Err(format!("`{}` has {total} lines, no line {from}", file.path)),
        None => (format!("{kind}:{}", file.path), read.text.trim_end().to_owned(), 1),
    };
    Ok(Offered { name, path: file.path.clone(), tokens: estimate(&text), text, first })
}

/// The room of each of these sizes in what there is for all: the small ones get what they need, the others the same share
/// each; those at the end get none where a share would be less than what a piece needs.
fn rooms(sizes: &[Tokens], room: Tokens) -> Vec<Option<Tokens>> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|at| sizes[*at].0);
    let mut rooms = vec![None; sizes.len()];
    let mut left = room.0;
    let mut large: Vec<usize> = Vec::new();
    for (place, at) in order.iter().enumerate() {
        if sizes[*at].0 > left / (order.len() - place) as u64 {
            large.extend(&order[place..]);
            break;
        }
        left -= sizes[*at].0;
        rooms[*at] = Some(sizes[*at]);
    }
    large.sort_unstable();
    large.truncate(usize::try_from(left / LEAST_ROOM.0).unwrap_or(usize::MAX));
    for (place, at) in large.iter().enumerate() {
        let share = (left / (large.len() - place) as u64).min(sizes[*at].0);
        left -= share;
        rooms[*at] = Some(Tokens(share));
    }
    rooms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> (tempfile::TempDir, Tree) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/a.rs", "fn a() {}\nfn b() {}\n");
        write("src/deep/c.rs", "fn c() {}\n");
        write("src/[id].ts", "export {}\n");
        write(
            "big.rs",
            &(0..20).map(|at| format!("fn f{at}() {{\n{}}}\n", "    work_with_it();\n".repeat(20))).collect::<String>(),
        );
        write("blob.bin", "\0\u{1}");
        let tree = Tree::open(folder.path(), &[]).unwrap();
        (folder, tree)
    }

    fn paths(files: &ContextFiles) -> Vec<String> {
        let lines = |it: &ContextFile| it.lines.map_or_else(String::new, |(from, to)| format!(":{from}-{to}"));
        files.files.iter().map(|it| format!("{}{}", it.path, lines(it))).collect()
    }

    fn list(names: &[&str]) -> Vec<String> {
        names.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn a_path_a_folder_a_glob_and_lines_name_files() {
        let (_folder, tree) = tree();
        let none = ContextFiles::default();
        for (patterns, expected) in [
            (&["src/a.rs"][..], &["src/a.rs"][..]),
            (&["./src/a.rs:2"], &["src/a.rs:2-2"]),
            (&["src/a.rs:1-2", "src/a.rs"], &["src/a.rs"]),
            (&["src"], &["src/[id].ts", "src/a.rs", "src/deep/c.rs"]),
            (&["src/[id].ts"], &["src/[id].ts"]),
            (&["**/c.rs", "*.bin"], &["src/deep/c.rs", "blob.bin"]),
        ] {
            let files = context_files(&tree, &none, &Command::AddFiles { files: list(patterns) }).unwrap();
            assert_eq!(paths(&files), expected, "{patterns:?}");
        }
        for (pattern, code) in
            [("src/x.rs", "files.none_similar"), ("*.zip", "files.none"), ("/etc/passwd", "files.none")]
        {
            let refused = context_files(&tree, &none, &Command::AddFiles { files: list(&[pattern]) }).unwrap_err();
            assert_eq!(refused.code, code, "{pattern}");
        }
    }

    #[test]
    fn the_editor_and_the_user_keep_their_own_and_what_is_left_out_stays_out() {
        let (_folder, tree) = tree();
        let mut files = ContextFiles::default();
        let mut ask = |command: Command| {
            files = context_files(&tree, &files, &command).map_err(|it| it.code)?;
            Ok::<_, String>((paths(&files), files.excluded.clone()))
        };
        let open = |path: &str| ContextFile { path: path.to_owned(), ..ContextFile::default() };
        ask(Command::SetEditorFiles { files: vec![open("big.rs")] }).unwrap();
        let both = ask(Command::AddFiles { files: list(&["src/a.rs"]) }).unwrap();
        assert_eq!(both.0, ["src/a.rs", "big.rs"], "the user's come first");
        assert_eq!(ask(Command::DropFiles { files: list(&["big.rs"]) }), Err("files.not_kept".to_owned()));
        assert_eq!(ask(Command::SetEditorFiles { files: Vec::new() }).unwrap().0, ["src/a.rs"]);
        assert_eq!(ask(Command::Exclude { globs: list(&["src"]) }).unwrap(), (Vec::new(), list(&["src"])));
        assert_eq!(ask(Command::AddFiles { files: list(&["src/a.rs"]) }), Err("files.none".to_owned()));
        assert_eq!(ask(Command::Exclude { globs: list(&["a{"]) }), Err("files.bad".to_owned()));
        assert_eq!(ask(Command::Include { globs: list(&["lib"]) }), Err("files.not_excluded".to_owned()));
        assert_eq!(ask(Command::Include { globs: Vec::new() }).unwrap().1, list(&[]));
        ask(Command::AddFiles { files: list(&["src"]) }).unwrap();
        assert_eq!(ask(Command::DropFiles { files: list(&["src/deep"]) }).unwrap().0, ["src/[id].ts", "src/a.rs"]);
        assert_eq!(ask(Command::DropFiles { files: Vec::new() }).unwrap().0, list(&[]));
    }

    #[test]
    fn a_file_too_large_is_cut_between_definitions_and_what_is_missing_is_named() {
        let (_folder, tree) = tree();
        let files = ["src/a.rs", "big.rs", "blob.bin", "gone.rs"]
            .map(|it| ContextFile { path: it.into(), ..ContextFile::default() });
        let files = ContextFiles { files: files.into(), excluded: Vec::new() };
        let sections = |room| sections(&tree, &files, &|_| false, Tokens(room));
        let sent = sections(800);
        let names: Vec<&str> = sent.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["added:src/a.rs", "added:big.rs", "not-sent"]);
        assert_eq!(sent[0].text, "fn a() {}\nfn b() {}");
        assert!(sent[1].text.contains("fn f19() {\n[lines") && sent[1].tokens.0 <= 800, "{}", sent[1].text);
        for part in ["`blob.bin` is a binary file", "`gone.rs` does not exist"] {
            assert!(sent[2].text.contains(part), "{}", sent[2].text);
        }
        let sent = sections(300);
        assert!(sent.len() == 2 && sent[1].text.contains("`big.rs` has about"), "{sent:?}");
        assert!(super::sections(&tree, &files, &|it| it == "src/a.rs", Tokens(300))[0].name == "not-sent");
    }

    #[test]
    fn small_files_get_what_they_need_and_large_ones_the_same_share() {
        let rooms = |sizes: &[u64], room| -> Vec<u64> {
            let sizes: Vec<Tokens> = sizes.iter().map(|it| Tokens(*it)).collect();
            super::rooms(&sizes, Tokens(room)).into_iter().map(|it| it.map_or(0, |it| it.0)).collect()
        };
        assert_eq!(rooms(&[5_000, 100, 9_000], 4_100), [2_000, 100, 2_000]);
        assert_eq!(rooms(&[900, 900, 900], 1_200), [600, 600, 0]);
        assert_eq!(rooms(&[900, 10], 400), [0, 10]);
        assert_eq!(rooms(&[], 400), [0; 0]);
    }
}
