//! Programming languages by file name. It looks at names only, never into a file.

/// The languages, each with the endings of its files in lower case.
const LANGUAGES: &str = include_str!("languages.txt");

/// The programming language that a file is written in, by the end of its name; none for prose, data and the unknown.
pub fn language(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let has = |row: &&str| row.split(' ').skip(1).any(|it| it == ending);
    LANGUAGES.lines().find(has).filter(|_| !stem.is_empty()).and_then(|row| row.split(' ').next())
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
