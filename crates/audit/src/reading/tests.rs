//! The tests of a file: functions that a runner finds by name or mark, and calls that are given a name and a body.

use std::ops::Range;
use std::sync::LazyLock;

use ox_syntax::{Facts, SymbolKind};
use regex::Regex;

use super::assertions::{Assertion, assertions};
use super::code::{Code, is_string};

/// One test.
#[derive(Clone, Debug)]
pub(crate) struct Test {
    /// Its name, with those of the suites around it.
    pub name: String,
    /// Its last name alone.
    pub short: String,
    /// The line on which it begins, from 1.
    pub line: u32,
    /// All of it, marks before it included.
    pub span: Range<usize>,
    /// All of it without comments and the insides of strings.
    pub plain: String,
    pub text: String,
    pub assertions: Vec<Assertion>,
}

/// Calls that define one test or a suite of them.
const TESTS: &str = "it test fit xit xtest specify scenario example xspecify fspecify its pending bench";
const SUITES: &str = "describe context suite fdescribe xdescribe feature xcontext fcontext";

/// Macros of C and C++ and of Bats that define a test: their name, and what stands in their parentheses or quotes.
static MACROS: LazyLock<Regex> = LazyLock::new(|| {
    let c = r"(?m)^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|TEST_CASE|TEST_CASE_METHOD|SCENARIO|BOOST_AUTO_TEST_CASE|BOOST_FIXTURE_TEST_CASE|CATCH_TEST_CASE|START_TEST|Test|doctest::TEST_CASE)\s*\(([^)]*)\)";
    let bats = r#"^[ \t]*@test\s+("[^"\n]*"|'[^'\n]*')"#;
    Regex::new(&format!("{c}|(?m){bats}")).expect("invariant: it is a pattern")
});

pub(crate) fn tests<'f>(path: &str, code: &Code<'_>, facts: &dyn Fn() -> &'f Facts) -> Vec<Test> {
    let mut found = match code.tree.language {
        "C" | "C++" | "Shell" | "Bash" => by_macros(code),
        "JavaScript" | "TypeScript" | "Ruby" | "PHP" | "Lua" | "Kotlin" | "Scala" => by_calls(code),
        _ => Vec::new(),
    };
    // Whatever a runner finds by a definition has one of these words in its name, its mark or its path.
    let has_word =
        || ["est", "Fact", "Theory", "quickcheck", "Fuzz", "Benchmark"].iter().any(|it| code.text.contains(it));
    if !matches!(code.tree.language, "JavaScript" | "TypeScript" | "Shell") && has_word() {
        found.extend(by_definitions(path, code, facts()));
    }
    found.sort_by_key(|it| it.span.start);
    found
}

fn test(code: &Code<'_>, name: &str, short: &str, span: Range<usize>) -> Test {
    let short = short.trim_matches(['"', '\'', '`']).to_owned();
    Test {
        name: name.to_owned(),
        short,
        line: code.line_at(span.start),
        plain: code.plain[span.clone()].to_owned(),
        text: code.text[span.clone()].to_owned(),
        assertions: assertions(code, &span),
        span,
    }
}

fn by_definitions(path: &str, code: &Code<'_>, facts: &Facts) -> Vec<Test> {
    let is_test = |it: &&ox_syntax::Symbol| {
        let span = it.start_byte as usize..it.end_byte as usize;
        let head = code.plain[span].split(['{']).next().unwrap_or_default();
        let parent = it.parent.and_then(|at| facts.symbols.get(at as usize));
        let is_inside = parent.is_some_and(|it| it.kind == SymbolKind::Function);
        it.kind == SymbolKind::Function
            && !is_inside
            && !it.is_declaration
            && is_found(code.tree.language, path, &it.name, head)
    };
    let one = |it: &ox_syntax::Symbol| {
        let doc = code.text[it.start_byte as usize..it.end_byte as usize].to_owned();
        let before = doc.len() - doc.trim_start().len();
        let mut found = test(code, &it.qualified, &it.name, it.start_byte as usize + before..it.end_byte as usize);
        // The line of the name tells more than that of a comment before it.
        let named = code.text[found.span.clone()].find(&format!("{}(", it.name)).unwrap_or(0);
        found.line = code.line_at(found.span.start + named);
        found
    };
    facts.symbols.iter().filter(is_test).map(one).collect()
}

/// True where a runner finds this function; `head` is everything up to its body.
fn is_found(language: &str, path: &str, name: &str, head: &str) -> bool {
    let has = |marks: &[&str]| marks.iter().any(|it| head.contains(it));
    let in_test_file = ox_syntax::is_test(path);
    match language {
        "Rust" => {
            has(&["#[test]", "::test]", "::test(", "#[rstest", "#[test_case", "#[quickcheck", "#[wasm_bindgen_test"])
        }
        "Python" => name.starts_with("test"),
        "Go" => path.ends_with("_test.go") && ["Test", "Fuzz", "Benchmark"].iter().any(|it| name.starts_with(it)),
        "Java" | "Kotlin" | "Scala" => {
            has(&["@Test", "@ParameterizedTest", "@RepeatedTest", "@TestFactory", "@Theory"])
                || (in_test_file && language == "Java" && name.starts_with("test") && head.contains("public void"))
        }
        "C#" => has(&["[Test", "[Fact", "[Theory", "[DataTestMethod"]),
        "PHP" => has(&["#[Test"]) || (in_test_file && name.starts_with("test")),
        "Ruby" => name.starts_with("test_"),
        "Swift" => has(&["@Test"]) || (in_test_file && name.starts_with("test")),
        "Lua" => in_test_file && name.starts_with("test"),
        "C" | "C++" => in_test_file && name.starts_with("test_"),
        _ => false,
    }
}

/// `it("…", () => …)`, `test "…" do … end`, with the suites around.
fn by_calls(code: &Code<'_>) -> Vec<Test> {
    let nodes = 0..code.tree.nodes.len();
    let calls = nodes.filter(|it| is_call(code.node(*it).kind)).filter_map(|it| Some((it, named(code, it, TESTS)?)));
    let mut found: Vec<Test> = Vec::new();
    for (at, short) in calls {
        let node = code.node(at);
        // A chain such as `it(…).skip()` is the same test once.
        if found.last().is_some_and(|it| it.span.start == node.start) {
            continue;
        }
        let mut around: Vec<String> =
            code.above(at).filter(|it| is_call(code.node(*it).kind)).filter_map(|it| named(code, it, SUITES)).collect();
        around.reverse();
        around.push(short.clone());
        found.push(test(code, &around.join(" > "), &short, node.start..node.end));
    }
    found
}

pub(crate) fn is_call(kind: &str) -> bool {
    matches!(
        kind,
        "call_expression"
            | "call"
            | "method_call"
            | "function_call"
            | "function_call_expression"
            | "member_call_expression"
            | "scoped_call_expression"
            | "method_invocation"
            | "invocation_expression"
            | "macro_invocation"
    )
}

/// The first argument of a call of one of these names, where that is a string and a body follows.
fn named(code: &Code<'_>, at: usize, names: &str) -> Option<String> {
    let node = code.node(at);
    let callee = &code.plain[node.start..node.end];
    let word_end = callee.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(callee.len());
    if !names.split(' ').any(|it| it == &callee[..word_end]) {
        return None;
    }
    // `it.each(table)("…", body)` calls a call; the outer one is the test.
    let parent = node.parent.map(|it| code.node(it as usize));
    if parent.is_some_and(|it| is_call(it.kind) && it.start == node.start) {
        return None;
    }
    let first = code.within(&(node.start..node.end)).find(|it| {
        let inner = code.node(*it);
        is_string(inner) && inner.start >= node.start + word_end
    })?;
    let before = &code.plain[node.start + word_end..code.node(first).start];
    // The name comes first; a table of cases may stand before it.
    let is_first = before.chars().all(|c| !matches!(c, '{' | ';')) || before.starts_with(".each");
    let rest = &code.plain[code.node(first).end..node.end];
    let has_body = ["{", "=>", "function", "fn", " do"].iter().any(|it| rest.contains(it));
    (is_first && has_body).then(|| code.of_node(first).to_owned())
}

fn by_macros(code: &Code<'_>) -> Vec<Test> {
    let mut out = Vec::new();
    for found in MACROS.captures_iter(code.text) {
        let whole = found.get(0).expect("invariant: a match has a whole");
        let name = found.get(1).or_else(|| found.get(2)).map_or("", |it| it.as_str());
        let Some(open) = code.plain[whole.end()..].find('{').map(|it| whole.end() + it) else { continue };
        if !code.plain[whole.end()..open].trim().is_empty() {
            continue;
        }
        let end = closing(&code.plain, open);
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
        out.push(test(code, &name, &name, whole.start()..end));
    }
    out
}

/// The byte behind the bracket that closes the one at `open`.
fn closing(plain: &str, open: usize) -> usize {
    let mut depth = 0;
    for (at, c) in plain[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return open + at + 1;
        }
    }
    plain.len()
}
