//! The servers of a session: started on the first question, one process of each in a process of Ox, started again after an
//! end, more and more slowly.
//!
//! A server whose configuration, project and rights are the same is one server, whoever asks for it; it ends with the last
//! of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::time::Duration;

use ox_protocol::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetPromptRequestParams, PingRequest, ReadResourceRequestParams,
};
use rmcp::service::ServiceError;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::config::ServerConfig;
use crate::connect::{Connection, connect, failed};
use crate::content::Reply;
use crate::elicit::UserInput;
use crate::error::Error;
use crate::launcher::Launcher;
use crate::listing::{self, Prompt, Resource, ToolList};
use crate::oauth;

/// Failures after which the rest grows no more.
const DOUBLINGS: u32 = 16;

/// The servers of a session.
#[derive(Clone, Default)]
pub struct McpServers {
    servers: Vec<Arc<Server>>,
    input: Option<UserInput>,
}

/// One server.
struct Server {
    config: ServerConfig,
    launcher: Launcher,
    state: tokio::sync::Mutex<State>,
    /// Held while a list is asked for, so that it is asked for once.
    listing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    tools: Option<Arc<ToolList>>,
    /// Failures since the last answer.
    failures: u32,
    rests_until: Option<Instant>,
    why: String,
}

/// All servers of this process that somebody holds.
static ALL: LazyLock<Mutex<HashMap<String, Weak<Server>>>> = LazyLock::new(Mutex::default);

impl McpServers {
    /// These servers. Nothing is started.
    pub fn new(configs: Vec<ServerConfig>, launcher: &Launcher) -> McpServers {
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, it| it.strong_count() > 0);
        let mut one = |config: ServerConfig| {
            let key =
                format!("{} {:?} {:?} {:?}", config.fingerprint(), launcher.root, launcher.policy, launcher.limits);
            if let Some(server) = all.get(&key).and_then(Weak::upgrade) {
                return server;
            }
            let server = Arc::new(Server {
                config,
                launcher: launcher.clone(),
                state: Default::default(),
                listing: Default::default(),
            });
            all.insert(key, Arc::downgrade(&server));
            server
        };
        McpServers { servers: configs.into_iter().map(&mut one).collect(), input: None }
    }

    /// The same servers, which may ask the user while they are asked something.
    pub fn asking(&self, input: UserInput) -> McpServers {
        McpServers { servers: self.servers.clone(), input: Some(input) }
    }

    /// True where none is configured.
    pub fn is_empty(&self) -> bool {
        self.servers.is_empty()
    }

    /// The servers' names, each with its one line for the model, which may be empty.
    pub fn names(&self) -> Vec<(&str, &str)> {
        self.servers.iter().map(|it| (it.config.name.as_str(), it.config.about.as_str())).collect()
    }

    /// The names of the servers that stand in a query, or of all where none does.
    pub fn named_in(&self, query: &str) -> Vec<String> {
        let query = query.to_lowercase();
        let all = || self.servers.iter().map(|it| it.config.name.clone());
        let named: Vec<String> = all().filter(|it| query.contains(&it.to_lowercase())).collect();
        if named.is_empty() { all().collect() } else { named }
    }

    /// True where what a server does may change files of the project.
    pub fn writes(&self, server: &str) -> bool {
        self.server(server).is_ok_and(|it| !it.config.reach.write.is_empty())
    }

    /// The tools of a server, which is started where it does not run.
    ///
    /// # Errors
    /// It does not start, ends, or does not answer.
    pub async fn tools(&self, server: &str) -> Result<Arc<ToolList>, Error> {
        self.server(server)?.tools().await
    }

    /// Calls a tool of a server.
    ///
    /// # Errors
    /// The server does not start, ends, does not answer, or answers with an error.
    pub async fn call(&self, server: &str, tool: &str, args: Map<String, Value>) -> Result<Reply, Error> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let server = self.server(server)?;
        let time = Duration::from_millis(server.config.call_ms);
        let answer =
            server.ask(time, self.input.as_ref(), |it| Box::pin(async move { it.service.call_tool(params).await }));
        let (answer, connection) = answer.await?;
        Ok(Reply { questions: connection.notes.questions(), ..Reply::of_call(answer) })
    }

    /// What a server offers to read.
    ///
    /// # Errors
    /// As [`McpServers::call`].
    pub async fn resources(&self, server: &str) -> Result<Vec<Resource>, Error> {
        let server = self.server(server)?;
        let time = server.launcher.limits.list;
        Ok(server.ask(time, self.input.as_ref(), |it| Box::pin(async move { listing::resources(&it).await })).await?.0)
    }

    /// Reads one of them.
    ///
    /// # Errors
    /// As [`McpServers::call`].
    pub async fn read(&self, server: &str, uri: &str) -> Result<Reply, Error> {
        let params = ReadResourceRequestParams::new(uri);
        let server = self.server(server)?;
        let time = Duration::from_millis(server.config.call_ms);
        let answer = server
            .ask(time, self.input.as_ref(), |it| Box::pin(async move { it.service.read_resource(params).await }))
            .await?;
        Ok(Reply::of_resource(answer.0.contents))
    }

    /// The prompts that a server offers.
    ///
    /// # Errors
    /// As [`McpServers::call`].
    pub async fn prompts(&self, server: &str) -> Result<Vec<Prompt>, Error> {
        let server = self.server(server)?;
        let time = server.launcher.limits.list;
        Ok(server.ask(time, self.input.as_ref(), |it| Box::pin(async move { listing::prompts(&it).await })).await?.0)
    }

    /// What one of them says with these arguments.
    ///
    /// # Errors
    /// As [`McpServers::call`].
    pub async fn prompt(&self, server: &str, name: &str, args: Map<String, Value>) -> Result<Reply, Error> {
        let params = GetPromptRequestParams::new(name).with_arguments(args);
        let server = self.server(server)?;
        let time = server.launcher.limits.list;
        let answer = server
            .ask(time, self.input.as_ref(), |it| Box::pin(async move { it.service.get_prompt(params).await }))
            .await?;
        Ok(Reply::of_prompt(answer.0.messages))
    }

    fn server(&self, name: &str) -> Result<&Arc<Server>, Error> {
        let known = || self.servers.iter().map(|it| it.config.name.as_str()).collect::<Vec<_>>().join(", ");
        let found = self.servers.iter().find(|it| it.config.name == name);
        found.ok_or_else(|| Error::Unknown { name: name.to_owned(), known: known() })
    }
}

impl std::fmt::Debug for McpServers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Server {
    /// The connection; the server is started where there is none.
    async fn connected(&self, state: &mut State) -> Result<Arc<Connection>, Error> {
        if let Some(connection) = &state.connection {
            if !connection.service.is_closed() && !connection.service.peer().is_transport_closed() {
                return Ok(connection.clone());
            }
            let why = connection.epitaph();
            self.note_failure(state, why);
        }
        if let Some(until) = state.rests_until.filter(|it| *it > Instant::now()) {
            let wait = (until - Instant::now()).as_secs_f64().ceil() as u64;
            let (server, failures, why) = (self.config.name.clone(), state.failures, state.why.clone());
            return Err(Error::Resting { server, failures, why, wait });
        }
        match connect(&self.config, &self.launcher).await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                state.connection = Some(connection.clone());
                Ok(connection)
            }
            Err(error) => {
                self.note_failure(state, error.to_string());
                Err(error)
            }
        }
    }

    /// Whoever failed rests: not at all after a first failure, then longer each time.
    fn note_failure(&self, state: &mut State, why: String) {
        let limits = self.launcher.limits;
        (state.connection, state.tools) = (None, None);
        state.failures = (state.failures + 1).min(DOUBLINGS);
        let rest = limits.rest.saturating_mul(1 << (state.failures - 1)).min(limits.longest_rest);
        state.rests_until = (state.failures > 1).then(|| Instant::now() + rest);
        state.why = why;
    }

    /// Asks a question, at most for `time` without the time in which the user is asked back.
    async fn ask<T>(
        &self,
        time: Duration,
        input: Option<&UserInput>,
        question: impl FnOnce(Arc<Connection>) -> BoxFuture<'static, Result<T, ServiceError>>,
    ) -> Result<(T, Arc<Connection>), Error> {
        let connection = self.connected(&mut *self.state.lock().await).await?;
        let _asking = input.map(|it| connection.notes.asked_by(it));
        let answer = within(time, &connection, question(connection.clone())).await;
        let (error, is_over) = match answer {
            Some(Ok(answer)) => {
                self.state.lock().await.failures = 0;
                return Ok((answer, connection));
            }
            Some(Err(error)) => {
                let challenge = error.auth_challenge();
                challenge.into_iter().for_each(|it| oauth::keep_challenge(&self.config, &self.launcher, it));
                failed(&self.config.name, &connection, &error)
            }
            None => {
                let ping = ClientRequest::PingRequest(PingRequest::default());
                let pinged =
                    tokio::time::timeout(self.launcher.limits.list, connection.service.peer().send_request(ping));
                // One that says anything at all is only slow.
                let is_dead = !matches!(pinged.await, Ok(Ok(_) | Err(ServiceError::McpError(_))));
                (Error::TimedOut { server: self.config.name.clone(), seconds: time.as_secs() }, is_dead)
            }
        };
        if is_over {
            let mut state = self.state.lock().await;
            // Another call may have noticed it before, and started it again.
            if state.connection.as_ref().is_some_and(|it| Arc::ptr_eq(it, &connection)) {
                self.note_failure(&mut state, error.to_string());
            }
        }
        Err(error)
    }

    async fn tools(&self) -> Result<Arc<ToolList>, Error> {
        let _listing = self.listing.lock().await;
        {
            let mut state = self.state.lock().await;
            let connection = self.connected(&mut state).await?;
            let changed = connection.notes.changed.swap(false, Ordering::Relaxed);
            if let Some(list) = state.tools.as_ref().filter(|_| !changed) {
                return Ok(list.clone());
            }
        }
        let name = self.config.name.clone();
        let time = self.launcher.limits.list;
        let (list, _) = self.ask(time, None, |it| Box::pin(async move { listing::tools(&it, &name).await })).await?;
        static LISTS: AtomicU64 = AtomicU64::new(1);
        let list = Arc::new(ToolList { number: LISTS.fetch_add(1, Ordering::Relaxed), ..list });
        self.state.lock().await.tools = Some(list.clone());
        Ok(list)
    }
}

/// What comes of `work` within `time`, which begins anew whenever the user is asked or has answered.
async fn within<T>(time: Duration, connection: &Connection, mut work: BoxFuture<'static, T>) -> Option<T> {
    loop {
        let before = connection.notes.pace().0;
        if let Ok(answer) = tokio::time::timeout(time, &mut work).await {
            return Some(answer);
        }
        let (now, is_asking) = connection.notes.pace();
        if now == before && !is_asking {
            return None;
        }
    }
}
