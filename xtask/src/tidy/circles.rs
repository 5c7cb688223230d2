//! The files of a crate use each other in one direction: no two of them need each other, whether directly or over others.
//!
//! An arrow goes from the file that names an item to the file that defines it, found through `crate::`, `super::`, `self::`
//! and the modules a file declares. To declare a module is no arrow, and a `pub use` is looked through: it leads to the file
//! that defines the item. But a child that uses an item written in its parent's own file, while the parent's code uses the
//! child, is a circle: what both need belongs into a file below both. Methods are not followed (see `modules`).

use std::collections::BTreeMap;

use anyhow::Result;

use super::{Breach, Rule};
use crate::modules::{Modules, circles};
use crate::source::Source;
use crate::workspace::Workspace;

pub const RULE: Rule = Rule {
    name: "circles",
    why: "files that need each other are one file that cannot be read from one end; move what both need below both",
    check,
};

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut crates: BTreeMap<String, Vec<(String, Source)>> = BTreeMap::new();
    for (file, source) in workspace.sources().filter(|(_, source)| !source.is_test) {
        let Some((root, path)) = file.path.split_once("/src/") else { continue };
        crates.entry(root.to_owned()).or_default().push((path.to_owned(), source));
    }
    Ok(crates.into_iter().flat_map(|(root, files)| of_crate(&root, files)).collect())
}

fn of_crate(root: &str, mut files: Vec<(String, Source)>) -> Vec<Breach> {
    // A program that stands beside the library, or one of several, is a crate of its own.
    let has_library = files.iter().any(|(path, _)| path == "lib.rs");
    files.retain(|(path, _)| !(path.starts_with("bin/") || has_library && path == "main.rs"));
    let modules = Modules::read(&files);
    let arrows = modules.arrows();
    let found = circles(files.len(), &arrows);
    let shown = |at: usize| format!("{root}/src/{}", files[at].0);
    let mut breaches = Vec::new();
    for group in &found {
        for arrow in arrows.iter().filter(|it| group.contains(&it.from) && group.contains(&it.to)) {
            let what = format!("uses `{}` of {}, in a circle of {} files", arrow.path, shown(arrow.to), group.len());
            breaches.push(Breach::at(shown(arrow.from), arrow.line, what));
        }
    }
    breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        super::super::breaches(&RULE, files)
    }

    #[test]
    fn files_that_need_each_other_are_found_over_re_exports() {
        let files = [
            ("crates/a/src/lib.rs", "mod b;\nmod c;\npub use b::B;\n"),
            ("crates/a/src/b.rs", "use crate::c;\npub struct B(c::C);\n"),
            ("crates/a/src/c.rs", "pub struct C(Option<Box<crate::B>>);\n"),
        ];
        assert_eq!(
            found(&files),
            [
                "crates/a/src/b.rs:2: uses `crate::c::C` of crates/a/src/c.rs, in a circle of 2 files",
                "crates/a/src/c.rs:1: uses `crate::B` of crates/a/src/b.rs, in a circle of 2 files",
            ]
        );
    }

    #[test]
    fn a_parent_may_declare_and_re_export_but_not_call_a_child_that_needs_it() {
        let child = ("crates/a/src/b.rs", "use super::{P, c::C};\npub fn b(_: P, _: C) {}\n");
        let below = ("crates/a/src/c.rs", "pub struct C;\n");
        let parent = |text| ("crates/a/src/lib.rs", text);
        let declares = "mod b;\nmod c;\npub use b::b;\npub struct P;\n";
        assert_eq!(found(&[child, below, parent(declares)]), [""; 0]);
        let calls = "mod b;\nmod c;\npub struct P;\npub fn f() { b::b(P, c::C) }\n";
        assert_eq!(found(&[child, below, parent(calls)]).len(), 2);
    }

    #[test]
    fn tests_methods_and_other_crates_are_no_arrows() {
        let files = [
            ("crates/a/src/lib.rs", "mod b;\nuse b::B;\npub struct A(B);\n#[cfg(test)]\nmod tests { use super::*; }\n"),
            ("crates/a/src/b.rs", "use other::A;\npub struct B(A);\n#[cfg(test)]\nmod tests { use crate::A; }\n"),
        ];
        assert!(found(&files).is_empty());
    }
}
