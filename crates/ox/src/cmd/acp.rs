//! `ox acp`: the agent of an editor, over the Agent Client Protocol on standard input and output.

use clap::Args;
use ox_app::{ProjectOptions, project};
use ox_protocol::Problem;
use ox_ui::AcpOptions;

use super::login;
use super::shared::{self, ConfigFlags};

/// What an editor adds to its invocation of Ox to have a key stored in a terminal.
const LOGIN: &str = "--login";

/// Arguments of `ox acp`.
#[derive(Debug, Args)]
pub struct AcpArgs {
    #[command(flatten)]
    config: ConfigFlags,
    /// Use this project's settings for this run.
    #[arg(long)]
    trust: bool,
    /// Store a provider's API key instead, in this terminal.
    #[arg(long)]
    login: bool,
}

/// Serves an editor until it closes standard input.
pub fn run(args: AcpArgs) -> anyhow::Result<u8> {
    if args.login {
        return login::run(login::LoginArgs::default());
    }
    let project = ProjectOptions { flags: args.config.0, trusted: args.trust, ..ProjectOptions::default() };
    let options = AcpOptions { project, language: project::language(), login: LOGIN };
    let served = shared::runtime()?.block_on(ox_ui::run_acp(options));
    served.map_err(|error| Problem::new("acp.connection").with("why", error.message))?;
    Ok(0)
}
