//! `git`: most subcommands have a line in the table; here is what depends on how they are called.
//!
//! Reading is of level 0 in the project's own repository alone: a folder below may be one whose configuration runs programs.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::{Use, is_secret};
use crate::classify::scope::{Folder, Scope};
use crate::classify::simple::host_of;
use crate::classify::table::{self, Does};
use crate::classify::walk::Walk;
use crate::classify::word::{HOLE, Word, joined};

use super::{kept, lists};

const READS: Option<Does> = None;
const LOCAL: Option<Does> = Some((EffectKind::Write, Level::Shell));
const EXECUTES: Option<Does> = Some((EffectKind::Execute, Level::Shell));
const DESTROYS: Option<Does> = Some((EffectKind::Destroy, Level::System));
const SETS: Option<Does> = Some((EffectKind::System, Level::System));

/// Options before the subcommand that only shape what is printed.
const PLAIN: &str = "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --no-advice --glob-pathspecs \
    --icase-pathspecs --version -v --html-path --info-path --man-path --exec-path";

/// Analyses it.
pub(super) fn git(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut inside = scope.clone();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if lists(PLAIN, text) {
        } else if text == "-C" {
            let folder = rest.next().cloned().unwrap_or_default();
            walk.use_path(&folder, Use::Enter, &inside);
            inside.folder = walk.ground.enter(&folder.text, &inside.folder);
        } else if text.starts_with('-') {
            let takes = matches!(text, "-c" | "--config-env" | "--git-dir" | "--work-tree" | "--namespace");
            let value = rest.as_slice().first().filter(|_| takes).cloned();
            rest = if takes { rest.as_slice().get(1..).unwrap_or_default().iter() } else { rest };
            let shown = value.as_ref().map_or_else(String::new, |it| format!(" {}", it.shown()));
            walk.facts.add(EffectKind::Execute, Level::Shell, format!("git {}{shown}", word.shown()));
            walk.scan(&[value.unwrap_or_default(), word.clone()], &inside);
        } else {
            if !is_own(walk, &inside.folder) {
                walk.facts.add(EffectKind::Execute, Level::Shell, "git in what may be another repository");
            }
            return subcommand(walk, word, rest.as_slice(), &mut inside);
        }
    }
}

/// True for the root, and for a folder below it in which no repository begins on the way.
fn is_own(walk: &Walk<'_>, folder: &Folder) -> bool {
    let Folder::At(at) = folder else { return false };
    let begins = |it: &std::path::Path| ["HEAD", ".git"].iter().any(|name| it.join(name).symlink_metadata().is_ok());
    let below = at.ancestors().take_while(|it| !walk.ground.is_root(&Folder::At(it.to_path_buf())));
    let below: Vec<_> = below.collect();
    below.is_empty() || at.is_dir() && at.ancestors().nth(below.len()).is_some() && !below.into_iter().any(begins)
}

fn subcommand(walk: &mut Walk<'_>, name: &Word, arguments: &[Word], scope: &mut Scope) {
    let called = format!("git {} {}", name.shown(), joined(arguments));
    if name.has_hole() || name.glob {
        return walk.facts.computed(Level::System, called);
    }
    // A file, or a file in a revision.
    let secret = |it: &&Word| {
        let text = it.text.as_str();
        !text.starts_with('-') && (is_secret(text) || text.rsplit_once(':').is_some_and(|it| is_secret(it.1)))
    };
    for word in arguments.iter().filter(secret) {
        walk.facts.add(EffectKind::Secret, Level::System, word.shown());
    }
    if arguments.iter().any(|it| it.text.starts_with(HOLE)) {
        // A computed word may be any option.
        walk.facts.computed(Level::Shell, called.clone());
    }
    let words: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
    let decided = if words.contains(&"--help") { Some(EXECUTES) } else { decide(&name.text, &words) };
    kept::git(walk, &name.text, arguments, matches!(decided, Some(SETS)), scope);
    let full = format!("git/{}", name.text);
    match (decided, table::program(&full)) {
        (Some(READS), _) => {}
        (Some(Some((kind, level))), _) => {
            walk.facts.add(kind, level, called.trim());
            walk.scan(arguments, scope);
        }
        (None, Some(program)) => {
            walk.by_table(&full, program, arguments, scope);
            if matches!(name.text.as_str(), "push" | "fetch" | "pull" | "clone" | "ls-remote" | "archive") {
                let named = words.iter().filter(|it| it.contains("://") || it.contains('@') && it.contains(':'));
                named.for_each(|it| walk.facts.host(&host_of(it)));
            }
        }
        (None, None) => {
            walk.facts.add(EffectKind::Unknown, Level::Shell, format!("git {}", name.text));
            walk.scan(arguments, scope);
        }
    }
}

/// What a subcommand does that the table cannot tell; the outer `None` where the table can.
fn decide(name: &str, words: &[&str]) -> Option<Option<Does>> {
    let named: Vec<&str> = words.iter().copied().filter(|it| !it.starts_with('-')).collect();
    let has = |names: &[&str]| words.iter().any(|it| names.iter().any(|name| is_option(it, name)));
    Some(match name {
        "restore" if has(&["--staged", "-S"]) && !has(&["--worktree", "-W"]) => LOCAL,
        "clean" if has(&["-n", "--dry-run"]) && !has(&["-e"]) => LOCAL,
        "restore" | "clean" => DESTROYS,
        "checkout" => checkout(words, &named, has),
        "config" => config(words, &named),
        _ => return None,
    })
}

/// True when the word is the option, alone, with a value, in a cluster, or cut short.
fn is_option(word: &str, name: &str) -> bool {
    if let Some(long) = name.strip_prefix("--") {
        let given = word.strip_prefix("--").map(|it| it.split('=').next().unwrap_or_default());
        return given.is_some_and(|it| it == long || it.len() > 2 && long.starts_with(it));
    }
    word.starts_with('-') && !word.starts_with("--") && word[1..].contains(&name[1..])
}

/// `git config`: asking is reading; writing decides what git runs from then on.
fn config(words: &[&str], named: &[&str]) -> Option<Does> {
    let asks = "--get --get-all --get-regexp -l --list --get-urlmatch --get-color --get-colorbool get list";
    let writes = "--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit set unset edit \
        rename-section remove-section";
    let far = words.iter().any(|it| it.starts_with("--file") || it.starts_with("--blob") || it.starts_with("-f"));
    if words.iter().any(|it| lists(writes, it)) {
        return SETS;
    }
    if words.iter().any(|it| lists(asks, it)) || named.len() == 1 {
        return if far { EXECUTES } else { READS };
    }
    let person = named.first().is_some_and(|it| matches!(it.to_lowercase().as_str(), "user.name" | "user.email"));
    let global = words.iter().any(|it| it.starts_with("--gl") || it.starts_with("--sy"));
    if person && !global && !far { LOCAL } else { SETS }
}

/// `git checkout`: a branch keeps changes, a path or `--force` throws them away.
fn checkout(words: &[&str], named: &[&str], has: impl Fn(&[&str]) -> bool) -> Option<Does> {
    if has(&["-f", "--force", "-B", "--ours", "--theirs", "-p", "--patch", "-m", "--merge"]) || words.contains(&"--") {
        return DESTROYS;
    }
    if has(&["-b", "--orphan", "-t", "--track"]) {
        return LOCAL;
    }
    // `main.rs` but not `v1.2` or `release-1.2`.
    let ending = |it: &str| it.rsplit_once('.').is_some_and(|it| it.1.starts_with(|c: char| c.is_ascii_alphabetic()));
    let path = |it: &&str| *it == "." || it.contains('*') || it.starts_with("./") || it.starts_with(':') || ending(it);
    let paths = named.len() > 1 || named.iter().any(path) || words.iter().any(|it| it.starts_with("--pathspec"));
    if paths { DESTROYS } else { LOCAL }
}
