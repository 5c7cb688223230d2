//! A recorded run once more, with the recorded replies in the place of the model.

use std::sync::Arc;

use ox_agent::Setup;
use ox_client::Client;
use ox_model::Model;
use ox_model::cassette::{Replay, ReplayThenLive};
use ox_protocol::{Command, Delivery, Problem, Stop};

use super::session::{OpenedSession, SessionOptions};
use crate::Project;

/// What a session of the recorded run needs. With `live` a real model takes over at some iteration.
pub fn setup(project: Project, replay: &Arc<Replay>, live: Option<&Arc<ReplayThenLive>>) -> Result<Setup, Problem> {
    let model: Arc<dyn Model> = match live {
        Some(then) => then.clone(),
        None => replay.clone(),
    };
    let options = SessionOptions { headless: true, ..SessionOptions::default() };
    let mut setup = project.setup_with(options, model.clone())?;
    // What happened once is not counted twice.
    setup.settings.telemetry = None;
    let (ask_live, is_live) = (setup.env.open_model.clone(), live.cloned());
    // Whatever model is named, a roll of the cassette is what answers until the run is live.
    setup.env.open_model = Arc::new(move |name| match &is_live {
        Some(then) if then.is_live() => ask_live(name),
        _ => Ok(model.clone()),
    });
    Ok(setup)
}

/// Plays the recorded turns; `show` shows each and gives its exit code. Returns the exit code of the last one.
pub async fn play(
    setup: Setup,
    replay: &Arc<Replay>,
    live: Option<&Arc<ReplayThenLive>>,
    show: impl AsyncFn(&mut Client) -> std::io::Result<Option<u8>>,
) -> Result<u8, Problem> {
    let OpenedSession { mut client, session } = OpenedSession::open(setup)?;
    let session = tokio::spawn(session.serve());
    let (interrupt, recorded) = (client.sender(), replay.clone());
    let interrupts = tokio::spawn(async move {
        recorded.interrupted().await;
        interrupt(Command::Interrupt);
    });
    let code = turns(&mut client, replay, live, show).await;
    interrupts.abort();
    client.send(Command::Close);
    session.await.map_err(|error| Problem::new("error.session").with("why", error))??;
    code
}

/// Says what the user said, turn by turn, until there is nothing more or the run has left the recorded way.
async fn turns(
    client: &mut Client,
    replay: &Replay,
    live: Option<&Arc<ReplayThenLive>>,
    show: impl AsyncFn(&mut Client) -> std::io::Result<Option<u8>>,
) -> Result<u8, Problem> {
    let (mut code, mut left) = (Stop::Internal.exit_code(), None);
    while let Some((text, images)) = replay.next_prompt() {
        // A turn that asked for nothing of what is left will not do so the next time.
        if replay.left() == left || replay.diverged().is_some() {
            break;
        }
        left = replay.left();
        client.send(Command::Prompt { text, images, mode: None, delivery: Delivery::Steer });
        let Some(ended) = show(client).await.map_err(|error| Problem::new("error.output").with("why", error))? else {
            break;
        };
        code = ended;
        if live.is_some_and(|it| it.is_live()) || code == Stop::Interrupted.exit_code() {
            break;
        }
    }
    Ok(code)
}
