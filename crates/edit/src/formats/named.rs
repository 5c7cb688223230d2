//! Which files a request names and what it does to each, read from its words alone. No file is looked at here.

use super::patch::{Action, FilePatch};
use super::request::Request;
use super::search_replace::parse_for_files;
use super::{unified, v4a};
use crate::refusal::Refusal;
use crate::text::document::to_lf;

/// What a request does to a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOperation {
    /// Takes its text for a copy and leaves it.
    Read,
    /// Makes it, as a new file or under a new name.
    Create,
    /// Changes it, or gives it another name.
    Change,
    /// Removes it.
    Remove,
}

/// A file that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// The ways to read its name, the likeliest first; where the file has to exist, the first that does is meant.
    pub readings: Vec<String>,
    /// What is done to it.
    pub does: FileOperation,
}

impl NamedFile {
    fn new(path: &str, does: FileOperation) -> Self {
        Self { readings: vec![path.to_owned()], does }
    }
}

impl Request<'_> {
    /// The files that the request names, in its order. A path given beside the text counts where the text names none.
    ///
    /// # Errors
    /// [`crate::Reason::Malformed`] if the text cannot be read.
    pub fn named(&self) -> Result<Vec<NamedFile>, Refusal> {
        let (path, patches) = match self {
            Self::Blocks { path, .. } | Self::LineRange { path, .. } | Self::WholeFile { path, .. } => {
                return Ok(vec![NamedFile::new(path, FileOperation::Change)]);
            }
            Self::SearchReplace { path, text } => {
                let (_, names) = parse_for_files(text)?;
                let names = names.iter().flatten().map(String::as_str);
                return Ok(path
                    .iter()
                    .copied()
                    .chain(names)
                    .map(|it| NamedFile::new(it, FileOperation::Change))
                    .collect());
            }
            Self::UnifiedDiff { path, text } => {
                let text = to_lf(text);
                (*path, unified::parse(&text).map(|it| of_patches(&it, *path)))
            }
            Self::V4a { text } => {
                let text = to_lf(text);
                (None, v4a::parse(&text).map(|it| of_patches(&it, None)))
            }
        };
        patches.map_err(|refusal| refusal.of(self.format(), path.unwrap_or_default()))
    }
}

fn of_patches(patches: &[FilePatch<'_>], default: Option<&str>) -> Vec<NamedFile> {
    let mut all = Vec::new();
    for patch in patches {
        let does = match patch.action {
            Action::Add(_) => FileOperation::Create,
            Action::Update => FileOperation::Change,
            Action::Delete => FileOperation::Remove,
            Action::Copy => FileOperation::Read,
        };
        match (patch.readings.is_empty(), default) {
            (true, Some(path)) => all.push(NamedFile::new(path, does)),
            (true, None) => {}
            (false, _) => all.push(NamedFile { readings: patch.readings.clone(), does }),
        }
        all.extend(patch.to.as_deref().map(|to| NamedFile::new(to, FileOperation::Create)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LineRange, detect};

    fn named(text: &str, path: Option<&str>) -> String {
        let request = Request::of_text(detect(text), path, text).unwrap();
        let one = |it: &NamedFile| format!("{:?} {}", it.does, it.readings.join("|"));
        request.named().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_request_tells_what_it_does_to_which_file() {
        let v4a = "*** Begin Patch\n*** Add File: n.rs\n+x\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Delete File: d.rs\n*** End Patch\n";
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+x\n--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
        let cases = [
            (v4a.to_owned(), None, "Create n.rs, Change a.rs, Create b.rs, Remove d.rs"),
            (diff.to_owned(), None, "Change x.rs|b/x.rs|a/x.rs, Create new.rs|b/new.rs, Remove old.rs|a/old.rs"),
            ("@@ -1 +1 @@\n-x\n+y\n".to_owned(), Some("p.rs"), "Change p.rs"),
            ("@@ -1 +1 @@\n-x\n+y\n".to_owned(), None, ""),
            (
                "diff --git a/a.rs b/b.rs\nrename from a.rs\nrename to b.rs\n".to_owned(),
                None,
                "Change a.rs, Create b.rs",
            ),
            (format!("src/a.rs\n{block}src/b.rs\n{block}"), None, "Change src/a.rs, Change src/b.rs"),
            (block.to_owned(), Some("p.rs"), "Change p.rs"),
        ];
        for (text, path, expected) in cases {
            assert_eq!(named(&text, path), expected, "{text}");
        }
        let ranges = [LineRange { from: 1, to: 1, new: String::new(), old: None }];
        let named = Request::LineRange { path: "a", ranges: &ranges }.named().unwrap();
        assert_eq!(named, [NamedFile::new("a", FileOperation::Change)]);
    }
}
