//! Asking the kernel for more: privileges, namespaces, programs within it, its settings.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use crate::attempt::{Probe, Proof, at, c, call, permitted, row};

const USER: usize = libc::CLONE_NEWUSER as usize;

/// The kernel.
pub const ROWS: &[Probe] = &[
    row("kernel: capabilities are gone", Proof::Root, |_| capabilities(&fs::read_to_string("/proc/self/status")?)),
    row("kernel: capabilities do not come back", Proof::Root, |_| {
        let shown = std::process::Command::new("cat").arg("/proc/self/status").output()?;
        capabilities(&String::from_utf8_lossy(&shown.stdout))
    }),
    row("kernel: no new privileges", Proof::Plain, |_| {
        match line(&fs::read_to_string("/proc/self/status")?, "NoNewPrivs") {
            1 => Err(io::Error::other("none can be gained")),
            _ => Ok(()),
        }
    }),
    row("kernel: a set-user-id program", Proof::User, |_| {
        let program = std::env::var("PROBE_SUID").map_err(io::Error::other)?;
        let shown = std::process::Command::new(program).args(["__probe", "who"]).output()?;
        if shown.status.success() { Ok(()) } else { Err(io::Error::other("it runs as the user that started it")) }
    }),
    row("kernel: become root", Proof::Root, |_| {
        call(libc::SYS_setresuid, &[1, 1, 0])?;
        call(libc::SYS_setresuid, &[0, 0, 0]).map(drop)
    }),
    row("kernel: a user namespace by unshare", Proof::Plain, |_| call(libc::SYS_unshare, &[USER]).map(drop)),
    row("kernel: a user namespace by clone", Proof::Plain, |_| {
        let child = call(libc::SYS_clone, &[USER | libc::SIGCHLD as usize, 0, 0, 0, 0])?;
        end_child(child)
    }),
    row("kernel: a user namespace by clone3", Proof::Plain, |_| {
        let words = [USER as u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
        let child = call(libc::SYS_clone3, &[at(&words), 64])?;
        end_child(child)
    }),
    row("kernel: the door of 32-bit programs", Proof::Maybe, |_| other_door(Door::Old)),
    row("kernel: the door of x32 programs", Proof::Maybe, |_| other_door(Door::X32)),
    row("kernel: keys", Proof::Plain, |_| {
        const SESSION: isize = -3;
        let (kind, name) = (c("user"), c("escape"));
        call(libc::SYS_add_key, &[at(kind.as_c_str()), at(name.as_c_str()), at(b"x"), 1, SESSION as usize]).map(drop)
    }),
    row("kernel: keys of the session", Proof::Plain, |_| {
        const GET: usize = 0;
        const USER_SESSION: isize = -5;
        call(libc::SYS_keyctl, &[GET, USER_SESSION as usize, 0]).map(drop)
    }),
    row("kernel: bpf", Proof::Maybe, |_| {
        // BPF_MAP_CREATE of an array with one entry of four bytes.
        let words = [2u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        call(libc::SYS_bpf, &[0, at(&words), 64]).map(drop)
    }),
    row("kernel: io_uring", Proof::Maybe, |_| {
        let mut words = [0u32; 30];
        call(libc::SYS_io_uring_setup, &[1, words.as_mut_ptr() as usize]).map(drop)
    }),
    row("kernel: userfaultfd", Proof::Maybe, |_| call(libc::SYS_userfaultfd, &[1]).map(drop)),
    row("kernel: perf_event_open", Proof::Maybe, |_| {
        // A software clock of this process.
        let mut words = [0u64; 16];
        words[0] = 1 | 128 << 32;
        call(libc::SYS_perf_event_open, &[at(&words), 0, usize::MAX, usize::MAX, 0]).map(drop)
    }),
    row("kernel: fanotify", Proof::Root, |_| call(libc::SYS_fanotify_init, &[0, 0]).map(drop)),
    row("kernel: modules", Proof::Maybe, |_| permitted(libc::SYS_init_module, &[0, 0, 0])),
    row("kernel: removing modules", Proof::Maybe, |_| {
        permitted(libc::SYS_delete_module, &[at(c("no_such_module_escape").as_c_str()), 0])
    }),
    // A number that no machine restarts at: permission is asked for first.
    row("kernel: restart", Proof::Root, |_| permitted(libc::SYS_reboot, &[1, 2, 3, 0])),
    row("kernel: another kernel", Proof::Maybe, |_| permitted(libc::SYS_kexec_load, &[0, 99, 0, 0xffff])),
    row("kernel: swap", Proof::Root, |it| permitted(libc::SYS_swapon, &[at(c(it.project.join("file")).as_c_str()), 0])),
    row("kernel: host name", Proof::Plain, |it| {
        if it.control {
            let user = if rustix::process::geteuid().is_root() { 0 } else { USER };
            call(libc::SYS_unshare, &[libc::CLONE_NEWUTS as usize | user])?;
        }
        call(libc::SYS_sethostname, &[at(b"escape"), 6]).map(drop)
    }),
    row("kernel: ports of the processor", Proof::Maybe, |_| {
        const IOPL: libc::c_long = 172;
        call(IOPL, &[3]).map(drop)
    }),
    row("kernel: its log", Proof::Root, |_| call(libc::SYS_syslog, &[9, 0, 0]).map(drop)),
    row("kernel: clock", Proof::Root, |_| {
        // A length of the tick that does not exist: permission is asked for first.
        const TICK: u64 = 0x4000;
        let mut words = [0u64; 26];
        words[0] = TICK;
        permitted(libc::SYS_adjtimex, &[words.as_mut_ptr() as usize])
    }),
    row("settings: /proc/sys", Proof::Root, |_| opens("/proc/sys/kernel/core_pattern")),
    row("settings: /proc/sys, all of it", Proof::Root, |_| any_opens(Path::new("/proc/sys"), 6)),
    row("settings: the magic key", Proof::Maybe, |_| opens("/proc/sysrq-trigger")),
    row("settings: /sys", Proof::Root, |_| any_opens(Path::new("/sys"), 4)),
    row("settings: a control group of its own", Proof::Root, |it| {
        let made = |place: &str| fs::create_dir(Path::new(place).join(&it.id));
        made("/sys/fs/cgroup").or_else(|_| made("/sys/fs/cgroup/pids"))
    }),
    row("settings: into the outermost control group", Proof::Root, |_| {
        // Opened, not written: where there is no sandbox this process stays where it is.
        ["/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/pids/cgroup.procs", "/sys/fs/cgroup/memory/cgroup.procs"]
            .iter()
            .map(|it| opens(it))
            .find(Result::is_ok)
            .unwrap_or_else(|| Err(io::Error::other("none can be opened")))
    }),
    row("settings: what runs when a control group ends", Proof::Maybe, |_| {
        let places = fs::read_dir("/sys/fs/cgroup")?.flatten().map(|it| it.path().join("release_agent"));
        let mut open = places.filter(|it| OpenOptions::new().write(true).open(it).is_ok());
        open.next().map(drop).ok_or_else(|| io::Error::other("none can be opened"))
    }),
];

fn opens(path: &str) -> io::Result<()> {
    OpenOptions::new().write(true).open(path).map(drop)
}

/// Opens and leaves, one after the other, the files beneath a folder until one can be written.
fn any_opens(folder: &Path, depth: usize) -> io::Result<()> {
    let entries = fs::read_dir(folder).map(|it| it.flatten().collect::<Vec<_>>()).unwrap_or_default();
    for entry in entries {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 && any_opens(&path, depth - 1).is_ok() {
            return Ok(());
        }
        if kind.is_file() && OpenOptions::new().write(true).open(&path).is_ok() {
            println!("{} can be written", path.display());
            return Ok(());
        }
    }
    Err(io::Error::other("nothing beneath it can be written"))
}

fn line(status: &str, name: &str) -> u64 {
    let found = status.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(":\t"));
    found.and_then(|it| u64::from_str_radix(it.trim(), 16).ok()).unwrap_or(u64::MAX)
}

/// Succeeds when any capability is held or could be.
fn capabilities(status: &str) -> io::Result<()> {
    let held: Vec<(&str, u64)> = ["CapInh", "CapPrm", "CapEff", "CapAmb"]
        .iter()
        .map(|it| (*it, line(status, it)))
        .filter(|it| it.1 != 0)
        .collect();
    println!("{held:?}");
    if held.is_empty() { Err(io::Error::other("none is held")) } else { Ok(()) }
}

/// A child of a bare clone shares this program's memory layout: it leaves at once.
fn end_child(child: usize) -> io::Result<()> {
    if child == 0 {
        std::process::exit(0);
    }
    Ok(())
}

enum Door {
    Old,
    X32,
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
fn other_door(door: Door) -> io::Result<()> {
    const X32: usize = 0x4000_0000;
    match door {
        Door::X32 => call((272 | X32) as libc::c_long, &[USER]).map(drop),
        Door::Old => {
            let result: i64;
            // SAFETY: the old door takes the number in eax and the argument in ebx, which is put back; it changes nothing else.
            unsafe {
                std::arch::asm!("xchg rbx, {arg}", "int 0x80", "xchg rbx, {arg}", arg = inout(reg) USER => _,
                    inlateout("rax") 310i64 => result, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
            }
            let error = -(result as i32);
            if error > 0 { Err(io::Error::from_raw_os_error(error)) } else { Ok(()) }
        }
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn other_door(_: Door) -> io::Result<()> {
    Err(io::Error::other("this processor has one door"))
}

/// Succeeds for root; run through the set-user-id copy.
pub fn who() -> io::Result<()> {
    if rustix::process::geteuid().is_root() { Ok(()) } else { Err(io::Error::other("a normal user")) }
}
