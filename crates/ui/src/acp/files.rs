//! The files that the client has open: its answers to whoever reads and edits them.
//!
//! Promise: nothing is asked of a client that has not said that it can be asked.

use std::path::PathBuf;
use std::sync::OnceLock;

use agent_client_protocol::Client as Editor;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{FileSystemCapabilities, ReadTextFileRequest, SessionId, WriteTextFileRequest};
use ox_app::conversations::session;
use ox_protocol::BoxFuture;

/// The client of one session, as the session asks it for files.
#[derive(Debug)]
pub(super) struct ClientFiles {
    client: ConnectionTo<Editor>,
    takes: bool,
    /// None before the session has an id; nothing is asked before.
    session: OnceLock<SessionId>,
}

impl ClientFiles {
    /// None where the client cannot say what it has of a file: what it has not saved would then be lost by what it takes.
    pub(super) fn of(client: &ConnectionTo<Editor>, able: &FileSystemCapabilities) -> Option<ClientFiles> {
        let files = ClientFiles { client: client.clone(), takes: able.write_text_file, session: OnceLock::new() };
        able.read_text_file.then_some(files)
    }

    /// The session has begun.
    pub(super) fn begin(&self, session: SessionId) {
        // A session has one id.
        let _ = self.session.set(session);
    }
}

impl session::Editor for ClientFiles {
    fn read(&self, path: PathBuf) -> BoxFuture<'static, Option<String>> {
        let Some(session) = self.session.get() else { return Box::pin(std::future::ready(None)) };
        let (client, request) = (self.client.clone(), ReadTextFileRequest::new(session.clone(), path));
        Box::pin(async move { client.send_request(request).block_task().await.ok().map(|it| it.content) })
    }

    fn write(&self, path: PathBuf, text: String) -> BoxFuture<'static, bool> {
        let Some(session) = self.session.get() else { return Box::pin(std::future::ready(false)) };
        let (client, request) = (self.client.clone(), WriteTextFileRequest::new(session.clone(), path, text));
        Box::pin(async move { client.send_request(request).block_task().await.is_ok() })
    }

    fn takes(&self) -> bool {
        self.takes
    }
}
