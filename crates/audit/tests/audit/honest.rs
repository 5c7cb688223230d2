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
