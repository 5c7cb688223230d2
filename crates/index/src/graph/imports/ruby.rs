//! Ruby: `require_relative` from the file on, `require` from the folders named `lib`, and constants that loaders find by
//! their names.

use super::context::{Resolver, few, used};
use crate::graph::paths::{folder, join};
use ox_syntax::{Facts, Import, ImportKind, RefKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    let what = import.what.trim_end_matches(".rb");
    let file = format!("{what}.rb");
    if import.kind == ImportKind::Relative || what.starts_with('.') {
        return of.existing(join(folder(from), &file));
    }
    let roots = ["lib", "", "app", "spec", "test"].map(|it| join(it, &file).unwrap_or_default());
    if let Some(found) = of.first(roots) {
        return vec![found];
    }
    let found: Vec<String> = of.project.by_suffix(&format!("lib/{file}"));
    let found = if found.is_empty() && file.contains('/') { of.project.by_suffix(&file) } else { found };
    few(from, found)
}

/// The files that define the constants which are used, where each has few.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    let files = |name: &str| {
        let mut found = of.project.by_suffix(&format!("{}.rb", snake(name)));
        found.extend(of.project.declared(name).into_iter().filter(|it| it.ends_with(".rb")));
        few(from, found)
    };
    used(facts, |it| it.kind == RefKind::Type).into_iter().flat_map(files).collect()
}

/// `HTTPServer` as `http_server`.
fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (at, c) in letters.iter().enumerate() {
        let after_lower = at > 0 && !letters[at - 1].is_uppercase();
        let before_lower = at > 0 && letters.get(at + 1).is_some_and(|it| it.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) && !out.ends_with('_') && at > 0 {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}
