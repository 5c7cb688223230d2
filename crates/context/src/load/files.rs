//! The file tree in few tokens: one line a folder, upper levels before lower ones, as much as there is room for.
//!
//! What is not listed is counted, so that a cut tree never looks like the whole.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::Survey;

/// How deep a file may lie to be listed; 1 is the root.
const DEPTH: usize = 3;
/// The most files listed altogether.
const FILES: usize = 200;
/// The most files listed of one folder.
const IN_FOLDER: usize = 40;

/// One folder: its files and folders by name, and how many files lie anywhere beneath it.
#[derive(Default)]
struct Folder<'a> {
    files: Vec<&'a str>,
    folders: Vec<&'a str>,
    beneath: usize,
}

/// The tree in at most about `room` bytes.
pub(super) fn listing(survey: &Survey, room: usize) -> String {
    let folders = arrange(survey);
    let mut open = BTreeSet::from([""]);
    let (mut used, mut listed) = (line("", &folders, &open).len(), folders[""].files.len());
    for depth in 1..DEPTH {
        for path in folders.keys().filter(|it| depth_of(it) == depth) {
            let files = folders[path].files.len();
            if !open.contains(parent(path)) || listed + files.min(IN_FOLDER) > FILES {
                continue;
            }
            let cost = line(path, &folders, &open).len() + 1;
            if used + cost <= room {
                open.insert(path);
                used += cost;
                listed += files.min(IN_FOLDER);
            }
        }
    }
    let mut lines: Vec<String> = open.iter().map(|path| line(path, &folders, &open)).collect();
    lines.retain(|it| !it.is_empty());
    if lines.is_empty() {
        return "The project is empty.".to_owned();
    }
    format!("{}\n{}", totals(survey, &lines), lines.join("\n"))
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
        let mut above = parent(path);
        loop {
            folders.entry(above).or_default().beneath += 1;
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
    let mut names: Vec<String> = folder.files.iter().take(IN_FOLDER).map(|it| shown(it)).collect();
    if let Some(more) = folder.files.len().checked_sub(IN_FOLDER).filter(|it| *it > 0) {
        names.push(format!("+{more}"));
    }
    for name in &folder.folders {
        let whole = if path.is_empty() { (*name).to_owned() } else { format!("{path}/{name}") };
        if let Some(child) = folders.get(whole.as_str()).filter(|_| !open.contains(whole.as_str())) {
            names.push(format!("{}/({})", shown(name), child.beneath));
        }
    }
    match (path, names.is_empty()) {
        (_, true) => String::new(),
        ("", false) => names.join(" "),
        (_, false) => format!("{}/: {}", shown(path), names.join(" ")),
    }
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

fn depth_of(path: &str) -> usize {
    if path.is_empty() { 0 } else { path.matches('/').count() + 1 }
}
