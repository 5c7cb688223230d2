//! PHP: the folders that `composer.json` gives to namespaces, included files, and the own namespace's folder.

use std::collections::HashSet;

use super::context::Resolver;
use crate::graph::paths::{folder, join, nearest, stem};
use ox_syntax::{Facts, Import, ImportKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    if import.kind == ImportKind::Relative {
        let beside = [join(folder(from), &import.what), join("", &import.what)];
        return of.first(beside.into_iter().flatten()).into_iter().collect();
    }
    let path = import.what.replace('\\', "/");
    for (prefix, root) in of.prefixes.get_or_init(|| prefixes(of)) {
        let rest = path.strip_prefix(prefix.as_str());
        let file = rest.and_then(|it| join(root, &format!("{it}.php")));
        if let Some(found) = of.first(file) {
            return vec![found];
        }
    }
    let dotted = import.what.rsplit_once('\\').map_or(import.what.clone(), |(space, name)| format!("{space}.{name}"));
    let declared = of.project.declared(&dotted);
    let found = if declared.is_empty() { by_last_parts(of, &path) } else { declared };
    let found = nearest(from, found);
    if found.len() > 3 { Vec::new() } else { found }
}

/// Without a manifest the last two parts of a class's name are taken for its folder and its file.
fn by_last_parts(of: &Resolver<'_>, path: &str) -> Vec<String> {
    let parts: Vec<&str> = path.rsplit('/').take(2).collect();
    match parts.as_slice() {
        [name, space] => of.project.by_suffix(&format!("{space}/{name}.php")),
        _ => Vec::new(),
    }
}

/// The files of the same folder that are named like a class which is used.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    let names: HashSet<&str> = facts.references.iter().map(|it| it.name.as_str()).collect();
    let beside = of.project.folder(folder(from)).into_iter();
    beside.filter(|it| it.ends_with(".php") && names.contains(stem(it))).collect()
}

/// Prefixes of namespaces as paths, with the folders that they stand for; the longest first.
fn prefixes(of: &Resolver<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for manifest in of.project.by_name("composer.json") {
        let text = of.project.text(&manifest).unwrap_or_default();
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        let sections = ["autoload", "autoload-dev"].map(|it| json.get(it)?.get("psr-4")?.as_object());
        for (prefix, roots) in sections.into_iter().flatten().flatten() {
            let roots = roots.as_array().map_or_else(|| vec![roots], |it| it.iter().collect());
            for root in roots.into_iter().filter_map(serde_json::Value::as_str) {
                let root = join(folder(&manifest), root).unwrap_or_default();
                out.push((prefix.replace('\\', "/"), root));
            }
        }
    }
    out.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
    out
}
