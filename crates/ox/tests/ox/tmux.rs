//! A conversation inside tmux: it types, asks, is pulled to another size, is left alone and taken up again.

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use crate::gate::LIMIT;
use crate::place::{OX, Place};
use crate::terminal::{Size, Terminal, forbidden};

/// The key that tmux takes for itself, and the one that leaves the session behind it.
const DETACH: &str = "\u{2}d";

/// The place with a server of its own; it ends with the test.
struct Tmux {
    place: Place,
}

impl Tmux {
    /// None where tmux is not installed, which the setup of the tests counts as missing.
    fn new() -> Option<Tmux> {
        if Command::new("tmux").arg("-V").output().is_err() {
            assert!(std::env::var_os("CI").is_none(), "tmux is not installed");
            return None;
        }
        Some(Tmux { place: Place::new() })
    }

    fn socket(&self) -> PathBuf {
        self.place.root().join("tmux")
    }

    /// A terminal that shows the session: its own, or a new one with this command in it.
    fn shows(&self, command: &[&str], size: Size) -> Terminal {
        let socket = self.socket().display().to_string();
        let all = [&["tmux", "-S", &socket, "-f", "/dev/null"], command].concat();
        Terminal::of_others(&self.place, &all, &[("LANG", "C.UTF-8")], size)
    }

    fn tells(&self, args: &[&str]) -> String {
        let mut command = self.place.program("tmux");
        let out = command.arg("-S").arg(self.socket()).args(args).output().unwrap();
        String::from_utf8(out.stdout).unwrap()
    }

    /// Everything that the pane has, lines that it wrapped itself joined again.
    fn history(&self) -> String {
        self.tells(&["capture-pane", "-p", "-J", "-S", "-", "-E", "-"])
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tells(&["kill-server"]);
    }
}

#[test]
fn a_conversation_inside_tmux_is_pulled_left_and_taken_up_again() {
    let Some(tmux) = Tmux::new() else { return };
    let paragraphs: Vec<String> = (0..30)
        .map(|it| {
            format!("Paragraph {it:02} is wider than the narrow window that it is shown in later, 汉字 too ({it:02}).")
        })
        .collect();
    let command = "-- model --\n@run_command\ncommand: echo hello > made.txt\n";
    let result = paragraphs.join("\n\n  ");
    let script = format!("{command}-- model --\n@attempt_completion\nresult: |\n  {result}\n");
    let model = tmux.place.script(&script);
    let mut first = tmux.shows(&["new-session", OX, "--model", &model], Size { columns: 80, rows: 24 });
    first.until("the prompt", |it| (it.caret().before == "›").then_some(()));
    let recorded = tmux.place.root().join("recorded");
    tmux.tells(&["pipe-pane", &format!("cat > {}", recorded.display())]);
    first.types("make a file\r");
    first.pictures(&["Run this command?", "y yes"]);
    first.types("y");
    first.pictures(&["(29).", "Done", "›"]);
    assert_eq!(tmux.place.read("made.txt"), "hello\n");

    first.types("draft 中");
    first.until("the draft", |it| (it.caret().before == "› draft 中").then_some(()));
    for (columns, rows) in [(50, 15), (120, 40), (60, 20)] {
        first.resizes(Size { columns, rows });
        // The row of tmux itself is below.
        first.until("the prompt at its new place", |it| {
            let (caret, screen) = (it.caret(), it.screen());
            let rule =
                screen[..caret.row].last().is_some_and(|it| it.chars().filter(|c| *c == '─').count() == columns - 1);
            (caret.before == "› draft 中" && rule).then_some(())
        });
    }
    first.types(DETACH);
    let seen = first.ends(0);
    assert!(seen.contains("[detached"), "{seen}");

    let mut second = tmux.shows(&["attach-session"], Size { columns: 90, rows: 30 });
    second.until("the draft", |it| (it.caret().before == "› draft 中").then_some(()));
    second.types(" more");
    second.until("more of it", |it| (it.caret().before == "› draft 中 more").then_some(()));
    let history = tmux.history();
    for text in &paragraphs {
        assert_eq!(squeezed(&history).matches(&squeezed(text)).count(), 1, "{text}\n{history}");
    }
    assert_eq!(history.matches("› draft").count(), 1, "{history}");
    second.types("\u{15}");
    second.until("an empty line", |it| (it.caret().before == "›").then_some(()));
    second.types("/exit\r");
    let seen = second.ends(0);
    assert!(seen.contains("[exited]"), "{seen}");
    let deadline = Instant::now() + LIMIT;
    while tmux.tells(&["list-sessions"]).contains("windows") {
        assert!(Instant::now() < deadline, "the session goes on");
    }
    assert_eq!(forbidden(&std::fs::read(recorded).unwrap()), None);
}

/// Without anything that depends on where a line is broken.
fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}
