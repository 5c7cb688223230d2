//! The texts of the files that the model read last, as it believes them to be, in bounded memory. A text that is no
//! longer held costs the merge with somebody else's change and nothing else.

use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of one text at most; longer ones are not held.
pub(crate) const LARGEST: usize = 256 << 10;
/// Bytes of all texts at most.
const ALL: usize = 4 << 20;

/// Texts by path, the one used last at the end.
#[derive(Clone, Default)]
pub(crate) struct Texts {
    held: VecDeque<(String, Arc<str>)>,
    bytes: usize,
}

impl Texts {
    /// The model believes that this is the text of `rel`.
    pub(crate) fn put(&mut self, rel: &str, text: &str) {
        self.drop_where(|path| path == rel);
        if text.len() > LARGEST {
            return;
        }
        self.bytes += text.len();
        self.held.push_back((rel.to_string(), text.into()));
        while self.bytes > ALL {
            let (_, oldest) = self.held.pop_front().expect("bytes are those of the texts held");
            self.bytes -= oldest.len();
        }
    }

    /// The text of `rel`, if it is held.
    pub(crate) fn get(&self, rel: &str) -> Option<Arc<str>> {
        self.held.iter().find(|(path, _)| path == rel).map(|(_, text)| text.clone())
    }

    /// Drops the texts whose path is so.
    pub(crate) fn drop_where(&mut self, gone: impl Fn(&str) -> bool) {
        self.held.retain(|(path, _)| !gone(path));
        self.bytes = self.held.iter().map(|(_, text)| text.len()).sum();
    }

    /// Gives texts another path; none: it stays.
    pub(crate) fn rename(&mut self, new: impl Fn(&str) -> Option<String>) {
        for (path, _) in &mut self.held {
            if let Some(to) = new(path) {
                *path = to;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_texts_go_first_and_long_ones_never_come() {
        let mut texts = Texts::default();
        let long = "x".repeat(LARGEST);
        for number in 0..20 {
            texts.put(&number.to_string(), &long);
            texts.put("0", "used again and again");
        }
        texts.put("too long", &format!("{long}x"));
        assert!(texts.bytes <= ALL && texts.bytes > ALL - 2 * LARGEST, "{}", texts.bytes);
        let held: Vec<String> = texts.held.iter().map(|(path, _)| path.clone()).collect();
        assert_eq!(held.first().map(String::as_str), Some("5"));
        assert_eq!(held.last().map(String::as_str), Some("0"));
        texts.put("19", &format!("{long}x"));
        assert_eq!(texts.get("19"), None, "what is no longer true is not held either");
        texts.drop_where(|path| path != "0");
        assert_eq!((texts.bytes, texts.get("0").as_deref()), (20, Some("used again and again")));
    }
}
