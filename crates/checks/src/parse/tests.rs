//! Real outputs of the tools, and what is read from them.

use expect_test::{Expect, expect};

use super::line::place;
use super::*;

/// One line a diagnostic; further lines of its message indented.
fn check(sample: &str, expected: Expect) {
    let shown: String = read(&plain(sample))
        .iter()
        .map(|it| {
            let code = if it.code.is_empty() { String::new() } else { format!(" [{}]", it.code) };
            format!("{}:{}:{}{code} {}\n", it.file, it.line, it.column, it.message.replace('\n', "\n    "))
        })
        .collect();
    expected.assert_eq(&shown);
}

/// Output is cut in the middle where there is much of it; no cut may stop the reading.
fn check_cuts(sample: &str) {
    let cuts = (0..sample.len()).step_by(47.max(sample.len() / 40)).filter(|it| sample.is_char_boundary(*it));
    for (head, tail) in cuts.map(|it| sample.split_at(it)) {
        read(&plain(head));
        read(&plain(tail));
        read(&plain(&format!("{tail}{head}")));
    }
}

macro_rules! samples {
    ($($name:ident => $expected:expr;)*) => {
        $(#[test] fn $name() {
            let sample = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/parse/samples/", stringify!($name), ".txt"));
            check(sample, $expected);
            check_cuts(sample);
        })*
    };
}

mod node;
mod other;
mod python;

samples! {
    cargo_json => expect![[r#"
        src/lib.rs:3:9 [E0425] cannot find value `c` in this scope
            help: a local variable with a similar name exists: `a`
        src/lib.rs:3:9 [E0425] cannot find value `c` in this scope
            help: a local variable with a similar name exists: `a`
        src/lib.rs:5:26 [E0308] mismatched types
              expected `String`, found integer
              expected `String` because of return type
            help: try using a conversion method: `.to_string()`
        src/lib.rs:6:36 [E0277] cannot add `&str` to `{integer}`
              no implementation for `{integer} + &str`
            help: the trait `Add<&str>` is not implemented for `{integer}`
            help: the following other types implement trait `Add<Rhs>`:
                `&f128` implements `Add<f128>`
                `&f128` implements `Add`
                `&f16` implements `Add<f16>`
        src/lib.rs:5:26 [E0308] mismatched types
              expected `String`, found integer
              expected `String` because of return type
            help: try using a conversion method: `.to_string()`
        src/lib.rs:6:36 [E0277] cannot add `&str` to `{integer}`
              no implementation for `{integer} + &str`
            help: the trait `Add<&str>` is not implemented for `{integer}`
            help: the following other types implement trait `Add<Rhs>`:
                `&f128` implements `Add<f128>`
                `&f128` implements `Add`
                `&f16` implements `Add<f16>`
    "#]];
    rustc => expect![[r#"
        src/lib.rs:3:9 [E0425] cannot find value `c` in this scope
            help: a local variable with a similar name exists
        src/lib.rs:5:26 [E0308] mismatched types
            expected `String`, found integer
            help: try using a conversion method
        src/lib.rs:6:36 [E0277] cannot add `&str` to `{integer}`
            no implementation for `{integer} + &str`
            help: the trait `Add<&str>` is not implemented for `{integer}`
            help: the following other types implement trait `Add<Rhs>`:
            note: this error originates in the macro `m` (in Nightly builds, run with -Z macro-backtrace for more info)
    "#]];
    libtest => expect![[r#"
        :0:0 [tests::returns] Error: ParseIntError { kind: InvalidDigit }
        src/lib.rs:21:8 [tests::should] test did not panic as expected
        src/lib.rs:14:17 [tests::adds] assertion `left == right` failed: sum of 2 and 2
              left: 0
             right: 4
        src/lib.rs:24:20 [tests::should2] other
            lines
            note: panic did not contain expected string
                  panic message: "other\nlines"
             expected substring: "boom"
        src/lib.rs:16:31 [tests::unwraps] called `Result::unwrap()` on an `Err` value: ParseIntError { kind: InvalidDigit }
        src/lib.rs:28:69 [tests::thread] called `Result::unwrap()` on an `Err` value: Any { .. }
        tests/it.rs:2:39 [outer] assertion failed: lab::add(1, 1) == 2
        src/lib.rs:5:1 [src/lib.rs - add] assertion `left == right` failed
              left: 0
             right: 5
    "#]];
    tsc => expect![[r#"
        src/a.ts:2:3 [TS2322] Type 'string' is not assignable to type 'number'.
        src/a.ts:4:40 [TS2322] Type 'string' is not assignable to type 'number'.
        src/a.ts:5:25 [TS2307] Cannot find module './nope' or its corresponding type declarations.
    "#]];
    pretty => expect![[r#"
        src/a.ts:2:3 [TS2322] Type '{ a: string; }' is not assignable to type 'A'.
              Types of property 'a' are incompatible.
                Type 'string' is not assignable to type 'number'.
        :0:0 [TS18003] No inputs were found in config file 'tsconfig.json'.
    "#]];
    eslint => expect![[r#"
        /home/me/js/lint/b.js:1:7 [no-unused-vars] 'unused' is assigned a value but never used
        /home/me/js/lint/b.js:2:1 [no-undef] 'undef' is not defined
        /home/me/js/lint/b.js:3:5 [no-constant-condition] Unexpected constant condition
        /home/me/js/lint/b.js:3:8 [no-empty] Empty block statement
        /home/me/js/lint/bad.js:3:9 Parsing error: Unexpected token ;
    "#]];
    vitest => expect![[r#"
        test/b.test.js:1:1 Error: Cannot find module './nope.js' imported from /home/me/js/test/b.test.js
        test/a.test.js:4:40 [math > adds] AssertionError: expected -1 to be 3 // Object.is equality
            - Expected
            + Received
            - 3
            + -1
        test/a.test.js:5:47 [math > deep] AssertionError: expected { a: 1, b: [ 1 ] } to deeply equal { a: 1, b: [ 2 ] }
            - Expected
            + Received
              {
                "a": 1,
                "b": [
            -     2,
            +     1,
                ],
              }
        test/a.test.js:6:30 [math > throws] TypeError: boom
    "#]];
    jest => expect![[r#"
        sub/a.test.js:3:66 [math › inner › adds] expect(received).toBe(expected) // Object.is equality
            Expected: 3
            Received: -1
        sub/a.test.js:4:29 [math › throws] TypeError: Cannot read properties of null (reading 'x')
        sub/b.test.js:1:1 Cannot find module './nope' from 'sub/b.test.js'
        sub/c.test.js:1:21 SyntaxError: /home/me/jest/sub/c.test.js: Unexpected token
    "#]];
    pytest_collect => expect![[r#"
        tests/test_collect.py:1:0 [tests/test_collect.py] ModuleNotFoundError: No module named 'nope'
        /home/me/py/tests/test_syntax.py:1:0 [tests/test_syntax.py] def x(:
            ^
            SyntaxError: invalid syntax
    "#]];
    pytest_short => expect![[r#"
        tests/test_calc.py:4:0 [tests/test_calc.py::test_add] AssertionError: sum
            assert 0 == 4
            +  where 0 = add(2, 2)
        tests/test_calc.py:7:0 [tests/test_calc.py::test_param[1]] assert 0 == (2 * 1)
            +  where 0 = add(1, 1)
        tests/test_calc.py:7:0 [tests/test_calc.py::test_param[2]] assert 0 == (2 * 2)
            +  where 0 = add(2, 2)
        calc.py:7:0 [tests/test_calc.py::TestC::test_crash] KeyError: 'k'
        tests/test_calc.py:17:0 [tests/test_calc.py::test_long] AssertionError: assert {'a': 1, 'b': [1, 2, 3]} == {'a': 1, 'b': [1, 2, 4]}
            Omitting 1 identical items, use -vv to show
            Differing items:
            {'b': [1, 2, 3]} != {'b': [1, 2, 4]}
            Use -v to get more diff
        tests/test_calc.py:13:0 [tests/test_calc.py::test_fx] RuntimeError: fixture broke
    "#]];
    pytest_long => expect![[r#"
        tests/test_calc.py:4:0 [tests/test_calc.py::test_add] AssertionError: sum
            assert 0 == 4
            +  where 0 = add(2, 2)
        tests/test_calc.py:7:0 [tests/test_calc.py::test_param[1]] assert 0 == (2 * 1)
            +  where 0 = add(1, 1)
        tests/test_calc.py:7:0 [tests/test_calc.py::test_param[2]] assert 0 == (2 * 2)
            +  where 0 = add(2, 2)
        calc.py:7:0 [tests/test_calc.py::TestC::test_crash] KeyError: 'k'
        tests/test_calc.py:17:0 [tests/test_calc.py::test_long] AssertionError: assert {'a': 1, 'b': [1, 2, 3]} == {'a': 1, 'b': [1, 2, 4]}
            Omitting 1 identical items, use -vv to show
            Differing items:
            {'b': [1, 2, 3]} != {'b': [1, 2, 4]}
            Use -v to get more diff
        tests/test_calc.py:13:0 [tests/test_calc.py::test_fx] RuntimeError: fixture broke
    "#]];
    pytest_conftest => expect![[r#"
        pkg/__init__.py:1:0 ModuleNotFoundError: No module named 'nonexisting_thing'
    "#]];
    pytest_hook => expect![[r#"
        /home/me/py/tests/conftest.py:2:0 ValueError: x
    "#]];
    pytest_doctest => expect![[r#"
        /home/me/py/calc.py:15:0 [calc.py::calc.Box] >>> Box().get()
            Expected:
                [1,
                 2]
            Got:
                [1, 3]
        /home/me/py/calc.py:6:0 [calc.py::calc.add] >>> add(1, 'x')
            UNEXPECTED EXCEPTION: TypeError("unsupported operand type(s) for +: 'int' and 'str'")
    "#]];
    unittest_doctest => expect![[r#"
        /home/me/py/calc.py:15:0 [calc.Box] Box().get()
            Expected:
                [1,
                 2]
            Got:
                [1, 3]
        /home/me/py/calc.py:4:0 [calc.add] add(1, 2)
            Expected:
                4
            Got:
                3
        /home/me/py/calc.py:6:0 [calc.add] add(1, 'x')
            Exception raised:
                TypeError: unsupported operand type(s) for +: 'int' and 'str'
    "#]];
    unittest => expect![[r#"
        /home/me/py/calc.py:7:0 [test_unit.T.test_crash] KeyError: 1
        /home/me/py/test_unit.py:5:0 [test_unit.T.test_add] AssertionError: 0 != 2
    "#]];
    ruff => expect![[r#"
        calc.py:1:1 [I001] Import block is un-sorted or un-formatted
        calc.py:1:8 [F401] `os` imported but unused
        test_unit.py:1:1 [I001] Import block is un-sorted or un-formatted
        tests/test_calc.py:1:1 [I001] Import block is un-sorted or un-formatted
        tests/test_collect.py:1:8 [F401] `nope` imported but unused
        tests/test_syntax.py:1:7 [invalid-syntax] Expected a parameter or the end of the parameter list
        tests/test_syntax.py:2:1 [invalid-syntax] unexpected EOF while parsing
    "#]];
    ruff_full => expect![[r#"
        calc.py:1:1 [I001] Import block is un-sorted or un-formatted
        calc.py:1:8 [F401] `os` imported but unused
        test_unit.py:1:1 [I001] Import block is un-sorted or un-formatted
        tests/test_calc.py:1:1 [I001] Import block is un-sorted or un-formatted
        tests/test_collect.py:1:8 [F401] `nope` imported but unused
        tests/test_syntax.py:1:7 [invalid-syntax] Expected a parameter or the end of the parameter list
        tests/test_syntax.py:1:9 [invalid-syntax] unexpected EOF while parsing
    "#]];
    mypy => expect![[r#"
        calc.py:5:0 [return-value] Incompatible return value type (got "int", expected "str")
        calc.py:5:0 [arg-type] Argument 2 to "add" has incompatible type "str"; expected "int"
    "#]];
    javac => expect![[r#"
        A.java:2:0 incompatible types: String cannot be converted to int
        A.java:3:0 cannot find symbol
            method foo()
    "#]];
    gcc => expect![[r#"
        a.c:3:3 expected ‘,’ or ‘;’ before ‘return’
    "#]];
    go => expect![[r#"
        calc/calc.go:5:9 cannot use "s" (untyped string constant) as int value in return statement
        other/a.go:7:2 undefined: missing
        other/a.go:9:6 x declared and not used
        example.com/lab/calc/calc_test.go:8:0 [TestAdd] got 0, want 4
            and again
        example.com/lab/calc/calc_test.go:21:0 [TestTable/negative] Error:      	Not equal
            expected: 3
        /home/me/lab/other/a.go:12:0 panic: runtime error: index out of range [3] with length 0
    "#]];
    maven => expect![[r#"
        /home/me/app/src/main/java/app/Calc.java:4:16 incompatible types: String cannot be converted to int
        CalcTest.java:12:0 [CalcTest.adds] expected: <4> but was: <0>
        CalcTest.java:17:0 [CalcTest.divides] Arithmetic / by zero
    "#]];
    gradle => expect![[r#"
        /home/me/app/src/main/java/app/Calc.java:4:0 incompatible types: String cannot be converted to int
        CalcTest.java:12:0 [CalcTest > adds()] org.opentest4j.AssertionFailedError: expected: <4> but was: <0>
    "#]];
    traceback => expect![[r#"
        /home/me/py/tool.py:6:0 json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)
    "#]];
    nothing => expect![[""]];
}

#[test]
fn odd_lines_are_no_places() {
    let table = [
        ("a.rs:3:4: x", Some(("a.rs", 3, 4, " x"))),
        ("a.rs:3: x", Some(("a.rs", 3, 0, " x"))),
        ("a.rs:3", Some(("a.rs", 3, 0, ""))),
        ("a.rs:3:4", Some(("a.rs", 3, 4, ""))),
        ("a:b.rs:3:4:5", Some(("a:b.rs", 3, 4, "5"))),
        ("a.rs:3:4x", Some(("a.rs", 3, 0, "4x"))),
        ("a.rs:", None),
        (":3", None),
        ("", None),
        ("é:1:é", Some(("é", 1, 0, "é"))),
        ("a:99999999999999", None),
    ];
    for (text, wanted) in table {
        assert_eq!(place(text), wanted, "{text}");
    }
}

#[test]
fn escapes_go_and_addresses_are_masked() {
    let table = [
        ("\u{1b}[1;31merror\u{1b}[0m x\r\n", "error x\n"),
        ("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\link", "alink"),
        ("\u{1b}", ""),
        ("\u{1b}[", ""),
    ];
    for (text, wanted) in table {
        assert_eq!(plain(text), wanted, "{text:?}");
    }
    assert_eq!(tidy(" <T at 0x7ffba57d1cd0> 0xFF 0x "), "<T at 0x…> 0xFF 0x");
    assert!(tidy(&"é".repeat(2_000)).len() <= MESSAGE + 4);
}
