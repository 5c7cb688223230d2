//! Clients that drop and come again: all at once in the middle of work, and one after the other for long.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use tokio::sync::{Barrier, Semaphore};

use super::client::Events;
use super::figures::Figures;
use super::model::work;
use super::options::Options;
use super::site::Site;

/// Rounds of a conversation during the storm, and the event up to which clients read before they drop.
const ROUNDS: usize = 60;
const DROP: u64 = 60;
/// Streams that are open at the same time while they come and go, and how many come and go before growth counts.
const AT_ONCE: usize = 50;
const WARM: usize = 2_000;
/// How long threads for what may block stay when nothing is left to do, and a little more.
const LEAVING: Duration = Duration::from_secs(12);
/// The most that memory may grow over all of them, in MiB: what an allocator keeps back varies by that.
const MOST_GROWTH: f64 = 4.0;

/// All clients drop at one moment and come again with the last event that they have.
pub async fn come_again(site: &Site, options: &Options, figures: &mut Figures) -> Result<()> {
    let conversations = site.conversations(options.conversations.min(20)).await?;
    let together = Arc::new(Barrier::new(options.clients));
    let site = Arc::new(site.address());
    let mut clients = Vec::new();
    for id in conversations.iter().cycle().take(options.clients) {
        let (site, id, together) = (site.clone(), id.clone(), together.clone());
        clients.push(tokio::spawn(async move {
            let mut events = Events::open(&site, &id, 0).await?;
            let mut seen = Vec::new();
            while events.last < DROP {
                seen.push(events.next().await?.seq);
            }
            let last = events.last;
            together.wait().await;
            drop(events);
            let began = Instant::now();
            let mut events = Events::open(&site, &id, last).await?;
            let back = began.elapsed().as_secs_f64() * 1e3;
            let first = events.next().await?;
            let caught = began.elapsed().as_secs_f64() * 1e3;
            seen.push(first.seq);
            if !first.ends_turn() {
                seen.extend(events.turns(1).await?.iter().map(|it| it.seq));
            }
            seen.retain(|it| *it > 0);
            anyhow::Ok((back, caught, seen))
        }));
    }
    for id in &conversations {
        site.prompt(id, &work(ROUNDS)).await?;
    }
    let (mut backs, mut firsts, mut wrong) = (Vec::new(), Vec::new(), 0);
    for it in clients {
        let (back, first, seen) = it.await??;
        backs.push(back);
        firsts.push(first);
        wrong += usize::from(!seen.iter().copied().eq(1..=seen.len() as u64));
    }
    let what = format!("storm of {} clients", options.clients);
    let longest = |all: &[f64]| all.iter().copied().fold(0.0, f64::max) / 1e3;
    figures.state(format!("{what}: s until the last is connected again"), longest(&backs), 2);
    figures.state(format!("{what}: s until the last has its next event"), longest(&firsts), 2);
    figures.hold(format!("{what}: clients that missed an event or got one twice"), wrong as f64, 0, 0.0);
    Ok(())
}

/// Streams are opened and closed, many times.
pub async fn come_and_go(site: &Site, options: &Options, figures: &mut Figures) -> Result<()> {
    ensure!(options.opens > 0, "nothing is opened");
    let id = site.conversations(1).await?.remove(0);
    let mut events = Events::open(site, &id, 0).await?;
    site.prompt(&id, "Hello.").await?;
    events.turns(1).await?;
    drop(events);
    let address = Arc::new(site.address());
    let files = site.holds().files;
    opened_and_closed(&address, &id, WARM).await?;
    tokio::time::sleep(LEAVING).await;
    let before = site.settled(files).await;
    opened_and_closed(&address, &id, options.opens).await?;
    tokio::time::sleep(LEAVING).await;
    let after = site.settled(before.files).await;
    let what = format!("after {} streams that came and went", options.opens);
    let grown = |before: usize, after: usize| after as f64 - before as f64;
    let memory = (after.memory as f64 - before.memory as f64) / (1024.0 * 1024.0);
    figures.hold(format!("{what}: growth of RSS, MiB"), memory, 2, MOST_GROWTH);
    figures.hold(format!("{what}: growth in files"), grown(before.files, after.files), 0, 0.0);
    figures.hold(format!("{what}: growth in threads"), grown(before.threads, after.threads), 0, 0.0);
    Ok(())
}

async fn opened_and_closed(site: &Arc<super::client::Address>, id: &str, count: usize) -> Result<()> {
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut clients = Vec::new();
    for _ in 0..count {
        let permit = room.clone().acquire_owned().await?;
        let (site, id) = (site.clone(), id.to_owned());
        clients.push(tokio::spawn(async move {
            let came = Events::open(&site, &id, 0).await?.next().await.map(drop);
            drop(permit);
            came
        }));
    }
    for it in clients {
        it.await??;
    }
    Ok(())
}
