//! Tests that are gone, and tests that their runner no longer finds.

use std::collections::BTreeSet;

use ox_protocol::{AuditFinding, AuditKind};

use crate::diff::likeness;
use crate::ground::Ground;
use crate::pair::{Pair, Removed};
use crate::reading::Test;

/// Tests so alike are the same one under another name.
const SAME: f32 = 0.6;
/// A function so like a test is that test, no longer called one.
const HIDDEN: f32 = 0.8;

/// A test with the number of its pair.
type Placed<'a> = (usize, &'a Test);

/// The tests of all files before, with what became of them.
pub(crate) struct Matched<'a> {
    /// A test before and now, each with the number of its pair.
    pub kept: Vec<(Placed<'a>, Placed<'a>)>,
    pub gone: Vec<Placed<'a>>,
    pub new: Vec<Placed<'a>>,
}

pub(crate) fn matched<'a>(pairs: &'a [Pair<'_>]) -> Matched<'a> {
    let all = |now: bool| -> Vec<(usize, &'a Test)> {
        let tests = pairs.iter().enumerate();
        tests
            .flat_map(|(n, it)| if now { &it.after.tests } else { &it.before.tests }.iter().map(move |t| (n, t)))
            .collect()
    };
    let (mut gone, mut new, mut kept) = (Vec::new(), all(true), Vec::new());
    let is: [fn(&Placed<'_>, &Placed<'_>) -> bool; 3] = [
        |a, b| a.0 == b.0 && a.1.name == b.1.name,
        |a, b| a.1.short == b.1.short,
        |a, b| likeness(&a.1.plain, &b.1.plain) >= SAME && likeness(&a.1.text, &b.1.text) >= SAME / 2.0,
    ];
    let mut left = all(false);
    for same in is {
        for test in std::mem::take(&mut left) {
            match new.iter().position(|it| same(&test, it)) {
                Some(at) => kept.push((test, new.remove(at))),
                None => left.push(test),
            }
        }
    }
    gone.append(&mut left);
    Matched { kept, gone, new }
}

pub(crate) fn findings(
    pairs: &[Pair<'_>],
    matched: &Matched<'_>,
    ground: &Ground<'_>,
    removed: &Removed<'_>,
) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    if matched.gone.is_empty() {
        return out;
    }
    // Tests that were written anew stand for others; only where fewer are left has something been lost.
    let loses_code = loses_code(pairs);
    let lost = matched.gone.len() > matched.new.len();
    for (number, test) in &matched.gone {
        let pair = &pairs[*number];
        if let Some((line, now)) = hidden(pair, test) {
            out.push(pair.finding(AuditKind::TestHidden, line, &test.name, first_line(test), &now));
            continue;
        }
        let has_failed = is_failed(ground.failed, pair.path(), test);
        let has_place = || is_about(test, removed) || is_covered(pair, matched) || is_a_case(pair, matched, test);
        if !has_failed && (!lost || loses_code || has_place()) {
            continue;
        }
        let is_asked = is_asked(ground.task, pair.change.before_path(), test);
        let kind = if is_asked { AuditKind::TestDeletedAsAsked } else { AuditKind::TestDeleted };
        out.push(pair.finding(kind, test.line, &test.name, first_line(test), ""));
    }
    out
}

pattern!(
    /// Words by which a user asks to take something away.
    AWAY,
    r"(?i)\b(?:delet|remov|drop|eras|discard|get(?:ting)? rid|lösch|entfern|supprim|retir|elimin|borr|quita|удал|убер|убра)|删|移除|去掉|去除|削除|삭제|제거"
);

/// True where a line of the task asks to take something away and names the test or its file. That a task names a failing test
/// is no leave to delete it.
fn is_asked(task: &str, path: &str, test: &Test) -> bool {
    let file = path.rsplit('/').next().unwrap_or(path);
    let names = |line: &str| {
        line.split(|c: char| c.is_whitespace() || "`'\"(),;“”".contains(c)).any(|word| {
            let word = word.trim_matches(['.', ':', '!', '?']);
            let last = word.rsplit("::").next().unwrap_or(word);
            word == path || word == file || word == test.short || last == test.short
        }) || test.short.contains(' ') && line.contains(&test.short)
    };
    task.lines().any(|line| AWAY.is_match(line) && names(line))
}

/// True where the change takes more code away than it brings, tests apart: then tests of it go too.
fn loses_code(pairs: &[Pair<'_>]) -> bool {
    let code = pairs.iter().filter(|it| !it.is_test() && ox_syntax::language(it.path()).is_some());
    let (mut added, mut removed) = (0, 0);
    for pair in code {
        let in_test = |line: u32, reading: &crate::reading::Reading<'_>| {
            reading.tests.iter().any(|it| (it.line..=it.line + it.text.lines().count() as u32).contains(&line))
        };
        added += pair.diff.added.iter().filter(|it| !in_test(it.0, &pair.after)).count();
        removed += pair.diff.removed.iter().filter(|it| !in_test(it.0, &pair.before)).count();
    }
    removed > added
}

/// True where the file's own new tests are as many as those that are gone from it.
fn is_covered(pair: &Pair<'_>, matched: &Matched<'_>) -> bool {
    let of = |all: &[(usize, &Test)], now: bool| {
        let here =
            |it: &Test| if now { &pair.after.tests } else { &pair.before.tests }.iter().any(|t| std::ptr::eq(t, it));
        all.iter().filter(|it| here(it.1)).count()
    };
    of(&matched.new, true) >= of(&matched.gone, false)
}

pattern!(
    /// What runs the same lines for many cases.
    CASES,
    r"\bfor\b|\bwhile\b|\.each\b|forEach|parametrize|ParameterizedTest|TestCase\(|\.Run\(|\[Theory|rstest|@dataProvider|DataProvider"
);

/// True where a test of the same file that was written or has grown goes through many cases now and calls all that this one
/// called: it has become one of them.
fn is_a_case(pair: &Pair<'_>, matched: &Matched<'_>, test: &Test) -> bool {
    let here = |it: &&Test| pair.after.tests.iter().any(|t| std::ptr::eq(t, *it));
    let lines = |it: &Test| it.plain.lines().count();
    let grown = matched.kept.iter().filter(|(old, now)| lines(old.1) < lines(now.1)).map(|it| it.1.1);
    let called = calls(&test.plain);
    let takes_it = |now: &Test| {
        let end = now.line + lines(now) as u32;
        let added = pair.diff.added.iter().filter(|it| (now.line..=end).contains(&it.0));
        let added: String = added.map(|it| format!("{}\n", it.1)).collect();
        CASES.is_match(&added) && called.is_subset(&calls(&added))
    };
    !called.is_empty() && matched.new.iter().map(|it| it.1).chain(grown).filter(here).any(takes_it)
}

/// What the lines of a test after its first call, and how they assert.
fn calls(text: &str) -> BTreeSet<&str> {
    let lines = text.lines().skip(usize::from(text.lines().nth(1).is_some()));
    let mut found = BTreeSet::new();
    for line in lines {
        let mut rest = line;
        while let Some(from) = rest.find(|c: char| c.is_alphabetic() || c == '_') {
            let word = &rest[from..];
            let end = word.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(word.len());
            let next = word[end..].trim_start_matches('!');
            if next.starts_with('(') || word.starts_with("assert") || word.starts_with("expect") {
                found.insert(&word[..end]);
            }
            rest = &word[end..];
        }
    }
    found
}

/// True where this test failed before.
pub(crate) fn is_failed(failed: &BTreeSet<(String, String)>, path: &str, test: &Test) -> bool {
    let names = |code: &str| {
        !code.is_empty() && (code == test.name || code.ends_with(&test.short) || test.name.ends_with(code))
    };
    failed.iter().any(|(file, code)| (file.is_empty() || file == path || code.contains(&test.short)) && names(code))
}

fn first_line(test: &Test) -> &str {
    let named = test.text.lines().find(|it| it.contains(&test.short));
    named.or_else(|| test.text.lines().next()).unwrap_or_default()
}

/// The function that has the body of a test and is none.
fn hidden(pair: &Pair<'_>, test: &Test) -> Option<(u32, String)> {
    let text = pair.after.text;
    // What was there before beside the test, and what is a test now, is not it.
    let helpers: Vec<String> = ox_syntax::definitions(pair.change.before_path(), pair.before.text)
        .into_iter()
        .flatten()
        .filter(|it| {
            !pair
                .before
                .tests
                .iter()
                .any(|test| test.span.contains(&it.span.start) || it.span.contains(&test.span.start))
        })
        .map(|it| pair.before.text[it.span].to_owned())
        .collect();
    let is_other = |span: &std::ops::Range<usize>| {
        let around_test =
            pair.after.tests.iter().any(|it| span.contains(&it.span.start) || it.span.contains(&span.start));
        around_test || helpers.iter().any(|it| *it == text[span.clone()])
    };
    let definitions = ox_syntax::definitions(pair.path(), text);
    let same = definitions.into_iter().flatten().find(|it| {
        it.body.is_some() && !is_other(&it.span) && likeness(body(&text[it.span.clone()]), body(&test.text)) >= HIDDEN
    })?;
    Some((same.line, text[same.signature.clone()].to_owned()))
}

/// A function without the line that names it, and without marks before it.
fn body(text: &str) -> &str {
    let marks = text.lines().take_while(|it| it.trim_start().starts_with(['#', '@', '[', '/', '*']));
    let start = marks.map(|it| it.len() + 1).sum::<usize>().min(text.len());
    let named = &text[start..];
    &named[named.find(['{', ':', '\n']).map_or(0, |it| it + 1)..]
}

/// The names that the code of the change no longer defines anywhere.
pub(crate) fn removed_names(pairs: &[Pair<'_>]) -> BTreeSet<String> {
    let names = |now: bool| -> BTreeSet<String> {
        // A test file defines nothing that is tested; one of Rust may hold both.
        let code = pairs.iter().filter(|it| !it.is_test()).map(|it| if now { &it.after } else { &it.before });
        let definitions = code.flat_map(|it| &it.facts().symbols);
        definitions.filter(|it| !it.test).map(|it| it.name.clone()).collect()
    };
    let now = names(true);
    names(false).into_iter().filter(|it| !now.contains(it) && it.len() > 2).collect()
}

/// True where a test uses one of these names: what it tested is gone as well.
fn is_about(test: &Test, removed: &BTreeSet<String>) -> bool {
    mentions(&test.text.replace(&test.short, ""), removed)
}

/// True where a text has one of these names as a word.
pub(crate) fn mentions(text: &str, names: &BTreeSet<String>) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|it| names.contains(it))
}
