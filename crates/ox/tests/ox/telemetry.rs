//! Traces and metrics, as a strict collector receives them: OTLP over HTTP, by the schema of the protocol and by the conventions.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;

use crate::place::Place;
use crate::sdk::{Way, example_with};

/// A path and a body.
type Received = (String, Vec<u8>);

/// A collector that takes nothing but well-formed requests.
struct Collector {
    url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Collector {
    fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (stream, kept) = (stream.unwrap(), kept.clone());
                std::thread::spawn(move || serve(&stream, &kept));
            }
        });
        Collector { url, received }
    }

    fn bodies(&self, path: &str) -> Vec<Vec<u8>> {
        self.received.lock().unwrap().iter().filter(|it| it.0 == path).map(|it| it.1.clone()).collect()
    }

    fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for body in self.bodies("/v1/traces") {
            for resource in ExportTraceServiceRequest::decode(body.as_slice()).unwrap().resource_spans {
                let of = attributes(&resource.resource.unwrap().attributes);
                assert_eq!((of["service.name"].as_str(), of.contains_key("service.version")), ("ox", true), "{of:?}");
                spans.extend(resource.scope_spans.into_iter().flat_map(|it| it.spans));
            }
        }
        spans
    }
}

/// Answers the requests of one connection.
fn serve(stream: &std::net::TcpStream, kept: &Mutex<Vec<Received>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        for line in reader.by_ref().lines() {
            match line {
                Ok(line) if !line.is_empty() => head.push(line.to_ascii_lowercase()),
                _ => break,
            }
        }
        let Some(path) = head.first().and_then(|it| it.strip_prefix("post ")?.split(' ').next()) else { return };
        let field = |name: &str| head.iter().find_map(|it| it.strip_prefix(name));
        assert_eq!(field("content-type: "), Some("application/x-protobuf"), "{head:?}");
        let mut body = vec![0; field("content-length: ").unwrap().parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        kept.lock().unwrap().push((path.to_owned(), body));
        let answer = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n";
        (&*stream).write_all(answer).unwrap();
    }
}

/// Attributes as text.
fn attributes(all: &[KeyValue]) -> BTreeMap<String, String> {
    let text = |it: &KeyValue| match it.value.as_ref().and_then(|it| it.value.as_ref()) {
        Some(Value::StringValue(text)) => text.clone(),
        Some(Value::IntValue(number)) => number.to_string(),
        Some(Value::DoubleValue(number)) => number.to_string(),
        Some(Value::BoolValue(is)) => is.to_string(),
        Some(Value::ArrayValue(all)) => format!("{:?}", all.values),
        other => panic!("{other:?}"),
    };
    let attributes: BTreeMap<_, _> = all.iter().map(|it| (it.key.clone(), text(it))).collect();
    assert_eq!(attributes.len(), all.len(), "a name twice: {attributes:?}");
    attributes
}

/// Asserts what holds for every span, and names each by the names of those around it.
fn paths(spans: &[Span]) -> Vec<String> {
    let by_id: HashMap<&[u8], &Span> = spans.iter().map(|it| (it.span_id.as_slice(), it)).collect();
    assert_eq!(by_id.len(), spans.len());
    let path = |span: &Span| {
        assert!(span.trace_id.len() == 16 && span.trace_id.iter().any(|it| *it != 0), "{span:?}");
        assert!(span.span_id.len() == 8 && span.span_id.iter().any(|it| *it != 0), "{span:?}");
        assert!(0 < span.start_time_unix_nano && span.start_time_unix_nano <= span.end_time_unix_nano, "{span:?}");
        let mut names = vec![span.name.as_str()];
        let mut at = span;
        while !at.parent_span_id.is_empty() {
            let above = by_id[at.parent_span_id.as_slice()];
            assert_eq!(at.trace_id, above.trace_id);
            let within = above.start_time_unix_nano..=above.end_time_unix_nano;
            assert!(within.contains(&at.start_time_unix_nano), "{at:?} {above:?}");
            names.push(&above.name);
            at = above;
        }
        names.reverse();
        names.join(" / ")
    };
    let mut all: Vec<String> = spans.iter().map(path).collect();
    all.sort();
    all
}

const SCRIPT: &str = "-- model --\nA secret thought.\n\n@read_file\npath: a.txt\n\n@run_command\ncommand: false\n\
                      -- model --\n@attempt_completion\nresult: The work is done.\n";

#[test]
fn a_turn_is_a_trace_with_its_requests_and_calls_and_says_nothing_of_what_was_said() {
    let collector = Collector::start();
    let place = Place::new();
    place.write("a.txt", "a secret line\n");
    let model = place.script(SCRIPT);
    let ran = place.ox_with(
        &["run", "--model", &model, "--allow", "run_command", "a secret task"],
        &[("OX_TELEMETRY", &collector.url)],
    );
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "The work is done."), "{}", ran.err);
    let spans = collector.spans();
    assert_eq!(
        paths(&spans),
        [
            "invoke_agent ox",
            "invoke_agent ox / chat script.txt",
            "invoke_agent ox / chat script.txt",
            "invoke_agent ox / execute_tool read_file",
            "invoke_agent ox / execute_tool run_command",
        ]
    );
    let of = |name: &str| attributes(&spans.iter().find(|it| it.name.starts_with(name)).unwrap().attributes);
    let (turn, chat, call) = (of("invoke_agent"), of("chat"), of("execute_tool run_command"));
    for (attributes, operation) in [(&turn, "invoke_agent"), (&chat, "chat"), (&call, "execute_tool")] {
        assert_eq!(attributes["gen_ai.operation.name"], operation);
    }
    assert_eq!((turn["gen_ai.provider.name"].as_str(), turn["ox.stop"].as_str()), ("scripted", "answered"));
    assert!(turn["gen_ai.usage.input_tokens"].parse::<u64>().unwrap() > 0, "{turn:?}");
    assert!(chat["gen_ai.response.finish_reasons"].contains("tool_call"), "{chat:?}");
    assert_eq!((call["gen_ai.tool.name"].as_str(), call.get("error.type")), ("run_command", None), "{call:?}");
    let mut points = BTreeMap::new();
    for body in collector.bodies("/v1/metrics") {
        let request = ExportMetricsServiceRequest::decode(body.as_slice()).unwrap();
        for metric in request.resource_metrics.into_iter().flat_map(|it| it.scope_metrics).flat_map(|it| it.metrics) {
            let Some(Data::Histogram(data)) = &metric.data else { panic!("{metric:?}") };
            let count: u64 = data.data_points.iter().map(|it| it.count).sum();
            points.insert(metric.name, (metric.unit, count));
        }
    }
    let expected = [("gen_ai.client.operation.duration", "s", 2), ("gen_ai.client.token.usage", "{token}", 4)];
    assert_eq!(points, expected.map(|(name, unit, count)| (name.to_owned(), (unit.to_owned(), count))).into());
    let sent = collector.received.lock().unwrap().iter().flat_map(|it| it.1.clone()).collect::<Vec<u8>>();
    assert!(!String::from_utf8_lossy(&sent).contains("secret"));
}

#[test]
fn a_sub_agent_and_failed_requests_stand_within_the_turn() {
    let collector = Collector::start();
    let place = Place::new();
    place.write("a.txt", "text\n");
    let script = "-- model: fail 529 overloaded --\n\
                  -- model --\n@spawn_subagent\nkind: explore\ntask: What does a.txt say?\n\
                  -- model --\n@read_file\npath: a.txt\n\
                  -- model --\nIt says text.\n\
                  -- model --\nIt says text.\n";
    let model = place.script(script);
    let ran = place.ox_with(&["run", "--mode", "chat", "--model", &model, "look"], &[("OX_TELEMETRY", &collector.url)]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let spans = collector.spans();
    let all = paths(&spans).join("\n");
    assert!(all.contains("invoke_agent ox / execute_tool spawn_subagent / invoke_agent explore / chat "), "{all}");
    let failed =
        spans.iter().find(|it| it.name.starts_with("chat") && it.status.as_ref().is_some_and(|it| it.code == 2));
    assert_eq!(attributes(&failed.unwrap().attributes)["error.type"], "overloaded");
}

#[test]
fn a_program_with_the_library_has_sent_everything_once_it_has_closed() {
    let collector = Collector::start();
    example_with("prompt", Way::Here, "", &[("OX_TELEMETRY", &collector.url)]);
    let all = paths(&collector.spans()).join("\n");
    assert!(all.contains("invoke_agent ox / execute_tool edit_file"), "{all}");
    assert!(!collector.bodies("/v1/metrics").is_empty());
}

#[test]
fn a_collector_that_is_not_there_is_named_once_and_changes_nothing() {
    let place = Place::new();
    let model = place.script("-- model --\nAn answer.\n");
    let ran = place.ox_with(&["run", "--model", &model, "ask"], &[("OX_TELEMETRY", "http://127.0.0.1:1")]);
    assert_eq!((ran.code, ran.out.trim()), (Some(0), "An answer."));
    assert_eq!(ran.err.matches("could not be sent to http://127.0.0.1:1").count(), 1, "{}", ran.err);
}

#[test]
fn a_project_cannot_have_anything_sent() {
    let place = Place::new();
    place.write(".ox/config.toml", "[telemetry]\nendpoint = \"http://127.0.0.1:1\"\n");
    let ran = place.ox_with(&["config", "get", "telemetry.endpoint"], &[("OX_TRUST", "1")]);
    assert!(ran.code != Some(0) && ran.err.contains("must not set `telemetry.endpoint`"), "{}{}", ran.out, ran.err);
}
