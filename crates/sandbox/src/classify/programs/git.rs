//! `git`: most subcommands have a line in the table; here is what depends on how they are called.
//!
//! Reading is of level 0 in the root of the project alone: a folder below may be a repository of its own whose
//! configuration runs programs.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::{Use, is_secret};
use crate::classify::scope::Scope;
use crate::classify::simple::host_of;
use crate::classify::table::{self, Does};
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

use super::kept;

const READS: Option<Does> = None;
const LOCAL: Option<Does> = Some((EffectKind::Write, Level::Shell));
const EXECUTES: Option<Does> = Some((EffectKind::Execute, Level::Shell));
const DESTROYS: Option<Does> = Some((EffectKind::Destroy, Level::System));
const REWRITES: Option<Does> = Some((EffectKind::Rewrite, Level::System));
const SPEAKS: Option<Does> = Some((EffectKind::Network, Level::System));
const SETS: Option<Does> = Some((EffectKind::System, Level::System));

/// Analyses it.
pub(super) fn git(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let mut inside = scope.clone();
    let mut rest = arguments.iter();
    let mut name = None;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        match text {
            "--no-pager"
            | "-P"
            | "--no-optional-locks"
            | "--literal-pathspecs"
            | "--no-replace-objects"
            | "--no-advice"
            | "--glob-pathspecs"
            | "--icase-pathspecs"
            | "--version"
            | "-v"
            | "--html-path"
            | "--info-path"
            | "--man-path"
            | "--exec-path" => {}
            "-C" => {
                let folder = rest.next().cloned().unwrap_or_default();
                walk.use_path(&folder, Use::Enter, &inside);
                inside.folder = walk.ground.enter(&folder.text, &inside.folder);
            }
            "-c" | "--config-env" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" => {
                let value = rest.next().cloned().unwrap_or_default();
                walk.facts.add(EffectKind::Execute, Level::Shell, format!("git {text} {}", value.shown()));
                walk.scan(&[value], &inside);
            }
            _ if text.starts_with('-') => {
                walk.facts.add(EffectKind::Execute, Level::Shell, format!("git {}", word.shown()));
                walk.scan(std::slice::from_ref(word), &inside);
            }
            _ => {
                name = Some(word);
                break;
            }
        }
    }
    let Some(name) = name else { return };
    if !walk.ground.is_root(&inside.folder) {
        walk.facts.add(EffectKind::Execute, Level::Shell, "git outside the root of the project");
    }
    subcommand(walk, name, rest.as_slice(), &mut inside);
}

fn subcommand(walk: &mut Walk<'_>, name: &Word, arguments: &[Word], scope: &mut Scope) {
    if name.has_hole() || name.glob {
        return walk.facts.obscure(Level::System, format!("git {}", name.source));
    }
    for word in arguments.iter().filter(|it| names_secret(&it.text)) {
        walk.facts.add(EffectKind::Secret, Level::System, word.shown());
    }
    if arguments.iter().any(|it| it.text.starts_with('\u{fffc}')) {
        // A computed word may be any option.
        walk.facts.obscure(Level::Shell, format!("git {} {}", name.text, joined(arguments)));
    }
    let decided = decide(name.text.as_str(), arguments);
    kept::git(walk, &name.text, arguments, matches!(decided, Some(SETS)), scope);
    if let Some(decided) = decided {
        if let Some((kind, level)) = decided {
            let words = format!("git {} {}", name.text, joined(arguments));
            walk.facts.add(kind, level, words.trim());
            walk.scan(arguments, scope);
        }
        return;
    }
    let full = format!("git/{}", name.text);
    match table::program(&full) {
        Some(program) => {
            walk.by_table(&full, program, arguments, scope);
            hosts(walk, name.text.as_str(), arguments);
        }
        None => {
            walk.facts.add(EffectKind::Unknown, Level::Shell, format!("git {}", name.text));
            walk.scan(arguments, scope);
        }
    }
}

/// A file, or a file in a revision.
fn names_secret(text: &str) -> bool {
    !text.starts_with('-') && (is_secret(text) || text.rsplit_once(':').is_some_and(|it| is_secret(it.1)))
}

fn hosts(walk: &mut Walk<'_>, name: &str, arguments: &[Word]) {
    if !matches!(name, "push" | "fetch" | "pull" | "clone" | "ls-remote" | "archive") {
        return;
    }
    for word in arguments.iter().filter(|it| it.text.contains("://") || it.text.contains('@') && it.text.contains(':'))
    {
        walk.facts.host(&host_of(&word.text));
    }
}

/// What a subcommand does that the table cannot tell; the outer `None` where the table can.
fn decide(name: &str, arguments: &[Word]) -> Option<Option<Does>> {
    let words: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
    let named: Vec<&str> = words.iter().copied().filter(|it| !it.starts_with('-')).collect();
    let called = Called { words, named };
    branches(name, &called)
        .or_else(|| refs(name, &called))
        .or_else(|| work(name, &called))
        .or_else(|| rest(name, &called))
}

/// The arguments of a subcommand.
struct Called<'a> {
    words: Vec<&'a str>,
    /// Those that are no options.
    named: Vec<&'a str>,
}

impl Called<'_> {
    fn has(&self, names: &[&str]) -> bool {
        self.words.iter().any(|it| names.iter().any(|name| is_option(it, name)))
    }

    fn first(&self) -> &str {
        self.named.first().copied().unwrap_or_default()
    }
}

/// Branches.
fn branches(name: &str, called: &Called<'_>) -> Option<Option<Does>> {
    Some(match name {
        "branch" if called.has(&["-D", "--delete", "-d"]) => {
            if called.has(&["-D", "-f", "--force"]) {
                DESTROYS
            } else {
                LOCAL
            }
        }
        "branch" if called.has(&["-f", "--force", "-M", "-C"]) => REWRITES,
        "branch"
            if called.has(&[
                "-m",
                "--move",
                "-c",
                "--copy",
                "-u",
                "--set-upstream-to",
                "--unset-upstream",
                "-t",
                "--track",
            ]) =>
        {
            LOCAL
        }
        "branch" if called.has(&["--edit-description"]) => EXECUTES,
        "branch"
            if called.named.is_empty()
                || called.has(&[
                    "-l",
                    "--list",
                    "--contains",
                    "--no-contains",
                    "--merged",
                    "--no-merged",
                    "--points-at",
                    "--sort",
                    "--format",
                ]) =>
        {
            READS
        }
        "branch" => LOCAL,
        _ => return None,
    })
}

/// Other references: tags, remotes, notes.
fn refs(name: &str, called: &Called<'_>) -> Option<Option<Does>> {
    Some(match name {
        "tag" if called.has(&["-d", "--delete", "-f", "--force"]) => REWRITES,
        "tag" if called.has(&["-v", "--verify", "-s", "--sign", "-u", "--local-user"]) => EXECUTES,
        "tag"
            if called.named.is_empty()
                || called.has(&["-l", "--list", "--contains", "--points-at", "--sort", "-n", "--merged"]) =>
        {
            READS
        }
        "tag" => LOCAL,
        "remote" => match called.first() {
            "" | "get-url" => READS,
            "show" if called.named.len() < 2 || called.has(&["-n"]) => READS,
            "show" | "update" | "prune" => SPEAKS,
            "rename" | "remove" | "rm" | "set-head" | "set-branches" => LOCAL,
            _ => SETS,
        },
        "reflog" => match called.first() {
            "expire" | "delete" | "drop" => REWRITES,
            _ => return Some(textual(&called.words)),
        },
        "notes" => {
            if matches!(called.first(), "" | "list" | "show") {
                READS
            } else {
                LOCAL
            }
        }
        "symbolic-ref" => {
            if called.named.len() < 2 && !called.has(&["-d", "--delete"]) {
                READS
            } else {
                LOCAL
            }
        }
        _ => return None,
    })
}

/// The working tree and what is put aside of it.
fn work(name: &str, called: &Called<'_>) -> Option<Option<Does>> {
    Some(match name {
        "stash" => match called.first() {
            "list" | "show" => return Some(textual(&called.words)),
            "drop" | "clear" => DESTROYS,
            _ => LOCAL,
        },
        "checkout" => checkout(&called.words, &called.named),
        "switch" if called.has(&["-f", "--force", "--discard-changes", "-C", "--force-create"]) => DESTROYS,
        "switch" => LOCAL,
        "restore" if called.has(&["--staged", "-S"]) && !called.has(&["--worktree", "-W"]) => LOCAL,
        "restore" => DESTROYS,
        "reset" if called.has(&["--hard", "--merge", "--keep"]) => DESTROYS,
        "reset" => LOCAL,
        "clean" if called.has(&["-n", "--dry-run"]) && !called.has(&["-e"]) => LOCAL,
        "clean" => DESTROYS,
        "worktree" => match called.first() {
            "list" => READS,
            "remove" if called.has(&["-f", "--force"]) => DESTROYS,
            _ => LOCAL,
        },
        "sparse-checkout" => {
            if called.first() == "list" {
                READS
            } else {
                LOCAL
            }
        }
        "commit" if called.has(&["--amend"]) => REWRITES,
        "rebase" if called.has(&["-x", "--exec"]) => EXECUTES.max(REWRITES),

        _ => return None,
    })
}

/// Everything else.
fn rest(name: &str, called: &Called<'_>) -> Option<Option<Does>> {
    Some(match name {
        "config" => config(&called.words, &called.named),
        "bisect" => {
            if matches!(called.first(), "log" | "view" | "visualize") {
                READS
            } else {
                EXECUTES
            }
        }
        "submodule" => match called.first() {
            "" | "status" | "summary" => READS,
            "foreach" => return None,
            "update" | "add" => SPEAKS,
            "deinit" if called.has(&["-f", "--force", "--all"]) => DESTROYS,
            "set-url" | "set-branch" => SETS,
            _ => LOCAL,
        },
        "gc" => {
            if called.words.iter().any(|it| it.starts_with("--pr") && *it != "--prune=never") {
                REWRITES
            } else {
                LOCAL
            }
        }
        _ => return None,
    })
}

/// True when the word is the option, alone, with a value, in a cluster, or cut short.
fn is_option(word: &str, name: &str) -> bool {
    if let Some(long) = name.strip_prefix("--") {
        let Some(given) = word.strip_prefix("--").map(|it| it.split('=').next().unwrap_or_default()) else {
            return false;
        };
        return given == long || given.len() > 2 && long.starts_with(given);
    }
    let letter = &name[1..];
    word.starts_with('-') && !word.starts_with("--") && word[1..].contains(letter)
}

fn textual(words: &[&str]) -> Option<Does> {
    if words.iter().any(|it| it.starts_with("--ext") || it.starts_with("--textc")) {
        return EXECUTES;
    }
    if words.iter().any(|it| it.starts_with("--out")) { SETS } else { READS }
}

/// `git config`: asking is reading; writing decides what git runs from then on.
fn config(words: &[&str], named: &[&str]) -> Option<Does> {
    let asks = [
        "--get",
        "--get-all",
        "--get-regexp",
        "-l",
        "--list",
        "--get-urlmatch",
        "--get-color",
        "--get-colorbool",
        "get",
        "list",
    ];
    let writes = [
        "--add",
        "--unset",
        "--unset-all",
        "--replace-all",
        "--rename-section",
        "--remove-section",
        "-e",
        "--edit",
        "set",
        "unset",
        "edit",
        "rename-section",
        "remove-section",
    ];
    let far = words
        .iter()
        .any(|it| matches!(*it, "-f" | "--file" | "--blob") || it.starts_with("--file=") || it.starts_with("-f"));
    if words.iter().any(|it| writes.contains(it)) || words.first() == Some(&"set") {
        return SETS;
    }
    if words.iter().any(|it| asks.contains(it)) || named.len() == 1 {
        return if far { EXECUTES } else { READS };
    }
    let harmless =
        named.first().is_some_and(|it| it.eq_ignore_ascii_case("user.name") || it.eq_ignore_ascii_case("user.email"));
    let global = words.iter().any(|it| it.starts_with("--gl") || it.starts_with("--sy"));
    if harmless && !global && !far { LOCAL } else { SETS }
}

/// `git checkout`: a branch keeps changes, a path or `--force` throws them away.
fn checkout(words: &[&str], named: &[&str]) -> Option<Does> {
    let has = |names: &[&str]| words.iter().any(|it| names.iter().any(|name| is_option(it, name)));
    if has(&["-f", "--force", "-B", "--ours", "--theirs", "-p", "--patch", "-m", "--merge"]) || words.contains(&"--") {
        return DESTROYS;
    }
    if has(&["-b", "--orphan", "-t", "--track"]) {
        return LOCAL;
    }
    let path =
        |it: &&str| *it == "." || it.contains('*') || it.starts_with("./") || it.starts_with(':') || has_ending(it);
    if named.len() > 1 || named.iter().any(path) || words.iter().any(|it| it.starts_with("--pathspec")) {
        return DESTROYS;
    }
    LOCAL
}

/// `main.rs` but not `v1.2` or `release-1.2`.
fn has_ending(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or_default();
    last.rsplit_once('.').is_some_and(|(_, ending)| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
}
