//! Sets of globs over the paths of a tree.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::RepoError;

/// True where one of these globs matches `path` or a folder above it, as in a walk; a glob that cannot be read matches
/// nothing.
pub fn covers(globs: &[String], path: &str) -> bool {
    Globs::new(globs).is_ok_and(|it| it.matches(&[path]))
}

/// A set of globs. One without a slash matches a name at any depth; a folder's match covers what is beneath.
#[derive(Debug, Default)]
pub(crate) struct Globs(Option<GlobSet>);

impl Globs {
    pub(crate) fn new(globs: &[String]) -> Result<Globs, RepoError> {
        if globs.is_empty() {
            return Ok(Globs(None));
        }
        let bad = |glob: &str, why: globset::Error| RepoError::BadGlob {
            glob: glob.to_owned(),
            reason: why.kind().to_string(),
        };
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let plain = glob.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            let anchored = match plain.contains('/') {
                true => plain.to_owned(),
                false => format!("**/{plain}"),
            };
            for form in [format!("{anchored}/**"), anchored] {
                let compiled = GlobBuilder::new(&form).literal_separator(true).build().map_err(|it| bad(glob, it))?;
                set.add(compiled);
            }
        }
        set.build().map(|it| Globs(Some(it))).map_err(|it| bad(&globs.join(", "), it))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn matches(&self, names: &[impl AsRef<Path>]) -> bool {
        self.0.as_ref().is_some_and(|set| names.iter().any(|it| set.is_match(it)))
    }
}
