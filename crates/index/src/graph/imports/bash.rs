//! Bash: sourced files from the script's own folder or from the root on.

use super::context::Resolver;
use crate::graph::paths::{folder, join, nearest};
use ox_syntax::Import;

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    let places = [join(folder(from), &import.what), join("", &import.what)];
    if let Some(found) = of.first(places.into_iter().flatten()) {
        return vec![found];
    }
    let found = nearest(from, of.project.by_suffix(import.what.trim_start_matches("../").trim_start_matches("./")));
    if found.len() > 1 { Vec::new() } else { found }
}
