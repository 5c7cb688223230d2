//! Go: the modules of the project by their `go.mod`, and packages as folders.

use std::collections::BTreeSet;

use super::context::{Resolver, is_capital, used};
use crate::graph::paths::{folder, join, stem};
use ox_syntax::{Facts, Import, RefKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, facts: &Facts, import: &Import) -> Vec<String> {
    let package = if import.what.starts_with('.') {
        join(folder(from), &import.what)
    } else {
        let modules = of.modules.get_or_init(|| modules(of));
        let module = modules.iter().find(|(module, _)| is_in(&import.what, module));
        module.and_then(|(module, root)| join(root, import.what[module.len()..].trim_start_matches('/')))
    };
    let mut files = package.map(|it| of.project.folder(&it)).unwrap_or_default();
    files.retain(|it| it.ends_with(".go") && !is_test(it));
    narrowed(of, facts, files)
}

fn is_test(path: &str) -> bool {
    stem(path).ends_with("_test")
}

fn is_in(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// Those files of a package that define a name that is used; all of them where that cannot be narrow.
fn narrowed(of: &Resolver<'_>, facts: &Facts, files: Vec<String>) -> Vec<String> {
    if files.len() < 2 {
        return files;
    }
    let names: BTreeSet<&str> =
        facts.references.iter().map(|it| it.name.as_str()).filter(|it| is_capital(it)).collect();
    let defining: BTreeSet<String> = of.declaring(names).into_iter().collect();
    let narrow: Vec<String> = files.iter().filter(|it| defining.contains(*it)).cloned().collect();
    if narrow.is_empty() { files } else { narrow }
}

/// The files of the same package that define what is used, and for a test the package that it is about.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    let here = folder(from);
    let mut out = of.declaring(used(facts, |it| it.kind != RefKind::Import));
    out.retain(|it| folder(it) == here && it.ends_with(".go") && (is_test(from) || !is_test(it)));
    out.sort();
    out
}

/// The modules with their folders, longest names first.
fn modules(of: &Resolver<'_>) -> Vec<(String, String)> {
    let module = |(folder, text): (String, String)| {
        let line = text.lines().find_map(|it| it.trim().strip_prefix("module "))?;
        Some((line.split("//").next().unwrap_or_default().trim().trim_matches('"').to_string(), folder))
    };
    let mut out: Vec<(String, String)> = of.manifests("go.mod").into_iter().filter_map(module).collect();
    out.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
    out
}
