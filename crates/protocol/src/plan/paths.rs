//! The files that the words of a step name.

/// Words that begin a step which changes nothing.
const LOOKS: [&str; 11] =
    ["read", "look", "check", "run", "verify", "review", "inspect", "see", "understand", "test", "measure"];
/// Longest ending of a file's name.
const ENDING: usize = 5;

/// Steps that only look need not touch anything.
pub(super) fn says_change(step: &str) -> bool {
    let words = step.trim_start_matches(|c: char| !c.is_alphabetic());
    let first = words.split_whitespace().next().unwrap_or_default().to_lowercase();
    !LOOKS.contains(&first.as_str())
}

/// What is surely a file: a name with an ending that has a folder or stands in backquotes.
pub(super) fn named(step: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for word in step.split_whitespace() {
        let path = word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '/')));
        let path = path.strip_prefix("./").unwrap_or(path);
        let is_quoted = word.contains(&format!("`{path}`"));
        let has_folder = path.split_once('/').is_some_and(|(folder, _)| !folder.is_empty() && !folder.contains('.'));
        if is_file(path) && (has_folder || is_quoted) && !files.iter().any(|it| it == path) {
            files.push(path.to_owned());
        }
    }
    files
}

fn is_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty()
            && !stem.ends_with(')')
            && (1..=ENDING).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_among_other_words() {
        let table: [(&str, &[&str]); 7] = [
            ("Fix the sign in src/lib.rs.", &["src/lib.rs"]),
            ("Add `main.py` and (tests/test_main.py)", &["main.py", "tests/test_main.py"]),
            ("Use Node.js/Express.js", &[]),
            ("Raise to 1.2/1.3 and/or keep", &[]),
            ("Call self.run", &[]),
            ("Change ./a/b.ts:12", &[]),
            ("Change src/a.rs, src/a.rs", &["src/a.rs"]),
        ];
        for (step, files) in table {
            assert_eq!(named(step), files, "{step}");
        }
        for (step, changes) in [("Read a/b.rs", false), ("2. check it", false), ("Rename it", true), ("", true)] {
            assert_eq!(says_change(step), changes, "{step}");
        }
    }
}
