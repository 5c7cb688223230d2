//! Paths as the URIs that servers speak of, and back. Pure; only files are known.

use std::path::{Path, PathBuf};

use url::Url;

/// The URI of an absolute path.
pub(crate) fn of(path: &Path) -> String {
    Url::from_file_path(path).map(String::from).unwrap_or_default()
}

/// The path of a URI; none where it names no file of this machine. Servers write the same path in several ways.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let uri = Url::parse(uri).ok()?;
    uri.to_file_path().ok().filter(|_| uri.scheme() == "file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back() {
        for name in ["/a/b.rs", "/with space/ü/日本.py", "/100%/#1?.c", "/[id]/(group)/@x/a+b.ts"] {
            assert_eq!(path(&of(Path::new(name))).as_deref(), Some(Path::new(name)));
        }
        assert_eq!(of(Path::new("/a b/é")), "file:///a%20b/%C3%A9");
        for (uri, expected) in [
            ("file:///%5Bid%5D/@x/a+b.ts", Some("/[id]/@x/a+b.ts")),
            ("file://localhost/a", Some("/a")),
            ("file:///broken%2", Some("/broken%2")),
            ("untitled:Untitled-1", None),
            ("jdt://contents/x.class", None),
            ("file://host/a", None),
        ] {
            assert_eq!(path(uri).as_deref(), expected.map(Path::new), "{uri}");
        }
    }
}
