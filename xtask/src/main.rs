//! The chores of this repository as one program: `cargo xtask <command>`.
//!
//! Nothing of Ox's own behaviour lives here, and no crate of ours is linked into it, so the commands work while the workspace does not compile.

mod dist;
mod modules;
mod needs;
mod source;
mod stages;
mod tally;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::Context;

const USAGE: &str = "\
usage: cargo xtask <command>

  test [--extended] [--install] [STAGE…]   everything a change must pass; CI calls exactly this
  tidy [RULE…]                             the rules of the house that a compiler does not know
  generate [--check]                       write the files that are derived from the code, or say which are out of date
  dist [--binary [TARGET=]PATH]… OUT       write every package of a release from binaries that are built
  picture                                  draw the moving picture of the README from a run of the demo
  bench NAME [options]                     measure the release build against its limits and against peers on PATH
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let done = match args.first().map(String::as_str) {
        Some("test") => stages::test_command(rest),
        Some("tidy") => tidy::run(rest),
        Some("generate") => stages::generate(rest),
        Some("dist") => dist::command(rest),
        Some("picture") => stages::picture(),
        Some("bench") => bench(rest),
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Benchmarks in which nothing is timed.
const UNTIMED: [&str; 2] = ["harness", "repos"];

/// Runs the package of the benchmarks, built for speed where time is measured: an unoptimised server would be most of it.
fn bench(args: &[String]) -> anyhow::Result<bool> {
    let mut bench = workspace::cargo();
    bench.args(["run", "--quiet", "--package", "ox-bench"]);
    if !args.first().is_some_and(|it| UNTIMED.contains(&it.as_str())) {
        bench.arg("--release");
    }
    bench.arg("--").args(args);
    // Programs that are measured beside ours may lie among the tools of this repository.
    Ok(bench.env("OX_BENCH_TOOLS", needs::path()).status().context("starting cargo")?.success())
}
