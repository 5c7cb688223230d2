//! Lists that are kept as text beside the code: words separated by blanks, comments on lines that begin with `#`.

/// True when the list has the word.
pub fn contains(list: &str, word: &str) -> bool {
    words(list).any(|it| it == word)
}

/// The words of a list.
pub fn words(list: &str) -> impl Iterator<Item = &str> {
    lines(list).flat_map(str::split_ascii_whitespace)
}

/// The lines of a list.
pub fn lines(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|it| !it.starts_with('#'))
}
