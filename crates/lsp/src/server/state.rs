//! What a server says by itself, and what it is answered when it asks: its notifications folded into a state. Pure.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::jsonrpc::Incoming;
use crate::message::ServerDiagnostic;
use crate::uri;

/// Files whose problems are kept at most.
const FILES: usize = 2_000;
/// Things under way that are kept track of at most.
const UNDER_WAY: usize = 1_000;

/// What a server has said so far.
#[derive(Default)]
pub(crate) struct ServerState {
    root: PathBuf,
    settings: Value,
    /// A log line with this text says that the whole project was seen.
    sign: Option<&'static str>,
    /// What it said is wrong with files.
    pub published: BTreeMap<PathBuf, Published>,
    /// It gives the version of the text that it speaks of.
    pub versioned: bool,
    /// Of what it published.
    pub count: u64,
    /// It said that it has seen the whole project.
    pub ready: bool,
    /// What it announced and has not ended, by token, with how far it is.
    pub in_progress: BTreeMap<String, String>,
}

/// What is wrong with a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Published {
    /// Of the text, where the server says so.
    pub version: Option<i64>,
    /// When, in publications.
    pub number: u64,
    pub diagnostics: Vec<ServerDiagnostic>,
}

impl Incoming for ServerState {
    fn notification(&mut self, method: &str, params: &Value) {
        match method {
            "textDocument/publishDiagnostics" => self.publish(params),
            "$/progress" => self.progress(params),
            "experimental/serverStatus" => {
                self.ready = params["quiescent"].as_bool().unwrap_or(false);
            }
            "window/logMessage" => {
                let text = params["message"].as_str().unwrap_or_default();
                self.ready |= self.sign.is_some_and(|sign| text.contains(sign));
            }
            _ => {}
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Option<Value> {
        Some(match method {
            "workspace/configuration" => {
                let items = params["items"].as_array().map(Vec::as_slice).unwrap_or_default();
                items.iter().map(|it| self.setting(it["section"].as_str().unwrap_or_default())).collect()
            }
            "workspace/workspaceFolders" => json!([{"uri": uri::of(&self.root), "name": "project"}]),
            // Only the tool that renames changes files, and not in this way.
            "workspace/applyEdit" => json!({"applied": false, "failureReason": "files are only read here"}),
            "window/showDocument" => json!({"success": false}),
            "client/registerCapability"
            | "client/unregisterCapability"
            | "window/workDoneProgress/create"
            | "window/showMessageRequest" => Value::Null,
            method if method.starts_with("workspace/") && method.ends_with("/refresh") => Value::Null,
            _ => return None,
        })
    }

    fn cancellation(&self, id: i64) -> Option<(&'static str, Value)> {
        Some(("$/cancelRequest", json!({"id": id})))
    }
}

impl ServerState {
    /// Of a server in `root` that has these settings by section.
    pub(crate) fn new(root: &Path, settings: Value, sign: Option<&'static str>) -> ServerState {
        ServerState { root: root.to_path_buf(), settings, sign, ..ServerState::default() }
    }

    /// The settings by section; null where there are none.
    pub(crate) fn settings(&self) -> &Value {
        &self.settings
    }

    /// The settings of a section, `a.b` for one within another.
    fn setting(&self, section: &str) -> Value {
        let parts = section.split('.').filter(|it| !it.is_empty());
        parts.fold(&self.settings, |value, part| &value[part]).clone()
    }

    fn publish(&mut self, params: &Value) {
        let Some(path) = params["uri"].as_str().and_then(uri::path) else { return };
        self.count += 1;
        let version = params["version"].as_i64();
        self.versioned |= version.is_some();
        if self.published.len() >= FILES && !self.published.contains_key(&path) {
            return;
        }
        let published =
            Published { version, number: self.count, diagnostics: ServerDiagnostic::list(&params["diagnostics"]) };
        self.published.insert(path, published);
    }

    fn progress(&mut self, params: &Value) {
        let token = match &params["token"] {
            Value::String(token) => token.clone(),
            other => other.to_string(),
        };
        let value = &params["value"];
        match value["kind"].as_str() {
            Some("begin") if self.in_progress.len() < UNDER_WAY => {
                self.in_progress.insert(token, value["title"].as_str().unwrap_or_default().to_string());
            }
            Some("report") => {
                if let (Some(far), Some(percent)) = (self.in_progress.get_mut(&token), value["percentage"].as_u64()) {
                    let title = far.split(" (").next().unwrap_or_default().to_string();
                    *far = format!("{title} ({percent} %)");
                }
            }
            Some("end") => {
                self.in_progress.remove(&token);
            }
            _ => {}
        }
    }

    /// What is under way, in words.
    pub(crate) fn progress_words(&self) -> Option<String> {
        let first = self.in_progress.values().find(|it| !it.is_empty());
        first.or(self.in_progress.values().next()).map(|it| if it.is_empty() { "at work".into() } else { it.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_answered_and_nothing_is_granted() {
        let mut state = ServerState::new(Path::new("/p"), json!({"python": {"analysis": {"mode": 1}}}), None);
        let items = json!({"items": [{"section": "python"}, {"section": "python.analysis"}, {"section": "x"}, {}]});
        let all = json!([{"analysis": {"mode": 1}}, {"mode": 1}, null, {"python": {"analysis": {"mode": 1}}}]);
        assert_eq!(state.request("workspace/configuration", &items), Some(all));
        assert_eq!(state.request("workspace/applyEdit", &json!({})).unwrap()["applied"], false);
        assert_eq!(state.request("client/registerCapability", &json!({})), Some(Value::Null));
        assert_eq!(state.request("workspace/semanticTokens/refresh", &Value::Null), Some(Value::Null));
        assert_eq!(state.request("evil/run", &json!({})), None);
    }

    #[test]
    fn what_is_in_progress_is_followed_to_its_end() {
        let mut state = ServerState::default();
        let step = |state: &mut ServerState, token: Value, value: Value| {
            state.notification("$/progress", &json!({"token": token, "value": value}));
            state.progress_words()
        };
        let begin = json!({"kind": "begin", "title": "indexing"});
        assert_eq!(step(&mut state, json!("a"), begin).as_deref(), Some("indexing"));
        assert_eq!(step(&mut state, json!(7), json!({"kind": "begin"})).as_deref(), Some("indexing"));
        let report = json!({"kind": "report", "percentage": 40});
        assert_eq!(step(&mut state, json!("a"), report).as_deref(), Some("indexing (40 %)"));
        assert_eq!(step(&mut state, json!("a"), json!({"kind": "end"})).as_deref(), Some("at work"));
        assert_eq!(
            step(&mut state, json!("a"), json!({"kind": "report", "percentage": 99})).as_deref(),
            Some("at work")
        );
        assert_eq!(step(&mut state, json!(7), json!({"kind": "end"})), None);
    }
}
