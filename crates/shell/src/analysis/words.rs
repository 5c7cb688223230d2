//! What a word of the line becomes: quotes and escapes removed, braces expanded, expansions replaced by their value where
//! it is known and by a hole where not.
//!
//! The text of a word is read here, character by character, and not taken from the tree: only where an expansion begins
//! and ends comes from there. An expansion that the tree missed is a hole.

use std::collections::VecDeque;

use tree_sitter::Node;

use crate::analyzer::Analyzer;
use crate::scope::Scope;
use crate::syntax::expansions;
use crate::word::{UNKNOWN, Word};

/// Braces that expand to more words than these become a hole.
const MOST_WORDS: usize = 64;

/// Longer words with braces become a hole: expanding them takes the square of their length.
const LONGEST_BRACES: usize = 1_000;

/// A character and whether it was protected from the shell.
#[derive(Clone, Copy)]
struct QuotedChar {
    is: char,
    quoted: bool,
}

/// Reads the text of one node as a word.
struct WordReader<'t> {
    text: &'t str,
    at: usize,
    end: usize,
    expansions: VecDeque<Node<'t>>,
    letters: Vec<QuotedChar>,
    quoted: bool,
}

impl Analyzer<'_> {
    /// The words that a node becomes: one, or several where braces expand.
    pub fn words(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Vec<Word> {
        let source = text.get(node.byte_range()).unwrap_or_default();
        let mut reader = WordReader {
            text,
            at: node.start_byte(),
            end: node.end_byte(),
            expansions: expansions(node).into(),
            letters: Vec::new(),
            quoted: false,
        };
        self.read_bare(&mut reader, scope);
        let quoted = reader.quoted;
        let all = braces(&reader.letters).unwrap_or_else(|| vec![vec![QuotedChar { is: UNKNOWN, quoted: false }]]);
        all.into_iter().map(|letters| self.finish(&letters, source, quoted)).collect()
    }

    /// The single word that a node becomes; a hole where there are several.
    pub fn word(&mut self, text: &str, node: Node<'_>, scope: &mut Scope) -> Word {
        let mut words = self.words(text, node, scope);
        if words.len() == 1 { words.remove(0) } else { Word::unknown() }
    }

    fn finish(&self, letters: &[QuotedChar], source: &str, quoted: bool) -> Word {
        let glob = letters.iter().any(|it| !it.quoted && matches!(it.is, '*' | '?' | '['));
        let nested = letters.iter().any(|it| !it.quoted && matches!(it.is, '(' | ')'));
        let mut text: String = letters.iter().map(|it| it.is).collect();
        if letters.first().is_some_and(|it| it.is == '~' && !it.quoted) {
            text = self.paths.tilde(&text);
        }
        if nested {
            text.push(UNKNOWN);
        }
        Word { text, source: source.to_owned(), glob, quoted }
    }

    fn read_bare(&mut self, reader: &mut WordReader<'_>, scope: &mut Scope) {
        while let Some(c) = reader.peek() {
            if self.read_expansion(reader, scope, false) {
                continue;
            }
            match c {
                '\\' => {
                    reader.bump();
                    reader.quoted = true;
                    match reader.bump() {
                        Some('\n') | None => {}
                        Some(c) => reader.push(c, true),
                    }
                }
                '\'' => {
                    reader.bump();
                    reader.raw();
                }
                '"' => {
                    reader.bump();
                    self.read_double(reader, scope);
                }
                '$' if reader.rest().starts_with("$'") => {
                    reader.at += 2;
                    reader.escaped();
                }
                '$' if reader.rest().starts_with("$\"") => {
                    reader.at += 2;
                    self.read_double(reader, scope);
                }
                '$' | '`' => reader.unparsed_dollar(),
                _ => {
                    reader.bump();
                    reader.push(c, false);
                }
            }
        }
    }

    fn read_double(&mut self, reader: &mut WordReader<'_>, scope: &mut Scope) {
        reader.quoted = true;
        while let Some(c) = reader.peek() {
            if self.read_expansion(reader, scope, true) {
                continue;
            }
            match c {
                '"' => {
                    reader.bump();
                    return;
                }
                '\\' => {
                    reader.bump();
                    match reader.bump() {
                        Some('\n') | None => {}
                        Some(c) if matches!(c, '$' | '`' | '"' | '\\') => reader.push(c, true),
                        Some(c) => {
                            reader.push('\\', true);
                            reader.push(c, true);
                        }
                    }
                }
                '$' | '`' => reader.unparsed_dollar(),
                _ => {
                    reader.bump();
                    reader.push(c, true);
                }
            }
        }
    }

    /// Reads an expansion if one begins here.
    fn read_expansion(&mut self, reader: &mut WordReader<'_>, scope: &mut Scope, quoted: bool) -> bool {
        while reader.expansions.front().is_some_and(|it| it.start_byte() < reader.at) {
            reader.expansions.pop_front();
        }
        let Some(node) = reader.expansions.front().copied().filter(|it| it.start_byte() == reader.at) else {
            return false;
        };
        reader.expansions.pop_front();
        // An expansion of no length would be read for ever.
        reader.at = node.end_byte().max(reader.at + 1);
        match self.expansion(reader.text, node, scope) {
            // An unquoted value with blanks becomes several words, and with another separator anything does.
            Some(known) if quoted || !known.contains([' ', '\t', '\n']) && !scope.variables.contains_key("IFS") => {
                known.chars().for_each(|c| reader.push(c, quoted));
            }
            _ => reader.push(UNKNOWN, quoted),
        }
        true
    }
}

impl WordReader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn push(&mut self, is: char, quoted: bool) {
        self.letters.push(QuotedChar { is, quoted });
    }

    /// Up to the next single quote.
    fn raw(&mut self) {
        self.quoted = true;
        while let Some(c) = self.bump().filter(|c| *c != '\'') {
            self.push(c, true);
        }
    }

    /// A dollar sign or a backtick at which the tree sees nothing.
    fn unparsed_dollar(&mut self) {
        let c = self.bump().unwrap_or(UNKNOWN);
        let next = self.peek();
        let inert = c == '$' && next.is_none_or(|it| !it.is_alphanumeric() && !"_{([@*#?!-$'".contains(it));
        self.push(if inert { c } else { UNKNOWN }, true);
    }

    /// The rest of `$'…'`.
    fn escaped(&mut self) {
        self.quoted = true;
        while let Some(c) = self.bump().filter(|c| *c != '\'') {
            let c = if c == '\\' { self.escape() } else { Some(c) };
            self.push(c.unwrap_or(UNKNOWN), true);
        }
    }

    /// One escape in `$'…'`; none for a character given by its number, which nobody writes without a reason.
    fn escape(&mut self) -> Option<char> {
        match self.bump()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            c @ ('\\' | '\'' | '"' | '?') => Some(c),
            _ => None,
        }
    }
}

/// What brace expansion makes of a word; none where that is too much.
fn braces(letters: &[QuotedChar]) -> Option<Vec<Vec<QuotedChar>>> {
    let Some((open, close, commas)) = pair(letters) else { return Some(vec![letters.to_vec()]) };
    if letters.len() > LONGEST_BRACES {
        return None;
    }
    let parts: Vec<Vec<QuotedChar>> = match commas.len() {
        2 => vec![vec![QuotedChar { is: sequence(&letters[open + 1..close])?, quoted: false }]],
        _ => commas.windows(2).map(|it| letters[it[0] + 1..it[1]].to_vec()).collect(),
    };
    let mut done = Vec::new();
    for part in parts {
        done.extend(braces(&[&letters[..open], &part, &letters[close + 1..]].concat())?);
        if done.len() > MOST_WORDS {
            return None;
        }
    }
    Some(done)
}

/// The first pair of braces that expands: where it opens and closes, and its commas with both ends.
fn pair(word: &[QuotedChar]) -> Option<(usize, usize, Vec<usize>)> {
    (0..word.len()).filter(|at| word[*at].is == '{' && !word[*at].quoted).find_map(|open| {
        let (mut depth, mut commas) = (0, vec![open]);
        for (at, letter) in word.iter().enumerate().skip(open).filter(|it| !it.1.quoted) {
            depth += i32::from(letter.is == '{') - i32::from(letter.is == '}');
            if depth == 0 {
                commas.push(at);
                let expands = commas.len() > 2 || sequence(&word[open + 1..at]).is_some();
                return expands.then_some((open, at, commas));
            }
            if letter.is == ',' && depth == 1 {
                commas.push(at);
            }
        }
        None
    })
}

/// `1..9` stands for some digits, that is for `*` as far as paths go; any other sequence for a hole.
fn sequence(inner: &[QuotedChar]) -> Option<char> {
    let inner: String = inner.iter().map(|it| it.is).collect();
    let (from, to) = inner.split_once("..")?;
    let to = to.split("..").next().unwrap_or_default();
    let number = |it: &str| !it.is_empty() && it.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
    let letter = |it: &str| it.len() == 1 && it.chars().all(|c| c.is_ascii_lowercase());
    let plain = (number(from) && number(to)) || (letter(from) && letter(to));
    Some(if plain { '*' } else { UNKNOWN })
}
