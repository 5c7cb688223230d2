//! One recorded edit: how it is read, run and judged.

use std::collections::BTreeMap;
use std::time::Instant;

use ox_edit::{Block, Files, LineRange, Outcome, Reason, Refusal, Request, run, short_diff};
use serde_json::Value;

/// The best of so many runs is a case's time, so that what else the machine does decides nothing.
pub const RUNS: usize = 7;

/// A recorded edit.
pub struct Case {
    pub id: String,
    pub category: String,
    pub format: String,
    pub contested: bool,
    pub files: Files,
    /// The file that is meant where the edit names none.
    pub path: String,
    pub edit: Value,
    /// All files afterwards; none where the edit must be refused.
    expected: Option<Files>,
    near: Vec<String>,
    refusal_ok: bool,
    /// Whether the edit is not made yet, although it must be refused.
    open: bool,
}

/// How a case went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Right,
    Near,
    Refused,
    Wrong,
    RightlyRefused,
    WronglyEdited,
}

/// One case carried out.
pub struct Run {
    pub result: Result<Outcome, Refusal>,
    /// All files afterwards, if the edit went through.
    pub after: Option<Files>,
    pub micros: f64,
}

impl Case {
    pub fn read(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let text = |key: &str| value[key].as_str().map(str::to_owned);
        let several = |key: &str| -> Option<Files> {
            let map = value[key].as_object()?;
            Some(map.iter().map(|(path, text)| (path.clone(), text.as_str().unwrap_or_default().to_owned())).collect())
        };
        let path = text("path").unwrap_or_else(|| "file".into());
        let one = |text: String| BTreeMap::from([(path.clone(), text)]);
        Ok(Self {
            id: text("id").ok_or("no id")?,
            category: text("category").ok_or("no category")?,
            format: text("format").ok_or("no format")?,
            contested: value["contested"] == true,
            files: several("files_before").unwrap_or_else(|| one(text("before").unwrap_or_default())),
            edit: value["edit"].clone(),
            expected: several("files_after").or_else(|| text("expected_after").map(one)),
            near: value["near_ok"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            refusal_ok: value["refusal_ok"] == true,
            open: value["open"] == true,
            path,
        })
    }

    /// Carries the edit out, several times for the sake of the time.
    pub fn run(&self, runs: usize) -> Run {
        let blocks = blocks(&self.edit);
        let ranges = ranges(&self.edit);
        let text = self.edit.as_str().unwrap_or_default();
        let path = self.path.as_str();
        let request = match self.format.as_str() {
            "unified_diff" => Request::UnifiedDiff { path: Some(path), text },
            "v4a" => Request::V4a { text },
            "line_range" => Request::LineRange { path, ranges: &ranges },
            "whole_file" => Request::WholeFile { path, text },
            _ if self.edit.is_string() => Request::SearchReplace { path: Some(path), text },
            _ => Request::Blocks { path, blocks: &blocks },
        };
        let mut micros = f64::MAX;
        for _ in 0..runs {
            let start = Instant::now();
            let done = std::hint::black_box(run(&request, &self.files));
            micros = micros.min(start.elapsed().as_secs_f64() * 1e6);
            drop(done);
        }
        let result = run(&request, &self.files);
        let after = result.as_ref().ok().map(|outcome| {
            let mut files = self.files.clone();
            for (path, now) in &outcome.files_after {
                match now {
                    Some(text) => files.insert(path.clone(), text.clone()),
                    None => files.remove(path),
                };
            }
            files
        });
        Run { result, after, micros }
    }

    pub fn judge(&self, after: Option<&Files>) -> Verdict {
        match (&self.expected, after) {
            (Some(expected), Some(after)) if expected == after => Verdict::Right,
            (Some(_), Some(after)) if after.get(&self.path).is_some_and(|text| self.near.contains(text)) => {
                Verdict::Near
            }
            (Some(_), Some(_)) => Verdict::Wrong,
            (Some(_), None) if self.refusal_ok => Verdict::Right,
            (Some(_), None) => Verdict::Refused,
            (None, None) => Verdict::RightlyRefused,
            (None, Some(_)) => Verdict::WronglyEdited,
        }
    }

    /// Whether the answer claims that the edit was made before, which it was not.
    pub fn claimed(&self, run: &Run) -> bool {
        let made = self.expected.as_ref().map_or(!self.open, |expected| *expected == self.files);
        !made && run.result.as_ref().is_err_and(|refusal| refusal.reason == Reason::AlreadyApplied)
    }

    /// Prints what a case asked for and what came of it.
    pub fn show(&self, run: &Run, verdict: Verdict) {
        let claimed = if self.claimed(run) { " CLAIMED" } else { "" };
        println!("=== {} {verdict:?}{claimed}", self.id);
        if matches!(verdict, Verdict::Right | Verdict::RightlyRefused) && claimed.is_empty() && run.result.is_ok() {
            return;
        }
        match &self.edit {
            Value::String(text) => println!("{text}"),
            other => println!("{}", serde_json::to_string_pretty(other).unwrap_or_default()),
        }
        match &run.result {
            Ok(outcome) => println!("--- places {:?}", outcome.places),
            Err(refusal) => println!("--- {}", refusal.message()),
        }
        let empty = Files::new();
        let (wanted, got) = (self.expected.as_ref().unwrap_or(&self.files), run.after.as_ref().unwrap_or(&empty));
        for (path, text) in got {
            let wanted = wanted.get(path).map_or("", String::as_str);
            if wanted != text {
                println!("--- {path}: wanted (-), got (+)\n{}", short_diff(wanted, text, 2, 60));
            }
        }
    }
}

fn list(edit: &Value) -> Vec<&Value> {
    match edit {
        Value::Array(list) => list.iter().collect(),
        one => vec![one],
    }
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn blocks(edit: &Value) -> Vec<Block> {
    let one = |block: &Value| Block {
        search: string(&block["search"]),
        replace: string(&block["replace"]),
        hint: number(&block["hint"]),
    };
    list(edit).into_iter().map(one).collect()
}

fn ranges(edit: &Value) -> Vec<LineRange> {
    let one = |range: &Value| LineRange {
        from: number(&range["start_line"]).unwrap_or_default(),
        to: number(&range["end_line"]).unwrap_or_default(),
        new: string(&range["new_text"]),
        old: range["old_text"].as_str().map(str::to_owned),
    };
    list(edit).into_iter().map(one).collect()
}
