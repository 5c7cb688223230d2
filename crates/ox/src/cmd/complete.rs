//! `ox completions SHELL`: completions for the user's shell.

use clap::{Args, CommandFactory};

/// Arguments of `ox completions`.
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// The shell.
    shell: clap_complete::Shell,
}

/// Prints the completions.
pub fn run(args: CompleteArgs) -> anyhow::Result<u8> {
    clap_complete::generate(args.shell, &mut super::Cli::command(), "ox", &mut std::io::stdout());
    Ok(0)
}
