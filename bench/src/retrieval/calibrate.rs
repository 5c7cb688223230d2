//! Fits weights to the signals of all cases, and tells how weights fare on repositories that they were not fitted to.
//!
//! The signals that spread from the best files depend on the weights of the running program; after new weights are
//! written into it, calibrating once more settles them.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::ask::{Options, Progress, asked};
use super::cases::Cases;
use super::fit::{Item, Sample, fit, places};
use super::layout::Layout;

/// Signals that speak against a file.
const AGAINST: &[&str] = &["test", "side", "text", "copied"];
/// Signals that no case has, or too few.
const UNSEEN: &[&str] = &["given", "meaning", "module"];

/// Prints figures and weights.
pub fn run(cases: &Cases, options: &Options, scratch: &Path, program: &Path) -> Result<bool> {
    let mut names: Vec<String> = Vec::new();
    let mut samples: Vec<Sample> = Vec::new();
    let progress = Progress::new(cases);
    for (repo, cases) in cases {
        let mut layout = Layout::open(&options.repos, repo, scratch, !options.no_history)?;
        for case in cases {
            layout.show(&case.base_commit)?;
            let answer = asked(program, &layout.tree, scratch, case, &["--signals"], "off")?;
            names = strings(&answer["names"]);
            let files = answer["files"].as_array().context("an answer without files")?;
            let item = |it: &Value| Item {
                gold: it["path"].as_str().is_some_and(|path| case.gold_files.iter().any(|gold| gold == path)),
                signals: it["signals"]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(|it| it.as_f64().unwrap_or(0.0) as f32)
                    .collect(),
            };
            samples.push(Sample {
                group: repo.clone(),
                language: case.language.clone(),
                golds: case.gold_files.len(),
                items: files.iter().map(item).collect(),
            });
            progress.step(repo);
        }
    }
    let sign = |name: &String| {
        if UNSEEN.contains(&name.as_str()) {
            0
        } else if AGAINST.contains(&name.as_str()) {
            -1
        } else {
            1
        }
    };
    let signs: Vec<i8> = names.iter().map(sign).collect();
    let all: Vec<&Sample> = samples.iter().collect();
    let weights = fit(&all, &signs);
    println!("fitted to all:\n{}", figures(&samples, |_| &weights));
    let mut folds: BTreeMap<&str, Vec<f32>> = BTreeMap::new();
    for group in cases.keys() {
        let rest: Vec<&Sample> = samples.iter().filter(|it| it.group != *group).collect();
        folds.insert(group, fit(&rest, &signs));
    }
    println!("each repository with weights of the others:\n{}", figures(&samples, |it| &folds[it.group.as_str()]));
    for (name, weight) in names.iter().zip(&weights).filter(|it| it.1.abs() >= 0.05) {
        println!("    (\"{name}\", {weight:.2}),");
    }
    Ok(true)
}

fn strings(of: &Value) -> Vec<String> {
    of.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Recall at 1 and 10 and all gold in 1, 5 and 10, by language and in all.
fn figures<'a>(samples: &'a [Sample], weights: impl Fn(&'a Sample) -> &'a Vec<f32>) -> String {
    let mut sums: BTreeMap<&str, [f64; 6]> = BTreeMap::new();
    for sample in samples {
        let places = places(weights(sample), sample);
        let within = |depth: usize| places.iter().filter(|it| it.is_some_and(|it| it < depth)).count() as f64;
        let golds = sample.golds.max(1) as f64;
        let whole = |depth: usize| f64::from(u8::from(within(depth) == golds));
        let row = [1.0, within(1) / golds, within(10) / golds, whole(1), whole(5), whole(10)];
        for name in [sample.language.as_str(), "~all"] {
            let sum = sums.entry(name).or_default();
            sum.iter_mut().zip(row).for_each(|(sum, it)| *sum += it);
        }
    }
    let mut text =
        format!("{:<14}{:>6}{:>7}{:>7}{:>7}{:>7}{:>7}\n", "", "cases", "R@1", "R@10", "all@1", "all@5", "all@10");
    for (name, sum) in sums {
        text += &format!("{:<14}{:>6}", name.trim_start_matches('~'), sum[0]);
        for figure in &sum[1..] {
            text += &format!("{:>7.1}", 100.0 * figure / sum[0]);
        }
        text.push('\n');
    }
    text
}
