//! Reaching processes outside: to end, watch, read or change them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::attempt::{Inside, Probe, Proof, at, c, call, look_outside, row};

/// Processes.
pub const ROWS: &[Probe] = &[
    row("process: kill", Proof::Plain, |it| call(libc::SYS_kill, &[victim(it), 9]).map(drop)),
    row("process: tgkill", Proof::Plain, |it| call(libc::SYS_tgkill, &[victim(it), victim(it), 9]).map(drop)),
    row("process: signal through a descriptor", Proof::Plain, |it| {
        let handle = call(libc::SYS_pidfd_open, &[victim(it), 0])?;
        call(libc::SYS_pidfd_send_signal, &[handle, 9, 0, 0]).map(drop)
    }),
    row("process: signal through /proc", Proof::Plain, |it| {
        let folder = File::open(format!("/proc/{}", victim(it)))?;
        let handle = std::os::fd::AsRawFd::as_raw_fd(&folder) as usize;
        call(libc::SYS_pidfd_send_signal, &[handle, 9, 0, 0]).map(drop)
    }),
    row("process: the suite is there to be signalled", Proof::Plain, |it| {
        call(libc::SYS_kill, &[suite(it), 0]).map(drop)
    }),
    row("process: the parent is there to be signalled", Proof::Plain, |it| {
        let parent = rustix::process::getppid().map_or(0, |it| it.as_raw_nonzero().get());
        let own = parent != 1 && parent == suite(it) as i32;
        if own { call(libc::SYS_kill, &[parent as usize, 0]).map(drop) } else { look_outside() }
    }),
    row("process: ptrace", Proof::Maybe, |it| {
        call(libc::SYS_ptrace, &[libc::PTRACE_SEIZE as usize, victim(it), 0, 0]).map(drop)
    }),
    row("process: process_vm_readv", Proof::Maybe, |it| {
        let mut bytes = [0u8; 64];
        let own = [bytes.as_mut_ptr() as usize, length()];
        let other = [it.number("ADDRESS") as usize, length()];
        call(libc::SYS_process_vm_readv, &[suite(it), at(&own), 1, at(&other), 1, 0])?;
        show(&bytes)
    }),
    row("process: process_vm_writev", Proof::Maybe, |it| {
        // Nothing of nothing: permission is all that is asked for.
        let nothing = [it.number("ADDRESS") as usize, 0];
        call(libc::SYS_process_vm_writev, &[suite(it), at(&nothing), 1, at(&nothing), 1, 0])?;
        call(libc::SYS_kill, &[suite(it), 0]).map(drop)
    }),
    row("process: memory through /proc", Proof::Maybe, |it| {
        let mut file = File::open(format!("/proc/{}/mem", suite(it)))?;
        file.seek(SeekFrom::Start(it.number("ADDRESS") as u64))?;
        let mut bytes = vec![0; length()];
        file.read_exact(&mut bytes)?;
        show(&bytes)
    }),
    row("process: environment of the parent", Proof::Plain, |it| {
        show(&fs::read(format!("/proc/{}/environ", suite(it)))?)
    }),
    row("process: environment of everybody", Proof::Plain, |_| {
        let all = fs::read_dir("/proc")?.flatten();
        all.filter_map(|it| fs::read(it.path().join("environ")).ok()).for_each(|it| drop(show(&it)));
        look_outside()
    }),
    row("process: environment of its own", Proof::None("the plain runner hides the secret as well"), |_| {
        std::env::vars().for_each(|(name, value)| println!("{name}={value}"));
        look_outside()
    }),
    row("process: seen in /proc", Proof::Plain, |_| {
        let lines = fs::read_dir("/proc")?.flatten().filter_map(|it| fs::read(it.path().join("cmdline")).ok());
        let mut seen = lines.filter(|it| it.windows(8).any(|it| it == b"\0__suite"));
        seen.next().map(drop).ok_or_else(|| io::Error::other("no process of the outside is seen"))
    }),
    row("process: limits of another", Proof::Plain, |it| {
        let limit = [1u64, 1];
        call(libc::SYS_prlimit64, &[victim(it), libc::RLIMIT_CORE as usize, at(&limit), 0]).map(drop)
    }),
    row("process: priority of another", Proof::Plain, |it| {
        call(libc::SYS_setpriority, &[libc::PRIO_PROCESS as usize, victim(it), 19]).map(drop)
    }),
    row("process: processors of another", Proof::Plain, |it| {
        call(libc::SYS_sched_setaffinity, &[victim(it), 8, at(&1u64)]).map(drop)
    }),
    row("process: offered to the killer of memory", Proof::Plain, |it| {
        OpenOptions::new().write(true).open(format!("/proc/{}/oom_score_adj", victim(it)))?.write_all(b"999")
    }),
    row("process: namespaces of the parent", Proof::Root, |it| {
        let file = File::open(format!("/proc/{}/ns/mnt", suite(it)))?;
        call(libc::SYS_setns, &[std::os::fd::AsRawFd::as_raw_fd(&file) as usize, 0]).map(drop)
    }),
    row("process: namespaces of process 1", Proof::Maybe, |_| {
        let file = File::open("/proc/1/ns/net")?;
        call(libc::SYS_setns, &[std::os::fd::AsRawFd::as_raw_fd(&file) as usize, 0]).map(drop)
    }),
    row("process: shared memory of System V", Proof::Plain, |it| {
        let address = call(libc::SYS_shmat, &[it.number("SHARED") as usize, 0, libc::SHM_RDONLY as usize])?;
        show_at(address)
    })
    .prepared(share),
    row("process: queue of messages", Proof::Maybe, |it| {
        let name = c(&it.id);
        if it.control {
            let flags = (libc::O_CREAT | libc::O_RDWR) as usize;
            call(libc::SYS_mq_open, &[at(name.as_c_str()), flags, 0o600, 0])?;
            return call(libc::SYS_mq_unlink, &[at(name.as_c_str())]).map(drop);
        }
        // A queue of one's own is no harm, those of others are: inside there may be none.
        let others = fs::read_dir("/dev/mqueue")?.count();
        if others == 0 { look_outside() } else { Ok(()) }
    }),
];

fn victim(it: &Inside) -> usize {
    it.number("VICTIM") as usize
}

fn suite(it: &Inside) -> usize {
    it.number("SUITE") as usize
}

fn length() -> usize {
    crate::fixture::secret().len()
}

fn show(bytes: &[u8]) -> io::Result<()> {
    println!("{}", String::from_utf8_lossy(bytes));
    look_outside()
}

#[allow(unsafe_code)]
fn show_at(address: usize) -> io::Result<()> {
    // SAFETY: the segment that was attached here is a page long.
    show(unsafe { std::slice::from_raw_parts(address as *const u8, length()) })
}

/// Puts the secret into a segment that goes away with this process and the attempt.
#[allow(unsafe_code)]
fn share(job: &mut ox_protocol::Job) -> Result<(), String> {
    let secret = crate::fixture::secret();
    let failed = |it: io::Error| it.to_string();
    let segment = call(libc::SYS_shmget, &[0, 4096, 0o600]).map_err(failed)?;
    let address = call(libc::SYS_shmat, &[segment, 0, 0]).map_err(failed)?;
    // SAFETY: a page was attached at this address for writing, and the secret is shorter.
    unsafe { std::ptr::copy_nonoverlapping(secret.as_ptr(), address as *mut u8, secret.len()) };
    // It stays attached here, and can be attached by its number until it no longer is.
    call(libc::SYS_shmctl, &[segment, libc::IPC_RMID as usize, 0]).map_err(failed)?;
    job.env.push(("PROBE_SHARED".to_owned(), segment.to_string()));
    Ok(())
}
