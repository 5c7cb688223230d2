//! What a server may ask of us, and what it says by itself: where the project is, and what the user wants to tell it.
//!
//! It never gets an answer of a model, and never one of the user that the user has not given.

// The protocol has deprecated roots, sampling and logging notes; servers of its earlier versions still use them.
#![expect(deprecated)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability,
    Implementation, ListRootsResult, ProtocolVersion, Root, RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};

use crate::elicit::{self, Fate, ServerQuestion, UserInput};

/// Questions that are kept at once.
const QUESTIONS: usize = 8;

/// What a server has said or asked meanwhile.
#[derive(Default)]
pub(crate) struct Notes {
    /// Its tools are others now.
    pub(crate) changed: AtomicBool,
    questions: Mutex<Vec<ServerQuestion>>,
    /// Who can be asked, with the numbers of the calls that they made; the last one answers.
    inputs: Mutex<Vec<(u64, UserInput)>>,
    /// Questions that were ever begun, and that were ended.
    begun: AtomicU64,
    ended: AtomicU64,
    /// Held by the question that the user reads.
    one: tokio::sync::Mutex<()>,
}

/// Until it is dropped, somebody can be asked.
pub(crate) struct Asking {
    notes: Arc<Notes>,
    number: u64,
}

impl Drop for Asking {
    fn drop(&mut self) {
        lock(&self.notes.inputs).retain(|it| it.0 != self.number);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Notes {
    /// The questions to the user since the last look.
    pub(crate) fn questions(&self) -> Vec<ServerQuestion> {
        std::mem::take(&mut *lock(&self.questions))
    }

    /// From now on the server may ask the user.
    pub(crate) fn asked_by(self: &Arc<Self>, input: &UserInput) -> Asking {
        static CALLS: AtomicU64 = AtomicU64::new(0);
        let number = CALLS.fetch_add(1, Ordering::Relaxed);
        lock(&self.inputs).push((number, input.clone()));
        Asking { notes: self.clone(), number }
    }

    /// Changes whenever a question begins or ends; the second value is true while one is open. A server that waits for the user is
    /// not slow.
    pub(crate) fn pace(&self) -> (u64, bool) {
        let (ended, begun) = (self.ended.load(Ordering::Relaxed), self.begun.load(Ordering::Relaxed));
        (begun + ended, begun > ended)
    }

    async fn answer(self: &Arc<Self>, server: &str, request: ElicitRequestParams) -> ElicitResult {
        let text = elicit::words(&request);
        self.begun.fetch_add(1, Ordering::Relaxed);
        let _ended = Ended(self.clone());
        let _one = self.one.lock().await;
        let input = lock(&self.inputs).last().map(|it| it.1.clone());
        let (result, fate) = match input {
            None => (ElicitResult::new(ElicitationAction::Decline), Fate::Unasked),
            Some(input) => {
                let result = elicit::elicited(&input, server, request).await;
                let fate = match result.action {
                    ElicitationAction::Accept => Fate::Answered,
                    ElicitationAction::Decline => Fate::Declined,
                    _ => Fate::Cancelled,
                };
                (result, fate)
            }
        };
        let mut questions = lock(&self.questions);
        if questions.len() < QUESTIONS {
            questions.push(ServerQuestion { text, fate });
        }
        result
    }
}

/// Counts a question as ended, however it ends.
struct Ended(Arc<Notes>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// Our side of a connection.
pub(crate) struct Client {
    /// The server's name.
    pub(crate) server: String,
    /// The project's root as a URI; none for a server elsewhere, which has no use for it.
    pub(crate) root: Option<String>,
    pub(crate) notes: Arc<Notes>,
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let (form, url) = (FormElicitationCapability::default(), UrlElicitationCapability::default());
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form).with_url(url));
        capabilities.roots = self.root.is_some().then(RootsCapabilities::default);
        let us = Implementation::new("ox", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, us).with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
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
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        tokio::select! {
            result = self.notes.answer(&self.server, request) => Ok(result),
            () = context.ct.cancelled() => Ok(ElicitResult::new(ElicitationAction::Cancel)),
        }
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        self.notes.changed.store(true, Ordering::Relaxed);
    }
}
