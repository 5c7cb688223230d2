//! Scripts of the world in replies and where one types, and the caret: an input method draws its window there.

use crate::place::Place;
use crate::terminal::{Caret, Emulator, Size, Terminal};

/// What is typed, and the columns that it takes behind the sign of the composer.
const TYPED: [(&str, usize); 9] = [
    ("plain", 5),
    ("中文输入", 8),
    ("日本語ｶﾅ", 8),
    ("한국어", 6),
    ("e\u{301}a\u{308}", 2),
    ("👍🏽", 2),
    ("👩\u{200d}💻", 2),
    ("🇨🇭", 2),
    ("שלום", 4),
];

/// Columns of `› `.
const SIGN: usize = 2;

fn chat(place: &Place, replies: &[&str], size: Size) -> Terminal {
    let script: String = replies.iter().map(|it| format!("-- model --\n{it}\n")).collect();
    let model = place.script(&script);
    let terminal = Terminal::sized(place, &["--mode", "chat", "--model", &model], &[], size);
    terminal.until("the prompt", |it| (it.caret().before == "›").then_some(()));
    terminal
}

/// The caret once so many columns were typed.
#[track_caller]
fn caret_behind(terminal: &Terminal, columns: usize) -> Caret {
    terminal.until(&format!("a caret behind {columns} columns"), |it| {
        let caret = it.caret();
        (caret.is_visible && caret.column == SIGN + columns && it.screen()[caret.row].starts_with('›')).then_some(caret)
    })
}

#[test]
fn the_caret_stands_behind_what_was_typed_in_every_script() {
    let place = Place::new();
    let mut terminal = chat(&place, &["Not asked for."], Size { columns: 80, rows: 24 });
    for (text, columns) in TYPED {
        terminal.types(text);
        caret_behind(&terminal, columns);
        // Back over all of it: a character that a person sees is one step and is deleted as one.
        terminal.types("\u{1}");
        caret_behind(&terminal, 0);
        terminal.types("\u{5}");
        caret_behind(&terminal, columns);
        terminal.types("\u{15}");
        caret_behind(&terminal, 0);
    }
    terminal.leaves();
}

#[test]
fn a_wide_character_is_not_halved_at_the_edge_and_the_caret_goes_to_the_next_row() {
    let place = Place::new();
    let mut terminal = chat(&place, &["Not asked for."], Size { columns: 50, rows: 15 });
    let text = "汉".repeat(30);
    terminal.types(&text);
    let (rows, caret) = terminal.until("two rows of it", |it| {
        let rows: Vec<String> = it.screen().into_iter().filter(|row| row.contains('汉')).collect();
        (rows.concat().matches('汉').count() == 30).then(|| (rows, it.caret()))
    });
    assert_eq!(rows.len(), 2, "{rows:?}");
    let in_second = rows[1].matches('汉').count();
    assert_eq!(caret.column, SIGN + 2 * in_second);
    terminal.types("\u{15}");
    terminal.leaves();
}

#[test]
fn replies_in_every_script_come_whole_and_fit_the_screen() {
    let lines = [
        "中文的一行，没有空格，所以只能在字与字之间换行，而且不能把一个字分成两半，也不能丢掉一个字。",
        "日本語の行には空白がないので、文字と文字の間で折り返す必要があり、句読点も失われてはならない。",
        "한국어 문장은 띄어쓰기가 있어서 낱말 사이에서 줄이 바뀌고 글자가 사라지면 안 된다.",
        "שורה בעברית שנכתבת מימין לשמאל ונשמרת כמו שנכתבה, בלי סימנים נסתרים",
        "سطر بالعربية يكتب من اليمين إلى اليسار ويبقى كما كتب",
        "emoji 👩\u{200d}💻 👍🏽 🇨🇭 ✅ end",
    ];
    for columns in [50, 80, 120] {
        let place = Place::new();
        let mut terminal = chat(&place, &[&lines.join("\n\n")], Size { columns, rows: 40 });
        terminal.types("say it\r");
        let (all, widest) = terminal.until("the reply", |it| {
            let rows = [it.scrollback(), it.screen()].concat();
            let shown = |text: &str| rows.iter().any(|row| row.contains(text));
            let is_over = shown("end") && shown("Describe a task");
            is_over.then(|| (rows.concat().replace(' ', ""), widest(it)))
        });
        for line in lines {
            assert!(all.contains(&line.replace(' ', "")), "{columns} columns: {line}\n{all}");
        }
        assert!(widest < columns, "{widest} of {columns} columns are written to");
        terminal.leaves();
    }
}

/// The last column in which anything stands, counted from 1.
fn widest(emulator: &Emulator) -> usize {
    let row = |it: i32| emulator.cells(it).iter().rposition(|cell| cell.c != ' ' || !cell.flags.is_empty());
    let rows = emulator.screen().len() as i32;
    (emulator.first()..rows).filter_map(row).max().map_or(0, |it| it + 1)
}

#[test]
fn a_direction_mark_in_a_reply_is_seen_and_turns_nothing_round() {
    let place = Place::new();
    let mut terminal = chat(&place, &["before \u{202e}fdp.exe\u{202c} after"], Size { columns: 80, rows: 24 });
    terminal.types("say it\r");
    let row = terminal.until("the reply", |it| it.screen().into_iter().find(|row| row.starts_with("before ")));
    assert!(!row.contains(['\u{202e}', '\u{202c}']), "{row:?}");
    terminal.pictures(&["before ", "Describe a task"]);
    terminal.leaves();
}
