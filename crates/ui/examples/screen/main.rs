//! Shows a canned session, to look at: `cargo run -p ox-ui --example screen -- [--zh] [--plain|--json|--repl|--play]`.
//!
//! Nothing is changed and nobody is asked anything but you; the agent is a script.

mod canned;

use std::sync::Arc;
use std::time::Duration;

use ox_client::{AgentSide, Client, Update, pair};
use ox_protocol::locale::Language;
use ox_protocol::*;
use ox_ui::*;

struct Alone;

impl Host for Alone {
    fn image(&self, _: &str) -> Option<Result<Image, Problem>> {
        None
    }

    fn files(&self, prefix: &str) -> Vec<String> {
        ["src/lib.rs", "src/parser.rs"].iter().filter(|it| it.starts_with(prefix)).map(|it| (*it).to_string()).collect()
    }

    fn sessions(&self) -> Vec<SessionLine> {
        let line = |id: &str, title: &str| SessionLine { id: id.into(), title: title.into(), last: Time(0) };
        vec![line("20261120-7f3k", "fix the failing test"), line("20261119-aaaa", "explain the parser")]
    }

    fn memory(&self, _: &ConversationId) -> Result<Recalled, Problem> {
        Ok(Recalled::default())
    }

    fn open(&self, which: Open) -> BoxFuture<'_, Result<Opened, Problem>> {
        Box::pin(async move {
            let past = if which == Open::New { Vec::new() } else { frames() };
            Ok(Opened { client: agent(), past })
        })
    }
}

/// What is stored of the story.
fn frames() -> Vec<Frame> {
    let stored = |step: canned::Step| match step.update {
        Update::Frame(frame) => Some(frame),
        Update::Delta(_) => None,
    };
    canned::session().steps.into_iter().filter_map(stored).collect()
}

/// A session whose agent tells the canned story for every prompt.
fn agent() -> Client {
    let (client, mut agent) = pair();
    tokio::spawn(async move {
        while let Some(command) = agent.commands.recv().await {
            match command {
                Command::Prompt { .. } | Command::Continue if !tell(&mut agent).await => return,
                Command::SetMode { mode } => send(&agent, Event::ModeSet { mode }),
                Command::SetModel { model } => send(&agent, Event::ModelSet { model }),
                Command::Close => return,
                _ => {}
            }
        }
    });
    client
}

fn send(agent: &AgentSide, event: Event) {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    agent.frame(Frame { v: VERSION, seq: Seq(0), time: Time(since.as_millis() as u64), event });
}

/// Tells the story; the scripted answers are replaced by the user's. False when the user left.
async fn tell(agent: &mut AgentSide) -> bool {
    let mut skipped = None;
    for step in canned::session().steps {
        let update = step.update;
        if let Update::Frame(Frame { event: Event::Approval { .. }, .. }) = &update {
            continue;
        }
        let call = match &update {
            Update::Frame(Frame {
                event: Event::ToolStart { call, .. } | Event::ToolComplete { call, .. }, ..
            }) => Some(call.clone()),
            _ => None,
        };
        if call.is_some() && call == skipped {
            continue;
        }
        let pause = tokio::time::sleep(Duration::from_millis(step.pause_ms));
        tokio::pin!(pause);
        loop {
            tokio::select! {
                () = &mut pause => break,
                command = agent.commands.recv() => match command {
                    Some(Command::Prompt { text, images, .. }) => send(agent, Event::Queued { text, images }),
                    Some(Command::Interrupt) => {
                        send(agent, Event::Interrupted);
                        send(agent, Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
                        return true;
                    }
                    Some(Command::Close) | None => return false,
                    Some(_) => {}
                },
            }
        }
        match update {
            Update::Delta(delta) => {
                agent.delta(delta);
            }
            Update::Frame(frame) => {
                let asked = match &frame.event {
                    Event::ApprovalRequest { call, .. } => Some(call.clone()),
                    _ => None,
                };
                send(agent, frame.event);
                if let Some(call) = asked {
                    match answer(agent, &call).await {
                        Some(true) => {}
                        Some(false) => skipped = Some(call),
                        None => return false,
                    }
                }
            }
        }
    }
    true
}

/// Waits for the user's decision and repeats it. None when they left.
async fn answer(agent: &mut AgentSide, call: &CallId) -> Option<bool> {
    loop {
        match agent.commands.recv().await? {
            Command::Decide { decision, .. } => {
                let allowed = !matches!(decision, Decision::Deny { .. });
                send(agent, Event::Approval { call: call.clone(), decision, by: "user".to_string() });
                return Some(allowed);
            }
            Command::Close | Command::Interrupt => {
                send(agent, Event::Completion { stop: Stop::Interrupted, exit_code: 130 });
                return None;
            }
            Command::Prompt { text, images, .. } => send(agent, Event::Queued { text, images }),
            _ => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), UiError> {
    let flag = |name: &str| std::env::args().any(|it| it == name);
    let language = if flag("--zh") { Language::Zh } else { Language::En };
    let theme = if flag("--light") { "light" } else { "auto" };
    let mut options = TerminalOptions::detect(language, theme);
    options.version = env!("CARGO_PKG_VERSION").to_string();
    let mut client = agent();
    if flag("--play") {
        return play(&frames(), 2.0, &options).await;
    }
    if flag("--repl") {
        let start = Start { mode: Mode::Build, model: "demo/recorded".to_string() };
        return repl(Opened { client, past: Vec::new() }, start, &options, Arc::new(Alone)).await;
    }
    client.prompt("fix the failing test");
    let stop = if flag("--plain") {
        run_plain(&mut client, PlainOptions::detect(language, theme, flag("--quiet"))).await?
    } else if flag("--json") {
        run_json(&mut client).await?
    } else {
        run_terminal(&mut client, &options, Arc::new(Alone)).await?
    };
    std::process::exit(stop.map_or(1, |it| i32::from(it.exit_code())));
}
