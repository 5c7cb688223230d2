//! JSON-RPC 2.0 with a process: where messages begin and end, and which answer belongs to which request.
//!
//! It knows no method by name; what the other side says by itself goes to a [`Incoming`].

mod framing;
mod peer;

pub use framing::LARGEST_MESSAGE;
pub use peer::{CallError, Incoming, Peer};
