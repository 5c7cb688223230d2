//! Prunings over long sessions: `cargo run --release -p ox-context --example pruning -- [--logs DIR [--window N]]`.
//!
//! Without logs the sessions are made up by a fixed rule; exported conversations (`ox sessions export --format json`) are
//! taken beside them. What has to survive is read from the log here, not asked of the code that is measured.

mod pins;
mod session;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use ox_context::{Transcript, estimate, prompt_tokens, prune};
use ox_protocol::{Event, Frame, Message, Seq, Tokens, WantId};

/// Iterations that a pruning leaves whole, as by default.
const KEEP: usize = 2;
/// The longest that a pruning may take at 200,000 tokens, in milliseconds.
const LIMIT_MS: f64 = 50.0;

/// What was measured of one session.
#[derive(Default)]
struct Figures {
    prunings: usize,
    requests: usize,
    before: u64,
    after: u64,
    pins: usize,
    lost: Vec<String>,
    /// Tokens of all prompts, and how many of them repeat the prompt before.
    sent: u64,
    cached: u64,
    /// Tokens of all prompts without any pruning, and how many of these prompts the window does not hold.
    sent_whole: u64,
    too_long: usize,
    slowest_ms: f64,
    /// Prunings that left more than they were asked to.
    over: usize,
}

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let logs = match args.as_slice() {
        [] => Vec::new(),
        [name, folder, ..] if name == "--logs" => match session::recorded(&PathBuf::from(folder)) {
            Ok(logs) => logs,
            Err(why) => {
                eprintln!("{folder}: {why}");
                return std::process::ExitCode::from(2);
            }
        },
        other => {
            eprintln!("`{}` is not understood: [--logs DIR [--window N]]", other.join(" "));
            return std::process::ExitCode::from(2);
        }
    };
    let wanted = args.iter().position(|it| it == "--window").and_then(|at| args.get(at + 1)?.parse().ok());
    println!(
        "session | window | requests | prunings | before | after | over target | pins kept | cached | slowest ms | \
         sent | sent without pruning | requests too long without"
    );
    let mut kept = true;
    for (window, seed) in [(32_000, 1), (128_000, 2), (200_000, 3), (260_000, 4)] {
        let frames = session::made_up(seed, window * 3);
        kept &= show(&format!("made up {seed}"), window, &play(&frames, window));
    }
    for (name, frames) in logs {
        // A recorded session rarely fills a window, so it gets one that it does fill.
        let window = wanted.unwrap_or_else(|| (prompt_tokens(&frames).0 / 2).max(4_000));
        kept &= show(&name, window, &play(&frames, window));
    }
    std::process::ExitCode::from(u8::from(!kept))
}

fn show(name: &str, window: u64, it: &Figures) -> bool {
    let share = |part: u64, of: u64| part as f64 * 100.0 / of.max(1) as f64;
    let mean = |sum: u64| sum / it.prunings.max(1) as u64;
    println!(
        "{name} | {window} | {} | {} | {} | {} | {} | {} of {} | {:.1} % | {:.1} | {} | {} | {}",
        it.requests,
        it.prunings,
        mean(it.before),
        mean(it.after),
        it.over,
        it.pins - it.lost.len(),
        it.pins,
        share(it.cached, it.sent),
        it.slowest_ms,
        it.sent,
        it.sent_whole,
        it.too_long,
    );
    it.lost.iter().take(5).for_each(|lost| println!("  lost: {lost}"));
    it.lost.is_empty() && it.slowest_ms <= LIMIT_MS
}

/// Plays the session from request to request, with a pruning wherever the window is full.
fn play(frames: &[Frame], window: u64) -> Figures {
    let mut figures = Figures::default();
    let (mut log, mut whole): (Vec<Frame>, Vec<Frame>) = Default::default();
    let mut last: Vec<Arc<Message>> = Vec::new();
    let full = window - window / 8;
    for frame in frames {
        if matches!(frame.event, Event::Pruned { .. }) {
            continue;
        }
        push(&mut log, frame.event.clone());
        push(&mut whole, frame.event.clone());
        if !matches!(frame.event, Event::IterationStart { .. }) {
            continue;
        }
        if prompt_tokens(&log).0 > full {
            pruned(&mut log, full / 2, &mut figures);
        }
        let next = Transcript::of(&log).messages();
        let size = |all: &[Arc<Message>]| estimate(&serde_json::to_string(all).unwrap_or_default()).0;
        let same = next.iter().zip(&last).take_while(|(a, b)| a == b).count();
        figures.requests += 1;
        figures.sent_whole += size(&Transcript::of(&whole).messages());
        figures.too_long += usize::from(prompt_tokens(&whole).0 > window);
        figures.sent += size(&next);
        figures.cached += size(&next[..same]);
        last = next;
    }
    figures
}

fn pruned(log: &mut Vec<Frame>, target: u64, figures: &mut Figures) {
    // A pin that the model did not have before it cannot be lost.
    let had = pins::text(&Transcript::of(log).messages());
    let mut pins = pins::of(log);
    pins.retain(|(_, words)| had.contains(words.as_str()));
    let began = Instant::now();
    let it = prune(log, Tokens(target), KEEP);
    figures.slowest_ms = figures.slowest_ms.max(began.elapsed().as_secs_f64() * 1000.0);
    figures.prunings += 1;
    figures.before += it.before.0;
    figures.after += it.after.0;
    figures.over += usize::from(it.after.0 > target);
    push(log, Event::Pruned { want: WantId::default(), pruning: it.pruning, before: it.before, after: it.after });
    let text = pins::text(&Transcript::of(log).messages());
    figures.pins += pins.len();
    let lost = pins.into_iter().filter(|(_, words)| !text.contains(words.as_str()));
    let sizes = format!("a target of {target}, {} after", it.after.0);
    figures.lost.extend(lost.map(|(what, words)| format!("{what}: {} tokens, {sizes}", estimate(&words).0)));
}

fn push(log: &mut Vec<Frame>, event: Event) {
    let seq = Seq(log.len() as u64 + 1);
    log.push(Frame::new(seq, Default::default(), event));
}
