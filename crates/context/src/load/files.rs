//! The file tree in few tokens: one line a folder, as much as there is room for; upper levels before lower ones, and
//! folders of code long before everything else.
//!
//! What is not listed is counted, so that a cut tree never looks like the whole.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;

/// Levels of folders below the root whose files are listed.
const DEPTH: usize = 3;
/// The most files listed altogether.
const FILES: usize = 200;
/// The most files listed of one folder, and the most folders named in one line.
const IN_FOLDER: usize = 30;
const FOLDERS: usize = 20;
/// What everybody knows of such a file is that it is there: these are counted only.
const DULL: [&str; 8] =
    ["license", "licence", "unlicense", "copying", "code_of_conduct", "funding", "backers", "authors"];

/// As many levels lower a folder ranks whose files are mostly not code: the modules of `src/app/` help more than the
/// chapters of `docs/`.
const NOT_CODE: usize = 2;
/// Folders of what is beside the project's own code, which rank one level lower.
const ASIDE: [&str; 18] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "testing",
    "testdata",
    "fixtures",
    "examples",
    "example",
    "samples",
    "benches",
    "benchmarks",
    "contrib",
    "deps",
    "third_party",
    "vendor",
    "external",
    "docs",
];

/// One folder: its files and folders by name, how many files lie anywhere beneath it, and how many of them are code.
#[derive(Default)]
struct Folder<'a> {
    files: Vec<&'a str>,
    folders: Vec<&'a str>,
    beneath: usize,
    code: usize,
}

/// The tree in at most about `room` bytes.
pub(super) fn listing(survey: &Survey, room: usize) -> String {
    let folders = arrange(survey);
    let mut open = BTreeSet::from([""]);
    let (mut used, mut listed) = (line("", &folders, &open).len(), folders[""].files.len());
    for path in by_rank(&folders) {
        let files = folders[path].files.len().min(IN_FOLDER);
        let cost = line(path, &folders, &open).len() + 1;
        if open.contains(parent(path)) && listed + files <= FILES && used + cost <= room {
            open.insert(path);
            used += cost;
            listed += files;
        }
    }
    let mut lines: Vec<String> = open.iter().map(|path| line(path, &folders, &open)).collect();
    lines.retain(|it| !it.is_empty());
    if lines.is_empty() {
        return "The project is empty.".to_owned();
    }
    format!("{}\n{}", totals(survey, &lines), lines.join("\n"))
}

/// The folders in the order in which they are opened.
fn by_rank<'a>(folders: &BTreeMap<&'a str, Folder<'_>>) -> Vec<&'a str> {
    let depths = depths(folders);
    let is_deep = |it: &&str| (1..=DEPTH).contains(&depths[it]) && (depths[it] == 1 || folders[it].code > 0);
    let mut ranked: Vec<&str> = folders.keys().copied().filter(is_deep).collect();
    ranked.sort_by_key(|path| {
        let Folder { beneath, code, .. } = folders[path];
        let aside = usize::from(path.split('/').any(|it| ASIDE.contains(&it)));
        let level = depths[path] + aside + if code * 2 < beneath { NOT_CODE } else { 0 };
        // A folder comes after the one that it lies in.
        (level, Reverse(code), path.matches('/').count())
    });
    ranked
}

/// How deep each folder lies. One with nothing but a single folder in it is no level of its own: the packages of Java lie
/// in many of them.
fn depths<'a>(folders: &BTreeMap<&'a str, Folder<'_>>) -> BTreeMap<&'a str, usize> {
    let mut depths = BTreeMap::new();
    for path in folders.keys() {
        let depth = if path.is_empty() { 0 } else { depths.get(parent(path)).copied().unwrap_or(0) + 1 };
        let around = &folders[parent(path)];
        let is_link = depth > 1 && around.files.is_empty() && around.folders.len() == 1;
        depths.insert(*path, depth - usize::from(is_link));
    }
    depths
}

fn totals(survey: &Survey, lines: &[String]) -> String {
    let (files, folders) = (survey.files.len(), survey.folders.len());
    let or_more = if survey.more { " or more" } else { "" };
    let is_cut = lines.iter().any(|it| it.contains("/(") || it.contains(" +"));
    let cut = if is_cut { "; cut: (n) and +n count files not listed" } else { "" };
    format!("{files}{or_more} files in {folders} folders{cut}")
}

fn arrange(survey: &Survey) -> BTreeMap<&str, Folder<'_>> {
    let mut folders: BTreeMap<&str, Folder<'_>> = BTreeMap::from([("", Folder::default())]);
    for path in &survey.folders {
        folders.entry(path).or_default();
        folders.entry(parent(path)).or_default().folders.push(name(path));
    }
    for path in &survey.files {
        folders.entry(parent(path)).or_default().files.push(name(path));
        let code = ox_index::language(path).is_some();
        let mut above = parent(path);
        loop {
            let folder = folders.entry(above).or_default();
            folder.beneath += 1;
            folder.code += usize::from(code);
            if above.is_empty() {
                break;
            }
            above = parent(above);
        }
    }
    folders
}

/// `path/: its files, and its folders that have no line of their own with the number of files in them`.
fn line(path: &str, folders: &BTreeMap<&str, Folder<'_>>, open: &BTreeSet<&str>) -> String {
    let folder = &folders[path];
    let telling = folder.files.iter().filter(|it| !is_dull(it));
    let mut names: Vec<String> = telling.take(IN_FOLDER).map(|it| shown(it)).collect();
    if folder.files.len() > names.len() {
        names.push(format!("+{}", folder.files.len() - names.len()));
    }
    let (mut closed, mut beneath) = (Vec::new(), 0);
    for name in &folder.folders {
        let whole = if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") };
        if let Some(child) = folders.get(whole.as_str()).filter(|_| !open.contains(whole.as_str())) {
            if closed.len() < FOLDERS {
                closed.push(format!("{}/({})", shown(name), child.beneath));
            } else {
                beneath += child.beneath;
            }
        }
    }
    names.extend(closed);
    if beneath > 0 {
        names.push(format!("…/({beneath})"));
    }
    match (path, names.is_empty()) {
        (_, true) => String::new(),
        ("", false) => names.join(" "),
        (_, false) => format!("{}/: {}", shown(path), names.join(" ")),
    }
}

fn is_dull(name: &str) -> bool {
    let stem = name.split(['.', '-']).next().unwrap_or(name).to_ascii_lowercase();
    DULL.contains(&stem.as_str()) && ox_index::language(name).is_none()
}

/// A name that cannot be taken for two, or for a line of its own.
fn shown(name: &str) -> String {
    if name.contains([' ', '\n', '"']) || name.chars().any(char::is_control) {
        format!("{name:?}")
    } else {
        name.to_owned()
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
