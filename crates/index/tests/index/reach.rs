//! From names to what a change reaches, and to the tests that should run.

use crate::graph::of;
use ox_index::{Target, reached, targets, tests_for};

const FILES: [(&str, &str); 7] = [
    ("app/__init__.py", ""),
    ("app/core.py", "def area(x):\n    return x * x\n\ndef other():\n    return 1\n"),
    ("app/shop.py", "from app.core import area\n\ndef price(x):\n    return area(x)\n"),
    ("app/alone.py", "def nobody():\n    return 2\n"),
    ("tests/test_shop.py", "from app.shop import price\n\ndef test_price():\n    assert price(2) == 4\n"),
    ("tests/test_alone.py", "from app.alone import nobody\n\ndef test_nobody():\n    assert nobody() == 2\n"),
    ("setup.cfg", "[x]\n"),
];

#[test]
fn a_name_is_a_file_a_symbol_or_a_folder() {
    let snapshot = of(&FILES);
    let file = |path: &str| Target::File(path.to_owned());
    let symbol = |path: &str, name: &str| Target::Symbol { path: path.to_owned(), name: name.to_owned() };
    for (named, expected) in [
        ("app/core.py", vec![file("app/core.py")]),
        ("./app/core.py", vec![file("app/core.py")]),
        ("core.py", vec![file("app/core.py")]),
        ("area", vec![symbol("app/core.py", "area")]),
        ("core.py:other", vec![symbol("app/core.py", "other")]),
        ("tests/", vec![file("tests/test_alone.py"), file("tests/test_shop.py")]),
        ("nothing", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(targets(&snapshot, named), expected, "{named}");
    }
}

#[test]
fn what_several_changes_reach_is_reported_once_and_without_them() {
    let snapshot = of(&FILES);
    let both = [Target::File("app/core.py".to_owned()), Target::File("app/shop.py".to_owned())];
    let all = reached(&snapshot, &both, 50);
    let mut seen: Vec<(String, Option<String>)> =
        all.items.iter().map(|it| (it.path.clone(), it.symbol.clone())).collect();
    let reported = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), reported);
    assert!(all.items.iter().any(|it| it.path == "tests/test_shop.py" && it.test));
    assert!(all.items.iter().all(|it| it.path != "tests/test_alone.py"));
    assert!(reached(&snapshot, &both, 1).cut);
}

#[test]
fn only_the_tests_that_an_edit_can_reach_are_named() {
    let snapshot = of(&FILES);
    let tests = |changed: &[&str]| {
        let tests = tests_for(&snapshot, changed);
        let paths: Vec<String> = tests.items.into_iter().map(|it| it.path).collect();
        (paths.join(" "), tests.complete)
    };
    let reported = |paths: &str, complete| (paths.to_owned(), complete);
    assert_eq!(tests(&["app/core.py"]), reported("tests/test_shop.py", true));
    assert_eq!(tests(&["app/alone.py"]), reported("tests/test_alone.py", true));
    assert_eq!(tests(&["tests/test_shop.py"]), reported("tests/test_shop.py", true));
    assert_eq!(tests(&["app/core.py", "app/alone.py"]).0.split(' ').count(), 2);
    // Nobody can say what a file reaches that is no code, or that is gone.
    assert_eq!(tests(&["setup.cfg"]), reported("", false));
    assert_eq!(tests(&["app/gone.py"]), reported("", false));
    assert_eq!(tests(&[]), reported("", true));
}
