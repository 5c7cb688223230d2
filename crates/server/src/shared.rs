//! What all requests share.

use std::sync::Arc;

use ox_app::project;
use ox_config::Paths;
use ox_protocol::Problem;
use ox_protocol::locale::Language;

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
}

impl Shared {
    /// The stored conversations.
    pub fn stored(&self) -> Result<ox_app::conversations::stored::Conversations, Problem> {
        Ok(ox_app::conversations::stored::Conversations::of(project::store(&self.paths)?))
    }
}
