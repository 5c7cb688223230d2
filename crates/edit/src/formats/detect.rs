//! Telling a format by its look: the first line that only one format has decides, so that an edit of a page about
//! another format is not mistaken for that format.

use super::search_replace::opens_block;
use crate::format::Format;

/// The format a text is written in. What has the marks of none is taken for the text of a whole file.
pub fn detect(text: &str) -> Format {
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed == "*** Begin Patch" || super::v4a::is_section(trimmed) {
            return Format::V4a;
        }
        if opens_block(line) {
            return Format::SearchReplace;
        }
        let next = lines.peek().copied().unwrap_or_default();
        let header = line.starts_with("--- ") && next.starts_with("+++ ");
        if header || line.starts_with("diff --git ") || is_hunk_header(line, next) {
            return Format::UnifiedDiff;
        }
    }
    Format::WholeFile
}

/// A line `@@` with numbers or dots, above a line of a hunk.
fn is_hunk_header(line: &str, next: &str) -> bool {
    let Some(rest) = line.strip_prefix("@@ ") else {
        return line.trim_end() == "@@" && next.starts_with([' ', '+', '-']);
    };
    let numbers = rest.starts_with('-') && rest.contains(" +");
    (numbers || rest.starts_with("...") || rest.trim_end().ends_with("@@"))
        && (next.is_empty() || next.starts_with([' ', '+', '-', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_telling_line_decides() {
        let cases = [
            ("*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n", Format::V4a),
            ("*** Update File: a\n@@\n-x\n+y\n", Format::V4a),
            ("a.rs\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", Format::SearchReplace),
            ("Here it is:\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n```\n", Format::UnifiedDiff),
            ("diff --git a/x b/x\ndeleted file mode 100644\n", Format::UnifiedDiff),
            ("@@ ... @@\n-x\n+y\n", Format::UnifiedDiff),
            ("--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n x\n+*** Begin Patch\n", Format::UnifiedDiff),
            ("fn main() {}\n", Format::WholeFile),
            ("---\ntitle: x\n---\n", Format::WholeFile),
            ("", Format::WholeFile),
        ];
        for (text, expected) in cases {
            assert_eq!(detect(text), expected, "{text:?}");
        }
    }
}
