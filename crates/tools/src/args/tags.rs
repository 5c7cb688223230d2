//! ReadLog arguments that were written as one tag for each. A value that nothing closes is never taken.

use serde_json::{Map, Value};

/// The arguments, all of them texts; a name that comes again makes a list. Behind the last value only closing tags may
/// stand: one of them may have closed that value in place of its own.
pub(crate) fn read(raw: &str) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    let mut rest = raw.trim();
    while let Some((name, inside)) = opened(rest) {
        let own = format!("</{name}>");
        let (value, behind) = match inside.find(&own) {
            Some(at) => (&inside[..at], &inside[at + own.len()..]),
            // The end of the call closed the value.
            None => (&inside[..inside.rfind("</")?], ""),
        };
        add(&mut args, name, value);
        rest = behind.trim_start();
    }
    let only_ends = rest.split('>').map(str::trim).all(|it| it.is_empty() || it.starts_with("</"));
    (!args.is_empty() && only_ends).then_some(args)
}

/// The name of the tag at the beginning, and what stands behind it.
fn opened(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let good = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    good.then_some((name, rest))
}

fn add(args: &mut Map<String, Value>, name: &str, value: &str) {
    let value = Value::from(value.trim());
    match args.get_mut(name) {
        Some(Value::Array(list)) => list.push(value),
        Some(first) => *first = Value::Array(vec![first.take(), value]),
        None => drop(args.insert(name.to_string(), value)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_closed_is_read_and_nothing_else() {
        let cases = [
            ("<path>a.rs</path>", Some(r#"{"path":"a.rs"}"#)),
            (
                "<path>a.rs</path>\n<start_line>3</start_line>\n</read_file>",
                Some(r#"{"path":"a.rs","start_line":"3"}"#),
            ),
            ("<path>a.rs</read_file>", Some(r#"{"path":"a.rs"}"#)),
            ("<paths>a</paths><paths>b</paths>", Some(r#"{"paths":["a","b"]}"#)),
            ("<path>a.r", None),
            ("<path>a.rs</path><start_line>", None),
            ("<path>a.rs</path> and more", None),
            ("<", None),
        ];
        for (raw, expected) in cases {
            assert_eq!(read(raw).map(|it| Value::Object(it).to_string()).as_deref(), expected, "{raw}");
        }
    }
}
