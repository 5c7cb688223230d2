//! Python: packages and modules, relative imports by their dots, absolute ones from the roots that projects use.

use super::context::{Resolver, few};
use crate::graph::paths::{folder, join, upward, within};
use crate::snapshot::Snapshot;
use ox_syntax::Import;

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    let dots = import.what.len() - import.what.trim_start_matches('.').len();
    let module = import.what.trim_start_matches('.').replace('.', "/");
    if dots == 0 {
        return absolute(of, from, import, &module);
    }
    let mut base = folder(from);
    for _ in 1..dots {
        base = folder(base);
    }
    named(of, &join(base, &module).unwrap_or_default(), import)
}

/// The roots from which a name is looked for: those above the file, the project's, and the usual folders of sources.
fn absolute(of: &Resolver<'_>, from: &str, import: &Import, module: &str) -> Vec<String> {
    let above = upward(folder(from)).filter(|it| !of.project.has(&within(it, "__init__.py")));
    let roots: Vec<&str> = above.chain(["", "src", "lib", "python"]).collect();
    for root in &roots {
        let found = named(of, &within(root, module), import);
        if !found.is_empty() {
            return found;
        }
    }
    // A source root that no rule names: only a path of two parts or more is told from a stranger's module.
    if !module.contains('/') {
        return Vec::new();
    }
    let forms = [format!("{module}.py"), format!("{module}/__init__.py")];
    few(from, forms.iter().flat_map(|it| of.project.by_suffix(it)).collect())
}

/// The module, and the modules that are named out of it.
fn named(of: &Resolver<'_>, path: &str, import: &Import) -> Vec<String> {
    let own = module(of.project, path);
    let is_package = own.as_ref().is_none_or(|it| it.ends_with("__init__.py") || it.ends_with("__init__.pyi"));
    let mut out = Vec::new();
    let mut missing = Vec::new();
    for name in import.names.iter().filter(|it| is_package && *it != "*") {
        match module(of.project, &within(path, name)) {
            Some(found) if !path.is_empty() || own.is_some() => out.push(found),
            _ => missing.push(name),
        }
    }
    let Some(own) = own else { return out };
    let package = format!("{}/", folder(&own));
    // What a package hands on is defined in one of its modules.
    for name in missing.into_iter().filter(|_| is_package) {
        let defined: Vec<String> =
            of.project.declared(name).into_iter().filter(|it| it.starts_with(&package) && *it != own).collect();
        if defined.len() == 1 {
            out.extend(defined);
        }
    }
    out.push(own);
    out
}

fn module(project: &Snapshot, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some("__init__.py".to_string()).filter(|it| project.has(it));
    }
    let forms = [
        format!("{path}.py"),
        format!("{path}/__init__.py"),
        format!("{path}.pyi"),
        format!("{path}/__init__.pyi"),
        format!("{path}.pyx"),
    ];
    forms.into_iter().find(|it| project.has(it))
}
