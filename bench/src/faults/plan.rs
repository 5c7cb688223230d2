//! How a case is played: the answers of the server, and how Ox is started.

use ox_scenario::wire::server::{Answer, End};
use serde_json::{Value, json};

use super::body::{self, Said};
use super::case::{Case, base64};
use super::clock;

/// A way to play a case.
pub struct Plan {
    pub format: String,
    pub answers: Vec<Answer>,
    /// True where Ox may change files and run commands unasked.
    pub build: bool,
    /// True where stdout is what a person reads instead of events.
    pub plain: bool,
    pub reach: Reach,
    /// Seconds by which the wall clock jumps in the middle of the run.
    pub jump: Option<i64>,
    /// True where Ox is told not to wait for long.
    pub impatient: bool,
    /// A signal that is sent once something was shown.
    pub signal: Option<&'static str>,
    /// Files of the project beside the usual ones.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

/// Where Ox is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// To the server.
    Server,
    /// To a port where nobody listens.
    Nobody,
    /// To an address that never answers.
    Nowhere,
    /// To a name that does not resolve.
    NoName,
    /// To the server, as if it spoke TLS.
    NoTls,
}

/// Which tool arguments are meant for, by the first of these keys that they hold; the tool that reads a file otherwise. The
/// corpus names no tool for them.
const TOOLS: &[(&str, &str)] = &[
    ("command", "run_command"),
    ("old", "edit_file"),
    ("recursive", "list_files"),
    ("depth", "list_files"),
    ("limit", "list_files"),
    ("pattern", "search_code"),
    ("query", "search_code"),
    ("regex", "search_code"),
    ("path", "read_file"),
    ("content", "think"),
    ("text", "think"),
    ("thought", "think"),
];

/// How to play `case`; none where nobody has said how.
pub fn plan(case: &Case) -> Option<Plan> {
    let mut plan = Plan {
        format: case.format.clone(),
        answers: Vec::new(),
        build: false,
        plain: case.action() == "strip",
        reach: Reach::Server,
        jump: None,
        impatient: false,
        signal: None,
        files: Vec::new(),
    };
    match case.kind.as_str() {
        "tool_args" => plan.say(&arguments(case)?),
        "tool_call" => tool_call(case, &mut plan),
        "text_call" => plan.say(&Said::text(case.input.as_str()?)),
        "sse" => byte_for_byte(case, &mut plan),
        "events" => {
            let names: Vec<&str> = case.input["events"].as_array()?.iter().filter_map(Value::as_str).collect();
            plan.answers.push(events(body::events(&names)));
        }
        "content" => content(case, &mut plan)?,
        "http" => plan.answers.push(refusal(&case.input)),
        "transport" => transport(case, &mut plan)?,
        _ => return None,
    }
    let changes = |it: &str| it.contains("<write") || it.contains("<edit") || it.contains("command");
    plan.build |= case.kind == "text_call" && case.input.as_str().is_some_and(changes);
    Some(plan)
}

impl Plan {
    fn say(&mut self, said: &Said) {
        let body = body::of(&self.format, said);
        self.answers.push(events(body));
        self.build |= said.calls.iter().any(|it| {
            ["run_command", "edit_file", "write_file", "write", "bash"]
                .contains(&it["function"]["name"].as_str().unwrap_or_default())
        });
    }
}

fn arguments(case: &Case) -> Option<Said> {
    let raw = case.input.as_str().map_or_else(|| case.input.to_string(), str::to_string);
    let holds = |key: &str| {
        let at = raw.find(key)?;
        let behind = raw[at + key.len()..].trim_start_matches(|c: char| c.is_alphanumeric() || "_\"'” ".contains(c));
        behind.starts_with([':', '>', '=']).then_some(())
    };
    let tool = TOOLS.iter().find(|(key, _)| holds(key).is_some()).map_or("read_file", |it| it.1);
    Some(Said::call(tool, &raw))
}

/// A stream of events that ends well.
pub fn events(body: impl Into<Vec<u8>>) -> Answer {
    Answer::new(200, "text/event-stream", vec![body.into()])
}

/// A call with whatever the case says of it; what it does not say is as usual.
fn tool_call(case: &Case, plan: &mut Plan) {
    let input = &case.input;
    if input.get("approval").is_some() {
        // Nobody is there to answer, and nothing was allowed.
        plan.answers.push(events(body::of(&plan.format, &Said::call("run_command", "{\"command\":\"touch x\"}"))));
        return;
    }
    let calls = match input.get("calls").and_then(Value::as_array) {
        Some(calls) => calls.clone(),
        None => {
            let times = input.get("count").or(input.get("repeat")).and_then(Value::as_u64).unwrap_or(1);
            vec![input.clone(); times as usize]
        }
    };
    let ids = input.get("ids").and_then(Value::as_array);
    let call = |(at, it): (usize, &Value)| {
        let usual = json!(format!("call_{at}"));
        let id = it.get("id").or(ids.and_then(|ids| ids.get(at))).unwrap_or(&usual);
        let args = it.get("arguments").cloned().unwrap_or(json!("{\"path\":\"a.rs\"}"));
        let name = it.get("name").cloned().unwrap_or(json!("read_file"));
        json!({"id": id, "type": "function", "function": {"name": name, "arguments": args}})
    };
    plan.say(&Said { calls: calls.iter().enumerate().map(call).collect(), ..Said::default() });
}

/// A body byte for byte; what is a lot in the runner stands short in the corpus.
fn byte_for_byte(case: &Case, plan: &mut Plan) {
    const LONG: usize = 64 << 20;
    let mut pieces = case.chunks();
    if case.why.contains("64 MiB") {
        for piece in pieces.iter_mut().filter(|it| it.len() > 10_000) {
            let at = piece.len() / 2;
            let byte = piece[at];
            let tail = piece.split_off(at);
            piece.resize(LONG, byte);
            piece.extend(tail);
        }
    }
    plan.build |= case.format == "text-xml" && pieces.iter().any(|it| it.windows(6).any(|it| it == b"<write"));
    plan.answers.push(Answer { pieces, ..events("") });
}

fn content(case: &Case, plan: &mut Plan) -> Option<()> {
    let input = &case.input;
    let text = |key: &str| input.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    if let Some(times) = input.get("repeat_call").and_then(Value::as_u64) {
        (0..times).for_each(|_| plan.say(&Said::call("read_file", "{\"path\":\"a.rs\"}")));
        return Some(());
    }
    if let Some(steps) = input.get("cycle").and_then(Value::as_array) {
        for step in steps.iter().filter_map(Value::as_str).collect::<Vec<_>>().repeat(3) {
            plan.say(&step_of(step)?);
        }
        return Some(());
    }
    if let Some(bytes) = input.get("tool_result_scale").and_then(Value::as_u64) {
        let args = json!({"command": format!("yes | head -c {bytes}"), "timeout": 120});
        plan.say(&Said::call("run_command", &args.to_string()));
        return Some(());
    }
    if let Some(bytes) = input.get("tool_result_b64").and_then(Value::as_str) {
        plan.files.push(("blob", base64(bytes)));
        plan.say(&Said::call("run_command", "{\"command\":\"cat blob\"}"));
        return Some(());
    }
    let mut said = Said {
        text: text("content"),
        reasoning: text("reasoning"),
        finish: text("finish_reason"),
        usage: input.get("usage").cloned(),
        calls: Vec::new(),
    };
    if let Some(args) = input.get("tool_args").and_then(Value::as_str) {
        said.calls = Said::call("write_file", args).calls;
    }
    if said.text.is_empty() && said.reasoning.is_empty() && said.calls.is_empty() && said.usage.is_some() {
        said.text = "Hello.".to_string();
    }
    let times = input.get("repeat").and_then(Value::as_u64).unwrap_or(1);
    (0..times).for_each(|_| plan.say(&said));
    Some(())
}

/// `read a`, or `edit a 1->2`.
fn step_of(step: &str) -> Option<Said> {
    let mut words = step.split_whitespace();
    let (verb, file) = (words.next()?, words.next()?);
    let args = match (verb, words.next().and_then(|it| it.split_once("->"))) {
        ("edit", Some((old, new))) => json!({"path": file, "old": old, "new": new}),
        _ => json!({"path": file}),
    };
    let tool = if verb == "edit" { "edit_file" } else { "read_file" };
    Some(Said::call(tool, &args.to_string()))
}

/// An answer with a status; the body is an error as the provider words it, unless the case has another.
fn refusal(input: &Value) -> Answer {
    let status = input["status"].as_u64().unwrap_or(500) as u16;
    let more = &input["headers_or_body"];
    let words = more.get("body").cloned().unwrap_or(json!(format!("status {status} for a reason of its own")));
    let body = match &words {
        Value::String(text) if text.starts_with(['{', '[', '<']) => text.clone(),
        Value::String(text) => json!({"error": {"message": text, "code": text}}).to_string(),
        other => other.to_string(),
    };
    let mut headers = vec![("content-type".to_string(), "application/json".to_string())];
    for (name, value) in more.as_object().into_iter().flatten().filter(|(name, _)| *name != "body") {
        headers.push((name.to_ascii_lowercase(), value.as_str().map_or(value.to_string(), str::to_string)));
    }
    Answer { headers, ..Answer::new(status, "", vec![body.into_bytes()]) }
}

fn transport(case: &Case, plan: &mut Plan) -> Option<()> {
    let half =
        || body::of(&case.format, &Said::text("Half a text.")).split("\n\n").take(2).collect::<Vec<_>>().join("\n\n");
    let half = |end| Answer { end, ..events(format!("{}\n\n", half())) };
    let garbage = || Answer {
        headers: vec![("content-encoding".into(), "gzip".into()), ("content-type".into(), "text/event-stream".into())],
        ..events(vec![0x1f, 0x8b, 8, 0, 0xff, 0xff, 1, 2, 3])
    };
    let refused = |status: u16| refusal(&json!({"status": status, "headers_or_body": {}}));
    match case.input["fault"].as_str()? {
        fault if clock::jump(fault).is_some() => {
            plan.jump = clock::jump(fault);
            plan.say(&Said::call("read_file", "{\"path\":\"a.rs\"}"));
        }
        fault if fault.contains("dns") => plan.reach = Reach::NoName,
        fault if fault.contains("refused") => plan.reach = Reach::Nobody,
        fault if fault.starts_with("connect") && fault.contains("timeout") => {
            (plan.reach, plan.impatient) = (Reach::Nowhere, true);
        }
        fault if ["stall", "idle", "silence", "hang", "timeout", "no_bytes"].iter().any(|it| fault.contains(it)) => {
            let first = ["first", "header", "no_bytes", "no_answer"].iter().any(|it| fault.contains(it));
            plan.impatient = true;
            plan.answers.push(if first { Answer { end: End::Silence, ..events("") } } else { half(End::Silence) });
        }
        fault if fault.contains("portal") || fault.contains("html") => {
            plan.answers.push(events("<!doctype html><title>Please sign in</title>"));
        }
        fault if fault.contains("slow") || fault.contains("drip") => {
            let body = body::of(&case.format, &Said::text("Drop by drop, as it were."));
            let pieces = body.bytes().map(|byte| vec![byte]).collect();
            plan.answers.push(Answer { pieces, ..events("") });
        }
        fault if fault.contains("proxy") => plan.answers.push(refused(502)),
        fault if fault.starts_with("tls") || fault.contains("certificate") => plan.reach = Reach::NoTls,
        fault if fault.contains("gzip") || fault.contains("encoding") => plan.answers.push(garbage()),
        fault if fault.starts_with("sigint") => (plan.signal, plan.answers) = (Some("INT"), vec![half(End::Silence)]),
        fault if fault.starts_with("sigterm") => (plan.signal, plan.answers) = (Some("TERM"), vec![half(End::Silence)]),
        fault if fault.starts_with("sighup") => (plan.signal, plan.answers) = (Some("HUP"), vec![half(End::Silence)]),
        fault if fault.contains("empty") => plan.answers.push(events("")),
        fault if fault.contains("mid") || fault.contains("truncat") => plan.answers.push(half(End::Cut)),
        fault if fault.contains("reset") || fault.contains("close") => {
            plan.answers.push(Answer { status: 0, ..events("") });
        }
        _ => return None,
    }
    Some(())
}
