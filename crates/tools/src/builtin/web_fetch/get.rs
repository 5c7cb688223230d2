//! One GET: to public addresses only, within limits of time, size and redirects, and never on to another host.

use std::net::SocketAddr;
use std::time::Duration;

use ox_sandbox::outbound::{self, OutboundError};
use reqwest::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use reqwest::{Client, Proxy, Response, Url};

use ox_model::web_address as address;

/// Bytes of an answer that are read.
pub(crate) const MOST: usize = 5 << 20;
/// For everything: names, connections, redirects and the answer.
pub(crate) const TIME: Duration = Duration::from_secs(20);
/// Redirects that are followed, all on one host.
const REDIRECTS: usize = 5;
/// How Ox names itself.
const AGENT: &str = concat!("Ox/", env!("CARGO_PKG_VERSION"));
const WANTED: &str = "text/html, application/xhtml+xml, text/markdown, text/plain, application/json;q=0.9, */*;q=0.1";

/// Who may be spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guard {
    /// Public addresses.
    Public,
    /// Any address: one that the user's configuration names.
    Named,
    /// This machine as well: for tests, which have no other server.
    #[cfg(test)]
    Loopback,
}

/// What came.
#[derive(Debug)]
pub(crate) struct Got {
    /// Where it came from in the end.
    pub url: Url,
    /// The kind of content, in lower case and without parameters; empty where the server does not say.
    pub kind: String,
    /// The encoding that the server names.
    pub charset: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
    /// True when there is more of it than is read.
    pub cut: bool,
}

/// Fetches `url` through `proxy`, or that of the environment where none is given. The error is a sentence for the model.
pub(crate) async fn get(url: &Url, guard: Guard, proxy: Option<&str>, time: Duration) -> Result<Got, String> {
    let fetched = tokio::time::timeout(time, follow(url, guard, proxy)).await;
    fetched.unwrap_or_else(|_| Err(format!("`{url}` did not answer within {} s", time.as_secs_f32())))
}

async fn follow(url: &Url, guard: Guard, proxy: Option<&str>) -> Result<Got, String> {
    let mut url = url.clone();
    for _ in 0..=REDIRECTS {
        let answer = ask(&url, guard, proxy).await?;
        match moved(&url, &answer)? {
            Some(next) => url = next,
            None => return read(url, answer).await,
        }
    }
    Err(format!("`{url}` is the end of more than {REDIRECTS} redirects, which were not followed further"))
}

async fn ask(url: &Url, guard: Guard, proxy: Option<&str>) -> Result<Response, String> {
    let client = client(url, guard, proxy).await?;
    client.get(url.clone()).header(ACCEPT, WANTED).send().await.map_err(|error| cause(url, &error))
}

/// A client for `url` alone, which follows no redirect.
pub(crate) async fn client(url: &Url, guard: Guard, proxy: Option<&str>) -> Result<Client, String> {
    let secure = url.scheme() == "https";
    let builder = Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).user_agent(AGENT);
    let builder = ox_model::with_roots(builder, secure)?;
    let host = url.host_str().unwrap_or_default();
    let named = || address::proxy(url, |name| std::env::var(name).ok());
    let builder = match proxy.map(str::to_owned).or_else(named) {
        // A proxy resolves names itself. What can be known of them here is held against the guard all the same.
        Some(proxy) => {
            match addresses(url, guard).await {
                Ok(_) | Err(OutboundError::Resolve { .. }) => {}
                Err(refused) => return Err(refused.to_string()),
            }
            let proxy =
                Proxy::all(&proxy).map_err(|error| format!("the proxy of the environment cannot be used: {error}"))?;
            builder.proxy(proxy)
        }
        // The connection goes to the addresses that were looked at; the name is not resolved a second time.
        None => builder.resolve_to_addrs(host, &addresses(url, guard).await.map_err(|error| error.to_string())?),
    };
    builder.build().map_err(|error| cause(url, &error))
}

async fn addresses(url: &Url, guard: Guard) -> Result<Vec<SocketAddr>, OutboundError> {
    let host = url.host_str().unwrap_or_default();
    let port = url.port_or_known_default().unwrap_or(443);
    match guard {
        Guard::Public => outbound::resolve(host, port).await,
        Guard::Named => {
            let (name, asked) = (host.to_owned(), outbound::literal(host).map(|it| SocketAddr::new(it, port)));
            let found = match asked {
                Some(address) => Ok(vec![address]),
                None => tokio::net::lookup_host((name.as_str(), port)).await.map(Iterator::collect),
            };
            found.map_err(|error| OutboundError::Resolve { host: name, reason: error.to_string() })
        }
        #[cfg(test)]
        Guard::Loopback if outbound::literal(host).is_some_and(|it| it.is_loopback()) => Ok(Vec::new()),
        #[cfg(test)]
        Guard::Loopback => outbound::resolve(host, port).await,
    }
}

/// Where the answer sends on to; an error where that is another host.
fn moved(url: &Url, answer: &Response) -> Result<Option<Url>, String> {
    if !matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let Some(to) = answer.headers().get(LOCATION).and_then(|it| it.to_str().ok()) else { return Ok(None) };
    let next = url.join(to).map_err(|error| format!("`{url}` redirects to `{to}`, which is no address: {error}"))?;
    let next = address::parse(next.as_str()).map_err(|why| format!("`{url}` redirects elsewhere: {why}"))?;
    let is_safe = url.scheme() != "https" || next.scheme() == "https";
    match address::host(&next) == address::host(url) && is_safe {
        true => Ok(Some(next)),
        false if is_safe => Err(format!(
            "`{url}` redirects to another host, which was not followed: {next}\nFetch that address if it is what you need."
        )),
        false => Err(format!("`{url}` redirects to `{next}`, which is not encrypted; it was not followed")),
    }
}

async fn read(url: Url, mut answer: Response) -> Result<Got, String> {
    let status = answer.status();
    if !status.is_success() {
        return Err(format!("`{url}` answered {status}"));
    }
    let header =
        |name| answer.headers().get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_ascii_lowercase();
    let packed = header(CONTENT_ENCODING);
    if !packed.is_empty() && packed != "identity" {
        return Err(format!(
            "`{url}` is sent packed as {packed} though plain text was asked for; it cannot be read here"
        ));
    }
    let said = header(CONTENT_TYPE);
    let mut parts = said.split(';').map(str::trim);
    let kind = parts.next().unwrap_or_default().to_string();
    let charset = parts.find_map(|it| it.strip_prefix("charset=")).map(|it| it.trim_matches(['"', '\'']).to_string());
    let mut bytes = Vec::new();
    let mut cut = false;
    while let Some(piece) = answer.chunk().await.map_err(|error| cause(&url, &error))? {
        let room = MOST - bytes.len();
        bytes.extend_from_slice(&piece[..room.min(piece.len())]);
        if piece.len() > room {
            cut = true;
            break;
        }
    }
    Ok(Got { url, kind, charset, bytes, cut })
}

/// Why nothing could be read.
pub(crate) fn cause(url: &Url, error: &reqwest::Error) -> String {
    format!("`{url}` could not be read: {}", address::innermost(error))
}
