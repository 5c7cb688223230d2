//! `git`: most subcommands have a line in the table; here is what depends on how they are called.
//!
//! Reading is of level read in the project's own repository alone: a folder below may be one whose configuration runs programs.

use std::path::Path;

use ox_protocol::{EffectKind, Level};

use super::repository;
use crate::analyzer::Analyzer;
use crate::host::host_of;
use crate::paths::{PathAccess, is_secret};
use crate::scope::{Scope, WorkingDirectory};
use crate::table;
use crate::table::EffectSpec;
use crate::word::{UNKNOWN, Word, join_words};
use ox_protocol::word_list::contains;

const READS: Option<EffectSpec> = None;
const LOCAL: Option<EffectSpec> = Some((EffectKind::Write, Level::Shell));
const EXECUTES: Option<EffectSpec> = Some((EffectKind::Execute, Level::Shell));
const DESTROYS: Option<EffectSpec> = Some((EffectKind::Destroy, Level::System));
const SETS: Option<EffectSpec> = Some((EffectKind::System, Level::System));

/// Options before the subcommand that only shape what is printed.
const PLAIN: &str = "--no-pager -P --no-optional-locks --literal-pathspecs --no-replace-objects --no-advice --glob-pathspecs \
    --icase-pathspecs --version -v --html-path --info-path --man-path --exec-path";

/// Analyses it.
pub(crate) fn git(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut inside = scope.clone();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if contains(PLAIN, text) {
        } else if text == "-C" {
            let folder = rest.next().cloned().unwrap_or_default();
            analyzer.access(&folder, PathAccess::Enter, &inside);
            inside.cwd = analyzer.paths.change_directory(&folder.text, &inside.cwd);
        } else if text.starts_with('-') {
            let takes = matches!(text, "-c" | "--config-env" | "--git-dir" | "--work-tree" | "--namespace");
            let value = rest.as_slice().first().filter(|_| takes).cloned();
            rest = if takes { rest.as_slice().get(1..).unwrap_or_default().iter() } else { rest };
            let shown = value.as_ref().map_or_else(String::new, |it| format!(" {}", it.shown()));
            analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("git {}{shown}", word.shown()));
            analyzer.scan(&[value.unwrap_or_default(), word.clone()], &inside);
        } else {
            if !is_project_repository(analyzer, &inside.cwd) {
                analyzer.findings.add(EffectKind::Execute, Level::Shell, "git in what may be another repository");
            }
            return subcommand(analyzer, word, rest.as_slice(), &mut inside);
        }
    }
}

/// True for the root, and for a folder below it in which no repository begins on the way.
fn is_project_repository(analyzer: &Analyzer<'_>, folder: &WorkingDirectory) -> bool {
    let WorkingDirectory::Known(at) = folder else { return false };
    let begins = |it: &Path| ["HEAD", ".git"].iter().any(|name| analyzer.paths.exists(&it.join(name)));
    let below = at.ancestors().take_while(|it| !analyzer.paths.is_root(&WorkingDirectory::Known(it.to_path_buf())));
    let below: Vec<_> = below.collect();
    below.is_empty()
        || analyzer.paths.is_directory(at)
            && at.ancestors().nth(below.len()).is_some()
            && !below.into_iter().any(begins)
}

fn subcommand(analyzer: &mut Analyzer<'_>, name: &Word, arguments: &[Word], scope: &mut Scope) {
    let called = format!("git {} {}", name.shown(), join_words(arguments));
    if name.has_unknown() || name.glob {
        return analyzer.findings.add_computed(Level::System, called);
    }
    // A file, or a file in a revision.
    let secret = |it: &&Word| {
        let text = it.text.as_str();
        !text.starts_with('-') && (is_secret(text) || text.rsplit_once(':').is_some_and(|it| is_secret(it.1)))
    };
    for word in arguments.iter().filter(secret) {
        analyzer.findings.add(EffectKind::Secret, Level::System, word.shown());
    }
    if arguments.iter().any(|it| it.text.starts_with(UNKNOWN)) {
        // A computed word may be any option.
        analyzer.findings.add_computed(Level::Shell, called.clone());
    }
    let words: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
    let decided = if words.contains(&"--help") { Some(EXECUTES) } else { decide(&name.text, &words) };
    repository::git(analyzer, &name.text, arguments, matches!(decided, Some(SETS)), scope);
    let full = format!("git/{}", name.text);
    match (decided, table::program(&full)) {
        (Some(READS), _) => {}
        (Some(Some((kind, level))), _) => {
            analyzer.findings.add_call(kind, level, called.trim());
            analyzer.scan(arguments, scope);
        }
        (None, Some(program)) => {
            analyzer.by_table(&full, program, arguments, scope);
            if matches!(name.text.as_str(), "push" | "fetch" | "pull" | "clone" | "ls-remote" | "archive") {
                let named = words.iter().filter(|it| it.contains("://") || it.contains('@') && it.contains(':'));
                named.for_each(|it| analyzer.findings.host(&host_of(it)));
            }
        }
        (None, None) => {
            analyzer.findings.add(EffectKind::Unknown, Level::Shell, format!("git {}", name.text));
            analyzer.scan(arguments, scope);
        }
    }
}

/// What a subcommand does that the table cannot tell; the outer `None` where the table can.
fn decide(name: &str, words: &[&str]) -> Option<Option<EffectSpec>> {
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
fn config(words: &[&str], named: &[&str]) -> Option<EffectSpec> {
    let asks = "--get --get-all --get-regexp -l --list --get-urlmatch --get-color --get-colorbool get list";
    let writes = "--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit set unset edit \
        rename-section remove-section";
    let far = words.iter().any(|it| it.starts_with("--file") || it.starts_with("--blob") || it.starts_with("-f"));
    if words.iter().any(|it| contains(writes, it)) {
        return SETS;
    }
    if words.iter().any(|it| contains(asks, it)) || named.len() == 1 {
        return if far { EXECUTES } else { READS };
    }
    let person = named.first().is_some_and(|it| matches!(it.to_lowercase().as_str(), "user.name" | "user.email"));
    let global = words.iter().any(|it| it.starts_with("--gl") || it.starts_with("--sy"));
    if person && !global && !far { LOCAL } else { SETS }
}

/// `git checkout`: a branch keeps changes, a path or `--force` throws them away.
fn checkout(words: &[&str], named: &[&str], has: impl Fn(&[&str]) -> bool) -> Option<EffectSpec> {
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
