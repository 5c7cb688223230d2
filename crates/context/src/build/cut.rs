//! Code in fewer lines: definitions that do not fit keep their signature, and every gap says which lines are missing.

use ox_index::Symbol;
use ox_protocol::Tokens;

use crate::budget::bytes;

/// Bytes kept for the line that tells of a gap.
const GAP: usize = 40;

/// `text`, whose first line has the number `first`, in at most about `room`: whole definitions in their order while they
/// fit, of the others the line of the signature. No line is cut.
pub(super) fn cut(text: &str, first: u32, symbols: &[Symbol], room: Tokens) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let last = first + u32::try_from(lines.len()).unwrap_or(u32::MAX).saturating_sub(1);
    let line = |number: u32| lines.get((number - first) as usize).copied().unwrap_or_default();
    let mut left = bytes(room).saturating_sub(GAP);
    let mut kept = vec![false; lines.len()];
    let mut keep = |number: u32, left: &mut usize| {
        let at = (number - first) as usize;
        let cost = line(number).len() + 1;
        if !kept[at] && cost <= *left {
            kept[at] = true;
            *left -= cost;
        }
    };
    let within: Vec<&Symbol> = symbols.iter().filter(|it| (first..=last).contains(&it.line)).collect();
    // Signatures first: they tell most for their length. What is written above them belongs to the body.
    for symbol in &within {
        let head = (symbol.line..=symbol.end.min(last)).find(|it| line(*it).contains(symbol.name.as_str()));
        keep(head.unwrap_or(symbol.line), &mut left);
    }
    for number in first..=last {
        keep(number, &mut left);
    }
    joined(&lines, &kept, first)
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
        text += &format!("[lines {}-{} left out]\n", number(at), number(end - 1));
        at = end;
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols(text: &str) -> Vec<Symbol> {
        ox_index::facts("a.rs", text).symbols
    }

    #[test]
    fn signatures_stay_and_gaps_are_told() {
        let body = |name: &str| format!("fn {name}() {{\n{}}}\n", "    let value = compute(1, 2, 3);\n".repeat(20));
        let text = body("one") + &body("two") + &body("three");
        let short = cut(&text, 1, &symbols(&text), Tokens(120));
        for name in ["fn one() {", "fn two() {", "fn three() {"] {
            assert!(short.lines().any(|it| it == name), "{short}");
        }
        assert!(short.len() <= bytes(Tokens(120)) + 3 * GAP, "{}", short.len());
        assert!(short.contains("left out]"), "{short}");
        let known: Vec<&str> = text.lines().collect();
        assert!(short.lines().all(|it| it.starts_with("[lines ") || known.contains(&it)), "no line is cut: {short}");
    }

    #[test]
    fn what_fits_is_whole() {
        let text = "fn one() {\n    two();\n}";
        assert_eq!(cut(text, 7, &symbols(text), Tokens(500)), text);
    }
}
