//! From the text that a model wrote to arguments that fit a tool's schema.
//!
//! Nothing here looks at a disk or decides whether a call may run. What is accepted silently never changes what a
//! call means: other agents' names for an argument, a number in quotes, a list in a string, `null` for "not given".

pub(crate) mod alias;
pub(crate) mod json;
pub(crate) mod repair;
pub(crate) mod shape;
pub(crate) mod tags;

use serde_json::{Map, Value};

/// The text argument `key`; empty when it was not given.
pub(crate) fn text<'a>(args: &'a Value, key: &str) -> &'a str {
    args.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The text argument `key` where it was given and is not blank.
pub(crate) fn given<'a>(args: &'a Value, key: &str) -> Option<&'a str> {
    args.get(key).and_then(Value::as_str).filter(|it| !it.trim().is_empty())
}

/// The whole number `key`; a negative one counts as not given.
pub(crate) fn number(args: &Value, key: &str) -> Option<usize> {
    args.get(key).and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok())
}

/// How many the argument `limit` asks for: `usual` unless told otherwise, and `most` at most.
pub(crate) fn limit(args: &Value, usual: usize, most: usize) -> usize {
    number(args, "limit").filter(|it| *it > 0).unwrap_or(usual).min(most)
}

/// A time that was given as `key` or under one of `others` becomes `key` in seconds. Milliseconds are told by their name
/// (`_ms`), or meant by a number that is too large for `most` seconds.
pub(crate) fn seconds(args: &mut Map<String, Value>, key: &str, others: &[&str], most: usize) {
    for name in [key].iter().chain(others) {
        let number = args.get(*name).and_then(|it| it.as_u64().or_else(|| it.as_str()?.trim().parse().ok()));
        let Some(number) = number else { continue };
        let milliseconds = name.to_ascii_lowercase().ends_with("ms") || number > 2 * most as u64;
        let seconds = if milliseconds { number.div_ceil(1000) } else { number };
        args.shift_remove(*name);
        args.insert(key.into(), Value::from(seconds.min(most as u64)));
    }
}

/// True when `key` was given and is true.
pub(crate) fn flag(args: &Value, key: &str) -> bool {
    args.get(key).and_then(Value::as_bool).unwrap_or_default()
}

/// The texts of the list `key`; blank ones dropped.
pub(crate) fn texts<'a>(args: &'a Value, key: &str) -> Vec<&'a str> {
    let items = args.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str).filter(|it| !it.trim().is_empty()).collect()
}

/// Several globs, as a list or with commas between, as one text: `{a,b}`, or `a,!b` where some are left out by `!`.
pub(crate) fn one_glob(args: &mut Map<String, Value>) {
    for key in ["glob", "include", "include_pattern", "includePattern", "file_pattern"] {
        let joined = match args.get(key) {
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","),
            Some(Value::String(list)) if list.contains(',') && !list.contains('{') => list.replace(", ", ","),
            _ => continue,
        };
        let glob = if joined.contains(',') && !joined.contains('!') { format!("{{{joined}}}") } else { joined };
        args.insert(key.to_string(), Value::String(glob));
    }
}

/// The globs to include and those to leave out (`!tests/**`, as ripgrep writes them) of the argument `glob`.
pub(crate) fn globs(args: &Value) -> (Vec<String>, Vec<String>) {
    let mut depth = 0_usize;
    let pieces = given(args, "glob").unwrap_or_default().split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    let pieces = pieces.map(str::trim).filter(|it| !it.is_empty());
    let (out, within): (Vec<&str>, Vec<&str>) = pieces.partition(|it| it.starts_with('!'));
    let out = out.into_iter().map(|it| it.trim_start_matches('!').trim_end_matches('/').to_string());
    (within.into_iter().map(str::to_string).collect(), out.collect())
}
