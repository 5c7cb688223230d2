//! The classes of parts of a text, at once and line by line.

use expect_test::{Expect, expect};
use ox_syntax::{Class, Classes, highlighter, highlighter_of_file};

/// Below each line the first letter of the class of each character.
fn marked(line: &str, classes: &Classes) -> String {
    let mut marks = vec![' '; line.len()];
    for (range, class) in classes {
        let letter = match class {
            Class::Keyword => 'k',
            Class::String => 's',
            Class::Escape => 'e',
            Class::Comment => 'c',
            Class::Number => 'n',
            Class::Constant => 'o',
            Class::Function => 'f',
            Class::Type => 't',
            Class::Attribute => 'a',
            Class::Property => 'p',
            Class::Tag => 'g',
        };
        marks[range.clone()].fill(letter);
    }
    format!("{line}\n{}\n", marks.into_iter().collect::<String>().trim_end())
}

fn streamed(name: &str, text: &str) -> String {
    let mut reader = highlighter(name).unwrap();
    text.lines().map(|line| marked(line, &reader.line(line))).collect()
}

fn whole(name: &str, text: &str) -> String {
    let classes = highlighter(name).unwrap().lines(text);
    text.lines().zip(&classes).map(|(line, classes)| marked(line, classes)).collect()
}

fn looks(name: &str, text: &str, expected: Expect) {
    expected.assert_eq(&whole(name, text));
    assert_eq!(streamed(name, text), whole(name, text), "line by line and at once differ");
}

#[test]
fn rust() {
    looks(
        "rust",
        "/// Doc.\n#[test]\nfn main(x: &'a str) -> Option<u8> {\n    let y = \"a\\n\"; // why\n    /* over\n       lines */ call(1, Some(true))\n}\n",
        expect![[r#"
            /// Doc.
            cccccccc
            #[test]
            a aaaa
            fn main(x: &'a str) -> Option<u8> {
            kk ffff      a ttt     tttttt tt
                let y = "a\n"; // why
                kkk     ssees  cccccc
                /* over
                ccccccc
                   lines */ call(1, Some(true))
            ccccccccccccccc ffff o  ffff oooo
            }

        "#]],
    );
}

#[test]
fn python() {
    looks(
        "py",
        "def f(x):\n    \"\"\"Doc\n    goes on.\"\"\"\n    return g(x, 1) or None  # why\n",
        expect![[r#"
        def f(x):
        kkk f
            """Doc
            ssssss
            goes on."""
        sssssssssssssss
            return g(x, 1) or None  # why
            kkkkkk f    n     oooo  ccccc
    "#]],
    );
}

#[test]
fn typescript() {
    looks(
        "ts",
        "export const f = (a: string): Foo => {\n  return `a ${b.c()}\n  d`;\n}\n",
        expect![[r#"
        export const f = (a: string): Foo => {
        kkkkkk kkkkk f       tttttt   ttt
          return `a ${b.c()}
          kkkkkk sss    f
          d`;
        ssss
        }

    "#]],
    );
}

#[test]
fn others() {
    let mut all = String::new();
    for (name, text) in [
        ("sh", "if test -f \"$x\"; then echo hi # why\nfi"),
        ("go", "func (t *T) M(a int) error { return nil }"),
        ("java", "@Override public int f() { return 1; }"),
        ("c", "#include <a.h>\nint main(void) { return \"x\"[0]; }"),
        ("cpp", "template <class T> T f() { return nullptr; }"),
        ("csharp", "public class A { int F() => 1; }"),
        ("ruby", "def f(x)\n  :sym if x\nend"),
        ("php", "function f($x) { return 'a'; }"),
        ("kotlin", "@A fun f(x: Int): String = \"a$x\" + g(1)"),
        ("swift", "func f(x: Int) -> String { return \"a\" }"),
        ("scala", "def f(x: Int): String = \"a\""),
        ("lua", "local function f(x) return nil end"),
        ("tsx", "const a = <b c=\"d\">e</b>;"),
        ("json", "{\"a\": [1, true, \"b\"]}"),
        ("yaml", "a: b # c\n- d: 1\n  http://x: null"),
        ("toml", "[a]\nb = \"c\" # d"),
    ] {
        all += &format!("-- {name}\n{}", whole(name, text));
    }
    expect![[r#"
        -- sh
        if test -f "$x"; then echo hi # why
        kk ffff oo s ps  kkkk ffff    ccccc
        fi
        kk
        -- go
        func (t *T) M(a int) error { return nil }
        kkkk     t  p   ttt  ttttt   kkkkkk ooo
        -- java
        @Override public int f() { return 1; }
         aaaaaaaa kkkkkk ttt f     kkkkkk n
        -- c
        #include <a.h>
        kkkkkkkk sssss
        int main(void) { return "x"[0]; }
        ttt ffff tttt    kkkkkk sss n
        -- cpp
        template <class T> T f() { return nullptr; }
        kkkkkkkk  kkkkk t  t f     kkkkkk ooooooo
        -- csharp
        public class A { int F() => 1; }
        kkkkkk kkkkk t   ttt f      n
        -- ruby
        def f(x)
        kkk f
          :sym if x
          ssss kk f
        end
        kkk
        -- php
        function f($x) { return 'a'; }
        kkkkkkkk f       kkkkkk sss
        -- kotlin
        @A fun f(x: Int): String = "a$x" + g(1)
        at kkk f    ttt   tttttt   sssss   f n
        -- swift
        func f(x: Int) -> String { return "a" }
        kkkk f    ttt     tttttt   kkkkkk sss
        -- scala
        def f(x: Int): String = "a"
        kkk f    ttt   tttttt   sss
        -- lua
        local function f(x) return nil end
        kkkkk kkkkkkkk f    kkkkkk ooo kkk
        -- tsx
        const a = <b c="d">e</b>;
        kkkkk      g a sss    g
        -- json
        {"a": [1, true, "b"]}
         ppp   n  oooo  sss
        -- yaml
        a: b # c
        p    ccc
        - d: 1
          p  n
          http://x: null
                 p  oooo
        -- toml
        [a]
        ttt
        b = "c" # d
        p   sss ccc
    "#]]
    .assert_eq(&all);
}

#[test]
fn names_and_files() {
    for (name, known) in [("Rust", true), ("{.ts", true), ("rust,ignore", true), ("", false), ("klingon", false)] {
        assert_eq!(highlighter(name).is_some(), known, "{name}");
    }
    for (path, known) in [("src/a.rs", true), ("b/Cargo.toml", true), ("README", false), ("x.kts", true)] {
        assert_eq!(highlighter_of_file(path).is_some(), known, "{path}");
    }
}

#[test]
fn what_is_too_long_or_no_program_has_no_classes_and_does_no_harm() {
    let mut reader = highlighter("rust").unwrap();
    let long = format!("let x = \"{}\";", "a".repeat(300 * 1024));
    assert!(reader.line(&long).is_empty());
    assert!(reader.line("fn main() {}").is_empty());
    for name in ["rust", "py", "ts", "sh", "php", "swift", "yaml", "json"] {
        let noise = "中)]}'\"`/*é\u{0}\\\n((([[[{{{ <?php \"\"\" '''\n\n\u{feff}`${{x}\n";
        assert_eq!(highlighter(name).unwrap().lines(noise).len(), noise.lines().count(), "{name}");
        streamed(name, noise);
    }
}
