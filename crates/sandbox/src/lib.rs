//! Running processes: the only code that starts any.
//!
//! [`Plain`] is what there is today: it bounds time and memory of its own, ends whatever it started, and hands no secret
//! of Ox's environment on. It does **not** isolate: a command may read, write and reach whatever the user may.
//! `Rights::read`, `write`, `network`, `memory` and `processes` are not enforced yet; who grants a command its run must
//! treat it as one with the user's own rights.

mod buffer;
mod environment;
mod family;
pub mod outbound;
mod plain;
pub mod proxy;
mod shell;

pub use environment::is_secret_name;
pub use plain::Plain;
pub use shell::{on_path, shell};
