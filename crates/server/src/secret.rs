//! The token of scripts, the page's cookie and its one-time links.
//!
//! Promise: only the user can read what is written, and no comparison tells how much of a guess was right.

use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ox_protocol::Problem;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// How long a one-time link can be opened.
const LINK: Duration = Duration::from_secs(600);

/// Where a server listens, for other processes of the same user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Its address, for example `http://127.0.0.1:7878`.
    pub url: String,
    /// What scripts send as bearer.
    pub token: String,
    /// Its process.
    pub process: u32,
}

/// The secrets of one running server.
pub(crate) struct Secrets {
    token: [u8; 32],
    /// What the page's cookie holds; another one after each start.
    session: String,
    links: Mutex<Vec<(String, Instant)>>,
}

/// What a request proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    Token,
    Cookie,
}

impl Secrets {
    pub fn new(token: &str) -> Result<Secrets, Problem> {
        Ok(Secrets { token: hash(token), session: random()?, links: Mutex::default() })
    }

    /// Whether the token or the cookie is right.
    pub fn proof(&self, bearer: Option<&str>, cookie: Option<&str>) -> Option<Proof> {
        let session = hash(&self.session);
        match (bearer, cookie) {
            (Some(it), _) if hash(it) == self.token => Some(Proof::Token),
            (None, Some(it)) if hash(it) == session => Some(Proof::Cookie),
            _ => None,
        }
    }

    /// A new code that opens the page once.
    pub fn link(&self) -> Result<String, Problem> {
        let code = random()?;
        self.links.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((code.clone(), Instant::now()));
        Ok(code)
    }

    /// The value of the cookie, where the code is one that was not used yet.
    pub fn opened(&self, code: &str) -> Option<&str> {
        let mut links = self.links.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        links.retain(|(_, made)| made.elapsed() < LINK);
        let at = links.iter().position(|(it, _)| hash(it) == hash(code))?;
        links.remove(at);
        Some(&self.session)
    }
}

/// Equal hashes are compared in place of the secrets: how long that takes says nothing of them.
fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

/// 32 hexadecimal digits that nobody can guess.
fn random() -> Result<String, Problem> {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut it| it.read_exact(&mut bytes));
    read.map_err(|error| Problem::new("server.no_secret").with("path", "/dev/urandom").with("why", error))?;
    Ok(bytes.iter().map(|it| format!("{it:02x}")).collect())
}

/// The token of scripts, for `ox serve`.
pub(crate) const TOKEN: &str = "server-token";

/// The token in this file of a folder, which only the user can read; made at the first start, and the same after it.
pub fn token(state: &Path, file: &str) -> Result<String, Problem> {
    let path = state.join(file);
    let failed = |error| Problem::new("server.no_secret").with("path", path.display()).with("why", error);
    match std::fs::read_to_string(&path) {
        Ok(token) if token.trim().len() >= 32 => return Ok(token.trim().to_owned()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let token = random()?;
    write_private(&path, &token).map_err(failed)?;
    Ok(token)
}

fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    std::fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?
        .write_all(text.as_bytes())?;
    std::fs::rename(draft, path)
}

fn place(state: &Path) -> PathBuf {
    state.join("server.json")
}

/// Notes where the server listens.
pub(crate) fn note(state: &Path, known: &Known) -> std::io::Result<()> {
    write_private(&place(state), &serde_json::to_string(known)?)
}

/// Takes the note back, where it is still this process's.
pub(crate) fn forget(state: &Path) {
    if running(state).is_some_and(|it| it.process == std::process::id()) {
        // Without it nobody is led anywhere; a note that stays is found to be old.
        let _ = std::fs::remove_file(place(state));
    }
}

/// The server that was noted last; it may have ended since.
pub fn running(state: &Path) -> Option<Known> {
    serde_json::from_str(&std::fs::read_to_string(place(state)).ok()?).ok()
}

/// Asks a running server for a new one-time link to its page; none where it does not answer.
pub async fn new_link(known: &Known) -> Option<String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let host = known.url.strip_prefix("http://")?;
    let asked = async {
        let mut stream = tokio::net::TcpStream::connect(host).await.ok()?;
        let request = format!(
            "POST /api/links HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            known.token
        );
        stream.write_all(request.as_bytes()).await.ok()?;
        let mut answer = String::new();
        stream.take(64 << 10).read_to_string(&mut answer).await.ok()?;
        let (_, body) = answer.split_once("\r\n\r\n")?;
        serde_json::from_str::<serde_json::Value>(body).ok()?["url"].as_str().map(str::to_owned)
    };
    tokio::time::timeout(Duration::from_secs(3), asked).await.ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_a_wrong_secret_proves_nothing() {
        let secrets = Secrets::new("t".repeat(32).as_str()).unwrap();
        let code = secrets.link().unwrap();
        assert!(secrets.opened("x").is_none());
        let cookie = secrets.opened(&code).unwrap().to_owned();
        assert!(secrets.opened(&code).is_none());
        assert_eq!(secrets.proof(None, Some(&cookie)), Some(Proof::Cookie));
        assert_eq!(secrets.proof(Some(&"t".repeat(32)), None), Some(Proof::Token));
        assert_eq!(secrets.proof(Some(&cookie), Some(&cookie)), None, "a wrong token is not mended by a cookie");
        assert_eq!(secrets.proof(None, None), None);
    }

    #[test]
    fn the_token_stays_and_only_the_user_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let one = token(folder.path(), TOKEN).unwrap();
        assert_eq!(one, token(folder.path(), TOKEN).unwrap());
        let mode = std::fs::metadata(folder.path().join(TOKEN)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
