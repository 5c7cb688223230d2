//! One server with what it knows: the texts that are open there, kept as the tree has them at the moment of a question.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_protocol::ChangeKind;
use ox_repo::{Snapshot, Tree};
use serde_json::{Value, json};

use super::fault::Fault;
use super::heard::Published;
use super::link::{Folder, Link};
use super::position::Encoding;
use super::shapes::Problem;
use super::start::Limits;
use super::table::{Problems, Ready, Server};
use super::{table, uri};

/// Texts that are open at once, at most.
const OPEN: usize = 64;
/// Changed files that are opened; with more of them a server that would not learn of the rest starts anew.
const OPENED: usize = 32;
/// Changed files that a server is told of at once.
const TOLD: usize = 2_000;
/// Texts larger than this are not opened.
const LARGEST: usize = 4 << 20;

/// A server that has been greeted.
pub(super) struct Client {
    pub row: &'static Server,
    pub link: Link,
    pub root: PathBuf,
    /// What it counts within a line.
    pub encoding: Encoding,
    /// What it said that it can do.
    provides: Value,
    open: BTreeMap<String, Doc>,
    /// The tree as the server knows it.
    pub seen: Snapshot,
    /// Of the last text that was sent.
    version: i64,
    limits: Limits,
    /// The folder that it may write to; after the link, so that nobody is in it any more when it goes.
    _folder: Folder,
}

/// A text that is open.
struct Doc {
    uri: String,
    text: Arc<str>,
    version: i64,
    /// Publications when it was sent.
    sent: u64,
}

impl Client {
    /// Greets the server behind `link`.
    pub(super) async fn greet(
        row: &'static Server,
        link: Link,
        folder: Folder,
        tree: &Tree,
        options: Value,
        limits: Limits,
    ) -> Result<Client, Fault> {
        let root = tree.root().to_path_buf();
        let settings = link.heard(|it| it.settings().clone());
        let answer = link.ask("initialize", &greeting(&root, options), limits.start).await;
        let answer = answer.map_err(|fault| match (fault, complaint(&folder)) {
            (Fault::Ended(why), said) if !said.is_empty() => Fault::Ended(format!("{why}: {said}")),
            (fault, _) => fault,
        })?;
        let capabilities = answer["capabilities"].clone();
        let named = capabilities["positionEncoding"].as_str().or(answer["offsetEncoding"].as_str());
        let encoding = named.and_then(Encoding::named).unwrap_or_default();
        link.notify("initialized", &json!({}));
        if !settings.is_null() {
            link.notify("workspace/didChangeConfiguration", &json!({"settings": settings}));
        }
        let seen = snapshot(tree).await;
        let (open, version, provides) = (BTreeMap::new(), 0, capabilities);
        Ok(Client { row, link, root, encoding, provides, open, seen, version, limits, _folder: folder })
    }

    /// True when it says that it can do what `ability` names.
    pub(super) fn can(&self, ability: &str) -> bool {
        self.provides.get(ability).is_some_and(|it| !it.is_null() && *it != Value::Bool(false))
    }

    /// Brings the server up to date with the tree. False when so much changed that it is better started anew.
    pub(super) async fn catch_up(&mut self, tree: &Tree) -> bool {
        let now = snapshot(tree).await;
        let changes = self.seen.diff(&now);
        self.seen = now;
        let ours = |path: &str| table::of(path).is_some_and(|(row, _)| row.name == self.row.name);
        let (own, other): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(path, _)| ours(path));
        if own.is_empty() && other.is_empty() {
            return true;
        }
        if own.len() > if self.row.follows { TOLD } else { OPENED } {
            return false;
        }
        let events: Vec<Value> = own.iter().chain(other.iter().take(TOLD)).map(|it| self.event(it)).collect();
        self.link.notify("workspace/didChangeWatchedFiles", &json!({"changes": events}));
        let changed = |path: &str| own.iter().any(|(it, _)| it == path);
        // A text whose surroundings changed is looked at afresh: what was told of it before is not known to hold still.
        let afresh = self.row.problems == Problems::Published && !self.can("diagnosticProvider");
        let stale: Vec<String> =
            self.open.keys().filter(|it| afresh || (changed(it) && tree.read(it).is_err())).cloned().collect();
        stale.iter().for_each(|it| self.close(it));
        // Those that learn of it by being told do so when they get round to it; what is open they know at once.
        for (path, kind) in own.iter().take(OPENED) {
            let was_open = self.open.contains_key(path);
            // One that cannot be read is not known to the server either.
            if *kind != ChangeKind::Deleted && self.show(tree, path).is_ok() && !was_open {
                self.repeat(path);
            }
        }
        let rest: Vec<String> = self.open.keys().cloned().collect();
        for path in rest {
            if self.show(tree, &path).is_err() {
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
        json!({"uri": uri::of(&self.root.join(path)), "type": number})
    }

    /// Sees to it that the server has the text of `rel` as the tree has it now. Answers with the text.
    pub(super) fn show(&mut self, tree: &Tree, rel: &str) -> Result<Arc<str>, crate::ToolError> {
        let text = tree.read(rel)?.text;
        if text.len() > LARGEST {
            let words = format!("`{rel}` is too large for a language server ({} bytes); use search_code", text.len());
            return Err(crate::ToolError::Wrong(words));
        }
        Ok(self.put(rel, text.into()))
    }

    /// Sees to it that the server takes `text` for the text of `rel`.
    pub(super) fn put(&mut self, rel: &str, text: Arc<str>) -> Arc<str> {
        let sent = self.link.heard(|it| it.count);
        if let Some(doc) = self.open.get_mut(rel) {
            if doc.text != text {
                (doc.text, doc.sent) = (text.clone(), sent);
                self.repeat(rel);
            }
            return text;
        }
        self.make_room();
        self.version += 1;
        let uri = uri::of(&self.root.join(rel));
        let language = table::of(rel).map_or("plaintext", |it| it.1);
        let document = json!({"uri": uri, "languageId": language, "version": self.version, "text": &*text});
        self.link.notify("textDocument/didOpen", &json!({"textDocument": document}));
        self.open.insert(rel.to_string(), Doc { uri, text: text.clone(), version: self.version, sent });
        text
    }

    /// Sends the text of an open file as a change: a file that is merely opened is not looked for by those that use it.
    fn repeat(&mut self, rel: &str) {
        self.version += 1;
        let Some(doc) = self.open.get_mut(rel) else { return };
        doc.version = self.version;
        let document = json!({"uri": doc.uri, "version": doc.version});
        let params = json!({"textDocument": document, "contentChanges": [{"text": &*doc.text}]});
        self.link.notify("textDocument/didChange", &params);
    }

    fn make_room(&mut self) {
        while self.open.len() >= OPEN {
            let oldest = self.open.iter().min_by_key(|it| it.1.version).map(|it| it.0.clone());
            let Some(oldest) = oldest else { return };
            self.close(&oldest);
        }
    }

    fn close(&mut self, rel: &str) {
        if let Some(doc) = self.open.remove(rel) {
            self.link.notify("textDocument/didClose", &json!({"textDocument": {"uri": doc.uri}}));
        }
    }

    /// The text and version of `rel` as the server has it; none where it is not open.
    pub(super) fn has(&self, rel: &str) -> Option<(Arc<str>, i64)> {
        self.open.get(rel).map(|it| (it.text.clone(), it.version))
    }

    /// True when no text is open.
    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// Waits until the server has seen the whole project, within the limit. Otherwise words for how far it is.
    pub(super) async fn settled(&self) -> Result<Option<String>, Fault> {
        let (sign, first) = (self.row.ready, self.open.values().map(|it| it.sent).min().unwrap_or(0));
        let ready = move |it: &super::heard::Heard| match sign {
            Ready::Idle => it.under_way.is_empty(),
            Ready::Logs(_) | Ready::Status => it.ready,
            Ready::Published => it.count > first && it.under_way.is_empty(),
        };
        match self.link.until(self.limits.ready, ready).await? {
            true => Ok(None),
            false => Ok(Some(self.link.heard(|it| it.doing()).unwrap_or_else(|| "not ready".into()))),
        }
    }

    /// Asks about a place in `rel`, or with other parameters beside the document.
    pub(super) async fn ask(&self, method: &str, mut params: Value, rel: Option<&str>) -> Result<Value, Fault> {
        if let Some(rel) = rel {
            params["textDocument"] = json!({"uri": uri::of(&self.root.join(rel))});
        }
        self.link.ask(method, &params, self.limits.answer).await
    }

    /// What is wrong with `rel`, whose text the server has. None when it did not say so in time.
    pub(super) async fn problems(&self, rel: &str) -> Result<Option<Vec<Problem>>, Fault> {
        if self.row.problems == Problems::Pulled || self.can("diagnosticProvider") {
            let answer = self.ask("textDocument/diagnostic", json!({}), Some(rel)).await?;
            return Ok(answer["items"].is_array().then(|| Problem::list(&answer["items"])));
        }
        match self.row.problems {
            Problems::Tsserver => self.of_tsserver(rel).await.map(Some),
            Problems::Published | Problems::Pulled => self.published(rel).await,
        }
    }

    async fn of_tsserver(&self, rel: &str) -> Result<Vec<Problem>, Fault> {
        let mut all = Vec::new();
        for request in ["syntacticDiagnosticsSync", "semanticDiagnosticsSync"] {
            let arguments = json!([request, {"file": self.root.join(rel)}, {}]);
            let params = json!({"command": "typescript.tsserverRequest", "arguments": arguments});
            let answer = self.ask("workspace/executeCommand", params, None).await?;
            all.extend(Problem::of_tsserver(&answer["body"]));
        }
        Ok(all)
    }

    async fn published(&self, rel: &str) -> Result<Option<Vec<Problem>>, Fault> {
        let Some(doc) = self.open.get(rel) else { return Ok(None) };
        let (path, version, sent) = (self.root.join(rel), doc.version, doc.sent);
        let current = move |it: &super::heard::Heard| match it.published.get(&path) {
            Some(Published { version: Some(of), .. }) => *of >= version,
            Some(Published { version: None, number, .. }) => !it.versioned && *number > sent,
            None => false,
        };
        let path = self.root.join(rel);
        let told = self.link.until(self.limits.answer, current).await?;
        Ok(told.then(|| self.link.heard(|it| it.published[&path].problems.clone())))
    }

    /// Ends the server.
    pub(super) async fn end(self) {
        self.link.end(self.limits.quit).await;
    }
}

/// The first line that a server with this folder printed for people; empty where it printed none.
fn complaint(folder: &Folder) -> String {
    let bytes = std::fs::read(folder.0.join("errors")).unwrap_or_default();
    let text = crate::text::plain(&String::from_utf8_lossy(&bytes));
    let first = text.lines().map(str::trim).find(|it| !it.is_empty()).unwrap_or_default();
    first.chars().take(300).collect()
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

/// The tree as it is now, looked at on a thread for blocking work.
pub(super) async fn snapshot(tree: &Tree) -> Snapshot {
    let tree = tree.clone();
    tokio::task::spawn_blocking(move || tree.snapshot()).await.unwrap_or_default()
}
