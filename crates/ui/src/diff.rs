//! Unified diffs with colours.

use crate::text::{Line, Role, visible};

/// The role of one line of a unified diff.
pub fn role(line: &str) -> Role {
    match line.as_bytes().first() {
        _ if line.starts_with("+++") || line.starts_with("---") => Role::Dim,
        Some(b'+') => Role::Added,
        Some(b'-') => Role::Removed,
        Some(b'@') => Role::Hunk,
        _ => Role::Dim,
    }
}

/// A diff as lines, at most `limit` of them; the second value is the number left out.
pub fn lines(diff: &str, limit: usize) -> (Vec<Line>, usize) {
    let diff = visible(diff);
    let body: Vec<&str> = diff.lines().filter(|line| !is_file_header(line)).collect();
    let shown = body.iter().take(limit).map(|line| Line::of(line, role(line)).indented(4, 2)).collect();
    (shown, body.len().saturating_sub(limit))
}

/// The 1-based line where the first hunk begins in the new file.
pub fn first_line(diff: &str) -> Option<u64> {
    let hunk = diff.lines().find(|line| line.starts_with("@@"))?;
    let plus = hunk.split('+').nth(1)?;
    let digits: String = plus.chars().take_while(char::is_ascii_digit).collect();
    let start: u64 = digits.parse().ok()?;
    // The hunk begins with context; the change itself is what the reader looks for.
    let context = diff.lines().skip_while(|line| !line.starts_with("@@")).skip(1);
    Some(start + context.take_while(|line| line.starts_with(' ')).count() as u64)
}

/// The path is on the tool line already.
fn is_file_header(line: &str) -> bool {
    line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff --git") || line.starts_with("index ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x.rs\n+++ b/x.rs\n@@ -10,4 +10,4 @@\n one\n two\n-three\n+drei\n four\n";

    #[test]
    fn headers_go_and_the_rest_keeps_its_marks() {
        let (shown, left) = lines(DIFF, 4);
        let roles: Vec<Role> = shown.iter().map(|line| line.spans[0].role).collect();
        assert_eq!(roles, [Role::Hunk, Role::Dim, Role::Dim, Role::Removed]);
        assert_eq!(left, 2);
        assert_eq!(shown[3].text(), "    -three");
    }

    #[test]
    fn the_first_changed_line_is_found() {
        assert_eq!(first_line(DIFF), Some(12));
        assert_eq!(first_line("@@ -0,0 +1 @@\n+new\n"), Some(1));
        assert_eq!(first_line(""), None);
    }
}
