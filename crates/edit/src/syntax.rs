//! A second opinion on edits whose place was not met to the letter: a text that could be parsed before and cannot be
//! parsed after is not handed out. An edit to the letter is never questioned; what it breaks was asked for.

use crate::block::Place;
use crate::engine::nearest::candidate;
use crate::formats::{Files, Outcome, Request, run};
use crate::refusal::{Reason, Refusal};
use crate::text::document::Document;
use crate::text::target::Target;

/// Where and why a text cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there, in a few words; may be empty.
    pub what: String,
}

/// [`run`], and then `syntax` on each file that has a place which was not met to the letter. `syntax` is given the path
/// and the text; it answers with nothing where it has no grammar.
///
/// # Errors
/// As [`run`]; and [`Reason::BreaksSyntax`] with the place in the new text, if a place was not met to the letter and
/// `syntax` finds an error in the new text but none in the old one.
pub fn run_checked(
    request: &Request<'_>,
    files: &Files,
    syntax: &dyn Fn(&str, &str) -> Option<SyntaxError>,
) -> Result<Outcome, Refusal> {
    let outcome = run(request, files)?;
    let total = outcome.places.len();
    for (path, old) in files {
        let renamed = outcome.moved.iter().find(|(from, _)| from == path).map(|(_, to)| to);
        let now = outcome.files_after.get(renamed.unwrap_or(path)).and_then(Option::as_deref);
        let Some(new) = now else { continue };
        let own: Vec<usize> = (0..total).filter(|&at| outcome.places[at].path == *path).collect();
        let mut places = own.iter().map(|&at| &outcome.places[at].place);
        check(old, new, &mut places, &|text| syntax(path, text))
            .map_err(|(at, refusal)| refusal.of(request.format(), path).of_block(own[at], total))?;
    }
    Ok(outcome)
}

/// Refuses for the loosest place if the text could be parsed before and cannot be after.
fn check(
    old: &str,
    new: &str,
    places: &mut dyn Iterator<Item = &Place>,
    syntax: &dyn Fn(&str) -> Option<SyntaxError>,
) -> Result<(), (usize, Refusal)> {
    let loosest = places.enumerate().filter(|(_, place)| !place.strategy.is_exact());
    let Some((at, place)) = loosest.max_by_key(|(_, place)| place.strategy) else { return Ok(()) };
    let Some(fault) = syntax(new) else { return Ok(()) };
    if syntax(old).is_some() {
        return Ok(());
    }
    let SyntaxError { line, what } = fault;
    let because = if what.is_empty() { String::new() } else { format!(": {what}") };
    let detail = format!(
        "The place was met only by {} (line {} of the file), and line {line} of the new text is then no valid syntax{because}.",
        place.strategy,
        place.before.start(),
    );
    let document = Document::new(new);
    let target = Target::new(&document);
    let shown = line.saturating_sub(1).min(target.lines().len())..line.min(target.lines().len());
    let refusal = Refusal::new(Reason::BreaksSyntax, detail);
    Err((at, if shown.is_empty() { refusal } else { refusal.with(vec![candidate(&target, shown, place.similarity)]) }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Block;

    /// A grammar that knows braces only.
    fn braces(text: &str) -> Option<SyntaxError> {
        let count = |sign: char| text.matches(sign).count();
        let line = text.lines().count();
        (count('{') != count('}')).then(|| SyntaxError { line, what: "a brace is left over".into() })
    }

    fn checked(text: &str, blocks: &[Block]) -> Result<Outcome, Refusal> {
        let files = Files::from([("a".to_owned(), text.to_owned())]);
        run_checked(&Request::Blocks { path: "a", blocks }, &files, &|_, text| braces(text))
    }

    #[test]
    fn a_loose_edit_may_not_break_what_could_be_parsed() {
        let text = "fn f() {\n    a();\n}\n";
        let run = |text: &str, search: &str, replace: &str| {
            let blocks = [Block::new(search, replace)];
            checked(text, &blocks).map(|it| it.files_after["a"].clone().unwrap()).map_err(|refusal| refusal.reason)
        };
        assert_eq!(run(text, "fn f() {\n  a();\n}\n", "fn f() {\n  b();\n"), Err(Reason::BreaksSyntax));
        assert_eq!(run(text, "fn f() {\n  a();\n}\n", "fn f() {\n  b();\n}\n").unwrap(), "fn f() {\n    b();\n}\n");
        assert_eq!(
            run(text, "    a();\n}\n", "    a();\n").unwrap(),
            "fn f() {\n    a();\n",
            "asked for to the letter"
        );
        let broken = "{\nfn f() {\n    a();\n}\n";
        assert!(run(broken, "fn f() {\n  a();\n}\n", "x\n").is_ok(), "it could not be parsed before either");
    }

    #[test]
    fn the_place_of_the_fault_is_reported() {
        let blocks = [Block::new("f() {\n a();\n}\n", "f() {\n a();\n")];
        let refusal = checked("f() {\n  a();\n}\n", &blocks).unwrap_err();
        assert_eq!(*refusal.candidates[0].lines.start(), 2);
        assert!(refusal.message().contains("line 2 of the new text"), "{}", refusal.message());
    }
}
