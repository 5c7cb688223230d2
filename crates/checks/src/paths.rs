//! Paths of the project as seen from its folders, and as words of shell commands.

/// A file of a folder; that of the root is empty.
pub(crate) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// A path of the project as seen from one of its folders.
pub(crate) fn within<'p>(folder: &str, path: &'p str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

/// True for what means itself to a shell and to whatever it starts.
pub(crate) fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with('-')
        && word.chars().all(|it| it.is_ascii_alphanumeric() || "-_./@+".contains(it))
}

/// A path as one word of a shell command.
pub(crate) fn word(path: &str) -> String {
    if is_plain(path) { path.to_owned() } else { quoted(&format!("./{path}")) }
}

/// Any text as one word of a shell command.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Paths as words of a shell command.
pub(crate) fn words(paths: &[String]) -> String {
    paths.iter().map(|it| word(it)).collect::<Vec<_>>().join(" ")
}
