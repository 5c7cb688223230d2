//! Files that are derived from the code: each is compared with what its generator writes now, and `UPDATE=1` rewrites it.
//!
//! A generator reads types, never another page, so no page can be right by copying a wrong one.

mod configuration;
mod exit_codes;
mod limits;
mod requirements;
mod schema;
mod tools;
mod wire;

use std::path::Path;

/// A generated file and its generator.
type Page = (&'static str, fn() -> String);

/// Every generated file.
const PAGES: &[Page] = &[
    ("crates/protocol/schema/ox.schema.json", schema::text),
    ("sdk/openapi.json", schema::openapi),
    ("docs/src/reference/events.md", wire::events),
    ("docs/src/reference/commands.md", wire::commands),
    ("docs/src/reference/configuration.md", configuration::page),
    ("docs/src/reference/exit-codes.md", exit_codes::page),
    ("docs/src/reference/limits.md", limits::page),
    ("docs/src/reference/tools.md", tools::page),
    ("docs/src/reference/requirements.md", requirements::page),
];

#[test]
fn the_quoted_scenario_is_the_real_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the workspace");
    let read = |path: &str| std::fs::read_to_string(root.join(path)).expect("the file is there");
    let page = read("docs/src/scenarios.md");
    let quoted = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("the page quotes one");
    assert_eq!(quoted, read("scenarios/edit/ambiguous.ox"), "docs/src/scenarios.md quotes an older scenario");
}

#[test]
fn generated_files_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root of the workspace");
    let update = std::env::var_os("UPDATE").is_some();
    let mut stale = Vec::new();
    for (path, generate) in PAGES {
        let (file, wanted) = (root.join(path), generate());
        if std::fs::read_to_string(&file).is_ok_and(|text| text == wanted) {
            continue;
        }
        if update {
            std::fs::create_dir_all(file.parent().expect("a page lies in a folder")).expect("the folder can be made");
            std::fs::write(&file, wanted).expect("the page can be written");
        } else {
            stale.push(*path);
        }
    }
    assert!(
        stale.is_empty(),
        "out of date: {}; run `cargo xtask generate` and look at the difference",
        stale.join(", ")
    );
}
