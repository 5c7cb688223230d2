//! A server behind a login: its own authorization server on this machine, which holds the client to what the protocol asks.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ox_mcp::{Error, Launcher, Login, McpServers, ServerConfig, Tokens};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::Test;
use crate::place::{launcher, short};

const fn test(name: &'static str, run: fn()) -> Test {
    Test { name, needs: "sh", run }
}

pub const TESTS: &[Test] = &[
    test("login: in the browser, kept, renewed and forgotten", login),
    test("login: an answer that belongs to no login is refused", forged),
    test("login: what one server gave is sent to no other", moved),
];

/// What the server knows.
#[derive(Default)]
struct State {
    base: String,
    challenge: String,
    /// How many tokens were given; the last one counts.
    tokens: usize,
    /// The tokens that it was sent.
    seen: Vec<String>,
}

type Shared = Arc<Mutex<State>>;

/// A project with one server, which is behind a login.
pub struct Locked {
    _dir: tempfile::TempDir,
    runtime: tokio::runtime::Runtime,
    pub launcher: Launcher,
    url: String,
    state: Shared,
}

#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, String>>);

impl Tokens for Memory {
    fn load(&self, server: &str) -> Result<Option<String>, String> {
        Ok(self.0.lock().unwrap().get(server).cloned())
    }

    fn keep(&self, server: &str, text: &str) -> Result<(), String> {
        self.0.lock().unwrap().insert(server.into(), text.into());
        Ok(())
    }

    fn forget(&self, server: &str) -> Result<bool, String> {
        Ok(self.0.lock().unwrap().remove(server).is_some())
    }
}

impl Locked {
    fn new() -> Locked {
        let mut place = Locked::at("");
        place.state = place.runtime.block_on(serve());
        place.url = format!("{}/mcp", place.state.lock().unwrap().base);
        place
    }

    /// With a server of somebody else.
    pub fn at(url: &str) -> Locked {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("project")).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let launcher = Launcher { tokens: Arc::new(Memory::default()), ..launcher(dir.path(), short()) };
        Locked { _dir: dir, runtime, launcher, url: url.to_owned(), state: Shared::default() }
    }

    pub fn config(&self) -> ServerConfig {
        ox_mcp::parse(&json!({"mcpServers": {"far": {"url": self.url}}}).to_string()).unwrap().usable.remove(0)
    }

    pub fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    fn call(&self) -> Result<String, Error> {
        let servers = McpServers::new(vec![self.config()], &self.launcher);
        let args = Map::from_iter([("text".to_owned(), json!("hello"))]);
        self.runtime.block_on(servers.call("far", "echo", args)).map(|it| it.text)
    }

    /// Logs in as a browser does; `alter` sees the address at which the browser comes back.
    pub fn log_in(&self, alter: impl Fn(String) -> String) -> Result<(), String> {
        self.runtime.block_on(async {
            let login = Login::begin(&self.config(), &self.launcher).await?;
            let browser = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
            let browser = browser.build().unwrap();
            let agreed = browser.get(login.page()).send().await.unwrap();
            assert_eq!(agreed.status(), StatusCode::FOUND);
            let back = alter(agreed.headers()[header::LOCATION].to_str().unwrap().to_owned());
            let icon = back.split("/callback").next().unwrap().to_owned() + "/favicon.ico";
            let visit = tokio::spawn(async move {
                assert_eq!(browser.get(icon).send().await.unwrap().status(), StatusCode::NOT_FOUND);
                assert!(browser.get(back).send().await.unwrap().text().await.unwrap().contains("close this page"));
            });
            let done = login.finish().await;
            visit.await.unwrap();
            done
        })
    }
}

async fn serve() -> Shared {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let state = Shared::new(Mutex::new(State { base, ..State::default() }));
    let own = state.clone();
    let app = axum::Router::new().fallback(move |request| answer(own.clone(), request));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    state
}

fn reply(status: u16, value: &Value) -> Response {
    let builder = Response::builder().status(status).header(header::CONTENT_TYPE, "application/json");
    builder.body(Body::from(value.to_string())).unwrap()
}

/// The fields of a query or of a form.
fn fields(text: &str) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

async fn answer(state: Shared, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
    let query = fields(head.uri.query().unwrap_or_default());
    let mut state = state.lock().unwrap();
    let base = state.base.clone();
    match head.uri.path() {
        "/.well-known/oauth-protected-resource/mcp" => {
            reply(200, &json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}))
        }
        "/.well-known/oauth-authorization-server" => {
            let [authorize, token, register] = ["authorize", "token", "register"].map(|it| format!("{base}/{it}"));
            reply(
                200,
                &json!({"issuer": base, "authorization_endpoint": authorize, "token_endpoint": token,
                    "registration_endpoint": register, "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"]}),
            )
        }
        "/register" => {
            let asked: Value = serde_json::from_str(&body).unwrap();
            assert_eq!(asked["client_name"], "Ox");
            reply(201, &json!({"client_id": "client", "redirect_uris": asked["redirect_uris"]}))
        }
        "/authorize" => {
            assert_eq!((query["client_id"].as_str(), query["code_challenge_method"].as_str()), ("client", "S256"));
            state.challenge = query["code_challenge"].clone();
            let back = format!("{}?code=code&state={}", query["redirect_uri"], query["state"]);
            assert!(back.starts_with("http://127.0.0.1:"), "{back}");
            Response::builder().status(302).header(header::LOCATION, back).body(Body::empty()).unwrap()
        }
        "/token" => token(&mut state, &fields(&body)),
        "/mcp" => {
            let sent = head.headers.get(header::AUTHORIZATION).map(|it| it.to_str().unwrap().to_owned());
            state.seen.extend(sent.clone());
            if state.tokens == 0 || sent != Some(format!("Bearer token-{}", state.tokens)) {
                let place = format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
                let builder = Response::builder().status(401).header(header::WWW_AUTHENTICATE, place);
                return builder.body(Body::empty()).unwrap();
            }
            speak(&serde_json::from_str(&body).unwrap_or_default())
        }
        _ => reply(404, &json!({})),
    }
}

/// The first token is old at once, so that the next use renews it.
fn token(state: &mut State, form: &BTreeMap<String, String>) -> Response {
    let lasts = match form["grant_type"].as_str() {
        "authorization_code" => {
            assert_eq!(form["code"], "code");
            assert_eq!(URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"])), state.challenge);
            0
        }
        "refresh_token" => {
            assert_eq!(form["refresh_token"], format!("refresh-{}", state.tokens));
            3600
        }
        other => panic!("{other}"),
    };
    state.tokens += 1;
    let (access, refresh) = (format!("token-{}", state.tokens), format!("refresh-{}", state.tokens));
    reply(200, &json!({"access_token": access, "refresh_token": refresh, "token_type": "Bearer", "expires_in": lasts}))
}

/// The protocol itself, as little of it as a call needs.
fn speak(message: &Value) -> Response {
    let result = match message["method"].as_str() {
        None => return reply(405, &json!({})),
        Some("initialize") => json!({"protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}}, "serverInfo": {"name": "far", "version": "1"}}),
        Some("tools/call") => json!({"content": [{"type": "text", "text": message["params"]["arguments"]["text"]}]}),
        Some(_) if message.get("id").is_none() => return reply(202, &json!({})),
        Some(_) => {
            let error = json!({"code": -32601, "message": "Method not found"});
            return reply(200, &json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
    };
    reply(200, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

fn login() {
    let place = Locked::new();
    let refused = place.call().unwrap_err();
    assert_eq!(refused, Error::Login { server: "far".into() });
    assert!(refused.to_string().contains("ox mcp login far"));
    place.log_in(|it| it).unwrap();
    assert_eq!(place.call().unwrap(), "hello");
    assert_eq!(place.state.lock().unwrap().tokens, 2, "the old token was renewed");
    // What was renewed is kept too: nothing is asked for again.
    assert_eq!(place.call().unwrap(), "hello");
    assert_eq!(place.state.lock().unwrap().tokens, 2);
    assert!(place.launcher.tokens.forget("far").unwrap());
    assert_eq!(place.call().unwrap_err(), refused);
}

fn forged() {
    let place = Locked::new();
    let other = |it: String| format!("{}&state=other", it.split("&state=").next().unwrap());
    assert!(place.log_in(other).is_err());
    assert_eq!(place.launcher.tokens.load("far").unwrap(), None);
    assert_eq!(place.state.lock().unwrap().tokens, 0);
}

fn moved() {
    let (place, other) = (Locked::new(), Locked::new());
    place.log_in(|it| it).unwrap();
    let kept = place.launcher.tokens.load("far").unwrap().unwrap();
    other.launcher.tokens.keep("far", &kept).unwrap();
    assert!(matches!(other.call(), Err(Error::Login { .. })));
    assert_eq!(other.state.lock().unwrap().seen, [""; 0]);
}
