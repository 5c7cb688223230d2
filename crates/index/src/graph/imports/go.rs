//! Go: the modules of the project by their `go.mod`, and packages as folders.

use std::collections::HashSet;

use super::context::Resolver;
use crate::graph::paths::{folder, name, stem};
use ox_syntax::{Facts, Import, RefKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, facts: &Facts, import: &Import) -> Vec<String> {
    let package = if import.what.starts_with('.') {
        crate::graph::paths::join(folder(from), &import.what)
    } else {
        let modules = of.modules.get_or_init(|| modules(of));
        let module = modules.iter().find(|(module, _)| is_in(&import.what, module));
        let rest = module.map(|(module, root)| (root, import.what[module.len()..].trim_start_matches('/')));
        rest.and_then(|(root, rest)| crate::graph::paths::join(root, rest))
    };
    let files = package.map(|it| of.project.folder(&it)).unwrap_or_default();
    let files: Vec<String> =
        files.into_iter().filter(|it| it.ends_with(".go") && !stem(it).ends_with("_test")).collect();
    narrowed(of, facts, files)
}

fn is_in(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// Those files of a package that define a name that is used; all of them where that cannot be told.
fn narrowed(of: &Resolver<'_>, facts: &Facts, files: Vec<String>) -> Vec<String> {
    if files.len() < 2 {
        return files;
    }
    let used = facts.references.iter().filter(|it| it.name.starts_with(char::is_uppercase));
    let names: HashSet<&str> = used.map(|it| it.name.as_str()).collect();
    let defining: HashSet<String> = names.into_iter().flat_map(|it| of.project.declared(it)).collect();
    let reported: Vec<String> = files.iter().filter(|it| defining.contains(*it)).cloned().collect();
    if reported.is_empty() { files } else { reported }
}

/// The files of the same package that define what is used, and for a test the package that it is about.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    let own: HashSet<&str> = facts.symbols.iter().map(|it| it.name.as_str()).collect();
    let used = facts.references.iter().filter(|it| it.kind != RefKind::Import && !own.contains(it.name.as_str()));
    let names: HashSet<&str> = used.map(|it| it.name.as_str()).collect();
    let here = folder(from);
    let is_test = stem(from).ends_with("_test");
    let mut out: Vec<String> = names.into_iter().flat_map(|it| of.project.declared(it)).collect();
    out.retain(|it| folder(it) == here && it.ends_with(".go") && (is_test || !stem(it).ends_with("_test")));
    out.sort();
    out
}

/// The modules with their folders, longest names first.
fn modules(of: &Resolver<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for manifest in of.project.by_name("go.mod").iter().filter(|it| name(it) == "go.mod") {
        let text = of.project.text(manifest).unwrap_or_default();
        let line = text.lines().find_map(|it| it.trim().strip_prefix("module "));
        let module = line.map(|it| it.split("//").next().unwrap_or_default().trim().trim_matches('"').to_string());
        out.extend(module.map(|it| (it, folder(manifest).to_string())));
    }
    out.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
    out
}
