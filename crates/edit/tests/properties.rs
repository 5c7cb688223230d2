//! What holds for every text and every edit.

use ox_edit::{Block, apply, parse_search_replace, short_diff, write_guard};
use proptest::prelude::*;

/// Text made of pieces that matter to the engine: braces, blanks, line endings, dots, marks, repeated lines.
fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "b",
        "let x = 1;",
        "fn f() {",
        "}",
        " ",
        "    ",
        "\t",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        "...",
        "// ...",
        "\u{2026}",
        "\u{feff}",
        "“q”",
        "\"q\"",
        "&lt;",
        "\\\"",
        "1| ",
        "  2→",
        "```\n",
        "é",
        "\u{a0}",
        "connection",
        "conection",
        "=======\n",
        "<<<<<<< SEARCH\n",
        ">>>>>>> REPLACE\n",
        "\\",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Several lines of plain text.
fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[a-e]{0,3}[ =;(){}]{0,2}[a-e0-9]{1,4}", 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(before in text(), searches in prop::collection::vec((text(), text(), 0_usize..9), 0..4)) {
        let blocks: Vec<Block> = searches
            .iter()
            .map(|(search, replace, hint)| Block {
                search: search.clone(),
                replace: replace.clone(),
                hint: hint.checked_sub(1),
            })
            .collect();
        if let Err(refusal) = apply(&before, &blocks) {
            prop_assert!(!refusal.message().is_empty());
        }
        for (search, replace, _) in &searches {
            let _ = parse_search_replace(search);
            let _ = write_guard(search, replace);
            let _ = short_diff(search, replace, 2, 10);
        }
    }

    #[test]
    fn an_exact_unique_edit_always_applies(lines in lines(), at in any::<prop::sample::Index>(), new in "[x-z]{1,3}") {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let search = format!("{}\n", lines[at.index(lines.len())]);
        let replace = format!("{new}\n");
        let count = (0..text.len()).filter(|&from| text.is_char_boundary(from) && text[from..].starts_with(&search));
        let unique = count.count() == 1;
        match apply(&text, &[Block::new(&search, &replace)]) {
            Ok(applied) => {
                prop_assert!(unique);
                prop_assert_eq!(applied.text, text.replacen(&search, &replace, 1));
            }
            Err(refusal) => prop_assert!(!unique, "{}", refusal.message()),
        }
    }

    #[test]
    fn an_edit_and_its_reverse_are_the_identity(lines in lines(), at in any::<prop::sample::Index>(), crlf: bool) {
        let end = if crlf { "\r\n" } else { "\n" };
        let text: String = lines.iter().map(|line| format!("{line}{end}")).collect();
        let old = format!("{}\n", lines[at.index(lines.len())]);
        let new = "quite new\nof two lines\n".to_owned();
        if let Ok(applied) = apply(&text, &[Block::new(&old, &new)]) {
            let back = apply(&applied.text, &[Block::new(&new, &old)]).expect("the new text is unique");
            prop_assert_eq!(back.text, text);
        }
    }

    #[test]
    fn what_no_block_names_stays(lines in lines(), at in any::<prop::sample::Index>(), extra in "[ \t]{1,3}") {
        let index = at.index(lines.len());
        let text: String = lines.iter().map(|line| format!("{line}{extra}\n")).collect();
        if let Ok(applied) = apply(&text, &[Block::new(format!("{}\n", lines[index]), "new\n")]) {
            let after: Vec<&str> = applied.text.lines().collect();
            prop_assert_eq!(after.len(), lines.len());
            for (at, line) in lines.iter().enumerate().filter(|(at, _)| *at != index) {
                prop_assert_eq!(after[at], format!("{line}{extra}"));
            }
        }
    }
}
