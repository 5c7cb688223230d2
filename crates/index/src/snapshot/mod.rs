//! What the index knew at one moment.

mod facts_cache;
mod history;
mod live;
mod paths;
mod state;

pub use history::Commit;
pub(crate) use history::{History, ID, Past};
pub(crate) use live::{Live, NONE};
pub(crate) use state::State;
pub use state::{FileInfo, Snapshot};
