//! Fits lines into a number of columns. Wide characters count two columns; words stay whole where they fit at all.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{Line, Role, Span};

/// Columns that `text` takes.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Columns that spans take.
fn columns(spans: &[Span]) -> usize {
    spans.iter().map(|span| width(&span.text)).sum()
}

/// The printed lines of `line` at `limit` columns (at least 8), each with its lead in place and nothing to wrap left.
pub fn wrap(line: &Line, limit: usize) -> Vec<Line> {
    let limit = limit.max(8);
    let chars: Vec<(char, Role)> =
        line.spans.iter().flat_map(|span| span.text.chars().map(|c| (c, span.role))).collect();
    let mut out = Vec::new();
    let mut start = 0;
    loop {
        let lead = if out.is_empty() { &line.lead } else { &line.follow };
        // A lead that leaves no room is dropped rather than squeezing the text into a column.
        let lead = if columns(lead) + 4 > limit { &[][..] } else { lead };
        let end = fit(&chars[start..], limit - columns(lead)) + start;
        let mut printed = Line { lead: lead.to_vec(), ..Line::default() };
        for (c, role) in trimmed(&chars[start..end], end == chars.len()) {
            push(&mut printed.spans, *c, *role);
        }
        out.push(printed);
        start = end + chars[end..].iter().take_while(|(c, _)| *c == ' ').count();
        if start >= chars.len() {
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
    let mut out = Line::default();
    let mut used = 0;
    for (c, role) in all.iter().flat_map(|span| span.text.chars().map(|c| (c, span.role))) {
        used += c.width().unwrap_or(0);
        if used + 1 > limit {
            push(&mut out.spans, '…', role);
            break;
        }
        push(&mut out.spans, c, role);
    }
    out
}

fn push(spans: &mut Vec<Span>, c: char, role: Role) {
    match spans.last_mut() {
        Some(span) if span.role == role => span.text.push(c),
        _ => spans.push(Span { text: c.to_string(), role }),
    }
}

/// Spaces at the end of a broken line are not printed; those of the last line are the author's.
fn trimmed(chars: &[(char, Role)], last: bool) -> &[(char, Role)] {
    let spaces = if last { 0 } else { chars.iter().rev().take_while(|(c, _)| *c == ' ').count() };
    &chars[..chars.len() - spaces]
}

/// How many characters go on a line of `limit` columns; at least one, unless there is none.
fn fit(chars: &[(char, Role)], limit: usize) -> usize {
    let mut used = 0;
    let mut good = 0;
    for (index, (c, _)) in chars.iter().enumerate() {
        let wide = c.width().unwrap_or(0);
        if index > 0 && breaks_between(chars[index - 1].0, *c) && !splits_unit(&chars[..index], *c) {
            good = index;
        }
        if used + wide > limit && *c != ' ' {
            return match good {
                0 => index.max(1),
                good => good,
            };
        }
        used += wide;
    }
    chars.len()
}

/// True where a break would part a number from its unit, as in `3 ms`.
fn splits_unit(before: &[(char, Role)], after: char) -> bool {
    matches!(before, [.., (digit, _), (' ', _)] if digit.is_ascii_digit()) && (after.is_alphabetic() || after == '%')
}

/// True where a line may end between two characters: after a space, and around ideographs unless punctuation forbids it.
fn breaks_between(before: char, after: char) -> bool {
    // Comma, full stop, enumeration comma, semicolon, colon, question and exclamation mark, closing brackets and quotes,
    // ellipsis; then the same of ASCII.
    const NEVER_FIRST: &str = "\u{ff0c}\u{3002}\u{3001}\u{ff1b}\u{ff1a}\u{ff1f}\u{ff01}\u{ff09}\u{3011}\u{300b}\u{300d}\u{300f}\u{2019}\u{201d}\u{2026},.;:?!)]}%";
    // Opening brackets and quotes.
    const NEVER_LAST: &str = "\u{ff08}\u{3010}\u{300a}\u{300c}\u{300e}\u{2018}\u{201c}([{";
    if before == ' ' {
        return after != ' ';
    }
    let wide = |c: char| c.width() == Some(2);
    (wide(before) || wide(after))
        && after != ' '
        && after.width() != Some(0)
        && before != '\u{200d}'
        && !NEVER_FIRST.contains(after)
        && !NEVER_LAST.contains(before)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }

    #[test]
    fn wide_characters_count_twice_and_break_anywhere_but_before_punctuation() {
        assert_eq!(wrapped("检查全部通过了", 8), ["检查全部", "通过了"]);
        assert_eq!(wrapped("检查全部\u{ff0c}通过", 8), ["检查全", "部\u{ff0c}通过"]);
        assert_eq!(width("检查 ok"), 7);
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
