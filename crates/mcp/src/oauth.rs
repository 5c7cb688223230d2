//! Logins to servers elsewhere: OAuth in the user's browser, whose answer comes back to this machine. What a login brings is
//! kept for one server at one address and sent to no other.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use rmcp::transport::auth::{AuthError, OAuthState};
use rmcp::transport::{AuthClient, AuthorizationManager, AuthorizationRequest, CredentialStore, StoredCredentials};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use url::Url;

use crate::address::address;
use crate::config::{Endpoint, ServerConfig};
use crate::launcher::{Launcher, Tokens};

/// Bytes of the request that a browser comes back with.
const REQUEST: usize = 16 << 10;
/// How long it may take to send it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a server may take to say where its logins are.
const PROBE: Duration = Duration::from_secs(20);
/// What the user sees in the browser.
const DONE: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\nOx has the answer. You can close this page.\n";

/// Where the credentials of one server are.
struct Kept {
    tokens: Arc<dyn Tokens>,
    server: String,
    url: Url,
}

/// What is kept.
#[derive(Serialize, Deserialize)]
struct Entry {
    url: String,
    credentials: StoredCredentials,
    /// What the server asked for when these were not enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    challenge: Option<String>,
}

impl Kept {
    fn entry(&self) -> Result<Option<Entry>, String> {
        let text = self.tokens.load(&self.server)?;
        let entry = text.and_then(|it| serde_json::from_str::<Entry>(&it).ok());
        // A server that has moved gets nothing of what another one gave.
        Ok(entry.filter(|it| it.url == self.url.as_str()))
    }

    fn keep(&self, entry: &Entry) -> Result<(), String> {
        let text = serde_json::to_string(entry).map_err(|it| it.to_string())?;
        self.tokens.keep(&self.server, &text)
    }
}

#[async_trait::async_trait]
impl CredentialStore for Kept {
    async fn load(&self) -> Result<Option<StoredCredentials>, AuthError> {
        Ok(self.entry().map_err(AuthError::CredentialStoreError)?.map(|it| it.credentials))
    }

    async fn save(&self, credentials: StoredCredentials) -> Result<(), AuthError> {
        let entry = Entry { url: self.url.to_string(), credentials, challenge: None };
        self.keep(&entry).map_err(AuthError::CredentialStoreError)
    }

    async fn clear(&self) -> Result<(), AuthError> {
        self.tokens.forget(&self.server).map(drop).map_err(AuthError::CredentialStoreError)
    }
}

/// The client that sends what a login brought; none where nobody has logged in.
pub(crate) async fn client(
    server: &ServerConfig,
    launcher: &Launcher,
    url: &Url,
    http: reqwest::Client,
) -> Result<Option<AuthClient<reqwest::Client>>, String> {
    let kept = Kept { tokens: launcher.tokens.clone(), server: server.name.clone(), url: url.clone() };
    if kept.load().await.map_err(|it| it.to_string())?.is_none() {
        return Ok(None);
    }
    let mut manager = manager(url, http.clone()).await?;
    manager.set_credential_store(kept);
    let ready = manager.initialize_from_store().await.map_err(|it| it.to_string())?;
    Ok(ready.then(|| AuthClient::new(http, manager)))
}

/// Keeps what a server asks for beyond what a login brought, for the next login.
pub(crate) fn keep_challenge(server: &ServerConfig, launcher: &Launcher, challenge: &str) {
    let Ok(Endpoint::Http { url, .. }) = server.filled(&|name| std::env::var(name).ok()) else { return };
    let Ok(url) = address(&url) else { return };
    let kept = Kept { tokens: launcher.tokens.clone(), server: server.name.clone(), url };
    if let Ok(Some(entry)) = kept.entry() {
        // Where it cannot be kept, the next login asks for what the server tells everybody.
        let _ = kept.keep(&Entry { challenge: Some(challenge.to_owned()), ..entry });
    }
}

/// What a server says to somebody who is not logged in: where logins are, and for what.
async fn challenge(http: &reqwest::Client, url: &Url, headers: &BTreeMap<String, String>) -> Option<String> {
    // Some servers greet everybody.
    let list = serde_json::json!({"jsonrpc": "2.0", "id": 0, "method": "tools/list"});
    let mut request = http.post(url.clone()).header("Accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    let request = request.header("Content-Type", "application/json").body(list.to_string()).timeout(PROBE);
    let answer = request.send().await.ok()?;
    let all = answer.headers().get_all("www-authenticate").iter().filter_map(|it| it.to_str().ok());
    all.into_iter().find(|it| it.get(..6).is_some_and(|it| it.eq_ignore_ascii_case("bearer"))).map(str::to_owned)
}

async fn manager(url: &Url, http: reqwest::Client) -> Result<AuthorizationManager, String> {
    let manager = match url.scheme() {
        "https" => AuthorizationManager::new(url.clone()).await,
        // A server on this machine says where its logins are, which is here as well.
        _ => AuthorizationManager::new_allowing_private_addresses(url.clone()).await,
    };
    let mut manager = manager.map_err(|it| it.to_string())?;
    manager.with_client(http).map_err(|it| it.to_string())?;
    Ok(manager)
}

/// A login that waits for the user.
pub struct Login {
    state: OAuthState,
    listener: TcpListener,
    page: String,
}

impl Login {
    /// Asks the server where its users log in.
    ///
    /// # Errors
    /// It has no logins, or cannot be asked; in words.
    pub async fn begin(server: &ServerConfig, launcher: &Launcher) -> Result<Login, String> {
        let Endpoint::Http { url, headers } = server.filled(&|name| std::env::var(name).ok())? else {
            return Err(format!("`{}` is a program; only servers with an address have logins", server.name));
        };
        let url = address(&url)?;
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(|it| it.to_string())?;
        let port = listener.local_addr().map_err(|it| it.to_string())?.port();
        let http = launcher.client(&url)?;
        let kept = Kept { tokens: launcher.tokens.clone(), server: server.name.clone(), url: url.clone() };
        let challenge = match kept.entry()?.and_then(|it| it.challenge) {
            Some(it) => Some(it),
            None => challenge(&http, &url, &headers).await,
        };
        let mut manager = manager(&url, http).await?;
        manager.set_credential_store(kept);
        let mut state = OAuthState::Unauthorized(manager);
        let mut request = AuthorizationRequest::new(format!("http://127.0.0.1:{port}/callback"))
            .with_initial_scope_selection()
            .with_client_name("Ox");
        request.challenge = challenge;
        state.start_authorization(request).await.map_err(|it| it.to_string())?;
        let page = state.get_authorization_url().await.map_err(|it| it.to_string())?;
        Ok(Login { state, listener, page })
    }

    /// The page on which the user logs in.
    pub fn page(&self) -> &str {
        &self.page
    }

    /// Waits until the browser comes back, and keeps what it brings.
    ///
    /// # Errors
    /// The login was refused, or what came back does not belong to it; in words.
    pub async fn finish(mut self) -> Result<(), String> {
        let callback = loop {
            let (mut stream, _) = self.listener.accept().await.map_err(|it| it.to_string())?;
            // Who asks for anything else, such as an icon, is no answer.
            let Some(path) = tokio::time::timeout(PATIENCE, asked(&mut stream)).await.ok().flatten() else { continue };
            if path.starts_with("/callback?") {
                let _ = stream.write_all(DONE.as_bytes()).await;
                break format!("http://127.0.0.1{path}");
            }
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n").await;
        };
        self.state.handle_callback_url(&callback).await.map_err(|it| it.to_string())
    }
}

/// The path of a request.
async fn asked(stream: &mut tokio::net::TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.windows(4).any(|it| it == b"\r\n\r\n") {
        let mut piece = [0; 1024];
        let read = stream.read(&mut piece).await.ok().filter(|it| *it > 0)?;
        head.extend_from_slice(&piece[..read]);
        if head.len() > REQUEST {
            return None;
        }
    }
    let text = String::from_utf8_lossy(&head);
    text.lines().next()?.strip_prefix("GET ")?.split(' ').next().map(str::to_owned)
}
