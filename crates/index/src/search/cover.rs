//! Pieces by how many of some words they hold together, however often: a piece that has each word of a sentence once is
//! closer to it than one that repeats the rarest of them.

use super::bm25::{BODY, STRINGS, Scope, Scored, Search, idf};
use crate::snapshot::{Live, Snapshot};
use crate::store::schema::LAYOUT;

/// How much less than its rarity a word counts here: the rarest should not decide alone.
const IDF_EXPONENT: f32 = 0.7;

impl Snapshot {
    /// The best `limit` pieces for `words`, each given as the forms of which any will do, with its weight; best first, ties
    /// in the order of their paths. Each word counts once in a piece, whatever its length.
    /// With `strings` only what is quoted in a piece counts. Tells the score of a piece that has all words that stand anywhere,
    /// too.
    pub(crate) fn covering(&self, words: &[(Vec<String>, f32)], strings: bool, limit: usize) -> (Vec<Scored>, f32) {
        let field = LAYOUT.texts[if strings { STRINGS } else { BODY }];
        let mut all = 0.0;
        let mut search = Search::new(&self.state, Scope::Chunks);
        // The number of the last word that was found in each piece.
        let mut seen: Vec<Vec<u32>> = search.scores.iter().map(|it| vec![0; it.len()]).collect();
        for (number, (forms, weight)) in (1u32..).zip(words) {
            let (mut with, mut holding) = (0, Vec::new());
            for (segment, seen) in seen.iter_mut().enumerate() {
                let owners = self.state.segments[segment].owners();
                for (doc, _) in forms.iter().flat_map(|it| search.hits(segment, field, it)) {
                    if std::mem::replace(&mut seen[doc as usize], number) != number {
                        with += Live::files(search.live, segment, owners[doc as usize]).count();
                        holding.push((segment, doc));
                    }
                }
            }
            let worth = weight * idf(with as f32, search.all).powf(IDF_EXPONENT);
            all += if holding.is_empty() { 0.0 } else { worth };
            for (segment, doc) in holding {
                search.scores[segment][doc as usize] += worth;
            }
        }
        (search.best(&[], limit), all)
    }
}

#[cfg(test)]
mod tests {
    use crate::{FileState, Index};

    #[test]
    fn each_word_counts_once_in_any_of_its_forms() {
        let folder = tempfile::tempdir().unwrap();
        let index = Index::open(folder.path(), "project").unwrap();
        let texts = [
            ("a.txt", "wide wide wide wide wide column\n"),
            ("b.txt", "the widest column of a table\n"),
            ("c.txt", "nothing of it\n"),
            ("d.txt", "a column\n"),
        ];
        let state =
            |it: &(&str, &str)| FileState { path: it.0.into(), size: it.1.len() as u64, ..FileState::default() };
        let states: Vec<FileState> = texts.iter().map(state).collect();
        let text = |path: &str| texts.iter().find(|it| it.0 == path).map(|it| it.1.as_bytes().to_vec());
        index.update(&states, &|path| text(path).ok_or_else(|| std::io::ErrorKind::NotFound.into()), &|_| {}).unwrap();
        let words =
            [["wide", "widest"].map(String::from).to_vec(), vec!["column".to_owned()], vec!["table".to_owned()]];
        let words: Vec<(Vec<String>, f32)> = words.into_iter().map(|it| (it, 1.0)).collect();
        let found = index.snapshot().covering(&words, false, 10).0;
        let paths: Vec<&str> = found.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["b.txt", "a.txt", "d.txt"]);
        assert_eq!(index.snapshot().covering(&words, false, 1).0.len(), 1);
    }
}
