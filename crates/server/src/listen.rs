//! Listening: addresses, TLS, limits, and the end.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use notify::{RecursiveMode, Watcher};
use ox_app::{ProjectOptions, project};
use ox_protocol::locale::Language;
use ox_protocol::{ConversationId, Problem};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::conversations::Conversations;
use crate::guard::guard;
use crate::input::LONGEST_BODY;
use crate::projects::Projects;
use crate::routes;
use crate::secret::{self, Known, Secrets};
use crate::shared::Shared;

/// The port where no other is asked for, if it is free.
const PORT: u16 = 7878;
/// Connections at the same time.
const CONNECTIONS: usize = 4_096;
/// How long a client may take to send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// How long connections may take to end.
const GRACE: Duration = Duration::from_secs(5);

/// How the server is started.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The port; 7878 where none is given and it is free, else one that is.
    pub port: Option<u16>,
    /// Another address than this machine's own.
    pub listen: Option<IpAddr>,
    /// Further names under which browsers reach it.
    pub names: Vec<String>,
    /// Files with a certificate chain and its key, in PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Listens beyond this machine without TLS.
    pub insecure: bool,
    /// The project that is open from the start.
    pub folder: PathBuf,
    /// How projects are opened.
    pub project: ProjectOptions,
}

/// A server that listens and serves nobody yet.
pub struct Bound {
    /// Where it listens.
    pub known: Known,
    /// An address that opens the page once.
    pub link: String,
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    shared: Arc<Shared>,
}

/// Begins to listen. Problems: the port is taken, the address reaches beyond this machine without protection, or a file cannot be
/// read.
pub async fn bind(options: ServerOptions) -> Result<Bound, Problem> {
    let address = options.listen.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST));
    if !address.is_loopback() && options.tls.is_none() && !options.insecure {
        return Err(Problem::new("server.insecure").with("address", address));
    }
    let tls = options.tls.as_ref().map(|(chain, key)| acceptor(chain, key)).transpose()?;
    let listener = listen(address, options.port).await?;
    let local =
        listener.local_addr().map_err(|error| Problem::new("server.no_port").with("port", 0).with("why", error))?;
    let scheme = if tls.is_some() { "https" } else { "http" };
    let (shared, token) = open(&options.folder, &options.project, scheme, hosts(local, &options.names))?;
    let known = Known { url: shared.url(), token, process: std::process::id() };
    // Whoever cannot read the note can still be told by the user.
    let _ = secret::note(&shared.paths.state_dir, &known);
    more_files();
    Ok(Bound { link: shared.link()?, known, listener, tls, shared })
}

/// What all requests share, and the token.
pub(crate) fn open(
    folder: &Path,
    options: &ProjectOptions,
    scheme: &'static str,
    hosts: Vec<String>,
) -> Result<(Arc<Shared>, String), Problem> {
    let paths = project::paths()?;
    let token = secret::token(&paths.state_dir, secret::TOKEN)?;
    let projects = Projects::new(options.clone());
    projects.add(folder)?;
    let shared = Shared {
        language: language(folder, options),
        scheme,
        hosts,
        secrets: Secrets::new(&token)?,
        projects: Arc::new(projects),
        conversations: Conversations::new(paths.state_dir.clone()),
        log: project::store(&paths)?,
        paths,
    };
    Ok((Arc::new(shared), token))
}

/// The routes behind the guard.
pub(crate) fn service(shared: &Arc<Shared>) -> Router {
    routes::router()
        .layer(axum::middleware::from_fn_with_state(shared.clone(), guard))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
        .with_state(shared.clone())
}

fn language(folder: &Path, options: &ProjectOptions) -> Language {
    let opened = ox_app::Project::open(folder, options.clone());
    opened.map_or_else(|_| project::language(), |it| it.settings.language)
}

/// The port that is asked for, or else the usual one, or else any.
async fn listen(address: IpAddr, port: Option<u16>) -> Result<TcpListener, Problem> {
    let at = |port| TcpListener::bind(SocketAddr::new(address, port));
    let bound = match (at(port.unwrap_or(PORT)).await, port) {
        (Err(_), None) => at(0).await,
        (bound, _) => bound,
    };
    bound.map_err(|error| Problem::new("server.no_port").with("port", port.unwrap_or(PORT)).with("why", error))
}

/// What `Host` may say: a page of another name that leads here is not ours.
fn hosts(local: SocketAddr, names: &[String]) -> Vec<String> {
    let port = local.port();
    let own = ["127.0.0.1", "localhost", "[::1]"].map(str::to_owned).into_iter();
    let mut all: Vec<String> = own.chain(names.iter().cloned()).map(|it| format!("{it}:{port}")).collect();
    if !local.ip().is_unspecified() {
        all.insert(0, local.to_string());
    }
    // Behind a proxy with the usual port.
    all.extend(names.iter().cloned());
    all
}

fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, Problem> {
    let failed =
        |path: &Path, why: String| Problem::new("server.certificate").with("path", path.display()).with("why", why);
    let certificates = CertificateDer::pem_file_iter(chain).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = certificates.map_err(|error| failed(chain, error.to_string()))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| failed(key, error.to_string()))?;
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.and_then(|it| it.with_no_client_auth().with_single_cert(certificates, private));
    let mut config = config.map_err(|error| failed(chain, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Each connection is a file: as many as the system lets this process have.
fn more_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let now = getrlimit(Resource::Nofile);
    // With fewer, connections beyond them are refused.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: now.maximum, maximum: now.maximum });
}

impl Shared {
    /// Its own address.
    pub(crate) fn url(&self) -> String {
        format!("{}://{}", self.scheme, self.hosts[0])
    }

    /// An address that opens the page once.
    pub(crate) fn link(&self) -> Result<String, Problem> {
        Ok(format!("{}/open?code={}", self.url(), self.secrets.link()?))
    }
}

impl Bound {
    /// Serves until `stop` is done; then connections end, turns are interrupted, and their state is kept.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let Bound { listener, tls, shared, .. } = self;
        let router = service(&shared);
        let _watching = watch_sockets(&shared);
        let graceful = GracefulShutdown::new();
        let room = Arc::new(Semaphore::new(CONNECTIONS));
        let mut stop = std::pin::pin!(stop);
        loop {
            let Ok(permit) = room.clone().acquire_owned().await else { break };
            let stream = tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => stream,
                    // Out of files, for example: whoever leaves makes room.
                    Err(_) => {
                        tokio::time::sleep(Duration::from_millis(50)).await;
                        continue;
                    }
                },
            };
            // Small pieces are sent at once.
            let _ = stream.set_nodelay(true);
            let (router, watcher, tls) = (router.clone(), graceful.watcher(), tls.clone());
            tokio::spawn(async move {
                match tls {
                    None => connection(stream, router, watcher).await,
                    Some(tls) => {
                        if let Ok(Ok(stream)) = tokio::time::timeout(HEAD, tls.accept(stream)).await {
                            connection(stream, router, watcher).await;
                        }
                    }
                }
                drop(permit);
            });
        }
        drop(listener);
        // Event streams never end by themselves.
        let _ = tokio::time::timeout(GRACE, shared.conversations.close_all()).await;
        let _ = tokio::time::timeout(Duration::from_millis(300), graceful.shutdown()).await;
        secret::forget(&shared.paths.state_dir);
    }
}

async fn connection(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    watcher: hyper_util::server::graceful::Watcher,
) {
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    // A client that breaks off is no fault of ours.
    let _ = watcher.watch(served).await;
}

/// Notices conversations that other processes begin and end.
pub(crate) fn watch_sockets(shared: &Shared) -> Option<notify::RecommendedWatcher> {
    let folder = shared.conversations.sockets();
    std::fs::create_dir_all(&folder).ok()?;
    let changed = shared.conversations.changed().clone();
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        let paths = event.map(|it| it.paths).unwrap_or_default();
        let ids =
            paths.iter().filter(|it| it.extension().is_some_and(|it| it == "sock")).filter_map(|it| it.file_stem());
        let ids: Vec<ConversationId> = ids.map(|it| ConversationId(it.to_string_lossy().into_owned())).collect();
        match ids.is_empty() {
            // More happened than the system reports, for example.
            true => changed.tell_of_any(),
            false => ids.iter().for_each(|it| changed.tell(it)),
        }
    });
    let mut watcher = watcher.ok()?;
    watcher.watch(&folder, RecursiveMode::NonRecursive).ok()?;
    Some(watcher)
}
