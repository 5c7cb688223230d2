//! The HTTP interface: the conversations of this machine as an API with event streams, and the web page over it.
//!
//! Promise: nothing about a turn is decided here; commands go in and updates come out, as in every other interface. No request is
//! served without the token or the page's cookie, for another `Host` or from another `Origin`, but for `/health` and
//! `/openapi.json`. Nobody waits for a reader: one that is too slow is cut and told where to go on.

mod blocking;
mod changed;
mod conversations;
mod embedded;
mod events;
mod failure;
mod follow;
mod guard;
mod input;
mod listen;
mod page;
mod projects;
mod recording;
mod routes;
mod secret;
mod shared;
mod source;

pub use axum::body::Body;
pub use axum::http::{Request, Response};
pub use embedded::Embedded;
pub use listen::{Bound, ServerOptions, bind};
pub use recording::recording;
pub use routes::{answers, openapi};
pub use secret::{Known, new_link, running, token};
