//! What a program may never write to a terminal of its user.

/// The first thing in this stream that takes something away from the user; none in a good one.
pub fn forbidden(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    // Between the two escapes of a synchronized update nothing is seen, so a clear in it is none for the eye.
    let mut is_hidden = false;
    for sequence in text.split('\u{1b}').skip(1) {
        let why = match sequence {
            it if it.starts_with("[?2026h") => {
                is_hidden = true;
                continue;
            }
            it if it.starts_with("[?2026l") => {
                is_hidden = false;
                continue;
            }
            it if it.starts_with("[3J") => "deletes the scrollback",
            it if it.starts_with("[1;0r") => "sets a scroll region that some terminals take for none",
            it if it.starts_with('c') => "resets the terminal",
            it if it.starts_with("[2J") && !is_hidden => "clears the screen where that can be seen",
            _ => continue,
        };
        let shown: String = sequence.chars().take(24).collect();
        return Some(format!("`ESC {shown}` {why}"));
    }
    None
}

#[test]
fn what_takes_something_away_is_found() {
    for (bytes, is_found) in [
        ("plain \u{1b}[K\u{1b}[J\u{1b}[1;24r", false),
        ("\u{1b}[?2026h\u{1b}[H\u{1b}[2J\u{1b}[?2026l", false),
        ("\u{1b}[?2026h\u{1b}[?2026l\u{1b}[2J", true),
        ("\u{1b}[2J", true),
        ("\u{1b}[?2026h\u{1b}[3J\u{1b}[?2026l", true),
        ("a\u{1b}[1;0rb", true),
        ("\u{1b}c", true),
        ("\u{1b}[1;1Rc", false),
    ] {
        assert_eq!(forbidden(bytes.as_bytes()).is_some(), is_found, "{bytes:?}");
    }
}
