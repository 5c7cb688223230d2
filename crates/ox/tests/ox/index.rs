//! `ox index`: what it counts, what it finds the second time, and where it says that it could not write.

use serde_json::Value;

use crate::place::Place;

fn counted(place: &Place) -> (Value, String) {
    let ran = place.ox(&["index", "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (serde_json::from_str(&ran.out).unwrap(), ran.err)
}

fn project() -> Place {
    let place = Place::new();
    place.write("src/money.rs", "/// An amount.\npub struct Money(pub i64);\n");
    place.write("src/lib.rs", "pub mod money;\npub use money::Money;\n");
    place.write("Cargo.lock", "version = 4\n");
    place.write("logo.png", [0, 1, 2]);
    place.write(".gitignore", "target/\n");
    place.write(".oxignore", "drafts/\n");
    place.write("target/x.rs", "pub struct Derived;\n");
    place.write("drafts/x.rs", "pub struct Draft;\n");
    place
}

#[test]
fn a_project_is_counted_and_known_the_second_time() {
    let place = project();
    let (first, said) = counted(&place);
    let of = |value: &Value, name: &str| value[name].as_u64().unwrap();
    assert_eq!((of(&first, "files"), of(&first, "parsed")), (6, 4), "{first}");
    assert!(of(&first, "symbols") >= 2 && of(&first, "chunks") >= 2 && of(&first, "edges") >= 1, "{first}");
    assert!(of(&first, "bytes") > 50 && of(&first, "disk") > 100, "{first}");
    let skipped =
        ["ignored", "binary", "generated", "minified", "huge", "unreadable"].map(|it| of(&first["skipped"], it));
    assert_eq!(skipped, [2, 1, 1, 0, 0, 0]);
    assert!(said.is_empty() && first["unsaved"].is_null() && first["broken"].as_array().unwrap().is_empty(), "{said}");
    let (second, _) = counted(&place);
    assert_eq!((of(&second, "files"), of(&second, "parsed")), (6, 0), "{second}");
    assert_eq!(of(&second, "edges"), of(&first, "edges"));
    place.write("src/money.rs", "pub struct Cash(pub i64);\n");
    assert_eq!(of(&counted(&place).0, "parsed"), 1);
}

#[test]
fn an_index_that_cannot_be_written_is_reported_and_works() {
    let place = project();
    std::fs::create_dir_all(place.home("")).unwrap();
    std::fs::write(place.home("cache"), "a file").unwrap();
    let (counts, said) = counted(&place);
    assert_eq!((counts["files"].as_u64(), counts["unsaved"].as_str()), (Some(6), Some("refused")));
    assert!(said.contains("Cannot write the index"), "{said}");
}
