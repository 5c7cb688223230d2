//! Files outside of the scope that the user set.

use globset::{GlobBuilder, GlobSetBuilder};
use ox_protocol::{AuditFinding, AuditKind};

use crate::ground::Ground;
use crate::pair::finding;

pub(crate) fn findings(ground: &Ground<'_>) -> Vec<AuditFinding> {
    if ground.scope.is_empty() {
        return Vec::new();
    }
    let mut globs = GlobSetBuilder::new();
    for glob in ground.scope {
        // A folder stands for all that is in it; a glob that is none was refused when it was set.
        let inside = format!("{}/**", glob.trim_end_matches('/'));
        let both = [glob.as_str(), inside.as_str()];
        both.iter().filter_map(|it| GlobBuilder::new(it).literal_separator(true).build().ok()).for_each(|it| {
            globs.add(it);
        });
    }
    let Ok(globs) = globs.build() else { return Vec::new() };
    let outside = ground.touched.iter().filter(|it| !globs.is_match(it));
    outside.map(|it| finding(AuditKind::OutOfScope, it, 0, &ground.scope.join(", "), ("", ""))).collect()
}
