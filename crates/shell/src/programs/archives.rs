//! `tar` and `unzip`: listing reads; everything else writes, and a surprising number of options run programs.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::Scope;
use crate::word::{Word, join_words};
use ox_protocol::word_list::words;

/// Long options with which listing stays listing.
const LISTS: &str =
    "--list --file --verbose --gzip --bzip2 --xz --zstd --exclude --wildcards --full-time --utc --numeric-owner";

/// `tar`.
pub(crate) fn tar(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let (long, short): (Vec<&Word>, Vec<&Word>) = arguments.iter().partition(|it| it.text.starts_with("--"));
    let letters: String = short
        .iter()
        .enumerate()
        .filter(|(at, it)| *at == 0 || it.text.starts_with('-'))
        .map(|(_, it)| it.text.trim_start_matches('-'))
        .collect();
    let listed = |it: &&Word| words(LISTS).any(|known| it.text.split('=').next() == Some(known));
    let lists = letters.contains('t') || long.iter().any(|it| it.text == "--list");
    if lists && letters.chars().all(|c| "tvfzjJa".contains(c)) && long.iter().all(listed) {
        return short.iter().skip(1).for_each(|it| analyzer.access(it, PathAccess::Read, scope));
    }
    archive(analyzer, name, arguments, scope);
}

/// `unzip`.
pub(crate) fn unzip(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let flags = || arguments.iter().filter(|it| it.text.starts_with('-'));
    if flags().count() > 0 && flags().all(|it| it.text[1..].chars().all(|c| "ltvpqZ1".contains(c))) {
        let files = arguments.iter().filter(|it| !it.text.starts_with('-'));
        return files.for_each(|it| analyzer.access(it, PathAccess::Read, scope));
    }
    archive(analyzer, name, arguments, scope);
}

/// One that is made or unpacked; an option that is not plain letters may run a program.
fn archive(analyzer: &mut Analyzer<'_>, name: &str, arguments: &[Word], scope: &Scope) {
    let called = format!("{name} {}", join_words(arguments));
    let known = |it: &Word| {
        let letters = it.text.trim_start_matches('-');
        it.text.starts_with("--exclude")
            || it.text.starts_with("--strip-c")
            || letters.chars().all(|c| "cxvfzjJaCqodp".contains(c))
    };
    let plain = arguments
        .iter()
        .enumerate()
        .all(|(at, it)| at > 0 && !it.text.starts_with('-') || known(it) || name == "unzip");
    if plain && !arguments.iter().any(Word::has_unknown) {
        analyzer.findings.add_call(EffectKind::Write, Level::Edit, &called);
    } else {
        analyzer.findings.add(EffectKind::Execute, Level::Shell, called);
    }
    for (at, word) in arguments.iter().enumerate() {
        match word.text.split_once(':') {
            // Another machine, to tar.
            Some((host, _)) if name != "unzip" && at > 0 && !host.contains(['/', '=', '-']) => {
                analyzer.findings.host(host.rsplit('@').next().unwrap_or("*"));
            }
            _ if word.text.contains(' ') => {
                analyzer.shell_text(&word.after(word.text.find('=').map_or(0, |it| it + 1)), scope)
            }
            _ if word.text.starts_with('-') => analyzer.scan(std::slice::from_ref(word), scope),
            _ => read_or_written(analyzer, word, scope),
        }
    }
}

/// A name that is read or written: which of the two only matters outside.
fn read_or_written(analyzer: &mut Analyzer<'_>, word: &Word, scope: &Scope) {
    let inside = !analyzer.paths.is_outside(&word.text, scope);
    analyzer.access(word, if inside { PathAccess::Read } else { PathAccess::Write }, scope);
}
