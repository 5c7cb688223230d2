//! Benchmarks of the release build against its limits and against the peers found on `PATH`: `cargo xtask bench NAME`.
//!
//! A figure is printed only if it was measured in this run.

use anyhow::{Result, bail};

/// One benchmark: its name and how it runs; it answers whether Ox kept every limit.
type Bench = (&'static str, fn(&[String]) -> Result<bool>);

const BENCHES: &[Bench] = &[];

/// `cargo xtask bench NAME [options]`.
pub fn run(args: &[String]) -> Result<bool> {
    let name = args.first().map(String::as_str).unwrap_or_default();
    match BENCHES.iter().find(|(known, _)| *known == name) {
        Some((_, bench)) => bench(&args[1..]),
        None => bail!(
            "there is no benchmark `{name}`; there is {}",
            BENCHES.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")
        ),
    }
}
