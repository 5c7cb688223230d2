//! The cases: what was asked, of which commit, and which files the fix changed. Those files are the only truth.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Cases by repository.
pub type Cases = BTreeMap<String, Vec<Case>>;

/// One case. Further fields are left alone.
#[derive(Clone, Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub repo: String,
    pub base_commit: String,
    pub query: String,
    pub gold_files: Vec<String>,
    #[serde(default)]
    pub language: String,
}

/// Reads the cases, by repository in the order of their names.
pub fn read(file: &Path, only: Option<&str>, limit: usize) -> Result<Cases> {
    let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let mut cases = Cases::new();
    for (number, line) in text.lines().enumerate().filter(|(_, it)| !it.trim().is_empty()) {
        let case: Case = serde_json::from_str(line).with_context(|| format!("line {}", number + 1))?;
        if only.is_some_and(|only| !case.repo.contains(only)) {
            continue;
        }
        let of = cases.entry(case.repo.clone()).or_default();
        if of.len() < limit {
            of.push(case);
        }
    }
    Ok(cases)
}
