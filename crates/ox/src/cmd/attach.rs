//! `ox attach [ID]`: joins a conversation that runs in another terminal or beside a program.
//!
//! Promise: leaving does not end the session.

use clap::Args;
use ox_app::Project;
use ox_app::conversations::running::one_running;
use ox_app::project::paths;
use ox_client::join::join;
use ox_protocol::Problem;
use ox_ui::TerminalOptions;

use super::shared::{self, ScreenFlags};

/// Arguments of `ox attach`.
#[derive(Debug, Args)]
pub struct AttachArgs {
    /// Conversation id, or its beginning; needed if more than one runs.
    id: Option<String>,
    /// Print Ox's own events as JSON, one per line, and send nothing.
    #[arg(long, visible_alias = "json")]
    events: bool,
    #[command(flatten)]
    screen: ScreenFlags,
}

/// Joins.
pub fn run(args: AttachArgs) -> anyhow::Result<u8> {
    if !args.events && !ox_ui::is_interactive() {
        return Err(Problem::new("usage.needs").with("flag", "ox attach").with("needs", "--events").into());
    }
    let paths = paths()?;
    shared::runtime()?.block_on(async {
        let found = one_running(&paths, args.id.as_deref()).await?;
        let unreachable = |error| Problem::new("usage.attach_failed").with("id", &found.id.0).with("why", error);
        let (mut client, view) = join(&found.socket).await.map_err(unreachable)?;
        if args.events {
            let printed = ox_ui::watch_events(&mut client).await;
            printed.map_err(|error| Problem::new("error.output").with("why", error))?;
            return Ok(0);
        }
        let project = Project::open(std::path::Path::new(&view.root), ox_config::Flags::default().into())?;
        let mut options = TerminalOptions::detect(&project, env!("CARGO_PKG_VERSION"));
        options.fullscreen = args.screen.is_full(&project);
        ox_ui::run_attached(client, &view, &options, std::sync::Arc::new(project)).await?;
        Ok(0)
    })
}
