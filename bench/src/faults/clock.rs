//! A wall clock that jumps while Ox runs: a small library in C that is loaded before the system's.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

const SOURCE: &str = include_str!("clock.c");
/// How often the clock is read before it jumps: somewhere in the first turn. That it jumped is told by the events' times.
pub const AFTER: u32 = 8;

/// The seconds of a fault such as `clock_jump_back_1h`; none where it is no jump.
pub fn jump(fault: &str) -> Option<i64> {
    let rest = fault.strip_prefix("clock_")?;
    let back = ["back", "behind", "past"].iter().any(|it| rest.contains(it));
    let amount = rest.split('_').find(|it| it.starts_with(|c: char| c.is_ascii_digit())).unwrap_or("1h");
    let digits = amount.len() - amount.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = amount.split_at(digits);
    let seconds = match unit.chars().next() {
        Some('s') => 1,
        Some('m') => 60,
        Some('d') => 86_400,
        Some('y') => 31_536_000,
        _ => 3600,
    };
    let by = number.parse::<i64>().unwrap_or(1) * seconds;
    Some(if back { -by } else { by })
}

/// Compiles the library into `folder`.
pub fn library(folder: &Path) -> Result<PathBuf> {
    let (source, library) = (folder.join("clock.c"), folder.join("clock.so"));
    std::fs::write(&source, SOURCE)?;
    let done =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    ensure!(done.context("a C compiler is needed to make the clock jump")?.success(), "the clock does not compile");
    Ok(library)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_are_reported_by_their_names() {
        let cases = [
            ("clock_jump_back_1h", Some(-3600)),
            ("clock_jump_forward_2d", Some(172_800)),
            ("clock_set_back_30m", Some(-1800)),
            ("gzip", None),
        ];
        for (fault, seconds) in cases {
            assert_eq!(jump(fault), seconds, "{fault}");
        }
    }
}
