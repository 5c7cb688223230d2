//! Running processes: the only code that starts any.
//!
//! [`Sandbox`] runs commands in the sandbox: what its `Rights` do not name, a command cannot reach, whoever the user is.
//! [`Plain`] bounds time and memory of its own and ends whatever it started, but it does **not** isolate: who grants a
//! command its run there must treat it as one with the user's own rights. Neither hands a secret of Ox's environment on.

mod background;
mod buffer;
pub mod container;
mod environment;
mod foreground;
mod isolation;
mod kept;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod no_inward;
mod options;
pub mod outbound;
mod plain;
mod process_group;
mod protected;
pub mod proxy;
mod readable;
mod registries;
mod running_job;
mod sandbox;
mod scratch;
mod secrets;
mod shell;
mod streams;
mod syscalls;

pub use environment::withhold;
pub use kept::{Kept, create_private};
#[cfg(target_os = "linux")]
pub use linux::inward::Inward;
#[cfg(not(target_os = "linux"))]
pub use no_inward::Inward;
pub use options::{Backend, Guarantee, Isolation, SandboxError, SandboxOptions};
pub use plain::Plain;
pub use protected::{Protected, protected};
pub use registries::registries;
pub use sandbox::{MAX_CONCURRENT, Sandbox};
pub use scratch::Scratch;
pub use shell::{on_path, shell};

/// To be called first in `main`: does the sandbox helper's work when this process was started for it, and answers with
/// the exit code to end with. Otherwise notes that this program may be started as the helper, and answers with none.
pub fn helper(arguments: std::env::ArgsOs) -> Option<std::process::ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let code = linux::helper::answer(arguments);
        if code.is_none() {
            linux::helper_program::register_helper();
        }
        code
    }
    #[cfg(not(target_os = "linux"))]
    {
        drop(arguments);
        None
    }
}
