//! The project's rules for those who work on it, nearest first: those of the folders that the user named, of the root,
//! of the folders above it up to the git root.
//!
//! Rules are cut to a budget, the nearest losing least, and say what was cut. Folders above the project are looked at
//! for these files only, and links out of them are not followed.

use std::collections::BTreeSet;
use std::io::Read as _;
use std::path::Path;

use ox_protocol::{Section, Tokens};
use ox_repo::{RepoError, Tree, WalkOptions};

use super::named::Named;
use super::survey::Survey;
use crate::budget::bytes;
use crate::section::{first_lines, section};

/// What rules are called in any folder, the name that is preferred first.
pub const INSTRUCTION_FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// What they are called at the root besides, folders of several files included.
const AT_ROOT: [&str; 4] = [".oxrules", ".cursor/rules", ".cursorrules", ".github/copilot-instructions.md"];
/// The most files of a folder of rules.
const FILES: usize = 50;
/// The most bytes read of a file above the project.
const ABOVE: u64 = 256 << 10;
/// The most files named that lie elsewhere.
const ELSEWHERE: usize = 10;

/// A file of rules.
struct Rules {
    path: String,
    text: String,
}

pub(super) fn load(tree: &Tree, survey: &Survey, named: &[Named], budget: Tokens) -> Vec<Section> {
    let folders = nearest(survey, named);
    let mut all: Vec<Rules> = folders.iter().flat_map(|folder| of_folder(tree, folder)).collect();
    all.extend(AT_ROOT.iter().flat_map(|path| at_root(tree, path)));
    all.extend(above(tree.root()));
    let mut seen = BTreeSet::new();
    // Many projects keep the same rules under two names, or let one file point to the other.
    all.retain(|it| !is_pointer(&it.text) && seen.insert(it.text.clone()));
    let mut left = bytes(budget);
    let mut sections: Vec<Section> = all.into_iter().map(|it| fit(it, &mut left)).collect();
    sections.push(section("rules", elsewhere(survey, &folders)));
    sections
}

/// The folders of the named paths, deepest first, and the root.
fn nearest(survey: &Survey, named: &[Named]) -> Vec<String> {
    let mut folders = BTreeSet::from([String::new()]);
    for path in named.iter().flat_map(|it| &it.places) {
        let mut path = if survey.folders.contains(path) { format!("{path}/") } else { path.clone() };
        while let Some((folder, _)) = path.rsplit_once('/') {
            path = folder.to_owned();
            folders.insert(path.clone());
        }
    }
    let mut folders: Vec<String> = folders.into_iter().collect();
    folders.sort_by_key(|it| std::cmp::Reverse(if it.is_empty() { 0 } else { it.matches('/').count() + 1 }));
    folders
}

fn of_folder(tree: &Tree, folder: &str) -> Vec<Rules> {
    let path = |name: &&str| if folder.is_empty() { (*name).to_owned() } else { format!("{folder}/{name}") };
    INSTRUCTION_FILES.iter().map(path).filter_map(|it| read(tree, it)).collect()
}

fn at_root(tree: &Tree, path: &str) -> Vec<Rules> {
    if !tree.root().join(path).is_dir() {
        return read(tree, path.to_owned()).into_iter().collect();
    }
    let options = WalkOptions { from: path.to_owned(), hidden: true, limit: FILES, ..WalkOptions::default() };
    let entries = tree.walk(&options).unwrap_or_default();
    let files = entries.into_iter().filter(|it| [".md", ".mdc", ".txt"].iter().any(|end| it.rel.ends_with(end)));
    files.filter_map(|it| read(tree, it.rel)).map(matter).collect()
}

fn read(tree: &Tree, path: String) -> Option<Rules> {
    // Reading what is not there would walk the tree to suggest what is.
    if tree.root().join(&path).symlink_metadata().is_err() {
        return None;
    }
    let text = match tree.read(&path) {
        Ok(file) => file.text,
        Err(RepoError::NotFound { .. } | RepoError::NotDirectory { .. } | RepoError::IsDirectory { .. }) => {
            return None;
        }
        Err(error) => format!("[not read: {error}]"),
    };
    if text.trim().is_empty() { None } else { Some(Rules { path, text }) }
}

/// Rules with a head of fields apply always, or are only mentioned with what they are about.
fn matter(rules: Rules) -> Rules {
    let fields = rules.text.strip_prefix("---\n").and_then(|it| it.split_once("\n---"));
    let Some((fields, text)) = fields else { return rules };
    let field = |name: &str| fields.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(':')).map(str::trim);
    let text = if field("alwaysApply") == Some("true") {
        text.trim_start_matches('-').trim().to_owned()
    } else {
        let about = [field("description"), field("globs")].into_iter().flatten().filter(|it| !it.is_empty());
        let about: Vec<&str> = about.collect();
        format!("[read this file before work on: {}]", about.join("; "))
    };
    Rules { text, ..rules }
}

/// Rules of the folders above the project, up to the root of its git repository.
fn above(root: &Path) -> Vec<Rules> {
    let Some(top) = root.ancestors().find(|it| it.join(".git").exists()) else { return Vec::new() };
    let folders = root.ancestors().skip(1).take_while(|it| it.starts_with(top));
    let mut found = Vec::new();
    for (index, folder) in folders.enumerate() {
        for name in INSTRUCTION_FILES {
            if let Some(text) = read_above(&folder.join(name)) {
                found.push(Rules { path: format!("{}{name}", "../".repeat(index + 1)), text });
            }
        }
    }
    found
}

fn read_above(path: &Path) -> Option<String> {
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(ABOVE).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim().is_empty()).then_some(text)
}

/// True for a file that only names another one, as in `@AGENTS.md`.
fn is_pointer(text: &str) -> bool {
    let text = text.trim();
    text.strip_prefix('@').is_some_and(|it| !it.contains(char::is_whitespace)) || INSTRUCTION_FILES.contains(&text)
}

fn fit(rules: Rules, left: &mut usize) -> Section {
    let text = rules.text.trim_end();
    let (kept, cut) = first_lines(text, *left);
    *left -= kept.len();
    let name = format!("rules:{}", rules.path);
    match cut {
        0 => section(&name, kept.to_owned()),
        _ if kept.is_empty() => {
            section(&name, format!("[no room for its {cut} lines; read it before you change anything]"))
        }
        _ => section(&name, format!("{kept}\n[cut: {cut} more lines, from line {}]", kept.lines().count() + 1)),
    }
}

/// Rules of folders that nobody has named yet.
fn elsewhere(survey: &Survey, folders: &[String]) -> String {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(it, _)| it.to_owned());
    let is_rules = |path: &&String| INSTRUCTION_FILES.iter().any(|name| path.ends_with(&format!("/{name}")));
    let others: Vec<&str> =
        survey.files.iter().filter(is_rules).filter(|it| !folders.contains(&folder(it))).map(String::as_str).collect();
    if others.is_empty() {
        return String::new();
    }
    let shown = others[..others.len().min(ELSEWHERE)].join(", ");
    let more = others.len().saturating_sub(ELSEWHERE);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("Read the rules of a folder before you work in it: {shown}{more}")
}
