//! What is open at the end of a text, so that the part of a program can be read as if it were whole. A rough look at its
//! characters: where it errs, the end of the text has other colours, and nothing else comes of it.

/// The brackets, comments and texts that are open.
#[derive(Debug, Default)]
pub(super) struct Open {
    quotes: &'static [(&'static str, &'static str)],
    /// What closes each, the innermost last.
    closers: Vec<&'static str>,
}

/// Brackets that are open at most before no more of them are counted: no program that people read has as many.
const DEEPEST: usize = 200;

impl Open {
    /// Nothing is open; `quotes` may go over several lines.
    pub fn new(quotes: &'static [(&'static str, &'static str)]) -> Open {
        Open { quotes, closers: Vec::new() }
    }

    /// Reads the next line.
    pub fn read(&mut self, line: &str) {
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            if let Some(closer) = self.closers.last().copied().filter(|it| self.quotes.iter().any(|(_, end)| end == it))
            {
                match rest.find(closer) {
                    Some(at) => {
                        self.closers.pop();
                        rest = &rest[at + closer.len()..];
                    }
                    None => return,
                }
                continue;
            }
            if let Some((begin, end)) = self.quotes.iter().find(|(begin, _)| rest.starts_with(begin)) {
                self.closers.push(end);
                rest = &rest[begin.len()..];
                continue;
            }
            if rest.starts_with("//") || rest.starts_with("# ") {
                return;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '(' => self.push(")"),
                '[' => self.push("]"),
                '{' => self.push("}"),
                ')' | ']' | '}' if self.closers.last().is_some_and(|it| it.starts_with(c)) => {
                    self.closers.pop();
                }
                '"' | '\'' => rest = behind_quote(rest, c),
                _ => {}
            }
        }
    }

    fn push(&mut self, closer: &'static str) {
        if self.closers.len() < DEEPEST {
            self.closers.push(closer);
        }
    }

    /// Adds to `text` what closes it.
    pub fn close(&self, text: &mut String) {
        self.closers.iter().rev().for_each(|it| *text += it);
        if !self.closers.is_empty() {
            text.push('\n');
        }
    }
}

/// What stands behind a text in quotes that ends in its line; behind the quote alone where it does not. A single quote may
/// be something else, as in a lifetime or an apostrophe: a text in such quotes holds no bracket, unless it is one character.
fn behind_quote(rest: &str, quote: char) -> &str {
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote && (quote == '"' || at == 1 || !rest[..at].contains(['(', ')', '{', '}'])) => {
                return &rest[at + 1..];
            }
            _ => {}
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let cases: [(&[&str], &str); 8] = [
            (&["fn main() {", "  call(1, ["], "])}\n"),
            (&["a /* b {", "c"], "*/\n"),
            (&["a /* b {", "c */ {"], "}\n"),
            (&["\"{ \\\" (\" {"], "}\n"),
            (&["// {", "# {"], ""),
            (&["fn f<'a>(x: &'a str) {"], "}\n"),
            (&["'{' ("], ")\n"),
            (&["} ) ]"], ""),
        ];
        for (lines, expected) in cases {
            let mut open = Open::new(&[("/*", "*/")]);
            lines.iter().for_each(|it| open.read(it));
            let mut text = String::new();
            open.close(&mut text);
            assert_eq!(text, expected, "{lines:?}");
        }
    }
}
