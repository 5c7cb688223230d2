//! Our models against LiteLLM's proxy, which speaks all four formats to its clients.
//!
//! What its own mocks can say is asked of them: text where it streams (chat completions, Gemini) or comes whole (Messages),
//! and errors. What they cannot: `mock_tool_calls`, reasoning and cached tokens never reach a stream; Messages never stream;
//! Responses have no streamed mock at all (the proxy answers it with an internal error); Gemini's usage is zero. For these
//! the proxy is given a model behind it, our own server of chat completions, whose streams it translates into each format:
//! calls, results, reasoning, usage and errors then pass through software of others in both directions. LiteLLM itself
//! loses reasoning and usage on its way to Gemini; what it does not send is not expected.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use ox_model::scripted::parse_script;
use ox_model::wire::{Anthropic, Gemini, OpenAiChat, OpenAiResponses, WireModel};
use ox_model::{Model, Piece, Reply, Request};
use ox_protocol::{CallId, Failure, FailureKind, Finish, Message, ModelFacts, Part, Role, Tokens, ToolSpec};
use ox_scenario::wire::{self, KEY};
use serde_json::json;

use crate::{TALK, python};

/// How long the proxy may take to start; it imports a lot, and compiles it the first time.
const START: Duration = Duration::from_secs(180);
/// The key of the proxy.
const PROXY_KEY: &str = "sk-proxy-0123456789";

/// What the model behind the proxy says to each format after the talk.
const ENDS: &str = "\
-- model: fail 429 slow down --
-- model: fail 500 broken --
-- model: fail context_too_long too long --
-- model: cut --
Half of it
";

/// Models whose answers the proxy makes up, and the one behind it.
const MODELS: &[(&str, &str)] = &[
    ("text", r#""mock_response": "Hello from the proxy, 你好.""#),
    ("limited", r#""mock_response": "litellm.RateLimitError""#),
    ("long", r#""mock_response": "litellm.ContextWindowExceededError""#),
    ("broken", r#""mock_response": "litellm.InternalServerError""#),
];

pub fn run() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let behind = wire::behind(parse_script(&[TALK, ENDS].concat().repeat(FORMATS.len()))).await.unwrap();
        let proxy = Proxy::start(&behind.base_url);
        for format in FORMATS {
            mocked(&proxy, *format).await;
            reported(&proxy, *format).await;
        }
        assert_eq!(behind.left(), 0);
    });
}

/// A format in which the proxy is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Chat,
    Responses,
    Messages,
    Gemini,
}

const FORMATS: &[Format] = &[Format::Chat, Format::Responses, Format::Messages, Format::Gemini];

impl Format {
    fn model(self, proxy: &Proxy, name: &str) -> Box<dyn Model> {
        let (facts, key) = (ModelFacts::default(), Some(PROXY_KEY.to_string()));
        let url = format!("{}/v1", proxy.url);
        match self {
            Format::Chat => Box::new(WireModel::new(OpenAiChat::default(), facts, name, &url, key)),
            Format::Responses => Box::new(WireModel::new(OpenAiResponses::default(), facts, name, &url, key)),
            Format::Messages => Box::new(WireModel::new(Anthropic::default(), facts, name, &proxy.url, key)),
            Format::Gemini => Box::new(WireModel::new(Gemini::default(), facts, name, &proxy.url, key)),
        }
    }
}

/// What the proxy's own mocks say.
async fn mocked(proxy: &Proxy, format: Format) {
    if format == Format::Responses {
        return;
    }
    let reply = ask(&*format.model(proxy, "text"), &request()).await;
    let reply = reply.unwrap_or_else(|failure| panic!("{format:?}: {failure:?}\n{}", proxy.log()));
    assert_eq!((reply.text.as_str(), &reply.finish), ("Hello from the proxy, 你好.", &Finish::Stop), "{format:?}");
    if format != Format::Gemini {
        assert!(reply.usage.is_some_and(|it| it.input > Tokens(0) && it.output > Tokens(0)), "{format:?}: {reply:?}");
    }
    for (name, kind) in
        [("limited", FailureKind::RateLimited), ("long", FailureKind::ContextTooLong), ("broken", FailureKind::Server)]
    {
        let failure = ask(&*format.model(proxy, name), &request()).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{format:?}: {failure:?}");
        assert!(failure.message.to_lowercase().contains("mock"), "{format:?}: {failure:?}");
    }
}

/// What the model behind the proxy says.
async fn reported(proxy: &Proxy, format: Format) {
    let model = format.model(proxy, "behind");
    let mut request = request();
    let reply = ask(&*model, &request).await;
    let first = reply.unwrap_or_else(|failure| panic!("{format:?}: {failure:?}\n{}", proxy.log()));
    assert_eq!((first.text.as_str(), &first.finish), ("I will look. 你好", &Finish::Calls), "{format:?}");
    let calls: Vec<(&str, serde_json::Value)> =
        first.calls.iter().map(|it| (it.name.as_str(), serde_json::from_str(&it.args).unwrap())).collect();
    assert_eq!(calls, [("read_file", json!({"path": "a.rs"})), ("run_checks", json!({}))], "{format:?}");
    if format != Format::Gemini {
        let thoughts: String = first.reasoning.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(thoughts, "First I look.", "{format:?}");
        let usage = first.usage.unwrap();
        let counts = (usage.input, usage.cache_read, usage.output);
        assert_eq!(counts, (Tokens(1000), Tokens(900), Tokens(20)), "{format:?}");
    }
    answer(&mut request, &first);
    let second = ask(&*model, &request).await;
    let second = second.unwrap_or_else(|failure| panic!("{format:?}: {failure:?}\n{}", proxy.log()));
    assert_eq!((second.text.as_str(), second.finish), ("Done.", Finish::Stop), "{format:?}");
    let third = ask(&*model, &request).await.unwrap();
    assert_eq!((third.text.as_str(), third.finish), ("Half of", Finish::Length), "{format:?}");
    for kind in [FailureKind::RateLimited, FailureKind::Server, FailureKind::ContextTooLong] {
        let failure = ask(&*model, &request).await.unwrap_err();
        assert_eq!(failure.kind, kind, "{format:?}: {failure:?}");
    }
    let cut = ask(&*model, &request).await.unwrap_err();
    assert!("Half of it".starts_with(&cut.partial), "{format:?}: {cut:?}");
    assert!(matches!(cut.kind, FailureKind::Cut | FailureKind::Server), "{format:?}: {cut:?}");
}

fn request() -> Request {
    let tool = |name: &str, schema| ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        schema,
        edit_block: false,
    };
    let path = json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]});
    Request {
        system: "You are Ox.".into(),
        tools: vec![
            tool("read_file", path),
            tool("run_checks", json!({"type": "object", "properties": {}, "required": []})),
        ],
        messages: vec![Message::text(Role::User, "Fix it.").into()],
        max_output: Tokens(1000),
        ..Request::default()
    }
}

/// Adds the reply and the results of its calls.
fn answer(request: &mut Request, reply: &Reply) {
    let mut parts: Vec<Part> = reply.reasoning.iter().map(|it| Part::Reasoning { reasoning: it.clone() }).collect();
    parts.push(Part::text(&reply.text));
    let mut results = Vec::new();
    for (at, call) in reply.calls.iter().enumerate() {
        let (id, name) = (CallId(format!("call_1_{at}")), call.name.clone());
        parts.push(Part::Call { id: id.clone(), name: name.clone(), args: serde_json::from_str(&call.args).unwrap() });
        results.push(Part::Result { id, name, ok: true, text: "seen".into(), images: vec![] });
    }
    request.messages.push(Message { role: Role::Assistant, parts }.into());
    request.messages.push(Message { role: Role::Tool, parts: results }.into());
}

/// Asks once; what is shown is what is answered.
async fn ask(model: &dyn Model, request: &Request) -> Result<Reply, Failure> {
    let shown = Mutex::new(String::new());
    let show = |piece: Piece<'_>| {
        if let Piece::Text(text) = piece {
            shown.lock().unwrap().push_str(text);
        }
    };
    let done = model.ask(request, &show).await;
    let text = done.as_ref().map_or_else(|it| it.partial.clone(), |it| it.text.clone());
    assert_eq!(*shown.lock().unwrap(), text);
    done
}

/// A running proxy.
struct Proxy {
    url: String,
    child: Child,
    /// The last lines that it said.
    said: Arc<Mutex<VecDeque<String>>>,
    _folder: tempfile::TempDir,
}

impl Proxy {
    /// Starts the proxy on a free port, with `behind` as the model `behind`, and returns when it listens.
    fn start(behind: &str) -> Proxy {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.yaml");
        std::fs::write(&config, configuration(behind)).unwrap();
        let program = python::interpreter().with_file_name("litellm");
        let mut child = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", "0", "--config"])
            .arg(&config)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            // Nothing is fetched: not the prices, not a page.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("NO_DOCS", "True")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = Arc::new(Mutex::new(VecDeque::new()));
        let (sender, listens) = mpsc::channel();
        let (stderr, kept) = (child.stderr.take().unwrap(), said.clone());
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("Uvicorn running on ") {
                    let _ = sender.send(rest.split(' ').next().unwrap_or_default().to_string());
                }
                let mut kept = kept.lock().unwrap();
                kept.push_back(line);
                if kept.len() > 60 {
                    kept.pop_front();
                }
            }
        });
        let url = listens.recv_timeout(START);
        let proxy = Proxy { url: url.clone().unwrap_or_default(), child, said, _folder: folder };
        assert!(url.is_ok(), "the proxy did not start:\n{}", proxy.log());
        proxy
    }

    fn log(&self) -> String {
        self.said.lock().unwrap().iter().map(|it| format!("{it}\n")).collect()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The proxy's configuration; JSON is YAML too.
fn configuration(behind: &str) -> String {
    let mut models: Vec<String> = MODELS
        .iter()
        .map(|(name, says)| {
            format!(
                r#"{{"model_name": "{name}", "litellm_params": {{"model": "openai/mock", "api_key": "none", {says}}}}}"#
            )
        })
        .collect();
    models.push(format!(
        r#"{{"model_name": "behind", "litellm_params": {{"model": "hosted_vllm/{}", "api_base": "{behind}/v1", "api_key": "{KEY}", "use_chat_completions_api": true, "max_retries": 0}}}}"#,
        wire::MODEL
    ));
    format!(
        r#"{{"model_list": [{}], "litellm_settings": {{"num_retries": 0, "drop_params": true}}, "router_settings": {{"num_retries": 0, "disable_cooldowns": true}}, "general_settings": {{"master_key": "{PROXY_KEY}"}}}}"#,
        models.join(", ")
    )
}
