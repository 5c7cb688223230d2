//! One server with what it knows: the texts that are open there, kept as the tree has them at the moment of a question.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ox_protocol::ChangeKind;
use serde_json::{Value, json};

use super::folder::ServerFolder;
use super::known::{DiagnosticSource, Ready, Server, for_file};
use super::limits::Limits;
use super::state::{Published, ServerState};
use crate::error::Error;
use crate::jsonrpc::Peer;
use crate::message::ServerDiagnostic;
use crate::position::Encoding;
use crate::project::Project;
use crate::uri;

/// Texts that are open at once, at most.
const OPEN: usize = 64;
/// Changed files that are opened; with more of them a server that would not learn of the rest starts anew.
const OPENED: usize = 32;
/// Changed files that a server is told of at once.
const REPORTED: usize = 2_000;
/// Texts larger than this are not opened.
const LARGEST: usize = 4 << 20;

/// The stamps of files by path.
type Stamps = BTreeMap<String, String>;

/// A server that has been greeted.
pub(crate) struct Client {
    pub server: &'static Server,
    peer: Peer<ServerState>,
    project: Project,
    /// What it counts within a line.
    pub encoding: Encoding,
    /// What it said that it can do.
    capabilities: Value,
    open: BTreeMap<String, Document>,
    /// The tree as the server knows it.
    seen: Stamps,
    /// Of the last text that was sent.
    version: i64,
    limits: Limits,
    /// The folder that it may write to; after the peer, so that nobody is in it any more when it goes.
    _folder: ServerFolder,
}

/// A text that is open.
struct Document {
    uri: String,
    text: Arc<str>,
    version: i64,
    /// Publications when it was sent.
    sent: u64,
}

impl Client {
    /// Greets the server behind `peer`.
    pub(crate) async fn greet(
        server: &'static Server,
        peer: Peer<ServerState>,
        folder: ServerFolder,
        project: Project,
        options: Value,
        limits: Limits,
    ) -> Result<Client, Error> {
        let settings = peer.handler(|it| it.settings().clone());
        let answer = peer.request("initialize", &greeting(&project.root, options), limits.start).await;
        let answer = answer.map_err(|error| match (Error::of(server.name, error), folder.complaint()) {
            (Error::Ended { why, .. }, complaint) if !complaint.is_empty() => {
                Error::Ended { server: server.name, why: format!("{why}: {complaint}") }
            }
            (error, _) => error,
        })?;
        let capabilities = answer["capabilities"].clone();
        let named = capabilities["positionEncoding"].as_str().or(answer["offsetEncoding"].as_str());
        let encoding = named.and_then(Encoding::named).unwrap_or_default();
        peer.notify("initialized", &json!({}));
        if !settings.is_null() {
            peer.notify("workspace/didChangeConfiguration", &json!({"settings": settings}));
        }
        let seen = project.stamps().await;
        let (open, version) = (BTreeMap::new(), 0);
        Ok(Client { server, peer, project, encoding, capabilities, open, seen, version, limits, _folder: folder })
    }

    /// True when it says that it can do what `ability` names.
    pub(crate) fn can(&self, ability: &str) -> bool {
        self.capabilities.get(ability).is_some_and(|it| !it.is_null() && *it != Value::Bool(false))
    }

    /// Why nothing more comes from it; none while something may.
    pub(crate) fn over(&self) -> Option<String> {
        self.peer.over()
    }

    /// Files that changed since the server was told of the tree.
    pub(crate) async fn changed(&self) -> Vec<String> {
        changes(&self.seen, &self.project.stamps().await).into_iter().map(|it| it.0).collect()
    }

    /// The files that the server knows of.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.seen.keys().map(String::as_str)
    }

    /// Brings the server up to date with the tree. False when so much changed that it is better started anew.
    pub(crate) async fn catch_up(&mut self, project: &Project) -> bool {
        self.project = project.clone();
        let now = project.stamps().await;
        let changes = changes(&self.seen, &now);
        self.seen = now;
        let ours = |path: &str| for_file(path).is_some_and(|(server, _)| server.name == self.server.name);
        let (own, other): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(path, _)| ours(path));
        if own.is_empty() && other.is_empty() {
            return true;
        }
        if own.len() > if self.server.watches_files { REPORTED } else { OPENED } {
            return false;
        }
        let events: Vec<Value> = own.iter().chain(other.iter().take(REPORTED)).map(|it| self.event(it)).collect();
        self.peer.notify("workspace/didChangeWatchedFiles", &json!({"changes": events}));
        let changed = |path: &str| own.iter().any(|(it, _)| it == path);
        // A text whose surroundings changed is looked at afresh: what was told of it before is not known to hold still.
        let afresh = self.server.diagnostics == DiagnosticSource::Published && !self.can("diagnosticProvider");
        let files = project.files.clone();
        let stale: Vec<String> =
            self.open.keys().filter(|it| afresh || (changed(it) && files.read(it).is_err())).cloned().collect();
        stale.iter().for_each(|it| self.close(it));
        // Those that learn of it by being told do so when they get round to it; what is open they know at once.
        for (path, kind) in own.iter().take(OPENED) {
            let was_open = self.open.contains_key(path);
            // One that cannot be read is not known to the server either.
            if *kind != ChangeKind::Deleted && self.show(path).is_ok() && !was_open {
                self.repeat(path);
            }
        }
        let rest: Vec<String> = self.open.keys().cloned().collect();
        for path in rest {
            if self.show(&path).is_err() {
                self.close(&path);
            }
        }
        true
    }

    fn event(&self, (path, kind): &(String, ChangeKind)) -> Value {
        let number = match kind {
            ChangeKind::Created => 1,
            ChangeKind::Deleted => 3,
            _ => 2,
        };
        json!({"uri": self.uri(path), "type": number})
    }

    fn uri(&self, path: &str) -> String {
        uri::of(&self.project.root.join(path))
    }

    /// Sees to it that the server has the text of `path` as the tree has it now. Answers with the text.
    pub(crate) fn show(&mut self, path: &str) -> Result<Arc<str>, Error> {
        let text = self.project.files.read(path).map_err(Error::File)?;
        if text.len() > LARGEST {
            return Err(Error::TooLarge { path: path.into(), bytes: text.len() });
        }
        let text: Arc<str> = text.into();
        let sent = self.peer.handler(|it| it.count);
        if let Some(document) = self.open.get_mut(path) {
            if document.text != text {
                (document.text, document.sent) = (text.clone(), sent);
                self.repeat(path);
            }
            return Ok(text);
        }
        self.make_room();
        self.version += 1;
        let uri = self.uri(path);
        let language = for_file(path).map_or("plaintext", |it| it.1);
        let document = json!({"uri": uri, "languageId": language, "version": self.version, "text": &*text});
        self.peer.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.open.insert(path.to_string(), Document { uri, text: text.clone(), version: self.version, sent });
        Ok(text)
    }

    /// Sends the text of an open file as a change: a file that is merely opened is not looked for by those that use it.
    fn repeat(&mut self, path: &str) {
        self.version += 1;
        let Some(open) = self.open.get_mut(path) else { return };
        open.version = self.version;
        let document = json!({"uri": open.uri, "version": open.version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": &*open.text}]});
        self.peer.notify("textDocument/didChange", &params);
    }

    fn make_room(&mut self) {
        while self.open.len() >= OPEN {
            let oldest = self.open.iter().min_by_key(|it| it.1.version).map(|it| it.0.clone());
            let Some(oldest) = oldest else { return };
            self.close(&oldest);
        }
    }

    fn close(&mut self, path: &str) {
        if let Some(open) = self.open.remove(path) {
            self.peer.notify("textDocument/didClose", &json!({"textDocument": {"uri": open.uri}}));
        }
    }

    /// The text and version of `path` as the server has it; none where it is not open.
    pub(crate) fn open_text(&self, path: &str) -> Option<(Arc<str>, i64)> {
        self.open.get(path).map(|it| (it.text.clone(), it.version))
    }

    /// True when no text is open.
    pub(crate) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Waits until the server has seen the whole project, within the limit. Otherwise words for how far it is.
    pub(crate) async fn settled(&self) -> Result<Option<String>, Error> {
        let (sign, first) = (self.server.ready, self.open.values().map(|it| it.sent).min().unwrap_or(0));
        let ready = move |it: &ServerState| match sign {
            Ready::Idle => it.in_progress.is_empty(),
            Ready::Logs(_) | Ready::Status => it.ready,
            Ready::Published => it.count > first && it.in_progress.is_empty(),
        };
        let settled = self.peer.until(self.limits.ready, ready).await;
        match settled.map_err(|it| Error::of(self.server.name, it))? {
            true => Ok(None),
            false => Ok(Some(self.peer.handler(|it| it.progress_words()).unwrap_or_else(|| "not ready".into()))),
        }
    }

    /// Asks about a place in `path`, or with other parameters beside the document.
    pub(crate) async fn request(&self, method: &str, mut params: Value, path: Option<&str>) -> Result<Value, Error> {
        if let Some(path) = path {
            params["textDocument"] = json!({"uri": self.uri(path)});
        }
        let answer = self.peer.request(method, &params, self.limits.answer).await;
        answer.map_err(|it| Error::of(self.server.name, it))
    }

    /// What is wrong with `path`, whose text the server has. None when it did not say so in time.
    pub(crate) async fn diagnostics(&self, path: &str) -> Result<Option<Vec<ServerDiagnostic>>, Error> {
        if self.server.diagnostics == DiagnosticSource::Pulled || self.can("diagnosticProvider") {
            let answer = self.request("textDocument/diagnostic", json!({}), Some(path)).await?;
            return Ok(answer["items"].is_array().then(|| ServerDiagnostic::list(&answer["items"])));
        }
        match self.server.diagnostics {
            DiagnosticSource::Tsserver => self.of_tsserver(path).await.map(Some),
            DiagnosticSource::Published | DiagnosticSource::Pulled => self.published(path).await,
        }
    }

    async fn of_tsserver(&self, path: &str) -> Result<Vec<ServerDiagnostic>, Error> {
        let mut all = Vec::new();
        for request in ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] {
            let arguments = json!([request, {"file": self.project.root.join(path)}, {}]);
            let params = json!({"command": "typescript.tsserverRequest", "arguments": arguments});
            let answer = self.request("workspace/executeCommand", params, None).await?;
            all.extend(ServerDiagnostic::of_tsserver(&answer["body"]));
        }
        Ok(all)
    }

    async fn published(&self, path: &str) -> Result<Option<Vec<ServerDiagnostic>>, Error> {
        let Some(open) = self.open.get(path) else { return Ok(None) };
        let (path, version, sent) = (self.project.root.join(path), open.version, open.sent);
        let current = |it: &ServerState| match it.published.get(&path) {
            Some(Published { version: Some(of), .. }) => *of >= version,
            Some(Published { version: None, number, .. }) => !it.versioned && *number > sent,
            None => false,
        };
        let reported = self.peer.until(self.limits.answer, current).await;
        let reported = reported.map_err(|it| Error::of(self.server.name, it))?;
        Ok(reported.then(|| self.peer.handler(|it| it.published[&path].diagnostics.clone())))
    }

    /// Ends the server: politely, and after the limit not. Resolves when nothing of it is left.
    pub(crate) async fn end(self) {
        let time = self.limits.quit;
        if self.peer.over().is_none() {
            let polite = async {
                // Whatever it answers, it is told to go.
                let _ = self.peer.request("shutdown", &Value::Null, time).await;
                self.peer.notify("exit", &Value::Null);
                self.peer.ended(time).await;
            };
            let _ = tokio::time::timeout(time, polite).await;
        }
        self.peer.stop().await;
    }
}

/// What is different in `after`, sorted by path.
fn changes(before: &Stamps, after: &Stamps) -> Vec<(String, ChangeKind)> {
    let gone = before.keys().filter(|it| !after.contains_key(*it)).map(|it| (it.clone(), ChangeKind::Deleted));
    let there = after.iter().filter_map(|(path, stamp)| match before.get(path) {
        None => Some((path.clone(), ChangeKind::Created)),
        Some(old) if old != stamp => Some((path.clone(), ChangeKind::Modified)),
        Some(_) => None,
    });
    let mut all: Vec<_> = gone.chain(there).collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// What the server is told of us: little, so that it does little.
fn greeting(root: &Path, options: Value) -> Value {
    let uri = uri::of(root);
    json!({
        "processId": null,
        "clientInfo": {"name": "ox"},
        "rootPath": root,
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": "project"}],
        "initializationOptions": options,
        "capabilities": {
            "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
            // The same in the words of clangd before version 15.
            "offsetEncoding": ["utf-8", "utf-32", "utf-16"],
            "window": {"workDoneProgress": true},
            "experimental": {"serverStatusNotification": true},
            "workspace": {
                "configuration": true,
                "workspaceFolders": true,
                "didChangeConfiguration": {"dynamicRegistration": true},
                "didChangeWatchedFiles": {"dynamicRegistration": true},
                "symbol": {},
                "workspaceEdit": {"documentChanges": true},
            },
            "textDocument": {
                "synchronization": {},
                "publishDiagnostics": {"versionSupport": true},
                "diagnostic": {},
                "definition": {"linkSupport": true},
                "references": {},
                "rename": {},
                "hover": {"contentFormat": ["plaintext", "markdown"]},
            },
        },
    })
}
