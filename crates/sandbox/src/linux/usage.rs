//! What a command takes: the memory and the number of everything that runs inside.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The kernel gives numbers below this only once; a limit on numbers lies above.
const RESERVED: u64 = 300;
/// The number that the last process got. Only some kernels let it be set.
const LAST: &str = "/proc/sys/kernel/ns_last_pid";

/// What is taken at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// Bytes.
    pub(super) memory: u64,
    /// Processes and threads.
    pub(super) tasks: u64,
}

/// True where each PID namespace can have its own limit of numbers (Linux 6.14).
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

/// How it was when the command began.
#[derive(Debug)]
pub(super) struct Baseline {
    /// Bytes of shared memory of the whole machine.
    shared: u64,
    /// By how much those must grow before it is worth asking who did it.
    much: u64,
}

impl Baseline {
    /// Now, for a command that may take `memory` bytes.
    pub(super) fn now(memory: u64) -> Baseline {
        Baseline { shared: shared_memory(), much: memory / 4 }
    }

    /// Bytes of shared memory that the processes inside may hold without having them mapped in: no more than the machine's
    /// grew by, and no more than they mapped.
    fn kept(&self, files: u64) -> u64 {
        let grown = shared_memory().saturating_sub(self.shared + files);
        if grown < self.much {
            return 0;
        }
        let mut seen = BTreeMap::new();
        for process in processes().into_iter().flatten() {
            let maps = fs::read_to_string(process.join("maps")).unwrap_or_default();
            for line in maps.lines().filter(|it| it.contains("/dev/zero (deleted)")) {
                let mut fields = line.split_ascii_whitespace();
                let range = fields.next().and_then(|it| it.split_once('-')).unwrap_or_default();
                let number = |it| u64::from_str_radix(it, 16).unwrap_or(0);
                let size: &mut u64 = seen.entry(fields.nth(3).unwrap_or_default().to_owned()).or_default();
                *size = (*size).max(number(range.1) - number(range.0));
            }
        }
        grown.min(seen.values().sum())
    }
}

fn shared_memory() -> u64 {
    field(&fs::read_to_string("/proc/meminfo").unwrap_or_default(), "Shmem:") << 10
}

/// Bytes that sockets of this network may hold: what waits in those of the internet, and as much as local ones may take.
fn sockets() -> u64 {
    let waiting = |table: &str| -> u64 {
        let table = fs::read_to_string(table).unwrap_or_default();
        let queues = table.lines().skip(1).filter_map(|it| it.split_ascii_whitespace().nth(4)?.split_once(':'));
        queues.map(|it| [it.0, it.1].map(|it| u64::from_str_radix(it, 16).unwrap_or(0)).iter().sum::<u64>()).sum()
    };
    let local = fs::read_to_string("/proc/net/unix").unwrap_or_default().lines().skip(1).count() as u64;
    let most = fs::read_to_string("/proc/sys/net/core/wmem_max").ok().and_then(|it| it.trim().parse().ok());
    let internet = ["tcp", "tcp6", "udp", "udp6"].iter().map(|it| waiting(&format!("/proc/net/{it}")));
    internet.sum::<u64>() + local * most.unwrap_or(LOCAL_SOCKET)
}

/// Bytes that a local socket may hold where the kernel does not tell.
const LOCAL_SOCKET: u64 = 208 << 10;

/// A disk that the command may write to, as it was at the beginning.
#[derive(Debug)]
pub(super) struct Disk {
    place: File,
    free: u64,
}

/// The disks of the writable folders.
pub(super) fn disks(write: &[PathBuf]) -> Vec<Disk> {
    let mut seen = BTreeSet::new();
    let disk = |path: &PathBuf| {
        let place = File::options().read(true).custom_flags(libc::O_PATH).open(path).ok()?;
        let number = rustix::fs::fstat(&place).ok()?.st_dev;
        let stat = rustix::fs::fstatvfs(&place).ok()?;
        seen.insert(number).then(|| Disk { place, free: stat.f_bfree * stat.f_frsize })
    };
    write.iter().filter_map(disk).collect()
}

impl Disk {
    /// True when the command, or others meanwhile, filled it by more than `most` bytes, or nearly to the brim.
    pub(super) fn is_over(&self, most: u64) -> bool {
        let Ok(stat) = rustix::fs::fstatvfs(&self.place) else { return false };
        let (free, size) = (stat.f_bfree * stat.f_frsize, stat.f_blocks * stat.f_frsize);
        let taken = self.free.saturating_sub(free);
        // A disk that was nearly full before is not this command's doing.
        taken > most || free < size / 20 && taken > self.free / 2
    }
}

/// Looks at every process inside, this one left out, at the private places, and at the sockets unless they are the machine's.
pub(super) fn measure(private: &[File], start: &Baseline, machine: bool) -> io::Result<Usage> {
    let mut files = 0;
    for place in private {
        let stat = rustix::fs::fstatvfs(place)?;
        files += (stat.f_blocks - stat.f_bfree) * stat.f_frsize;
    }
    let mut used = Usage { memory: files, tasks: 0 };
    let mut shared = 0;
    for process in processes()? {
        let (own, common, tasks) = process_usage(&process);
        used.memory += own;
        shared += common;
        used.tasks += tasks;
    }
    // What is mapped of the private places is counted there already, and what is mapped of segments twice.
    used.memory += u64::saturating_sub(shared, files).max(segments()).max(start.kept(files));
    used.memory += if machine { 0 } else { sockets() };
    Ok(used)
}

/// True when there are more than `most` processes inside, this process left out. Much quicker than a whole look.
pub(super) fn is_over_task_limit(most: u64) -> io::Result<bool> {
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
fn process_usage(process: &Path) -> (u64, u64, u64) {
    let Ok(status) = fs::read_to_string(process.join("status")) else { return (0, 0, 0) };
    let [anonymous, tables, shared, threads] =
        ["RssAnon:", "VmPTE:", "RssShmem:", "Threads:"].map(|it| field(&status, it));
    ((anonymous + tables) << 10, shared << 10, threads.max(1))
}

/// The number behind `name` in a table of the kernel.
fn field(table: &str, name: &str) -> u64 {
    let line = table.lines().find_map(|it| it.strip_prefix(name));
    line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0)
}
