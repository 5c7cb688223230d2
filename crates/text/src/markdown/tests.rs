//! Markdown as it looks, and that cutting it into pieces changes nothing.

use expect_test::{Expect, expect};

use super::*;
use crate::{Theme, wrap};

fn shown(source: &str, width: usize) -> String {
    let lines = lines(source, width);
    let printed = lines.iter().flat_map(|line| wrap(line, width));
    printed.map(|line| Theme::None.paint(&line).trim_end().to_string() + "\n").collect()
}

fn looks(source: &str, width: usize, expected: Expect) {
    expected.assert_eq(&shown(source, width));
}

const EVERYTHING: &str = "# Title\n\nA paragraph with **bold**, *stress*, `code` and a [link](https://ox.dev).\nIt goes on in the next line.\n\n- first\n- second, which is long enough to be wrapped at forty columns\n  - nested\n\n    more of nested\n- third\n\n1. one\n2. two\n   ```sh\n   ls\n\n   - not an item\n   ```\n10. ten\n\n> quoted\n> words\n>\n> and more\n\n```rust\nfn main() {\n\n    body();\n}\n```\nafter the fence\n\n- [x] done\n- [ ] open\n\n| a | bb |\n|---|----|\n| 1 | two words |\n\n---\n\n```diff\n-old\n+new\n```\n\nSetext\n======\nlast *words";

#[test]
fn everything_at_forty_columns() {
    looks(
        EVERYTHING,
        40,
        expect![[r#"
            Title

            A paragraph with bold, stress, code and
            a link (https://ox.dev). It goes on in
            the next line.

            • first
            • second, which is long enough to be
              wrapped at forty columns
              • nested

                more of nested
            • third

            1. one
            2. two

                 ls

                 - not an item
            10. ten

            │ quoted
            │ words
            │
            │ and more

              fn main() {

                  body();
              }

            after the fence

            ✓ done
            ☐ open

            a │ bb
            ──┼──────────
            1 │ two words

            ────────────────────────────────────────

              -old
              +new

            Setext

            last *words
        "#]],
    );
}

const TABLE: &str = "| File | Lines | What it is for |\n|--|--:|--|\n| src/parser.rs | 120 | accepts the unit `ms`, and says where it found another |\n| README.md | 7 | 说明新单位的用法 |\n";

#[test]
fn a_table_is_a_table_at_every_width() {
    looks(
        TABLE,
        80,
        expect![[r#"
        File          │ Lines │ What it is for
        ──────────────┼───────┼─────────────────────────────────────────────────────
        src/parser.rs │   120 │ accepts the unit ms, and says where it found another
        README.md     │     7 │ 说明新单位的用法
    "#]],
    );
    looks(
        TABLE,
        50,
        expect![[r#"
        File          │ Lines │ What it is for
        ──────────────┼───────┼───────────────────────────
        src/parser.rs │   120 │ accepts the unit ms, and
                      │       │ says where it found
                      │       │ another
        ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄
        README.md     │     7 │ 说明新单位的用法
    "#]],
    );
    looks(
        TABLE,
        30,
        expect![[r#"
        File      │ Lines │ What it is
                  │       │ for
        ──────────┼───────┼───────────
        src/parse │   120 │ accepts
        r.rs      │       │ the unit
                  │       │ ms, and
                  │       │ says where
                  │       │ it found
                  │       │ another
        ┄┄┄┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┼┄┄┄┄┄┄┄┄┄┄┄
        README.md │     7 │ 说明新单位
                  │       │ 的用法
    "#]],
    );
    for limit in 34..120 {
        let widest = lines(TABLE, limit).iter().map(|it| crate::width(&it.text())).max();
        assert!(widest.is_some_and(|it| it <= limit), "{limit}: {widest:?}");
    }
}

/// Of a table that grows whole rows are shown, and nothing is final before its end.
#[test]
fn a_growing_table_is_never_shown_in_another_form() {
    let mut stream = Stream::default();
    for piece in TABLE.split_inclusive(' ') {
        assert!(stream.push(piece, 40).is_empty());
        let rows = stream.source().matches('\n').count();
        assert!(rows < 2 || stream.tail(40).iter().any(|it| it.text().contains('┼')), "{:?}", stream.source());
    }
    assert_eq!(stream.finish(TABLE, 40), lines(TABLE, 40));
}

#[test]
fn roles_are_reported_by_colour() {
    let painted: Vec<String> =
        lines("## H\n**b** *e* `c` [t](u)\n", 40).iter().map(|line| Theme::Dark.paint(line)).collect();
    expect![[r#"
        [
            "\u{1b}[1;4mH\u{1b}[0m",
            "",
            "\u{1b}[1mb\u{1b}[0m \u{1b}[3me\u{1b}[0m \u{1b}[36mc\u{1b}[0m \u{1b}[4;94mt\u{1b}[0m\u{1b}[4;94m (u)\u{1b}[0m",
        ]
    "#]].assert_debug_eq(&painted);
}

#[test]
fn code_has_the_colours_of_its_language() {
    let painted =
        |source: &str| lines(source, 40).iter().map(|line| Theme::Palette.paint(line) + "\n").collect::<String>();
    let program = "```rs\nfn main() { \"\t中\"; } // why\n```\n";
    let unknown = "```klingon\nfn\n```\n";
    let nested = "- x\n  ```json\n  {\"a\": 1}\n  ```\n";
    let all = painted(program) + &painted(unknown) + &painted(nested);
    expect![[r#"
          ␛[35mfn␛[0m ␛[94mmain␛[0m() { ␛[32m"    中"␛[0m; } ␛[2m// why␛[0m
          ␛[36mfn␛[0m
        ␛[36m• ␛[0mx

            {"a": ␛[36m1␛[0m}
    "#]]
    .assert_eq(&all.replace('\u{1b}', "␛"));
}

#[test]
fn where_links_can_be_followed_their_addresses_are_not_spelled_out() {
    let shown = |source: &str| {
        let line = Stream::new(true).finish(source, 80).remove(0);
        let targets: Vec<&str> = line.spans.iter().filter_map(|it| Some(it.target.as_ref()?.as_str())).collect();
        format!("{} -> {}", line.text(), targets.join(" "))
    };
    let cases = [
        ("see [the *book*](https://ox.dev)", "see the book -> https://ox.dev https://ox.dev"),
        ("<https://ox.dev>", "https://ox.dev -> https://ox.dev"),
        (
            "[bank.example](https://evil.example)",
            "bank.example (https://evil.example) -> https://evil.example https://evil.example",
        ),
        ("[x](javascript:a)", "x (javascript:a) -> "),
    ];
    for (source, expected) in cases {
        assert_eq!(shown(source), expected);
    }
}

#[test]
fn chinese_lines_are_joined_without_a_space() {
    looks(
        "第一行\n第二行 and\nEnglish\n",
        40,
        expect![[r#"
        第一行第二行 and English
    "#]],
    );
}

#[test]
fn terminal_sequences_in_markdown_do_nothing() {
    looks(
        "a \u{1b}[31mb\u{1b}[0m\n\n```\n\u{1b}]0;t\u{7}code\n```\n",
        40,
        expect![[r#"
        a b

          code
    "#]],
    );
}

/// However it is cut, the same lines come out, and none is taken back.
#[test]
fn pieces_of_any_size_give_the_same_lines() {
    let chinese = "中文**粗体**。\n\n1. 一\n2. 二\n\n```\n代码\n```\n完";
    for source in [EVERYTHING, chinese, "\n\n  \nx\n\n\n", "- a\n\n- b\n", "```\nnever closed\n"] {
        let whole = lines(source, 40);
        let chars: Vec<char> = source.chars().collect();
        for size in 1..=chars.len().min(60) {
            let mut stream = Stream::default();
            let mut out = Vec::new();
            for piece in chars.chunks(size) {
                out.extend(stream.push(&piece.iter().collect::<String>(), 40));
                // What is shown of the rest must never fail either.
                stream.tail(40);
            }
            out.extend(stream.finish(source, 40));
            assert_eq!(out, whole, "pieces of {size} of {source:?}");
        }
    }
}

#[test]
fn text_that_was_lost_on_the_way_comes_with_the_end() {
    let mut stream = Stream::default();
    let mut out = stream.push("one\n\ntwo", 40);
    out.extend(stream.finish("one\n\ntwo three\n\nfour\n", 40));
    assert_eq!(out, lines("one\n\ntwo three\n\nfour\n", 40));
}

#[test]
fn a_link_shows_where_it_leads_and_leads_nowhere_by_itself() {
    let shown = |source: &str| render(source, 80, false).iter().map(Line::text).collect::<Vec<_>>().join("\n");
    let cases = [
        ("[Click to verify](javascript:fetch('/x'))", "Click to verify (javascript:fetch('/x'))"),
        ("[https://bank.example](https://evil.example)", "https://bank.example (https://evil.example)"),
        ("<https://ox.dev>", "https://ox.dev"),
        ("![](http://evil.example/?q=secret)", "http://evil.example/?q=secret"),
        ("[a](https://x.example/\u{202e}moc)", "a (https://x.example/⟨U+202E⟩moc)"),
        ("\u{1b}]8;;https://evil.example\u{7}text\u{1b}]8;;\u{7}", "text"),
        ("[a][1]\n\n[1]: data:text/html,x", "a (data:text/html,x)"),
    ];
    for (source, expected) in cases {
        assert_eq!(shown(source), expected, "{source}");
    }
}
