//! What a command did to the tree, for the user file by file and for the model in a few words.
//!
//! The two looks at the tree know names and sizes only. Lines are counted where the model's own last_seen about a file, or the
//! smallness of a new one, makes that cheap.

use std::collections::BTreeMap;

use ox_protocol::{ChangeKind, FileChange};
use ox_repo::{Snapshot, Stat};

use crate::call::context::CallContext;
use crate::edit::change::{FILES, bare, counted, modified};
use crate::text::{count, name};

/// Files whose lines are counted.
const COUNTED: usize = 20;
/// Bytes of a file whose lines are counted.
const SMALL: u64 = 256 << 10;
/// Files that are named one by one.
const NAMED: usize = 6;

/// What is different after a command, sorted by path. A file that kept its inode, size and time has only moved.
pub(crate) fn between(cx: &CallContext, before: &Snapshot, after: &Snapshot) -> Vec<FileChange> {
    let mut changes = before.diff(after);
    unchanged(cx, before, after, &mut changes);
    let by_inode: BTreeMap<u64, (&str, &Stat)> =
        before.files().iter().map(|(path, stat)| (stat.inode, (path.as_str(), stat))).collect();
    let gone = |path: &str| {
        changes.binary_search_by(|it| it.0.as_str().cmp(path)).is_ok_and(|at| changes[at].1 == ChangeKind::Deleted)
    };
    let moved: BTreeMap<&str, &str> = changes
        .iter()
        .filter(|it| it.1 == ChangeKind::Created)
        .filter_map(|(path, _)| {
            let at = after.files().binary_search_by(|it| it.0.cmp(path)).ok()?;
            let stat = &after.files()[at].1;
            let (from, old) = by_inode.get(&stat.inode)?;
            (*old == stat && gone(from)).then_some((path.as_str(), *from))
        })
        .collect();
    let left: Vec<&str> = moved.values().copied().collect();
    let rest = changes.iter().filter(|(path, _)| !left.contains(&path.as_str()));
    rest.take(FILES)
        .enumerate()
        .map(|(at, (path, kind))| match moved.get(path.as_str()) {
            Some(from) => FileChange { from: Some((*from).to_string()), ..bare(path, ChangeKind::Renamed) },
            None if at < COUNTED => looked_at(cx, path, *kind),
            None => bare(path, *kind),
        })
        .collect()
}

/// Takes out what was only touched: the bytes are those of the state that was kept before the command.
fn unchanged(cx: &CallContext, before: &Snapshot, after: &Snapshot, changes: &mut Vec<(String, ChangeKind)>) {
    let stat = |of: &Snapshot, path: &str| {
        let at = of.files().binary_search_by(|it| it.0.as_str().cmp(path)).ok()?;
        Some((of.files()[at].1.size, of.files()[at].1.mode))
    };
    let alike = |path: &str| stat(before, path).is_some_and(|it| it.0 <= SMALL && stat(after, path) == Some(it));
    let is_alike = |it: &(String, ChangeKind)| it.1 == ChangeKind::Modified && alike(&it.0);
    if changes.len() > FILES || !changes.iter().any(is_alike) {
        return;
    }
    let Some(past) = &cx.past else { return };
    let Some(kept) = past.checkpoints.list().ok().and_then(|mut it| it.pop()) else { return };
    let same = |path: &str| {
        // A pipe that became of a file would be waited for by a plain read.
        let now = cx.tree.read_bytes(path, SMALL).ok();
        now.is_some() && past.checkpoints.content(&kept.id, path).ok().flatten() == now
    };
    changes.retain(|it| !is_alike(it) || !same(&it.0));
}

/// With lines, as far as the model has read the file or it is new.
fn looked_at(cx: &CallContext, path: &str, kind: ChangeKind) -> FileChange {
    let text = |path: &str| cx.tree.read(path).ok().filter(|it| it.size <= SMALL).map(|it| it.text);
    match kind {
        ChangeKind::Created => {
            let lines = text(path).map_or(0, |it| it.lines().count());
            FileChange { added: counted(lines), ..bare(path, kind) }
        }
        ChangeKind::Modified => match (cx.reads.last_seen(path), text(path)) {
            (Some(old), Some(new)) => modified(path, &old, &new, None),
            _ => bare(path, kind),
        },
        ChangeKind::Deleted | ChangeKind::Renamed => bare(path, kind),
    }
}

/// What changed, in a few words; none where nothing did.
pub(crate) fn words(changes: &[FileChange]) -> Option<String> {
    let kinds = [
        (ChangeKind::Modified, "modified"),
        (ChangeKind::Created, "created"),
        (ChangeKind::Renamed, "renamed"),
        (ChangeKind::Deleted, "deleted"),
    ];
    let parts: Vec<String> = kinds
        .iter()
        .filter_map(|(kind, verb)| {
            let of: Vec<&FileChange> = changes.iter().filter(|it| it.kind == *kind).collect();
            // Few in all are named each; of many, each kind that has few.
            let few = changes.len() <= NAMED || of.len() <= NAMED / 3;
            let what = match (of.is_empty(), few) {
                (true, _) => return None,
                (_, true) => of.iter().map(|it| one(it)).collect::<Vec<_>>().join(", "),
                (_, false) => many(&of),
            };
            Some(format!("{verb} {what}"))
        })
        .collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn one(change: &FileChange) -> String {
    let lines = match (change.added, change.removed) {
        (0, 0) => String::new(),
        (added, 0) => format!(" (+{added})"),
        (added, removed) => format!(" (+{added} -{removed})"),
    };
    let from = change.from.as_deref().map(|it| format!("{} → ", name(it))).unwrap_or_default();
    format!("{from}{}{lines}", name(&change.path))
}

/// `12 files under src/`, or by folder where they have none in common.
fn many(changes: &[&FileChange]) -> String {
    let more = if changes.len() == FILES { "at least " } else { "" };
    let files = count(changes.len(), "file");
    let common = changes.iter().skip(1).fold(folder(&changes[0].path), |common, it| shared(common, folder(&it.path)));
    if !common.is_empty() {
        return format!("{more}{files} under {}", name(common));
    }
    let mut tops: BTreeMap<&str, usize> = BTreeMap::new();
    for change in changes {
        let top = change.path.split_inclusive('/').next().filter(|it| it.ends_with('/')).unwrap_or("the root");
        *tops.entry(top).or_default() += 1;
    }
    let mut tops: Vec<(&str, usize)> = tops.into_iter().collect();
    tops.sort_by_key(|it| std::cmp::Reverse(it.1));
    let hidden = if tops.len() > 3 { ", …" } else { "" };
    let shown: Vec<String> = tops.iter().take(3).map(|(top, all)| format!("{all} in {}", name(top))).collect();
    format!("{more}{files} ({}{hidden})", shown.join(", "))
}

/// Everything up to the last `/`, with it.
fn folder(path: &str) -> &str {
    path.rfind('/').map_or("", |end| &path[..=end])
}

/// The folder that two folders lie in.
fn shared<'a>(a: &'a str, b: &str) -> &'a str {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let end = a.as_bytes()[..same].iter().rposition(|it| *it == b'/').map_or(0, |it| it + 1);
    &a[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn change(text: &str) -> FileChange {
        let (kind, path) = text.split_once(' ').unwrap();
        let kind = match kind {
            "M" => ChangeKind::Modified,
            "A" => ChangeKind::Created,
            "D" => ChangeKind::Deleted,
            _ => ChangeKind::Renamed,
        };
        bare(path, kind)
    }

    #[test]
    fn few_files_are_named_and_many_are_counted() {
        let of = |kind: &str, count: usize, folder: &str| -> Vec<String> {
            (0..count).map(|it| format!("{kind} {folder}{it}.rs")).collect()
        };
        let cases: Vec<Vec<String>> = vec![
            vec![],
            vec!["M a.rs".into(), "A b\n.rs".into(), "D c/d.rs".into()],
            of("D", 12, "src/deep/"),
            [of("D", 9, "src/a/"), of("D", 3, "src/b/"), of("D", 1, "src/abc/")].concat(),
            [of("M", 7, "src/"), of("M", 2, "docs/"), of("M", 2, ""), of("M", 1, "x/y/"), of("A", 2, "out/")].concat(),
            of("A", FILES, "node_modules/"),
        ];
        let story: Vec<String> = cases
            .iter()
            .map(|case| {
                let changes: Vec<FileChange> = case.iter().map(|it| change(it)).collect();
                words(&changes).unwrap_or_else(|| "-".into())
            })
            .collect();
        expect![[r#"
            -
            modified a.rs; created "b\n.rs"; deleted c/d.rs
            deleted 12 files under src/deep/
            deleted 13 files under src/
            modified 12 files (7 in src/, 2 in docs/, 2 in the root, …); created out/0.rs, out/1.rs
            created at least 500 files under node_modules/"#]]
        .assert_eq(&story.join("\n"));
    }

    #[test]
    fn a_folder_in_common_ends_at_a_slash() {
        for (a, b, common) in [
            ("src/ab/", "src/ac/", "src/"),
            ("a/", "ab/", ""),
            ("", "x/", ""),
            ("a/b/", "a/b/c/", "a/b/"),
            ("é/", "è/", ""),
        ] {
            assert_eq!(shared(a, b), common, "{a} {b}");
        }
    }
}
