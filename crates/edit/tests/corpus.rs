//! Measures the engine against recorded edits (search/replace and whole files): `OX_CORPORA` names the folder that holds
//! `edits.dev.jsonl`. Without it, the few cases below are measured in the same way. `OX_SHOW=<category or id>`
//! prints what went wrong there.

use std::collections::BTreeMap;
use std::time::Instant;

use ox_edit::{Applied, Block, Refusal, apply, parse_search_replace, rewrite, short_diff};
use serde_json::{Value, json};

#[derive(Default, Clone)]
struct Tally {
    right: usize,
    near: usize,
    refused: usize,
    wrong: usize,
    rightly_refused: usize,
    wrongly_edited: usize,
}

fn own_cases() -> Vec<Value> {
    let case = |id: &str, before: &str, search: &str, replace: &str, after: Option<&str>| {
        json!({ "id": id, "category": "own", "format": "search_replace", "before": before,
            "edit": { "search": search, "replace": replace }, "expected_after": after })
    };
    vec![
        case("exact", "a\nb\nc\n", "b\n", "x\n", Some("a\nx\nc\n")),
        case("indented", "  a\n  b\n", "a\nb\n", "a\n  c\nb\n", Some("  a\n    c\n  b\n")),
        case("twice", "a\na\n", "a\n", "b\n", None),
        case("crlf", "a\r\nb\r\n", "b\n", "c\nd\n", Some("a\r\nc\r\nd\r\n")),
    ]
}

fn cases() -> Vec<Value> {
    let Ok(folder) = std::env::var("OX_CORPORA") else { return own_cases() };
    let text = std::fs::read_to_string(format!("{folder}/edits.dev.jsonl")).expect("the corpus is readable");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn blocks(edit: &Value) -> Option<Vec<Block>> {
    let one = |block: &Value| Block {
        search: block["search"].as_str().unwrap_or_default().to_owned(),
        replace: block["replace"].as_str().unwrap_or_default().to_owned(),
        hint: block["hint"].as_u64().map(|hint| hint as usize),
    };
    match edit {
        Value::String(raw) => parse_search_replace(raw).ok(),
        Value::Array(list) => Some(list.iter().map(one).collect()),
        _ => Some(vec![one(edit)]),
    }
}

/// Runs one case and notes how it went; the time in microseconds.
fn measure(case: &Value, tally: &mut Tally, show: bool) -> f64 {
    let before = case["before"].as_str().unwrap_or_default();
    let whole = (case["format"] == "whole_file").then(|| case["edit"].as_str().unwrap_or_default());
    let given = blocks(&case["edit"]);
    let start = Instant::now();
    let result: Option<Result<Applied, Refusal>> = match (whole, &given) {
        (Some(new), _) => Some(rewrite(before, new).map(|text| Applied { text, places: Vec::new() })),
        (None, Some(blocks)) => Some(apply(before, blocks)),
        (None, None) => None,
    };
    let micros = start.elapsed().as_secs_f64() * 1e6;
    let after = match &result {
        Some(Ok(applied)) => Some(applied.text.as_str()),
        _ => None,
    };
    let expected = case["expected_after"].as_str();
    let near = || case["near_ok"].as_array().is_some_and(|list| list.iter().any(|text| text.as_str() == after));
    let verdict = match (expected, after) {
        (Some(expected), Some(after)) if expected == after => (&mut tally.right, ""),
        (Some(_), Some(_)) if near() => (&mut tally.near, "near"),
        (Some(_), Some(_)) => (&mut tally.wrong, "WRONG"),
        (Some(_), None) if case["refusal_ok"] == true => (&mut tally.right, ""),
        (Some(_), None) => (&mut tally.refused, "refused"),
        (None, None) => (&mut tally.rightly_refused, ""),
        (None, Some(_)) => (&mut tally.wrongly_edited, "EDITED"),
    };
    *verdict.0 += 1;
    if show && !verdict.1.is_empty() {
        println!("=== {} {} {}", case["id"], verdict.1, case["note"]);
        match (&result, expected) {
            (Some(Ok(applied)), Some(expected)) => {
                println!("{:?}\n{}", applied.places, short_diff(expected, &applied.text, 2, 60));
            }
            (Some(Ok(applied)), None) => println!("{:?}\n{}", applied.places, short_diff(before, &applied.text, 2, 60)),
            (Some(Err(refusal)), _) => println!("{}", refusal.message()),
            (None, _) => println!("not readable"),
        }
        if let (Some(Ok(_)), Some(blocks)) = (&result, blocks(&case["edit"])) {
            for block in blocks {
                println!("request:\n{}", short_diff(&block.search, &block.replace, 30, 60));
            }
        }
    }
    micros
}

#[test]
fn edits_land_or_are_refused() {
    let cases = cases();
    let show = std::env::var("OX_SHOW").unwrap_or_default();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut times = Vec::new();
    for case in &cases {
        if !(case["format"] == "search_replace" || case["format"] == "whole_file") || case["contested"] == true {
            continue;
        }
        let category = case["category"].as_str().unwrap_or_default();
        let shown = !show.is_empty() && (category == show || case["id"] == show.as_str());
        times.push(measure(case, tallies.entry(category.to_owned()).or_default(), shown));
    }
    let mut total = Tally::default();
    println!("{:32}{:>7}{:>6}{:>8}{:>7}{:>10}{:>8}", "", "right", "near", "refused", "wrong", "must-ref.", "edited");
    for (category, t) in &tallies {
        let row = [t.right, t.near, t.refused, t.wrong, t.rightly_refused, t.wrongly_edited];
        println!("{category:32}{:>7}{:>6}{:>8}{:>7}{:>10}{:>8}", row[0], row[1], row[2], row[3], row[4], row[5]);
        total.right += t.right;
        total.near += t.near;
        total.refused += t.refused;
        total.wrong += t.wrong;
        total.rightly_refused += t.rightly_refused;
        total.wrongly_edited += t.wrongly_edited;
    }
    times.sort_by(f64::total_cmp);
    let positive = total.right + total.near + total.refused + total.wrong;
    println!(
        "right {:.1} % of {positive}, near {}, refused {}, wrong {}; must-refuse {}, edited {}; median {:.1} µs, p99 {:.0} µs",
        100.0 * total.right as f64 / positive as f64,
        total.near,
        total.refused,
        total.wrong,
        total.rightly_refused,
        total.wrongly_edited,
        times[times.len() / 2],
        times[times.len() * 99 / 100],
    );
    assert!(total.right * 100 >= positive * 70, "fewer than 70 % right");
    assert!(total.wrongly_edited * 100 <= total.rightly_refused, "edits where refusal was due");
}
