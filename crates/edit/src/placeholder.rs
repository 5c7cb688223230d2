//! Lines that stand for text they do not give ("the rest stays as it is"), in any language. A few forms are sure by what
//! they say; the others are judged by their effect: lines of the old text vanish just where the line stands, and nothing
//! else comes in their place. A line that the old text has itself is never one.

use std::collections::HashSet;
use std::ops::Range;

use similar::DiffOp;

use crate::fold::key;
use crate::lines::is_blank;
use crate::ops::ops;
use crate::tier::is_comment;

/// Words which tell that the line speaks of code it does not give.
const TELLING: &str =
    "rest existing unchanged remaining remains omitted previous snip snipped truncated unmodified elided";
/// Those of them which tell it without dots.
const PLAIN: &str = "unchanged omitted snip snipped truncated unmodified elided";
/// Words that go with them.
const WITH: &str = "a above all and are as before below block body brevity changes class code component config content \
contents document else everything file for function functions goes here implementation imports in is it keep kept lines \
logic method methods module no object of other others page part parts query same script section shown stay stays struct \
stuff template tests the these this to with";
/// Words, or beginnings of words, by which comments say in some language that something stays as it was.
const STAYING: &str = "same remain unchanged unmodified rest existing previous omitted before keep stay other elided \
其余 其他 其它 剩余 保持 不变 省略 原有 现有 已有 相同 同上 照旧 未改 其餘 不變 現有 剩餘 变更なし 変更なし 同じ 既存 残り そのまま 以下略 \
나머지 기존 동일 생략 그대로 변경 resto igual cambio existente demás restante unverändert bleib bisher zuvor gleich übrig \
vorhanden reste inchang existant identique précédent inalterad mesm остальн изменен прежн раньше существующ также";

/// Lines that must vanish beside a comment which says nothing of the kind, and nothing else come, for it to stand for them.
const MUTE: usize = 3;

/// So many lines are much.
const MUCH: usize = 5;

/// How far a line says that it stands for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tells {
    /// By its form alone.
    Surely,
    /// Dots, or a comment with dots around it.
    Dots,
    /// A comment which says that something stays.
    Words,
    /// Any other comment.
    Nothing,
}

/// The lines of `new` that stand for lines of `old`, as indices. With `whole`, the two are whole files, and a mute comment
/// that alone takes the place of several lines is one as well: in an edit these lines were named.
pub(crate) fn standing_for(old: &[&str], new: &[&str], whole: bool) -> Vec<usize> {
    let telling = new.iter().enumerate().filter_map(|(at, line)| Some((at, tells(line)?)));
    let mut suspects: Vec<(usize, Tells)> = telling.filter(|(_, tells)| whole || *tells < Tells::Nothing).collect();
    if suspects.is_empty() {
        return Vec::new();
    }
    let known: HashSet<&str> = old.iter().map(|line| line.trim()).collect();
    suspects.retain(|(at, _)| !known.contains(new[*at].trim()));
    if suspects.iter().any(|(_, tells)| *tells > Tells::Surely) {
        let lost = Lost::new(old, new, &suspects);
        suspects.retain(|&(at, tells)| lost.stands(at, tells, new));
    }
    suspects.into_iter().map(|(at, _)| at).collect()
}

/// The places where two texts differ, and how much goes and comes there.
struct Lost {
    /// For each place its lines in the new text, how many lines with words vanish, and how many others come.
    places: Vec<(Range<usize>, usize, usize)>,
}

impl Lost {
    fn new(old: &[&str], new: &[&str], suspects: &[(usize, Tells)]) -> Self {
        let keys = |lines: &[&str]| -> HashSet<u64> { lines.iter().map(|line| key(line)).collect() };
        let (in_old, in_new) = (keys(old), keys(new));
        let trimmed = |lines: &[&'_ str]| -> Vec<u64> { lines.iter().map(|line| key(line)).collect() };
        let mut places: Vec<(Range<usize>, usize, usize)> = Vec::new();
        for op in ops(&trimmed(old), &trimmed(new)) {
            if let DiffOp::Equal { .. } = op {
                continue;
            }
            let (gone, came) = (op.old_range(), op.new_range());
            let lost = gone.filter(|&at| is_text(old[at]) && !in_new.contains(&key(old[at]))).count();
            let other = |at: &usize| suspects.iter().all(|(suspect, _)| suspect != at);
            let gained =
                came.clone().filter(|at| has_words(new[*at]) && other(at) && !in_old.contains(&key(new[*at]))).count();
            match places.last_mut().filter(|(last, ..)| last.end == came.start) {
                Some(last) => *last = (last.0.start..came.end, last.1 + lost, last.2 + gained),
                None => places.push((came, lost, gained)),
            }
        }
        Self { places }
    }

    /// Whether a comment is no part of a longer one. Where much vanishes, a comment that was there before proves nothing.
    fn apart(&self, at: usize, new: &[&str], net: usize) -> bool {
        let kept = |at: usize| net >= MUCH && !self.places.iter().any(|(place, ..)| place.contains(&at));
        let comment = |at: usize| new.get(at).is_some_and(|line| is_comment(line)) && !kept(at);
        !at.checked_sub(1).is_some_and(comment) && !comment(at + 1)
    }

    /// Whether a comment is no part of a longer one and speaks of no new line below it.
    fn alone(&self, at: usize, new: &[&str]) -> bool {
        let below = (at + 1..new.len()).find(|&below| !is_blank(new[below]));
        let new_below = below.is_some_and(|below| self.places.iter().any(|(place, ..)| place.contains(&below)));
        !new_below && self.apart(at, new, 0)
    }

    /// Whether a line stands for what vanishes where it is.
    fn stands(&self, at: usize, tells: Tells, new: &[&str]) -> bool {
        let Some((place, lost, gained)) = self.places.iter().find(|(place, ..)| place.contains(&at)) else {
            return tells == Tells::Surely;
        };
        let net = lost.saturating_sub(*gained);
        match tells {
            Tells::Surely => true,
            // In Python dots are a statement, the body of what the line above opens.
            Tells::Dots if new[at].trim() == "..." && opens_block(new, at) => net >= 2,
            Tells::Dots => net >= 1,
            Tells::Words => net >= 3 && self.apart(at, new, net) || net == 2 && self.alone(at, new),
            Tells::Nothing => place.len() == 1 && *gained == 0 && *lost >= MUTE && self.alone(at, new),
        }
    }
}

/// Whether the line above opens a block whose body a line may be.
pub(crate) fn opens_block(lines: &[&str], at: usize) -> bool {
    let above = lines[..at].iter().rev().find(|line| !is_blank(line));
    above.is_some_and(|line| line.trim_end().ends_with([':', '"', '\'']))
}

fn has_words(line: &str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() > 1
}

/// Whether a line would be missed: it has words, and is no placeholder itself.
fn is_text(line: &str) -> bool {
    has_words(line) && tells(line).is_none_or(|tells| tells > Tells::Dots)
}

fn is_dot(c: char) -> bool {
    c == '.' || c == '\u{2026}'
}

/// How far a line says that it stands for others; nothing if it is code.
fn tells(line: &str) -> Option<Tells> {
    if is_placeholder(line) {
        return Some(Tells::Surely);
    }
    let line = line.trim();
    let Some(remark) = remark(line) else {
        // Behind code, only what is said by its form counts.
        let inner = inner_comment(line)?;
        return (only_dots(inner) || is_placeholder(&format!("// {inner}"))).then_some(Tells::Dots);
    };
    // Bare dots go on with a sentence, too.
    let bare = line.starts_with(is_dot) && !only_dots(line);
    if !bare && (only_dots(line) || remark.starts_with("..") || remark.starts_with('\u{2026}')) {
        return Some(Tells::Dots);
    }
    let lower = remark.to_lowercase();
    let words = || lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let staying = |sign: &str| match sign.is_ascii() {
        true => words().any(|word| word.starts_with(sign)),
        false => lower.contains(sign),
    };
    if remark.len() <= 120 && STAYING.split_ascii_whitespace().any(staying) {
        return Some(Tells::Words);
    }
    let code = bare || remark.contains(['=', ';', '{', '}', '<', '>', '@', '`']);
    (!code && (words().count() > 1 || !remark.is_ascii())).then_some(Tells::Nothing)
}

/// What a line says that is a remark and nothing else: a comment of its own, or bare dots with or without words. Not what
/// documents, nor what only looks like a comment in some language (`#include`, `'text'`, `*p`, `...spread`).
fn remark(line: &str) -> Option<&str> {
    let apart = |rest: &str| rest.chars().next().is_none_or(|c| c == ' ' || is_dot(c) || !c.is_ascii());
    let opened = ["//", "/*", "<!--", "{/*", "#", "--"].iter().find_map(|opener| line.strip_prefix(opener));
    let dots = || line.starts_with(is_dot).then(|| line.trim_start_matches(is_dot));
    let rest = opened.filter(|rest| !rest.starts_with('.') || rest.starts_with("..")).or_else(dots)?;
    if apart(rest) { comment_text(line) } else { None }
}

/// A comment behind code, or what stands alone in braces.
fn inner_comment(line: &str) -> Option<&str> {
    let braced = line.rsplit_once('{').and_then(|(_, rest)| rest.trim().strip_suffix('}')).map(str::trim);
    let block = line.split_once("/*").and_then(|(_, rest)| rest.split_once("*/")).map(|(inner, _)| inner.trim());
    let tail = || [" // ", " # "].iter().find_map(|sign| line.split_once(sign)).map(|(_, rest)| rest.trim());
    block.or(braced.filter(|inner| only_dots(inner))).or_else(tail)
}

/// Whether dots at the start of a line go with the code behind them: `...rest,`, `...(a ? b : {}),`.
fn is_spread(line: &str) -> bool {
    let rest = line.trim_start_matches(is_dot);
    let joined = rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '(' | '[' | '{'));
    joined && (!rest.contains(' ') || rest.trim_end().ends_with([',', ';', ')', '}', ']']))
}

fn only_dots(text: &str) -> bool {
    (text.contains("...") || text.contains('\u{2026}')) && text.chars().all(|c| is_dot(c) || c.is_whitespace())
}

/// Whether a line stands for lines it does not give, whatever is around it: a comment of nothing but dots, dots before
/// words such as "rest", "existing code", "unchanged", or a comment that says nothing but "unchanged", "rest of the code".
pub(crate) fn is_placeholder(line: &str) -> bool {
    let line = line.trim();
    if line.len() > 120 {
        return false;
    }
    let Some(comment) = comment_text(line) else { return false };
    if line.starts_with(is_dot) && is_spread(line) {
        return false;
    }
    let has_dots = comment.contains("...") || comment.contains('\u{2026}');
    if only_dots(comment) {
        // A bare `...` is a statement in Python; only a comment of dots is surely none.
        return !line.starts_with(is_dot);
    }
    let lower = comment.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let of = |set: &str, word: &str| set.split_ascii_whitespace().any(|it| it == word);
    let any = |set: &str| words.iter().any(|word| of(set, word));
    if has_dots && comment.starts_with(is_dot) {
        return words.len() <= 12 && (any(TELLING) || any("same code here keep other before"));
    }
    let only = words.iter().all(|word| of(TELLING, word) || of(WITH, word));
    let says_rest = lower.contains("rest of") || lower.contains("existing code");
    only && any(TELLING) && (has_dots && comment.ends_with(is_dot) || any(PLAIN) || says_rest)
}

/// What a comment line says, without its signs; also a line of bare dots and words in brackets.
fn comment_text(line: &str) -> Option<&str> {
    const OPENERS: [&str; 11] = ["//", "/*", "<!--", "{/*", "#", "--", ";", "%", "*", "(*", "'"];
    const CLOSERS: [&str; 4] = ["*/}", "*/", "-->", "*)"];
    let opened = OPENERS.iter().find_map(|opener| line.strip_prefix(opener));
    let body = match opened {
        Some(rest) => rest,
        None if line.starts_with("...") || line.starts_with('\u{2026}') => line,
        None if line.starts_with('[') && line.ends_with(']') => line.trim_matches(['[', ']']),
        None => return None,
    };
    let body = body.trim();
    let body = CLOSERS.iter().find_map(|closer| body.strip_suffix(closer)).unwrap_or(body);
    Some(body.trim_matches(|c: char| c.is_whitespace() || matches!(c, '/' | '*' | '#' | '(' | ')' | '[' | ']')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholder_lines_are_told_from_code() {
        let yes = [
            "    // ... rest of the code unchanged ...",
            "# ... existing code ...",
            "// ...",
            "# …",
            "/* ... */",
            "<!-- ... rest of the page ... -->",
            "{/* ... existing content ... */}",
            "... rest of file ...",
            "// ... (keep the other methods)",
            "-- rest of the query unchanged...",
            "[... existing code ...]",
            "# (unchanged)",
            "// rest of the file unchanged",
            "// the rest is unchanged",
            "# existing code here",
            "<!-- omitted for brevity -->",
        ];
        let no = [
            "...",
            "    ...",
            "let rest = &v[1..];",
            "f(...args);",
            "// Existing methods",
            "# Wait for the rest of the queue...",
            "// the value is unchanged if the key is known",
            "# previous",
            "# Loading... please wait",
            "def f(x): ...",
            "println!(\"existing code ...\");",
            "match x { [first, rest @ ..] => {} }",
            ">>> ...",
        ];
        for line in yes {
            assert!(is_placeholder(line), "{line}");
        }
        for line in no {
            assert!(!is_placeholder(line), "{line}");
        }
    }
}
