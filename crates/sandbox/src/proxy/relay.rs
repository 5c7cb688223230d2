//! One request through the proxy: a tunnel, or a plain request passed on. Nothing is kept between requests.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{Either, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, HOST, HeaderName};
use hyper::upgrade::OnUpgrade;
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Uri};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

type Body = Either<Full<Bytes>, Incoming>;
/// Where a request that asks for a tunnel leaves it for the connection that it came on.
pub(super) type Slot = Arc<Mutex<Option<Tunnel>>>;

/// Headers that belong to one connection and are not passed on.
const HOPS: [&str; 9] = [
    "connection",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A connection to a host, and the process's side of it once the request was answered.
pub(super) struct Tunnel {
    inside: OnUpgrade,
    outside: TcpStream,
}

/// Why a host was not reached.
pub(super) enum ReachError {
    /// The rules forbid it.
    Refused(String),
    /// It did not answer.
    Unreachable(String),
}

/// Answers one request of a process; `reach` connects to a host and port.
pub(super) async fn answer<R>(
    reach: impl FnOnce(String, u16) -> R,
    mut request: Request<Incoming>,
    slot: Slot,
) -> Result<Response<Body>, Infallible>
where
    R: Future<Output = Result<TcpStream, ReachError>>,
{
    let Some((host, port)) = target(request.method(), request.uri()) else {
        return Ok(say(
            StatusCode::BAD_REQUEST,
            "this is Ox's proxy: ask for `CONNECT host:port` or for `http://host/…`",
        ));
    };
    let outside = match reach(host.clone(), port).await {
        Ok(stream) => stream,
        Err(ReachError::Refused(why)) => {
            let hint = "the user can allow it in the sandbox's list of hosts";
            return Ok(say(StatusCode::FORBIDDEN, &format!("Ox's sandbox: `{host}:{port}` {why}; {hint}")));
        }
        Err(ReachError::Unreachable(why)) => return Ok(say(StatusCode::BAD_GATEWAY, &format!("Ox's sandbox: {why}"))),
    };
    if request.method() == Method::CONNECT {
        let inside = hyper::upgrade::on(&mut request);
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(Tunnel { inside, outside });
        return Ok(Response::new(Either::Left(Full::default())));
    }
    Ok(match pass_on(request, outside).await {
        Ok(response) => response,
        Err(error) => say(StatusCode::BAD_GATEWAY, &format!("Ox's sandbox: `{host}` answered with an error: {error}")),
    })
}

/// The host and port that a request is for; none when it is not one for a proxy. The address counts, never `Host`.
fn target(method: &Method, uri: &Uri) -> Option<(String, u16)> {
    let authority = uri.authority()?;
    // A name before the host is a way to make an address look like another.
    if authority.as_str().contains('@') {
        return None;
    }
    let port = match (method == Method::CONNECT, uri.scheme_str()) {
        (true, None) => authority.port_u16()?,
        (false, Some("http")) if authority.port().is_none() => 80,
        (false, Some("http")) => authority.port_u16()?,
        _ => return None,
    };
    Some((authority.host().to_owned(), port))
}

/// Sends a plain request to its host, with the host that was checked in its `Host` header.
async fn pass_on(mut request: Request<Incoming>, outside: TcpStream) -> Result<Response<Body>, hyper::Error> {
    strip(request.headers_mut());
    let authority = request.uri().authority().map(|it| it.as_str().to_owned()).unwrap_or_default();
    // The parser of the address allows no byte that a header could not hold.
    if let Ok(host) = authority.parse() {
        request.headers_mut().insert(HOST, host);
    }
    let path = request.uri().path_and_query().cloned().map_or_else(|| Uri::from_static("/"), Uri::from);
    *request.uri_mut() = path;
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(outside)).await?;
    // It ends with the request, whose two halves are held by the connection of the process.
    tokio::spawn(connection);
    let mut response = sender.send_request(request).await?;
    strip(response.headers_mut());
    Ok(response.map(Either::Right))
}

fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|it| it.to_str().ok())
        .flat_map(|it| it.split(','))
        .filter_map(|it| it.trim().parse().ok())
        .collect();
    for name in named {
        headers.remove(name);
    }
    for name in HOPS {
        headers.remove(name);
    }
}

fn say(status: StatusCode, words: &str) -> Response<Body> {
    let mut response = Response::new(Either::Left(Full::from(format!("{words}\n"))));
    *response.status_mut() = status;
    response
}

impl Tunnel {
    /// Carries bytes both ways until both sides ended, one failed, or nothing moved for `idle`.
    pub(super) async fn carry(self, idle: Duration) {
        let Ok(inside) = self.inside.await else { return };
        let (from_inside, to_inside) = split(TokioIo::new(inside));
        let (from_outside, to_outside) = self.outside.into_split();
        let last = Mutex::new(Instant::now());
        tokio::select! {
            _ = async { tokio::join!(pump(from_inside, to_outside, &last), pump(from_outside, to_inside, &last)) } => {}
            () = silence(&last, idle) => {}
        }
    }
}

async fn pump(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, last: &Mutex<Instant>) {
    let mut chunk = vec![0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut chunk).await {
        *last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
        if to.write_all(&chunk[..count]).await.is_err() {
            break;
        }
    }
    // The other side learns that nothing more comes; if it is gone, there is nobody to learn it.
    let _ = to.shutdown().await;
}

async fn silence(last: &Mutex<Instant>, idle: Duration) {
    loop {
        let end = *last.lock().unwrap_or_else(PoisonError::into_inner) + idle;
        if end <= Instant::now() {
            return;
        }
        sleep_until(end).await;
    }
}
