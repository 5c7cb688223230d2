//! Running checks one after the other and reading what they say.

use std::time::{Duration, Instant};

use ox_protocol::{
    Check, CheckKind, CheckReport, CheckResult, CheckStatus, Exit, Job, Output, Rights, RunError, Runner,
};
use ox_repo::Tree;
use ox_sandbox::shell;

use super::parse::{cargo_json, parse};
use super::unavailable;

/// Receives a check's output as it arrives.
pub type LiveCheck<'a> = Option<&'a (dyn Fn(&Check, &[u8]) + Send + Sync)>;

/// Bytes of output that are read into diagnostics.
const OUTPUT: usize = 4 << 20;
/// Bytes of output kept when nothing could be read from it.
const TAIL: usize = 8 << 10;

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

/// Runs `checks` in order over `tree`, each with `rights` but its own time. The report carries the stamp of the tree as it
/// was before the first.
///
/// Where the code does not compile, a later check that would compile it again is skipped: there is nothing to learn.
pub async fn run(
    checks: &[Check],
    tree: &Tree,
    runner: &dyn Runner,
    rights: &Rights,
    live: LiveCheck<'_>,
) -> CheckReport {
    let stamp = tree.snapshot().stamp();
    let mut results: Vec<CheckResult> = Vec::with_capacity(checks.len());
    for check in checks {
        let result = match results.iter().any(|before| makes_pointless(before, check)) {
            true => ended(check, CheckStatus::Skipped),
            false => one(check, tree, runner, rights, live).await,
        };
        results.push(result);
    }
    CheckReport { results, tree: stamp }
}

/// A compiler that refused the code refuses it again. A type checker beside an interpreter does not stop the tests.
fn makes_pointless(before: &CheckResult, check: &Check) -> bool {
    const COMPILERS: [&str; 9] = ["cargo", "go", "mvn", "./mvnw", "gradle", "./gradlew", "cmake", "dotnet", "swift"];
    let failed = before.status == CheckStatus::Failed && before.check.kind == CheckKind::Types;
    let program = program(&check.command);
    failed
        && check.kind > CheckKind::Lint
        && COMPILERS.contains(&program)
        && program == self::program(&before.check.command)
}

/// The program that a command line starts, after a leading `cd … &&`.
pub(super) fn program(command: &str) -> &str {
    let command = match command.split_once("&&") {
        Some((first, rest)) if first.trim_start().starts_with("cd ") => rest,
        _ => command,
    };
    command.split_whitespace().find(|it| !it.contains('=')).unwrap_or("")
}

async fn one(check: &Check, tree: &Tree, runner: &dyn Runner, rights: &Rights, live: LiveCheck<'_>) -> CheckResult {
    if let Some(why) = unavailable::before(check, tree) {
        return CheckResult { tail: why, ..ended(check, CheckStatus::Unavailable) };
    }
    let rights = Rights { time: Duration::from_millis(check.limit_ms), output: OUTPUT, ..rights.clone() };
    let env = ENV.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let job = Job {
        argv: shell(&check.command),
        cwd: tree.root().to_owned(),
        env,
        stdin: Vec::new(),
        terminal: None,
        rights,
    };
    let start = Instant::now();
    let shown = live.map(|live| cargo_json::Shown::new(move |piece: &[u8]| live(check, piece)));
    let show = shown.as_ref().map(|it| move |piece: &[u8]| it.take(piece));
    let outcome = match &show {
        Some(show) => runner.run(job, Some(show)).await,
        None => runner.run(job, None).await,
    };
    let result = match outcome {
        Ok(exit) => judged(check, tree, &exit),
        Err(error) => refused(check, &error),
    };
    CheckResult { duration_ms: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX), ..result }
}

fn judged(check: &Check, tree: &Tree, exit: &Exit) -> CheckResult {
    let status = match exit {
        Exit { timed_out: true, .. } => CheckStatus::TimedOut,
        Exit { code: Some(0), .. } => CheckStatus::Passed,
        _ => CheckStatus::Failed,
    };
    let result = CheckResult { exit_code: exit.code, ..ended(check, status) };
    let output = text(&exit.output);
    if status == CheckStatus::Passed {
        return match unavailable::proves_nothing(check, &output) {
            Some(why) => CheckResult { status: CheckStatus::Unavailable, tail: why, ..result },
            None => result,
        };
    }
    if status == CheckStatus::Failed
        && let Some(why) = unavailable::after(check, exit.code, &output)
    {
        return CheckResult { status: CheckStatus::Unavailable, tail: why, ..result };
    }
    let diagnostics = parse(&output, check, tree);
    let tail = if diagnostics.is_empty() { tail(&output) } else { String::new() };
    CheckResult { diagnostics, tail, ..result }
}

fn refused(check: &Check, error: &RunError) -> CheckResult {
    CheckResult { tail: error.to_string(), ..ended(check, CheckStatus::Unavailable) }
}

fn ended(check: &Check, status: CheckStatus) -> CheckResult {
    CheckResult {
        check: check.clone(),
        status,
        exit_code: None,
        diagnostics: Vec::new(),
        tail: String::new(),
        duration_ms: 0,
    }
}

fn text(output: &Output) -> String {
    super::parse::plain(&output.text(|dropped| format!("[{dropped} bytes left out]")))
}

/// The last lines of `output` for a reader.
fn tail(output: &str) -> String {
    let lines = output.lines().filter(|it| !it.starts_with("{\"reason\":")).map(str::trim_end);
    let text = lines.collect::<Vec<_>>().join("\n");
    let text = text.trim();
    let from = (text.len().saturating_sub(TAIL)..text.len()).find(|it| text.is_char_boundary(*it)).unwrap_or(0);
    match (from, text[from..].split_once('\n')) {
        (0, _) => text.to_owned(),
        (_, Some((_, rest))) => format!("[…]\n{rest}"),
        (_, None) => text[from..].to_owned(),
    }
}
