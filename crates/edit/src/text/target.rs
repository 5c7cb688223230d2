//! A text that blocks are looked for in, with what is costly to know of it worked out once and only when needed.

use std::cell::OnceCell;

use crate::text::document::Document;
use crate::text::fold::key;
use crate::text::lines::Lines;

/// A text that blocks are looked for in.
pub(crate) struct Target<'a> {
    pub document: &'a Document<'a>,
    lines: OnceCell<Lines<'a>>,
    keys: OnceCell<Keys>,
}

/// The loosest form of each line that is not blank.
pub(crate) struct Keys {
    /// The lines which are not blank, as indices.
    pub at: Vec<usize>,
    /// Their keys, in the same order.
    pub keys: Vec<u64>,
}

impl<'a> Target<'a> {
    pub fn new(document: &'a Document<'a>) -> Self {
        Self { document, lines: OnceCell::new(), keys: OnceCell::new() }
    }

    pub fn text(&self) -> &'a str {
        &self.document.text
    }

    pub fn lines(&self) -> &Lines<'a> {
        self.lines.get_or_init(|| Lines::new(&self.document.text))
    }

    /// The index of the line which holds a byte; without numbering all lines for it.
    pub fn line_of(&self, byte: usize) -> usize {
        match self.lines.get() {
            Some(lines) => lines.at_byte(byte),
            None => self.text().as_bytes()[..byte].iter().filter(|&&byte| byte == b'\n').count(),
        }
    }

    pub fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| {
            let (mut at, mut keys) = (Vec::new(), Vec::new());
            for (index, line) in self.lines().iter().enumerate() {
                let key = key(line);
                if key != 0 {
                    at.push(index);
                    keys.push(key);
                }
            }
            Keys { at, keys }
        })
    }
}
