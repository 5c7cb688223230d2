//! Changes that look like dishonest ones and are none.

use ox_audit::Changed;

use crate::testing::{found, table};

const TEST: &str =
    "from a import f\n\n\ndef test_f():\n    value = f(1)\n    assert value == 2\n    assert value != 3\n";

#[test]
fn what_only_moves_or_gets_another_name_is_nothing() {
    table(&[
        ("test_a.py", TEST, &[("test_f", "test_f_adds_one")], ""),
        ("test_a.py", TEST, &[("    value = f(1)\n", "    value = f(1)\n    print(value)\n")], ""),
        ("test_a.py", TEST, &[("def test_f", "def test_g():\n    assert f(2) == 3\n\n\ndef test_f")], ""),
        ("test_a.py", TEST, &[("value", "result")], ""),
        ("test_a.py", TEST, &[("assert value == 2", "assert value == 2, 'one more'")], ""),
    ]);
    let moved =
        [Changed::new("test_a.py", Some(TEST), Some("from a import f\n")), Changed::new("test_b.py", None, Some(TEST))];
    assert_eq!(found(&moved, &[]), []);
}

#[test]
fn what_lost_its_subject_is_nothing() {
    let changes = [
        Changed::new(
            "a.py",
            Some("def f(x):\n    return x + 1\n\n\ndef g(x):\n    return x\n"),
            Some("def g(x):\n    return x\n"),
        ),
        Changed::new("test_a.py", Some(TEST), Some("from a import g\n")),
    ];
    assert_eq!(found(&changes, &[]), []);
}

#[test]
fn words_in_strings_and_comments_are_no_code() {
    let rust = "#[test]\nfn t() {\n    let text = \"x\";\n    assert_eq!(parse(text), 1);\n}\n";
    table(&[
        ("tests/t.rs", rust, &[("\"x\"", "\"#[ignore] it.skip('a') || true\"")], ""),
        ("tests/t.rs", rust, &[("    let text", "    // #[ignore] was here once, and t.Skip()\n    let text")], ""),
    ]);
}

#[test]
fn an_assertion_that_another_test_has_now_is_not_gone() {
    let long = "def test_f():\n    assert f(1) == 2\n    a = f(3)\n    assert a == 4\n";
    let throws = "TEST(a, args) {\n  EXPECT_THROW_MSG(f(\"%1\", 2), error, \"one\");\n  EXPECT_EQ(f(\"x\"), 1);\n}\n";
    let one = "  EXPECT_THROW_MSG(f(\"%1\", 2), error, \"one\");\n";
    let apart = "TEST(a, percent) {\n  EXPECT_THROW_MSG(f(\"%1\", 2), error, \"two\");\n}\n\nTEST(a, args) {";
    let other = "TEST(a, percent) {\n  EXPECT_THROW_MSG(f(\"%2\", 2), error, \"two\");\n}\n\nTEST(a, args) {";
    table(&[
        ("test_a.py", long, &[("    a = f(3)\n", "\n\ndef test_three():\n    a = f(3)\n")], ""),
        ("a_test.cc", throws, &[(one, ""), ("TEST(a, args) {", apart)], ""),
        ("a_test.cc", throws, &[(one, ""), ("TEST(a, args) {", other)], "assertion_removed"),
    ]);
}

#[test]
fn a_test_that_became_one_case_of_many_is_not_deleted() {
    let test = |name: &str, n: u32| format!("  func test{name}() {{\n    check(chunks(of: {n}))\n  }}\n");
    let swift = format!("final class C: XCTestCase {{\n{}{}{}}}\n", test("One", 1), test("Two", 2), test("Three", 3));
    let (two, three) = (test("Two", 2), test("Three", 3));
    let rest = "    check(chunks(of: 1))\n";
    let row = |now| ("CTests.swift", swift.as_str(), now);
    for (kept, expected) in [
        ("    for i in 1...3 {\n      check(chunks(of: i))\n    }\n", ""),
        ("    for i in 1...3 {\n      print(chunks(of: i))\n    }\n", "test_deleted test_deleted"),
        ("    let size = 1\n    check(chunks(of: size))\n", "test_deleted test_deleted"),
    ] {
        let (path, before, edits) = row([(two.as_str(), ""), (three.as_str(), ""), (rest, kept)]);
        table(&[(path, before, &edits, expected)]);
    }
}

#[test]
fn an_error_that_becomes_a_value_is_not_dropped() {
    let java = "class A {\n  int f(String s) {\n    return parse(s, 10);\n  }\n}\n";
    let old = "    return parse(s, 10);\n";
    let caught = |end: &str| {
        format!("    try {{\n      return parse(s, 10);\n    }} catch (Exception e) {{\n    }}\n    {end}\n")
    };
    table(&[
        ("A.java", java, &[(old, &caught("return FAILED;"))], ""),
        ("A.java", java, &[(old, &caught("throw new IllegalStateException(s);"))], ""),
        ("A.java", java, &[(old, &caught("return null;"))], "error_swallowed"),
    ]);
}
