//! Benchmarks of the release build against its limits and against the peers found on `PATH`: `cargo xtask bench NAME`.
//!
//! A figure is printed only if it was measured in this run; all servers listen on loopback and end with the run.

mod agent_loop;
mod edits;
mod index;
mod injections;
mod measure;
mod mock;
mod model;
mod pruning;
mod report;
mod retrieval;
mod safety;
mod script;
mod subjects;
mod walls;
mod walls_checkpoints;
mod walls_spawn;
mod weather;
mod wire;

use anyhow::{Context, Result, bail};

use crate::workspace::cargo;

/// One benchmark: its name and how it runs; it answers whether Ox kept every limit.
type Bench = (&'static str, fn(&[String]) -> Result<bool>);

const BENCHES: &[Bench] = &[
    ("loop", agent_loop::run),
    ("edits", edits::run),
    ("index", index::run),
    ("weather", weather::run),
    ("pruning", pruning::run),
    ("retrieval", retrieval::run),
    ("model", model::run),
    ("injections", injections::run),
    ("walls", walls::run),
    ("safety", safety::run),
    ("mock", agent_loop::serve),
];

/// `cargo xtask bench NAME [options]`.
pub fn run(args: &[String]) -> Result<bool> {
    let name = args.first().map(String::as_str).unwrap_or_default();
    let Some((_, bench)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        let known: Vec<&str> = BENCHES.iter().map(|(known, _)| *known).collect();
        bail!("there is no benchmark `{name}`; there is {}", known.join(", "));
    };
    // An unoptimised mock server would be most of what is measured.
    if cfg!(debug_assertions) {
        let mut optimised = cargo();
        optimised.args(["run", "--quiet", "--release", "--package", "xtask", "--", "bench"]).args(args);
        return Ok(optimised.status().context("building this program for speed")?.success());
    }
    bench(&args[1..])
}
