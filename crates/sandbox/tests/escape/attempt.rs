//! One attempt, seen from inside the sandbox.

use std::ffi::CString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ox_protocol::Job;

/// A way out, and how it is known to be one.
pub struct Probe {
    /// What it is called; unique.
    pub name: &'static str,
    /// Makes the attempt. `Ok` claims that it had an effect; an error says what denied it. Attempts whose success can be
    /// seen from outside only, or that are allowed to succeed inside, end with [`look_outside`].
    pub attack: fn(&Inside) -> Attempt,
    /// Where it must work when there is no sandbox.
    pub proof: Proof,
    /// Changes the job, outside, before it starts.
    pub prepare: fn(&mut Job) -> Result<(), String>,
}

/// What an attempt says about itself.
pub type Attempt = io::Result<()>;

/// Where an attempt must work when there is no sandbox.
#[derive(Clone, Copy)]
pub enum Proof {
    /// Everywhere.
    Plain,
    /// For root alone: a normal user may not do this without a sandbox either.
    Root,
    /// For a normal user alone.
    User,
    /// Where the kernel offers it and its settings allow it.
    Maybe,
    /// Nowhere: it would do harm, or the plain runner denies it as well.
    None(&'static str),
}

/// A row.
pub const fn row(name: &'static str, proof: Proof, attack: fn(&Inside) -> Attempt) -> Probe {
    Probe { name, attack, proof, prepare: |_| Ok(()) }
}

impl Probe {
    /// The row with a job that is changed before it starts.
    pub const fn prepared(mut self, prepare: fn(&mut Job) -> Result<(), String>) -> Probe {
        self.prepare = prepare;
        self
    }
}

/// What the attempt knows about the fixture.
pub struct Inside {
    /// Of the fixture.
    pub id: String,
    /// The folder that may not be touched.
    pub outside: PathBuf,
    /// The user's folder.
    pub home: PathBuf,
    /// The folder that may be written.
    pub project: PathBuf,
    /// A file outside.
    pub victim: PathBuf,
    /// True when there is no sandbox: what would do harm is done in namespaces of its own.
    pub control: bool,
}

impl Inside {
    fn new() -> Inside {
        let base = PathBuf::from(variable("PROBE_BASE"));
        Inside {
            id: variable("PROBE_ID"),
            outside: base.join("outside"),
            home: base.join("home"),
            project: base.join("project"),
            victim: base.join("outside/victim"),
            control: std::env::var_os("PROBE_CONTROL").is_some(),
        }
    }

    /// A number from the job: `TCP`, `UDP`, `VICTIM`, `SUITE`, `ADDRESS`.
    pub fn number(&self, name: &str) -> i64 {
        variable(&format!("PROBE_{name}")).parse().unwrap()
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("the job sets {name}"))
}

/// Makes the attempt called `name` and ends: 0 when it worked, 10 when it was denied.
pub fn perform(name: &str) -> ExitCode {
    println!("attempt starts");
    let attempt = match crate::attempts::part(name) {
        Some(part) => part(),
        None => (crate::attempts::all().find(|it| it.name == name).unwrap().attack)(&Inside::new()),
    };
    match attempt {
        Ok(()) => {
            println!("worked");
            ExitCode::SUCCESS
        }
        Err(why) => {
            println!("denied: {why}");
            ExitCode::from(10)
        }
    }
}

/// The end of an attempt that only the outside can judge.
pub fn look_outside() -> Attempt {
    Err(io::Error::other("see outside"))
}

/// A path for a system call.
pub fn c(path: impl AsRef<Path>) -> CString {
    use std::os::unix::ffi::OsStrExt;
    CString::new(path.as_ref().as_os_str().as_bytes()).unwrap()
}

/// Makes a system call, of which the C library need not know.
#[allow(unsafe_code)]
pub fn call(number: libc::c_long, arguments: &[usize]) -> io::Result<usize> {
    let at = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: the attempts pass pointers to memory that outlives the call, as the call in question expects it.
    let result = unsafe { libc::syscall(number, at(0), at(1), at(2), at(3), at(4), at(5)) };
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

/// As [`call`], for a call whose complaint about its arguments comes after the question of permission: any error but a
/// refusal shows that it would have been permitted.
pub fn permitted(number: libc::c_long, arguments: &[usize]) -> Attempt {
    match call(number, arguments) {
        Err(why) if [libc::EPERM, libc::EACCES, libc::ENOSYS].map(Some).contains(&why.raw_os_error()) => Err(why),
        _ => Ok(()),
    }
}

/// Starts another copy of this program that plays the part called `name`, in a session of its own if asked for.
#[allow(unsafe_code)]
pub fn start(name: &str, session: bool) -> io::Result<std::process::Child> {
    use std::os::unix::process::CommandExt;
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.args(["__probe", name, &variable("PROBE_ID"), "part"]).stdin(std::process::Stdio::null());
    // SAFETY: `setsid` is a plain system call, which is allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            if session {
                rustix::process::setsid()?;
            }
            Ok(())
        });
    }
    command.spawn()
}

/// The address of something, for a system call.
pub fn at<T: ?Sized>(thing: &T) -> usize {
    std::ptr::from_ref(thing).cast::<()>() as usize
}

/// No folder but the working one, for system calls that take one.
pub const CWD: usize = libc::AT_FDCWD as usize;
