//! The corpus of command lines, where one is named by `OX_CORPORA`: none unasked that is not read-only, none of the system
//! unseen, and the plain reads unasked.

use std::fs;
use std::path::Path;

use ox_protocol::Level;
use serde_json::Value;

/// One line of the corpus.
struct Case {
    id: String,
    command: String,
    category: String,
    floor: u64,
    ceil: u64,
}

fn cases(folder: &Path) -> Vec<Case> {
    let text = fs::read_to_string(folder.join("commands.dev.jsonl")).expect("the corpus has commands");
    let read = |line: &str| -> Case {
        let value: Value = serde_json::from_str(line).expect("a line of the corpus is JSON");
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let level = |key: &str| value[key].as_u64().expect("a level is a number");
        Case {
            id: text("id"),
            command: text("cmd"),
            category: text("category"),
            floor: level("floor"),
            ceil: level("ceil"),
        }
    };
    text.lines().map(read).collect()
}

#[test]
fn the_corpus_is_within_its_bounds() {
    let Some(folder) = std::env::var_os("OX_CORPORA") else { return };
    let mut wrong = Vec::new();
    for case in cases(Path::new(&folder)) {
        let found = super::at_home(&case.command);
        let level = found.level as u64;
        if level < case.floor || level > case.ceil {
            wrong.push(format!(
                "{} [{}] {:?}: {level}, not {}..={}: {:?}",
                case.id, case.category, case.command, case.floor, case.ceil, found.effects
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(Level::System as u64 == 3);
}
