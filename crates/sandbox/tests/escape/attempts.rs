//! The table of all attempts; each group is a file.

mod bounds;
mod descriptors;
mod files;
mod git;
mod kernel;
mod metadata;
mod mounts;
mod names;
mod network;
mod processes;
mod races;
mod secrets;
mod traps;

use crate::attempt::{Attempt, Probe};

/// Every attempt.
pub fn all() -> impl Iterator<Item = &'static Probe> {
    let groups: [&[Probe]; 13] = [
        files::ROWS,
        descriptors::ROWS,
        metadata::ROWS,
        mounts::ROWS,
        processes::ROWS,
        network::ROWS,
        kernel::ROWS,
        names::ROWS,
        secrets::ROWS,
        traps::ROWS,
        git::ROWS,
        races::ROWS,
        bounds::ROWS,
    ];
    groups.into_iter().flatten()
}

/// What copies of this program do for an attempt.
pub fn part(name: &str) -> Option<fn() -> Attempt> {
    match name {
        "stay" => Some(bounds::stay),
        "leave-a-daemon" => Some(bounds::leave_a_daemon),
        "spin" => Some(bounds::spin),
        "hold" => Some(bounds::hold),
        "who" => Some(kernel::who),
        _ => None,
    }
}
