//! A flood of output does not grow the process. Alone in its file: the peak is measured for the whole process.

#![allow(clippy::unwrap_used)] // The tests' own steps may panic too.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ox_protocol::{Job, Rights, Runner};
use ox_sandbox::{Plain, shell};

/// Peak resident memory of this process in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|it| it.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn memory_stays_bounded() {
    let gib: u64 = if std::env::var_os("OX_EXTENDED").is_some() { 10 } else { 1 };
    let rights = Rights::command(PathBuf::from("/tmp"), Duration::from_secs(300));
    let job = Job {
        argv: shell(&format!("yes | head -c {gib}G; echo end")),
        cwd: PathBuf::from("/tmp"),
        env: Vec::new(),
        stdin: Vec::new(),
        terminal: None,
        rights,
    };
    let (before, shown) = (peak(), AtomicU64::new(0));
    let live = |piece: &[u8]| {
        shown.fetch_add(piece.len() as u64, Ordering::Relaxed);
    };
    let exit = Plain.run(job, Some(&live)).await.unwrap();
    let grown = peak() - before;
    assert!(grown <= 64 << 10, "grew by {grown} KiB");
    assert_eq!((exit.code, exit.timed_out), (Some(0), false));
    let output = &exit.output;
    assert!(output.tail.ends_with(b"y\nend\n"));
    assert_eq!(output.head.len() as u64 + output.tail.len() as u64 + output.dropped, (gib << 30) + 4);
    assert!(output.head.len() + output.tail.len() <= 64 << 10);
    // Who watches gets a sample, not the flood.
    assert!(shown.load(Ordering::Relaxed) < 64 << 20, "{} bytes shown", shown.load(Ordering::Relaxed));
}
