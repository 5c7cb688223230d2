//! What the kernel says of a program: all of its processes and threads together.

use std::fs;

use crate::agent_loop::measure::{family, status};

/// Clock ticks in a second, on every Linux that is in use.
const TICKS: f64 = 100.0;

/// How often its threads have given up the processor by themselves: to wait for something.
pub fn switches(id: u32) -> u64 {
    let of = |id: u32| {
        fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten().map(|it| {
            let text = fs::read_to_string(it.path().join("status")).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            line.and_then(|it| it.trim().parse::<u64>().ok()).unwrap_or(0)
        })
    };
    family(id).into_iter().flat_map(of).sum()
}

/// The time that it has used, in seconds; what ended children have used counts.
pub fn seconds(id: u32) -> f64 {
    let of = |id: u32| {
        let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        // From the state on, which is the third field.
        fields.iter().skip(11).take(4).filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / TICKS
    };
    family(id).into_iter().map(of).sum()
}

/// The sum of the peaks of resident memory, in bytes.
pub fn peak(id: u32) -> u64 {
    family(id).into_iter().map(|it| status(it, "VmHWM:")).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_used_time_and_memory() {
        let me = std::process::id();
        let began = std::time::Instant::now();
        while seconds(me) <= 0.0 && began.elapsed().as_secs() < 5 {
            std::hint::black_box(0);
        }
        assert!(seconds(me) > 0.0 && peak(me) > 1 << 20);
        // Threads of other tests end at any time, and what they have counted goes with them.
        let mut sleeper =
            std::process::Command::new("sh").args(["-c", "while :; do sleep 0.01; done"]).spawn().unwrap();
        let before = switches(sleeper.id());
        while switches(sleeper.id()) <= before && began.elapsed().as_secs() < 10 {
            std::thread::yield_now();
        }
        let after = switches(sleeper.id());
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert!(after > before);
    }
}
