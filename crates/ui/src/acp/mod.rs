//! The Agent Client Protocol, version 1, on standard input and output: editors hold conversations with Ox as their agent.
//!
//! Promise: standard output carries JSON-RPC and nothing else. Each session is a conversation of its own, in a project of its
//! own; the end of the input closes all of them, with what they run.

mod consent;
mod errors;
mod files;
mod open;
mod options;
mod prompt;
mod session;
mod stops;
mod tool_calls;
mod updates;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    AgentCapabilities, AuthMethod, AuthMethodAgent, AuthMethodTerminal, AuthenticateRequest, AuthenticateResponse,
    CancelNotification, ClientRequest, DeleteSessionRequest, DeleteSessionResponse, FileSystemCapabilities,
    Implementation, InitializeRequest, InitializeResponse, ListSessionsRequest, LoadSessionResponse,
    NewSessionResponse, Notice, NoticeSeverity, PromptCapabilities, ResumeSessionResponse,
    SessionAdditionalDirectoriesCapabilities, SessionCapabilities, SessionCloseCapabilities, SessionDeleteCapabilities,
    SessionId, SessionListCapabilities, SessionNotification, SessionResumeCapabilities, SessionUpdate,
};
use agent_client_protocol::v1::{ConnectionTo, Responder};
use agent_client_protocol::{Agent, Client as Editor, Error, Stdio};
use ox_app::ProjectOptions;
use ox_app::conversations::session::OpenedSession;
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::signals::Signals;
use files::ClientFiles;
use open::{Opened, Place};
use session::{Ask, Following, answer, refuse};

/// The way to sign in by what is on this machine already.
const STORED: &str = "stored-key";
/// The way to sign in through a terminal.
const LOGIN: &str = "login";

/// How sessions are opened.
#[derive(Clone, Debug)]
pub struct AcpOptions {
    /// How each project is opened.
    pub project: ProjectOptions,
    /// The language before a project says which.
    pub language: Language,
    /// What makes `ox acp` a login in a terminal.
    pub login: &'static str,
}

/// Serves a client until it closes the input or a signal asks to leave. An error is that of the connection.
pub async fn run_acp(options: AcpOptions) -> Result<(), Error> {
    let (notices, files) = (AtomicBool::new(false), Mutex::default());
    let server = Arc::new(Server { options, sessions: Mutex::default(), notices, files });
    let (requests, cancels) = (server.clone(), server.clone());
    Agent
        .v1()
        .name("ox")
        .on_receive_request(
            async move |request: ClientRequest, responder: Responder, editor: ConnectionTo<Editor>| {
                requests.request(request, responder, editor);
                Ok(())
            },
            agent_client_protocol::on_receive_request!(),
        )
        .on_receive_notification(
            async move |cancel: CancelNotification, _: ConnectionTo<Editor>| {
                // A session that is not there has nothing to cancel.
                let _ = cancels.tell(&cancel.session_id, Ask::Cancel);
                Ok(())
            },
            agent_client_protocol::on_receive_notification!(),
        )
        .connect_with(Stdio::new(), async |editor: ConnectionTo<Editor>| {
            let mut signals = Signals::watch();
            tokio::select! {
                () = editor.incoming_closed() => {}
                _ = signals.next() => {}
            }
            server.close().await;
            Ok(())
        })
        .await
}

/// A session that runs: where it is asked, and its end.
struct Running {
    asks: mpsc::UnboundedSender<Ask>,
    ended: JoinHandle<()>,
}

struct Server {
    options: AcpOptions,
    sessions: Mutex<HashMap<SessionId, Running>>,
    /// True where the client shows notices.
    notices: AtomicBool,
    /// What the client does with files.
    files: Mutex<FileSystemCapabilities>,
}

/// What a session is opened for.
enum Opens {
    New(Responder<NewSessionResponse>),
    Load(Responder<LoadSessionResponse>),
    Resume(Responder<ResumeSessionResponse>),
}

impl Server {
    fn sessions(&self) -> MutexGuard<'_, HashMap<SessionId, Running>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn request(self: &Arc<Self>, request: ClientRequest, responder: Responder, editor: ConnectionTo<Editor>) {
        match request {
            ClientRequest::InitializeRequest(it) => answer(responder.cast(), Ok(self.initialized(&it))),
            ClientRequest::AuthenticateRequest(it) => self.authenticate(&it, responder.cast()),
            ClientRequest::NewSessionRequest(it) => {
                self.open(
                    Place::new(it.cwd, it.additional_directories).with_servers(it.mcp_servers.len()),
                    Opens::New(responder.cast()),
                    editor,
                );
            }
            ClientRequest::LoadSessionRequest(it) => {
                let place = Place::stored(it.cwd, it.additional_directories, &it.session_id);
                let place = place.with_servers(it.mcp_servers.len());
                self.open(place, Opens::Load(responder.cast()), editor);
            }
            ClientRequest::ResumeSessionRequest(it) => {
                let place = Place::stored(it.cwd, it.additional_directories, &it.session_id);
                let place = place.with_servers(it.mcp_servers.len());
                self.open(place, Opens::Resume(responder.cast()), editor);
            }
            ClientRequest::ListSessionsRequest(it) => self.list(it, responder),
            ClientRequest::DeleteSessionRequest(it) => self.delete(it, responder.cast()),
            ClientRequest::CloseSessionRequest(it) => {
                self.ask(&it.session_id, responder.cast(), |responder| Ask::Close(Some(responder)));
            }
            ClientRequest::SetSessionModeRequest(it) => {
                let mode = it.mode_id.to_string();
                self.ask(&it.session_id, responder.cast(), |responder| Ask::Mode(mode, responder));
            }
            ClientRequest::SetSessionConfigOptionRequest(it) => {
                let id = it.session_id.clone();
                self.ask(&id, responder.cast(), |responder| Ask::Option(it, responder));
            }
            ClientRequest::PromptRequest(it) => {
                self.ask(&it.session_id, responder.cast(), |responder| Ask::Prompt(it.prompt, responder));
            }
            other => answer(responder, Err(Error::method_not_found().data(other.method().to_owned()))),
        }
    }

    fn initialized(&self, request: &InitializeRequest) -> InitializeResponse {
        let client = request.client_capabilities.session.as_ref();
        self.notices.store(client.is_some_and(|it| it.notices.is_some()), Ordering::Relaxed);
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = request.client_capabilities.fs.clone();
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::new())
            .resume(SessionResumeCapabilities::new())
            .close(SessionCloseCapabilities::new())
            .delete(SessionDeleteCapabilities::new())
            .additional_directories(SessionAdditionalDirectoriesCapabilities::new());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(PromptCapabilities::new().image(true).embedded_context(true))
            .session_capabilities(sessions);
        let say = |key: &str| self.options.language.say(key, &[]);
        let stored = AuthMethodAgent::new(STORED, say("acp.auth.stored")).description(say("acp.auth.stored.is"));
        let mut methods = vec![AuthMethod::Agent(stored)];
        if request.client_capabilities.auth.terminal {
            let login = AuthMethodTerminal::new(LOGIN, say("acp.auth.login")).description(say("acp.auth.login.is"));
            methods.push(AuthMethod::Terminal(login.args(vec![self.options.login.to_owned()])));
        }
        InitializeResponse::new(ProtocolVersion::V1)
            .agent_capabilities(capabilities)
            .auth_methods(methods)
            .agent_info(Implementation::new("ox", env!("CARGO_PKG_VERSION")).title("Ox".to_owned()))
    }

    /// Looks whether there is a model that can be asked, with the keys as they are now.
    fn authenticate(self: &Arc<Self>, request: &AuthenticateRequest, responder: Responder<AuthenticateResponse>) {
        let language = self.options.language;
        if &*request.method_id.0 != STORED {
            let problem = Problem::new("acp.unknown_auth").with("name", &request.method_id).with("known", STORED);
            return refuse(responder, language, &problem);
        }
        let options = self.options.project.clone();
        tokio::spawn(async move {
            let found = blocking(move || open::can_ask(options)).await;
            answer(responder, found.map(|()| AuthenticateResponse::new()).map_err(|it| errors::error(language, &it)));
        });
    }

    fn list(self: &Arc<Self>, request: ListSessionsRequest, responder: Responder) {
        let language = self.options.language;
        tokio::spawn(async move {
            let listed = blocking(move || open::list(request.cwd.as_deref(), request.cursor.as_deref())).await;
            answer(responder.cast(), listed.map_err(|it| errors::error(language, &it)));
        });
    }

    fn delete(self: &Arc<Self>, request: DeleteSessionRequest, responder: Responder<DeleteSessionResponse>) {
        let server = self.clone();
        tokio::spawn(async move {
            server.end(&request.session_id).await;
            let deleted = blocking(move || open::delete(&request.session_id.0)).await;
            let language = server.options.language;
            answer(
                responder,
                deleted.map(|()| DeleteSessionResponse::new()).map_err(|it| errors::error(language, &it)),
            );
        });
    }

    /// Opens a session beside the connection, which goes on meanwhile.
    fn open(self: &Arc<Self>, place: Place, opens: Opens, editor: ConnectionTo<Editor>) {
        let server = self.clone();
        tokio::spawn(async move {
            // A session that is loaded again begins anew.
            if let Some(id) = place.stored_id() {
                server.end(&id).await;
            }
            let options = server.options.project.clone();
            let able = server.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let files = ClientFiles::of(&editor, &able);
            match blocking(move || open::open(place, options, files)).await {
                Ok(opened) => server.opened(opened, opens, editor),
                Err(problem) => {
                    let error = Err(errors::error(server.options.language, &problem));
                    match opens {
                        Opens::New(it) => answer(it, error.map(|()| NewSessionResponse::new(""))),
                        Opens::Load(it) => answer(it, error.map(|()| LoadSessionResponse::new())),
                        Opens::Resume(it) => answer(it, error.map(|()| ResumeSessionResponse::new())),
                    }
                }
            }
        });
    }

    fn opened(&self, opened: Opened, opens: Opens, editor: ConnectionTo<Editor>) {
        let language = opened.project.settings.language;
        let Opened { id, project, session: OpenedSession { client, session }, mut updates, history, servers } = opened;
        let id = SessionId::new(id.0);
        for frame in &history {
            match &opens {
                Opens::Load(_) => {
                    for update in updates.replayed(frame) {
                        let _ = editor.send_notification(SessionNotification::new(id.clone(), update));
                    }
                }
                Opens::New(_) | Opens::Resume(_) => updates.before(frame),
            }
        }
        let (modes, chosen) = (updates.chosen().modes(language), updates.chosen().options(language));
        let (asks, inbox) = mpsc::unbounded_channel();
        let (begin, begun) = oneshot::channel();
        let served = tokio::spawn(async move { session.serve().await.map(drop).map_err(|it| it.to_string()) });
        let (teller, back) = (editor.clone(), asks.downgrade());
        let following = Following { id: id.clone(), project, client, served, updates, editor, asks: inbox, back };
        let ended = tokio::spawn(async move {
            let _ = begun.await;
            session::follow(following).await;
        });
        // The client may ask the session as soon as it knows of it, so it is known before anything happens in it.
        self.sessions().insert(id.clone(), Running { asks, ended });
        match opens {
            Opens::New(it) => {
                let response = NewSessionResponse::new(id.clone());
                answer(it, Ok(response.modes(modes).config_options(chosen)));
            }
            Opens::Load(it) => answer(it, Ok(LoadSessionResponse::new().modes(modes).config_options(chosen))),
            Opens::Resume(it) => answer(it, Ok(ResumeSessionResponse::new().modes(modes).config_options(chosen))),
        }
        if servers > 0 && self.notices.load(Ordering::Relaxed) {
            let notice = Notice::new(NoticeSeverity::Warning, language.say("acp.no_mcp", &[]));
            let _ = teller.send_notification(SessionNotification::new(id, SessionUpdate::Notice(notice)));
        }
        // What waits for it goes on where this end is dropped, too.
        let _ = begin.send(());
    }

    /// Hands a request to its session.
    fn ask<T: agent_client_protocol::JsonRpcResponse>(
        &self,
        id: &SessionId,
        responder: Responder<T>,
        ask: impl FnOnce(Responder<T>) -> Ask,
    ) {
        let is_there = self.sessions().get(id).is_some_and(|it| !it.asks.is_closed());
        if !is_there {
            let problem = Problem::new("acp.unknown_session").with("id", id);
            return refuse(responder, self.options.language, &problem);
        }
        // A session that ends just now drops the request, and that answers it.
        let _ = self.tell(id, ask(responder));
    }

    fn tell(&self, id: &SessionId, ask: Ask) -> Option<()> {
        self.sessions().get(id)?.asks.send(ask).ok()
    }

    /// Ends a session, where it runs.
    async fn end(&self, id: &SessionId) {
        let running = self.sessions().remove(id);
        if let Some(Running { asks, ended }) = running {
            let _ = asks.send(Ask::Close(None));
            let _ = ended.await;
        }
    }

    /// Ends all sessions at once.
    async fn close(&self) {
        let all: Vec<Running> = self.sessions().drain().map(|(_, it)| it).collect();
        all.iter().for_each(|it| drop(it.asks.send(Ask::Close(None))));
        for it in all {
            let _ = it.ended.await;
        }
    }
}

/// Runs what may take its time on a thread of its own.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Problem> + Send + 'static) -> Result<T, Problem> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Problem::new("error.session").with("why", error)))
}
