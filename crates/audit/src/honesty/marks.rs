//! Marks in code: tests that are skipped or run alone, and complaints that are suppressed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use ox_protocol::{AuditFinding, AuditKind};
use regex::Regex;

use crate::pair::Pair;
use crate::reading::{Code, Reading, flat};

/// A pattern of code, comments and the insides of strings apart.
struct Mark {
    languages: &'static str,
    pattern: LazyLock<Regex>,
}

macro_rules! mark {
    ($languages:literal, $pattern:literal) => {
        Mark {
            languages: $languages,
            pattern: LazyLock::new(|| Regex::new($pattern).expect("invariant: it is a pattern")),
        }
    };
}

/// What keeps a test from running.
static SKIPS: [Mark; 11] = [
    mark!("Rust", r"#\[(?:ignore\b[^\]]*|cfg_attr\([^\]]*\bignore\b[^\]]*|cfg\((?:any\(\)|FALSE|never|disabled)\))\]"),
    mark!(
        "Python",
        r"@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip|skipIf|skipUnless|expectedFailure)|skip|skipIf|expectedFailure)\b|\b(?:pytest\.(?:skip|xfail|importorskip)|self\.skipTest|SkipTest)\(|\b__test__\s*=\s*False|pytestmark\s*=\s*pytest\.mark\.(?:skip|xfail)"
    ),
    mark!(
        "JavaScript TypeScript Vue Svelte",
        r"\b(?:it|test|describe|suite|specify|context)(?:\.concurrent)?\.(?:skip|todo|fails|failing|skipIf|runIf|fixme)\b|\b(?:xit|xtest|xdescribe|xspecify|xcontext)\(|\bt\.skip\("
    ),
    mark!("Go", r"\b[tb]\.(?:Skip|SkipNow|Skipf)\("),
    mark!(
        "Java Kotlin Scala",
        r"@(?:Disabled|Ignore)\b|\bassumeTrue\(false|\bassumeFalse\(true|\bAssumptions\.abort\("
    ),
    mark!("C#", r"\bSkip\s*=|\[\s*(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive)\("),
    mark!("C C++", r"\bGTEST_SKIP\(|\bDISABLED_\w+|\bSKIP\(|\bBOOST_TEST_DONT\b"),
    mark!("Ruby", r"(?m)^\s*(?:skip|pending)\b|\b(?:xit|xdescribe|xcontext|xspecify)\b|\bskip:\s"),
    mark!("PHP", r"\bmarkTest(?:Skipped|Incomplete)\(|->(?:skip|todo)\("),
    mark!("Swift", r"\bXCTSkip\w*|\.disabled\("),
    mark!("Lua Shell Bash", r"(?m)^\s*(?:pending|skip)\b"),
];

/// What makes one test run alone.
static FOCUS: [Mark; 3] = [
    mark!(
        "JavaScript TypeScript Vue Svelte",
        r"\b(?:it|test|describe|suite|specify|context)(?:\.concurrent)?\.only\b|\b(?:fit|fdescribe|fcontext)\("
    ),
    mark!("Ruby", r"\b(?:fit|fdescribe|fcontext)\b|\bfocus:\s*true|,\s*:focus\b"),
    mark!("PHP Swift", r"->only\("),
];

/// Suppressions in code.
static CODE: [Mark; 6] = [
    mark!("Rust", r"#!?\[allow\([^\]]*\)\]"),
    mark!("Java Kotlin Scala", r"@Suppress(?:Warnings)?\b[^\n]*"),
    mark!("TypeScript", r"\bas (?:any|never)\b|\bas unknown as\b"),
    mark!("C#", r"#pragma warning disable|\[SuppressMessage\("),
    mark!("C C++", r"#pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored"),
    mark!("Shell Bash", r"(?m)^\s*set \+e\b"),
];

pattern!(
    /// Suppressions in comments, whatever the language.
    COMMENTS,
    concat!(
        r"#\s*type:\s*ignore(?:\[[\w, -]*\])?|#\s*noqa(?::\s*[A-Z]\w*)?|#\s*pylint:\s*disable|#\s*pyright:\s*ignore|#\s*mypy:\s*ignore-errors|#\s*nosec\b|#\s*pragma:\s*no cover|",
        r"@ts-(?:ignore|expect-error|nocheck)|eslint-disable|tslint:disable|biome-ignore|prettier-ignore|istanbul ignore|c8 ignore|v8 ignore|",
        r"//\s*nolint|//\s*#nosec|NOLINT|cppcheck-suppress|rubocop:disable|@phpstan-ignore|phpcs:ignore|psalm-suppress|swiftlint:disable|",
        r"NOSONAR|CHECKSTYLE:OFF|luacheck:\s*ignore|shellcheck disable|noinspection|ktlint-disable|detekt:"
    )
);

pattern!(
    /// A condition under which a test is skipped that is always the same.
    ALWAYS,
    r"(?i)\b(?:skipif|skip_?unless|skipUnless|if)\W*\(?\s*(?:true|false|1|0|not\s+false|not\s+true)\b"
);
pattern!(CONDITIONAL, r"(?i)skip_?if|skip_?unless|runIf|cfg_attr|importorskip|SkipTestIf|fixme\(");

pattern!(
    /// What silences everything, or a whole class of complaints.
    BLUNT,
    r"#!?\[allow\(|^#\s*type:\s*ignore$|^#\s*noqa$|^#\s*pyright|mypy:\s*ignore-errors|@ts-ignore|@ts-nocheck|eslint-disable|tslint:disable|biome-ignore|\bas (?:any|never)\b|as unknown as|nolint|rubocop:disable|@phpstan-ignore|NOLINT|set \+e|pragma:\s*no cover|istanbul ignore|noinspection|nosec"
);

/// A mark where it stands.
struct Found {
    line: u32,
    at: usize,
    text: String,
}

/// What failed, as files and names.
type Failed = BTreeSet<(String, String)>;

pub(crate) fn findings(pairs: &[Pair<'_>], failed: &Failed) -> Vec<AuditFinding> {
    pairs
        .iter()
        .flat_map(|it| tests(it, failed).into_iter().chain(suppressions(it, failed)).collect::<Vec<_>>())
        .collect()
}

fn found(code: &Code<'_>, marks: &[Mark]) -> Vec<Found> {
    let language = code.tree.language;
    let of_language = marks.iter().filter(|it| it.languages.split(' ').any(|it| it == language));
    let matches = of_language.flat_map(|it| it.pattern.find_iter(&code.plain));
    let one = |it: regex::Match<'_>| {
        let start = it.start() + it.as_str().len() - it.as_str().trim_start().len();
        Found { line: code.line_at(start), at: start, text: flat(it.as_str()) }
    };
    matches.map(one).collect()
}

/// Tests that do not run any more, or that now run alone.
fn tests(pair: &Pair<'_>, failed: &Failed) -> Vec<AuditFinding> {
    let Some(now) = &pair.after.code else { return Vec::new() };
    let has_tests = pair.after.is_test() || !pair.after.tests.is_empty();
    if !has_tests {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (marks, kind) in [(&SKIPS[..], AuditKind::TestSkipped), (&FOCUS[..], AuditKind::TestFocused)] {
        let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
        for it in pair.before.code.as_ref().map(|it| found(it, marks)).unwrap_or_default() {
            *known.entry((name(&pair.before, it.at), it.text)).or_default() += 1;
        }
        // A mark on a test that was there before; what moved along with its test, or was marked in another way, was marked.
        let before = |it: &str| pair.before.tests.iter().any(|test| test.short == it || test.name == it);
        let was_marked = |name: &str, known: &BTreeMap<(String, String), usize>| {
            known.keys().any(|it| it.0 == name && !name.is_empty())
        };
        for it in found(now, marks) {
            let name = name(&pair.after, it.at);
            if let Some(count) = known.get_mut(&(name.clone(), it.text.clone())).filter(|it| **it > 0) {
                *count -= 1;
                continue;
            }
            let is_new = !before(&name) && !name.is_empty();
            let is_conditional = is_conditional(now, &pair.after, &it);
            let excused = is_conditional || (is_new && kind == AuditKind::TestSkipped && is_planned(&it));
            if !pair.diff.is_added(it.line)
                || was_marked(&name, &known)
                || (excused && !has_failed(failed, pair, &name))
            {
                continue;
            }
            let about = if name.is_empty() { &it.text } else { &name };
            out.push(pair.finding(kind, it.line, about, "", pair.after.line(it.line)));
        }
    }
    out
}

fn has_failed(failed: &Failed, pair: &Pair<'_>, name: &str) -> bool {
    failed.iter().any(|(file, code)| file == pair.path() && (code.ends_with(name) || name.is_empty()))
}

/// A test that is announced and not written yet.
fn is_planned(it: &Found) -> bool {
    it.text.contains("todo") || it.text.contains("Incomplete")
}

/// The test that a mark is on: the one around it or right behind it.
fn name(reading: &Reading<'_>, at: usize) -> String {
    let around = reading.test_at(at).or_else(|| {
        let after = reading.tests.iter().find(|it| it.span.start >= at)?;
        let between = reading.text[at..after.span.start].matches('\n').count();
        (between <= 3).then_some(after)
    });
    around.map_or(String::new(), |it| it.short.clone())
}

/// True where the mark holds only under some condition that may be either way.
fn is_conditional(code: &Code<'_>, reading: &Reading<'_>, it: &Found) -> bool {
    let line = reading.line(it.line);
    if CONDITIONAL.is_match(line) {
        return !ALWAYS.is_match(line);
    }
    let above = reading.line(it.line.saturating_sub(1));
    if code.tree.language == "Shell" && ["then", "||", "&&"].iter().any(|it| above.ends_with(it)) {
        return true;
    }
    let at = code.at(it.at);
    let start = reading.test_at(it.at).map_or(0, |it| it.span.start);
    code.above(at)
        .take_while(|it| code.node(*it).start > start)
        .find(|it| {
            ["if", "rescue", "catch", "except"].iter().any(|kind| code.node(*it).kind.starts_with(kind))
                || code.node(*it).kind == "conditional_expression"
        })
        .is_some_and(|it| !ALWAYS.is_match(code.of_node(it).lines().next().unwrap_or_default()))
}

fn suppressions(pair: &Pair<'_>, failed: &Failed) -> Vec<AuditFinding> {
    let Some(now) = &pair.after.code else { return Vec::new() };
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for it in pair.before.code.as_ref().map(suppressed).unwrap_or_default() {
        *known.entry(it.text).or_default() += 1;
    }
    let mut out = Vec::new();
    for it in suppressed(now) {
        if let Some(count) = known.get_mut(&it.text).filter(|it| **it > 0) {
            *count -= 1;
            continue;
        }
        // What names one rule may be right; it is suspicious where a check has just complained.
        let complained = failed.iter().any(|(file, _)| file == pair.path());
        let suspicious = complained
            || (BLUNT.is_match(&it.text) && silences_what_was_there(pair, it.line) && !is_explained(pair, &it));
        if pair.diff.is_added(it.line) && suspicious {
            out.push(pair.finding(AuditKind::Suppressed, it.line, &it.text, "", pair.after.line(it.line)));
        }
    }
    out
}

fn suppressed(code: &Code<'_>) -> Vec<Found> {
    let mut all = found(code, &CODE);
    for comment in &code.comments {
        let node = code.node(*comment);
        if let Some(it) = COMMENTS.find(code.of_node(*comment)) {
            all.push(Found {
                line: code.line_at(node.start + it.start()),
                at: node.start + it.start(),
                text: flat(it.as_str()),
            });
        }
    }
    all.sort_by_key(|it| it.at);
    all
}

/// True where a suppression is about code that was there before: on its line, or on the next line of code.
fn silences_what_was_there(pair: &Pair<'_>, line: u32) -> bool {
    let own = pair.after.line(line);
    let code = own.split("//").next().and_then(|it| it.split('#').next()).unwrap_or_default().trim();
    let is_comment = own.starts_with("/*") || own.starts_with("<!--") || own.starts_with("--");
    if code.len() > 3 && !is_comment && !own.starts_with("#[") && !own.starts_with('@') {
        // The same line without its suppression, or with what was added to it to satisfy nobody.
        return pair.diff.removed.iter().any(|it| {
            let old = it.1.trim();
            old == code || (old.len() > 3 && code.starts_with(old.trim_end_matches([';', ',', ')'])))
        });
    }
    let next =
        (line + 1..=line + 4).find(|it| !pair.after.line(*it).is_empty() && !pair.after.line(*it).starts_with("//"));
    next.is_some_and(|it| !pair.diff.is_added(it))
}

/// True where it is said why: on the line, or in a comment right before it.
fn is_explained(pair: &Pair<'_>, it: &Found) -> bool {
    let line = pair.after.line(it.line);
    let rest = line.split_once(it.text.as_str()).map_or("", |it| it.1).trim();
    let above = pair.after.line(it.line.saturating_sub(1));
    let is_comment =
        ["//", "#", "/*", "*", "--"].iter().any(|mark| above.starts_with(mark)) && !above.starts_with("#[");
    is_comment || rest.trim_start_matches(['/', '*', '#', ' ', '-', ':']).split_whitespace().count() >= 2
}
