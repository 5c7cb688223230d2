//! A reply while it streams in: the caret of an input method, and a window that is pulled meanwhile.

use crate::piecewise::Piecewise;
use crate::place::Place;
use crate::terminal::{Size, Terminal};

/// What a terminal says when another window gets the keyboard: nothing is animated from then on.
const UNFOCUSED: &str = "\u{1b}[O";

fn opened(place: &Place, model: &Piecewise, size: Size) -> Terminal {
    let flags = model.flags();
    let args: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut terminal = Terminal::sized(place, &args, &[model.key()], size);
    terminal.until("the prompt", |it| (it.caret().before == "›").then_some(()));
    terminal.types("tell me\r");
    terminal
}

#[test]
fn the_caret_stays_where_one_types_while_a_reply_streams() {
    let pieces: Vec<String> = [
        "Several ",
        "words.\n\n",
        "| a | b |\n|---|---|\n",
        "| one | 二 |\n",
        "| three | four |\n\n",
        "- item\n",
        "- item again\n\n",
        "```rust\nfn a() {}\n",
        "```\n\n",
        "The last.",
    ]
    .map(String::from)
    .to_vec();
    let seen = ["Several", "words.", "a ", "one", "three", "• item", "again", "fn a() {}", "fn a() {}", "The last."];
    let (place, model) = (Place::new(), Piecewise::new(&pieces));
    let mut terminal = opened(&place, &model, Size { columns: 80, rows: 24 });
    terminal.until("the turn", |it| it.screen().iter().any(|row| row.contains("Esc stops")).then_some(()));
    terminal.types("draft 中文");
    let draft = "› draft 中文";
    let from = terminal.until("the draft", |it| (it.caret().before == draft).then(|| it.carets().len()));
    for text in seen {
        model.sends();
        terminal.until(text, |it| it.screen().iter().any(|row| row.contains(text)).then_some(()));
    }
    terminal.until("the end", |it| (!it.screen().iter().any(|row| row.contains("Esc stops"))).then_some(()));
    terminal.pictures(&[draft]);
    let (all, column) = terminal.now(|it| (it.carets()[from..].to_vec(), it.caret().column));
    assert_eq!(column, 2 + 6 + 4);
    assert!(all.len() >= seen.len() - 1, "{} frames", all.len());
    for caret in all {
        assert!(caret.is_visible && caret.before == draft, "{caret:?}");
    }
    terminal.types("\u{15}");
    terminal.until("an empty line", |it| (it.caret().before == "›").then_some(()));
    terminal.leaves();
}

#[test]
fn the_first_key_after_the_window_was_pulled_counts() {
    let (place, model) = (Place::new(), Piecewise::new(&[]));
    let mut terminal = opened(&place, &model, Size { columns: 80, rows: 24 });
    terminal.pictures(&["empty"]);
    for columns in [60, 100] {
        let frames = terminal.now(|it| it.carets().len());
        terminal.resizes(Size { columns, rows: 24 });
        terminal.until("a frame of the new size", |it| (it.carets().len() > frames).then_some(()));
        terminal.types("x");
        terminal.until("the key", |it| (it.caret().before == "› x").then_some(()));
        terminal.types("\u{7f}");
        terminal.until("the next key", |it| (it.caret().before == "›").then_some(()));
    }
    terminal.leaves();
}

/// A paragraph that is wider than every size of these tests.
fn paragraph(number: usize) -> String {
    let tail = "of the reply is longer than the narrow screen and than the usual one, and 汉字 are in it too, so that it is \
                wrapped at each of the three sizes";
    format!("Paragraph {number:03} {tail}; it ends here ({number:03}).\n\n")
}

#[test]
fn a_window_that_is_pulled_while_a_reply_streams_loses_and_doubles_nothing() {
    const COUNT: usize = 45;
    let mut pieces: Vec<String> = Vec::new();
    for number in 0..COUNT {
        // Each is cut in its middle, so that an unfinished line stands on the screen whenever the size changes.
        let text = paragraph(number);
        let half = text.find("usual").unwrap();
        pieces.extend([text[..half].to_string(), text[half..].to_string()]);
    }
    let (place, model) = (Place::new(), Piecewise::new(&pieces));
    let mut terminal = opened(&place, &model, Size { columns: 80, rows: 24 });
    terminal.types(UNFOCUSED);
    terminal.types("draft");
    let sizes = [(50, 15), (120, 40), (80, 24), (50, 24), (80, 15)];
    let mut sizes = sizes.iter();
    for number in 0..COUNT {
        model.sends();
        let begun = format!("Paragraph {number:03}");
        terminal.until(&begun, |it| it.screen().iter().any(|row| row.contains(&begun)).then_some(()));
        if number % 8 == 7
            && let Some((columns, rows)) = sizes.next()
        {
            let frames = terminal.now(|it| it.carets().len());
            terminal.resizes(Size { columns: *columns, rows: *rows });
            terminal.until("a frame of the new size", |it| (it.carets().len() > frames).then_some(()));
        }
        model.sends();
        let ended = format!("({number:03}).");
        terminal.until(&ended, |it| it.screen().iter().any(|row| row.contains(&ended)).then_some(()));
    }
    terminal.until("the end", |it| (!it.screen().iter().any(|row| row.contains("Esc stops"))).then_some(()));
    terminal.pictures(&["› draft"]);
    let (lines, picture) = terminal.now(|it| (it.lines(), it.picture()));
    let text = lines.join(" ");
    let squeezed: String = text.split_whitespace().collect();
    for number in 0..COUNT {
        let whole: String = paragraph(number).split_whitespace().collect();
        assert_eq!(squeezed.matches(&whole).count(), 1, "{number}\n{picture}");
        assert_eq!(text.matches(&format!("Paragraph {number:03}")).count(), 1, "{number}\n{picture}");
    }
    // Of what is redrawn in place nothing has become a part of what scrolled off.
    assert_eq!(text.matches("› draft").count(), 1, "{picture}");
    assert_eq!(lines.iter().filter(|it| it.starts_with("────")).count(), 1, "{picture}");
    terminal.types("\u{15}");
    terminal.until("an empty line", |it| (it.caret().before == "›").then_some(()));
    terminal.leaves();
}
