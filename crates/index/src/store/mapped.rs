//! Files as bytes that are read where they lie.

use std::path::Path;

use tantivy::directory::OwnedBytes;

use crate::IndexError;

/// The bytes of a file, which is mapped where that can be: nothing is read yet.
pub(crate) fn bytes_of(place: &Path) -> Result<OwnedBytes, IndexError> {
    let failed = |it| IndexError::cache(place, it);
    if let (Some(folder), Some(name)) = (place.parent(), place.file_name()) {
        use tantivy::Directory;
        use tantivy::directory::MmapDirectory;
        // An empty file cannot be mapped.
        if std::fs::metadata(place).map_err(failed)?.len() > 0
            && let Ok(directory) = MmapDirectory::open(folder)
            && let Ok(file) = directory.open_read(Path::new(name))
        {
            return file.read_bytes().map_err(failed);
        }
    }
    std::fs::read(place).map(OwnedBytes::new).map_err(failed)
}
