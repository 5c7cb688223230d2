//! Paths as the URIs that servers speak of, and back. Pure; only files are known.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// The URI of an absolute path.
pub(super) fn of(path: &Path) -> String {
    let mut out = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => out.push(char::from(*byte)),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// The path of a URI; none where it names no file of this machine. Servers write the same path in several ways.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let rest = rest.split(['?', '#']).next().filter(|it| it.starts_with('/'))?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((first, more)) = left.split_first() {
        left = more;
        let escaped = || u8::from_str_radix(std::str::from_utf8(more.get(..2)?).ok()?, 16).ok();
        match escaped().filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                left = &more[2..];
            }
            None => bytes.push(*first),
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
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
