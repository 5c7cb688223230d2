//! C#: namespaces, narrowed to the files that declare what is used.

use std::collections::BTreeSet;

use super::context::{Resolver, is_capital, used};
use ox_syntax::SymbolKind;
use ox_syntax::{Facts, Import, RefKind};

pub(super) fn resolve(of: &Resolver<'_>, facts: &Facts, import: &Import) -> Vec<String> {
    let direct = of.project.declared(&import.what);
    // A type by its whole name, as an alias or for its static members, is declared in few files; a namespace in many.
    let namespace = in_namespaces(of, facts, &BTreeSet::from([import.what.as_str()]));
    if namespace.is_empty() && direct.len() <= 3 { direct } else { namespace }
}

/// The files of the own namespaces and of those around them that declare what is used.
pub(super) fn implied(of: &Resolver<'_>, facts: &Facts) -> Vec<String> {
    let modules = facts.symbols.iter().filter(|it| it.kind == SymbolKind::Module).map(|it| it.qualified.as_str());
    let outward = |own| std::iter::successors(Some(own), |it: &&str| Some(it.rsplit_once('.')?.0));
    let spaces = facts.package.as_deref().into_iter().chain(modules).flat_map(outward).collect();
    in_namespaces(of, facts, &spaces)
}

fn in_namespaces(of: &Resolver<'_>, facts: &Facts, spaces: &BTreeSet<&str>) -> Vec<String> {
    let mut out = Vec::new();
    for name in used(facts, |it| it.kind != RefKind::Import && is_capital(&it.name)) {
        for space in spaces {
            out.extend(of.project.declared(&format!("{space}.{name}")));
            // An attribute is used without the end of its name.
            if out.is_empty() {
                out.extend(of.project.declared(&format!("{space}.{name}Attribute")));
            }
        }
    }
    out
}
