//! Keys and what stands there afterwards.

use super::*;

fn item(name: &str, usage: &str) -> Item {
    Item { name: name.to_string(), usage: usage.to_string(), about: format!("about {name}") }
}

fn composer() -> Composer {
    let mut composer = Composer::new(None, Keymap::default());
    composer.commands = vec![item("/help", ""), item("/mode", "[chat|plan]"), item("/add", "path…")];
    composer.values.insert("/mode".to_string(), vec![item("chat", ""), item("plan", "")]);
    composer
}

/// Presses keys: letters, or names in angle brackets.
fn press(composer: &mut Composer, keys: &str) -> Edited {
    let mut last = Edited::No;
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let end = rest.find('>').filter(|_| c == '<');
        let (name, length) = end.map_or((&rest[..c.len_utf8()], c.len_utf8()), |end| (&rest[1..end], end + 1));
        rest = &rest[length..];
        let (code, modifiers) = match name {
            "enter" => (KeyCode::Enter, KeyModifiers::NONE),
            "alt-enter" => (KeyCode::Enter, KeyModifiers::ALT),
            "tab" => (KeyCode::Tab, KeyModifiers::NONE),
            "esc" => (KeyCode::Esc, KeyModifiers::NONE),
            "up" => (KeyCode::Up, KeyModifiers::NONE),
            "down" => (KeyCode::Down, KeyModifiers::NONE),
            "left" => (KeyCode::Left, KeyModifiers::NONE),
            "back" => (KeyCode::Backspace, KeyModifiers::NONE),
            it if it.starts_with('^') => (KeyCode::Char(it.chars().nth(1).unwrap()), KeyModifiers::CONTROL),
            it => (KeyCode::Char(it.chars().next().unwrap()), KeyModifiers::NONE),
        };
        last = composer.key(KeyEvent::new(code, modifiers));
    }
    last
}

fn shown(composer: &mut Composer, columns: usize) -> String {
    let (lines, (row, column)) = composer.rows(columns, 5, "search:", "hint");
    let below = composer.list(columns, 4, |count| format!("↓ {count} more"));
    let lines: Vec<String> = lines.iter().chain(&below).map(|it| it.text().trim_end().to_string()).collect();
    format!("{} @{row},{column}", lines.join("|"))
}

#[test]
fn keys_edit_several_lines() {
    let cases = [
        ("ab", "› ab @0,4"),
        ("", "› hint @0,2"),
        ("a<alt-enter>b", "› a|  b @1,3"),
        ("a\\<enter>b", "› a|  b @1,3"),
        ("one two<^w>x", "› one x @0,7"),
        ("one two<^a><^k><^y><^y>", "› one twoone two @0,16"),
        ("ab<alt-enter>cd<up>x", "› abx|  cd @0,5"),
        ("abc<^_>", "› hint @0,2"),
        ("中文<left>字", "› 中字文 @0,6"),
    ];
    for (keys, expected) in cases {
        let mut composer = composer();
        press(&mut composer, keys);
        assert_eq!(shown(&mut composer, 20), expected, "{keys}");
    }
}

#[test]
fn commands_are_listed_as_one_types() {
    let mut it = composer();
    press(&mut it, "/");
    assert_eq!(
        shown(&mut it, 60),
        "› /|▸ /help              about /help|  /mode [chat|plan]  about /mode|  /add path…         about /add @0,3"
    );
    press(&mut it, "m");
    assert_eq!(press(&mut it, "<enter>"), Edited::Entered("/mode ".to_string()));
    press(&mut it, "/mo<tab>");
    assert_eq!(shown(&mut it, 60), "› /mode|▸ chat  about chat|  plan  about plan @0,8");
    assert_eq!(press(&mut it, "<down><tab><enter>"), Edited::Entered("/mode plan ".to_string()));
    press(&mut it, "/ad<enter>");
    assert_eq!(it.text(), "/add ", "what needs an argument is not entered without it");
    it.clear();
    press(&mut it, "/he<esc>");
    assert!(it.menu.is_none());
    press(&mut it, "l");
    assert!(it.menu.is_none(), "a list that was closed stays closed for this word");
    assert_eq!(press(&mut it, "p<enter>"), Edited::Entered("/help".to_string()));
}

#[test]
fn files_are_found_by_parts_of_their_names() {
    let mut it = composer();
    press(&mut it, "see @lib");
    assert!(it.asks_for_files());
    let files = ["src/", "src/lib.rs", "a b.rs"].map(str::to_string).to_vec();
    it.offer_files(Arc::new(files));
    assert!(!it.asks_for_files());
    press(&mut it, "<enter>");
    assert_eq!(it.text(), "see @src/lib.rs ");
    press(&mut it, "@sr<tab>");
    assert_eq!(it.text(), "see @src/lib.rs @src/", "a folder goes on");
    assert!(it.menu.is_some());
    it.clear();
    press(&mut it, "@b.rs<tab>");
    assert!(it.text().starts_with('@'), "{}", it.text());
}

#[test]
fn what_was_entered_comes_back() {
    let mut it = composer();
    press(&mut it, "one<enter>two three<enter>typ");
    press(&mut it, "<up>");
    assert_eq!(it.text(), "two three");
    press(&mut it, "<up><down><down>");
    assert_eq!(it.text(), "typ");
    press(&mut it, "<^r>ON");
    assert_eq!(shown(&mut it, 40), "search: ON  one @0,10");
    press(&mut it, "<enter>");
    assert_eq!(it.text(), "one");
    it.clear();
    assert!(it.is_empty());
    press(&mut it, "<up>");
    assert_eq!(it.text(), "one", "what was cleared is not lost");
}

#[test]
fn long_pastes_are_folded_and_sent_whole() {
    let mut it = composer();
    press(&mut it, "fix ");
    let text = "line\r\n".repeat(200);
    it.paste(&text);
    assert_eq!(it.text(), "fix [Pasted text #1 +200 lines]");
    it.paste(" short");
    let Edited::Entered(sent) = press(&mut it, "<enter>") else { panic!("it is entered") };
    assert_eq!(sent, format!("fix {} short", "line\n".repeat(200)));
    it.paste(&text);
    press(&mut it, "<back>");
    assert!(it.is_empty(), "a mark is deleted at once");
    it.picture("/tmp/a b.png");
    assert_eq!((it.text(), it.whole().as_str()), ("[Image #1]", "/tmp/a b.png"));
}

#[test]
fn other_keys_are_for_others() {
    let mut it = composer();
    assert_eq!(press(&mut it, "<tab>"), Edited::Wants(Action::NextMode));
    assert_eq!(press(&mut it, "<esc>"), Edited::Wants(Action::Stop));
    assert_eq!(press(&mut it, "<^d>"), Edited::Wants(Action::Leave));
    assert_eq!(press(&mut it, "ab<^a><^d>"), Edited::Changed);
    assert_eq!(it.text(), "b");
    assert_eq!(press(&mut it, "<^z>"), Edited::Wants(Action::Suspend));
}

#[test]
fn the_rows_around_the_cursor_are_shown() {
    let mut it = composer();
    it.set("1\n2\n3\n4\n5\n6\n7");
    let (lines, cursor) = it.rows(20, 3, "", "");
    assert_eq!(lines.iter().map(Line::text).collect::<String>(), "  5  6  7");
    assert_eq!(cursor, (2, 3));
}

#[test]
fn symbols_stand_below_files_and_insert_their_lines() {
    let mut it = composer();
    it.offer_files(Arc::new(vec!["src/parse.rs".into(), "README.md".into()]));
    it.offer_symbols(Arc::new(vec![
        ("parse_line".into(), "src/parse.rs:3-9".into()),
        ("main".into(), "src/main.rs:1-4".into()),
    ]));
    press(&mut it, "see @pars");
    let listed = shown(&mut it, 60);
    assert!(listed.contains("▸ src/parse.rs|  src/parse.rs:3-9  parse_line"), "{listed}");
    press(&mut it, "<down><tab>");
    assert_eq!(it.text(), "see @src/parse.rs:3-9 ");
    it.set("");
    press(&mut it, "/add pars");
    assert!(!shown(&mut it, 60).contains("parse_line"));
}
