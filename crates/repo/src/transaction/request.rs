//! What a transaction is asked to do, and what it answers.

use crate::{FileText, Hash};

/// One change to the tree. Paths are relative to the root, or absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new UTF-8 file, and the folders that it needs. Refused where something is already there.
    Create {
        /// Where.
        path: String,
        /// Its text.
        text: String,
    },
    /// A new file of any bytes, and the folders that it needs. Refused where something is already there.
    CreateBytes {
        /// Where.
        path: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// New text for a file, in its encoding, with its mode, owner and attributes; behind a link, for the link's target.
    Write {
        /// Where.
        path: String,
        /// The file as it was read; the change is refused when it is no longer that.
        old: FileText,
        /// Its new text.
        text: String,
    },
    /// Another path for a file, link or folder. Refused where something is at the new path.
    Rename {
        /// The present path.
        from: String,
        /// The new path; missing folders are made.
        to: String,
        /// The content that the file is expected to have; none: whatever it has.
        expected: Option<Hash>,
    },
    /// The end of a file, a link, or a folder with everything in it.
    Delete {
        /// Where.
        path: String,
        /// The content that the file is expected to have; none: whatever it has.
        expected: Option<Hash>,
    },
}

/// A change that was made. Paths are relative to the root, absolute in an added folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Applied {
    /// A file is new.
    Created {
        /// Where.
        rel: String,
        /// Of its bytes.
        hash: Hash,
    },
    /// A file has new text.
    Written {
        /// Where; behind a link, the target.
        rel: String,
        /// Of its new bytes.
        hash: Hash,
    },
    /// Something has another path.
    Renamed {
        /// The old path.
        from: String,
        /// The new path.
        to: String,
    },
    /// Files are gone.
    Deleted {
        /// All of them, sorted.
        files: Vec<String>,
    },
}
