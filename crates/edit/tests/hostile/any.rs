//! Any bytes as a text and an edit of it, and what must hold whatever they are.
//!
//! The first byte chooses the format; what follows up to a line `%%` is the text, the rest is the edit.

use ox_edit::{Block, Files, LineRange, Request, apply, detect, run, run_checked, short_diff};

const PATH: &str = "src/x.rs";
/// What separates the text from the edit, and in a block the search text from the replacement.
const RULE: &str = "\n%%\n";

/// Panics if the engine does, or if what it answers cannot be.
pub fn check(bytes: &[u8]) {
    let Some((&choice, rest)) = bytes.split_first() else { return };
    let input = String::from_utf8_lossy(rest);
    let (text, edit) = input.split_once(RULE).unwrap_or((&input, &input));
    let files = Files::from([(PATH.to_owned(), text.to_owned()), ("b.txt".to_owned(), "other\n".to_owned())]);
    let (search, replace) = edit.split_once(RULE).unwrap_or((edit, ""));
    let blocks = [Block { search: search.into(), replace: replace.into(), hint: Some(usize::from(choice)) }];
    let range = LineRange {
        from: usize::from(choice >> 4),
        to: usize::from(choice & 15),
        new: replace.into(),
        old: (choice & 2 == 2).then(|| search.to_owned()),
    };
    let request = match choice % 6 {
        0 => Request::Blocks { path: PATH, blocks: &blocks },
        1 => Request::SearchReplace { path: Some(PATH), text: edit },
        2 => Request::UnifiedDiff { path: Some(PATH), text: edit },
        3 => Request::V4a { text: edit },
        4 => Request::LineRange { path: PATH, ranges: std::slice::from_ref(&range) },
        _ => Request::WholeFile { path: PATH, text: edit },
    };
    let _ = (detect(edit), request.paths());
    let first = run(&request, &files);
    assert_eq!(first, run(&request, &files), "the same request gives the same answer");
    match first {
        Ok(outcome) => {
            sound(&outcome, &files);
            let nothing_parses = run_checked(&request, &files, &|_, _| None);
            assert_eq!(nothing_parses.as_ref(), Ok(&outcome), "a grammar that finds no fault changes nothing");
        }
        Err(refusal) => assert!(!refusal.message().is_empty()),
    }
    reversed(text, &blocks[0]);
}

/// What holds for every answer that changes files.
fn sound(outcome: &ox_edit::Outcome, files: &Files) {
    assert!(!outcome.files_after.is_empty() || outcome.places.is_empty());
    assert!((0.0..=1.0).contains(&outcome.similarity()));
    for (path, now) in &outcome.files_after {
        let old = files.get(path).map_or("", String::as_str);
        let Some(new) = now else {
            assert!(files.contains_key(path), "{path} was not there");
            continue;
        };
        let _ = short_diff(old, new, 1, 20);
        let marked = |text: &str| text.starts_with('\u{feff}');
        assert!(!marked(old) || marked(new), "the byte-order mark of {path} is lost");
        let breaks = |text: &str| (text.matches("\r\n").count(), text.matches('\n').count());
        let (crlf, all) = breaks(old);
        if crlf == all && all > 0 {
            let (crlf, all) = breaks(new);
            assert_eq!(crlf, all, "a line of {path} lost its CRLF");
        }
    }
}

/// An exact edit whose new text is quite new can be taken back.
fn reversed(text: &str, block: &Block) {
    const NEW: &str = "\u{2603}quite new\u{2603}";
    let plain = |text: &str| !text.contains(['\r', '\u{feff}', '\u{2603}']);
    if !plain(text) || !plain(&block.search) || block.search.trim().is_empty() || block.search.contains('\n') {
        return;
    }
    let Ok(there) = apply(text, &[Block::new(block.search.clone(), NEW)]) else { return };
    if there.places[0].strategy.is_exact() {
        let back = apply(&there.text, &[Block::new(NEW, block.search.clone())]);
        assert_eq!(back.map(|applied| applied.text).as_deref(), Ok(text));
    }
}
