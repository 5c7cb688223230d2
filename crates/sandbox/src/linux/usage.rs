//! What a command takes: the memory and the number of everything that runs inside.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// The kernel gives numbers below this only once; a limit on numbers lies above.
const RESERVED: u64 = 300;
/// The number that the last process got. Only some kernels let it be set.
const LAST: &str = "/proc/sys/kernel/ns_last_pid";

/// What is taken at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    /// Bytes.
    pub(super) memory: u64,
    /// Processes and threads.
    pub(super) tasks: u64,
}

/// True where each PID name space can have its own limit of numbers (Linux 6.14).
pub(super) fn has_own_numbers() -> bool {
    if !Path::new(LAST).exists() {
        return false;
    }
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let mut parts = release.split(['.', '-']).map_while(|it| it.parse::<u64>().ok());
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (6, 14)
}

/// Limits the numbers that processes and threads inside can get, where that is not a setting of the whole machine. True
/// when no more than `most` can be alive from now on, this process left out.
pub(super) fn limit_numbers(most: u64) -> bool {
    // The next number is the first one that is given again, so that there are exactly `most` of them.
    has_own_numbers()
        && fs::write("/proc/sys/kernel/pid_max", (RESERVED + most.max(1)).to_string()).is_ok()
        && fs::write(LAST, (RESERVED - 1).to_string()).is_ok()
}

/// Looks at every process inside, this one left out, and at the private places.
pub(super) fn look(private: &[File]) -> io::Result<Used> {
    let mut files = 0;
    for place in private {
        let stat = rustix::fs::fstatvfs(place)?;
        files += (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
    }
    let mut used = Used { memory: files, tasks: 0 };
    let mut shared = 0;
    for process in processes()? {
        let (own, common, tasks) = one(&process);
        used.memory += own;
        shared += common;
        used.tasks += tasks;
    }
    // What is mapped of the private places is counted there already, and what is mapped of segments twice.
    used.memory += u64::saturating_sub(shared, files).max(segments());
    Ok(used)
}

/// True when there are more than `most` processes inside, this process left out. Much quicker than a whole look.
pub(super) fn is_crowded(most: u64) -> io::Result<bool> {
    Ok(processes()?.count() as u64 > most)
}

fn processes() -> io::Result<impl Iterator<Item = PathBuf>> {
    let number = |it: fs::DirEntry| {
        let name = it.file_name();
        let is_one = name.to_str()?.bytes().all(|it| it.is_ascii_digit()) && name != "1";
        is_one.then(|| it.path())
    };
    Ok(fs::read_dir("/proc")?.flatten().filter_map(number))
}

/// Bytes of shared memory segments, whether anybody has them mapped or not.
fn segments() -> u64 {
    let table = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
    let mut lines = table.lines();
    let column = lines.next().and_then(|it| it.split_whitespace().position(|it| it == "rss"));
    let Some(column) = column else { return 0 };
    lines.filter_map(|it| it.split_whitespace().nth(column)?.parse::<u64>().ok()).sum()
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
