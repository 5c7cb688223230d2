//! The tests that a change adds or alters, run without the rest of the change: a test of a mended fault fails there, and one
//! that passes shows nothing about the change.
//!
//! The tree itself is never touched: the run gets a private copy of it, in which the other files are put back first.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_index::Snapshot;
use ox_protocol::{BoxFuture, ChangedTest, Check, CheckKind, CheckReport, CheckResult, CheckStatus, RedGreen};
use ox_repo::{Hash, Tree};

use super::again::RunChecks;
use crate::narrow::narrow;
use crate::paths::quoted;

/// Runs one check without a part of the change.
pub type RunWithout = Arc<dyn Fn(Check, Arc<Without>) -> BoxFuture<'static, CheckResult> + Send + Sync>;

/// The exit code of a run in which the earlier files could not be put back.
pub(super) const NOT_PUT_BACK: i32 = 125;
/// A whole check that took longer is not run a second time for it.
const LONGEST_MS: u64 = 30_000;

/// The part of a change that is taken back: the earlier texts in a folder of their own, which goes with this.
#[derive(Debug)]
pub struct Without {
    folder: PathBuf,
    gone: Vec<String>,
}

impl Without {
    /// Keeps the earlier texts of files, by their paths relative to the project's root; none where there was no such file.
    pub fn keep(files: &BTreeMap<String, Option<String>>) -> io::Result<Without> {
        let name = format!("ox-before-{}-{:08x}", std::process::id(), fastrand::u32(..));
        let without = Without {
            folder: std::env::temp_dir().join(name),
            gone: files.iter().filter(|it| it.1.is_none()).map(|it| it.0.clone()).collect(),
        };
        // Nobody else may have prepared a folder of that name.
        fs::create_dir(&without.folder)?;
        for (path, text) in files.iter().filter_map(|(path, text)| Some((path, text.as_ref()?))) {
            let file = without.folder.join(path);
            fs::create_dir_all(file.parent().unwrap_or(&without.folder))?;
            fs::write(file, text)?;
        }
        Ok(without)
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The commands that put the files back, before those of a check.
    pub(super) fn commands(&self) -> String {
        let copy = format!("cp -Rf {}/. .", quoted(&self.folder.to_string_lossy()));
        let remove: String = self.gone.iter().map(|it| format!(" && rm -f -- {}", quoted(it))).collect();
        format!("{{ {copy}{remove}; }} || exit {NOT_PUT_BACK}\n")
    }
}

impl Drop for Without {
    fn drop(&mut self) {
        // What cannot be removed lies among temporary files.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// What the runs need.
pub struct Tests {
    /// The tests that the change adds or alters.
    pub tests: Vec<ChangedTest>,
    /// What the other changed files were.
    pub before: BTreeMap<String, Option<String>>,
    /// The working tree.
    pub tree: Tree,
    /// The index of it.
    pub snapshot: Snapshot,
    /// Runs checks over the tree as it is.
    pub run: RunChecks,
    /// Runs one without the rest of the change.
    pub run_without: RunWithout,
}

impl Tests {
    /// Runs them by the checks of `report` that passed, and notes there what comes of it. A run of `known` over the same texts is
    /// not repeated.
    pub async fn prove(self, report: &mut CheckReport, known: &[RedGreen]) {
        let mut files: Vec<String> = self.tests.iter().map(|it| it.file.clone()).collect();
        files.dedup();
        let passed = |it: &CheckResult| {
            it.check.kind == CheckKind::Test && it.check.part_of.is_none() && it.status == CheckStatus::Passed
        };
        let places: Vec<usize> = (0..report.results.len()).filter(|at| passed(&report.results[*at])).collect();
        let checks: Vec<Check> = places.iter().map(|at| report.results[*at].check.clone()).collect();
        let forms = narrow(&checks, &self.tree, &self.snapshot, &files);
        let stamp = self.stamp(&files);
        let mut kept: Option<Arc<Without>> = None;
        for ((at, whole), form) in places.into_iter().zip(&checks).zip(forms) {
            // Whether it runs these tests is not known, or it is too long to be run for them.
            if form.is_none() && (checks.len() > 1 || report.results[at].duration_ms > LONGEST_MS) {
                continue;
            }
            let check = form.unwrap_or_else(|| whole.clone());
            let same = |it: &&RedGreen| it.stamp == stamp && it.before.check.command == check.command;
            let found = match known.iter().find(same) {
                Some(known) => known.clone(),
                None => {
                    let Some(without) = kept.clone().or_else(|| Without::keep(&self.before).ok().map(Arc::new)) else {
                        return;
                    };
                    kept = Some(without.clone());
                    let before = (self.run_without)(check.clone(), without).await;
                    let after = self.after(check, report).await;
                    let (before, after) = (Box::new(before), Box::new(after));
                    RedGreen { tests: self.tests.clone(), stamp: stamp.clone(), before, after }
                }
            };
            report.results[at].red_green = Some(found);
        }
    }

    /// The run with the whole change: the report's own, where the same command is in it.
    async fn after(&self, check: Check, report: &CheckReport) -> CheckResult {
        if let Some(known) = report.results.iter().find(|it| it.check.command == check.command) {
            return CheckResult { red_green: None, ..known.clone() };
        }
        let unknown = CheckResult::ended(check.clone(), CheckStatus::CouldNotStart);
        (self.run)(vec![check]).await.results.into_iter().next().unwrap_or(unknown)
    }

    /// The stamp of all texts that a run without the change has and the project before did not.
    fn stamp(&self, files: &[String]) -> String {
        let tests = files.iter().map(|it| self.tree.read(it).map_or_else(|_| String::new(), |it| it.text));
        let before = self.before.iter().map(|it| format!("{}\0{}", it.0, it.1.as_deref().unwrap_or("\0")));
        Hash::of(tests.chain(before).collect::<Vec<_>>().join("\0\0").as_bytes()).to_string()
    }
}
