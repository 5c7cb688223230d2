//! Changing one file: a transaction of one change. A reader sees the old content or the new, never a part.

use crate::{Applied, Change, FileText, Hash, RepoError, Tree};

impl Tree {
    /// Replaces the text of the file that was read as `old`, in its encoding, with its mode, owner and attributes; behind a
    /// link, the link's target. Refused when the file is no longer what was read. Answers with the hash of the new bytes.
    pub fn write(&self, path: &str, old: &FileText, text: &str) -> Result<Hash, RepoError> {
        self.one(Change::Write { path: path.to_owned(), old: old.clone(), text: text.to_owned() }).map(hash)
    }

    /// Creates a UTF-8 file and the folders that it needs. Refused where something is already there.
    pub fn create(&self, path: &str, text: &str) -> Result<Hash, RepoError> {
        self.one(Change::Create { path: path.to_owned(), text: text.to_owned() }).map(hash)
    }

    /// Creates a file of any bytes and the folders that it needs. Refused where something is already there.
    pub fn create_bytes(&self, path: &str, bytes: Vec<u8>) -> Result<Hash, RepoError> {
        self.one(Change::CreateBytes { path: path.to_owned(), bytes }).map(hash)
    }

    /// Renames a file, link or folder and makes the folders that the new path needs. Refused where something is there.
    pub fn rename(&self, from: &str, to: &str) -> Result<(), RepoError> {
        self.one(Change::Rename { from: from.to_owned(), to: to.to_owned(), expected: None }).map(drop)
    }

    /// Deletes a file, a link, or a folder with everything in it. Answers with the files that are gone, sorted.
    pub fn delete(&self, path: &str) -> Result<Vec<String>, RepoError> {
        let gone = self.one(Change::Delete { path: path.to_owned(), expected: None })?;
        Ok(match gone {
            Applied::Deleted { files } => files,
            Applied::Created { .. } | Applied::Written { .. } | Applied::Renamed { .. } => Vec::new(),
        })
    }

    fn one(&self, change: Change) -> Result<Applied, RepoError> {
        let mut applied = self.commit(vec![change])?;
        Ok(applied.pop().expect("a transaction answers for each change"))
    }
}

fn hash(applied: Applied) -> Hash {
    match applied {
        Applied::Created { hash, .. } | Applied::Written { hash, .. } => hash,
        Applied::Renamed { .. } | Applied::Deleted { .. } => Hash::of(b""),
    }
}
