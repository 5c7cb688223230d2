//! Figures of a ranking against the files that a fix changed.

use std::collections::BTreeMap;

use super::cases::Case;
use super::layout::Files;

/// The depths at which recall is told, and at which all gold files must be there.
const DEPTHS: [usize; 4] = [1, 5, 10, 20];
const WHOLE: [usize; 3] = [1, 5, 10];

/// Sums over cases.
#[derive(Clone, Debug, Default)]
struct Sum {
    cases: usize,
    recall: [f64; 4],
    whole: [usize; 3],
    reciprocal: f64,
    /// Tokens of whole files in ranked order until all gold files were in; none where one never came.
    tokens: Vec<Option<u64>>,
}

/// The figures of one method, by language.
pub struct Table {
    name: &'static str,
    all: Sum,
    by_language: BTreeMap<String, Sum>,
}

impl Table {
    /// A table without cases.
    pub fn new(name: &'static str) -> Table {
        Table { name, all: Sum::default(), by_language: BTreeMap::new() }
    }

    /// The number of cases.
    pub fn cases(&self) -> usize {
        self.all.cases
    }

    /// Adds a case.
    pub fn add(&mut self, case: &Case, ranked: &[String], files: &Files) {
        self.all.add(case, ranked, files);
        self.by_language.entry(case.language.clone()).or_default().add(case, ranked, files);
    }

    /// In how many percent all gold files were in the first ten, and the recall at one in percent.
    pub fn reached(&self) -> (f64, f64) {
        let share = 100.0 / self.all.cases.max(1) as f64;
        (self.all.whole[2] as f64 * share, self.all.recall[0] * share)
    }

    /// The table in columns.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{:<14}{:>6}{:>7}{:>7}{:>7}{:>7}{:>8}{:>7}{:>7}{:>7}{:>9}\n",
            self.name, "cases", "R@1", "R@5", "R@10", "R@20", "all@1", "all@5", "all@10", "MRR", "tokens"
        );
        for (language, sum) in &self.by_language {
            text += &sum.row(language);
        }
        text + &self.all.row("all")
    }
}

impl Sum {
    fn add(&mut self, case: &Case, ranked: &[String], files: &Files) {
        let places: Vec<Option<usize>> =
            case.gold_files.iter().map(|gold| ranked.iter().position(|it| it == gold)).collect();
        let within = |depth: usize| places.iter().filter(|it| it.is_some_and(|it| it < depth)).count();
        self.cases += 1;
        for (sum, depth) in self.recall.iter_mut().zip(DEPTHS) {
            *sum += within(depth) as f64 / places.len().max(1) as f64;
        }
        for (sum, depth) in self.whole.iter_mut().zip(WHOLE) {
            *sum += usize::from(within(depth) == places.len());
        }
        self.reciprocal += places.iter().flatten().min().map_or(0.0, |it| 1.0 / (*it as f64 + 1.0));
        let last = places.iter().copied().collect::<Option<Vec<usize>>>().and_then(|it| it.into_iter().max());
        let size = |path: &String| files.get(path).map_or(0, |it| it.size);
        self.tokens.push(last.map(|last| ranked[..=last].iter().map(size).sum::<u64>() / 4));
    }

    fn row(&self, name: &str) -> String {
        let percent = |it: f64| 100.0 * it / self.cases.max(1) as f64;
        let mut tokens = self.tokens.clone();
        // What never came counts as more than anything that came.
        tokens.sort_by_key(|it| it.unwrap_or(u64::MAX));
        let median = tokens.get(tokens.len() / 2).copied().flatten();
        let mut text = format!("{name:<14}{:>6}", self.cases);
        for recall in self.recall {
            text += &format!("{:>7.1}", percent(recall));
        }
        text += " ";
        for whole in self.whole {
            text += &format!("{:>7.1}", percent(whole as f64));
        }
        text + &format!(
            "{:>7.1}{:>9}\n",
            percent(self.reciprocal),
            median.map_or_else(|| "–".to_owned(), |it| it.to_string())
        )
    }
}

/// What was missed in the first ten, and what came instead.
pub fn missed(case: &Case, ranked: &[String]) -> String {
    let place = |gold: &String| ranked.iter().position(|it| it == gold);
    if case.gold_files.iter().all(|it| place(it).is_some_and(|it| it < 10)) {
        return String::new();
    }
    let mut text = format!("{}\n", case.id);
    for gold in &case.gold_files {
        text +=
            &format!("  gold {} at {}\n", gold, place(gold).map_or_else(|| "–".to_owned(), |it| (it + 1).to_string()));
    }
    for (at, path) in ranked.iter().take(5).enumerate() {
        text += &format!("  {} {path}\n", at + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_counts_files_and_whole_counts_cases() {
        let case = Case {
            id: "one".into(),
            repo: "a/b".into(),
            base_commit: String::new(),
            query: String::new(),
            gold_files: vec!["x".into(), "y".into()],
            language: "rust".into(),
        };
        let ranked: Vec<String> = ["x", "q", "r", "s", "t", "y"].map(String::from).into();
        let mut sum = Sum::default();
        sum.add(&case, &ranked, &Files::new());
        assert_eq!((sum.recall, sum.whole), ([0.5, 0.5, 1.0, 1.0], [0, 0, 1]));
        assert_eq!(missed(&case, &ranked), "");
        assert!(missed(&case, &ranked[..5]).contains("gold y at –"));
    }
}
