//! Tells reasoning in `<think>` tags at the very beginning of a reply from its text. Tags further on are text: they may
//! be code that the model writes about.

const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// A piece of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part<'a> {
    /// Text.
    Text(&'a str),
    /// Reasoning.
    Thinking(&'a str),
}

/// Splits a reply while it streams.
#[derive(Debug, Default)]
pub(crate) struct Think {
    state: State,
    /// What cannot be told yet: it may be the beginning of a tag.
    held: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Begin,
    /// Within the tag of this index.
    Within(usize),
    /// The tag has ended; blank space before the text is dropped.
    Behind,
    Text,
}

impl Think {
    /// Takes the next piece of the reply.
    pub(crate) fn feed(&mut self, piece: &str, mut on: impl FnMut(Part<'_>)) {
        if self.state == State::Text {
            return on(Part::Text(piece));
        }
        self.held += piece;
        while !self.held.is_empty() && self.step(&mut on) {}
    }

    /// Takes one step; false when more must come first.
    fn step(&mut self, on: &mut impl FnMut(Part<'_>)) -> bool {
        match self.state {
            State::Begin => {
                let begin = self.held.trim_start();
                if let Some(at) = TAGS.iter().position(|(open, _)| begin.starts_with(open)) {
                    self.held = begin[TAGS[at].0.len()..].to_string();
                    self.state = State::Within(at);
                } else if begin.is_empty() || TAGS.iter().any(|(open, _)| open.starts_with(begin)) {
                    return false;
                } else {
                    self.state = State::Text;
                }
                true
            }
            State::Within(tag) => {
                let close = TAGS[tag].1;
                if let Some(at) = self.held.find(close) {
                    on(Part::Thinking(&self.held[..at]));
                    self.held.drain(..at + close.len());
                    self.state = State::Behind;
                    return true;
                }
                let keep = half_tag(&self.held, close);
                let sure = self.held.len() - keep;
                if sure > 0 {
                    on(Part::Thinking(&self.held[..sure]));
                    self.held.drain(..sure);
                }
                false
            }
            State::Behind => {
                self.held.drain(..self.held.len() - self.held.trim_start().len());
                if !self.held.is_empty() {
                    self.state = State::Text;
                }
                !self.held.is_empty()
            }
            State::Text => {
                on(Part::Text(&std::mem::take(&mut self.held)));
                false
            }
        }
    }

    /// What was held back, as reasoning and text.
    pub(crate) fn end(&mut self) -> (String, String) {
        let held = std::mem::take(&mut self.held);
        match self.state {
            State::Within(_) => (held, String::new()),
            _ => (String::new(), held),
        }
    }
}

/// How many bytes at the end of `text` may be the beginning of `tag`.
pub(crate) fn half_tag(text: &str, tag: &str) -> usize {
    let longest = tag.len().saturating_sub(1).min(text.len());
    (1..=longest).rev().find(|length| text.as_bytes().ends_with(&tag.as_bytes()[..*length])).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&str]) -> (String, String) {
        let (mut thinking, mut text) = (String::new(), String::new());
        let mut think = Think::default();
        for piece in pieces {
            think.feed(piece, |part| match part {
                Part::Text(it) => text += it,
                Part::Thinking(it) => thinking += it,
            });
        }
        let (more_thinking, more_text) = think.end();
        (thinking + &more_thinking, text + &more_text)
    }

    #[test]
    fn every_cut_gives_the_same_parts() {
        let cases = [
            ("plain text", "", "plain text"),
            ("<think>a < b</think>\n\nanswer <think>x</think>", "a < b", "answer <think>x</think>"),
            (" \n<thinking>hm</thinking>yes", "hm", "yes"),
            ("<think>never closed </thi", "never closed </thi", ""),
            ("<thin air", "", "<thin air"),
            ("<think></think>", "", ""),
            ("", "", ""),
        ];
        for (whole, thinking, text) in cases {
            let expected = (thinking.to_string(), text.to_string());
            for at in 0..=whole.len() {
                assert_eq!(split(&[&whole[..at], &whole[at..]]), expected, "{whole} at {at}");
            }
        }
    }
}
