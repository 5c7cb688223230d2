//! Paths as text: relative to the project's root, with `/` between the parts. Nothing here asks whether a file exists.

/// The folder of a path; empty for one at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |it| it.0)
}

/// The last part of a path.
pub(crate) fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The last part without its ending.
pub(crate) fn stem(path: &str) -> &str {
    let name = name(path);
    name.rsplit_once('.').map_or(name, |it| it.0)
}

/// What is after the last dot of the last part.
pub(crate) fn ending(path: &str) -> &str {
    name(path).rsplit_once('.').map_or("", |it| it.1)
}

/// A folder and what is beneath it, with `.` and `..` worked out; none where that leads out of the project.
pub(crate) fn join(folder: &str, rest: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// What is in a folder; the root's is empty.
pub(crate) fn within(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_string() } else { format!("{folder}/{rest}") }
}

/// A folder and each one around it, innermost first; the root last.
pub(crate) fn upward(folder: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(folder);
    std::iter::from_fn(move || {
        let here = next?;
        next = (!here.is_empty()).then(|| self::folder(here));
        Some(here)
    })
}

/// How many folders two paths have in common from the root on.
pub(crate) fn common(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b).count()
}

/// Those with the most folders in common with a path.
pub(crate) fn nearest(from: &str, mut found: Vec<String>) -> Vec<String> {
    let most = found.iter().map(|it| common(from, it)).max().unwrap_or_default();
    found.retain(|it| common(from, it) == most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_within_the_project() {
        for (folder, rest, expected) in [
            ("a/b", "../c.rs", Some("a/c.rs")),
            ("a", "./b/./c", Some("a/b/c")),
            ("", "x", Some("x")),
            ("a", "../../x", None),
        ] {
            assert_eq!(join(folder, rest).as_deref(), expected, "{folder} {rest}");
        }
        assert_eq!(upward("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(common("a/b/c.rs", "a/b/d.rs"), 2);
    }
}
