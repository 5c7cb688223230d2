//! Which files a request names and what it does to each, read from its words alone. No file is looked at here.

use super::patch::{Action, FilePatch};
use super::{Request, unified, v4a};
use crate::document::to_lf;
use crate::markers::parse_for_files;
use crate::refusal::Refusal;

/// What a request does to a file that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Does {
    /// Takes its text for a copy and leaves it.
    Reads,
    /// Makes it, as a new file or under a new name.
    Makes,
    /// Changes it, or gives it another name.
    Changes,
    /// Removes it.
    Removes,
}

/// A file that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The ways to read its name, the likeliest first; where the file has to exist, the first that does is meant.
    pub readings: Vec<String>,
    /// What is done to it.
    pub does: Does,
}

impl Named {
    fn new(path: &str, does: Does) -> Self {
        Self { readings: vec![path.to_owned()], does }
    }
}

impl Request<'_> {
    /// The files that the request names, in its order. A path given beside the text counts where the text names none.
    ///
    /// # Errors
    /// [`crate::Reason::Malformed`] if the text cannot be read.
    pub fn named(&self) -> Result<Vec<Named>, Refusal> {
        let (path, patches) = match self {
            Self::Blocks { path, .. } | Self::LineRange { path, .. } | Self::WholeFile { path, .. } => {
                return Ok(vec![Named::new(path, Does::Changes)]);
            }
            Self::SearchReplace { path, text } => {
                let (_, names) = parse_for_files(text)?;
                let names = names.iter().flatten().map(String::as_str);
                return Ok(path.iter().copied().chain(names).map(|it| Named::new(it, Does::Changes)).collect());
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

fn of_patches(patches: &[FilePatch<'_>], default: Option<&str>) -> Vec<Named> {
    let mut all = Vec::new();
    for patch in patches {
        let does = match patch.action {
            Action::Add(_) => Does::Makes,
            Action::Update => Does::Changes,
            Action::Delete => Does::Removes,
            Action::Copy => Does::Reads,
        };
        match (patch.readings.is_empty(), default) {
            (true, Some(path)) => all.push(Named::new(path, does)),
            (true, None) => {}
            (false, _) => all.push(Named { readings: patch.readings.clone(), does }),
        }
        all.extend(patch.to.as_deref().map(|to| Named::new(to, Does::Makes)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LineRange, detect};

    fn named(text: &str, path: Option<&str>) -> String {
        let request = Request::of_text(detect(text), path, text).unwrap();
        let one = |it: &Named| format!("{:?} {}", it.does, it.readings.join("|"));
        request.named().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_request_tells_what_it_does_to_which_file() {
        let v4a = "*** Begin Patch\n*** Add File: n.rs\n+x\n*** Update File: a.rs\n*** Move to: b.rs\n@@\n-x\n+y\n*** Delete File: d.rs\n*** End Patch\n";
        let diff = "--- a/x.rs\n+++ b/x.rs\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+x\n--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
        let block = "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n";
        let cases = [
            (v4a.to_owned(), None, "Makes n.rs, Changes a.rs, Makes b.rs, Removes d.rs"),
            (diff.to_owned(), None, "Changes x.rs|b/x.rs|a/x.rs, Makes new.rs|b/new.rs, Removes old.rs|a/old.rs"),
            ("@@ -1 +1 @@\n-x\n+y\n".to_owned(), Some("p.rs"), "Changes p.rs"),
            ("@@ -1 +1 @@\n-x\n+y\n".to_owned(), None, ""),
            (
                "diff --git a/a.rs b/b.rs\nrename from a.rs\nrename to b.rs\n".to_owned(),
                None,
                "Changes a.rs, Makes b.rs",
            ),
            (format!("src/a.rs\n{block}src/b.rs\n{block}"), None, "Changes src/a.rs, Changes src/b.rs"),
            (block.to_owned(), Some("p.rs"), "Changes p.rs"),
        ];
        for (text, path, expected) in cases {
            assert_eq!(named(&text, path), expected, "{text}");
        }
        let ranges = [LineRange { from: 1, to: 1, new: String::new(), old: None }];
        let named = Request::LineRange { path: "a", ranges: &ranges }.named().unwrap();
        assert_eq!(named, [Named::new("a", Does::Changes)]);
    }
}
