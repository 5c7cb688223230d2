//! `find`: where it looks, and what its expression does with what it finds.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{HOLE, Word, joined};

use super::lists;

/// Tests and actions without an argument that only look.
const ALONE: &str = "-print -print0 -ls -prune -quit -depth -d -follow -mount -xdev -empty -executable -readable -writable -true \
    -false -not ! -a -and -o -or ( ) , -noleaf -daystart -warn -nowarn -nouser -nogroup -help --help -version --version \
    -ignore_readdir_race -noignore_readdir_race -E -X -x -s -H -L -P";
/// Those with one argument that only look.
const WITH_ONE: &str = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -mtime \
    -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -printf -regextype \
    -used -context -flags -Bmin -Btime -D";
/// Those whose argument is a file that is read.
const WITH_FILE: &str = "-newer -anewer -cnewer -samefile -files0-from";
/// Those whose first argument is a file that is written.
const WRITES: &str = "-fprint -fprint0 -fls -fprintf";

/// Analyses it.
pub(super) fn find(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let begins = |it: &Word| it.text.starts_with('-') || matches!(it.text.as_str(), "(" | ")" | "!" | ",");
    let first = arguments.iter().position(|it| !matches!(it.text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X"));
    let given = &arguments[first.unwrap_or(arguments.len())..];
    let at = given.iter().position(begins).unwrap_or(given.len());
    let here = [Word::plain(".")];
    let starts = if at == 0 { &here } else { &given[..at] };
    starts.iter().for_each(|it| walk.use_path(it, Use::Read, scope));
    let tested = given[at..].iter().any(|it| lists(WITH_ONE, &it.text) && !it.text.ends_with("depth"));
    let mut rest = given[at..].iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if lists(ALONE, text) {
        } else if lists(WITH_ONE, text) || text.starts_with("-newer") && text.len() == 8 {
            rest.next();
        } else if lists(WITH_FILE, text) {
            rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Read, scope));
        } else if lists(WRITES, text) {
            rest.next().into_iter().for_each(|it| walk.use_path(it, Use::Write, scope));
            if text == "-fprintf" {
                rest.next();
            }
        } else if text == "-delete" {
            let found = starts.iter().map(|it| if tested { found_below(it) } else { it.clone() });
            found.for_each(|it| walk.use_path(&it, Use::Delete, scope));
        } else if matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir") {
            execute(walk, &mut rest, starts, scope);
        } else {
            walk.facts.add(EffectKind::Unknown, Level::Shell, format!("find {}", word.shown()));
        }
    }
}

fn found_below(start: &Word) -> Word {
    Word { glob: true, ..Word::plain(&format!("{}/{{}}", start.text.trim_end_matches('/'))) }
}

/// `-exec command… ;`: the command, with `{}` standing for something below the starting point.
fn execute(walk: &mut Walk<'_>, rest: &mut std::slice::Iter<'_, Word>, starts: &[Word], scope: &Scope) {
    let command: Vec<&Word> = rest.by_ref().take_while(|it| it.text != ";" && it.text != "+").collect();
    let shown: Vec<Word> = command.iter().map(|it| (*it).clone()).collect();
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("find -exec {}", joined(&shown)));
    for start in starts {
        let filled = command.iter().map(|it| match it.text.as_str() {
            "{}" => found_below(start),
            // A file name becomes part of a text, which may be a program.
            text => Word { text: text.replace("{}", &HOLE.to_string()), ..(*it).clone() },
        });
        walk.run(&filled.collect::<Vec<_>>(), &mut scope.clone());
    }
}
