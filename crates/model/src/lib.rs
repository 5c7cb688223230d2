//! Language models: one folder per wire format, models that need no provider, and the choice between them.
//!
//! A model is asked once per call of [`Model::ask`]; this crate never retries, never runs a tool and never shows or
//! logs a key. Nothing else in Ox speaks to a provider.

mod address;
mod catalogue;
pub mod embeddings;
mod failure;
mod failure_kind;
pub mod images;
pub mod keys;
mod model;
mod offline;
mod output;
#[cfg(test)]
mod sample;
pub mod search;
pub mod tokens;
pub mod web_address;
pub mod wire;

pub use catalogue::aliases::{Alias, aliases};
pub use catalogue::models::{Known, catalogue, known};
pub use catalogue::open::{
    Choice, as_xml, check_name, choose, favourite, full_name, has_key, local_models, meant, open, providers,
};
pub use catalogue::presets;
pub use catalogue::probe::{Explained, Proof, explain, probe, search, takes_documents};
pub use catalogue::providers::provider_of_key;
pub use model::{Model, Piece, RawCall, Reply, Request};
pub use offline::{cassette, manual, scripted};
pub use output::xml;
pub use wire::attached::{attachment, image, is_document};
pub use wire::http::Timeouts;
pub use wire::roots::install as with_roots;

/// Server-sent events.
pub mod server_sent {
    pub use crate::wire::sse::{Event, Splitter, TooLong};
}
