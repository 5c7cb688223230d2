//! Starting or reaching a server, so that it has the rights that it was given and no other.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use ox_protocol::{Job, Network, Rights};
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::RoleClient;
use rmcp::model::{ServerCapabilities, ServerPeerInfo, SubscriptionFilter};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport as _, StreamableHttpClientTransport};
use url::Url;

use crate::address::address;
use crate::client::{Client, Notes};
use crate::config::{Endpoint, Reach, ServerConfig};
use crate::error::Error;
use crate::folder::{APART, ERRORS, ServerFolder};
use crate::greeting::{Era, greet, why, why_not_asked};
use crate::launcher::Launcher;
use crate::oauth;
use crate::stdio::{LARGEST_MESSAGE, Over, Stdio};

/// How long a server may run.
const LONGEST: Duration = Duration::from_secs(12 * 3600);

/// A server that has been greeted.
pub(crate) struct Connection {
    pub(crate) service: RunningService<RoleClient, Client>,
    pub(crate) notes: Arc<Notes>,
    over: Over,
    /// Goes after the process that works in it.
    folder: Option<ServerFolder>,
}

impl Connection {
    /// True where the server says that it has this.
    pub(crate) fn has(&self, what: impl Fn(&ServerCapabilities) -> bool) -> bool {
        self.service.peer().peer_info().is_some_and(|it| what(&it.capabilities))
    }

    /// Why it is over, in words.
    pub(crate) fn epitaph(&self) -> String {
        let why = self.over.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let why = why.unwrap_or_else(|| "the connection was closed".into());
        match self.folder.as_ref().map(ServerFolder::complaint).filter(|it| !it.is_empty()) {
            Some(said) => format!("{why}; it said: {said}"),
            None => why,
        }
    }
}

/// Starts or reaches a server and greets it.
pub(crate) async fn connect(server: &ServerConfig, launcher: &Launcher) -> Result<Connection, Error> {
    let not_started = |why: String| Error::NotStarted { server: server.name.clone(), why };
    let endpoint = server.filled(&|name| std::env::var(name).ok()).map_err(not_started)?;
    let greeted = async {
        match endpoint {
            Endpoint::Stdio { command, args, env } => start(server, launcher, command, args, env).await,
            Endpoint::Http { url, headers } => reach(server, launcher, &url, &headers).await,
        }
    };
    let limit = launcher.limits.start;
    let greeted = tokio::time::timeout(limit, greeted)
        .await
        .unwrap_or_else(|_| Err(not_started(format!("it did not greet within {} s", limit.as_secs()))));
    greeted.inspect(listen)
}

/// A server of the era without a handshake tells those alone who listen that its tools are others now. It ends with the connection.
fn listen(connection: &Connection) {
    let (peer, notes) = (connection.service.peer().clone(), connection.notes.clone());
    let tells = |it: &ServerPeerInfo| {
        let tools = it.capabilities.tools.as_ref();
        !it.protocol_version.has_initialize() && tools.is_some_and(|it| it.list_changed == Some(true))
    };
    if !peer.peer_info().is_some_and(|it| tells(&it)) {
        return;
    }
    tokio::spawn(async move {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let Ok(mut subscription) = peer.listen(filter).await else { return };
        // What changed before it listened is found by looking once more.
        loop {
            notes.changed.store(true, Ordering::Relaxed);
            let Ok(Some(_)) = subscription.next().await else { return };
        }
    });
}

async fn start(
    server: &ServerConfig,
    launcher: &Launcher,
    command: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
) -> Result<Connection, Error> {
    let not_started = |why: String| Error::NotStarted { server: server.name.clone(), why };
    let runner = launcher.runner.as_ref();
    if !runner.isolated() && !runner.external() {
        let why = runner.not_isolated().unwrap_or_else(|| "no sandbox is available".into());
        return Err(not_started(format!("servers are started in the sandbox alone, and there is none ({why})")));
    }
    let folder = ServerFolder::new().map_err(|it| not_started(format!("it got no folder to work in ({it})")))?;
    let kept = launcher.cache.join(format!("{}-{}", server.name, &server.fingerprint()[..12]));
    std::fs::create_dir_all(&kept).map_err(|it| not_started(format!("`{}` cannot be made: {it}", kept.display())))?;
    let text = |path: &Path| path.display().to_string();
    let mut argv = ["sh", "-c", APART, "sh"].map(String::from).to_vec();
    argv.push(command);
    argv.extend(args);
    let own = [
        (ERRORS, text(&folder.errors())),
        ("TMPDIR", text(folder.path())),
        // Package runners keep what they fetched.
        ("XDG_CACHE_HOME", text(&kept)),
        ("npm_config_cache", text(&kept.join("npm"))),
    ];
    let mut all: Vec<(String, String)> = own.map(|(name, value)| (name.to_owned(), value)).to_vec();
    all.extend(env);
    let of_command = launcher.rights.clone();
    let of_command = tokio::task::spawn_blocking(move || of_command()).await;
    let of_command = of_command.map_err(|it| not_started(it.to_string()))?;
    let rights = rights(&launcher.root, &of_command, &server.reach, &[folder.path().to_path_buf(), kept]);
    let job = Job { argv, cwd: launcher.root.clone(), env: all, stdin: Vec::new(), terminal: None, rights };
    let root = Url::from_directory_path(&launcher.root).ok().map(String::from);
    let mut era = Era::Unknown;
    loop {
        let running = runner.start(job.clone()).await.map_err(|it| not_started(it.to_string()))?;
        let (notes, over, asked) = (Arc::<Notes>::default(), Over::default(), Arc::<AtomicBool>::default());
        let client_side = Client { server: server.name.clone(), root: root.clone(), notes: notes.clone() };
        let error = match greet(client_side, Stdio::new(running, over.clone()), era, asked.clone()).await {
            Ok(service) => return Ok(Connection { service, notes, over, folder: Some(folder) }),
            Err(error) => error,
        };
        let ended = over.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if era == Era::Unknown && ended.is_some() && asked.load(Ordering::Relaxed) {
            // Some end when anything but `initialize` comes first.
            era = Era::Handshake;
            continue;
        }
        return Err(not_started(complaint(server, &folder, ended.unwrap_or_else(|| why(&error)))));
    }
}

/// Why a program did not greet, with its own last words and what may be missing.
fn complaint(server: &ServerConfig, folder: &ServerFolder, why: String) -> String {
    let said = Some(folder.complaint()).filter(|it| !it.is_empty());
    let said = said.map(|it| format!("; it said: {it}")).unwrap_or_default();
    let hint = match server.reach.network.is_empty() {
        true => {
            ". It runs without network; where it needs some, the user gives it with `\"sandbox\": {\"network\": [\"host\"]}`"
        }
        false => "",
    };
    format!("{why}{said}{hint}")
}

/// Reads what commands read, writes `own` and what the configuration gives it, speaks to whom that names.
fn rights(root: &Path, command: &Rights, reach: &Reach, own: &[PathBuf]) -> Rights {
    let given: Vec<PathBuf> = reach.write.iter().map(|it| root.join(it)).collect();
    let mut write = command.write.clone();
    let mut protect = command.protect.clone();
    // What it may not write is named as writable and then protected whole: what is not named may be hidden, as beneath /tmp.
    protect.extend(
        command.write.iter().filter(|it| !given.iter().any(|to| it.starts_with(to) || to.starts_with(it))).cloned(),
    );
    if given.iter().all(|to| !root.starts_with(to)) {
        // A part of the project may be given, and then nothing else of it.
        match given.iter().any(|to| to.starts_with(root)) {
            true => write.retain(|it| it != root),
            false => protect.push(root.to_path_buf()),
        }
    }
    write.extend(given);
    write.extend(own.iter().cloned());
    let network = match reach.network.as_slice() {
        [] => Network::None,
        hosts if hosts.iter().any(|it| it == "*") => Network::All,
        hosts => Network::Hosts(hosts.to_vec()),
    };
    Rights { write, protect, network, output: 2 * LARGEST_MESSAGE, time: LONGEST, ..command.clone() }
}

async fn reach(
    server: &ServerConfig,
    launcher: &Launcher,
    url: &str,
    headers: &BTreeMap<String, String>,
) -> Result<Connection, Error> {
    let not_started = |why: String| Error::NotStarted { server: server.name.clone(), why };
    let address = address(url).map_err(not_started)?;
    let client = launcher.client(&address).map_err(not_started)?;
    let mut config =
        StreamableHttpClientTransportConfig::with_uri(url).custom_headers(sent(headers).map_err(not_started)?);
    config.max_sse_event_size = LARGEST_MESSAGE;
    config.max_json_response_size = LARGEST_MESSAGE;
    let notes = Arc::<Notes>::default();
    let client_side = Client { server: server.name.clone(), root: None, notes: notes.clone() };
    let logged_in = oauth::client(server, launcher, &address, client.clone()).await.map_err(not_started)?;
    let asked = Arc::default();
    let service = match logged_in {
        Some(client) => {
            let transport = StreamableHttpClientTransport::with_client(client, config).into_transport();
            greet(client_side, transport, Era::Unknown, asked).await
        }
        None => {
            let transport = StreamableHttpClientTransport::with_client(client, config).into_transport();
            greet(client_side, transport, Era::Unknown, asked).await
        }
    };
    let service = service.map_err(|error| {
        error.auth_challenge().into_iter().for_each(|it| oauth::keep_challenge(server, launcher, it));
        match error.is_authorization_required() || error.auth_challenge().is_some() {
            true => Error::Login { server: server.name.clone() },
            false => not_started(why(&error)),
        }
    })?;
    Ok(Connection { service, notes, over: Over::default(), folder: None })
}

fn sent(headers: &BTreeMap<String, String>) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let one = |(name, value): (&String, &String)| {
        let header = HeaderName::try_from(name.as_str()).map_err(|_| format!("`{name}` is no name of a header"))?;
        // The value may be a secret and is not quoted.
        let mut value = HeaderValue::try_from(value.as_str())
            .map_err(|_| format!("the value of the header `{name}` cannot be sent"))?;
        value.set_sensitive(true);
        Ok((header, value))
    };
    headers.iter().map(one).collect()
}

/// What went wrong with a request, for whoever asked. The second value is true where the connection is of no use any more.
pub(crate) fn failed(server: &str, connection: &Connection, error: &ServiceError) -> (Error, bool) {
    let server = server.to_owned();
    match error {
        error if error.is_authorization_required() || error.auth_challenge().is_some() => {
            (Error::Login { server }, true)
        }
        ServiceError::McpError(it) => (Error::Refused { server, why: it.message.to_string() }, false),
        ServiceError::TransportClosed | ServiceError::TransportSend(_) | ServiceError::Cancelled { .. } => {
            let why = match error {
                ServiceError::TransportSend(_) => why_not_asked(error),
                _ => connection.epitaph(),
            };
            (Error::Ended { server, why }, true)
        }
        other => (Error::Refused { server, why: why_not_asked(other) }, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launcher::{Limits, NoTokens};

    struct Nothing;

    impl ox_protocol::Runner for Nothing {
        fn run<'a>(
            &'a self,
            _job: Job,
            _live: Option<ox_protocol::Live<'a>>,
        ) -> ox_protocol::BoxFuture<'a, Result<ox_protocol::Exit, ox_protocol::RunError>> {
            unreachable!("nothing is run")
        }
    }

    fn launcher(cache: &Path) -> Launcher {
        let mut rights = Rights::command("/project".into(), Duration::from_secs(1));
        rights.network = Network::All;
        rights.write.push("/opt/added".into());
        rights.protect.push("/project/.git".into());
        Launcher {
            root: "/project".into(),
            runner: Arc::new(Nothing),
            rights: Arc::new(move || rights.clone()),
            policy: String::new(),
            cache: cache.into(),
            http: Arc::new(|_, _| Err("no".into())),
            tokens: Arc::new(NoTokens),
            limits: Limits::default(),
        }
    }

    #[test]
    fn a_server_has_no_right_that_it_was_not_given() {
        let launcher = launcher(Path::new("/cache"));
        let of = |network: &[&str], write: &[&str]| {
            let text = |it: &[&str]| it.iter().map(ToString::to_string).collect();
            let reach = Reach { network: text(network), write: text(write) };
            let rights = rights(&launcher.root, &(launcher.rights)(), &reach, &["/own".into()]);
            let list = |it: &[PathBuf]| it.iter().map(|it| it.display().to_string()).collect::<Vec<_>>().join(" ");
            format!("{} | {} | {:?}", list(&rights.write), list(&rights.protect), rights.network)
        };
        assert_eq!(of(&[], &[]), "/project /opt/added /own | /project/.git /project /opt/added /project | None");
        assert_eq!(
            of(&["a.org"], &["."]),
            "/project /opt/added /project/. /own | /project/.git /opt/added | Hosts([\"a.org\"])"
        );
        assert_eq!(of(&["a.org", "*"], &["data"]), "/opt/added /project/data /own | /project/.git /opt/added | All");
    }

    #[test]
    fn without_a_sandbox_no_server_is_started() {
        let folder = tempfile::tempdir().unwrap();
        let endpoint = Endpoint::Stdio { command: "true".into(), args: Vec::new(), env: BTreeMap::new() };
        let server = ServerConfig::usual("a", endpoint, Reach::default()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let Err(error) = runtime.block_on(connect(&server, &launcher(folder.path()))) else { panic!("it was started") };
        assert!(error.to_string().contains("in the sandbox alone"), "{error}");
    }
}
