//! Running checks one after the other and reading what they say.

mod again;
pub mod earlier;
pub mod kept;
pub mod red_green;
pub mod rounds;
pub mod scratch;
pub mod test_runs;
pub mod unavailable;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use ox_protocol::{
    ChangeKind, Check, CheckKind, CheckReport, CheckResult, CheckStatus, Diagnostic, Exit, Job, Lack, Output, Rights,
    RunError, Runner,
};
use ox_repo::{Snapshot, Tree};
use ox_sandbox::shell;
use red_green::Without;
use scratch::Scratch;

use crate::command::{self, MAKEFILES, folder, program};
use crate::parse::counts::{self, counts};
use crate::parse::{cargo_json, parse, plain};

/// Receives a check's output as it arrives.
pub type LiveCheck<'a> = Option<&'a (dyn Fn(&Check, &[u8]) + Send + Sync)>;

/// Bytes of output that are read into diagnostics.
const OUTPUT: usize = 4 << 20;
/// Bytes of output kept when nothing could be read from it.
const TAIL: usize = 8 << 10;
/// Files that are named of those that a check left behind.
const LEFT: usize = 5;
/// Complaints whose lines are quoted, the lines around each, the bytes of one, and the largest file that is read for it.
const QUOTED: usize = 12;
const AROUND: usize = 2;
const WIDEST: usize = 160;
const LARGEST: usize = 1 << 20;

/// One time only, no colours, no questions, no caches beside the sources, and no calling home.
const ENV: [(&str, &str); 16] = [
    ("CI", "1"),
    ("NO_COLOR", "1"),
    ("CARGO_TERM_COLOR", "never"),
    ("CARGO_TERM_PROGRESS_WHEN", "never"),
    ("RUST_BACKTRACE", "0"),
    ("PYTHONDONTWRITEBYTECODE", "1"),
    ("PY_COLORS", "0"),
    ("RUFF_NO_CACHE", "true"),
    ("MYPY_FORCE_COLOR", "0"),
    ("npm_config_update_notifier", "false"),
    ("npm_config_fund", "false"),
    ("npm_config_audit", "false"),
    ("COREPACK_ENABLE_DOWNLOAD_PROMPT", "0"),
    ("NEXT_TELEMETRY_DISABLED", "1"),
    ("DO_NOT_TRACK", "1"),
    ("LC_ALL", "C.UTF-8"),
];

/// What checks and fixers find in their environment. A build by CMake uses one processor unless it is said how many.
pub(crate) fn env() -> Vec<(String, String)> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).to_string();
    let fixed = ENV.map(|(name, value)| (name.to_owned(), value.to_owned()));
    fixed.into_iter().chain([("CMAKE_BUILD_PARALLEL_LEVEL".to_owned(), processors)]).collect()
}

/// Runs `checks` in order over `tree`, each with `rights` but its own time. The report carries the stamp of the tree as it
/// was before the first.
///
/// Where the code does not compile, a later check that would compile it again is skipped: there is nothing to learn. What
/// `make` builds it builds in `scratch`; what another check creates in the tree stands in its result.
pub async fn run(
    checks: &[Check],
    tree: &Tree,
    runner: &dyn Runner,
    rights: &Rights,
    scratch: &Scratch,
    live: LiveCheck<'_>,
) -> CheckReport {
    let mut before = tree.snapshot();
    let stamp = before.stamp();
    let place = Place { tree, runner, rights, scratch, live, without: None };
    let mut results: Vec<CheckResult> = Vec::with_capacity(checks.len());
    for check in checks {
        let mut result = match results.iter().any(|before| makes_pointless(before, check)) {
            true => CheckResult::ended(check.clone(), CheckStatus::Skipped),
            false => place.one(check).await,
        };
        if result.duration_ms > 0 {
            let after = tree.snapshot();
            result.wrote = created(&before, &after);
            before = after;
        }
        results.push(result);
    }
    CheckReport { results, tree: stamp }
}

/// Runs one check over a private copy of the tree in which a part of it is as it was; nothing is left of that afterwards.
pub async fn run_without(
    check: &Check,
    without: &Without,
    tree: &Tree,
    runner: &dyn Runner,
    rights: &Rights,
    scratch: &Scratch,
) -> CheckResult {
    let mut rights = Rights { discard: true, ..rights.clone() };
    rights.write.push(without.folder().to_owned());
    let place = Place { tree, runner, rights: &rights, scratch, live: None, without: Some(without) };
    let result = place.one(check).await;
    match result.exit_code {
        Some(red_green::NOT_PUT_BACK) => CheckResult { status: CheckStatus::CouldNotStart, ..result },
        _ => result,
    }
}

/// The files that are there now and were not, the first by name and the others by number.
fn created(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let changes = before.diff(after).into_iter();
    let mut new: Vec<String> = changes.filter(|it| it.1 == ChangeKind::Created).map(|it| it.0).collect();
    if new.len() > LEFT {
        let more = new.len() - LEFT;
        new.truncate(LEFT);
        new.push(format!("+{more}"));
    }
    new
}

/// A compiler that refused the code refuses it again. A type checker beside an interpreter does not stop the tests.
fn makes_pointless(before: &CheckResult, check: &Check) -> bool {
    const COMPILERS: [&str; 9] = ["cargo", "go", "mvn", "./mvnw", "gradle", "./gradlew", "cmake", "dotnet", "swift"];
    let failed = before.status == CheckStatus::Failed && before.check.kind == CheckKind::Types;
    let program = command::program(&check.command);
    // CTest runs what was built last, whatever that was.
    let stale = before.status.is_bad() && before.check.kind == CheckKind::Build && program == "ctest";
    stale
        || failed
            && check.kind > CheckKind::Lint
            && COMPILERS.contains(&program)
            && program == command::program(&before.check.command)
}

/// Where checks run.
struct Place<'a> {
    tree: &'a Tree,
    runner: &'a dyn Runner,
    rights: &'a Rights,
    scratch: &'a Scratch,
    live: LiveCheck<'a>,
    /// What is put back before the check runs.
    without: Option<&'a Without>,
}

impl Place<'_> {
    async fn one(&self, check: &Check) -> CheckResult {
        if let Some(lack) = unavailable::before(check, self.tree) {
            return unrun(check, lack);
        }
        let mut rights = Rights { time: Duration::from_millis(check.limit_ms), output: OUTPUT, ..self.rights.clone() };
        let mut cwd = self.tree.root().to_owned();
        if program(&check.command) == "make" {
            match self.scratch.of(self.tree) {
                // A Makefile that is ignored was made here, and belongs to this very place.
                Ok(copy) if MAKEFILES.iter().any(|it| copy.join(folder(&check.command)).join(it).exists()) => {
                    rights.write.push(copy.clone());
                    cwd = copy;
                }
                Ok(_) => {}
                Err(error) => {
                    let why = format!("the project could not be copied for it, and it builds in place: {error}");
                    return unrun(check, Lack { status: CheckStatus::CouldNotStart, why });
                }
            }
        }
        let copy = format!("{}/", cwd.display());
        let env = env();
        let first = self.without.map(Without::commands).unwrap_or_default();
        let job = Job { argv: shell(&(first + &check.command)), cwd, env, stdin: Vec::new(), terminal: None, rights };
        let start = Instant::now();
        let shown = self.live.map(|live| cargo_json::Shown::new(move |piece: &[u8]| live(check, piece)));
        let show = shown.as_ref().map(|it| move |piece: &[u8]| it.take(piece));
        let outcome = match &show {
            Some(show) => self.runner.run(job, Some(show)).await,
            None => self.runner.run(job, None).await,
        };
        let result = match outcome {
            Ok(exit) => check_result(check, self.tree, &exit, &copy),
            Err(error) => refused(check, &error),
        };
        CheckResult { duration_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX).max(1), ..result }
    }
}

/// What a check that ran in the folder `place` said; paths beneath it are those of the tree.
fn check_result(check: &Check, tree: &Tree, exit: &Exit, place: &str) -> CheckResult {
    let status = match exit {
        Exit { timed_out: true, .. } => CheckStatus::TimedOut,
        Exit { code: Some(0), .. } => CheckStatus::Passed,
        _ => CheckStatus::Failed,
    };
    let output = text(&exit.output).replace(place, "");
    let tests = if check.kind == CheckKind::Test { counts(&output) } else { None };
    let result = CheckResult { exit_code: exit.code, tests, ..CheckResult::ended(check.clone(), status) };
    let lack = match status {
        CheckStatus::Passed => unavailable::proves_nothing(check, &output),
        CheckStatus::Failed => unavailable::after(check, exit.code, &output),
        _ => None,
    };
    if let Some(lack) = lack {
        return lacking(result, lack);
    }
    if status == CheckStatus::Passed {
        return result;
    }
    let diagnostics = parse(&output, check, tree);
    let tail = if diagnostics.is_empty() { tail(&output) } else { String::new() };
    CheckResult { source: source(&diagnostics, tree), diagnostics, tail, ..result }
}

/// The lines around the places of the first complaints, each place once, that at fault marked.
fn source(diagnostics: &[Diagnostic], tree: &Tree) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<&str, Option<String>> = BTreeMap::new();
    let mut found = BTreeMap::new();
    let places = diagnostics.iter().filter(|it| it.line > 0 && !Path::new(&it.file).is_absolute());
    for it in places.take(QUOTED) {
        let read = || tree.read(&it.file).ok().map(|it| it.text).filter(|it| it.len() <= LARGEST);
        let Some(text) = texts.entry(&it.file).or_insert_with(read) else { continue };
        let at = it.line as usize;
        let first = at.saturating_sub(AROUND + 1);
        let lines = text.lines().enumerate().skip(first).take(at + AROUND - first);
        let quoted: String = lines
            .map(|(number, line)| {
                let mark = if number + 1 == at { '>' } else { ' ' };
                let end = line.floor_char_boundary(WIDEST);
                format!("{mark} {} {}\n", number + 1, &line[..end])
            })
            .collect();
        if !quoted.is_empty() {
            found.insert(format!("{}:{}", it.file, it.line), quoted);
        }
    }
    found
}

fn unrun(check: &Check, lack: Lack) -> CheckResult {
    lacking(CheckResult::ended(check.clone(), lack.status), lack)
}

fn lacking(result: CheckResult, lack: Lack) -> CheckResult {
    CheckResult { status: lack.status, tail: lack.why, ..result }
}

fn refused(check: &Check, error: &RunError) -> CheckResult {
    let status = match error {
        RunError::NotFound(_) => CheckStatus::NotInstalled,
        RunError::Start { .. } => CheckStatus::CouldNotStart,
    };
    unrun(check, Lack { status, why: error.to_string() })
}

fn text(output: &Output) -> String {
    plain(&output.text(|dropped| format!("[{dropped} bytes left out]")))
}

/// The last lines of `output` for a reader, without those of tests that passed where there are others.
fn tail(output: &str) -> String {
    let lines = || output.lines().filter(|it| !it.starts_with("{\"reason\":")).map(str::trim_end);
    let telling = lines().filter(|it| !counts::is_passed(it)).collect::<Vec<_>>().join("\n");
    let text = if telling.trim().is_empty() { lines().collect::<Vec<_>>().join("\n") } else { telling };
    let text = text.trim();
    let from = (text.len().saturating_sub(TAIL)..text.len()).find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    match (from, text[from..].split_once('\n')) {
        (0, _) => text.to_owned(),
        (_, Some((_, rest))) => format!("[…]\n{rest}"),
        (_, None) => text[from..].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::tail;

    #[test]
    fn a_tail_names_what_failed() {
        let output =
            " ✓ |unit| a.test.ts (12 tests) 22ms\n × b > adds\ntest c ... ok\n ❯ b.test.ts (3 tests | 1 failed)\n";
        assert_eq!(tail(output), "× b > adds\n ❯ b.test.ts (3 tests | 1 failed)");
        assert_eq!(tail("test c ... ok\n"), "test c ... ok");
    }
}
