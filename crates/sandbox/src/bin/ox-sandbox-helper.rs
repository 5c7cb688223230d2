//! The sandbox's helper as a program of its own, for tests: Ox itself is its own helper.

use std::process::ExitCode;

fn main() -> ExitCode {
    ox_sandbox::helper(std::env::args_os()).unwrap_or(ExitCode::FAILURE)
}
