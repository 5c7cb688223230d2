//! What a command takes: the memory and the number of everything that runs inside.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// The kernel keeps this many numbers for itself, so a limit on numbers lies above.
pub(super) const FLOOR: u64 = 301;
const RESERVED: u64 = 300;

/// What is taken at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Bytes.
    pub(super) memory: u64,
    /// Processes and threads.
    pub(super) tasks: u64,
}

/// Limits the numbers that processes and threads inside can get, where each name space has its own limit (Linux 6.14).
pub(super) fn limit_processes(most: u64) {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut parts = release.split(['.', '-']).map_while(|it| it.parse::<u64>().ok());
    let version = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if version >= (6, 14) {
        // On older kernels this is a setting of the whole machine; there the count below is what holds.
        let _ = fs::write("/proc/sys/kernel/pid_max", (RESERVED + most.max(1)).to_string());
    }
}

/// Looks at every process inside, this one left out, and at the private places.
pub(super) fn look(private: &[File]) -> io::Result<Used> {
    let mut used = Used::default();
    let mut files = 0;
    for place in private {
        let stat = rustix::fs::fstatvfs(place)?;
        files += (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
    }
    used.memory = files;
    let processes = fs::read_dir("/proc")?.flatten().filter_map(|it| {
        let name = it.file_name();
        name.to_str()?.bytes().all(|b| b.is_ascii_digit()).then_some(it.path())
    });
    let mut shared = 0;
    for process in processes.filter(|it| it != Path::new("/proc/1")) {
        let (own, common, tasks) = one(&process);
        used.memory += own;
        shared += common;
        used.tasks += tasks;
    }
    // Mapped files of the private places are counted there already.
    used.memory += u64::saturating_sub(shared, files);
    Ok(used)
}

/// Bytes of its own, bytes of shared memory, and threads of one process; nothing when it just ended.
fn one(process: &Path) -> (u64, u64, u64) {
    let Ok(status) = fs::read_to_string(process.join("status")) else { return (0, 0, 0) };
    let field = |name: &str| {
        let line = status.lines().find_map(|it| it.strip_prefix(name));
        line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    (field("RssAnon:") << 10, field("RssShmem:") << 10, field("Threads:").max(1))
}
