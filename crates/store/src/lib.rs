//! Conversations on disk or on a server: an append-only log of events per conversation, what a list of them shows, and a queue
//! of tasks that go on with them.
//!
//! This crate never changes or drops an event that was appended, never interprets one beyond the facts that a list
//! shows, never prints, and never waits longer than its busy limit. An append that returned is on the disk.

mod disk;
mod error;
mod export;
mod facts;
mod holder;
mod lock;
mod log;
mod mail;
mod other;
mod outline;
mod postgres;
mod queue;
mod record;
mod schema;
mod search;
mod sqlite;
mod understood;

pub use disk::free_space;
pub use error::StoreError;
pub use export::{export_json, export_markdown};
pub use lock::{TreeLock, lock_conversation, lock_tree};
pub use log::{Found, History, Info, Log, Outline, Owner};
pub use mail::{Answer, Mail, StoredCommand};
pub use other::OtherDatabase;
pub use postgres::PostgresStore;
pub use queue::{Claim, Kept, NewTask, Outcome, POISONED, ProjectLimits, Queue, Submitted, Task, TaskId, TaskState};
pub use schema::Options;
pub use sqlite::Store;
