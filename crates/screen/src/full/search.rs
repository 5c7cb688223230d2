//! Finding text in the transcript.

use super::rows;
use super::transcript::Transcript;

/// Where a text was found: entry, line, first byte and the one behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Match {
    pub(super) entry: usize,
    pub(super) line: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// A search that is open.
#[derive(Debug, Default)]
pub(super) struct Search {
    pub(super) query: String,
    pub(super) found: Vec<Match>,
    /// Which of them is looked at.
    pub(super) at: usize,
    /// Lines that the transcript had when it was searched.
    seen: Option<usize>,
}

impl Search {
    /// Searches; of what is found, the last that is not below `bottom` is looked at.
    pub(super) fn find(&mut self, of: &mut Transcript, bottom: usize) {
        self.found = matches(of, &self.query);
        self.seen = Some(of.added());
        self.at = self.found.iter().rposition(|it| it.entry <= bottom).unwrap_or(0);
    }

    /// Searches again where the transcript has changed; what is looked at stays.
    pub(super) fn refresh(&mut self, of: &mut Transcript) {
        if self.seen.is_some() && self.seen != Some(of.added()) {
            let current = self.current();
            self.found = matches(of, &self.query);
            self.seen = Some(of.added());
            self.at = current.and_then(|it| self.found.iter().position(|found| *found == it)).unwrap_or(self.at);
        }
    }

    /// Goes to the match before or after, and round at the ends.
    pub(super) fn go(&mut self, forward: bool) {
        let count = self.found.len();
        if count > 0 {
            self.at = (self.at + if forward { 1 } else { count - 1 }) % count;
        }
    }

    pub(super) fn current(&self) -> Option<Match> {
        self.found.get(self.at).copied()
    }

    /// Matches within a line.
    pub(super) fn within(&self, entry: usize, line: usize) -> &[Match] {
        let from = self.found.partition_point(|it| (it.entry, it.line) < (entry, line));
        let to = self.found.partition_point(|it| (it.entry, it.line) <= (entry, line));
        &self.found[from..to]
    }
}

fn matches(of: &mut Transcript, query: &str) -> Vec<Match> {
    if query.is_empty() {
        return Vec::new();
    }
    // A capital letter says that capitals count.
    let exact = query.chars().any(char::is_uppercase);
    let wanted = if exact { query.to_string() } else { query.to_lowercase() };
    let mut out = Vec::new();
    for entry in 0..of.len() {
        for (line, it) in of.lines(entry).iter().enumerate() {
            let text = rows::text(it);
            let found = if exact || text.is_ascii() { plain(&text, &wanted, exact) } else { folded(&text, &wanted) };
            out.extend(found.into_iter().map(|(from, to)| Match { entry, line, from, to }));
        }
    }
    out
}

fn plain(text: &str, wanted: &str, exact: bool) -> Vec<(usize, usize)> {
    let lower = if exact { None } else { Some(text.to_ascii_lowercase()) };
    lower.as_deref().unwrap_or(text).match_indices(wanted).map(|(at, it)| (at, at + it.len())).collect()
}

/// Matches whatever the case: small letters may have other lengths than their capitals.
fn folded(text: &str, wanted: &str) -> Vec<(usize, usize)> {
    let (mut small, mut places) = (String::new(), Vec::new());
    for (at, c) in text.char_indices() {
        for lower in c.to_lowercase() {
            small.push(lower);
            places.resize(small.len(), at);
        }
    }
    places.push(text.len());
    let end = |at: usize| {
        let last = places[at - 1];
        last + text[last..].chars().next().map_or(0, char::len_utf8)
    };
    small.match_indices(wanted).map(|(at, it)| (places[at], end(at + it.len()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_counts_where_the_query_has_capitals() {
        let found = |text: &str, wanted: &str| {
            folded(text, wanted).into_iter().map(|(from, to)| text[from..to].to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("İstanbul ISTANBUL", "istanbul"), ["ISTANBUL"]);
        assert_eq!(found("Größe GRÖSSE größe", "größe"), ["Größe", "größe"]);
        assert_eq!(found("检查 Checks 检查", "检查"), ["检查", "检查"]);
        assert_eq!(plain("Error: no error", "error", false).len(), 2);
        assert_eq!(plain("Error: no error", "Error", true), [(0, 5)]);
    }
}
