//! C and C++: an included file beside the one that includes it, else the one whose path ends so, from a folder of headers
//! or of sources.

use super::context::{Resolver, few};
use crate::graph::paths::{folder, join, name};
use ox_syntax::{Import, ImportKind};

/// Headers that every machine brings; a project's own of that name is meant only with quotes.
const STANDARD: &str = "assert.h complex.h ctype.h errno.h fcntl.h fenv.h float.h inttypes.h iso646.h limits.h locale.h \
    math.h pthread.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h threads.h \
    time.h uchar.h unistd.h wchar.h wctype.h sys/types.h";
/// Folders from which headers are named.
const ROOTS: [&str; 8] = ["include", "inc", "src", "source", "lib", "Sources", "headers", ""];

pub(super) fn resolve(of: &Resolver<'_>, from: &str, import: &Import) -> Vec<String> {
    let what = import.what.trim_start_matches("./");
    let system = import.kind == ImportKind::System;
    if !system && let Some(beside) = of.first(join(folder(from), what)) {
        return vec![beside];
    }
    let bare = what.trim_start_matches("../");
    // Without an ending it is a header of the C++ library.
    if system && (STANDARD.split(' ').any(|it| it == bare) || !bare.contains('.')) {
        return Vec::new();
    }
    let found = of.project.by_suffix(bare);
    let from_root: Vec<String> = found.iter().filter(|it| is_from_root(it, bare)).cloned().collect();
    if system && from_root.is_empty() {
        return Vec::new();
    }
    few(from, if from_root.is_empty() { found } else { from_root })
}

/// True where what is before the named part is a folder of headers or of sources.
fn is_from_root(path: &str, what: &str) -> bool {
    let before = path[..path.len() - what.len()].trim_end_matches('/');
    ROOTS.contains(&name(before))
}
