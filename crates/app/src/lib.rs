//! The application layer: what every interface of Ox needs, from opening a project to committing what a run changed.
//!
//! It never prints and never asks anybody: what did not work is a [`ox_protocol::Problem`], what is worth knowing beside a
//! result goes to [`notice::listen`], and what needs an answer is returned as data. Functions that are not async may take
//! their time and must not be called on a thread of an async runtime.

pub mod accept;
pub mod answer;
pub mod bug;
pub mod code;
pub mod commit;
pub mod conversations;
pub mod doctor;
pub mod hosts;
pub mod import;
pub mod instructions;
pub mod mcp_tools;
pub mod notice;
pub mod permission;
pub mod project;
pub mod review;

pub use ox_config::Paths;
pub use project::{Project, ProjectOptions};
