//! Lua: modules by their dotted names from the roots that projects use, files by their paths.

use super::context::{Resolver, few};
use crate::graph::paths::{folder, join};
use ox_syntax::{Import, ImportKind};

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    if import.kind == ImportKind::Relative {
        return of.beside(from, &import.what).into_iter().collect();
    }
    let path = import.what.trim_end_matches(".lua").replace('.', "/");
    let forms = [format!("{path}.lua"), format!("{path}/init.lua"), format!("{path}.luau")];
    let roots = ["", "lua", "src", "lib", folder(from)];
    let places = roots.iter().flat_map(|root| forms.iter().filter_map(|form| join(root, form)));
    if let Some(found) = of.first(places) {
        return vec![found];
    }
    let named = forms.iter().filter(|it| it.contains('/'));
    few(from, named.flat_map(|it| of.project.by_suffix(it)).collect())
}
