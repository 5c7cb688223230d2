//! What was worked on last: files whose time on disk is among the newest, and those of the commits of the last seven days.
//!
//! A fresh checkout has one time for everything and says nothing. No clock is asked for the times on disk: what is newest is
//! so by comparison.

use super::fill::{Body, Offer};
use super::pick_context::PickContext;
use super::picked::Rank;
use super::pieces::item;

/// Files that are named unasked, and where somebody asked.
const FEW: usize = 5;
const MANY: usize = 30;
/// So many days before the newest file, in nanoseconds, still count as lately.
const LATELY: i64 = 7 * 86_400_000_000_000;
/// More than one in so many files of the project were not all worked on.
const SHARE: usize = 5;
/// Commits of the last days.
const DAYS: u32 = 7;

pub(super) fn offers(context: &PickContext<'_>) -> Vec<Offer> {
    let mut offers = Vec::new();
    let edited = edited(context);
    offers.extend(line(context, "Files changed last: ", &edited));
    // Where much is committed every day, that it was tells nothing about the task.
    if context.budget.asked {
        let committed = committed(context, &edited);
        offers.extend(line(context, "\nCommitted in the last 7 days: ", &committed));
    }
    offers
}

fn line(context: &PickContext<'_>, words: &str, paths: &[String]) -> Option<Offer> {
    let first = paths.first()?;
    let most = if context.budget.asked { MANY } else { FEW };
    let shown = &paths[..paths.len().min(most)];
    let more = paths.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let sources = shown.iter().map(|it| (it.clone(), 0.0)).collect();
    let item = item("recent", first, None, Rank::Low, 0.0, sources);
    Some(Offer { item, body: Body::Line(format!("{words}{}{more}", shown.join(", "))) })
}

/// The files with the newest times, newest first; none where too many are as new.
fn edited(context: &PickContext<'_>) -> Vec<String> {
    let snapshot = context.known.snapshot;
    // The time of what was edited a moment ago is not known yet; whoever edited it knows of it.
    let known = |it: &(i64, &str)| it.0 < i64::MAX;
    let times = snapshot.paths().filter_map(|it| Some((snapshot.state(it)?.mtime, it))).filter(known);
    let mut times: Vec<(i64, &str)> = times.collect();
    let Some(newest) = times.iter().map(|it| it.0).max() else { return Vec::new() };
    let all = times.len();
    times.retain(|it| newest - it.0 <= LATELY);
    if times.len() * SHARE > all {
        return Vec::new();
    }
    times.retain(|it| !(context.known.has_read)(it.1));
    times.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    times.into_iter().map(|it| it.1.to_owned()).collect()
}

/// The files of the last commits, newest first.
fn committed(context: &PickContext<'_>, but: &[String]) -> Vec<String> {
    let snapshot = context.known.snapshot;
    let days = snapshot.paths().filter_map(|it| Some((snapshot.recent(it).filter(|it| *it <= DAYS)?, it)));
    let mut days: Vec<(u32, &str)> = days.filter(|(_, it)| !but.iter().any(|other| other == it)).collect();
    days.sort_unstable();
    days.into_iter().map(|it| it.1.to_owned()).collect()
}
