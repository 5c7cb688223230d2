//! `cargo test` of the packages, test targets and modules that have the reached tests.

use std::collections::{BTreeMap, BTreeSet};

use toml::Table;

use super::{Change, Whole, joined, within};

/// What of one package is to be run.
#[derive(Default)]
struct Targets {
    tests: BTreeSet<String>,
    lib: bool,
    bins: bool,
    /// Modules of unit tests; an empty one is the root.
    modules: BTreeSet<String>,
}

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    if !of.command.starts_with("cargo test") {
        return None;
    }
    let mut packages: BTreeMap<String, Targets> = BTreeMap::new();
    for path in change.tests.iter().filter(|it| it.ends_with(".rs") && within(of.dir, it).is_some()) {
        let Some(folder) = change.above(path, "Cargo.toml") else { continue };
        let Some(name) = package(change, folder) else { continue };
        add(change, folder, within(folder, path)?, packages.entry(name).or_default());
    }
    packages.retain(|_, it| it.lib || it.bins || !it.tests.is_empty());
    if packages.is_empty() {
        return None;
    }
    let mut command = "cargo test --no-fail-fast".to_owned();
    packages.keys().for_each(|it| command += &format!(" -p {it}"));
    command += if packages.values().any(|it| it.lib) { " --lib" } else { "" };
    command += if packages.values().any(|it| it.bins) { " --bins" } else { "" };
    let tests: BTreeSet<&String> = packages.values().flat_map(|it| &it.tests).collect();
    tests.iter().for_each(|it| command += &format!(" --test {it}"));
    let modules: BTreeSet<&String> = packages.values().flat_map(|it| &it.modules).collect();
    // A filter would hold for test targets too, whose tests are in no module of the library.
    if tests.is_empty() && !modules.iter().any(|it| it.is_empty()) {
        command += " --";
        modules.iter().for_each(|it| command += &format!(" {it}::"));
    }
    Some(command)
}

/// The name of a package whose targets are where cargo looks for them.
fn package(change: &Change<'_>, folder: &str) -> Option<String> {
    let manifest = change.text(&joined(folder, "Cargo.toml"))?.parse::<Table>().ok()?;
    let moved = |section: &str| manifest.get(section).and_then(|it| it.get("path")).is_some();
    if manifest.contains_key("test") || manifest.contains_key("bin") || moved("lib") {
        return None;
    }
    let name = manifest.get("package")?.get("name")?.as_str()?;
    name.chars().all(|it| it.is_ascii_alphanumeric() || "-_".contains(it)).then(|| name.to_owned())
}

fn add(change: &Change<'_>, folder: &str, path: &str, to: &mut Targets) {
    let has = |name: &str| change.snapshot.has(&joined(folder, name));
    let stem = path.trim_end_matches(".rs");
    match stem.split_once('/') {
        Some(("tests", rest)) => match rest.split_once('/') {
            None => drop(to.tests.insert(rest.to_owned())),
            Some((dir, _)) if has(&format!("tests/{dir}/main.rs")) => drop(to.tests.insert(dir.to_owned())),
            Some(_) => {}
        },
        Some(("src", "main")) => {
            to.bins = true;
            to.modules.insert(String::new());
        }
        Some(("src", rest)) => {
            let is_bin = rest.starts_with("bin/");
            to.lib |= has("src/lib.rs") && !is_bin;
            to.bins |= is_bin || !has("src/lib.rs");
            let module = rest.trim_end_matches("/mod").replace('/', "::");
            to.modules.insert(if is_bin || rest == "lib" { String::new() } else { module });
        }
        _ => {}
    }
}
