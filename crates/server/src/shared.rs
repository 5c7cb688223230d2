//! What all requests share.

use std::sync::Arc;

use ox_app::conversations::stored;
use ox_config::Paths;
use ox_protocol::locale::Language;
use ox_store::Log;

use crate::conversations::Conversations;
use crate::projects::Projects;
use crate::secret::Secrets;

pub(crate) struct Shared {
    pub language: Language,
    pub scheme: &'static str,
    /// Values of `Host` that are this server.
    pub hosts: Vec<String>,
    pub secrets: Secrets,
    pub projects: Arc<Projects>,
    pub conversations: Conversations,
    pub paths: Paths,
    /// The store, open once for all requests.
    pub log: Arc<dyn Log>,
}

impl Shared {
    /// The stored conversations.
    pub fn stored(&self) -> stored::Conversations {
        stored::Conversations::of(self.log.clone())
    }
}
