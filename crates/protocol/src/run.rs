//! The one port: starting a process. `sandbox` implements it; whoever needs a process is handed it.

use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::time::Duration;

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Receives each piece of a process's output as it arrives.
pub type Live<'a> = &'a (dyn Fn(&[u8]) + Send + Sync);

/// Exactly what a process may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rights {
    /// Paths that it may read, with everything beneath; empty means all that the user may read.
    pub read: Vec<PathBuf>,
    /// Paths that it may write, with everything beneath.
    pub write: Vec<PathBuf>,
    /// Paths within `write` that it may only read, with everything beneath. They need not exist: none of them can be created.
    pub protect: Vec<PathBuf>,
    /// Paths within `write` that it may change although a program obeys what is called so; else nothing of the kind is made
    /// or changed in any writable folder, at any depth (see [`crate::names`]).
    pub open: Vec<PathBuf>,
    /// Paths that it cannot see the contents of, whatever `read` says.
    pub hide: Vec<PathBuf>,
    /// True where it works on a private copy of what `write` names, which is gone when it ends: nobody else ever sees what it
    /// writes there. Where the system has no such copies, it may only read.
    pub discard: bool,
    /// The folder that serves as its `/tmp`; none for one of its own that ends with it. Processes with the same one share a
    /// loopback network too, so that one can serve what another asks for.
    pub scratch: Option<PathBuf>,
    /// Whom it may speak to.
    pub network: Network,
    /// Wall-clock limit; the whole process tree is killed at it.
    pub time: Duration,
    /// Memory limit in bytes.
    pub memory: u64,
    /// Bytes by which it may fill a disk that it writes to.
    pub disk: u64,
    /// Process limit.
    pub processes: u32,
    /// Bytes of output kept (head and tail together); the rest is counted and dropped.
    pub output: usize,
}

/// Whom a process may speak to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// Nobody.
    None,
    /// These hosts.
    Hosts(Vec<String>),
    /// Everybody.
    All,
}

/// A process to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Program and arguments; never empty.
    pub argv: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Variables set on top of the inherited, cleaned environment.
    pub env: Vec<(String, String)>,
    /// What is written to its standard input, which is then closed.
    pub stdin: Vec<u8>,
    /// A terminal of its own instead of plain pipes.
    pub terminal: Option<Terminal>,
    /// What it may do.
    pub rights: Rights,
}

/// The size of a pseudo-terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Characters in a line.
    pub columns: u16,
    /// Lines.
    pub rows: u16,
}

/// What a process printed, standard output and error interleaved as they came, cut in the middle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The first bytes.
    pub head: Vec<u8>,
    /// The last bytes; empty when everything fitted into `head`.
    pub tail: Vec<u8>,
    /// Bytes dropped between them.
    pub dropped: u64,
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exit {
    /// Exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// True when it was killed at its time limit.
    pub timed_out: bool,
    /// What it printed.
    pub output: Output,
    /// How long it ran.
    pub duration: Duration,
}

/// Why a process could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The program does not exist on the search path.
    #[error("the program `{0}` was not found; install it or check the spelling")]
    NotFound(String),
    /// The operating system refused to start it.
    #[error("could not start `{program}`: {reason}")]
    Start {
        /// What was to be started.
        program: String,
        /// The system's words.
        reason: String,
    },
}

/// A process that runs beside whoever started it. Dropping the last handle ends its whole process tree.
pub trait Running: Send + Sync {
    /// What it printed since the last call, at most `rights.output` bytes of it.
    fn take(&self) -> Output;
    /// Writes to its standard input or terminal. Fails when it no longer reads.
    fn write<'a>(&'a self, bytes: &'a [u8]) -> BoxFuture<'a, Result<(), RunError>>;
    /// Ends its standard input.
    fn close_input(&self);
    /// How it ended; none while it runs. The output in it is empty: `take` has it.
    fn exit(&self) -> Option<Exit>;
    /// Resolves when it has ended or printed something that `take` has not handed out.
    fn stirred(&self) -> BoxFuture<'_, ()>;
    /// Ends it and everything that it started; politely, then not. Resolves when nothing of it is left.
    fn stop(&self) -> BoxFuture<'_, ()>;
}

/// Starts processes. Dropping the returned future kills the whole process tree.
pub trait Runner: Send + Sync {
    /// True when the rights of a job are enforced, not only its time and output.
    fn isolated(&self) -> bool {
        false
    }
    /// True where nothing is enforced because the machine as a whole is there to be thrown away.
    fn external(&self) -> bool {
        false
    }
    /// Why they are not, where that is known.
    fn not_isolated(&self) -> Option<String> {
        None
    }
    /// Starts `job` and leaves it running beside the caller, `rights.time` at most.
    fn start<'a>(&'a self, job: Job) -> BoxFuture<'a, Result<std::sync::Arc<dyn Running>, RunError>> {
        let program = job.argv.first().cloned().unwrap_or_default();
        let reason = "this runner starts nothing in the background".to_owned();
        Box::pin(std::future::ready(Err(RunError::Start { program, reason })))
    }
    /// Runs `job` to its end. `live` receives each piece of output as it arrives.
    fn run<'a>(&'a self, job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>>;
}

impl Rights {
    /// The rights of a command in `root`: writes there, no network, 2 GiB, 10 GiB of the disk, 256 processes, 64 KiB of
    /// output kept.
    pub fn command(root: PathBuf, time: Duration) -> Rights {
        Rights {
            read: Vec::new(),
            write: vec![root],
            protect: Vec::new(),
            open: Vec::new(),
            hide: Vec::new(),
            discard: false,
            scratch: None,
            network: Network::None,
            time,
            memory: 2 << 30,
            disk: 10 << 30,
            processes: 256,
            output: 64 << 10,
        }
    }
}

impl Rights {
    /// Takes the right to change anything but what is the process's own: what it might write it may only read. It stays
    /// named as writable, because what is not named may be hidden, as beneath `/tmp`.
    pub fn read_only(&mut self) {
        self.protect.extend(self.write.iter().cloned());
    }
}

impl Output {
    /// Everything kept as text, with `note(dropped)` between head and tail where bytes were dropped.
    pub fn text(&self, note: impl Fn(u64) -> String) -> String {
        let head = String::from_utf8_lossy(&self.head);
        let tail = String::from_utf8_lossy(&self.tail);
        match self.dropped {
            0 => format!("{head}{tail}"),
            dropped => format!("{head}\n{}\n{tail}", note(dropped)),
        }
    }
}
