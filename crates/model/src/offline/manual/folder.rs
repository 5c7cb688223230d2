//! A program as the model: requests and replies are files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ox_protocol::{Failure, FailureKind, Finish, Reasoning, Usage};
use serde::Deserialize;
use serde_json::Value;

use crate::failure::failure;
use crate::model::{RawCall, Reply, Request};
use crate::offline::scripted::parse_reply;

/// How often it is looked whether the reply is there.
const POLL: Duration = Duration::from_millis(50);

/// The folder, and the number of the next request.
pub(super) struct Folder {
    path: PathBuf,
    next: AtomicU32,
}

/// What a reply file may hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    text: String,
    #[serde(default)]
    thinking: String,
    #[serde(default)]
    calls: Vec<WrittenCall>,
    #[serde(default)]
    finish: Option<Finish>,
    #[serde(default)]
    usage: Option<Usage>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    name: String,
    /// An object, or the raw text of one.
    #[serde(default)]
    args: Value,
}

impl Folder {
    pub(super) fn open(path: &Path) -> std::io::Result<Folder> {
        std::fs::create_dir_all(path)?;
        let mut highest = 0;
        for entry in std::fs::read_dir(path)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            let number = name.strip_suffix(".request.json").and_then(|it| it.parse().ok());
            highest = highest.max(number.unwrap_or(0));
        }
        Ok(Folder { path: path.to_path_buf(), next: AtomicU32::new(highest + 1) })
    }

    pub(super) async fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let file = |kind: &str| self.path.join(format!("{number:03}.{kind}"));
        let body = serde_json::to_vec_pretty(request).expect("a request always serialises");
        self.write(&file("request.json"), &body).await?;
        let mut refused: BTreeSet<Vec<u8>> = BTreeSet::new();
        loop {
            if let Ok(text) = tokio::fs::read_to_string(file("reply.txt")).await {
                return Ok(parse_reply(&text));
            }
            // A reply that is being written may be read half; it is read again once it has changed.
            let written = tokio::fs::read(file("reply.json")).await.unwrap_or_default();
            if !written.is_empty() && !refused.contains(&written) {
                match read(&written) {
                    Ok(reply) => {
                        let _ = tokio::fs::remove_file(file("error.txt")).await;
                        return Ok(reply);
                    }
                    Err(words) => {
                        self.write(&file("error.txt"), format!("{number:03}.reply.json: {words}\n").as_bytes()).await?;
                        refused.insert(written);
                    }
                }
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Writes a file that appears whole.
    async fn write(&self, path: &Path, body: &[u8]) -> Result<(), Failure> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let half = path.with_file_name(format!(".{name}.part"));
        let written = async {
            tokio::fs::write(&half, body).await?;
            tokio::fs::rename(&half, path).await
        };
        written.await.map_err(|error| {
            failure(
                FailureKind::Script,
                format!("cannot write {}: {error}; check the folder of --manual-dir", path.display()),
            )
        })
    }
}

fn read(written: &[u8]) -> Result<Reply, String> {
    const SHAPE: &str = r#"expected {"text": "…", "calls": [{"name": "…", "args": {…}}]}, both optional"#;
    let written: Written = serde_json::from_slice(written).map_err(|error| format!("{error}; {SHAPE}"))?;
    let mut calls = Vec::new();
    for call in written.calls {
        let args = match call.args {
            Value::Null => "{}".to_string(),
            Value::String(raw) => raw,
            object @ Value::Object(_) => object.to_string(),
            other => return Err(format!("`args` of `{}` is {other}; it must be an object", call.name)),
        };
        calls.push(RawCall { name: call.name, args });
    }
    let natural = if calls.is_empty() { Finish::Stop } else { Finish::Calls };
    let thought = (!written.thinking.is_empty()).then_some(Reasoning { text: written.thinking, opaque: None });
    Ok(Reply {
        text: written.text,
        reasoning: thought.into_iter().collect(),
        calls,
        finish: written.finish.unwrap_or(natural),
        usage: written.usage,
        images: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    async fn until(path: &Path) -> String {
        loop {
            if let Ok(text) = std::fs::read_to_string(path) {
                return text;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    #[tokio::test]
    async fn a_program_answers_by_files() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("deep");
        let folder = Folder::open(&path).unwrap();
        let request = sample::conversation();
        let program = async {
            let asked: Request = serde_json::from_str(&until(&path.join("001.request.json")).await).unwrap();
            std::fs::write(path.join("001.reply.json"), r#"{"text": "a", "call": []}"#).unwrap();
            let words = until(&path.join("001.error.txt")).await;
            std::fs::write(
                path.join("001.reply.json"),
                r#"{"text": "a", "calls": [{"name": "read_file", "args": {"path": "x"}}, {"name": "run_checks"}]}"#,
            )
            .unwrap();
            (asked, words)
        };
        let (reply, (asked, words)) = tokio::join!(folder.ask(&request), program);
        assert_eq!(asked, request);
        assert!(words.contains("unknown field `call`") && words.contains("expected {"), "{words}");
        assert!(!path.join("001.error.txt").exists());
        let reply = reply.unwrap();
        let calls: Vec<&str> = reply.calls.iter().map(|it| it.args.as_str()).collect();
        assert_eq!(calls, [r#"{"path":"x"}"#, "{}"]);
        assert_eq!(reply.finish, Finish::Calls);

        let again = Folder::open(&path).unwrap();
        std::fs::write(path.join("002.reply.txt"), "Done.\n").unwrap();
        assert_eq!(again.ask(&request).await.unwrap().text, "Done.");
        assert!(path.join("002.request.json").exists());
    }
}
