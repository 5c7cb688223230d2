//! Code in fewer lines: definitions that do not fit keep their signature, and every gap says which lines are missing.

use ox_protocol::Tokens;
use ox_syntax::Symbol;

use crate::budget::bytes;

/// Bytes kept for the line that tells of a gap.
const GAP: usize = 40;

/// `text`, whose first line has the number `first`, in at most about `room`: the signatures of all definitions, then the
/// definitions that hold a line of `wanted`, then the others in their order, each whole or not at all. Where not even one
/// fits, the beginning of the first, up to the end of a statement. No line is cut.
pub(crate) fn shorten(text: &str, first: u32, symbols: &[Symbol], wanted: &[(u32, u32)], room: Tokens) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = first + u32::try_from(lines.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let mut kept = Kept { lines: &lines, first, kept: vec![false; lines.len()], left: bytes(room).saturating_sub(GAP) };
    let within: Vec<&Symbol> = symbols.iter().filter(|it| (first..=last).contains(&it.line)).collect();
    // Signatures first: they tell most for their length. What is written above them belongs to the body.
    for symbol in &within {
        let head = (symbol.line..=symbol.end.min(last)).find(|it| kept.line(*it).contains(symbol.name.as_str()));
        let head = head.unwrap_or(symbol.line);
        kept.take(head, head);
    }
    let units = units(&within, first, last);
    let is_wanted = |(from, to): (u32, u32)| wanted.iter().any(|(first, last)| from <= *last && *first <= to);
    let (best, rest): (Vec<_>, Vec<_>) = units.into_iter().partition(|it| is_wanted(*it));
    let whole = best.iter().chain(&rest).filter(|(from, to)| kept.take(*from, *to)).count();
    if whole == 0
        && let Some((from, to)) = best.first().or(rest.first())
    {
        kept.begin(*from, *to);
    }
    joined(&lines, &kept.kept, first)
}

/// The lines as pieces that are kept or not: each definition without others inside, and what lies between them.
fn units(symbols: &[&Symbol], first: u32, last: u32) -> Vec<(u32, u32)> {
    let holds =
        |it: &Symbol| symbols.iter().any(|other| other.line > it.line && other.end <= it.end && other.end > other.line);
    let mut leaves: Vec<(u32, u32)> =
        symbols.iter().filter(|it| it.end > it.line && !holds(it)).map(|it| (it.line, it.end.min(last))).collect();
    leaves.sort_unstable();
    let mut units = Vec::new();
    let mut at = first;
    for (from, to) in leaves {
        if from < at {
            continue;
        }
        if from > at {
            units.push((at, from - 1));
        }
        units.push((from, to));
        at = to + 1;
    }
    if at <= last {
        units.push((at, last));
    }
    units
}

/// Which lines stay.
struct Kept<'a> {
    lines: &'a [&'a str],
    first: u32,
    kept: Vec<bool>,
    /// Bytes.
    left: usize,
}

impl<'a> Kept<'a> {
    fn line(&self, number: u32) -> &'a str {
        self.lines.get((number - self.first) as usize).copied().unwrap_or_default()
    }

    /// Keeps all these lines, if there is room for them.
    fn take(&mut self, from: u32, to: u32) -> bool {
        let range = (from - self.first) as usize..=(to - self.first) as usize;
        let cost: usize = range.clone().filter(|at| !self.kept[*at]).map(|at| self.lines[at].len() + 1).sum();
        if cost > self.left {
            return false;
        }
        self.left -= cost;
        self.kept[range].fill(true);
        true
    }

    /// Keeps the beginning of these lines: as many as fit, up to where a line is indented no deeper than the first one of
    /// the body, so that no statement is torn.
    fn begin(&mut self, from: u32, to: u32) {
        let indent = |it: &str| it.len() - it.trim_start().len();
        let body = (from + 1..=to).map(|it| self.line(it)).find(|it| !it.trim().is_empty());
        let deepest = body.map_or(0, indent);
        let (mut used, mut end) = (0, None);
        for number in from..=to {
            used += self.line(number).len() + 1;
            if used > self.left {
                break;
            }
            let next = if number < to { self.line(number + 1) } else { "" };
            let goes_on = next.trim_start().starts_with(['}', ')', ']']) || next.trim_start().starts_with("end");
            if next.trim().is_empty() || (indent(next) <= deepest && !goes_on) {
                end = Some(number);
            }
        }
        if let Some(end) = end {
            self.take(from, end);
        }
    }
}

fn joined(lines: &[&str], kept: &[bool], first: u32) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < lines.len() {
        if kept[at] {
            text += lines[at];
            text.push('\n');
            at += 1;
            continue;
        }
        let end = kept[at..].iter().position(|it| *it).map_or(lines.len(), |it| at + it);
        let number = |at: usize| first as usize + at;
        if lines[at..end].iter().any(|it| !it.trim().is_empty()) {
            text += &format!("[lines {}-{} left out]\n", number(at), number(end - 1));
        }
        at = end;
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Vec<Symbol> {
        ox_syntax::facts("a.rs", text).symbols
    }

    fn body(name: &str) -> String {
        format!("fn {name}() {{\n{}}}\n", "    let value = compute(1, 2, 3);\n".repeat(20))
    }

    #[test]
    fn signatures_stay_and_gaps_are_reported() {
        let text = body("one") + &body("two") + &body("three");
        let short = shorten(&text, 1, &symbols(&text), &[], Tokens(120));
        for name in ["fn one() {", "fn two() {", "fn three() {"] {
            assert!(short.lines().any(|it| it == name), "{short}");
        }
        assert!(short.len() <= bytes(Tokens(120)) + 3 * GAP, "{}", short.len());
        assert!(short.contains("left out]"), "{short}");
        let known: Vec<&str> = text.lines().collect();
        assert!(short.lines().all(|it| it.starts_with("[lines ") || known.contains(&it)), "no line is cut: {short}");
    }

    #[test]
    fn definitions_are_kept_whole_or_by_their_signature_and_wanted_ones_first() {
        let text = body("one") + &body("two") + &body("three");
        // One body takes about 180 tokens.
        for (wanted, kept) in [(vec![], "one"), (vec![(30, 31)], "two"), (vec![(50, 50)], "three")] {
            let short = shorten(&text, 1, &symbols(&text), &wanted, Tokens(240));
            assert!(short.contains(body(kept).trim_end()), "{wanted:?} {short}");
            assert_eq!(short.matches("left out]").count(), 2);
            assert_eq!(short.matches("compute").count(), 20, "no other body is torn: {short}");
        }
    }

    #[test]
    fn a_single_definition_that_is_too_long_ends_with_a_statement() {
        let text = format!(
            "fn one() {{\n{}}}\n",
            "    if ready() {\n        go(\n            1,\n        );\n    }\n".repeat(50)
        );
        for room in (60..200).step_by(7) {
            let short = shorten(&text, 1, &symbols(&text), &[], Tokens(room));
            let lines: Vec<&str> = short.lines().collect();
            let (gap, before) = (lines[lines.len() - 1], lines[lines.len() - 2]);
            assert!(gap.starts_with("[lines ") && before == "    }", "{room} {short}");
        }
    }

    #[test]
    fn what_fits_is_whole() {
        let text = "fn one() {\n    two();\n}";
        assert_eq!(shorten(text, 7, &symbols(text), &[], Tokens(500)), text);
    }
}
