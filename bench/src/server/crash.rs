//! `kill -9` in the middle of work: what a client had received is there afterwards.

use anyhow::{Result, ensure};
use serde_json::Value;

use super::client::{Events, ask};
use super::figures::Figures;
use super::model::work;
use super::options::Options;
use super::site::Site;

/// Rounds of each conversation, of which the server sees some, and the event of the last of them at which it is killed.
const ROUNDS: usize = 100;
const KILL: u64 = 80;

/// Kills the server under load and looks for every event that a client had received.
pub async fn killed(site: &mut Site, options: &Options, figures: &mut Figures) -> Result<()> {
    let conversations = site.conversations(options.conversations).await?;
    let mut followers = Vec::new();
    let (reached, mut reaches) = tokio::sync::mpsc::channel(conversations.len());
    for id in &conversations {
        let mut events = Events::open(site, id, 0).await?;
        let reached = reached.clone();
        followers.push(tokio::spawn(async move {
            let mut received = Vec::new();
            while let Ok(message) = events.next().await {
                if message.seq == KILL {
                    // The receiver has seen enough where that fails.
                    let _ = reached.try_send(());
                }
                if message.seq > 0 {
                    received.push((message.seq, message.data));
                }
            }
            received
        }));
    }
    for id in &conversations {
        site.prompt(id, &work(ROUNDS)).await?;
    }
    for _ in 0..conversations.len() / 2 {
        reaches.recv().await;
    }
    site.kill();
    site.begin()?;
    let (mut received, mut lost) = (0, 0);
    for (id, follower) in conversations.iter().zip(followers) {
        let stored = ask(site, "GET", &format!("/api/conversations/{id}/frames"), &Value::Null).await?;
        let mine = follower.await?;
        ensure!(!mine.is_empty(), "nothing was received of {id}");
        received += mine.len();
        for (seq, data) in mine {
            let there = &stored["frames"][seq as usize - 1];
            lost += usize::from(*there != serde_json::from_str::<Value>(&data)?);
        }
    }
    let what = format!("kill -9 with {} conversations at work", conversations.len());
    figures.state(format!("{what}: events that clients had received"), received as f64, 0);
    figures.hold(format!("{what}: of them lost or changed"), lost as f64, 0, 0.0);
    Ok(())
}
