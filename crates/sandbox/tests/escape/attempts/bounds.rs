//! Taking more than was granted: time, processes, memory, output; and staying after the end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant};

use ox_protocol::Job;

use crate::attempt::{Probe, Proof, call, look_outside, row, start};

const MIB: usize = 1 << 20;

/// Bounds.
pub const ROWS: &[Probe] = &[
    row("end: a background process", Proof::None("the plain runner ends the group as well"), |_| {
        start("stay", false)?;
        look_outside()
    }),
    row("end: a process with its own session", Proof::Plain, |_| {
        start("stay", true)?;
        look_outside()
    }),
    row("end: a daemon that lost its parent", Proof::Plain, |_| {
        start("leave-a-daemon", true)?.wait()?;
        look_outside()
    }),
    row("end: many daemons at once", Proof::Plain, |_| {
        let all: Vec<_> = (0..20).map(|_| start("leave-a-daemon", true)).collect::<Result<_, _>>()?;
        all.into_iter().for_each(|mut it| drop(it.wait()));
        look_outside()
    }),
    row("time: spinning over the limit", Proof::None("the plain runner keeps time as well"), |_| {
        start("spin", true)?;
        start("spin", false)?;
        spin()
    })
    .prepared(little_time),
    row("time: sleeping over the limit, deaf", Proof::None("the plain runner keeps time as well"), |_| {
        deaf();
        stay()
    })
    .prepared(little_time),
    row("processes: more than the limit", Proof::Plain, |_| {
        // Counted: a bomb without an end would be nobody's proof on a machine without a sandbox.
        let all: Vec<_> = (0..200).map_while(|_| start("stay", false).ok()).collect();
        println!("{} processes", all.len() + 1);
        if all.len() == 200 { Ok(()) } else { Err(io::Error::other("the limit holds")) }
    }),
    row("processes: more threads than the limit", Proof::Plain, |_| {
        let calm = || thread::Builder::new().stack_size(64 << 10).spawn(|| thread::sleep(Duration::from_secs(60)));
        let count = (0..400).map_while(|_| calm().ok()).count();
        println!("{count} threads");
        if count == 400 { Ok(()) } else { Err(io::Error::other("the limit holds")) }
    }),
    row("processes: a bomb", Proof::None("it would take the machine with it"), |it| {
        // Only where the counted attempt above was stopped may the endless one be made.
        let all: Vec<_> = (0..200).map_while(|_| start("stay", false).ok()).collect();
        if it.control || all.len() == 200 {
            return Ok(());
        }
        all.into_iter().for_each(|mut it| drop(it.kill().and_then(|()| it.wait())));
        deaf();
        loop {
            // Every child does the same; each is a copy of this process.
            let _ = call(libc::SYS_clone, &[libc::SIGCHLD as usize, 0, 0, 0, 0]);
        }
    })
    .prepared(|job| {
        job.rights.time = Duration::from_secs(2);
        Ok(())
    }),
    row("memory: more than the limit", Proof::Plain, |_| {
        touch(512 * MIB);
        Ok(())
    })
    .prepared(little_memory),
    row("memory: more than the limit, in parts", Proof::Plain, |_| {
        let mut all: Vec<_> = (0..6).map(|_| start("hold", false)).collect::<Result<_, _>>()?;
        let end = Instant::now() + Duration::from_secs(10);
        let mut held: Option<Instant> = None;
        // Each says by a file that it holds its part. The sandbox looks from time to time: what counts is that they go on holding it.
        while Instant::now() < end {
            if all.iter_mut().any(|it| it.try_wait().is_ok_and(|it| it.is_some())) {
                return Err(io::Error::other("one of them was ended"));
            }
            if all.iter().all(|it| fs::exists(format!("held-{}", it.id())).unwrap_or(false)) {
                let since = *held.get_or_insert_with(Instant::now);
                if since.elapsed() > Duration::from_secs(1) {
                    return Ok(());
                }
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(io::Error::other("they never came to hold it"))
    })
    .prepared(little_memory),
    row("memory: a file without a name", Proof::Plain, |_| {
        let file = call(libc::SYS_memfd_create, &[c"x".as_ptr() as usize, 0])?;
        fill(File::from(own(file)))
    })
    .prepared(little_memory),
    row("memory: files in memory", Proof::Maybe, |_| {
        const IN_MEMORY: libc::c_long = 0x0102_1994;
        let in_memory = |it: &&str| rustix::fs::statfs(*it).is_ok_and(|it| it.f_type == IN_MEMORY);
        let mut places = ["/dev/shm", "/tmp", "/var/tmp", "/run", "/dev"].into_iter().filter(in_memory);
        let filled = places.find(|it| {
            let path = format!("{it}/escape-fill");
            let filled = File::create(&path).and_then(fill).is_ok();
            let _ = fs::remove_file(path);
            filled
        });
        filled.map(|it| println!("{it}")).ok_or_else(|| io::Error::other("no place takes that much"))
    })
    .prepared(little_memory),
    row("output: a flood", Proof::None("the plain runner bounds it as well"), |_| {
        let chunk = vec![b'y'; MIB];
        let gib = if std::env::var_os("PROBE_EXTENDED").is_some() { 10 } else { 1 };
        let mut out = io::stdout();
        for _ in 0..gib << 10 {
            out.write_all(&chunk)?;
        }
        look_outside()
    })
    .prepared(|job| {
        let extended = std::env::var_os("OX_EXTENDED").map(|_| ("PROBE_EXTENDED".to_owned(), "1".to_owned()));
        job.env.extend(extended);
        Ok(())
    }),
];

fn little_time(job: &mut Job) -> Result<(), String> {
    job.rights.time = Duration::from_millis(700);
    Ok(())
}

fn little_memory(job: &mut Job) -> Result<(), String> {
    job.rights.memory = (256 * MIB) as u64;
    Ok(())
}

/// Writes to every page of so much memory.
fn touch(bytes: usize) -> Vec<u8> {
    let mut memory = vec![0u8; bytes];
    memory.iter_mut().step_by(4096).for_each(|it| *it = 1);
    std::hint::black_box(memory)
}

fn fill(mut file: File) -> io::Result<()> {
    let chunk = vec![1u8; MIB];
    (0..512).try_for_each(|_| file.write_all(&chunk))
}

#[allow(unsafe_code)]
fn own(number: usize) -> std::os::fd::OwnedFd {
    use std::os::fd::FromRawFd;
    // SAFETY: the kernel has just given this number to nobody else.
    unsafe { std::os::fd::OwnedFd::from_raw_fd(number as i32) }
}

/// Does not listen when it is asked to end.
#[allow(unsafe_code)]
fn deaf() {
    for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: ignoring a signal installs no code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// A process that does nothing for long.
pub fn stay() -> io::Result<()> {
    thread::sleep(Duration::from_secs(600));
    look_outside()
}

/// A process that works for nothing for long, and cannot be asked to end.
pub fn spin() -> io::Result<()> {
    deaf();
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(60) {
        std::hint::spin_loop();
    }
    Ok(())
}

/// A process that leaves another one behind.
pub fn leave_a_daemon() -> io::Result<()> {
    start("stay", true)?;
    look_outside()
}

/// A process that holds a part of what is too much together.
pub fn hold() -> io::Result<()> {
    let memory = touch(100 * MIB);
    fs::write(format!("held-{}", std::process::id()), "")?;
    thread::sleep(Duration::from_secs(30));
    drop(memory);
    look_outside()
}
