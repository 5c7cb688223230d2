//! What a model found in a change, held against the files that it names.

use ox_protocol::{Finding, Severity};
use serde::Serialize;

/// What a review found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The findings at places that exist, the worst first.
    pub findings: Vec<Finding>,
    /// Those that name a file or a line that does not exist, or none at all.
    pub dropped: Vec<Finding>,
}

/// A finding as programs read it.
#[derive(Clone, Debug, Serialize)]
pub struct FindingJson<'a> {
    severity: Severity,
    file: &'a str,
    line: Option<u32>,
    message: &'a str,
    evidence: &'a str,
}

impl<'a> FindingJson<'a> {
    fn of(it: &'a Finding) -> FindingJson<'a> {
        let Finding { severity, path, line, why, evidence } = it;
        FindingJson { severity: *severity, file: path, line: *line, message: why, evidence }
    }
}

impl Report {
    /// What an answer says, where `lines` tells how many lines a file has, and none for one that does not exist. None where the
    /// answer does not judge.
    pub(super) fn of(answer: &str, lines: &dyn Fn(&str) -> Option<u32>) -> Option<Report> {
        if !Finding::judges(answer) {
            return None;
        }
        let mut report = Report::default();
        for finding in Finding::all_of(answer) {
            let finding = Finding { path: relative(&finding.path), ..finding };
            let exists = |count: u32| finding.line.is_none_or(|line| (1..=count).contains(&line));
            match !finding.path.is_empty() && lines(&finding.path).is_some_and(exists) {
                true => report.findings.push(finding),
                false => report.dropped.push(finding),
            }
        }
        report.findings.sort_by_key(|it| std::cmp::Reverse(it.severity));
        Some(report)
    }

    /// True where something is wrong, and not only odd.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|it| it.severity == Severity::Error)
    }

    /// The findings as programs read them.
    pub fn json(&self) -> Vec<FindingJson<'_>> {
        self.findings.iter().map(FindingJson::of).collect()
    }
}

/// A path without what diffs and models put before it.
fn relative(path: &str) -> String {
    path.trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_that_exist_are_kept_and_the_worst_comes_first() {
        let answer = "note ./a.rs:3: long\n  evidence: let x = 1;\nerror a.rs:2: wrong\nerror a.rs:4: past the end\n\
            error b.rs:1: no such file\nwarning: no place\nwarning a.rs: as a whole\n";
        let lines = |path: &str| (path == "a.rs").then_some(3);
        let report = Report::of(answer, &lines).unwrap();
        let kept: Vec<String> = report.findings.iter().map(Finding::line).collect();
        assert_eq!(kept, ["error a.rs:2: wrong", "warning a.rs: as a whole", "note a.rs:3: long"]);
        assert_eq!(report.findings[2].evidence, "let x = 1;");
        assert_eq!((report.dropped.len(), report.has_errors()), (3, true));
        assert_eq!(Report::of("No findings.", &lines), Some(Report::default()));
        assert_eq!(Report::of("Looks good to me!", &lines), None);
    }
}
