//! The program that is started as the helper.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream as Socket;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// True once this program has shown that it answers as the helper.
static ANSWERS: AtomicBool = AtomicBool::new(false);

/// Notes that this program's main function calls [`crate::helper`] first.
pub(crate) fn register_helper() {
    ANSWERS.store(true, Ordering::Relaxed);
}

/// The program to start as the helper: this very one, or the one that was built beside a test.
fn program() -> io::Result<PathBuf> {
    if ANSWERS.load(Ordering::Relaxed) {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    let own = std::env::current_exe()?;
    let beside = own.ancestors().skip(1).take(2).map(|it| it.join("ox-sandbox-helper")).find(|it| it.is_file());
    beside.ok_or_else(|| {
        io::Error::other("this program does not answer as the sandbox's helper, and none lies beside it")
    })
}

/// The helper that does what `call` names, not started yet, with its end of a socket. That end must end with the helper, so
/// nobody may hold this any longer than until it is started.
pub(super) fn command(call: &str, theirs: Socket) -> io::Result<Command> {
    let mut command = Command::new(program()?);
    command.arg0("ox-sandbox-helper").arg(call).env_clear();
    command.stdin(OwnedFd::from(theirs)).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(command)
}
