//! `ox impact` and `ox modules` by the commands that users and scripts type: what a change reaches, and which documents of
//! modules are out of date.

use serde_json::Value;

use crate::place::Place;

fn project() -> Place {
    let place = Place::new();
    place.write("app/__init__.py", "");
    place.write("app/core.py", "def area(x):\n    return x * x\n");
    place.write("app/shop.py", "from app.core import area\n\ndef price(x):\n    return area(x)\n");
    place.write("tests/test_shop.py", "from app.shop import price\n\ndef test_price():\n    assert price(2) == 4\n");
    place.write("app/.ac.mod.md", "# app\nWhat is sold.\n\n* `area(x)` and `volume_of(x)`; see `app/core.py`.\n");
    place.write("tests/.ac.mod.md", "# tests\nHow it is tested.\n");
    place
}

#[test]
fn a_symbol_and_its_file_reach_their_users_and_tests() {
    let place = project();
    for target in ["area", "app/core.py", "core.py:area"] {
        let ran = place.ox(&["impact", "--json", target]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let reported: Value = serde_json::from_str(&ran.out).unwrap();
        assert_eq!(reported["targets"][0]["path"], "app/core.py");
        assert_eq!(reported["files"], serde_json::json!(["app/shop.py", "tests/test_shop.py"]), "{target}");
        assert_eq!(reported["tests"], serde_json::json!(["tests/test_shop.py"]));
        let last = reported["items"].as_array().unwrap().last().unwrap();
        assert_eq!((&last["distance"], last["because"].as_array().unwrap().len()), (&Value::from(2), 2));
    }
    let ran = place.ox(&["impact", "area"]);
    assert_eq!(
        ran.out,
        "app/shop.py  price  ← calls\ntests/test_shop.py  test_price  [test]  ← calls price (app/shop.py) ← calls\n"
    );
    assert!(ran.err.contains("2 places in 2 files; tests in 1 file."), "{}", ran.err);
    let ran = place.ox_with(&["impact", "area"], &[("OX_LANGUAGE", "zh")]);
    assert!(ran.err.contains("2 个文件中的 2 处；其中 1 个文件含测试。"), "{}", ran.err);
    let ran = place.ox(&["impact", "area", "--limit", "1"]);
    assert!(ran.out.lines().count() == 1 && ran.err.contains("--limit"), "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("1 place in 1 file; tests in 0 files."), "{}", ran.err);
    let ran = place.ox(&["impact", "zeppelin"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("There is no file or symbol zeppelin"), "{}", ran.err);
}

#[test]
fn documents_of_modules_are_listed_and_held_against_the_code() {
    let place = project();
    let ran = place.ox(&["modules"]);
    assert_eq!(
        ran.out,
        "app/.ac.mod.md  What is sold.\n    out of date: line 4 mentions volume_of, which is not in the project\ntests/.ac.mod.md  How it is tested.\n"
    );
    let reported: Value = serde_json::from_str(&place.ox(&["modules", "--json"]).out).unwrap();
    let stale: Vec<bool> = reported["modules"].as_array().unwrap().iter().map(|it| it["stale"] == true).collect();
    assert_eq!(stale, [true, false]);
    assert_eq!(reported["modules"][0]["missing"][0]["name"], "volume_of");
    let ran = Place::new().ox(&["modules"]);
    assert!(ran.code == Some(0) && ran.out.is_empty() && ran.err.contains("no module documents"), "{}", ran.err);
}
