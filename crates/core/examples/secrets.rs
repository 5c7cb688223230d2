//! Looks for secrets in every text file beneath some folders: how fast, and what it takes for one.
//!
//! `cargo run --release -p ox-core --example secrets -- FOLDER…` prints each find (what stands before it, its kind, its
//! length, never the secret) and the speed. `--show` prints the line too, for judging finds in public sources.

use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() {
    let (options, folders): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|it| it.starts_with("--"));
    let show = options.iter().any(|it| it == "--show");
    let mut left: Vec<PathBuf> = folders.into_iter().map(PathBuf::from).collect();
    let (mut files, mut bytes, mut finds, mut time) = (0, 0, 0, Duration::ZERO);
    while let Some(path) = left.pop() {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            left.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|it| it.path()));
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let began = Instant::now();
        let found = ox_core::secrets::find(&text);
        time += began.elapsed();
        (files, bytes, finds) = (files + 1, bytes + text.len(), finds + found.len());
        for it in found {
            let line = text[..it.at.start].matches('\n').count() + 1;
            let start = text[..it.at.start].rfind('\n').map_or(0, |at| at + 1);
            let before: String = text[start..it.at.start].trim_start().chars().take(60).collect();
            let shown: String = if show { text[it.at.clone()].chars().take(60).collect() } else { String::new() };
            println!("{}:{line}: {} of {} bytes: {before:?} {shown:?}", path.display(), it.kind, it.at.len());
        }
    }
    let speed = bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9);
    println!("{finds} finds in {files} files, {bytes} bytes, {speed:.0} MB/s");
}
