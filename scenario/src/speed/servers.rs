//! The servers that a scenario declares beside the model's: pages of the web, a search service, documentation, a model that
//! draws, a git host, MCP servers. All of them are on this machine, and each refuses what is not asked to the letter.
//!
//! A tool speaks to them as it does to any other; only pages come through a proxy, since no tool fetches one from here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_githost::{Host, HostKind, NewPullRequest, Remote};
use ox_model::search::WebSearch;
use ox_protocol::{BoxFuture, Exit, Job, Live, Problem, Rights, RunError, Runner, Running};
use ox_sandbox::Plain;
use ox_tools::{DocumentSources, OpenPullRequest, SandboxPolicy, ToolEnv};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::error::ScenarioError;
use crate::knobs::{Declared, Knobs};
use crate::scribe::Scribe;
use crate::text::Doc;
use crate::wire::KEY;
use crate::wire::images::{Drawn, Images, painter};
use crate::wire::server::{Answer, Asked, Serving, serve};

/// Time for a command or a server of a scenario.
const LONGEST: std::time::Duration = std::time::Duration::from_secs(60);

/// The servers of a scenario, which end with it.
pub(super) struct Servers {
    declared: Declared,
    /// True where there is a server that is one only in a sandbox.
    walled: bool,
    web: Option<Serving>,
    images: Option<Images>,
    host: Option<Serving>,
}

impl Servers {
    /// Starts what the scenario declares.
    pub(super) async fn start(doc: &Doc, knobs: &Knobs) -> Result<Servers, ScenarioError> {
        let served: BTreeMap<String, Vec<u8>> = doc
            .sections
            .iter()
            .filter_map(|it| Some((it.name.strip_prefix("served/")?.to_string(), it)))
            .map(|(path, section)| Ok((path, section.bytes().map_err(ScenarioError::Syntax)?)))
            .collect::<Result<_, ScenarioError>>()?;
        let declared = knobs.servers.clone();
        let web = match served.is_empty() {
            true => None,
            false => Some(serve(move |asked| page(&served, &asked)).await?),
        };
        let images = match declared.image_model {
            true => Some(Images::new(vec![Drawn::Base64]).await?),
            false => None,
        };
        let host = match declared.git_host {
            true => Some(serve(|asked| github(&asked)).await?),
            false => None,
        };
        let walled = !declared.mcp.is_empty() || !knobs.needs.is_empty();
        Ok(Servers { declared, walled, web, images, host })
    }

    /// Has what differs from run to run written alike.
    pub(super) fn hide(&self, scribe: &mut Scribe) {
        for serving in [&self.web, &self.host].into_iter().flatten() {
            scribe.hide(serving.url.trim_start_matches("http://127.0.0.1"), ":PORT");
        }
    }

    /// What tools use, with these servers in it.
    pub(super) fn tool_env(&self, root: &Path, folder: &Path) -> Result<ToolEnv, ScenarioError> {
        let runner: Arc<dyn Runner> = if self.walled { Arc::new(Walled) } else { Arc::new(Plain) };
        let mut env = ToolEnv::new(runner.clone());
        env.mcp = mcp(&self.declared.mcp, root, folder, runner)?;
        if let Some(web) = &self.web {
            let address = |path: &str| format!("{}/{path}", web.url);
            let documents = self.declared.documents.iter().map(|it| (it.clone(), address(it))).collect();
            let search = WebSearch::of(Some("searxng"), Some(&address("search")), None, None);
            env.sandbox_policy = Arc::new(SandboxPolicy {
                sources: Arc::new(DocumentSources::new(Some(folder.join("documents")), Vec::new(), documents)),
                search: search.filter(|_| self.declared.search),
                proxy: Some(web.url.clone()),
                ..SandboxPolicy::default()
            });
        }
        if let Some(images) = &self.images {
            let url = images.base_url.clone();
            env.paint = Some(Arc::new(move || painter(&url, "gpt-image-2")));
        }
        env.open_pull_request = self.host.as_ref().map(|it| opens(root.to_owned(), it.url.clone()));
        Ok(env)
    }
}

/// Answers with a file of the scenario: a page by host and path, which comes through the proxy, a service by its path.
fn page(served: &BTreeMap<String, Vec<u8>>, asked: &Asked) -> Answer {
    let wrong = |why: &str| Answer::json(400, &json!({"error": why}));
    let mut words = asked.line.split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let proxied = path.strip_prefix("http://");
    let path = proxied.unwrap_or(path).trim_start_matches('/');
    let body: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
    match method {
        "GET" if proxied.is_some() && !asked.header("authorization").is_empty() => return wrong("a key was sent"),
        "GET" if proxied.is_none() && !(query.contains("q=") && query.contains("format=json")) => {
            return wrong("a search has a query and asks for JSON");
        }
        "POST" if body["query"].as_str().is_none() || body["limit"].as_u64().is_none() => {
            return wrong("a question to documents has a query and a limit");
        }
        "GET" | "POST" => {}
        _ => return wrong("no such method"),
    }
    let kind = match path.rsplit('.').next() {
        Some("html") => "text/html",
        Some("txt" | "md") => "text/plain",
        _ => "application/json",
    };
    served.get(path).map_or_else(|| wrong("no such page"), |bytes| Answer::new(200, kind, vec![bytes.clone()]))
}

/// GitHub's side of a pull request for `octo/hello`.
fn github(asked: &Asked) -> Answer {
    let line = asked.line.split(" HTTP/").next().unwrap_or_default();
    if asked.header("authorization") != format!("Bearer {KEY}") {
        return Answer::json(401, &json!({"message": "Bad credentials"}));
    }
    match line {
        "GET /repos/octo/hello" => Answer::json(200, &json!({"default_branch": "main"})),
        _ if line.starts_with("GET /repos/octo/hello/pulls?") => Answer::json(200, &json!([])),
        "POST /repos/octo/hello/pulls" => {
            let new: Value = serde_json::from_slice(&asked.body).unwrap_or_default();
            let text = |name: &str| new[name].as_str().unwrap_or_default().to_string();
            if new["draft"].as_bool().is_none()
                || ["title", "body", "head", "base"].iter().any(|it| text(it).is_empty())
            {
                return Answer::json(422, &json!({"message": "Validation Failed"}));
            }
            let url = format!(
                "https://github.com/octo/hello/pull/7 ({} into {}: {})",
                text("head"),
                text("base"),
                text("title")
            );
            let branch = |name: &str| json!({"ref": text(name), "sha": "6dcb09b5"});
            Answer::json(
                201,
                &json!({
                    "number": 7, "html_url": url, "title": text("title"), "body": text("body"), "state": "open",
                    "user": {"login": "octo"}, "draft": new["draft"], "head": branch("head"), "base": branch("base"),
                }),
            )
        }
        _ => Answer::json(404, &json!({"message": "Not Found"})),
    }
}

/// Pushes to `origin` for real, and opens a pull request at the host.
fn opens(root: PathBuf, api: String) -> OpenPullRequest {
    let handle = Handle::current();
    Arc::new(move |new: NewPullRequest| {
        let failed = |why: &dyn std::fmt::Display| Problem::new("githost.push").with("why", why);
        let mut push = std::process::Command::new("git");
        let pushed = push.args(["push", "--quiet", "origin", &new.head]).current_dir(&root).output();
        let pushed = pushed.map_err(|it| failed(&it))?;
        if !pushed.status.success() {
            return Err(failed(&String::from_utf8_lossy(&pushed.stderr)));
        }
        let remote = Remote::parse("https://github.com/octo/hello.git").ok_or_else(|| failed(&"no remote"))?;
        let api = api.parse().map_err(|it| failed(&it))?;
        let host = Host { kind: HostKind::GitHub, name: remote.host.clone(), api };
        let client =
            ox_githost::Client::new(&|it| ox_model::with_roots(it.no_proxy(), false), host, &remote, Some(KEY));
        let client = client.map_err(|it| it.problem())?;
        let base = handle.block_on(client.default_branch()).map_err(|it| it.problem())?;
        let opened = handle.block_on(client.open(&NewPullRequest { base, ..new })).map_err(|it| it.problem())?;
        Ok(opened.0.url)
    })
}

fn mcp(
    declared: &[(String, String)],
    root: &Path,
    folder: &Path,
    runner: Arc<dyn Runner>,
) -> Result<ox_mcp::McpServers, ScenarioError> {
    let entries: serde_json::Map<String, Value> = declared
        .iter()
        .map(|(name, command)| (name.clone(), json!({"command": "sh", "args": ["-c", format!("exec {command}")]})))
        .collect();
    let servers = ox_mcp::parse(&json!({"mcpServers": entries}).to_string()).map_err(ScenarioError::Syntax)?;
    let rights = Rights::command(root.to_owned(), LONGEST);
    let launcher = ox_mcp::Launcher {
        root: root.to_owned(),
        runner,
        rights: Arc::new(move || rights.clone()),
        policy: String::new(),
        cache: folder.join("mcp"),
        http: Arc::new(|_, _| Err("no server of a scenario is elsewhere".to_owned())),
        tokens: Arc::new(ox_mcp::NoTokens),
        limits: ox_mcp::Limits::default(),
    };
    Ok(ox_mcp::McpServers::new(servers.usable, &launcher))
}

/// The plain runner under the name of a sandbox, for servers that are not started without one: what they are here, the
/// scenario brings itself.
struct Walled;

impl Runner for Walled {
    fn isolated(&self) -> bool {
        true
    }

    fn start<'a>(&'a self, job: Job) -> BoxFuture<'a, Result<Arc<dyn Running>, RunError>> {
        Plain.start(job)
    }

    fn run<'a>(&'a self, job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>> {
        Plain.run(job, live)
    }
}
