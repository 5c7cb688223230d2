//! Fetching the files of a model from a hub that speaks like Hugging Face's, or from a folder on a web server.
//!
//! A file is taken only when it has the size, and where the hub says one the SHA-256, that was announced. What was begun goes
//! on where it broke off. Nothing is sent but the address, no key, and secure addresses never lead to insecure ones.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

pub use reqwest::Client;
use reqwest::StatusCode;
use reqwest::redirect::Policy;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Where models are fetched from by name.
pub const HUB: &str = "https://huggingface.co";
/// The longest silence.
const IDLE: Duration = Duration::from_secs(60);
/// How often a file is asked for again after it broke off.
const ATTEMPTS: usize = 5;
/// The largest list of files, in bytes.
const LIST: usize = 8 << 20;

/// A file that can be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// Its path within the model.
    pub path: String,
    /// Its address.
    pub url: String,
    /// Its size in bytes, where it was announced.
    pub size: Option<u64>,
    /// Its SHA-256 in hexadecimal digits, where it was announced.
    pub sha256: Option<String>,
    /// False for a file that may be missing.
    pub needed: bool,
}

/// A client for fetching. Error: why none can be made, in words.
pub fn client(url: &str) -> Result<Client, String> {
    let builder = Client::builder()
        .connect_timeout(Duration::from_secs(15))
        .read_timeout(IDLE)
        .user_agent(concat!("ox/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::custom(|attempt| {
            let was_secure = attempt.previous().iter().any(|it| it.scheme() == "https");
            match attempt.previous().len() {
                _ if was_secure && attempt.url().scheme() != "https" => {
                    attempt.error("it leads to an insecure address")
                }
                10.. => attempt.error("it leads on and on"),
                _ => attempt.follow(),
            }
        }));
    let builder = if crate::address::is_loopback(url) { builder.no_proxy() } else { builder };
    // A hub sends on to other machines, and those addresses are secure.
    crate::wire::roots::install(builder, true)?.build().map_err(|it| crate::failure::chain(&it))
}

/// The files `wanted` of the model `name` (`owner/model`) at the hub `base`.
pub async fn list(client: &Client, base: &str, name: &str, wanted: &[&str]) -> Result<Vec<Remote>, String> {
    let base = base.trim_end_matches('/');
    let url = format!("{base}/api/models/{name}/tree/main?recursive=true");
    let answer = client.get(&url).send().await.map_err(|it| words(&url, &it))?;
    if !answer.status().is_success() {
        return Err(match answer.status() {
            StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED => format!("{base} has no public model called {name}"),
            status => format!("{url} answered {status}"),
        });
    }
    let body = body(answer, &url).await?;
    let files: Value = serde_json::from_slice(&body).map_err(|it| format!("the list of {url} is not JSON: {it}"))?;
    let files = files.as_array().ok_or_else(|| format!("{url} lists no files"))?;
    let remote = |it: &Value| {
        let path = it["path"].as_str().filter(|path| wanted.contains(path))?.to_string();
        Some(Remote {
            url: format!("{base}/{name}/resolve/main/{path}"),
            size: it["lfs"]["size"].as_u64().or(it["size"].as_u64()),
            sha256: it["lfs"]["oid"].as_str().map(|it| it.trim_start_matches("sha256:").to_lowercase()),
            needed: true,
            path,
        })
    };
    Ok(files.iter().filter_map(remote).collect())
}

async fn body(mut answer: reqwest::Response, url: &str) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    while let Some(piece) = answer.chunk().await.map_err(|it| words(url, &it))? {
        body.extend_from_slice(&piece);
        if body.len() > LIST {
            return Err(format!("the list of {url} is too long"));
        }
    }
    Ok(body)
}

/// Fetches a file to `place`; false where it is not there and may be missing. `on` is told how many of its bytes are there.
pub async fn fetch(client: &Client, remote: &Remote, place: &Path, on: &dyn Fn(u64)) -> Result<bool, String> {
    let begun = place.with_added_extension("part");
    let mut attempt = 1;
    loop {
        match part(client, remote, &begun, on).await {
            Ok(false) => return Ok(false),
            Ok(true) => break,
            Err((true, _)) if attempt < ATTEMPTS => attempt += 1,
            Err((_, why)) => return Err(why),
        }
    }
    check(remote, &begun).inspect_err(|_| drop(std::fs::remove_file(&begun)))?;
    std::fs::rename(&begun, place).map_err(|it| format!("{}: {it}", place.display()))?;
    Ok(true)
}

/// Fetches what is missing of a file. An error says whether going on may help.
async fn part(client: &Client, remote: &Remote, begun: &Path, on: &dyn Fn(u64)) -> Result<bool, (bool, String)> {
    let failed = |it: std::io::Error| (false, format!("{}: {it}", begun.display()));
    let mut file = File::options().create(true).append(true).open(begun).map_err(failed)?;
    let mut have = file.metadata().map_err(failed)?.len();
    if remote.size.is_some_and(|it| have == it) {
        return Ok(true);
    }
    let mut request = client.get(&remote.url);
    if have > 0 {
        request = request.header("range", format!("bytes={have}-"));
    }
    let mut answer =
        request.send().await.map_err(|it| (it.is_timeout() || it.is_request(), words(&remote.url, &it)))?;
    match answer.status() {
        StatusCode::PARTIAL_CONTENT if have > 0 => {}
        status if status.is_success() => {
            file.set_len(0).map_err(failed)?;
            have = 0;
        }
        StatusCode::NOT_FOUND if !remote.needed => {
            let _ = std::fs::remove_file(begun);
            return Ok(false);
        }
        StatusCode::RANGE_NOT_SATISFIABLE => {
            file.set_len(0).map_err(failed)?;
            return Err((true, format!("{} has less than was fetched before", remote.url)));
        }
        status => return Err((status.is_server_error(), format!("{} answered {status}", remote.url))),
    }
    while let Some(piece) = answer.chunk().await.map_err(|it| (true, words(&remote.url, &it)))? {
        file.write_all(&piece).map_err(failed)?;
        have += piece.len() as u64;
        on(have);
    }
    let whole = remote.size.is_none_or(|it| it <= have);
    if whole { Ok(true) } else { Err((true, format!("{} ended after {have} bytes", remote.url))) }
}

/// Holds what was fetched against what was announced.
fn check(remote: &Remote, place: &Path) -> Result<(), String> {
    let failed = |it: std::io::Error| format!("{}: {it}", place.display());
    let mut file = File::open(place).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    if let Some(announced) = remote.size.filter(|it| *it != size) {
        return Err(format!("{} has {size} bytes, not {announced}", remote.url));
    }
    let Some(announced) = &remote.sha256 else { return Ok(()) };
    let (mut digest, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut piece).map_err(failed)? {
            0 => break,
            read => digest.update(&piece[..read]),
        }
    }
    let found: String = digest.finalize().iter().map(|it| format!("{it:02x}")).collect();
    if found == *announced { Ok(()) } else { Err(format!("{} is not what was announced: SHA-256 {found}", remote.url)) }
}

fn words(url: &str, error: &reqwest::Error) -> String {
    format!("{url}: {}", crate::failure::chain(error))
}
