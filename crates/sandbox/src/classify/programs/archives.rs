//! `tar`: listing reads, creating and extracting write, and a surprising number of options run programs.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// Long options that run a program, as far as they are distinct.
const RUNS: &[&str] = &[
    "--to-command",
    "--use-compress-program",
    "--checkpoint-action",
    "--rsh-command",
    "--rmt-command",
    "--info-script",
    "--new-volume-script",
    "--wildcards-match-command",
];
/// Long options that take a value which is no path.
const VALUES: &[&str] = &[
    "--exclude",
    "--strip-components",
    "--transform",
    "--owner",
    "--group",
    "--mode",
    "--mtime",
    "--format",
    "--checkpoint",
];
/// Long flags that only shape the listing or the archive.
const FLAGS: &[&str] = &[
    "--gzip",
    "--bzip2",
    "--xz",
    "--zstd",
    "--lzma",
    "--lzip",
    "--verbose",
    "--list",
    "--create",
    "--extract",
    "--get",
    "--append",
    "--update",
    "--delete",
    "--diff",
    "--compare",
    "--wildcards",
    "--exclude-vcs",
    "--auto-compress",
    "--numeric-owner",
    "--keep-old-files",
    "--overwrite",
    "--no-same-owner",
    "--no-same-permissions",
    "--preserve-permissions",
    "--dereference",
    "--one-file-system",
    "--sparse",
    "--totals",
    "--utc",
    "--full-time",
    "--block-number",
    "--ignore-failed-read",
    "--sort",
    "--anchored",
    "--catenate",
    "--concatenate",
    "--skip-old-files",
    "--unlink-first",
    "--recursion",
    "--no-recursion",
];

#[derive(Default)]
struct Wanted {
    lists: bool,
    extracts: bool,
    archive: Option<Word>,
    folder: Option<Word>,
    members: Vec<Word>,
}

/// Analyses it.
pub(super) fn tar(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let mut wanted = Wanted::default();
    let mut rest = arguments.iter();
    let mut first = true;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text.starts_with("--") {
            long(walk, word, &mut rest, &mut wanted, scope);
        } else if text.starts_with('-') && text.len() > 1 || first {
            letters(walk, word, &mut rest, &mut wanted, scope);
        } else {
            wanted.members.push(word.clone());
        }
        first = false;
    }
    let remote = wanted.archive.as_ref().filter(|it| it.text.contains(':') && !it.text.starts_with('/'));
    if let Some(remote) = remote {
        walk.facts.host(remote.text.split(':').next().unwrap_or("*").rsplit('@').next().unwrap_or("*"));
    }
    let mut inside = scope.clone();
    if let Some(folder) = &wanted.folder {
        walk.use_path(folder, if wanted.extracts { Use::Write } else { Use::Read }, scope);
        inside.folder = walk.ground.enter(&folder.text, &scope.folder);
    }
    let used = if wanted.lists || wanted.extracts { Use::Read } else { Use::Write };
    if let Some(archive) = wanted.archive.as_ref().filter(|it| it.text != "-" && remote.is_none()) {
        walk.use_path(archive, used, scope);
    }
    if wanted.extracts {
        walk.facts.add(EffectKind::Write, Level::Edit, format!("what is in {name} {}", joined(arguments)));
        let here = Word::plain(".");
        walk.use_path(&here, Use::Write, &inside);
    }
    if !wanted.lists && !wanted.extracts {
        wanted.members.iter().for_each(|it| walk.use_path(it, Use::Read, &inside));
    }
    if !wanted.lists {
        walk.facts.add(EffectKind::Write, Level::Edit, format!("{name} {}", joined(arguments)));
    }
}

fn long(walk: &mut Walk<'_>, word: &Word, rest: &mut std::slice::Iter<'_, Word>, wanted: &mut Wanted, scope: &Scope) {
    let (name, value) = match word.text.split_once('=') {
        Some((name, _)) => (name, Some(word.after(name.len() + 1))),
        None => (word.text.as_str(), None),
    };
    let means = |it: &str| name.len() > 3 && it.starts_with(name);
    let mut take = |value: Option<Word>| value.or_else(|| rest.next().cloned()).unwrap_or_default();
    if VALUES.contains(&name) {
        take(value);
        return;
    }
    if RUNS.iter().any(|it| means(it)) {
        let command = take(value);
        walk.facts.add(EffectKind::Execute, Level::Shell, word.shown());
        let command = command.after(if command.text.starts_with("exec=") { 5 } else { 0 });
        return walk.shell_text(&command, scope);
    }
    if means("--list") {
        wanted.lists = true;
    } else if means("--extract") || means("--get") {
        wanted.extracts = true;
    } else if means("--file") {
        wanted.archive = Some(take(value));
    } else if means("--directory") {
        wanted.folder = Some(take(value));
    } else if means("--absolute-names") {
        walk.facts.add(EffectKind::Write, Level::System, "absolute names in the archive");
    } else if means("--files-from") || means("--exclude-from") || means("--listed-incremental") {
        walk.use_path(&take(value), Use::Write, scope);
    } else if means("--remove-files") || means("--recursive-unlink") {
        walk.facts.add(EffectKind::Delete, Level::Shell, word.shown());
    } else if VALUES.iter().any(|it| means(it)) {
        take(value);
    } else if !FLAGS.iter().any(|it| means(it)) {
        walk.facts.add(EffectKind::Unknown, Level::Shell, word.shown());
    }
}

/// A cluster of letters; those with a value take it from the rest of the cluster or from the next words.
fn letters(
    walk: &mut Walk<'_>,
    word: &Word,
    rest: &mut std::slice::Iter<'_, Word>,
    wanted: &mut Wanted,
    scope: &Scope,
) {
    let dashed = word.text.starts_with('-');
    for (at, letter) in word.text.char_indices().skip(usize::from(dashed)) {
        let attached = word.after(at + letter.len_utf8());
        let inline = dashed && !attached.text.is_empty();
        let mut take = || if inline { attached.clone() } else { rest.next().cloned().unwrap_or_default() };
        match letter {
            't' => wanted.lists = true,
            'x' => wanted.extracts = true,
            'f' => wanted.archive = Some(take()),
            'C' => wanted.folder = Some(take()),
            'I' | 'F' => {
                let command = take();
                walk.facts.add(EffectKind::Execute, Level::Shell, word.shown());
                walk.shell_text(&command, scope);
            }
            'T' | 'X' | 'g' => walk.use_path(&take(), Use::Write, scope),
            'P' => walk.facts.add(EffectKind::Write, Level::System, "absolute names in the archive"),
            'b' | 'N' | 'V' | 'L' | 'K' | 'H' => drop(take()),
            'c' | 'r' | 'u' | 'A' | 'd' | 'v' | 'z' | 'j' | 'J' | 'Z' | 'a' | 'k' | 'p' | 'h' | 'm' | 'o' | 'O'
            | 'w' | 's' | 'S' | 'U' | 'l' | 'W' | 'n' | 'i' | 'B' | 'R' => {}
            _ => walk.facts.add(EffectKind::Unknown, Level::Shell, word.shown()),
        }
        if inline && matches!(letter, 'f' | 'C' | 'I' | 'F' | 'T' | 'X' | 'g' | 'b' | 'N' | 'V' | 'L' | 'K' | 'H') {
            return;
        }
    }
}
