//! What belongs to a file by its name: the header of a source and the other way round, the tests of a file and what a test
//! is about, by the habits of each language. Nothing is looked into.

use super::paths::{common, ending, folder, join, name, stem};
use crate::snapshot::Snapshot;
use ox_syntax::is_test;

/// What a file is to another that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Companion {
    /// It declares what the other defines.
    Header,
    /// It defines what the other declares.
    Source,
    /// It tests the other.
    Test,
    /// It is tested by the other.
    Subject,
}

/// Companions that are told at most.
const MOST: usize = 12;
pub(super) const HEADERS: [&str; 5] = ["h", "hpp", "hh", "hxx", "inl"];
const SOURCES: [&str; 7] = ["c", "cc", "cpp", "cxx", "cu", "m", "mm"];
/// Endings that are one language to those who name tests.
const FAMILIES: [&[&str]; 4] = [
    &["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"],
    &["c", "cc", "cpp", "cxx", "h", "hpp", "hh"],
    &["java", "kt", "scala", "groovy"],
    &["py", "pyi"],
];

/// The files that belong to a file by name, the nearest first.
pub fn companions(project: &Snapshot, path: &str) -> Vec<(String, Companion)> {
    let mut out = Vec::new();
    let ending = ending(path);
    if HEADERS.contains(&ending) {
        out.extend(like(project, path, &SOURCES).into_iter().map(|it| (it, Companion::Source)));
    } else if SOURCES.contains(&ending) {
        out.extend(like(project, path, &HEADERS).into_iter().map(|it| (it, Companion::Header)));
    }
    if is_test(path) {
        out.extend(subjects(project, path).into_iter().map(|it| (it, Companion::Subject)));
    } else {
        out.extend(tests(project, path).into_iter().map(|it| (it, Companion::Test)));
    }
    out.truncate(MOST);
    out
}

/// The files in the folder of tests beside the sources of a Rust program that `path` is part of. Who cannot be imported is
/// tested by being run; whether a test does so is not looked at.
pub(super) fn runners(project: &Snapshot, path: &str) -> Vec<String> {
    let Some((root, _)) = path.split_once("src/").filter(|it| it.0.is_empty() || it.0.ends_with('/')) else {
        return Vec::new();
    };
    let within = |name: &str| format!("{root}{name}");
    if ending(path) != "rs" || !project.has(&within("Cargo.toml")) {
        return Vec::new();
    }
    if !project.has(&within("src/main.rs")) && project.folder(&within("src/bin")).is_empty() {
        return Vec::new();
    }
    project.folder(&within("tests")).into_iter().filter(|it| ending(it) == "rs").take(MOST).collect()
}

/// Files of the same name with other endings, those of the nearest folder.
fn like(project: &Snapshot, path: &str, endings: &[&str]) -> Vec<String> {
    let names = endings.iter().map(|it| format!("{}.{it}", stem(path)));
    nearest_first(path, names.flat_map(|it| project.by_name(&it)).collect(), 2)
}

/// The endings that tests of a file may have.
fn family(ending: &str) -> Vec<&str> {
    let found = FAMILIES.iter().find(|it| it.contains(&ending));
    found.map_or_else(|| vec![ending], |it| it.to_vec())
}

/// The stems that a test of a file may have.
fn test_stems(stem: &str, ending: &str) -> Vec<String> {
    let with = |forms: &[&str]| forms.iter().map(|it| it.replace('*', stem)).collect();
    match ending {
        "py" | "pyi" => with(&["test_*", "*_test", "tests_*"]),
        "rs" => with(&["*", "*_test", "*_tests", "test_*"]),
        "go" => with(&["*_test"]),
        "rb" => with(&["*_spec", "*_test", "test_*"]),
        "java" | "kt" | "scala" | "groovy" => {
            with(&["*Test", "*Tests", "Test*", "*IT", "*Spec", "*Suite", "*TestCase"])
        }
        "cs" | "swift" | "php" => with(&["*Tests", "*Test", "*Spec"]),
        "lua" => with(&["*_spec", "*_test", "test_*"]),
        "sh" | "bash" => with(&["*_test", "test_*", "test-*"]),
        "c" | "cc" | "cpp" | "cxx" | "h" | "hpp" | "hh" => {
            with(&["*_test", "test_*", "*_tests", "*Test", "*-test", "*_unittest"])
        }
        _ => with(&["*.test", "*.spec", "*_test", "*-test", "*.cy", "*"]),
    }
}

fn tests(project: &Snapshot, path: &str) -> Vec<String> {
    let ending = ending(path);
    // A file that stands for its folder is tested under the folder's name.
    let own = match stem(path) {
        "index" | "mod" | "__init__" | "lib" | "init" => name(folder(path)),
        stem => stem.trim_end_matches(".d"),
    };
    let stems = test_stems(own, ending);
    let endings = family(ending);
    let names = stems.iter().flat_map(|stem| endings.iter().map(move |it| format!("{stem}.{it}")));
    let mut found: Vec<String> =
        names.flat_map(|it| project.by_name(&it)).filter(|it| it != path && is_test(it)).collect();
    // In Rust the tests of a module are often beneath it.
    if ending == "rs" {
        let beneath = join(folder(path), &format!("{}/tests.rs", stem(path)));
        found.extend(beneath.filter(|it| project.has(it)));
    }
    nearest_first(path, found, 4)
}

fn subjects(project: &Snapshot, path: &str) -> Vec<String> {
    let ending = ending(path);
    let own = stem(path);
    let bare = bare(own);
    if ending == "rs" && own == "tests" {
        let around = folder(path);
        let places = [format!("{around}.rs"), format!("{around}/mod.rs"), format!("{around}/lib.rs")];
        return places.into_iter().filter(|it| project.has(it)).collect();
    }
    let endings = family(ending);
    let names = endings.iter().map(|it| format!("{bare}.{it}"));
    let found: Vec<String> =
        names.flat_map(|it| project.by_name(&it)).filter(|it| it != path && !is_test(it)).collect();
    let found = nearest_first(path, found, 3);
    if !found.is_empty() {
        return found;
    }
    let folders =
        ["index", "__init__", "mod"].iter().flat_map(|stem| endings.iter().map(move |it| format!("{stem}.{it}")));
    let found = folders.flat_map(|it| project.by_suffix(&format!("{bare}/{it}"))).filter(|it| !is_test(it));
    nearest_first(path, found.collect(), 2)
}

/// What the stems of tests end in, and what they begin with.
const ENDS: &str = ".test .spec .cy .e2e .test-d _test _tests _spec _unittest -test Tests TestCase Test Spec Suite IT";
const BEGINS: &str = "test_ tests_ test- Test";

/// A stem without what marks a test.
fn bare(stem: &str) -> &str {
    let ends = ENDS.split(' ').find_map(|it| stem.strip_suffix(it).filter(|it| !it.is_empty()));
    let begins = || BEGINS.split(' ').find_map(|it| stem.strip_prefix(it).filter(|it| !it.is_empty()));
    ends.or_else(begins).unwrap_or(stem)
}

/// Some of the files, those with the most folders in common first; without those much further away than the nearest.
fn nearest_first(path: &str, mut found: Vec<String>, most: usize) -> Vec<String> {
    found.sort_by_key(|it| (std::cmp::Reverse(shared(path, it)), it.len(), it.clone()));
    found.dedup();
    let best = found.first().map(|it| shared(path, it)).unwrap_or_default();
    found.retain(|it| shared(path, it) + 1 >= best);
    found.truncate(most);
    found
}

/// How many folders two paths share, those counted that only one tree of tests mirrors.
fn shared(a: &str, b: &str) -> usize {
    let folders = |it: &str| folder(it).split('/').map(str::to_string).collect::<Vec<_>>();
    let (mine, theirs) = (folders(a), folders(b));
    let from_end = mine.iter().rev().zip(theirs.iter().rev()).take_while(|(a, b)| a == b).count();
    (common(a, b) + from_end).min(mine.len().max(theirs.len()))
}
