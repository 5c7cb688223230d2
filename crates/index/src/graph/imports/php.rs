//! PHP: the folders that `composer.json` gives to namespaces, included files, and the own namespace's folder.

use std::collections::BTreeSet;

use serde_json::Value;

use super::context::{Resolver, few};
use crate::graph::paths::{folder, join, stem};
use ox_syntax::{Facts, Import, ImportKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    if import.kind == ImportKind::Relative {
        return of.beside(from, &import.what).into_iter().collect();
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
    few(from, if declared.is_empty() { by_last_parts(of, &path) } else { declared })
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
    let names: BTreeSet<&str> = facts.references.iter().map(|it| it.name.as_str()).collect();
    let beside = of.project.folder(folder(from)).into_iter();
    beside.filter(|it| it.ends_with(".php") && names.contains(stem(it))).collect()
}

/// Prefixes of namespaces as paths, with the folders that they stand for; the longest first.
fn prefixes(of: &Resolver<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for (folder, text) in of.manifests("composer.json") {
        let json: Value = serde_json::from_str(&text).unwrap_or_default();
        let sections = ["autoload", "autoload-dev"].map(|it| json[it]["psr-4"].as_object());
        for (prefix, roots) in sections.into_iter().flatten().flatten() {
            let roots = roots.as_array().map_or_else(|| vec![roots], |it| it.iter().collect());
            for root in roots.into_iter().filter_map(Value::as_str) {
                out.push((prefix.replace('\\', "/"), join(&folder, root).unwrap_or_default()));
            }
        }
    }
    out.sort_by_key(|it| std::cmp::Reverse(it.0.len()));
    out
}
