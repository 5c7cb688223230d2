//! Traces and metrics of conversations, sent to a collector of OpenTelemetry.
//!
//! Promise: nothing is sent unless the user names a collector, and then no word of a prompt, a reply, a file or a command: names
//! of models and tools, counts, times and outcomes. Nobody waits for the collector, but for at most a few seconds at the end.
//!
//! Source of the names: semantic conventions for generative AI, version 1.41
//! (<https://opentelemetry.io/docs/specs/semconv/gen-ai/>). What they do not name begins with `ox.`.

mod instruments;
mod record;
mod transport;

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry_otlp::{MetricExporter, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::SdkTracerProvider;
use ox_client::{Hub, Update};
use ox_protocol::Seq;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::record::Recorder;
use crate::transport::Transport;

/// How long the end of the process waits for conversations to end, and for the collector.
const AT_THE_END: Duration = Duration::from_secs(3);

/// The collector of this process; empty where it could not be opened.
static OPEN: OnceLock<Result<Telemetry, String>> = OnceLock::new();

struct Telemetry {
    traces: SdkTracerProvider,
    metrics: SdkMeterProvider,
    transport: Transport,
    endpoint: String,
    followed: Mutex<Vec<JoinHandle<()>>>,
    runtime: Runtime,
}

/// Sends what happens in a conversation from now on to the collector at `endpoint`, for example `http://localhost:4318`. The first
/// endpoint is that of the whole process. It needs no runtime around it and does not wait. An error says why nothing can be sent.
pub fn follow(endpoint: &str, hub: &Hub) -> Result<(), String> {
    let telemetry = OPEN.get_or_init(|| Telemetry::open(endpoint)).as_ref().map_err(Clone::clone)?;
    let mut updates = hub.subscribe(Seq(u64::MAX)).map_err(|problem| problem.code)?;
    let mut recorder = Recorder::new(&telemetry.traces, &telemetry.metrics);
    let follow = async move {
        while let Some(update) = updates.next().await {
            if let Update::Frame(frame) = update {
                recorder.take(&frame);
            }
        }
    };
    let following = telemetry.runtime.spawn(follow);
    telemetry.followed.lock().unwrap_or_else(PoisonError::into_inner).push(following);
    Ok(())
}

/// Sends what is left of conversations that are over, outside any runtime; more can follow. An error is the endpoint, and why
/// something could not be sent there.
pub fn flush() -> Result<(), (String, String)> {
    let Some(Ok(telemetry)) = OPEN.get() else { return Ok(()) };
    telemetry.wait_for_ends();
    telemetry.sent(telemetry.traces.force_flush(), telemetry.metrics.force_flush())
}

/// The same at the end of the process: nothing is sent after it.
pub fn finish() -> Result<(), (String, String)> {
    let Some(Ok(telemetry)) = OPEN.get() else { return Ok(()) };
    telemetry.wait_for_ends();
    let traces = telemetry.traces.shutdown_with_timeout(AT_THE_END);
    telemetry.sent(traces, telemetry.metrics.shutdown_with_timeout(AT_THE_END))
}

impl Telemetry {
    /// Lets what is followed end; a conversation that does not end in time is sent as far as it has come.
    fn wait_for_ends(&self) {
        let all = || self.followed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut followed = std::mem::take(&mut *all());
        let ended = async {
            for it in &mut followed {
                // One that panicked is over too.
                drop(it.await);
            }
        };
        let _ = self.runtime.block_on(async { tokio::time::timeout(AT_THE_END, ended).await });
        followed.retain(|it| !it.is_finished());
        all().append(&mut followed);
    }

    fn sent(&self, traces: OTelSdkResult, metrics: OTelSdkResult) -> Result<(), (String, String)> {
        let sent = match self.transport.failure() {
            Some(why) => Err(why),
            None => traces.and(metrics).map_err(|error| error.to_string()),
        };
        sent.map_err(|why| (self.endpoint.clone(), why))
    }

    fn open(endpoint: &str) -> Result<Telemetry, String> {
        let runtime = Builder::new_multi_thread().worker_threads(1).thread_name("telemetry").enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let transport = Transport::new(endpoint, runtime.handle().clone())?;
        let at = |path: &str| format!("{}/{path}", endpoint.trim_end_matches('/'));
        let spans = SpanExporter::builder()
            .with_http()
            .with_http_client(transport.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(at("v1/traces"))
            .build();
        let metrics = MetricExporter::builder()
            .with_http()
            .with_http_client(transport.clone())
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(at("v1/metrics"))
            .build();
        let resource = resource();
        let spans = spans.map_err(|error| error.to_string())?;
        let metrics = metrics.map_err(|error| error.to_string())?;
        let traces = SdkTracerProvider::builder().with_resource(resource.clone()).with_batch_exporter(spans).build();
        let metrics = SdkMeterProvider::builder().with_resource(resource).with_periodic_exporter(metrics).build();
        Ok(Telemetry { traces, metrics, transport, endpoint: endpoint.to_owned(), followed: Mutex::default(), runtime })
    }
}

/// This process. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` count before it.
fn resource() -> Resource {
    let own = Resource::builder_empty().with_service_name("ox").with_attributes([
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
        KeyValue::new("service.instance.id", format!("{:032x}", fastrand::u128(..))),
    ]);
    let named = std::env::var_os("OTEL_SERVICE_NAME").is_some();
    let said = Resource::builder().build();
    let said = said.iter().filter(|(key, _)| named || key.as_str() != "service.name");
    own.with_attributes(said.map(|(key, value)| KeyValue::new(key.clone(), value.clone()))).build()
}
