//! Streams in which nothing happens, and streams of conversations that are worked on.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::client::Events;
use super::figures::Figures;
use super::model::{Model, work};
use super::options::{MOST_DELAY, Options};
use super::site::Site;

/// Conversations among which the idle streams are divided.
const IDLE: usize = 20;
/// How long idleness is watched.
const WATCHED: Duration = Duration::from_secs(5);
/// Rounds of a conversation that is worked on.
const ROUNDS: usize = 30;
/// The most that idle streams may take of one core, in percent.
const MOST_IDLE: f64 = 1.0;
/// The most memory of the server for each idle stream, in KiB.
const MOST_EACH: f64 = 64.0;
const MIB: f64 = 1024.0 * 1024.0;

/// The delay of one client where nothing else happens.
pub async fn alone(site: &Site, model: &Model, figures: &mut Figures) -> Result<()> {
    let id = site.conversations(1).await?.remove(0);
    let mut events = Events::open(site, &id, 0).await?;
    site.prompt(&id, &work(2 * ROUNDS)).await?;
    let came = events.turns(1).await?;
    figures.delays("piece to one client", came.iter().filter_map(|it| model.delay(it)).collect(), MOST_DELAY);
    Ok(())
}

/// Idle streams of conversations that this server works on, and of ones that nobody works on; then others beside them.
pub async fn idle_and_active(site: &mut Site, model: &Model, options: &Options, figures: &mut Figures) -> Result<()> {
    let conversations = site.conversations(IDLE).await?;
    for id in &conversations {
        let mut events = Events::open(site, id, 0).await?;
        site.prompt(id, "Hello.").await?;
        events.turns(1).await?;
    }
    idle(site, &conversations, options.clients, "open", figures).await?;
    // Nobody works on what a server that was killed worked on.
    site.kill();
    site.begin()?;
    let kept = idle(site, &conversations, options.clients, "stored", figures).await?;
    let working = site.conversations(options.conversations).await?;
    let (before, began) = (site.seconds(), Instant::now());
    let mut delays = Vec::new();
    let mut followers = Vec::new();
    for id in working.iter().chain(&working) {
        let mut events = Events::open(site, id, 0).await?;
        followers.push(tokio::spawn(async move { events.turns(1).await }));
    }
    for id in &working {
        site.prompt(id, &work(ROUNDS)).await?;
    }
    for it in followers {
        delays.extend(it.await??.iter().filter_map(|it| model.delay(it)));
    }
    let what = format!("{} conversations, {} active and {} idle streams", working.len(), 2 * working.len(), kept.len());
    figures.delays(&format!("{what}: piece"), delays, MOST_DELAY);
    let took = began.elapsed().as_secs_f64();
    figures.state(format!("{what}: s for {ROUNDS} rounds of each"), took, 1);
    figures.state(format!("{what}: CPU, % of a core"), (site.seconds() - before) / took * 100.0, 0);
    figures.state(format!("{what}: RSS MiB"), site.holds().memory as f64 / MIB, 1);
    figures.state(format!("{what}: threads"), site.holds().threads as f64, 0);
    Ok(())
}

async fn idle(
    site: &Site,
    conversations: &[String],
    clients: usize,
    kind: &str,
    figures: &mut Figures,
) -> Result<Vec<Events>> {
    let before = site.holds();
    let mut kept = Vec::new();
    for id in conversations.iter().cycle().take(clients) {
        let mut events = Events::open(site, id, 0).await?;
        // What was recorded comes first; then nothing does.
        events.turns(1).await?;
        kept.push(events);
    }
    let (after, seconds) = (site.holds(), site.seconds());
    tokio::time::sleep(WATCHED).await;
    let share = (site.seconds() - seconds) / WATCHED.as_secs_f64() * 100.0;
    let what = format!("{} idle streams of {kind} conversations", kept.len());
    let more = after.memory.saturating_sub(before.memory) as f64;
    figures.state(format!("{what}: RSS MiB"), after.memory as f64 / MIB, 1);
    figures.hold(format!("{what}: KiB each"), more / 1024.0 / kept.len() as f64, 1, MOST_EACH);
    figures.hold(format!("{what}: CPU, % of a core"), share, 1, MOST_IDLE);
    figures.state(format!("{what}: threads"), after.threads as f64, 0);
    Ok(kept)
}
