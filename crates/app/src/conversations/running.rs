//! The conversations that some process of this user works on now.
//!
//! Promise: nobody is waited for longer than a moment, and a socket is removed only where no process holds its conversation.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_client::join;
use ox_client::view::View;
use ox_config::Paths;
use ox_protocol::{ConversationId, Problem};
use ox_store::lock_conversation;

/// How long a session may take to say how it stands: it answers between two steps of its work.
const PATIENCE: Duration = Duration::from_secs(2);

/// A conversation that a process works on.
#[derive(Debug)]
pub struct Running {
    /// Its id.
    pub id: ConversationId,
    /// Where it listens.
    pub socket: PathBuf,
    /// How it stands; none where its process did not answer.
    pub view: Option<View>,
}

impl Running {
    /// Its name, else what was asked last; empty where it did not say.
    pub fn task(&self) -> &str {
        let Some(view) = &self.view else { return "" };
        view.name.as_deref().or_else(|| view.turns.last().map(|it| it.prompt.as_str())).unwrap_or_default()
    }
}

/// All of them, those that began last first. Sockets that a crash left are removed.
pub async fn running(paths: &Paths) -> Vec<Running> {
    looked(paths, sockets(&paths.state_dir)).await
}

/// Those of these conversations that some process works on, by their sockets.
pub async fn looked(paths: &Paths, sockets: Vec<(ConversationId, PathBuf)>) -> Vec<Running> {
    let mut all = Vec::new();
    for (id, socket) in sockets {
        match tokio::time::timeout(PATIENCE, join::look(&socket)).await {
            Ok(Ok(view)) => all.push(Running { id, socket, view: Some(view) }),
            Ok(Err(_)) if is_left_behind(&paths.state_dir, &id, &socket) => {}
            Ok(Err(_)) | Err(_) => all.push(Running { id, socket, view: None }),
        }
    }
    all
}

/// The running conversation whose id begins with `prefix`, or the only one.
pub async fn one_running(paths: &Paths, prefix: Option<&str>) -> Result<Running, Problem> {
    let mut all = running(paths).await;
    all.retain(|it| prefix.is_none_or(|prefix| it.id.0.starts_with(prefix)));
    let line = |it: &Running| format!("\n  {}  {}", it.id, it.task().trim().lines().next().unwrap_or_default());
    let listed: String = all.iter().map(line).collect();
    match (all.pop(), all.is_empty(), prefix) {
        (Some(one), true, _) => Ok(one),
        (Some(_), false, _) => Err(Problem::new("usage.attach_which").with("list", listed)),
        (None, _, Some(id)) => Err(Problem::new("usage.attach_unknown").with("id", id)),
        (None, _, None) => Err(Problem::new("usage.attach_none")),
    }
}

/// The sockets, by the conversations that they are named after.
fn sockets(state: &Path) -> Vec<(ConversationId, PathBuf)> {
    let Ok(entries) = std::fs::read_dir(state.join("sockets")) else { return Vec::new() };
    let mut found: Vec<(ConversationId, PathBuf)> = entries
        .flatten()
        .filter_map(|it| {
            let path = it.path();
            let id = path.file_name()?.to_str()?.strip_suffix(".sock")?.to_owned();
            Some((ConversationId(id), path))
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| other.cmp(one));
    found
}

/// True where nobody holds the conversation: its socket is removed then. A session takes the lock before it listens.
fn is_left_behind(state: &Path, id: &ConversationId, socket: &Path) -> bool {
    let held = lock_conversation(state, id);
    if held.is_ok() {
        // Where it cannot be removed it is tried again the next time.
        let _ = std::fs::remove_file(socket);
    }
    held.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, Paths, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let paths = Paths { config_dir: at("config"), state_dir: at("state"), cache_dir: at("cache") };
        std::fs::create_dir_all(at("state/sockets")).unwrap();
        let socket = at("state/sockets/20260101-aaaaaa.sock");
        (folder, paths, socket)
    }

    #[tokio::test]
    async fn a_socket_that_a_crash_left_is_removed() {
        let (_folder, paths, socket) = place();
        drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
        assert!(running(&paths).await.is_empty() && !socket.exists());
        assert_eq!(one_running(&paths, None).await.unwrap_err().code, "usage.attach_none");
    }

    #[tokio::test]
    async fn one_whose_process_lives_stays() {
        let (_folder, paths, socket) = place();
        let _held = lock_conversation(&paths.state_dir, &ConversationId("20260101-aaaaaa".to_owned())).unwrap();
        drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
        let all = running(&paths).await;
        assert!(all.len() == 1 && all[0].view.is_none() && socket.exists());
        assert!(one_running(&paths, Some("2026")).await.is_ok());
        assert_eq!(one_running(&paths, Some("x")).await.unwrap_err().code, "usage.attach_unknown");
    }
}
