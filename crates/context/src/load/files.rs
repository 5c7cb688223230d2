//! The file tree in few tokens: one line a folder, as much as there is room for; upper levels before lower ones, and
//! folders of code long before everything else, what bears a word of the task before its neighbours.
//!
//! What no person writes is never listed. What is not listed is counted, so that a cut tree never looks like the whole. It never takes more than its room.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::survey::Survey;

/// Levels of folders below the root whose files are listed.
const DEPTH: usize = 3;
/// The most files listed altogether.
const FILES: usize = 200;
/// The most files listed of one folder, and how many where there is no room for as many.
const IN_FOLDER: [usize; 5] = [30, 16, 8, 4, 2];
/// The most folders named in one line.
const FOLDERS: usize = 20;
/// Bytes of the line that counts everything, and of the rest the part that the root may take: one of so many.
const TOTALS: usize = 110;
const ROOT_SHARE: usize = 2;
/// Words of the task that are looked at.
const WORDS: usize = 600;
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

/// What a listing is made of.
struct Shelf<'a> {
    folders: BTreeMap<&'a str, Folder<'a>>,
    /// Words of the task.
    wanted: HashSet<String>,
    /// The folders that have a line of their own, and how many names at most stand in it.
    open: BTreeMap<&'a str, usize>,
}

/// The tree in at most `room` bytes; the words of the task decide what comes first where not all fits.
pub(super) fn listing(survey: &Survey, task: &str, room: usize) -> String {
    let wanted = ox_index::tokens(task).into_iter().take(WORDS).collect();
    let mut shelf = Shelf { folders: arrange(survey), wanted, open: BTreeMap::new() };
    let mut left = room.saturating_sub(TOTALS);
    let mut listed = 0;
    let ranked = shelf.by_rank();
    // What the task names may rank before the folder that it lies in.
    for path in [""].iter().chain(&ranked).chain(&ranked) {
        let reached = path.is_empty() || shelf.open.contains_key(parent(path));
        if !reached || shelf.open.contains_key(path) {
            continue;
        }
        let most = if path.is_empty() { left / ROOT_SHARE } else { left };
        let files = |names: usize| shelf.folders[path].files.len().min(names);
        let cost = |names: usize| shelf.line(path, names).len() + 1;
        let fits = |names: &&usize| listed + files(**names) <= FILES && cost(**names) <= most;
        // A folder at the top is cut rather than left out.
        let steps = if path.contains('/') { &IN_FOLDER[..1] } else { &IN_FOLDER[..] };
        let names = steps.iter().find(fits).copied().or(path.is_empty().then_some(0));
        if let Some(names) = names {
            left = left.saturating_sub(cost(names));
            listed += files(names);
            shelf.open.insert(path, names);
        }
    }
    let mut lines: Vec<String> = shelf.open.iter().map(|(path, names)| shelf.line(path, *names)).collect();
    lines.retain(|it| !it.is_empty());
    if lines.is_empty() {
        return "The project is empty.".to_owned();
    }
    format!("{}\n{}", totals(survey, &lines), lines.join("\n"))
}

impl<'a> Shelf<'a> {
    /// The folders in the order in which they are opened.
    fn by_rank(&self) -> Vec<&'a str> {
        let depths = depths(&self.folders);
        let is_deep = |it: &&str| (1..=DEPTH).contains(&depths[it]) && (depths[it] == 1 || self.folders[it].code > 0);
        let mut ranked: Vec<&str> = self.folders.keys().copied().filter(is_deep).collect();
        ranked.sort_by_key(|path| {
            let Folder { beneath, code, .. } = self.folders[path];
            let aside = usize::from(path.split(['/', '_', '-', '.']).any(|it| ASIDE.contains(&it)));
            let level = depths[path] + aside + if code * 2 < beneath { NOT_CODE } else { 0 };
            // A folder comes after the one that it lies in.
            (level - usize::from(self.is_wanted(name(path))), Reverse(code), path.matches('/').count())
        });
        ranked
    }

    /// True for a name that has a word of the task.
    fn is_wanted(&self, name: &str) -> bool {
        ox_index::tokens(name).iter().any(|it| self.wanted.contains(it))
    }

    /// Some of the names in their order, those first to stay that have a word of the task.
    fn kept(&self, names: &[&'a str], most: usize) -> Vec<&'a str> {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by_key(|at| !self.is_wanted(names[*at]));
        order.truncate(most);
        order.sort_unstable();
        order.into_iter().map(|at| names[at]).collect()
    }

    /// `path/: its files, and its folders that have no line of their own with the number of files in them`, at most `most` of
    /// each.
    fn line(&self, path: &str, most: usize) -> String {
        let folder = &self.folders[path];
        let telling: Vec<&str> =
            folder.files.iter().copied().filter(|it| !is_dull(it) && !ox_index::is_generated_name(it)).collect();
        let mut names: Vec<String> = self.kept(&telling, most).into_iter().map(shown).collect();
        if folder.files.len() > names.len() {
            names.push(format!("+{}", folder.files.len() - names.len()));
        }
        let whole = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        let is_closed = |it: &&str| !self.open.contains_key(whole(it).as_str());
        let closed: Vec<&str> = folder.folders.iter().copied().filter(is_closed).collect();
        let beneath = |it: &str| self.folders.get(whole(it).as_str()).map_or(0, |it| it.beneath);
        let kept = self.kept(&closed, most.min(FOLDERS));
        names.extend(kept.iter().map(|it| format!("{}/({})", shown(it), beneath(it))));
        let rest: usize = closed.iter().filter(|it| !kept.contains(it)).map(|it| beneath(it)).sum();
        if rest > 0 {
            names.push(format!("…/({rest})"));
        }
        match (path, names.is_empty()) {
            (_, true) => String::new(),
            ("", false) => names.join(" "),
            (_, false) => format!("{}/: {}", shown(path), names.join(" ")),
        }
    }
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
        let code = ox_syntax::language(path).is_some();
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

fn is_dull(name: &str) -> bool {
    let stem = name.split(['.', '-']).next().unwrap_or(name).to_ascii_lowercase();
    DULL.contains(&stem.as_str()) && ox_syntax::language(name).is_none()
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
