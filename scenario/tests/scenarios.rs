//! Every scenario at every speed. `UPDATE=1 cargo test -p ox-scenario` rewrites what Ox did.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::path::{Path, PathBuf};

use ox_scenario::{KEYS, Knobs, Speed, retell_file, run_file, text::Doc};

/// Fewer files than this are there only when some went missing.
const FEWEST: usize = 60;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|it| it == "ox") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn all(speed: Speed) {
    let update = std::env::var_os("UPDATE").is_some_and(|it| it == "1");
    let only = std::env::var("SCENARIO").unwrap_or_default();
    let (mut ran, mut wrong) = (0, Vec::new());
    for path in files(&folder()).iter().filter(|it| it.to_string_lossy().contains(&only)) {
        match run_file(path, speed, update) {
            Ok(counts) => ran += usize::from(counts),
            Err(error) => wrong.push(format!("{}\n{error}", path.strip_prefix(folder()).unwrap().display())),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} scenarios at {} speed:\n\n{}",
        wrong.len(),
        ran + wrong.len(),
        speed.name(),
        wrong.join("\n\n")
    );
    println!("{ran} scenarios at {} speed", speed.name());
}

#[test]
fn there_are_enough_of_them() {
    let files = files(&folder());
    assert!(files.len() >= FEWEST, "only {} scenarios were found", files.len());
}

#[test]
fn agent_speed() {
    all(Speed::Agent);
}

#[test]
fn core_speed() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::Core);
    }
}

#[test]
fn wire_speed_openai() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::OpenAi);
    }
}

#[test]
fn wire_speed_anthropic() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::Anthropic);
    }
}

#[test]
fn wire_speed_responses() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::Responses);
    }
}

#[test]
fn wire_speed_gemini() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::Gemini);
    }
}

#[test]
fn wire_speed_xml() {
    if std::env::var_os("UPDATE").is_none() {
        all(Speed::Xml);
    }
}

#[test]
fn the_book_lists_every_key() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src/scenarios.md");
    let book = std::fs::read_to_string(&path).unwrap();
    let rows: String = KEYS.iter().map(|(key, meaning)| format!("| `{key}` | {meaning} |\n")).collect();
    let (before, rest) = book.split_once("| key of `set` | meaning |\n|---|---|\n").unwrap();
    let (listed, after) = rest.split_once("\n\n").unwrap();
    if std::env::var_os("UPDATE").is_some() {
        let page = format!("{before}| key of `set` | meaning |\n|---|---|\n{rows}\n{after}");
        std::fs::write(&path, page).unwrap();
    } else {
        assert_eq!(format!("{listed}\n"), rows, "UPDATE=1 cargo test -p ox-scenario writes the list");
    }
}

#[test]
fn every_key_is_read() {
    for (key, _) in KEYS {
        // A value that no key takes is refused for its own sake, and never because the key is not read.
        let doc = Doc::parse(&format!("A title.\n-- set --\n{key}: \n"));
        let _ = Knobs::of(&doc);
    }
}

/// What a log cannot tell: when time passed, that the process died without a trace, what others did to the files, and what
/// stands in the logs of sub-agents.
const UNREPORTED: &[&str] = &["clock:", "crash", "repo-change/", "tool: spawn_subagent"];

#[test]
fn a_log_is_reported_as_the_scenario_that_it_was() {
    let mut wrong = Vec::new();
    for path in files(&folder()) {
        let doc = Doc::parse(&std::fs::read_to_string(&path).unwrap());
        let reported = !doc.sections.iter().any(|it| UNREPORTED.iter().any(|name| it.name.starts_with(name)));
        if reported && Knobs::of(&doc).unwrap().speeds.contains(&Speed::Core) {
            wrong.extend(retell_file(&path).err().map(|error| format!("{}\n{error}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
