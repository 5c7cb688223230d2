//! What becomes of a text, per language and action.

mod c;
mod cpp;
mod go;
mod java;
mod javascript;
mod python;
mod rust;
mod typescript;

use super::after;
use expect_test::Expect;
use ox_edit::short_diff;
use serde_json::Value;

/// The differences after each of several calls, each on the same text.
fn table(path: &str, text: &str, calls: &[Value], expected: Expect) {
    let mut out = String::new();
    for args in calls {
        let words: Vec<&str> = args.as_object().unwrap().values().take(2).map(|it| it.as_str().unwrap()).collect();
        let diff = short_diff(text, &after(path, text, args), 1, usize::MAX);
        out += &format!("==== {}\n", words.join(" "));
        for line in diff.lines() {
            out += &format!("{}\n", line.trim_end_matches(' ').replace('\t', "→"));
        }
    }
    expected.assert_eq(&out);
}
