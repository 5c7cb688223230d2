//! Tables of what texts say.

use super::*;

fn mentions(text: &str) -> Vec<(String, Option<u32>, Option<u32>)> {
    read(text).paths.into_iter().map(|it| (it.path, it.line, it.frame)).collect()
}

fn names(text: &str) -> Vec<String> {
    let join = |it: Name| it.before.into_iter().chain([it.last]).collect::<Vec<_>>().join(".");
    let mut all: Vec<String> = read(text).names.into_iter().map(join).collect();
    all.sort();
    all
}

fn weight(task: &Task, word: &str) -> f32 {
    task.terms.iter().find(|it| it.word == word).map_or(0.0, |it| it.weight)
}

#[test]
fn frames_of_each_language_name_their_file_line_and_function() {
    let table: &[(&str, &str, u32, &str)] = &[
        ("  File \"/home/x/lib/app/views.py\", line 12, in get_view", "/home/x/lib/app/views.py", 12, "get_view"),
        ("~/lib/app/forms.py in clean(self, value)", "~/lib/app/forms.py", 0, "clean"),
        ("File ~/lib/app/forms.py:7, in Form.clean(self)", "~/lib/app/forms.py", 7, "Form.clean"),
        ("lib/app/run.py:31: in start", "lib/app/run.py", 31, "start"),
        ("lib/app/run.py:32: ValueError", "lib/app/run.py", 32, ""),
        ("\tat com.a.b.Thing.doIt(Thing.java:45)", "com/a/b/Thing.java", 45, "com.a.b.Thing.doIt"),
        ("    at com.a.MainKt.main(Main.kt:3)", "com/a/Main.kt", 3, "com.a.MainKt.main"),
        ("    at Object.run (/app/src/run.js:7:11)", "/app/src/run.js", 7, "Object.run"),
        ("    at async load (file:///app/src/load.mts:9:1)", "/app/src/load.mts", 9, "load"),
        ("   at My.App.Start(String a) in C:\\src\\App.cs:line 21", "C:/src/App.cs", 21, "My.App.Start"),
        ("             at ./src/parser/mod.rs:101:17", "./src/parser/mod.rs", 101, ""),
        ("thread 'main' panicked at src/bin/main.rs:30:5:", "src/bin/main.rs", 30, ""),
        ("  --> tests/a.rs:4:9", "tests/a.rs", 4, ""),
        ("#3  0x0000 in parse_line (a=0x1, b=2) at src/parse.c:88", "src/parse.c", 88, "parse_line"),
        ("    #1 0x4f2a in HUF_decode /w/lib/huf.c:12:3", "/w/lib/huf.c", 12, "HUF_decode"),
        ("#0 /var/www/app/Kernel.php(55): App\\Kernel->boot()", "/var/www/app/Kernel.php", 55, "App.Kernel.boot"),
        ("app/models/user.rb:19:in `save_all'", "app/models/user.rb", 19, "save_all"),
        ("\t/go/src/x/cmd/run.go:77 +0x1d", "/go/src/x/cmd/run.go", 77, ""),
    ];
    for (line, path, number, function) in table {
        let text = format!("It fails\n\n```\n{line}\n```\n");
        let number = Some(*number).filter(|it| *it > 0);
        assert_eq!(mentions(&text).first(), Some(&((*path).to_owned(), number, Some(0))), "{line}");
        let held = function.is_empty() || names(&text).iter().any(|it| it == function);
        assert!(held, "{line} {:?}", names(&text));
    }
}

#[test]
fn the_frame_where_the_fault_happened_comes_first() {
    let python = "Oops\n  File \"a.py\", line 1, in f\n    f()\n  File \"b.py\", line 2, in g\n    g()\nValueError: no";
    assert_eq!(mentions(python)[0], ("b.py".to_owned(), Some(2), Some(0)));
    let java = "Oops\n\tat a.B.c(B.java:1)\n\tat a.D.e(D.java:2)\n";
    assert_eq!(mentions(java)[0], ("a/B.java".to_owned(), Some(1), Some(0)));
    assert_eq!(mentions(java)[1], ("a/D.java".to_owned(), Some(2), Some(1)));
}

#[test]
fn functions_that_stand_alone_are_names() {
    for (line, name) in [
        ("   3: nu_parser::parser::parse_record", "nu_parser.parser.parse_record"),
        ("github.com/cli/cli/pkg/cmd.(*Thing).Run(0xc000)", "cmd.Thing.Run"),
        ("redis-server *:6379(streamTrim+0x12)[0x5581]", "streamTrim"),
    ] {
        let names = names(&format!("Crash\n\n{line}\n"));
        assert!(names.iter().any(|it| it == name), "{line} {names:?}");
    }
}

#[test]
fn paths_in_prose_and_links_to_source_are_files() {
    for (text, path, line) in [
        ("Bug in src/io/read.rs:14", "src/io/read.rs", Some(14)),
        ("see `./lib/a-b/util.ts`", "lib/a-b/util.ts", None),
        ("the file setup.py is wrong", "setup.py", None),
        ("https://github.com/o/r/blob/main/pkg/x/y.go#L10-L20 does it", "pkg/x/y.go", Some(10)),
    ] {
        assert_eq!(mentions(text), [(path.to_owned(), line, None)], "{text}");
    }
    assert_eq!(mentions("Look at https://github.com/o/r/issues/12 and www.a.com, e.g. now."), []);
}

#[test]
fn names_are_what_is_written_like_code() {
    for (text, expected) in [
        ("call `get` on it", vec!["get"]),
        ("TextBuffer#getTextBuffer behaves", vec!["TextBuffer.getTextBuffer"]),
        ("std::io::Read fails", vec!["std.io.Read"]),
        ("use read_line here", vec!["read_line"]),
        ("JsonFactory.create() is slow", vec!["JsonFactory.create"]),
        ("pass --word-regexp now", vec![]),
        ("It is broken. Please fix it", vec![]),
    ] {
        assert_eq!(names(text), expected, "{text}");
    }
}

#[test]
fn templates_and_machines_say_little() {
    let task = read(
        "Leading zeros are lost\n\n### Expected behavior\n\nzeros stay\n\n### Environment\n\nwindows kernel\n\n<!-- please\nfill -->\n- [x] I searched duplicates\n\n_No response_\n",
    );
    assert!(weight(&task, "zeros") > weight(&task, "lost"));
    assert!(weight(&task, "windows") < 0.5 * weight(&task, "stay"));
    assert_eq!((weight(&task, "fill"), weight(&task, "expected"), weight(&task, "response")), (0.0, 0.0, 0.0));
}

#[test]
fn a_name_counts_whole_and_in_its_parts() {
    let task = read("maxNameLength is ignored");
    let found: Vec<(&str, bool)> = task.terms.iter().map(|it| (it.word.as_str(), it.whole)).collect();
    assert_eq!(found[0], ("ignored", false));
    assert!(found.contains(&("maxnamelength", true)) && found.contains(&("length", false)), "{found:?}");
    assert!(weight(&task, "length") < weight(&task, "maxnamelength"));
}

#[test]
fn words_of_the_index_and_of_questions_are_the_same() {
    for word in ["readHTTPBody2", "max_len", "_private", "utf8", "XMLParser", "getX", "simple", "Ünïcode", "a_b_cd"] {
        let known = crate::tokens(word);
        for part in parts(word) {
            assert!(known.contains(&part), "{word}: {part} in {known:?}");
        }
        assert!(known.contains(&word.trim_matches('_').to_lowercase()), "{word}: {known:?}");
    }
}

#[test]
fn sentences_in_quotes_are_kept() {
    assert_eq!(read("It says \"cannot open the file\" and \"x\"").quotes, ["cannot open the file"]);
}

#[test]
fn common_words_are_in_order_and_other_forms_are_found() {
    assert!(stop::is_common("the") && stop::is_common("your") && !stop::is_common("parser"));
    for (word, form) in
        [("themes", "theme"), ("theme", "themes"), ("parsing", "parse"), ("stopped", "stop"), ("queries", "query")]
    {
        assert!(forms(word).iter().any(|it| it == form), "{word} {:?}", forms(word));
    }
}

#[test]
fn what_the_title_asks_for_is_reported() {
    assert!(read("Fix typo in the docs").asks.docs);
    assert!(!read("Parser fails\n\nThe docs say so").asks.docs);
}

#[test]
fn any_text_can_be_read() {
    for text in ["", "\n\n", "```", "<!--", "`", "\"", "::", "....", "at (", "# ", "**", "\u{2500}", "a\0b", "é`ü\"ß"]
    {
        read(text);
    }
    let long = "word_a ".repeat(200_000);
    assert_eq!(read(&long).terms.len(), 2);
}

#[test]
fn what_an_error_says_is_a_message() {
    for (line, said) in [
        ("django.core.FieldError: Cannot resolve it", Some("Cannot resolve it")),
        ("error[E0277]: the trait bound is not met", Some("the trait bound is not met")),
        ("thread 'main' panicked at 'no such key', src/a.rs:3:4", Some("no such key")),
        ("Error: no", None),
        ("It says nothing: not a word", None),
    ] {
        assert_eq!(names::said(line), said, "{line}");
    }
}

#[test]
fn lines_of_imports_bind_names_to_modules() {
    let names = names("Fails\n\n```\n>>> from app.db import Q, F as G\n```\n");
    assert!(["app.db.F", "app.db.Q"].iter().all(|it| names.iter().any(|name| name == it)), "{names:?}");
}

#[test]
fn commits_are_named_by_hash_and_by_number() {
    let reported = "Since 1a2b3c4d5e6f7081 or (#123), see https://x.org/o/r/pull/77; not deadbeef or 1234567";
    assert_eq!(read(reported).commits, ["#123", "#77", "1a2b3c4d5e6f"]);
}
