//! How often honest changes are found fault with: reads changes from a file, one as JSON a line, with an `id` and `files` (each
//! with `path`, `before`, `after`, and `from` where it was renamed), audits each without an index, and prints what it finds and the share of changes of tests
//! with anything but a changed expectation.
//!
//! `cargo run -p ox-audit --example honest CHANGES.jsonl`

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use ox_audit::{Changed, Ground, audit};
use ox_protocol::{AuditFinding, AuditWeight};
use serde_json::Value;

fn main() -> std::io::Result<()> {
    let path = std::env::args().nth(1).expect("name the file of changes");
    let (mut all, mut flagged, mut kinds) = (0, 0, BTreeMap::<&str, u32>::new());
    let mut longest = Duration::ZERO;
    for line in std::fs::read_to_string(path)?.lines() {
        let json: Value = serde_json::from_str(line).expect("a change is JSON");
        let text = |it: &Value| it.as_str().map(str::to_owned);
        let changes: Vec<Changed> = json["files"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|it| {
                let name = it["path"].as_str().unwrap_or_default();
                let change = Changed::new(name, text(&it["before"]).as_deref(), text(&it["after"]).as_deref());
                Changed { from: text(&it["from"]).or(change.from.clone()), ..change }
            })
            .collect();
        let ground = Ground {
            changes: &changes,
            touched: &[],
            index: None,
            read: &|_| None,
            scope: &[],
            failed: &BTreeSet::new(),
            task: "",
            planned: &[],
        };
        let began = Instant::now();
        let findings = audit(&ground);
        longest = longest.max(began.elapsed());
        all += 1;
        let counts: Vec<&AuditFinding> = findings.iter().filter(|it| it.kind.weight() < AuditWeight::Note).collect();
        flagged += usize::from(!counts.is_empty());
        for it in counts {
            *kinds.entry(it.kind.code()).or_default() += 1;
            println!(
                "{} {} {}:{} {}\n    - {}\n    + {}",
                json["id"],
                it.kind.code(),
                it.file,
                it.line,
                it.about,
                it.before,
                it.now
            );
        }
    }
    let share = 100.0 * flagged as f64 / f64::from(all.max(1));
    println!("{flagged} of {all} changes ({share:.1} %), the longest audit {longest:?}; {kinds:?}");
    Ok(())
}
