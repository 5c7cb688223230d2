//! `find`: where it looks, and what its expression does with what it finds.

use ox_protocol::{EffectKind, Level};

use crate::classify::ground::Use;
use crate::classify::scope::Scope;
use crate::classify::walk::Walk;
use crate::classify::word::{Word, joined};

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

fn lists(names: &str, name: &str) -> bool {
    names.split_ascii_whitespace().any(|it| it == name)
}

/// Analyses it.
pub(super) fn find(walk: &mut Walk<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let starts: Vec<Word> = arguments
        .iter()
        .skip_while(|it| is_first_option(&it.text))
        .take_while(|it| !begins_expression(&it.text))
        .cloned()
        .collect();
    for start in &starts {
        walk.use_path(start, Use::Read, scope);
    }
    let at = arguments.iter().position(|it| begins_expression(&it.text) && !is_first_option(&it.text));
    let expression = at.map_or(&[][..], |at| &arguments[at..]);
    let tests =
        expression.iter().any(|it| lists(WITH_ONE, &it.text) && it.text != "-maxdepth" && it.text != "-mindepth");
    let mut rest = expression.iter();
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
            delete(walk, &starts, tests, scope);
        } else if matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir") {
            execute(walk, &mut rest, &starts, scope);
        } else {
            walk.facts.add(EffectKind::Unknown, Level::Shell, format!("find {}", word.shown()));
        }
    }
}

fn is_first_option(text: &str) -> bool {
    matches!(text, "-H" | "-L" | "-P" | "-E" | "-X" | "-x" | "-s") || text.starts_with("-O")
}

fn begins_expression(text: &str) -> bool {
    text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",")
}

/// What is found is deleted: anything below the starting points, or all of it where nothing is tested.
fn delete(walk: &mut Walk<'_>, starts: &[Word], tests: bool, scope: &Scope) {
    for start in here_if_none(starts) {
        let what = if tests { found_below(&start) } else { start };
        walk.use_path(&what, Use::Delete, scope);
    }
}

fn here_if_none(starts: &[Word]) -> Vec<Word> {
    if starts.is_empty() { vec![Word::plain(".")] } else { starts.to_vec() }
}

fn found_below(start: &Word) -> Word {
    Word { glob: true, ..Word::plain(&format!("{}/{{}}", start.text.trim_end_matches('/'))) }
}

/// `-exec command… ;`: the command, with `{}` standing for something below the starting point.
fn execute(walk: &mut Walk<'_>, rest: &mut std::slice::Iter<'_, Word>, starts: &[Word], scope: &mut Scope) {
    let mut command: Vec<Word> = Vec::new();
    for word in rest.by_ref() {
        let ends = word.text == ";" || word.text == "+" && command.last().is_some_and(|it| it.text.ends_with("{}"));
        if ends {
            break;
        }
        command.push(word.clone());
    }
    walk.facts.add(EffectKind::Execute, Level::Shell, format!("find -exec {}", joined(&command)));
    for start in here_if_none(starts) {
        let found = found_below(&start);
        let filled = command.iter().map(|it| match it.text.as_str() {
            "{}" => found.clone(),
            // A file name becomes part of a text, which may be a program.
            text if text.contains("{}") => Word { text: text.replace("{}", "\u{fffc}"), ..it.clone() },
            _ => it.clone(),
        });
        let filled: Vec<Word> = filled.collect();
        walk.run(&filled, &mut scope.clone());
    }
}
