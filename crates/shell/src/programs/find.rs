//! `find`: where it looks, and what its expression does with what it finds.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::PathAccess;
use crate::scope::Scope;
use crate::word::{UNKNOWN, Word, join_words};
use ox_protocol::word_list::contains;

/// Tests and actions without an argument that only look.
const ALONE: &str = include_str!("../tables/words/find_alone.txt");
/// Those with one argument that only look.
const WITH_ONE: &str = include_str!("../tables/words/find_with_one.txt");
/// Those whose argument is a file that is read.
const WITH_FILE: &str = "-newer -anewer -cnewer -samefile -files0-from";
/// Those whose first argument is a file that is written.
const WRITES: &str = "-fprint -fprint0 -fls -fprintf";

/// Analyses it.
pub(crate) fn find(analyzer: &mut Analyzer<'_>, _: &str, arguments: &[Word], scope: &mut Scope) {
    let begins = |it: &Word| it.text.starts_with('-') || matches!(it.text.as_str(), "(" | ")" | "!" | ",");
    let first = arguments.iter().position(|it| !matches!(it.text.as_str(), "-H" | "-L" | "-P" | "-E" | "-X"));
    let given = &arguments[first.unwrap_or(arguments.len())..];
    let at = given.iter().position(begins).unwrap_or(given.len());
    let here = [Word::plain(".")];
    let starts = if at == 0 { &here } else { &given[..at] };
    starts.iter().for_each(|it| analyzer.access(it, PathAccess::Read, scope));
    let tested = given[at..].iter().any(|it| contains(WITH_ONE, &it.text) && !it.text.ends_with("depth"));
    let mut rest = given[at..].iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if contains(ALONE, text) {
        } else if contains(WITH_ONE, text) || text.starts_with("-newer") && text.len() == 8 {
            rest.next();
        } else if contains(WITH_FILE, text) {
            rest.next().into_iter().for_each(|it| analyzer.access(it, PathAccess::Read, scope));
        } else if contains(WRITES, text) {
            rest.next().into_iter().for_each(|it| analyzer.access(it, PathAccess::Write, scope));
            if text == "-fprintf" {
                rest.next();
            }
        } else if text == "-delete" {
            let found = starts.iter().map(|it| if tested { found_below(it) } else { it.clone() });
            found.for_each(|it| analyzer.access(&it, PathAccess::Delete, scope));
        } else if matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir") {
            execute(analyzer, &mut rest, starts, scope);
        } else {
            analyzer.findings.add(EffectKind::Unknown, Level::Shell, format!("find {}", word.shown()));
        }
    }
}

fn found_below(start: &Word) -> Word {
    Word { glob: true, ..Word::plain(&format!("{}/{{}}", start.text.trim_end_matches('/'))) }
}

/// `-exec command… ;`: the command, with `{}` standing for something below the starting point.
fn execute(analyzer: &mut Analyzer<'_>, rest: &mut std::slice::Iter<'_, Word>, starts: &[Word], scope: &Scope) {
    let command: Vec<&Word> = rest.by_ref().take_while(|it| it.text != ";" && it.text != "+").collect();
    let shown: Vec<Word> = command.iter().map(|it| (*it).clone()).collect();
    analyzer.findings.add(EffectKind::Execute, Level::Shell, format!("find -exec {}", join_words(&shown)));
    for start in starts {
        let filled = command.iter().map(|it| match it.text.as_str() {
            "{}" => found_below(start),
            // A file name becomes part of a text, which may be a program.
            text => Word { text: text.replace("{}", &UNKNOWN.to_string()), ..(*it).clone() },
        });
        analyzer.run(&filled.collect::<Vec<_>>(), &mut scope.clone());
    }
}
