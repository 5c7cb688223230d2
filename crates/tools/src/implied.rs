//! Names from other agents that say a part of the arguments, such as which of several things one tool is to do.

use serde_json::{Map, Value};

use crate::args::alias::snake;

/// Accepted names with the argument that they stand for.
const IMPLIED: &[(&str, &str, &str)] = &[
    ("replace_symbol", "action", "replace"),
    ("replace_symbol_body", "action", "replace"),
    ("replace_function", "action", "replace"),
    ("insert_after_symbol", "action", "insert_after"),
    ("insert_before_symbol", "action", "insert_before"),
];

/// Adds the argument that a tool's name stands for, if it was not given.
pub(crate) fn fill(name: &str, args: &mut Map<String, Value>) {
    let bare = snake(name.trim().rsplit(['.', ':', '/']).next().unwrap_or(name));
    if let Some((_, key, value)) = IMPLIED.iter().find(|it| it.0 == bare)
        && !args.contains_key(*key)
    {
        args.insert((*key).into(), (*value).into());
    }
}
