//! Plays one way to do a task: every call really runs in a fresh copy of the project, and each request is counted as Ox counts it.

use std::sync::Arc;
use std::time::Instant;

use ox_model::tokens::Counter;
use ox_model::{RawCall, Reply, Request};
use ox_protocol::{ApprovalPolicy, CallId, Image, Message, Mode, Part, Role, Rules};
use ox_repo::Tree;
use ox_tools::{CallContext, ToolEnv, Toolbox};
use serde_json::Value;

use crate::cases::{Case, Round};
use crate::script::{self, Powers};

/// What one way cost, and what came of it.
pub struct Played {
    pub rounds: usize,
    pub input: u64,
    pub output: u64,
    /// Every token of the conversation once: what a provider with a perfect cache has to read anew, and what fills the window.
    pub once: u64,
    pub ms: u128,
    /// What the calls returned, in order.
    pub results: Vec<String>,
    /// The project's files afterwards.
    pub files: Vec<(String, String)>,
}

struct Play {
    counter: Counter,
    request: Request,
    cx: CallContext,
    toolbox: Arc<Toolbox>,
    rules: Rules,
    played: Played,
}

/// Plays these rounds, then the answer.
pub fn play(case: &Case, rounds: &[Round], counter: Counter, with_script: bool) -> Played {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (path, text) in &case.files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let toolbox = Arc::new(Toolbox::default());
    toolbox.add(crate::cases::tracker());
    let tree = Tree::open(folder.path(), &[]).expect("a project");
    let cx = CallContext::new(tree, Arc::new(ToolEnv::new(Arc::new(ox_sandbox::Plain))));
    let mut tools = toolbox.offered(Mode::Build, true, std::iter::empty());
    tools.extend(with_script.then(script::spec));
    let system = format!("{}\n\n{}", ox_context::system_prompt(), ox_context::mode_words(Mode::Build, true));
    let request =
        Request { system, tools, messages: vec![Arc::new(Message::text(Role::User, case.task))], ..Request::default() };
    let rules = Rules { approval: ApprovalPolicy::Auto, isolated: true, ..Rules::default() };
    let played = Played { rounds: 0, input: 0, output: 0, once: 0, ms: 0, results: Vec::new(), files: Vec::new() };
    let mut play = Play { counter, request, cx, toolbox, rules, played };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let began = Instant::now();
    rounds.iter().for_each(|round| play.round(&runtime, round));
    play.played.ms = began.elapsed().as_millis();
    play.ask(&Reply { text: case.expected.clone(), ..Reply::default() });
    let names = case.files.iter().map(|it| it.0.clone());
    play.played.files =
        names.map(|it| (it.clone(), std::fs::read_to_string(folder.path().join(&it)).unwrap_or_default())).collect();
    play.played
}

impl Play {
    /// Counts one request and its reply.
    fn ask(&mut self, reply: &Reply) {
        let usage = self.counter.usage(&self.request, reply);
        self.played.rounds += 1;
        self.played.input += usage.input.0;
        self.played.output += usage.output.0;
        self.played.once = usage.input.0 + usage.output.0;
    }

    fn round(&mut self, runtime: &tokio::runtime::Runtime, round: &Round) {
        let raw = |(name, args): &(&str, Value)| RawCall { name: (*name).to_owned(), args: args.to_string() };
        self.ask(&Reply { calls: round.iter().map(raw).collect(), ..Reply::default() });
        let (mut asked, mut results) = (Vec::new(), Vec::new());
        for (at, (name, args)) in round.iter().enumerate() {
            let id = CallId(format!("call_{}_{at}", self.played.rounds));
            let text = self.run(runtime, &id, name, args);
            self.played.results.push(text.clone());
            asked.push(Part::Call { id: id.clone(), name: (*name).to_owned(), args: args.clone() });
            results.push(Part::Result { id, name: (*name).to_owned(), ok: true, text, images: Vec::<Image>::new() });
        }
        self.request.messages.push(Arc::new(Message { role: Role::Assistant, parts: asked }));
        self.request.messages.push(Arc::new(Message { role: Role::Tool, parts: results }));
    }

    fn run(&self, runtime: &tokio::runtime::Runtime, id: &CallId, name: &str, args: &Value) -> String {
        if name == "run_script" {
            let powers = Powers {
                toolbox: self.toolbox.clone(),
                cx: self.cx.clone(),
                rules: self.rules.clone(),
                runtime: runtime.handle().clone(),
            };
            return script::run(powers, args["script"].as_str().unwrap_or_default())
                .unwrap_or_else(|it| panic!("{it}"));
        }
        let call = self.toolbox.read(&self.cx, id.clone(), name, &args.to_string());
        let ran = runtime.block_on(self.toolbox.run(&self.cx, &call));
        assert!(!ran.outcome.is_failure(), "{name}: {}", ran.outcome.output);
        ran.outcome.output
    }
}
