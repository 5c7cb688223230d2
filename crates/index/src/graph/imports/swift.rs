//! Swift: modules as the folders beneath `Sources`, narrowed to the files that declare what is used.

use super::context::{Resolver, is_capital, used};
use crate::graph::paths::{folder, name, upward};
use ox_syntax::{Facts, Import};

pub(super) fn resolve(of: &Resolver<'_>, facts: &Facts, import: &Import) -> Vec<String> {
    let module = import.what.split('.').next().unwrap_or_default();
    let marks = [format!("{module}/"), format!("/{module}/")];
    let mut found = declaring(of, facts);
    found.retain(|it| it.starts_with(&marks[0]) || it.contains(&marks[1]));
    found
}

/// The files of the same module that declare what is used.
pub(super) fn implied(of: &Resolver<'_>, from: &str, facts: &Facts) -> Vec<String> {
    let root = upward(folder(from)).find(|it| matches!(name(folder(it)), "Sources" | "Tests" | "Source"));
    let mut found = declaring(of, facts);
    if let Some(root) = root.filter(|it| !it.is_empty()) {
        found.retain(|it| it.starts_with(&format!("{root}/")));
    }
    found
}

/// The files that declare the types and functions which are used, where each has few.
fn declaring(of: &Resolver<'_>, facts: &Facts) -> Vec<String> {
    let files = |name: &str| -> Vec<String> {
        of.project.declared(name).into_iter().filter(|it| it.ends_with(".swift")).collect()
    };
    let names = used(facts, |it| is_capital(&it.name)).into_iter();
    names.map(files).filter(|it| it.len() <= 3).flatten().collect()
}
