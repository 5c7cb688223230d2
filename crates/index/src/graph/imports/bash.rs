//! Bash: sourced files from the script's own folder or from the root on.

use super::context::Resolver;
use crate::graph::paths::nearest;
use ox_syntax::Import;

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    if let Some(found) = of.beside(from, &import.what) {
        return vec![found];
    }
    let found = nearest(from, of.project.by_suffix(import.what.trim_start_matches("../").trim_start_matches("./")));
    if found.len() > 1 { Vec::new() } else { found }
}
