//! Running processes: the only code that starts any.
//!
//! [`Sandbox`] runs commands behind walls: what its `Rights` do not name, a command cannot reach, whoever the user is.
//! [`Plain`] bounds time and memory of its own and ends whatever it started, but it does **not** isolate: who grants a
//! command its run there must treat it as one with the user's own rights. Neither hands a secret of Ox's environment on.

mod buffer;
mod classify;
pub mod container;
mod drive;
mod environment;
mod family;
mod foreground;
mod isolation;
#[cfg(target_os = "linux")]
mod linux;
pub mod outbound;
mod plain;
mod protected;
pub mod proxy;
mod readable;
mod registries;
mod running;
mod sandbox;
mod scratch;
mod secrets;
mod shell;
mod streams;

pub use classify::{Classified, LONGEST_LINE, Place, classify};
pub use environment::{is_secret_name, withhold};
pub use isolation::{Held, Isolation};
pub use plain::Plain;
pub use protected::{Protected, protected};
pub use registries::registries;
pub use sandbox::{AT_ONCE, Backend, Choice, Sandbox, SandboxError};
pub use scratch::Scratch;
pub use shell::{on_path, shell};

/// To be called first in `main`: does the sandbox helper's work when this process was started for it, and answers with
/// the exit code to end with. Otherwise notes that this program may be started as the helper, and answers with none.
pub fn helper(arguments: std::env::ArgsOs) -> Option<std::process::ExitCode> {
    #[cfg(target_os = "linux")]
    {
        let code = linux::helper::answer(arguments);
        if code.is_none() {
            linux::link::answers();
        }
        code
    }
    #[cfg(not(target_os = "linux"))]
    {
        drop(arguments);
        None
    }
}
