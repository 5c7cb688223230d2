//! C#: namespaces, narrowed to the files that declare what is used.

use std::collections::{BTreeSet, HashSet};

use super::context::Resolver;
use ox_syntax::SymbolKind;
use ox_syntax::{Facts, Import, RefKind};

pub(super) fn resolve(of: &Resolver<'_>, facts: &Facts, import: &Import) -> Vec<String> {
    let direct = of.project.declared(&import.what);
    // A type by its whole name, as an alias or for its static members, is declared in few files; a namespace in many.
    let namespace = in_namespaces(of, facts, &BTreeSet::from([import.what.clone()]));
    if namespace.is_empty() && direct.len() <= 3 { direct } else { namespace }
}

/// The files of the own namespaces and of those around them that declare what is used.
pub(super) fn implied(of: &Resolver<'_>, facts: &Facts) -> Vec<String> {
    let modules = facts.symbols.iter().filter(|it| it.kind == SymbolKind::Module).map(|it| it.qualified.as_str());
    let mut spaces = BTreeSet::new();
    for own in facts.package.as_deref().into_iter().chain(modules) {
        let mut next = Some(own);
        while let Some(space) = next {
            spaces.insert(space.to_string());
            next = space.rsplit_once('.').map(|it| it.0);
        }
    }
    in_namespaces(of, facts, &spaces)
}

fn in_namespaces(of: &Resolver<'_>, facts: &Facts, spaces: &BTreeSet<String>) -> Vec<String> {
    let own: HashSet<&str> = facts.symbols.iter().map(|it| it.name.as_str()).collect();
    let used =
        facts.references.iter().filter(|it| it.kind != RefKind::Import && it.name.starts_with(char::is_uppercase));
    let names: BTreeSet<&str> = used.map(|it| it.name.as_str()).filter(|it| !own.contains(it)).collect();
    let mut out = Vec::new();
    for name in names {
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
