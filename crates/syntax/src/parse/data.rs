//! Files that are data: JSON, TOML and YAML. Each is read by the library that knows it; nothing is kept of what it says.

use saphyr_parser::Parser;
use serde::de::IgnoredAny;

/// Files whose programs let comments and trailing commas stand in JSON: by their names, or by the folder that they lie in.
const WITH_COMMENTS: [&str; 8] = [
    "jsconfig.json",
    "devcontainer.json",
    "deno.json",
    "api-extractor.json",
    ".eslintrc.json",
    ".babelrc.json",
    "tslint.json",
    "language-configuration.json",
];
const FOLDERS: [&str; 3] = [".vscode", ".devcontainer", ".zed"];
/// The byte at which a text is no JSON.
pub(super) fn json(path: &str, text: &str) -> Option<usize> {
    let takes_comments = takes_comments(path);
    let plain = takes_comments.then(|| plain_json(text));
    let error = serde_json::from_str::<IgnoredAny>(plain.as_deref().unwrap_or(text)).err()?;
    // An empty file of settings is one in which nothing is set.
    if takes_comments && plain.is_some_and(|it| it.trim().is_empty()) {
        return None;
    }
    let start = text.split_inclusive('\n').take(error.line().max(1) - 1).map(str::len).sum::<usize>();
    Some((start + error.column().saturating_sub(1)).min(text.len()))
}

fn takes_comments(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let in_folder = || path.split('/').any(|it| FOLDERS.contains(&it));
    name.starts_with("tsconfig")
        || [".jsonc", ".code-workspace", ".code-snippets", ".sublime-project"].iter().any(|it| name.ends_with(it))
        || WITH_COMMENTS.contains(&name)
        || in_folder()
}

/// JSON without its comments and trailing commas, which become blanks: every place stays the same.
pub fn plain_json(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let blank = |out: &mut [u8]| out.iter_mut().filter(|it| **it != b'\n').for_each(|it| *it = b' ');
    let (mut at, mut comma) = (0, None);
    while at < out.len() {
        let rest = &text.as_bytes()[at..];
        let length = match rest {
            [b'"', ..] => quoted(rest),
            [b'/', b'/', ..] => rest.iter().position(|it| *it == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => rest.windows(2).skip(2).position(|it| it == b"*/").map_or(rest.len(), |it| it + 4),
            _ => 1,
        };
        match rest[0] {
            b'/' if length > 1 => blank(&mut out[at..at + length]),
            b',' => comma = Some(at),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    out[comma] = b' ';
                }
            }
            it if it.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        at += length;
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// The bytes of the string that a text begins with.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while at < text.len() {
        match text[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The byte at which a text is no TOML.
pub(super) fn toml(text: &str) -> Option<usize> {
    let error = toml::from_str::<toml::Table>(text).err()?;
    Some(error.span().map_or(0, |it| it.start))
}

/// The byte at which a text is no YAML, however many documents it has.
pub(super) fn yaml(text: &str) -> Option<usize> {
    let error = Parser::new_from_str(text).find_map(Result::err)?;
    let before = error.marker().line().saturating_sub(1);
    let start = text.split_inclusive('\n').take(before).map(str::len).sum::<usize>();
    Some(start.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_with_comments_is_no_fault_where_its_programs_take_them() {
        let table = [
            ("a.json", "{\"a\": [1, 2]}", true),
            ("a.json", "{\"a\": 1,}", false),
            ("package.json", "{\n  // a comment\n  \"a\": 1\n}", false),
            ("tsconfig.json", "{\n  // a comment\n  \"a\": [1, /* two */ 2,],\n}\n", true),
            ("web/tsconfig.build.json", "{\"a\": \"// no comment\",}", true),
            ("tsconfig.json", "{\"a\": 1", false),
            (".vscode/settings.json", "", true),
            ("a.code-workspace", "{\"a\": 1, // one\n}", true),
            ("a.jsonc", "{\"a\": }", false),
        ];
        for (path, text, expected) in table {
            assert_eq!(json(path, text).is_none(), expected, "{path} {text}");
        }
        let texts = [
            ("a: 1\nb: [x, y]\n---\nc: |\n  text: {\n", true),
            ("a: [1, 2\nb: 3\n", false),
            ("a: 1\n b: 2\n", false),
            ("a: \"open\n", false),
            ("key: value\n\tother: 1\n", false),
        ];
        for (text, expected) in texts {
            assert_eq!(yaml(text).is_none(), expected, "{text}");
        }
        assert!(yaml(&"[".repeat(100_000)).is_some());
    }
}
