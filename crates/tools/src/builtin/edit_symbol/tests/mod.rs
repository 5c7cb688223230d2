//! Stories of edits by name: what is asked, what the model reads, and what becomes of the file.

mod same;
mod samples;
mod stories;
mod tables;

use crate::tests::testing::Fixture;
use serde_json::{Value, json};

/// A project with one file that the model has read.
fn read(path: &str, text: &str) -> Fixture {
    let fixture = Fixture::new();
    fixture.file(path, text);
    fixture.ok("read_file", json!({"path": path}));
    fixture
}

/// The file after one call.
fn after(path: &str, text: &str, args: &Value) -> String {
    let fixture = read(path, text);
    let mut all = json!({"path": path});
    all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
    fixture.ok("edit_symbol", all);
    fixture.read(path)
}

fn call(symbol: &str, action: &str, new: &str) -> Value {
    json!({"symbol": symbol, "action": action, "new": new})
}
