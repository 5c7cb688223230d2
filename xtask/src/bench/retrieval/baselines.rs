//! What simpler means find in the same files: BM25 over whole files, and a vote of keywords by ripgrep.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::layout::{Files, Layout};

/// What is larger is data.
const LARGE: u64 = 1 << 20;
/// The constants that everyone uses.
const K1: f64 = 1.2;
const B: f64 = 0.75;
/// So many keywords vote.
const KEYWORDS: usize = 30;
const COMMON: &[&str] = &[
    "about", "after", "also", "because", "been", "before", "being", "could", "does", "doesn", "each", "expected",
    "from", "have", "here", "into", "issue", "like", "more", "only", "other", "should", "some", "such", "than", "that",
    "their", "them", "then", "there", "these", "they", "this", "using", "version", "very", "want", "what", "when",
    "where", "which", "will", "with", "would", "your",
];

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').filter(|it| it.len() > 1).map(str::to_lowercase)
}

fn number(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// All files by BM25 of the words of the question, best first.
pub fn bm25(layout: &mut Layout, files: &Files, query: &str) -> Vec<String> {
    for blob in files.values().filter(|it| it.size < LARGE) {
        if layout.counts.contains_key(&blob.name) {
            continue;
        }
        let bytes = layout.content(&blob.name).ok().flatten().unwrap_or_default();
        let mut counts: HashMap<u64, u32> = HashMap::new();
        if !bytes.contains(&0) {
            words(&String::from_utf8_lossy(&bytes)).for_each(|it| *counts.entry(number(&it)).or_default() += 1);
        }
        layout.counts.insert(blob.name.clone(), counts);
    }
    let texts: Vec<(&String, &HashMap<u64, u32>, f64)> = files
        .iter()
        .filter_map(|(path, blob)| layout.counts.get(&blob.name).map(|it| (path, it)))
        .map(|(path, counts)| (path, counts, f64::from(counts.values().sum::<u32>())))
        .collect();
    let asked: BTreeSet<u64> = words(query).map(|it| number(&it)).collect();
    let all = texts.len() as f64;
    let mean = texts.iter().map(|it| it.2).sum::<f64>() / all.max(1.0);
    let mut scored: HashMap<&String, f64> = HashMap::new();
    for word in asked {
        let holding: Vec<_> =
            texts.iter().filter_map(|it| it.1.get(&word).map(|times| (it, f64::from(*times)))).collect();
        let df = holding.len() as f64;
        let rarity = (1.0 + (all - df + 0.5) / (df + 0.5)).ln();
        for ((path, _, length), times) in holding {
            *scored.entry(path).or_default() +=
                rarity * times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / mean));
        }
    }
    sorted(scored)
}

/// Files by the rarity of the keywords that ripgrep finds in them; none where it is not installed.
pub fn vote(tree: &Path, files: &Files, query: &str) -> Result<Option<Vec<String>>> {
    let installed =
        std::env::var_os("PATH").is_some_and(|it| std::env::split_paths(&it).any(|it| it.join("rg").is_file()));
    if !installed {
        return Ok(None);
    }
    let mut scored: HashMap<String, f64> = HashMap::new();
    for word in keywords(query) {
        let mut rg = Command::new("rg");
        rg.args([
            "--files-with-matches",
            "--ignore-case",
            "--fixed-strings",
            "--no-messages",
            "--null",
            "--",
            &word,
            ".",
        ]);
        let output = rg.current_dir(tree).output().context("rg")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let found: Vec<&str> =
            text.split('\0').map(|it| it.trim_start_matches("./")).filter(|it| files.contains_key(*it)).collect();
        let rarity = ((files.len() + 1) as f64 / (found.len() + 1) as f64).ln();
        for path in found {
            *scored.entry(path.to_owned()).or_default() += rarity;
        }
    }
    let scored: HashMap<&String, f64> = scored.iter().map(|(path, score)| (path, *score)).collect();
    Ok(Some(sorted(scored)))
}

/// The words that look like names first, then the longest.
fn keywords(query: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut all: Vec<&str> = query
        .split(|it: char| !it.is_alphanumeric() && it != '_')
        .filter(|it| it.len() > 3 && !it.starts_with(|it: char| it.is_ascii_digit()))
        .filter(|it| !COMMON.contains(&it.to_lowercase().as_str()) && seen.insert(it.to_lowercase()))
        .collect();
    let named = |it: &str| it.contains('_') || it.chars().skip(1).any(char::is_uppercase);
    all.sort_by_key(|it| (!named(it), std::cmp::Reverse(it.len())));
    all.into_iter().take(KEYWORDS).map(str::to_owned).collect()
}

fn sorted(scored: HashMap<&String, f64>) -> Vec<String> {
    let mut all: Vec<(&String, f64)> = scored.into_iter().collect();
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    all.into_iter().map(|it| it.0.clone()).collect()
}
