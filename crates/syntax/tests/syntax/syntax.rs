//! Whether a text fits its language, and where not.

use crate::SAMPLES;
use expect_test::expect;
use ox_syntax::check;

#[test]
fn the_samples_are_clean() {
    for (file, text) in SAMPLES {
        assert_eq!(check(file, text), None, "{file}");
    }
}

#[test]
fn the_first_fault_is_found() {
    let cases = [
        ("a.rs", "fn f() {\n    let x = ;\n}\n"),
        ("a.rs", "fn f() {\n    g(1;\n}\n\nfn g() {}\n"),
        ("a.rs", "fn f() {\n"),
        ("a.py", "def f():\n    return (1\n\nx = 2\n"),
        ("a.py", "def f():\nreturn 1\n"),
        ("a.py", "class A:\n    def f(self):\n\n    def g(self):\n        pass\n"),
        ("a.js", "const a = {\n  b: 1\n  c: 2,\n};\n"),
        ("a.ts", "interface A {\n  b: ;\n}\n"),
        ("a.tsx", "const a = <div><b></div>;\n"),
        ("a.go", "package a\n\nfunc f() {\n\tif x {\n}\n"),
        ("a.java", "class A {\n    void f() { return }\n}\n"),
        ("a.c", "int f(void) {\n    return 1\n}\n"),
        ("a.cpp", "namespace a {\nint f() { return 1; }\n"),
        ("a.json", "{\n  \"é\": 1,\n}\n"),
        ("a.toml", "[a]\nb = \n"),
        ("a.txt", "(((\n"),
    ];
    let mut out = String::new();
    for (file, text) in cases {
        let fault = check(file, text).map_or("clean".into(), |it| format!("{}:{} {}", it.line, it.column, it.near));
        out += &format!("{file} {text:?}\n  {fault}\n");
    }
    expect![[r#"
        a.rs "fn f() {\n    let x = ;\n}\n"
          2:11 = ;
        a.rs "fn f() {\n    g(1;\n}\n\nfn g() {}\n"
          2:8 ) is missing
        a.rs "fn f() {\n"
          1:1 fn f() {
        a.py "def f():\n    return (1\n\nx = 2\n"
          2:12 ( is not closed
        a.py "def f():\nreturn 1\n"
          2:1 return 1
        a.py "class A:\n    def f(self):\n\n    def g(self):\n        pass\n"
          4:5 def g(self):
        a.js "const a = {\n  b: 1\n  c: 2,\n};\n"
          3:3 c: 2,
        a.ts "interface A {\n  b: ;\n}\n"
          2:4 : ;
        a.tsx "const a = <div><b></div>;\n"
          1:1 const a = <div><b></div>;
        a.go "package a\n\nfunc f() {\n\tif x {\n}\n"
          6:1 } is missing
        a.java "class A {\n    void f() { return }\n}\n"
          2:16 return }
        a.c "int f(void) {\n    return 1\n}\n"
          3:1 ; is missing
        a.cpp "namespace a {\nint f() { return 1; }\n"
          2:22 } is missing
        a.json "{\n  \"é\": 1,\n}\n"
          3:1 }
        a.toml "[a]\nb = \n"
          2:5 
        a.txt "(((\n"
          clean
    "#]]
    .assert_eq(&out);
}

#[test]
fn what_is_too_large_is_not_looked_at() {
    let large = "fn f( {\n".repeat(300_000);
    assert!(check("a.rs", &large[..1000]).is_some());
    assert_eq!(check("a.rs", &large), None);
}

#[test]
fn what_keeps_the_parser_busy_is_given_up() {
    let tangled = "a<b<c<d(\n".repeat(20_000);
    assert!(check("a.cpp", &tangled[..900]).is_some());
    assert_eq!(check("a.cpp", &tangled), None);
}

#[test]
fn any_text_is_answered() {
    let pieces =
        ["{", "}", "(", "\"", "'''", "/*", "é", "\r\n", "\0", "<", "fn ", "class A:", "`", "#", "@", ";", "  "];
    let mut state = 7_u64;
    for (file, _) in SAMPLES.iter().chain([&("a.json", ""), &("a.toml", "")]) {
        for _ in 0..60 {
            let mut text = String::new();
            for _ in 0..40 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                text.push_str(pieces[(state >> 33) as usize % pieces.len()]);
            }
            let fault = check(file, &text);
            assert!(fault.is_none_or(|it| it.line as usize <= text.matches('\n').count() + 1), "{file} {text:?}");
            for it in ox_syntax::definitions(file, &text).into_iter().flatten() {
                assert!(it.span.start <= it.signature.start && it.signature.end <= it.span.end, "{file} {text:?}");
                assert!(it.body.is_none_or(|body| it.span.start <= body.span.start && body.span.end <= it.span.end));
            }
        }
    }
}
