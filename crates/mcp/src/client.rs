//! What a server may ask of us, and what it says by itself: where the project is, and nothing else.
//!
//! It never gets an answer of a model, and never one of the user that the user has not given.

// The protocol has deprecated roots, sampling and logging notes; servers of its earlier versions still use them.
#![expect(deprecated)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, Implementation, ListRootsResult,
    Root, RootsCapabilities,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};

/// Characters of a question that are kept.
const QUESTION: usize = 500;
/// Questions that are kept at once.
const QUESTIONS: usize = 8;

/// What a server has said or asked meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    /// Its tools are others now.
    pub(crate) changed: AtomicBool,
    questions: Mutex<Vec<String>>,
}

impl Notes {
    /// The questions to the user since the last look, which were all declined.
    pub(crate) fn questions(&self) -> Vec<String> {
        std::mem::take(&mut *self.questions.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn asked(&self, message: &str) {
        let mut questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        if questions.len() < QUESTIONS {
            questions.push(message.chars().take(QUESTION).collect());
        }
    }
}

/// Our side of a connection.
pub(crate) struct Client {
    /// The project's root as a URI; none for a server elsewhere, which has no use for it.
    pub(crate) root: Option<String>,
    pub(crate) notes: Arc<Notes>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::default());
        capabilities.roots = self.root.is_some().then(RootsCapabilities::default);
        ClientConfig::new(capabilities, Implementation::new("ox", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(&self, _context: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(self.root.iter().map(Root::new).collect()))
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "Ox asks its model nothing on behalf of a server", None))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match request {
            ElicitRequestParams::FormElicitationParams { message, .. } => self.notes.asked(&message),
            ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
                self.notes.asked(&format!("{message} ({url})"));
            }
            _ => {}
        }
        Ok(ElicitResult::new(ElicitationAction::Decline))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.notes.changed.store(true, Ordering::Relaxed);
    }
}
