//! A long reply: what it costs, and what readers that do not read it do to others.

use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::Value;

use super::client::{Events, Message};
use super::figures::Figures;
use super::model::{Model, line, tell, work};
use super::options::{MOST_DELAY, Options};
use super::site::Site;

/// Clients that do not read.
const SLOW: usize = 10;
/// Rounds of the conversation whose client is looked at.
const ROUNDS: usize = 20;
const MIB: f64 = 1024.0 * 1024.0;

/// A long reply to some clients that read nothing, beside another conversation.
pub async fn readers(site: &Site, model: &Model, options: &Options, figures: &mut Figures) -> Result<()> {
    let ids = site.conversations(4).await?;
    let without = beside(site, model, &ids[0], &ids[1], options.lines).await?;
    figures.delays("beside a long reply: piece", without, MOST_DELAY);
    let mut slow = Vec::new();
    for _ in 0..SLOW {
        slow.push(Events::narrow(site, &ids[2]).await?);
    }
    let memory = site.holds().memory;
    let with = beside(site, model, &ids[2], &ids[3], options.lines).await?;
    let more = (site.holds().memory as f64 - memory as f64) / MIB / SLOW as f64;
    figures.state("growth of RSS for each of them, MiB", more, 2);
    figures.delays(&format!("the same with {SLOW} clients that do not read it: piece"), with, MOST_DELAY);
    // Only now they read.
    let (mut uncut, mut lost) = (0, 0);
    for mut events in slow {
        let mut came = Vec::new();
        let gap = loop {
            let message = events.next().await?;
            match message.name.as_str() {
                "gap" => break Some(message),
                _ if message.ends_turn() => break None,
                _ => came.push(message.seq),
            }
        };
        let Some(gap) = gap else {
            uncut += 1;
            continue;
        };
        let rest = Events::open(site, &ids[2], gap.from()?.saturating_sub(1)).await?.turns(1).await?;
        came.extend(rest.iter().map(|it| it.seq));
        came.retain(|it| *it > 0);
        lost += usize::from(!came.iter().copied().eq(1..=came.len() as u64));
    }
    figures.hold("clients that did not read and were not cut", f64::from(uncut), 0, 0.0);
    figures.hold("clients that were cut and then missed an event or got one twice", lost as f64, 0, 0.0);
    Ok(())
}

/// The delays of a conversation while another streams so many lines to its followers.
async fn beside(site: &Site, model: &Model, telling: &str, working: &str, lines: usize) -> Result<Vec<f64>> {
    let mut long = Events::open(site, telling, 0).await?;
    let mut events = Events::open(site, working, 0).await?;
    site.prompt(telling, &tell(lines)).await?;
    let long = tokio::spawn(async move { long.turns(1).await.map(drop) });
    site.prompt(working, &work(ROUNDS)).await?;
    let came = events.turns(1).await?;
    long.await??;
    Ok(came.iter().filter_map(|it| model.delay(it)).collect())
}

/// A long reply to one client.
pub async fn volume(site: &Site, options: &Options, figures: &mut Figures) -> Result<()> {
    let id = site.conversations(1).await?.remove(0);
    let mut events = Events::open(site, &id, 0).await?;
    let (memory, seconds, began) = (site.holds().memory, site.seconds(), Instant::now());
    site.prompt(&id, &tell(options.lines)).await?;
    let came = events.turns(1).await?;
    let took = began.elapsed().as_secs_f64();
    let mut text = String::new();
    for (offset, piece) in came.iter().filter_map(piece) {
        // Who was cut gets the text so far in one piece.
        text.truncate(offset);
        text += &piece;
    }
    let whole: String = (1..=options.lines).map(line).collect();
    ensure!(text == whole, "{} bytes of {} came", text.len(), whole.len());
    let what = format!("a reply of {} lines", options.lines);
    figures.state(format!("{what}: MiB of text each second"), whole.len() as f64 / MIB / took, 1);
    figures.state(format!("{what}: times that its reader was cut and went on"), events.cut as f64, 0);
    figures.state(format!("{what}: CPU s"), site.seconds() - seconds, 1);
    figures.state(format!("{what}: pieces"), came.iter().filter(|it| it.name == "delta").count() as f64, 0);
    figures.state(format!("{what}: growth of RSS, MiB"), (site.holds().memory as f64 - memory as f64) / MIB, 1);
    Ok(())
}

/// The text of a delta and where it begins.
fn piece(message: &Message) -> Option<(usize, String)> {
    let data: Value = serde_json::from_str(&message.data).ok().filter(|_| message.name == "delta")?;
    Some((data["offset"].as_u64()? as usize, data["delta"].as_str()?.to_owned()))
}
