//! A session of another process, as a client like that of one's own.
//!
//! Promise: leaving it does not end the session. A slow reader still gets everything: it goes on from the
//! event at which it was cut.

use std::path::Path;
use std::sync::Arc;

use ox_protocol::{Command, Seq, Submission};
use tokio::sync::mpsc::{self, Sender, UnboundedReceiver};

use crate::hub::Subscription;
use crate::socket::Remote;
use crate::view::View;
use crate::{Client, Control, Hub, Update};

/// Joins the session that listens at `path`: a client that gets what happened and what happens from now on, and the view
/// up to now.
pub async fn join(path: &Path) -> std::io::Result<(Client, View)> {
    let mut remote = Remote::connect(path, Seq(1)).await?;
    let view = look(path).await?;
    let (to_session, commands) = mpsc::unbounded_channel();
    let hub = Arc::new(Hub::default());
    hub.open(view.conversation.clone(), Seq(0), Arc::new(|_| Ok(Vec::new())));
    let (queue, updates) = Subscription::fed(view.conversation.clone());
    let client = Client::over(to_session, hub, updates);
    let of = view.conversation.clone();
    tokio::spawn(async move {
        // An error is the end of the session or of the connection; both end the updates.
        let _ = pump(&mut remote, commands, &queue, &|it: &Update| match it {
            Update::Frame(frame) if frame.conversation == of => Some(frame.seq),
            Update::Control(Control::Snapshot { view }) => Some(view.seq),
            _ => None,
        })
        .await;
    });
    Ok((client, view))
}

/// What the conversation of the session at `path` amounts to now.
pub async fn look(path: &Path) -> std::io::Result<View> {
    let mut remote = Remote::unsubscribed(path).await?;
    remote.ask_for_view().await?;
    while let Some(update) = remote.next().await? {
        match update {
            Update::Control(Control::Snapshot { view }) => return Ok(*view),
            Update::Control(Control::Rejected { why, .. }) => return Err(std::io::Error::other(why.code)),
            _ => {}
        }
    }
    Err(std::io::ErrorKind::UnexpectedEof.into())
}

/// Carries commands there and updates back until either side is gone.
async fn pump(
    remote: &mut Remote,
    mut commands: UnboundedReceiver<Submission>,
    queue: &Sender<Update>,
    seq: &(impl Fn(&Update) -> Option<Seq> + Sync),
) -> std::io::Result<()> {
    let mut last = Seq(0);
    loop {
        tokio::select! {
            submission = commands.recv() => match submission {
                None | Some(Submission { command: Command::Close, .. }) => return Ok(()),
                Some(submission) => remote.submit(submission).await?,
            },
            update = remote.next() => match update? {
                None => return Ok(()),
                Some(Update::Control(Control::Gap { .. })) => remote.subscribe(last.next()).await?,
                Some(update) => {
                    last = seq(&update).unwrap_or(last);
                    if queue.send(update).await.is_err() {
                        return Ok(());
                    }
                }
            },
        }
    }
}
