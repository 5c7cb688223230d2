//! `tar` and `unzip`: listing reads; everything else writes, and a surprising number of options run programs.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

/// Long options with which listing stays listing.
const LISTS: &str =
    "--list --file --verbose --gzip --bzip2 --xz --zstd --exclude --wildcards --full-time --utc --numeric-owner";

/// `tar`.
pub(super) fn tar(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let (long, short): (Vec<&Word>, Vec<&Word>) = arguments.iter().partition(|it| it.text.starts_with("--"));
    let letters: String = short
        .iter()
        .enumerate()
        .filter(|(at, it)| *at == 0 || it.text.starts_with('-'))
        .map(|(_, it)| it.text.trim_start_matches('-'))
        .collect();
    let listed = |it: &&Word| LISTS.split_ascii_whitespace().any(|known| it.text.split('=').next() == Some(known));
    let lists = letters.contains('t') || long.iter().any(|it| it.text == "--list");
    if lists && letters.chars().all(|c| "tvfzjJa".contains(c)) && long.iter().all(listed) {
        return short.iter().skip(1).for_each(|it| walk.use_path(it, Use::Read, scope));
    }
    archive(walk, name, arguments, scope);
}

/// `unzip`.
pub(super) fn unzip(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &mut Scope) {
    let flags = || arguments.iter().filter(|it| it.text.starts_with('-'));
    if flags().count() > 0 && flags().all(|it| it.text[1..].chars().all(|c| "ltvpqZ1".contains(c))) {
        let files = arguments.iter().filter(|it| !it.text.starts_with('-'));
        return files.for_each(|it| walk.use_path(it, Use::Read, scope));
    }
    archive(walk, name, arguments, scope);
}

/// One that is made or unpacked; an option that is not plain letters may run a program.
fn archive(walk: &mut Walk<'_>, name: &str, arguments: &[Word], scope: &Scope) {
    let called = format!("{name} {}", joined(arguments));
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
    if plain && !arguments.iter().any(Word::has_hole) {
        walk.facts.add(EffectKind::Write, Level::Edit, called);
    } else {
        walk.facts.add(EffectKind::Execute, Level::Shell, called);
    }
    for (at, word) in arguments.iter().enumerate() {
        match word.text.split_once(':') {
            // Another machine, to tar.
            Some((host, _)) if name != "unzip" && at > 0 && !host.contains(['/', '=', '-']) => {
                walk.facts.host(host.rsplit('@').next().unwrap_or("*"));
            }
            _ if word.text.contains(' ') => {
                walk.shell_text(&word.after(word.text.find('=').map_or(0, |it| it + 1)), scope)
            }
            _ if word.text.starts_with('-') => walk.scan(std::slice::from_ref(word), scope),
            _ => far(walk, word, scope),
        }
    }
}

/// A name that is read or written: which of the two only matters outside.
fn far(walk: &mut Walk<'_>, word: &Word, scope: &Scope) {
    let inside = !walk.ground.leads_outside(&word.text, scope);
    walk.use_path(word, if inside { Use::Read } else { Use::Write }, scope);
}
