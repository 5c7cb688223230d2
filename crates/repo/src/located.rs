//! A place in the tree, links resolved.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// One place in the tree; nothing need exist there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Located {
    /// Absolute, links resolved.
    #[serde(with = "bytes")]
    pub abs: PathBuf,
    /// Relative to the root with `/` between parts, `.` for the root itself; absolute in an added folder.
    pub rel: String,
    /// The folder that it lies beneath: the root, an added folder, or one of a place consented to.
    #[serde(with = "bytes")]
    pub(crate) base: PathBuf,
}

/// A path of any bytes; of itself serde takes text alone.
mod bytes {
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
        path.as_os_str().serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<PathBuf, D::Error> {
        OsString::deserialize(from).map(PathBuf::from)
    }
}
