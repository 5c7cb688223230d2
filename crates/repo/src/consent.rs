//! Places that the user consented to for one call.
//!
//! Consent is for a place as it was resolved when it was asked for, never for the words that led there: a link that
//! is swapped afterwards leads to a place nobody consented to. It widens nothing that is never written.

use std::path::{Path, PathBuf};

use ox_protocol::PathUse;

/// What was consented to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Consents {
    /// What needs consent is refused without it. False for Ox's own work, which asks by itself or not at all.
    pub strict: bool,
    places: Vec<ConsentedPlace>,
}

/// One place, with everything beneath it where it is a folder.
#[derive(Clone, Debug)]
pub(crate) struct ConsentedPlace {
    place: PathBuf,
    write: bool,
    is_dir: bool,
    /// The nearest existing folder: what is opened is opened beneath it.
    pub base: PathBuf,
}

impl Consents {
    pub(crate) fn to(root: &Path, uses: &[PathUse]) -> Consents {
        let place = |it: &PathUse| {
            let place = root.join(&it.path);
            let is_dir = place.symlink_metadata().is_ok_and(|it| it.is_dir());
            let mut above = place.ancestors().skip(usize::from(!is_dir));
            let base = above.find(|it| it.symlink_metadata().is_ok_and(|it| it.is_dir()))?.to_owned();
            Some(ConsentedPlace { place, write: it.write, is_dir, base })
        };
        Consents { strict: true, places: uses.iter().filter_map(place).collect() }
    }

    /// The consent to use the resolved path `abs`. Who may write may read.
    pub(crate) fn of(&self, abs: &Path, write: bool) -> Option<&ConsentedPlace> {
        let covers = |it: &&ConsentedPlace| abs == it.place || (it.is_dir && abs.starts_with(&it.place));
        self.places.iter().filter(|it| it.write || !write).find(covers)
    }
}
