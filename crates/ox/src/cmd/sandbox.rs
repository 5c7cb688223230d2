//! `ox sandbox`: runs a command in the same sandbox as the model's commands, and ends with its exit code.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ox_app::{Project, ProjectOptions};
use ox_protocol::{Exit, Job, Network, Output, Problem, Rights, RunError, Runner, Terminal};

use crate::cmd::shared;

/// Time limit unless one is given.
const TIME: u64 = 600;
/// Bytes of input that are taken at once.
const CHUNK: usize = 16 << 10;
/// Bytes of output on their way at once.
const OUTPUT: usize = 4 << 20;

/// Arguments of `ox sandbox`.
#[derive(Debug, Args)]
pub struct SandboxArgs {
    /// Also let it write to this folder.
    #[arg(long, value_name = "DIR")]
    write: Vec<PathBuf>,
    /// Let it connect to this host; without it, it has no network.
    #[arg(long, value_name = "HOST")]
    host: Vec<String>,
    /// Stop it after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = TIME)]
    time: u64,
    /// Give it a terminal of its own.
    #[arg(long)]
    terminal: bool,
    /// Program and arguments; a single argument is run by the shell.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    command: Vec<String>,
}

/// Runs the command. Where no sandbox can be built it refuses: who asks for a sandbox wants one.
pub fn run(args: SandboxArgs) -> anyhow::Result<u8> {
    let project = Project::here(ProjectOptions::default())?;
    let sandbox = project.sandbox()?;
    if !sandbox.isolated() {
        let missing = sandbox.describe().missing.unwrap_or_default();
        return Err(Problem::new("sandbox.none").with("why", missing).into());
    }
    let rights = rights(&args, &project);
    let argv = match args.command.as_slice() {
        [line] if line.contains(char::is_whitespace) => ox_sandbox::shell(line),
        words => words.to_vec(),
    };
    let terminal = args.terminal.then_some(Terminal { columns: 100, rows: 30 });
    let job = Job { argv, cwd: std::env::current_dir()?, env: Vec::new(), stdin: Vec::new(), terminal, rights };
    let exit = shared::runtime()?.block_on(pass_through(&sandbox, job));
    match exit {
        Ok(exit) => Ok(code(&exit)),
        Err(error) => Err(Problem::new("sandbox.failed").with("why", error).into()),
    }
}

/// The rights of the model's commands here, with what was asked for on the command line.
fn rights(args: &SandboxArgs, project: &Project) -> Rights {
    let sandbox_policy = project.sandbox_policy();
    let added: Vec<PathBuf> = args.write.iter().map(|it| absolute(it)).collect();
    let mut rights = sandbox_policy.rights(&project.root, &added, Duration::from_secs(args.time));
    if !args.host.is_empty() {
        rights.network = Network::Hosts(args.host.clone());
    }
    rights.output = OUTPUT;
    rights
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Goes with the command to its end: our input to it, its output to ours.
async fn pass_through(sandbox: &impl Runner, job: Job) -> Result<Exit, RunError> {
    let running = sandbox.start(job).await?;
    let (pieces, mut typed) = tokio::sync::mpsc::channel::<Vec<u8>>(4);
    // A thread of its own, because reading cannot be given up; it ends with the program.
    std::thread::spawn(move || forward(&pieces));
    let mut open = true;
    loop {
        tokio::select! {
            () = running.stirred() => {
                show(&running.take());
                if let Some(exit) = running.exit() {
                    show(&running.take());
                    return Ok(exit);
                }
            }
            piece = typed.recv(), if open => match piece {
                // A command that no longer reads ends by itself or by its time.
                Some(piece) => open = running.write(&piece).await.is_ok(),
                None => {
                    open = false;
                    running.close_input();
                }
            }
        }
    }
}

fn forward(pieces: &tokio::sync::mpsc::Sender<Vec<u8>>) {
    let mut chunk = vec![0; CHUNK];
    while let Ok(count @ 1..) = std::io::stdin().read(&mut chunk) {
        if pieces.blocking_send(chunk[..count].to_vec()).is_err() {
            return;
        }
    }
}

fn show(output: &Output) {
    let mut out = std::io::stdout().lock();
    // Whoever closed the pipe has seen enough.
    let _ = out.write_all(&output.head).and_then(|()| out.write_all(&output.tail)).and_then(|()| out.flush());
}

/// As a shell tells it: 124 at the time limit, 128 and the signal when one ended it.
fn code(exit: &Exit) -> u8 {
    match exit {
        exit if exit.timed_out => 124,
        Exit { signal: Some(signal), .. } => 128u8.wrapping_add(*signal as u8),
        exit => exit.code.and_then(|it| u8::try_from(it).ok()).unwrap_or(1),
    }
}
