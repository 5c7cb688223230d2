//! The part of Docker's HTTP API that is needed, over its unix socket. Podman speaks it as well.
//!
//! Each request has a connection of its own: they are few, and a connection that was taken over by a stream is no longer
//! one for requests. Never speaks to a socket that the project named: the address comes from the user's environment.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{CONNECTION, CONTENT_TYPE, HOST, UPGRADE};
use hyper::upgrade::Upgraded;
use hyper::{Method, Request, Response, StatusCode, body::Incoming};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::error::ContainerError;

/// The version of the API that is asked for: everything used here is in it, and old daemons know it.
const VERSION: &str = "v1.41";
/// How long a daemon may take for what is no waiting.
const ANSWER: Duration = Duration::from_secs(30);
/// Bytes of an answer that are read.
const LONGEST: usize = 4 << 20;

/// A daemon.
#[derive(Clone, Debug)]
pub(super) struct Api {
    socket: PathBuf,
}

impl Api {
    pub(super) fn new(socket: PathBuf) -> Api {
        Api { socket }
    }

    #[cfg(test)]
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks, and reads the answer, which is null where there is none.
    pub(super) async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ContainerError> {
        let answer = timeout(ANSWER, self.wait(method, path, body)).await;
        answer.unwrap_or_else(|_| Err(self.silent(format!("no answer within {} s", ANSWER.as_secs()))))
    }

    /// As [`Api::ask`], for what takes as long as it takes.
    pub(super) async fn wait(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Value, ContainerError> {
        let response = self.send(method, path, body, false).await?;
        self.read(response).await
    }

    async fn read(&self, response: Response<Incoming>) -> Result<Value, ContainerError> {
        let status = response.status();
        let bytes = Limited::new(response.into_body(), LONGEST).collect().await;
        let bytes = bytes.map_err(|it| self.silent(it.to_string()))?.to_bytes();
        let value: Value = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        if status.is_success() || status == StatusCode::NOT_MODIFIED {
            return Ok(value);
        }
        let said = value["message"].as_str().or_else(|| value["cause"].as_str());
        let message = said.map_or_else(|| String::from_utf8_lossy(&bytes).trim().to_owned(), str::to_owned);
        Err(ContainerError::Refused { status: status.as_u16(), message })
    }

    /// Takes a connection over as the stream of a container.
    pub(super) async fn attach(&self, path: &str) -> Result<TokioIo<Upgraded>, ContainerError> {
        let response = timeout(ANSWER, self.send(Method::POST, path, None, true)).await;
        let response = response.map_err(|_| self.silent("no answer to a stream".to_owned()))??;
        if response.status() != StatusCode::SWITCHING_PROTOCOLS {
            return Err(self.read(response).await.err().unwrap_or_else(|| self.silent("it gave no stream".to_owned())));
        }
        hyper::upgrade::on(response).await.map(TokioIo::new).map_err(|it| self.silent(it.to_string()))
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        stream: bool,
    ) -> Result<Response<Incoming>, ContainerError> {
        let socket = UnixStream::connect(&self.socket).await.map_err(|it| unreachable_socket(&self.socket, &it))?;
        let failed = |it: hyper::Error| self.silent(it.to_string());
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(socket)).await.map_err(failed)?;
        // It ends with the answer's body, or with the stream that it became.
        tokio::spawn(connection.with_upgrades());
        let mut request = Request::builder().method(method).uri(format!("/{VERSION}{path}")).header(HOST, "localhost");
        if stream {
            request = request.header(CONNECTION, "Upgrade").header(UPGRADE, "tcp");
        }
        let bytes = body.map(|it| Bytes::from(it.to_string())).unwrap_or_default();
        let request = request.header(CONTENT_TYPE, "application/json").body(Full::new(bytes));
        let request = request.map_err(|it| self.silent(it.to_string()))?;
        sender.send_request(request).await.map_err(failed)
    }

    /// The error of a daemon that does not answer as one.
    pub(super) fn silent(&self, reason: String) -> ContainerError {
        ContainerError::Silent { socket: self.socket.clone(), reason }
    }

    /// Removes a container from where nothing can be awaited any more. Says nothing: there is nobody left to hear it.
    pub(super) fn remove_now(&self, id: &str) {
        let _ = self.remove_blocking(id);
    }

    fn remove_blocking(&self, id: &str) -> io::Result<()> {
        use std::io::{Read, Write};
        let mut socket = std::os::unix::net::UnixStream::connect(&self.socket)?;
        socket.set_read_timeout(Some(ANSWER / 3))?;
        let head = format!("DELETE /{VERSION}{} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", removal(id));
        socket.write_all(head.as_bytes())?;
        // The daemon may take an early end for a change of mind.
        socket.read_to_end(&mut Vec::new()).map(drop)
    }
}

/// The request that removes a container, running or not, with what belongs to it alone.
pub(super) fn removal(id: &str) -> String {
    format!("/containers/{id}?force=true&v=true")
}

/// Why a socket cannot be spoken to, in words for whoever must change that.
pub(super) fn unreachable_socket(socket: &Path, error: &io::Error) -> ContainerError {
    let socket = socket.to_owned();
    match error.kind() {
        io::ErrorKind::PermissionDenied => ContainerError::Forbidden { socket },
        io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => ContainerError::Absent { socket },
        _ => ContainerError::Silent { socket, reason: error.to_string() },
    }
}
