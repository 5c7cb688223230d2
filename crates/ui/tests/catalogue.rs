//! Every sentence that the interfaces ask for is in the catalogue, and every sentence that is there for them is used.

use std::collections::BTreeSet;
use std::path::Path;

use ox_protocol::locale::Language;

const PREFIXES: [&str; 7] = ["ui.", "tool.", "stage.", "state.", "approval.", "repl.", "picker."];
/// Prefixes that nobody else words sentences under; reasons for asking, for example, are words of the core.
const OURS_ALONE: [&str; 5] = ["ui.", "stage.", "state.", "repl.", "picker."];

fn sources(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("the sources can be listed") {
        let path = entry.expect("the sources can be listed").path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.file_name().is_some_and(|name| name != "tests.rs") {
            *out += &std::fs::read_to_string(&path).expect("the sources can be read");
        }
    }
}

fn used() -> BTreeSet<String> {
    let mut text = String::new();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    ["src", "../screen/src"].iter().for_each(|it| sources(&here.join(it), &mut text));
    let is_key = |it: &&str| {
        PREFIXES.iter().any(|prefix| it.starts_with(prefix))
            && it.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '.'))
    };
    text.split('"').filter(is_key).map(str::to_string).collect()
}

#[test]
fn every_sentence_that_is_asked_for_exists() {
    let used = used();
    assert!(used.len() > 100, "the search finds the keys: {}", used.len());
    let missing: Vec<&String> = used.iter().filter(|key| !Language::En.has(key)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn every_sentence_for_the_interfaces_is_used() {
    let used = used();
    let ours = |key: &&str| OURS_ALONE.iter().any(|prefix| key.starts_with(prefix));
    let idle: Vec<&str> = Language::En
        .keys()
        .into_iter()
        .filter(ours)
        .filter(|key| !used.contains(key.trim_end_matches(".one")))
        .collect();
    assert!(idle.is_empty(), "{idle:?}");
}
