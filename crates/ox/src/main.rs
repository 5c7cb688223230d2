//! The command line: reads the arguments, runs one command, prints errors, and ends with the documented exit code.

use std::process::ExitCode;

use ox::cmd;

fn main() -> ExitCode {
    if let Some(code) = ox_sandbox::helper(std::env::args_os()) {
        return code;
    }
    ox::panic::install();
    let code = ox::help::parse().map_or_else(|code| code, cmd::dispatch);
    ox_app::conversations::session::finish_telemetry();
    ExitCode::from(code)
}
