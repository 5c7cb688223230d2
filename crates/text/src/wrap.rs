//! Fits lines into a number of columns. Wide characters count two columns; words stay whole where they fit at all.

use std::sync::atomic::{AtomicBool, Ordering};

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Line, Span};

/// A character as people see it, perhaps of several code points, with the span that it is of.
type Glyph<'a> = (&'a str, usize);

/// Whether this terminal draws characters of ambiguous width (Unicode Standard Annex 11) in two columns. It is a fact of
/// the process's terminal, as its size is.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Says how many columns characters of ambiguous width take from now on: two, or one.
pub fn set_ambiguous_wide(wide: bool) {
    WIDE.store(wide, Ordering::Relaxed);
}

/// A line across so many columns.
pub fn rule(columns: usize) -> String {
    "─".repeat(columns / width("─"))
}

/// Columns that `text` takes.
pub fn width(text: &str) -> usize {
    if text.bytes().all(|it| it.is_ascii_graphic() || it == b' ') {
        return text.len();
    }
    text.graphemes(true).map(cells).sum()
}

/// Columns of one glyph: two at most, however many code points it is made of.
fn cells(glyph: &str) -> usize {
    let cells = if WIDE.load(Ordering::Relaxed) { glyph.width_cjk() } else { glyph.width() };
    cells.min(2)
}

/// Columns that spans take.
fn columns(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}

fn glyphs(spans: &[Span]) -> Vec<Glyph<'_>> {
    spans.iter().enumerate().flat_map(|(index, span)| span.text.graphemes(true).map(move |it| (it, index))).collect()
}

/// The printed lines of `line` at `limit` columns (at least 8), each with its lead in place and nothing to wrap left.
pub fn wrap(line: &Line, limit: usize) -> Vec<Line> {
    let limit = limit.max(8);
    let glyphs = glyphs(&line.spans);
    let mut out = Vec::new();
    let mut start = 0;
    loop {
        let lead = if out.is_empty() { &line.lead } else { &line.follow };
        // A lead that leaves no room is dropped rather than squeezing the text into a column.
        let lead = if columns(lead) + 4 > limit { &[][..] } else { lead };
        let end = fit(&glyphs[start..], limit - columns(lead)) + start;
        let shown = trimmed(&glyphs[start..end], end == glyphs.len());
        out.push(Line { lead: lead.to_vec(), spans: joined(shown, &line.spans), ..Line::default() });
        start = end + glyphs[end..].iter().take_while(|(it, _)| *it == " ").count();
        if start >= glyphs.len() {
            return out;
        }
    }
}

/// The line cut to `limit` columns, with an ellipsis where something was cut.
pub fn clip(line: &Line, limit: usize) -> Line {
    let all: Vec<Span> = line.lead.iter().chain(&line.spans).cloned().collect();
    if columns(&all) <= limit {
        return Line { spans: all, ..Line::default() };
    }
    let glyphs = glyphs(&all);
    let mut used = 0;
    let fits = |(it, _): &&Glyph<'_>| {
        used += cells(it);
        used < limit
    };
    let mut shown: Vec<Glyph<'_>> = glyphs.iter().take_while(fits).copied().collect();
    shown.extend(glyphs.get(shown.len()).map(|(_, index)| ("…", *index)).filter(|_| limit > 0));
    Line { spans: joined(&shown, &all), ..Line::default() }
}

/// Glyphs as spans that look like those they came from.
fn joined(glyphs: &[Glyph<'_>], spans: &[Span]) -> Vec<Span> {
    let parts = glyphs.chunk_by(|a, b| a.1 == b.1);
    parts.map(|part| spans[part[0].1].like(&part.iter().map(|it| it.0).collect::<String>())).collect()
}

/// Spaces at the end of a broken line are not printed; those of the last line are the author's.
fn trimmed<'a, 'b>(glyphs: &'b [Glyph<'a>], last: bool) -> &'b [Glyph<'a>] {
    let spaces = if last { 0 } else { glyphs.iter().rev().take_while(|(it, _)| *it == " ").count() };
    &glyphs[..glyphs.len() - spaces]
}

/// How many glyphs go on a line of `limit` columns; at least one, unless there is none.
fn fit(glyphs: &[Glyph<'_>], limit: usize) -> usize {
    let mut used = 0;
    // The last place where the line may end, and the last where it should.
    let (mut fair, mut good) = (0, 0);
    for (index, (glyph, _)) in glyphs.iter().enumerate() {
        if index > 0 && breaks_between(glyphs[index - 1].0, glyph) {
            fair = index;
            if !splits_unit(&glyphs[..index], glyph) {
                good = index;
            }
        }
        if used + cells(glyph) > limit && *glyph != " " {
            return [good, fair].into_iter().find(|it| *it > 0).unwrap_or(index.max(1));
        }
        used += cells(glyph);
    }
    glyphs.len()
}

/// True where a break would part a number from its unit, as in `3 ms`.
fn splits_unit(before: &[Glyph<'_>], after: &str) -> bool {
    let [number @ .., (" ", _)] = before else { return false };
    let mut number = number.iter().rev().map(|it| it.0).take_while(|it| *it != " ").peekable();
    number.peek().is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
        && number.all(|it| it.starts_with(|c: char| !c.is_alphabetic()))
        && after.starts_with(|c: char| c.is_alphabetic() || c == '%')
}

/// True where a line may end between two glyphs: after a space, and around ideographs unless punctuation forbids it.
fn breaks_between(before: &str, after: &str) -> bool {
    // Comma, full stop, enumeration comma, semicolon, colon, question and exclamation mark, closing brackets and quotes,
    // ellipsis; then the same of ASCII.
    const NEVER_FIRST: &str = "\u{ff0c}\u{3002}\u{3001}\u{ff1b}\u{ff1a}\u{ff1f}\u{ff01}\u{ff09}\u{3011}\u{300b}\u{300d}\u{300f}\u{2019}\u{201d}\u{2026},.;:?!)]}%";
    // Opening brackets and quotes.
    const NEVER_LAST: &str = "\u{ff08}\u{3010}\u{300a}\u{300c}\u{300e}\u{2018}\u{201c}([{";
    if before == " " {
        return after != " ";
    }
    let never = |list: &str, c: Option<char>| c.is_some_and(|it| list.contains(it));
    let ideograph = |it: &str| it.chars().next().is_some_and(|c| c.width() == Some(2));
    (ideograph(before) || ideograph(after))
        && after != " "
        && !never(NEVER_FIRST, after.chars().next())
        && !never(NEVER_LAST, before.chars().next_back())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    fn wrapped(text: &str, limit: usize) -> Vec<String> {
        wrap(&Line::of(text, Role::Plain), limit).iter().map(Line::text).collect()
    }

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(wrapped("unbreakablewordthat", 10), ["unbreakabl", "ewordthat"]);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(wrapped("exactly 10", 10), ["exactly 10"]);
        assert_eq!(wrapped("ends here  ", 10), ["ends here  "]);
        assert_eq!(wrapped("took (3 ms)", 9), ["took", "(3 ms)"]);
        assert_eq!(wrapped("took 1.5 s of", 9), ["took", "1.5 s of"]);
        assert_eq!(wrapped("word16 word17 word18", 15), ["word16 word17", "word18"]);
        assert_eq!(wrapped("1 a 2 b 3 c 4", 9), ["1 a 2 b", "3 c 4"]);
        assert_eq!(wrapped("12345678 bytes", 12), ["12345678", "bytes"]);
    }

    #[test]
    fn wide_characters_count_twice_and_break_anywhere_but_before_punctuation() {
        assert_eq!(wrapped("检查全部通过了", 8), ["检查全部", "通过了"]);
        assert_eq!(wrapped("检查全部\u{ff0c}通过", 8), ["检查全", "部\u{ff0c}通过"]);
        assert_eq!(width("检查 ok"), 7);
    }

    #[test]
    fn what_is_seen_as_one_character_is_never_parted() {
        let family = "👨\u{200d}👩\u{200d}👧";
        let cases = [
            ("👍🏽", 2),
            ("é", 1),
            ("e\u{301}", 1),
            (family, 2),
            ("🇩🇪", 2),
            ("1\u{fe0f}\u{20e3}", 2),
            ("한국", 4),
            ("لا", 2),
        ];
        for (text, expected) in cases {
            assert_eq!(width(text), expected, "{text}");
        }
        assert_eq!(wrapped(&family.repeat(5), 9), [family.repeat(4), family.to_string()]);
        assert_eq!(wrapped(&"中".repeat(5), 9), ["中".repeat(4), "中".to_string()]);
        assert_eq!(clip(&Line::of(&"🇩🇪".repeat(5), Role::Plain), 8).text(), "🇩🇪".repeat(3) + "…");
    }

    #[test]
    fn continuation_lines_hang() {
        let line = Line::of("one two three four", Role::Plain).indented(2, 2);
        let lines: Vec<String> = wrap(&line, 12).iter().map(Line::text).collect();
        assert_eq!(lines, ["  one two", "    three", "    four"]);
    }

    #[test]
    fn roles_survive_wrapping_and_clipping() {
        let line = Line::of("good ", Role::Good).with("bad words", Role::Bad);
        let roles: Vec<Role> =
            wrap(&line, 10).iter().flat_map(|line| line.spans.iter().map(|span| span.role)).collect();
        assert_eq!(roles, [Role::Good, Role::Bad, Role::Bad]);
        assert_eq!(clip(&line, 8).text(), "good ba…");
        assert_eq!(clip(&line, 80).text(), "good bad words");
        assert_eq!(clip(&Line::of("检查全部通过", Role::Plain), 7).text(), "检查全…");
    }

    #[test]
    fn no_printed_line_is_too_wide() {
        let text = "a bb 中文字 ccc-ddd 👩\u{200d}💻 eeeeeeeeeeeeeeeeeeeeeeee (ff) 句号。";
        for limit in 8..60 {
            for line in wrap(&Line::of(text, Role::Plain).indented(3, 4), limit) {
                assert!(columns(&line.lead) + columns(&line.spans) <= limit, "{limit}: {:?}", line.text());
            }
        }
    }
}
