//! What must never happen silently: text lost to a line that only stands for it, and an edit that is called made before
//! although it was not.

use ox_edit::{Block, Files, LineRange, Reason, Request, apply, run};

const GO: &str =
    "package a\n\nfunc A() int {\n\tx := load()\n\treturn x\n}\n\nfunc B() int {\n\ty := store()\n\treturn y\n}\n";

fn reason<T>(result: Result<T, ox_edit::Refusal>) -> Option<Reason> {
    result.err().map(|refusal| refusal.reason)
}

fn whole(old: &str, new: &str) -> Option<Reason> {
    let files = Files::from([("f".to_owned(), old.to_owned())]);
    reason(run(&Request::WholeFile { path: "f", text: new }, &files))
}

#[test]
fn a_whole_file_that_stands_for_the_rest_in_any_language_is_not_written() {
    let head = "package a\n\nfunc A() int {\n\tx := load()\n\treturn 2 * x\n}\n\n";
    let lines = [
        "...",
        "\u{2026}",
        "// ...",
        "// other functions remain the same",
        "// same as before",
        "// the rest stays as it is",
        "// 其余代码保持不变",
        "//其余函数不变",
        "// ... 其余代码不变 ...",
        "// 以下、既存のコードと同じ",
        "// 残りはそのまま",
        "// 나머지 코드는 그대로",
        "// el resto del código sigue igual",
        "// der Rest bleibt unverändert",
        "// остальной код без изменений",
        "// le reste est inchangé",
        "// o restante permanece inalterado",
        "// all the other helpers go here",
        "/* … B … */",
        "// (B)  etc.",
        "// [...]",
        "(rest of the file unchanged)",
        "// reszta bez zmian",
        "// il resto rimane invariato",
    ];
    for line in lines {
        assert_eq!(whole(GO, &format!("{head}{line}\n")), Some(Reason::Placeholder), "{line}");
    }
    let below_comments =
        ["// (same)", "// Rest wie bisher", "// le code existant ne change pas", "// previous code here"];
    for line in below_comments {
        let old = format!("// One of\n// two.\n{GO}");
        assert_eq!(whole(&old, &format!("// One of them.\n{line}\n")), Some(Reason::Placeholder), "{line}");
    }
    let alike = "// If it is one, all is checked.\n// If it is two, all is checked.\n// If it is six, all is checked.\n\
        // If it is ten, all is checked.\nf();\n";
    let fewer = "// If it is one, all is checked here.\n// (same)\nf();\n";
    assert_eq!(whole(alike, fewer), Some(Reason::Placeholder), "each line says the same of something else");
    let rows = "let a = [\n  one,\n  0x7f,\n  0x7f,\n  0x7f,\n  0x3f,\n];\n";
    let fewer = "let a = [\n  two,\n  0x7f,\n  // previous code here\n  0x3f,\n];\n";
    assert_eq!(whole(rows, fewer), Some(Reason::Placeholder), "lines that stand elsewhere, too");
    for body in ["func B() int { /* unchanged */ }", "func B() int { ... }", "func B() int {\n\t...\n}"] {
        assert_eq!(whole(GO, &format!("{head}{body}\n")), Some(Reason::Placeholder), "{body}");
    }
    let python = "def a():\n    x = load()\n    y = x + 1\n    return y\n\n\ndef b():\n    return 1\n";
    for body in ["    ...\n", "    # ... 现有代码 ...\n", "    pass  # ... existing code ...\n"] {
        let new = format!("def a():\n{body}\n\ndef b():\n    return 2\n");
        assert_eq!(whole(python, &new), Some(Reason::Placeholder), "{body}");
    }
}

#[test]
fn dots_and_comments_that_stand_for_nothing_are_written() {
    let cases = [
        // A stub and a spread.
        ("class P:\n    def f(self):\n        pass\n", "class P:\n    def f(self):\n        ...\n"),
        ("const a = {\n  x: 1,\n};\n", "const a = {\n  ...rest,\n};\n"),
        ("f(\n  a,\n)\n", "f(\n  ...args,\n)\n"),
        // A remark on a line below that is new, and one where nothing vanishes.
        ("a()\nb()\nc()\nd()\n", "a()\n# keep the same order\ne()\nd()\n"),
        ("a()\nb()\n", "a()\n# other callers rely on this\nb()\n"),
        // Code that is commented out, and a longer comment.
        ("a()\nb()\nc()\n", "a()\n# b()\n# c()\n"),
        ("// One.\na()\nb()\nc()\nd()\n", "// One.\n// The rest is told elsewhere.\nd()\n"),
        ("#include <a.h>\nint a;\nint b;\nint c;\n", "#include <existing.h>\n"),
        // A comment set anew, and dots in code that is new.
        ("// One thing\n// and a second\n// to read.\nf();\n", "// One thing and a second to read.\nf();\n"),
        ("// Keep it for\n// all the other\n// callers.\nf();\n", "// Keep it for all the other callers.\nf();\n"),
        ("first();\nlast();\n", "first();\ncheck({\n  // ...\n});\nlast();\n"),
        // What the text had before.
        ("Use it:\n\n    a\n    ...\n    b\n", "Use it so:\n\n    a\n    ...\n"),
        ("or GET:\n\n    get\n    send\n", "\n... or POST:\n\n    post\n"),
        ("x\n// ...snip... //\ny\n", "x\n...\ny\n"),
    ];
    for (old, new) in cases {
        assert_eq!(whole(old, new), None, "{old:?} {new:?}");
    }
}

#[test]
fn a_replacement_that_stands_for_lines_is_carried_out_in_full_or_refused() {
    let old = "def f():\n    a = 1\n    b = 2\n    c = 3\n    d = 4\n    return a\n";
    let edit = |replace: &str| apply(old, &[Block::new(old, replace)]).map(|it| it.text).map_err(|it| it.reason);
    let placeholders =
        ["# ... 现有代码保持不变 ...", "# ... código existente ...", "# the other lines remain the same"];
    for line in placeholders {
        let between = format!("def f():\n    a = 1\n    {line}\n    d = 4\n    return 2 * a\n");
        assert_eq!(edit(&between).unwrap(), old.replace("return a", "return 2 * a"), "{line}");
        assert_eq!(edit(&format!("def f(x):\n    {line}\n    return a + x\n")), Err(Reason::Placeholder), "{line}");
        let files = Files::from([("f".to_owned(), old.to_owned())]);
        let ranges = [LineRange { from: 2, to: 4, new: format!("    {line}\n"), old: None }];
        let request = Request::LineRange { path: "f", ranges: &ranges };
        assert_eq!(reason(run(&request, &files)), Some(Reason::Placeholder), "{line}");
    }
    assert!(edit("def f():\n    # f has moved to g\n    return g()\n").is_ok(), "these lines were named");
}

/// The same edit as search and replace, as a diff and as a patch.
fn in_each_format(text: &str, lines: &[&str]) -> Vec<Option<Reason>> {
    let files = Files::from([("f".to_owned(), text.to_owned())]);
    let side = |other: char| -> String {
        let own = lines.iter().filter(|line| !line.starts_with(other));
        own.map(|line| format!("{}\n", &line[1..])).collect()
    };
    let block = [Block::new(side('+'), side('-'))];
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let diff = format!("--- a/f\n+++ b/f\n@@ -1 +1 @@\n{body}");
    let patch = format!("*** Begin Patch\n*** Update File: f\n@@\n{body}*** End Patch\n");
    let requests = [
        Request::Blocks { path: "f", blocks: &block },
        Request::UnifiedDiff { path: None, text: &diff },
        Request::V4a { text: &patch },
    ];
    requests.iter().map(|request| reason(run(request, &files))).collect()
}

#[test]
fn a_deletion_whose_text_has_drifted_is_not_called_made() {
    let text =
        "import os\nimport sys7\n\ndef f():\n    first()\n    second()\n    log(3)\n    third()\n\nconfigure(7)\n";
    let drifted: [&[&str]; 5] = [
        &["     first()", "     second()", "-    log(2)"],
        &["     second()", "-    log(2)", "     third()"],
        &[" import os", "-import sys"],
        &["-configure(8)"],
        &["     third()", " ", "-configure(8)"],
    ];
    for lines in drifted {
        for (format, found) in in_each_format(text, lines).into_iter().enumerate() {
            assert!(found.is_some_and(|it| it != Reason::AlreadyApplied), "{format} {lines:?}: {found:?}");
        }
    }
    let rows = "let rows = [\n    0x01, 0x01, 0x01,\n    0x01, 0x01, 0x01,\n    0xff, 0xff, 0xff,\n];\n";
    let fewer =
        ["     0x01, 0x01, 0x01,", "-    0x01, 0x01, 0x01,", "-    0x01, 0x01, 0x01,", "     0xff, 0xff, 0xff,"];
    for found in in_each_format(rows, &fewer) {
        assert!(found.is_some_and(|it| it != Reason::AlreadyApplied), "{found:?}");
    }
    // New lines that stand in another function, a change of blanks beside a slip.
    let text = "def f():\n    a = load(1)\n    return a\n\ndef g():\n    b = store(2)\n    return b\n";
    for (search, replace) in [
        ("    a = load(2)\n", "    b = store(2)\n"),
        ("def g():\n    b = stroe(2)\n    return b\n", "def g():\n\n    b = stroe(2)\n    return b\n"),
    ] {
        let found = reason(apply(text, &[Block::new(search, replace)]));
        assert_ne!(found, Some(Reason::AlreadyApplied), "{search:?}");
    }
}

#[test]
fn a_deletion_goes_to_no_place_indented_otherwise_while_its_lines_stand_to_the_letter() {
    let text = "fn a() {\n        let buf = new();\n\n        let all = list();\n        all.add(buf);\n        all.run(1);\n}\n\n\
        fn b() {\n    let buf = older();\n    let all = list();\n    all.add(buf);\n    all.run(1);\n}\n";
    let edit = ["     let buf = new();", "     let all = list();", "-    all.add(buf);", "     all.run(1);"];
    // The diff is the one that says by a number which of them it means.
    assert_eq!(in_each_format(text, &edit), [Some(Reason::Ambiguous), None, Some(Reason::Ambiguous)]);
    let only = &text[..text.find("fn b").unwrap()];
    assert_eq!(in_each_format(only, &edit), [None; 3], "one place there is");
}

#[test]
fn a_slip_in_what_stays_does_not_keep_an_edit_from_its_place() {
    let text = "import os\n\ndef first(a):\n    log(\"3 tries\")\n    check_all(a)\n    return a\n";
    let edit = |search: &str, replace: &str| {
        apply(text, &[Block::new(search, replace)]).map(|it| it.text).map_err(|it| it.reason)
    };
    let done = text.replace("check_all(a)", "check_one(a)");
    // A line of context says something else now: it stays as the file has it.
    for line in ["    log(\"5 tries\")", "    log('3 tries')"] {
        let search = format!("def first(a):\n{line}\n    check_all(a)\n    return a\n");
        assert_eq!(edit(&search, &search.replace("_all", "_one")), Ok(done.clone()), "{line}");
        // Not where it is changed with the others, nor where lines are only added.
        assert!(edit(&search, "def second():\n    return 1\n").is_err(), "{line}");
        assert!(edit(&search, &search.replace("    check", "    wait()\n    check")).is_err(), "{line}");
    }
    let twice = "def first(a):\\n    log(\\\"3 tries\\\")\\n    check_all(a)\\n";
    assert_eq!(edit(twice, &twice.replace("_all", "_one")), Ok(done));
    let html = [Block::new("<b>a & b</b>\n", "<b>a & c</b>\n")];
    assert_eq!(apply("x\n<b>a &amp; b</b>\n", &html).unwrap().text, "x\n<b>a &amp; c</b>\n");
    let marks = [Block::new("# (甲,乙) \u{2764}\nx = 1\n", "# (甲,乙) \u{2764}\nx = 2\n")];
    let text = "# （甲，乙） \u{2764}\u{fe0f}\nx = 1\n";
    assert_eq!(apply(text, &marks).unwrap().text, text.replace("x = 1", "x = 2"));
    let bare = [Block::new("let one = 1\nlet two = 2\nlet three = 3\n", "let one = 1\nlet two = 4\nlet three = 3\n")];
    assert!(
        apply("let one = 1;\nlet two = 2;\nlet three = 3;\n", &bare)
            .unwrap()
            .text
            .starts_with("let one = 1;\nlet two = 4")
    );
}

#[test]
fn what_was_made_is_called_made() {
    let text = "def f():\n    a = load(1)\n    b = store(a)\n    return b\n";
    for (search, replace) in [
        ("    a = load()\n    b = store(a)\n", "    a = load(1)\n    b = store(a)\n"),
        ("    a = load(1)\n    check(a)\n    b = store(a)\n", "    a = load(1)\n    b = store(a)\n"),
        ("  a = load(1)\n  b = store(a)\n", "    a = load(1)\n    b = store(a)\n"),
        ("    b = store(a)\n", "    a = load(1)\n    b = store(a)\n"),
    ] {
        assert_eq!(reason(apply(text, &[Block::new(search, replace)])), Some(Reason::AlreadyApplied), "{search:?}");
    }
}
