//! Programming languages by file name. It looks at names only, never into a file.

/// The languages, each with the endings of its files in lower case.
const LANGUAGES: &str = include_str!("languages.txt");

/// The programming language that a file is written in, by the end of its name; none for prose, data and the unknown.
pub fn language(path: &str) -> Option<&'static str> {
    let (stem, ending) = parts(path)?;
    of_ending(&ending).filter(|_| !stem.is_empty())
}

/// A file's name without its ending, and that in lower case.
pub(crate) fn parts(path: &str) -> Option<(&str, String)> {
    let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some((stem, ending.to_ascii_lowercase()))
}

/// The language of files with this ending.
pub(crate) fn of_ending(ending: &str) -> Option<&'static str> {
    let mut rows = LANGUAGES.lines().map(|it| it.split(' '));
    rows.find_map(|mut row| row.next().filter(|_| row.any(|it| it == ending)))
}

/// The same name as one that lives for ever; empty for a name that is not known.
pub(crate) fn known(name: &str) -> &'static str {
    LANGUAGES.lines().filter_map(|row| row.split(' ').next()).find(|it| *it == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_ending() {
        for (path, expected) in [
            ("src/main.rs", Some("Rust")),
            ("a.b/c.test.TSX", Some("TypeScript")),
            ("README.md", None),
            ("Makefile", None),
            ("src.rs/notes", None),
            (".rs", None),
            ("", None),
        ] {
            assert_eq!(language(path), expected, "{path}");
        }
    }
}
