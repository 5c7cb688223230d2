//! The command line: reads the arguments, runs one command, prints errors, and ends with the documented exit code.

use std::process::ExitCode;

use clap::Parser;
use ox::cmd;

fn main() -> ExitCode {
    if let Some(code) = ox_sandbox::helper(std::env::args_os()) {
        return code;
    }
    ox::panic::install();
    let cli = match cmd::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let usage = error.use_stderr();
            // Nothing can be done when the terminal is gone.
            let _ = error.print();
            return ExitCode::from(if usage { 2 } else { 0 });
        }
    };
    ExitCode::from(cmd::dispatch(cli))
}
