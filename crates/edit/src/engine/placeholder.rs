//! Lines that stand for text they do not give ("the rest stays as it is"), in any language. A few forms are sure by what
//! they say; the others are judged by their effect: lines of the old text vanish just where the line stands, and nothing
//! else comes in their place. A line that the old text has itself is never one.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use similar::DiffOp;

use crate::engine::tier::is_comment;
use crate::text::fold::key;
use crate::text::lines::{is_blank, letters};
use crate::text::ops::ops;

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
/// Words by which comments name, in some language, what they do not give. Of long ones the beginning is enough.
const REST: &str = "rest remaining remainder other others existing previous before else everything \
其余 其他 其它 剩余 原有 现有 已有 其餘 現有 剩餘 既存 残り 以下 나머지 기존 이하 以降 suite resto restante existente demás código codice restlich bisher zuvor \
übrige vorhanden reste existant précédent остальн код прежний прежнее прежнему раньше существующ \
reszta kod kalan lại 代码 コード 코드";
/// Words by which they say that it stays.
const STAY: &str = "same remain remains unchanged unmodified untouched omitted keep keeps kept stay stays elided \
保持 不变 省略 相同 同上 照旧 未改 不變 変更なし 変更無し 同じ そのまま 以下略 동일 생략 그대로 변경 igual iguales cambio mantém unverändert \
bleibt bleiben gleich gleiche inchang identique inalterad mesmo mesma изменен прежний также \
cambios mantiene omitido omis invariato invariata zmian aynı nguyên 유지";
/// Words which say that only beside one of the rest: "as", "not", "without".
const BESIDE: &str = "wie pas sans ohne sin senza bez без";

/// Lines that must vanish beside a comment which says nothing of the kind, and nothing else come, for it to stand for them.
const MUTE: usize = 3;

/// So many lines are much.
const MUCH: usize = 5;

/// How far a line says that it stands for others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tells {
    /// By its form and words alone.
    Surely,
    /// Dots, or a comment with dots around it.
    Dots,
    /// A comment which says of the rest that it stays.
    Stays,
    /// One of these, or dots, behind code.
    Behind,
    /// A comment which has a word of that kind.
    Words,
    /// Any other comment.
    Nothing,
}

/// The lines of `new` that stand for lines of `old`, as indices. With `whole`, the two are whole files, and a mute comment
/// that alone takes the place of several lines is one as well: in an edit these lines were named.
pub(crate) fn standing_for(old: &[&str], new: &[&str], whole: bool) -> Vec<usize> {
    let telling = new.iter().enumerate().filter_map(|(at, line)| Some((at, tells(line)?)));
    let suspects: Vec<(usize, Tells)> = telling.filter(|(_, tells)| whole || *tells < Tells::Nothing).collect();
    if suspects.is_empty() {
        return Vec::new();
    }
    let lost = Lost::new(old, new, &suspects);
    suspects.into_iter().filter(|&(at, tells)| lost.stands(at, tells, new)).map(|(at, _)| at).collect()
}

/// A place where two texts differ. Braces, blank lines, and lines of which others like them vanish do not part two places.
#[derive(Default)]
struct Place {
    /// Its lines in the new text, with those between them that stay.
    lines: Range<usize>,
    /// How many lines with words vanish from the text, how many of them are code, and how many others come to it.
    lost: usize,
    code: usize,
    gained: usize,
}

/// How often a text has each line more than another text has it.
fn surplus(of: &[u64], over: &[u64]) -> HashMap<u64, usize> {
    let mut more = HashMap::new();
    for key in of {
        *more.entry(*key).or_insert(0) += 1;
    }
    for key in over {
        more.entry(*key).and_modify(|count: &mut usize| *count = count.saturating_sub(1));
    }
    more
}

/// Whether a line is still to be counted as more than the other text has.
fn take<K: Eq + Hash>(surplus: &mut HashMap<K, usize>, key: &K) -> bool {
    surplus.get_mut(key).is_some_and(|left| std::mem::replace(left, left.saturating_sub(1)) > 0)
}

/// What two texts differ in. Lines that only move are neither lost nor gained, nor are comments that are set anew.
struct Lost {
    places: Vec<Place>,
    /// Which lines of the new text are new where they stand.
    new: Vec<bool>,
}

impl Lost {
    fn new(old: &[&str], new: &[&str], suspects: &[(usize, Tells)]) -> Self {
        let keys = |lines: &[&str]| -> Vec<u64> { lines.iter().map(|line| key(line)).collect() };
        let (old_keys, new_keys) = (keys(old), keys(new));
        let (mut gone, mut come) = (surplus(&old_keys, &new_keys), surplus(&new_keys, &old_keys));
        let doubled: HashSet<u64> = gone.iter().filter(|(_, count)| **count > 0).map(|(key, _)| *key).collect();
        let suspects: HashSet<usize> = suspects.iter().map(|(at, _)| *at).collect();
        let mut lost = Self { places: Vec::new(), new: vec![true; new.len()] };
        let mut parted = true;
        for op in ops(&old_keys, &new_keys) {
            let (before, after) = (op.old_range(), op.new_range());
            if let DiffOp::Equal { .. } = op {
                parted |= after.clone().any(|at| has_words(new[at]) && !doubled.contains(&new_keys[at]));
                lost.new[after].fill(false);
                continue;
            }
            if std::mem::take(&mut parted) {
                lost.places.push(Place { lines: after.clone(), ..Place::default() });
            }
            let Some(place) = lost.places.last_mut() else { continue };
            let (mut old_comments, mut new_comments) =
                (comment_words(&old[before.clone()]), comment_words(&new[after.clone()]));
            place.lines.end = after.end;
            for at in before.filter(|at| is_text(old[*at]) && take(&mut gone, &old_keys[*at])) {
                place.lost += usize::from(!is_set_anew(old[at], &mut new_comments));
                place.code += usize::from(!is_comment(old[at]));
            }
            let others = after.filter(|at| has_words(new[*at]) && !suspects.contains(at));
            let others = others.filter(|at| take(&mut come, &new_keys[*at]));
            place.gained += others.filter(|at| !is_set_anew(new[*at], &mut old_comments)).count();
        }
        lost
    }

    fn place(&self, at: usize) -> Option<&Place> {
        self.places.iter().find(|place| self.new[at] && place.lines.contains(&at))
    }

    /// Whether a comment is no part of a longer one. Where much vanishes, a comment that was there before proves nothing.
    fn apart(&self, at: usize, new: &[&str], net: usize) -> bool {
        let kept = |at: usize| net >= MUCH && self.place(at).is_none();
        let comment = |at: usize| new.get(at).is_some_and(|line| is_comment(line)) && !kept(at);
        !at.checked_sub(1).is_some_and(comment) && !comment(at + 1)
    }

    /// Whether a comment is no part of a longer one and speaks of no new line below it.
    fn alone(&self, at: usize, new: &[&str]) -> bool {
        let below = (at + 1..new.len()).find(|&below| !is_blank(new[below]));
        below.is_none_or(|below| self.place(below).is_none()) && self.apart(at, new, 0)
    }

    /// Whether a line stands for what vanishes where it is.
    fn stands(&self, at: usize, tells: Tells, new: &[&str]) -> bool {
        let Some(place) = self.place(at) else { return false };
        let net = place.lost.saturating_sub(place.gained);
        let few_come = place.gained * 3 <= place.lost;
        match tells {
            Tells::Surely => true,
            // In Python dots are a statement, the body of what the line above opens.
            Tells::Dots if new[at].trim() == "..." && opens_block(new, at) => net >= 2,
            Tells::Dots => net >= 1,
            Tells::Stays => net >= 2 || net == 1 && self.alone(at, new),
            Tells::Behind => net >= 2,
            Tells::Words => {
                let apart = is_brief(new[at]) || self.apart(at, new, net);
                net >= 3 && few_come && apart || net == 2 && self.alone(at, new)
            }
            Tells::Nothing => {
                let is_new = |at: usize| self.new.get(at) == Some(&true);
                let between = is_new(at + 1) || at.checked_sub(1).is_some_and(is_new);
                place.code >= MUTE + place.gained && !between && few_come && self.alone(at, new)
            }
        }
    }
}

/// Whether the line above opens a block whose body a line may be.
pub(crate) fn opens_block(lines: &[&str], at: usize) -> bool {
    let above = lines[..at].iter().rev().find(|line| !is_blank(line));
    above.is_some_and(|line| line.trim_end().ends_with([':', '"', '\'']))
}

/// The words of the comments among some lines, each as often as it is there.
fn comment_words(lines: &[&str]) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    for word in lines.iter().filter(|line| is_prose(line)).flat_map(|line| words_of(line)) {
        *counts.entry(word).or_insert(0) += 1;
    }
    counts
}

/// Whether a line is a comment in words, not `#include` or the like.
fn is_prose(line: &str) -> bool {
    let sign = line.trim_start().strip_prefix('#');
    is_comment(line) && !sign.is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// Whether a comment says what others say that stand in its place, in other lines. Each of their words counts once.
fn is_set_anew(line: &str, others: &mut HashMap<String, usize>) -> bool {
    let words = words_of(line);
    is_prose(line) && words.iter().filter(|word| take(others, word)).count() * 3 >= words.len() * 2
}

/// Whether a comment is too short to be a line of a longer one.
fn is_brief(line: &str) -> bool {
    line.trim().len() <= 32 && words_of(line).len() <= 3
}

fn has_words(line: &str) -> bool {
    letters(line) > 1
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
    let line = line.trim();
    if is_placeholder(line) {
        return Some(if words_of(line).iter().any(|word| has(TELLING, word)) { Tells::Surely } else { Tells::Dots });
    }
    let Some(remark) = remark(line) else {
        let inner = inner_comment(line)?;
        let dots = only_dots(inner);
        return (dots || tells(&format!("// {inner}")).is_some_and(|it| it <= Tells::Stays)).then_some(Tells::Behind);
    };
    // Bare dots go on with a sentence, too.
    let bare = line.starts_with(is_dot) && !only_dots(line);
    if !bare && (only_dots(line) || remark.starts_with(is_dot) && !is_joined(remark)) {
        return Some(Tells::Dots);
    }
    if remark.len() <= 120 {
        match (names(REST, remark), names(STAY, remark)) {
            (true, stays) if stays || names(BESIDE, remark) => return Some(Tells::Stays),
            (false, false) => {}
            _ => return Some(Tells::Words),
        }
    }
    let code = bare || remark.contains(['=', ';', '{', '}', '<', '>', '@', '`']);
    (!code && (words_of(remark).len() > 1 || !remark.is_ascii())).then_some(Tells::Nothing)
}

/// Whether a remark has one of the words, or a word that begins as a long one of them. Some languages put no blanks
/// between words.
fn names(words: &str, remark: &str) -> bool {
    let own = words_of(remark);
    words.split_ascii_whitespace().any(|word| match word.chars().any(|c| c > '\u{2e80}') {
        true => remark.contains(word),
        false if word.chars().count() >= 6 => own.iter().any(|own| own.starts_with(word)),
        false => own.iter().any(|own| own == word),
    })
}

fn words_of(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

fn has(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|it| it == word)
}

/// Whether dots at the start of a remark begin a sentence, as they go on with one: `...at this point`.
fn is_joined(remark: &str) -> bool {
    remark.trim_start_matches(is_dot).starts_with(char::is_alphanumeric) && !remark.ends_with(is_dot)
}

/// What a line says that is a remark and nothing else: a comment of its own, or bare dots with or without words. Not what
/// documents, nor what only looks like a comment in some language (`#include`, `'text'`, `*p`, `...spread`).
fn remark(line: &str) -> Option<&str> {
    let rest = match line.starts_with(is_dot) {
        true => line.trim_start_matches(is_dot),
        false => ["//", "/*", "<!--", "{/*", "#", "--"].iter().find_map(|opener| line.strip_prefix(opener))?,
    };
    let apart = rest.starts_with("..") || rest.chars().next().is_none_or(|c| c == ' ' || !c.is_ascii());
    comment_text(line).filter(|_| apart)
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
    joined && !rest.ends_with(is_dot) && (!rest.contains(' ') || rest.trim_end().ends_with([',', ';', ')', '}', ']']))
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
    if only_dots(comment) {
        // A bare `...` is a statement in Python; only a comment of dots is surely none.
        return !line.starts_with(is_dot);
    }
    let words = words_of(comment);
    let any = |set: &str| words.iter().any(|word| has(set, word));
    if comment.starts_with(is_dot) && (comment.contains("...") || comment.contains('\u{2026}')) {
        let telling = any(TELLING) || !is_joined(comment) && any("same code here keep other before");
        return words.len() <= 12 && telling && !is_spread(comment);
    }
    let lower = comment.to_lowercase();
    let only = words.iter().all(|word| has(TELLING, word) || has(WITH, word));
    let says_rest = lower.contains("rest of") || lower.contains("existing code");
    let ends = comment.ends_with("...") || comment.ends_with('\u{2026}');
    // A line of a comment that goes on says it of something else.
    only && any(TELLING) && (ends || !line.starts_with('*') && (any(PLAIN) || says_rest))
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
        None if line.starts_with('(') && line.ends_with(')') && line.contains(' ') => line,
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
    fn placeholder_lines_are_reported_from_code() {
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
