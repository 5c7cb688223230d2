//! Ox as a library: conversations with the agent, in this process or on a server, with the same types.
//!
//! [`Ox::here`] works in this process and [`Ox::connect`] with an `ox serve` that runs elsewhere. A [`Project`] begins or finds
//! conversations and holds the recorded states of its files; a [`Conversation`] is prompted, followed, and its changes are
//! accepted or taken back. Each prompt that is run is a [`Run`], which can be driven in three ways: [`Run::next`] hands out its
//! events, [`Run::print`] writes them as a terminal shows them, and [`Run::finish`] leaves consent and questions to
//! [`Answers`] and returns how the conversation stands at the end.
//!
//! ```no_run
//! # async fn f() -> Result<(), ox_sdk::Error> {
//! let ox = ox_sdk::Ox::here(std::path::Path::new("/path/to/repository"))?;
//! let project = ox.projects().await?.remove(0);
//! let conversation = project.begin(ox_sdk::Begin::default()).await?;
//! let view = conversation.run("Fix the failing test.").await?.finish(&mut ox_sdk::AllowAll).await?;
//! println!("{}", view.reply);
//! for file in conversation.changes().await? {
//!     println!("{} +{} -{}", file.change.path, file.change.added, file.change.removed);
//! }
//! # Ok(()) }
//! ```
//!
//! All functions need a runtime of tokio with timers and I/O.

mod conversation;
mod error;
mod events;
mod link;
mod project;
mod run;

pub use conversation::{Conversation, Prompt};
pub use error::Error;
pub use events::Events;
pub use ox_client::view::{self, ApprovalRequest, View};
pub use ox_client::{Control, Update};
pub use ox_protocol as protocol;
pub use ox_server::answers;
pub use project::{Begin, Ox, Project};
pub use run::{AllowAll, Answers, Run};
