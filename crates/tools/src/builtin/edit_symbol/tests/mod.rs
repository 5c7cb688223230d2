//! Stories of edits by name: what is asked, what the model reads, and what becomes of the file.

mod same;
mod samples;
mod stories;
mod tables;

use crate::tests::testing::World;
use serde_json::{Value, json};

/// A project with one file that the model has read.
fn read(path: &str, text: &str) -> World {
    let world = World::new();
    world.file(path, text);
    world.ok("read_file", json!({"path": path}));
    world
}

/// The file after one call.
fn after(path: &str, text: &str, args: &Value) -> String {
    let world = read(path, text);
    let mut all = json!({"path": path});
    all.as_object_mut().unwrap().extend(args.as_object().unwrap().clone());
    world.ok("edit_symbol", all);
    world.read(path)
}

fn call(symbol: &str, action: &str, new: &str) -> Value {
    json!({"symbol": symbol, "action": action, "new": new})
}
