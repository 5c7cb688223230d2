//! Java, Kotlin and Scala: a class in a file of its name in the folders of its package, else whatever file declares it;
//! wildcards and the own package by the names that are used.

use std::collections::BTreeSet;

use super::context::{Resolver, is_capital, used};
use crate::graph::paths::{folder, nearest, stem};
use ox_syntax::{Facts, Import, RefKind};

const ENDINGS: [&str; 3] = ["java", "kt", "scala"];

pub(super) fn resolve(of: &Resolver<'_>, from: &str, facts: &Facts, import: &Import) -> Vec<String> {
    if let Some(package) = import.what.strip_suffix(".*") {
        let class = class(of, from, package);
        return if class.is_empty() { in_package(of, package, facts) } else { class };
    }
    // A member or an inner class is in the file of the class around it.
    let mut path = import.what.as_str();
    for _ in 0..3 {
        let found = class(of, from, path);
        if !found.is_empty() {
            return found;
        }
        match path.rsplit_once('.') {
            Some((around, last)) if is_capital(last) || around.contains('.') => path = around,
            _ => break,
        }
        if !path.rsplit('.').next().is_some_and(is_capital) {
            break;
        }
    }
    Vec::new()
}

/// The files of a class by its whole name, those nearest first.
fn class(of: &Resolver<'_>, from: &str, name: &str) -> Vec<String> {
    let path = name.replace('.', "/");
    let found: Vec<String> = ENDINGS.iter().flat_map(|it| of.project.by_suffix(&format!("{path}.{it}"))).collect();
    let found = if found.is_empty() { of.project.declared(name) } else { found };
    let is_package = found.iter().any(|it| folder(it).ends_with(&path)) && found.len() > 1;
    if is_package { Vec::new() } else { nearest(from, found) }
}

/// The files that declare names of a package which are used.
fn in_package(of: &Resolver<'_>, package: &str, facts: &Facts) -> Vec<String> {
    let names = used(facts, |it| it.kind != RefKind::Import);
    let mut out = of.project.declared(package);
    out.retain(|it| names.contains(stem(it)));
    let declared = names.iter().filter(|it| is_capital(it) || facts.language != "Java");
    out.extend(declared.flat_map(|it| of.project.declared(&format!("{package}.{it}"))));
    out.sort();
    out
}

/// The files of the own package that declare what is used; it may have a folder among the tests too.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    if let Some(package) = &facts.package {
        return in_package(of, package, facts);
    }
    let names: BTreeSet<&str> = facts.references.iter().map(|it| it.name.as_str()).collect();
    of.project.folder(folder(from)).into_iter().filter(|it| names.contains(stem(it))).collect()
}
