//! Words that may be paths in what a user says.

/// What may be a path, in the order of the text, without line numbers and punctuation.
pub(crate) fn paths_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| it.is_whitespace() || "\"'`()[]{}<>,;|".contains(it)).filter_map(path_in)
}

/// The word without its line numbers and punctuation, if it may be a path; of an address, the file that it shows.
fn path_in(word: &str) -> Option<&str> {
    let word = shown_by(word).unwrap_or(word);
    let word = word.trim_end_matches(['.', ':', '!', '?']).trim_start_matches("./").trim_start_matches('@');
    let is_place = |it: &str| !it.is_empty() && it.chars().all(|it| it.is_ascii_digit() || it == '-');
    let mut path = word;
    while let Some((before, _)) = path.rsplit_once(':').filter(|(_, after)| is_place(after)) {
        path = before;
    }
    let path = path.trim_end_matches('/');
    let has_ending = path.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && (1..=8).contains(&ending.len()) && ending.starts_with(|it: char| it.is_ascii_alphabetic())
    });
    let may_be = (path.contains('/') || has_ending) && !path.contains("//") && !path.starts_with(['/', '-', '~']);
    (may_be && path.len() <= 200).then_some(path)
}

/// The path in the address of a file on a forge: `https://github.com/OWNER/NAME/blob/REVISION/PATH#L60`.
fn shown_by(word: &str) -> Option<&str> {
    let (_, rest) = word.split_once("://")?.1.split_once("/blob/")?;
    let path = rest.split_once('/')?.1;
    path.split(['#', '?']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_in_words_and_addresses() {
        let text = "See `src/a.rs:10-20`, ./b/c.py. (@d.txt) https://example.com/x/y/blob/main/gson/src/A.java#L60 \
                    and Node.js, either/or, /etc/hosts, https://example.com/page.html";
        let found: Vec<&str> = paths_in(text).collect();
        assert_eq!(found, ["src/a.rs", "b/c.py", "d.txt", "gson/src/A.java", "Node.js", "either/or"]);
    }
}
