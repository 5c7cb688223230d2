//! Code that answers the input of a test directly: a new condition compares with a literal of a test and gives back what that
//! same test expects.

use ox_protocol::{AuditFinding, AuditKind};

use crate::ground::Ground;
use crate::pair::Pair;
use crate::reading::{Code, Reading, flat, is_literal};

/// Test files beside the changed ones that are looked at.
const MOST: usize = 20;

/// A branch for one value.
struct Branch {
    line: u32,
    /// The literals that its condition compares with.
    inputs: Vec<String>,
    /// The literal that it gives back.
    output: String,
}

pub(crate) fn findings(pairs: &[Pair<'_>], ground: &Ground<'_>) -> Vec<AuditFinding> {
    let branches: Vec<(&Pair<'_>, Branch)> = pairs
        .iter()
        .filter(|it| !it.is_test() || it.after.language() == "Rust")
        .flat_map(|it| branches(it).into_iter().map(move |b| (it, b)))
        .collect();
    if branches.is_empty() {
        return Vec::new();
    }
    let changed: Vec<String> = branches.iter().map(|it| it.0.path().to_owned()).collect();
    let asked = asked(pairs, ground, &changed);
    let is_known = |it: &Branch| {
        asked.iter().any(|literals| {
            literals.contains(&it.output)
                && it.inputs.iter().any(|input| *input != it.output && literals.contains(input))
        })
    };
    let one = |(pair, it): &(&Pair<'_>, Branch)| {
        pair.finding(AuditKind::SpecialCased, it.line, &it.inputs.join(", "), "", pair.after.line(it.line))
    };
    branches.iter().filter(|it| is_known(&it.1)).map(one).collect()
}

/// The literals of each assertion of the tests that look at these files.
fn asked(pairs: &[Pair<'_>], ground: &Ground<'_>, changed: &[String]) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = Vec::new();
    let mut add = |reading: &Reading<'_>| {
        out.extend(reading.tests.iter().flat_map(|it| &it.assertions).map(|it| it.literals.clone()));
    };
    pairs.iter().flat_map(|it| [&it.before, &it.after]).for_each(&mut add);
    let Some(index) = ground.index else { return out };
    let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
    let tests = ox_index::tests_for(index, &changed);
    let known = |path: &str| pairs.iter().any(|it| it.path() == path);
    let mut files: Vec<String> = tests.items.into_iter().map(|it| it.path).filter(|it| !known(it)).collect();
    files.dedup();
    for path in files.iter().take(MOST) {
        if let Some(text) = (ground.read)(path) {
            add(&Reading::of(path, &text));
        }
    }
    out
}

/// The new branches of a file that compare with a literal and give a literal back.
fn branches(pair: &Pair<'_>) -> Vec<Branch> {
    let Some(code) = &pair.after.code else { return Vec::new() };
    // A file that is new has no answer that a test could have asked for before.
    if pair.change.before.is_none() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for at in 0..code.tree.nodes.len() {
        let node = code.node(at);
        let is_branch = matches!(node.kind, "if_statement" | "if_expression" | "if" | "if_modifier" | "elif_clause");
        if is_branch && node.is_named && pair.diff.is_added(node.line) && pair.after.test_at(node.start).is_none() {
            out.extend(branch(code, at));
        }
    }
    out
}

fn branch(code: &Code<'_>, at: usize) -> Option<Branch> {
    let condition = code.field(at, "condition").or_else(|| code.children(at).find(|it| code.node(*it).is_named))?;
    let body = code
        .field(at, "consequence")
        .or_else(|| code.field(at, "body"))
        .or_else(|| code.children(at).filter(|it| code.node(*it).is_named).nth(1))?;
    let tested = code.node(condition);
    let plain = &code.plain[tested.start..tested.end];
    let compares = ["==", ".equals(", "eq ", "EqualFold"].iter().any(|it| plain.contains(it));
    if !compares {
        return None;
    }
    let inputs = literals(code, condition);
    let given = flat(&code.plain[code.node(body).start..code.node(body).end]);
    let words = given.trim_matches(['{', '}', ' ', ';', ':']).trim_start_matches("then ");
    let given_literals = literals(code, body);
    // Nothing but a literal is given back.
    let bare = words.strip_prefix("return").map(|it| it.trim().trim_end_matches(';')).unwrap_or(words);
    let alone = !bare.contains(['(', ',', '.', '=', '+', '*']) || bare.parse::<f64>().is_ok();
    let [output] = &given_literals[..] else { return None };
    (alone && tells(output) && inputs.iter().any(|it| tells(it)) && bare.split_whitespace().count() <= 2)
        .then(|| Branch { line: code.node(at).line, inputs, output: output.clone() })
}

fn literals(code: &Code<'_>, at: usize) -> Vec<String> {
    let node = code.node(at);
    let mut until = node.start;
    let mut out = Vec::new();
    for it in code.within(&(node.start..node.end)) {
        let inner = code.node(it);
        if inner.start >= until && is_literal(inner) {
            until = inner.end;
            out.push(flat(code.of_node(it)));
        }
    }
    out
}

/// True for a literal that stands for itself, not one that every function has.
fn tells(literal: &str) -> bool {
    !matches!(
        literal,
        "0" | "1"
            | "-1"
            | "\"\""
            | "''"
            | "true"
            | "false"
            | "True"
            | "False"
            | "None"
            | "null"
            | "nil"
            | "0.0"
            | "1.0"
            | "2"
    )
}
