//! `cargo xtask test`: everything that a change must pass, in stages, with the tests after what is quick.
//!
//! A failing stage does not stop the ones after it, and no stage changes a source file.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::dist;
use crate::needs::{self, NEEDS, Outcome};
use crate::tally::Tally;
use crate::workspace::cargo;

/// What the caller asked for.
#[derive(Default)]
struct Options {
    extended: bool,
    install: bool,
    ci: bool,
    only: Vec<String>,
}

/// One stage: its name, and what it does; it answers whether all is well and what to note in the table.
struct Stage {
    name: &'static str,
    run: fn(&Options, &mut Tally) -> Result<(bool, String)>,
}

const STAGES: &[Stage] = &[
    Stage { name: "setup", run: setup },
    Stage { name: "fmt", run: |_, _| run(cargo().args(["fmt", "--all", "--check"])) },
    Stage { name: "clippy", run: clippy },
    Stage { name: "docs", run: docs },
    Stage { name: "test", run: test },
    Stage { name: "packages", run: |_, tally| dist::stage(tally) },
];

/// A stage that has ended.
struct Ended {
    name: &'static str,
    passed: bool,
    took: Duration,
    note: String,
}

/// Runs the stages; the answer is whether every one of them passed.
fn run_stages(options: &Options) -> Result<bool> {
    let mut tally = Tally::default();
    let mut ended = Vec::new();
    for stage in
        STAGES.iter().filter(|stage| options.only.is_empty() || options.only.iter().any(|name| name == stage.name))
    {
        println!("── {} ──", stage.name);
        let began = Instant::now();
        let (passed, note) = (stage.run)(options, &mut tally).with_context(|| format!("stage {}", stage.name))?;
        ended.push(Ended { name: stage.name, passed, took: began.elapsed(), note });
    }
    print!("\n{}", table(&ended));
    let passed = ended.iter().all(|stage| stage.passed);
    // The last line counts the tests alone on a line, whatever the runner printed last.
    if tally != Tally::default() {
        println!("\n{tally}");
    }
    Ok(passed)
}

/// `cargo xtask test [--extended] [--install] [STAGE…]`.
pub fn test_command(args: &[String]) -> Result<bool> {
    let mut options = Options { ci: std::env::var_os("CI").is_some_and(|ci| ci == "true"), ..Options::default() };
    for arg in args {
        match arg.as_str() {
            "--extended" => options.extended = true,
            "--install" => options.install = true,
            name => {
                let known = STAGES.iter().map(|stage| stage.name).collect::<Vec<_>>();
                ensure!(known.contains(&name), "there is no stage `{name}`; the stages are {}", known.join(", "));
                options.only.push(name.to_owned());
            }
        }
    }
    run_stages(&options)
}

/// `cargo xtask generate [--check]`: the generators are tests, so that the check runs with all the others.
pub fn generate(args: &[String]) -> Result<bool> {
    let mut command = cargo();
    command.args(["test", "--quiet", "--package", "xtask", "--test", "generated"]);
    if !args.iter().any(|arg| arg == "--check") {
        command.env("UPDATE", "1");
    }
    run(&mut command).map(|(passed, _)| passed)
}

/// `cargo xtask picture`: what is drawn is compared by the test that draws it.
pub fn picture() -> Result<bool> {
    let args = ["test", "--quiet", "--package", "ox", "--test", "ox", "picture::the_picture"];
    run(cargo().args(args).env("UPDATE", "1")).map(|(passed, _)| passed)
}

fn setup(options: &Options, tally: &mut Tally) -> Result<(bool, String)> {
    let mut missing = 0;
    for (need, outcome) in needs::meet(options.ci || options.install) {
        match outcome {
            Outcome::Present => println!("  {:<8} there", need.name),
            Outcome::Missing(why) => {
                println!("  {:<8} MISSING ({}): {why}", need.name, need.used_by);
                missing += 1;
            }
        }
    }
    tally.skipped += missing;
    let note = if missing == 0 { String::new() } else { format!("{missing} of {} needs missing", NEEDS.len()) };
    Ok((missing == 0 || !options.ci, note))
}

fn clippy(_: &Options, _: &mut Tally) -> Result<(bool, String)> {
    run(cargo().args(["clippy", "--workspace", "--all-targets", "--keep-going", "--", "-D", "warnings"]))
}

fn docs(_: &Options, _: &mut Tally) -> Result<(bool, String)> {
    run(cargo().args(["doc", "--workspace", "--no-deps", "--keep-going"]).env("RUSTDOCFLAGS", "-D warnings"))
}

fn test(options: &Options, tally: &mut Tally) -> Result<(bool, String)> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).env("PATH", needs::path());
    // Tests that need a tool of the machine pass it by where it is missing, except where this says that it is there.
    let have: Vec<&str> = needs::present().iter().map(|need| need.name).collect();
    command.env("OX_TEST_HAVE", have.join(","));
    if options.extended {
        command.env("OX_EXTENDED", "1");
    }
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("cargo test could not be started")?;
    let output = child.stdout.take().expect("the pipe was asked for in the line before");
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("reading what cargo test prints")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.read(&line);
    }
    let passed = child.wait().context("waiting for cargo test")?.success();
    ensure!(!passed || tally.passed > 0, "cargo test succeeded without running a test");
    Ok((passed, tally.to_string()))
}

fn run(command: &mut Command) -> Result<(bool, String)> {
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("{command:?} could not be started"))?;
    Ok((status.success(), String::new()))
}

fn table(ended: &[Ended]) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    for Ended { name, passed, took, note } in ended {
        let result = if *passed { "ok" } else { "FAILED" };
        let line = format!("{name:<8} {:>8.1} s  {result:<6}  {note}", took.as_secs_f64());
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let total: f64 = ended.iter().map(|stage| stage.took.as_secs_f64()).sum();
    let _ = writeln!(out, "{:<8} {total:>8.1} s", "all");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_what_failed_and_what_it_cost() {
        let ended = [
            Ended { name: "fmt", passed: true, took: Duration::from_millis(1240), note: String::new() },
            Ended {
                name: "test",
                passed: false,
                took: Duration::from_secs(60),
                note: "1 passed, 2 failed, 0 skipped".into(),
            },
        ];
        let lines = [
            "fmt           1.2 s  ok",
            "test         60.0 s  FAILED  1 passed, 2 failed, 0 skipped",
            "all          61.2 s",
        ];
        assert_eq!(table(&ended), lines.join("\n") + "\n");
    }

    #[test]
    fn an_unknown_stage_is_answered_with_the_stages() {
        let error = test_command(&["lint".into()]).expect_err("no such stage").to_string();
        assert_eq!(error, "there is no stage `lint`; the stages are setup, fmt, clippy, docs, test, packages");
    }
}
