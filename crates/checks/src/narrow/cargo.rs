//! `cargo test` of the packages that were edited and of those that depend on them, narrowed to the test targets and modules
//! that have the reached tests where each of them has some.

use std::collections::{BTreeMap, BTreeSet};

use toml::Table;

use super::change::{Change, Whole};
use crate::paths::{joined, within};

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
    let flags = of.command.strip_prefix("cargo test")?;
    let features =
        flags.find(" --features ").or_else(|| flags.find(" --all-features")).or_else(|| flags.find(" --no-default"));
    let features = features.map_or("", |it| flags[it..].trim_end_matches(" --no-fail-fast"));
    let all = packages(change, of.dir);
    let affected = affected(change, &all);
    let mut packages: BTreeMap<&str, Targets> =
        affected.iter().map(|it| (all[*it].name.as_str(), Targets::default())).collect();
    for path in change.tests.iter().filter(|it| it.ends_with(".rs")) {
        let own = affected.iter().map(|it| &all[*it]).find(|it| change.above(path, "Cargo.toml") == Some(&it.folder));
        if let Some(own) = own.filter(|it| it.is_plain()) {
            add(change, &own.folder, within(&own.folder, path)?, packages.entry(&own.name).or_default());
        }
    }
    let is_reached = |it: &Targets| it.lib || it.bins || !it.tests.is_empty();
    if packages.values().any(is_reached) {
        // Targets that are not where cargo looks for them may have tests that nothing is known of.
        let moved: BTreeSet<&str> = all.iter().filter(|it| !it.is_plain()).map(|it| it.name.as_str()).collect();
        packages.retain(|name, it| is_reached(it) || moved.contains(name));
    }
    let mut command = format!("cargo test --no-fail-fast{features}");
    packages.keys().for_each(|it| command += &format!(" -p {it}"));
    // What runs whole has no flags, and flags would hold for every package.
    if !packages.values().all(is_reached) {
        return (packages.len() < all.len()).then_some(command);
    }
    if packages.is_empty() {
        return None;
    }
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

/// A package of the workspace.
struct Package {
    folder: String,
    name: String,
    manifest: Table,
    /// Those of its dependencies that its own users get too, and those that only its tests have.
    uses: BTreeSet<String>,
    tests_with: BTreeSet<String>,
}

impl Package {
    /// True where its targets are where cargo looks for them.
    fn is_plain(&self) -> bool {
        let moved = |section: &str| self.manifest.get(section).and_then(|it| it.get("path")).is_some();
        !self.manifest.contains_key("test") && !self.manifest.contains_key("bin") && !moved("lib")
    }
}

/// All packages beneath a folder.
fn packages(change: &Change<'_>, dir: &str) -> Vec<Package> {
    let read = |path: &str| change.text(path)?.parse::<Table>().ok();
    let shared = read(&joined(dir, "Cargo.toml")).unwrap_or_default();
    let paths = change.snapshot.paths().filter(|it| it.rsplit('/').next() == Some("Cargo.toml"));
    let package = |path: &str| {
        within(dir, path)?;
        let manifest = read(path)?;
        let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
        let is_word = name.chars().all(|it| it.is_ascii_alphanumeric() || "-_".contains(it));
        let folder = path.rsplit_once('/').map_or("", |it| it.0).to_owned();
        let uses = names(&manifest, &["dependencies", "build-dependencies"], &shared);
        let tests_with = names(&manifest, &["dev-dependencies"], &shared);
        is_word.then_some(Package { folder, name, uses, tests_with, manifest })
    };
    paths.filter_map(package).collect()
}

/// The packages that sections of a manifest name, by their true names.
fn names(manifest: &Table, sections: &[&str], shared: &Table) -> BTreeSet<String> {
    let targets = manifest.get("target").and_then(toml::Value::as_table).into_iter().flatten();
    let tables = targets.filter_map(|it| it.1.as_table()).chain([manifest]);
    let sections = tables.flat_map(|table| sections.iter().filter_map(|it| table.get(*it)?.as_table()));
    let renamed = |it: &toml::Value| Some(it.get("package")?.as_str()?.to_owned());
    let inherited = |key: &str| renamed(shared.get("workspace")?.get("dependencies")?.get(key)?);
    let name = |(key, value): (&String, &toml::Value)| {
        renamed(value).or_else(|| inherited(key).filter(|_| value.get("workspace").is_some())).unwrap_or(key.clone())
    };
    sections.flatten().map(name).collect()
}

/// The packages whose files changed and all that depend on them, as indices.
fn affected(change: &Change<'_>, all: &[Package]) -> BTreeSet<usize> {
    let ours = change.files.iter().filter(|it| it.ends_with(".rs") || it.ends_with("Cargo.toml"));
    let folders: BTreeSet<&str> = ours.filter_map(|it| change.above(it, "Cargo.toml")).collect();
    let mut reached: BTreeSet<usize> = (0..all.len()).filter(|it| folders.contains(all[*it].folder.as_str())).collect();
    let mut open: Vec<usize> = reached.iter().copied().collect();
    let mut tested = BTreeSet::new();
    while let Some(at) = open.pop() {
        let name = &all[at].name;
        let users: Vec<usize> = (0..all.len()).filter(|it| all[*it].uses.contains(name)).collect();
        open.extend(users.into_iter().filter(|it| reached.insert(*it)));
        tested.extend((0..all.len()).filter(|it| all[*it].tests_with.contains(name)));
    }
    reached.extend(tested);
    reached
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
