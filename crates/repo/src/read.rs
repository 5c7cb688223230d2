//! Reading whole files. A file larger than the limit is refused by its size, never read to find out.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;

use crate::located::Located;
use crate::{Access, Encoding, Hash, RepoError, Tree, beneath, encoding, error};

/// The largest text file that is read whole, in bytes.
pub const WHOLE: u64 = 8 << 20;

/// A text file as it was read; what is needed to write it back the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// Relative to the root.
    pub rel: String,
    /// The text, its line endings as they are, without the byte-order mark.
    pub text: String,
    /// How it is stored.
    pub encoding: Encoding,
    /// True when it starts with a byte-order mark.
    pub bom: bool,
    /// Of the raw bytes.
    pub hash: Hash,
    /// In bytes.
    pub size: u64,
}

impl Tree {
    /// Reads a text file of up to [`WHOLE`] bytes.
    pub fn read(&self, path: &str) -> Result<FileText, RepoError> {
        let place = self.locate(path, Access::Read)?;
        let (file, size) = self.open_file(&place)?;
        let bytes = take(file, size, WHOLE, &place.rel)?;
        let hash = Hash::of(&bytes);
        if let Some(text) = self.inner.unsaved.of(&place.abs, hash) {
            let (hash, size) = (Hash::of(text.as_bytes()), text.len() as u64);
            return Ok(FileText { rel: place.rel, text, encoding: Encoding::UTF8, bom: false, hash, size });
        }
        let size = bytes.len() as u64;
        let (text, encoding, bom) =
            encoding::decode(&bytes).ok_or_else(|| RepoError::Binary { path: place.rel.clone(), size })?;
        Ok(FileText { rel: place.rel, text, encoding, bom, hash, size })
    }

    /// Reads the raw bytes of a file of at most `limit` bytes, for example an image.
    pub fn read_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, RepoError> {
        let place = self.locate(path, Access::Read)?;
        let (file, size) = self.open_file(&place)?;
        take(file, size, limit, &place.rel)
    }

    /// The hash of a file's bytes as they are now, whatever its size; in bounded memory.
    pub fn hash(&self, path: &str) -> Result<Hash, RepoError> {
        let place = self.locate(path, Access::Read)?;
        let hash = self.hash_at(&place)?;
        Ok(self.inner.unsaved.of(&place.abs, hash).map_or(hash, |it| Hash::of(it.as_bytes())))
    }

    pub(crate) fn hash_at(&self, place: &Located) -> Result<Hash, RepoError> {
        let (mut file, _) = self.open_file(place)?;
        let mut digest = <sha2::Sha256 as sha2::Digest>::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match file.read(&mut buffer).map_err(|it| error::reading(&place.rel, it))? {
                0 => return Ok(Hash::finish(digest)),
                count => sha2::Digest::update(&mut digest, &buffer[..count]),
            }
        }
    }

    /// Opens a regular file and tells its size in bytes.
    pub(crate) fn open_file(&self, place: &Located) -> Result<(File, u64), RepoError> {
        let file = beneath::read(place).map_err(|it| self.suggest(error::reading(&place.rel, it)))?;
        let stat = file.metadata().map_err(|it| error::reading(&place.rel, it))?;
        let path = place.rel.clone();
        match () {
            () if stat.is_dir() => Err(RepoError::IsDirectory { path }),
            () if !stat.is_file() => Err(RepoError::NotRegular { path }),
            // The superuser could; but whoever set this mode meant everybody.
            () if stat.mode() & 0o444 == 0 => Err(RepoError::Denied { path }),
            () => Ok((file, stat.len())),
        }
    }
}

/// Reads all of `file`, also when it grows meanwhile, but never more than `limit`.
fn take(file: File, size: u64, limit: u64, rel: &str) -> Result<Vec<u8>, RepoError> {
    let too_large = |size| RepoError::TooLarge { path: rel.to_owned(), size, limit };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|it| error::reading(rel, it))?;
    match bytes.len() as u64 {
        read if read > limit => Err(too_large(read)),
        _ => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use crate::{RepoError, Tree, Unsaved};

    #[test]
    fn what_is_not_saved_is_read_while_its_base_stands_and_is_never_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().canonicalize().unwrap().join("a.txt");
        std::fs::write(&file, "one\ntwo\n").unwrap();
        let saved = Tree::open(folder.path(), &[]).unwrap();
        let unsaved = Unsaved::default();
        unsaved.put(file.clone(), saved.hash("a.txt").unwrap(), "one\ntwo\nthree\n".into());
        let tree = saved.showing(&unsaved);
        let text = tree.read("a.txt").unwrap();
        assert_eq!((text.text.as_str(), text.size), ("one\ntwo\nthree\n", 14));
        let lines = tree.read_lines("a.txt", 3, None, 100).unwrap();
        assert_eq!((lines.text.as_str(), lines.total_lines, lines.hash), ("three\n", Some(3), Some(text.hash)));
        assert_eq!(tree.hash("a.txt").unwrap(), text.hash);
        assert_eq!(saved.read("a.txt").unwrap().text, "one\ntwo\n");
        // A change of it is answered and not made.
        assert!(tree.dry().write("a.txt", &text, "one\n").is_ok());
        assert!(matches!(tree.write("a.txt", &text, "one\n"), Err(RepoError::Changed { .. })));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "one\ntwo\n");
        // Another file on disk is not what was changed.
        std::fs::write(&file, "other\n").unwrap();
        assert_eq!(tree.read("a.txt").unwrap().text, "other\n");
        assert!(tree.dry().write("a.txt", &text, "one\n").is_err());
        assert_eq!(format!("{unsaved:?}"), format!("{{{file:?}}}"));
    }
}
