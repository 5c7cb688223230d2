//! Language servers: started on demand, one for each language, in the sandbox, and ended with the session.
//!
//! A server is never believed to know the tree: before each question it is told what has changed. This crate changes no
//! file and starts no process by itself: what a server proposes is handed to the caller, and processes start through the
//! runner that the caller brings. It words nothing for a model either: answers and errors are data.

mod diagnostics;
mod error;
pub mod jsonrpc;
mod message;
mod position;
mod project;
mod query;
mod server;
mod servers;
mod uri;

pub use diagnostics::Before;
pub use error::{Error, FileError};
pub use message::{FileEdits, Place, Severity, Symbol};
pub use position::{Encoding, LineIndex};
pub use project::{Files, Project};
pub use query::{Answer, Found, Query, Question, RenameEdits, bare_name};
pub use server::{Limits, installed};
pub use servers::Servers;
