//! What the tools are handed of the index of the project's code, and what the index is told of their edits.

use std::sync::Arc;
use std::time::Duration;

use ox_index::Change;
use ox_protocol::{ChangeKind, Outcome};
use ox_tools::CodeIndex;

use crate::project_index::ProjectIndex;

/// How long a tool waits for the vector of a question.
const PATIENCE: Duration = Duration::from_secs(3);

/// The index for tools: they ask it, and have it look at the tree again before they do.
pub fn of(index: &ProjectIndex) -> CodeIndex {
    let (now, files, tree, meaning) = (index.clone(), index.clone(), index.clone(), index.clone());
    CodeIndex {
        snapshot: Arc::new(move || now.snapshot()),
        read: Arc::new(move |path| files.read(path)),
        // Without vectors there are the words.
        similar: Arc::new(move |text, limit| meaning.similar(text, limit, PATIENCE).unwrap_or_default()),
        // A refresh that fails leaves what was known before.
        refresh: Arc::new(move || drop(tree.refresh(false, &|_| {}))),
    }
}

/// Tells the index what a call has changed, so that whoever asks next is answered by the files as they are. What is new is
/// left to the next look at the tree, whose ignore rules decide whether it counts. It parses the files: not for a thread of
/// an async runtime.
pub(crate) fn tell(index: &ProjectIndex, outcome: &Outcome) {
    let snapshot = index.snapshot();
    let change = |path: &str, kind| Change { path: path.to_owned(), kind, from: None };
    let mut changes = Vec::new();
    for it in &outcome.changed {
        let left = it.from.as_deref().map(|from| change(from, ChangeKind::Deleted));
        let kind = if it.kind == ChangeKind::Deleted { ChangeKind::Deleted } else { ChangeKind::Modified };
        changes.extend(left.into_iter().chain([change(&it.path, kind)]).filter(|it| snapshot.has(&it.path)));
    }
    if !changes.is_empty() {
        // What fails here is found by the next look at the tree.
        drop(index.changed(&changes));
    }
}

#[cfg(test)]
mod tests {
    use ox_index::How;
    use ox_protocol::FileChange;
    use ox_repo::Tree;

    use super::*;

    #[test]
    fn an_edit_is_known_at_once_and_what_is_new_is_left_to_the_rules() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("project");
        std::fs::create_dir(&root).unwrap();
        let write = |path: &str, text: &str| std::fs::write(root.join(path), text).unwrap();
        write(".gitignore", "built.rs\n");
        write("a.rs", "fn old_name() {}\n");
        write("b.rs", "fn gone() {}\n");
        write("c.rs", "fn moved() {}\n");
        let tree = Tree::open(&root, &[]).unwrap();
        let index = ProjectIndex::open(&tree, &folder.path().join("cache"), Arc::new(ox_sandbox::Plain)).unwrap();
        index.refresh(false, &|_| {}).unwrap();
        write("a.rs", "fn new_name() {}\n");
        write("built.rs", "fn built() {}\n");
        std::fs::remove_file(root.join("b.rs")).unwrap();
        std::fs::rename(root.join("c.rs"), root.join("d.rs")).unwrap();
        let change = |path: &str, kind, from: Option<&str>| FileChange {
            path: path.to_owned(),
            kind,
            from: from.map(str::to_owned),
            why: None,
            diff: String::new(),
            added: 0,
            removed: 0,
        };
        let changed = vec![
            change("a.rs", ChangeKind::Modified, None),
            change("built.rs", ChangeKind::Created, None),
            change("b.rs", ChangeKind::Deleted, None),
            change("d.rs", ChangeKind::Renamed, Some("c.rs")),
        ];
        tell(&index, &Outcome { changed, ..Outcome::default() });
        let found = |name: &str| index.snapshot().defined(name, How::Exact, 9).len();
        let names = ["new_name", "old_name", "gone", "built", "moved"];
        assert_eq!(names.map(found), [1, 0, 0, 0, 0]);
        index.refresh(false, &|_| {}).unwrap();
        assert_eq!(names.map(found), [1, 0, 0, 0, 1]);
    }
}
