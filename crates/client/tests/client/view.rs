//! The view fold against its fixtures: `NAME.jsonl` holds frames, `NAME.json` the view that they fold to. Clients in other
//! languages run the same files. `UPDATE_EXPECT=1` writes the views anew.

use std::path::Path;

use ox_client::view::{Entry, EntryKind, View};
use ox_protocol::{Event, Frame};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/client/view");

fn frames(path: &Path) -> Vec<Frame> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|it| serde_json::from_str(it).unwrap_or_else(|error| panic!("{error}: {it}"))).collect()
}

#[test]
fn every_fixture_folds_to_its_view() {
    let mut seen = 0;
    for entry in std::fs::read_dir(FOLDER).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|it| it != "jsonl") {
            continue;
        }
        seen += 1;
        let view = View::of(&frames(&path));
        let json = serde_json::to_string_pretty(&view).unwrap() + "\n";
        expect_test::expect_file![path.with_extension("json")].assert_eq(&json);
        assert_eq!(serde_json::from_str::<View>(&json).unwrap(), view, "a view reads back as it was written");
    }
    assert!(seen >= 3, "the fixtures are gone");
}

/// An event of a future version is kept, shown as unknown, and written as it was read.
#[test]
fn the_future_is_kept() {
    let all = frames(&Path::new(FOLDER).join("future.jsonl"));
    let unknown: Vec<&Frame> = all.iter().filter(|it| matches!(it.event, Event::Unknown(_))).collect();
    assert!(!unknown.is_empty());
    let text = std::fs::read_to_string(Path::new(FOLDER).join("future.jsonl")).unwrap();
    let kept = text.lines().zip(&all).filter(|(_, it)| it.event.unknown().is_some());
    for (line, frame) in kept {
        let (read, written): (serde_json::Value, _) =
            (serde_json::from_str(line).unwrap(), serde_json::to_value(frame).unwrap());
        assert_eq!(written, read);
    }
    let view = View::of(&all);
    assert!(view.turn == 1 && !view.busy && view.asked.is_empty(), "what is known of it still ends what it ends");
    let shown = |it: &&Entry| matches!(it.kind, EntryKind::Unknown { .. });
    assert_eq!(view.entries.iter().filter(shown).count(), unknown.len());
}
