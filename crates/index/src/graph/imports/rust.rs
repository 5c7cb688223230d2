//! Rust: the tree of modules that files and folders make, from the crate, the module itself or one around it on, and the
//! crates of the workspace by the names that their manifests give.

use std::collections::HashMap;

use super::context::Resolver;
use crate::graph::paths::{folder, join, name, stem, upward, within};
use ox_syntax::Import;

/// Folders whose files are crates of their own.
const TARGETS: [&str; 4] = ["tests", "examples", "benches", "bin"];

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    if import.what.ends_with(".rs") {
        return of.existing(join(folder(from), &import.what));
    }
    let parts: Vec<&str> = import.what.split("::").filter(|it| !matches!(*it, "*" | "")).collect();
    let Some((first, mut rest)) = parts.split_first() else { return Vec::new() };
    let mut base = match *first {
        "crate" => crate_folder(of, from),
        "self" => module_folder(from),
        "super" => folder(&module_folder(from)).to_string(),
        _ => return in_crate_or_module(of, from, &parts),
    };
    while let Some(("super", after)) = rest.split_first().map(|(it, after)| (*it, after)) {
        base = folder(&base).to_string();
        rest = after;
    }
    descend(of, from, &base, rest)
}

/// A path that starts with a crate of the workspace, or with a module beside or beneath, as in the older edition and in
/// main files.
fn in_crate_or_module(of: &Resolver<'_>, from: &str, parts: &[&str]) -> Vec<String> {
    if let Some(root) = of.crates.get_or_init(|| crates(of)).get(parts[0]) {
        return descend(of, from, root, &parts[1..]);
    }
    let base = module_folder(from);
    let beneath = within(&base, parts[0]);
    match of.first([format!("{beneath}.rs"), format!("{beneath}/mod.rs")]) {
        Some(_) => descend(of, from, &base, parts),
        None => Vec::new(),
    }
}

/// Follows the parts of a path from a module's folder on. What is no module is defined in the last one, or handed on by it.
fn descend(of: &Resolver<'_>, from: &str, base: &str, parts: &[&str]) -> Vec<String> {
    let mut here = base.to_string();
    let mut file = None;
    let mut left = parts;
    while let Some((part, rest)) = left.split_first() {
        let part = part.trim_start_matches("r#");
        let below = within(&here, part);
        let Some(found) = of.first([format!("{below}.rs"), format!("{below}/mod.rs")]) else { break };
        (here, file, left) = (below, Some(found), rest);
    }
    let owner = file.or_else(|| module_file(of, from, &here));
    let mut out: Vec<String> = owner.into_iter().collect();
    // A module that only hands a name on is not where it is defined.
    if let Some(item) = left.first().filter(|_| !left.is_empty()) {
        let defined = of.project.declared(item).into_iter().filter(|it| it.starts_with(&format!("{here}/")));
        let defined: Vec<String> = defined.collect();
        if defined.len() <= 3 && !out.iter().any(|it| defined.contains(it)) {
            out.extend(defined);
        }
    }
    out
}

/// The file of the module whose children are in a folder.
fn module_file(of: &Resolver<'_>, from: &str, base: &str) -> Option<String> {
    let own = (!base.is_empty()).then(|| format!("{base}.rs"));
    let of_main = name(from) == "main.rs" && folder(from) == base;
    let roots = if of_main { ["main.rs", "lib.rs", "mod.rs"] } else { ["lib.rs", "mod.rs", "main.rs"] };
    of.first(own.into_iter().chain(roots.map(|it| within(base, it))))
}

/// The folder in which the children of a file's module are.
fn module_folder(from: &str) -> String {
    let here = folder(from);
    let is_root = matches!(name(from), "mod.rs" | "lib.rs" | "main.rs" | "build.rs");
    if is_root || TARGETS.contains(&name(here)) {
        return here.to_string();
    }
    within(here, stem(from))
}

/// The folder of the root file of a file's crate.
fn crate_folder(of: &Resolver<'_>, from: &str) -> String {
    for here in upward(folder(from)) {
        let has = |folder: &str, name: &str| of.project.has(&within(folder, name));
        if TARGETS.contains(&name(here)) && has(folder(here), "Cargo.toml")
            || has(here, "lib.rs")
            || has(here, "main.rs")
        {
            return here.to_string();
        }
        if has(here, "Cargo.toml") {
            return within(here, "src");
        }
    }
    folder(from).to_string()
}

/// The folders of the library roots of all crates of the project, by the names under which they are used.
fn crates(of: &Resolver<'_>) -> HashMap<String, String> {
    let mut out = HashMap::new();
    for (here, text) in of.manifests("Cargo.toml") {
        let table: toml::Table = text.parse().unwrap_or_default();
        let text = |section: &str, key: &str| table.get(section)?.get(key)?.as_str().map(str::to_string);
        let Some(name) = text("lib", "name").or_else(|| text("package", "name")) else { continue };
        let root = text("lib", "path").unwrap_or_else(|| "src/lib.rs".into());
        let root = join(&here, &root).unwrap_or_default();
        out.insert(name.replace('-', "_"), folder(&root).to_string());
    }
    out
}
