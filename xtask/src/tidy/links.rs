//! Links between the project's own pages lead somewhere, and every page of the book is in its table of contents.
//!
//! Addresses outside the repository are not visited.

use anyhow::Result;

use super::{Breach, Rule};
use crate::workspace::Workspace;

pub const RULE: Rule =
    Rule { name: "links", why: "a page that links to nothing is worse than one that says nothing", check };

const SUMMARY: &str = "docs/src/SUMMARY.md";

fn check(workspace: &Workspace) -> Result<Vec<Breach>> {
    let mut breaches = Vec::new();
    let mut contents = Vec::new();
    for file in workspace.files.iter().filter(|file| is_page(&file.path)) {
        for (line, target) in links(&file.text) {
            let path = resolve(&file.path, target);
            if !workspace.has(&path) && !workspace.files.iter().any(|other| other.path.starts_with(&format!("{path}/")))
            {
                breaches.push(Breach::at(&file.path, line, format!("links to `{target}`, which is not there")));
            }
            if file.path == SUMMARY {
                contents.push(path);
            }
        }
    }
    for file in workspace.files.iter().filter(|file| file.path.starts_with("docs/src/") && file.path.ends_with(".md")) {
        if file.path != SUMMARY && !contents.contains(&file.path) {
            breaches.push(Breach::of(&file.path, format!("is not in {SUMMARY}")));
        }
    }
    Ok(breaches)
}

fn is_page(path: &str) -> bool {
    path.ends_with(".md") && (!path.contains('/') || path.starts_with("docs/"))
}

/// Relative targets of Markdown links with their lines, outside code blocks, without fragments.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        for (at, open) in line.match_indices("](").filter(|_| !in_code) {
            let target = line[at + open.len()..].split(')').next().unwrap_or_default();
            let target = target.split('#').next().unwrap_or_default();
            if !target.is_empty() && !target.contains(':') {
                found.push((number + 1, target));
            }
        }
    }
    found
}

/// The target's path from the root, seen from the page at `from`.
fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds() {
        super::super::assert_holds(&RULE);
    }

    #[test]
    fn dead_links_and_forgotten_pages_are_found() {
        let files = [
            ("README.md", "[a](docs/src/a.md#x) [web](https://example.com) [gone](b.md)\n```\n[x](y)\n```\n"),
            (SUMMARY, "- [a](a.md)\n"),
            ("docs/src/a.md", "[up](../../README.md)\n"),
            ("docs/src/c.md", "alone\n"),
        ];
        assert_eq!(
            super::super::breaches(&RULE, &files),
            ["README.md:1: links to `b.md`, which is not there", "docs/src/c.md: is not in docs/src/SUMMARY.md"]
        );
    }
}
