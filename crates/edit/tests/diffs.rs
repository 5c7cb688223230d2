//! What holds for every true diff: applied it gives the new text, applied backwards the old one, and where it cannot be
//! certain it is refused; it never gives a third text.

use ox_edit::{Files, LineRange, Reason, Request, run};
use proptest::prelude::*;
use similar::TextDiff;

/// Lines of which many are equal, for what ambiguity does.
fn repetitive() -> impl Strategy<Value = Vec<String>> {
    let line = prop::sample::select(vec![
        "a", "b", "}", "", "    x();", "  x();", "@@", "--- a", "+++ b", "-- ", "\\ No", "```",
    ]);
    prop::collection::vec(line.prop_map(str::to_owned), 0..16)
}

/// Lines of which no two are equal, so that every place is certain.
fn distinct() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ ]{0,4}[a-z]{5,9}", 1..24)
        .prop_map(|lines| lines.iter().enumerate().map(|(at, line)| format!("{line} {at}")).collect())
}

/// The lines with some dropped and some put in.
fn edited(lines: &[String], choices: &[u8], fresh: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        match choices.get(at).copied().unwrap_or(9) {
            0 => {}
            1 => out.push(format!("{fresh} {at}")),
            2 => out.extend([line.clone(), format!("{fresh} {at}")]),
            _ => out.push(line.clone()),
        }
    }
    out
}

fn joined(lines: &[String], end: &str, last: bool) -> String {
    let text = lines.iter().flat_map(|line| [line.as_str(), end]).collect::<String>();
    if last { text } else { text.strip_suffix(end).unwrap_or(&text).to_owned() }
}

fn diff(old: &str, new: &str) -> String {
    let (old, new) = (old.replace("\r\n", "\n"), new.replace("\r\n", "\n"));
    TextDiff::from_lines(&old, &new).unified_diff().header("a/f", "b/f").to_string()
}

/// The file after a diff; a file that was emptied counts as an empty text.
fn apply(before: &str, text: &str) -> Result<String, Reason> {
    let files = Files::from([("f".to_owned(), before.to_owned())]);
    let outcome = run(&Request::UnifiedDiff { path: None, text }, &files).map_err(|refusal| refusal.reason)?;
    Ok(outcome.files_after["f"].clone().unwrap_or_default())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_true_diff_applies_and_its_reverse_is_the_identity(
        lines in distinct(), choices in prop::collection::vec(0_u8..8, 24), crlf: bool, last: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let old = joined(&lines, end, last);
        let new = joined(&edited(&lines, &choices, "fresh"), end, last);
        prop_assume!(old != new && !new.trim().is_empty() && new.contains('\n') && old.contains('\n'));
        prop_assert_eq!(apply(&old, &diff(&old, &new)), Ok(new.clone()));
        prop_assert_eq!(apply(&new, &diff(&new, &old)), Ok(old));
    }

    #[test]
    fn a_true_diff_never_gives_a_third_text(old in repetitive(), new in repetitive(), last: bool) {
        let (old, new) = (joined(&old, "\n", last), joined(&new, "\n", true));
        prop_assume!(old != new);
        match apply(&old, &diff(&old, &new)) {
            Ok(after) => prop_assert_eq!(after, new),
            Err(reason) => prop_assert!(reason != Reason::Malformed || !new.is_empty(), "{:?}", reason),
        }
    }

    #[test]
    fn lines_by_number_and_back_are_the_identity(lines in distinct(), at in any::<prop::sample::Index>(), more in 0_usize..3) {
        let old = joined(&lines, "\n", true);
        let from = at.index(lines.len()) + 1;
        let to = (from + more).min(lines.len());
        let taken = joined(&lines[from - 1..to], "\n", true);
        let there = LineRange { from, to, new: "one\ntwo\n".into(), old: Some(taken.clone()) };
        let back = LineRange { from, to: from + 1, new: taken, old: None };
        let step = |before: &str, range: LineRange| {
            let files = Files::from([("f".to_owned(), before.to_owned())]);
            let done = run(&Request::LineRange { path: "f", ranges: &[range] }, &files).map_err(|refusal| refusal.message());
            done.map(|outcome| outcome.files_after["f"].clone().unwrap_or_default())
        };
        let new = step(&old, there).expect("the lines are there");
        prop_assert_eq!(step(&new, back), Ok(old));
    }
}
