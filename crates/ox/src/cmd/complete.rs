//! `ox completions SHELL`: completions for the user's shell.

use clap::Args;

/// Arguments of `ox completions`.
#[derive(Debug, Args)]
pub struct CompleteArgs {
    /// Shell to print completions for.
    shell: clap_complete::Shell,
}

/// Prints the completions of `cli`.
pub fn run(args: CompleteArgs, mut cli: clap::Command) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut cli, "ox", &mut text);
    super::print::exact(&String::from_utf8_lossy(&text));
    Ok(0)
}
