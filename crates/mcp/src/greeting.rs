//! The greeting, in whichever era of the protocol a server speaks: `server/discover` first, `initialize` where it does not know
//! that. Every answer to the first that is none counts as not knowing it, whatever it is.
//!
//! No error leaves this place in the form that programs print for their authors.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, RunningService, RxJsonRpcMessage, ServiceError,
    TxJsonRpcMessage,
};
use rmcp::transport::Transport;
use rmcp::transport::streamable_http_client::StreamableHttpError;

use crate::client::Client;

/// Characters of an answer that is none, as an error quotes them.
const QUOTED: usize = 200;

/// Greets a server over `transport`. `asked` is true from the moment on that it was asked for its era and has not answered.
pub(crate) async fn greet<T>(
    client: Client,
    transport: T,
    era: Era,
    asked: Arc<AtomicBool>,
) -> Result<RunningService<RoleClient, Client>, ClientInitializeError>
where
    T: Transport<RoleClient> + 'static,
{
    let lifecycle = match era {
        Era::Unknown => {
            ClientLifecycleMode::Auto { preferred_versions: vec![ProtocolVersion::LATEST], legacy_version: None }
        }
        Era::Handshake => ClientLifecycleMode::Initialize,
    };
    client.serve_with_lifecycle(Lenient { transport, discover: None, asked }, lifecycle).await
}

/// What is known of a server's era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// Nothing: it is asked.
    Unknown,
    /// It begins with `initialize`, and it does not bear anything else before.
    Handshake,
}

/// A transport whose other end may answer `server/discover` with anything.
struct Lenient<T> {
    transport: T,
    /// The request that asks for the era, the last time that it was asked.
    discover: Option<RequestId>,
    /// That it has not been answered yet.
    asked: Arc<AtomicBool>,
}

impl<T> Lenient<T> {
    /// A message as the greeting understands it; none for a late answer that nobody waits for.
    fn read(&self, message: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let Some(id) = &self.discover else { return Some(message) };
        let unknown = |error| ServerJsonRpcMessage::error(error, Some(id.clone()));
        let message = match message {
            // Nothing else is asked at that time: whatever answers is the answer, whoever it says that it is for.
            JsonRpcMessage::Response(it) if self.asked.load(Ordering::Relaxed) => match it.result {
                ServerResult::DiscoverResult(_) => JsonRpcMessage::Response(it),
                _ => {
                    unknown(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "its answer to server/discover is none", None))
                }
            },
            JsonRpcMessage::Error(it) if self.asked.load(Ordering::Relaxed) => unknown(it.error),
            JsonRpcMessage::Response(it) if it.id == *id => return None,
            JsonRpcMessage::Error(it) if it.id.as_ref() == Some(id) => return None,
            other => return Some(other),
        };
        self.asked.store(false, Ordering::Relaxed);
        Some(message)
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for Lenient<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(request) = &item {
            let discovers = matches!(request.request, ClientRequest::DiscoverRequest(_));
            if discovers {
                self.discover = Some(request.id.clone());
            }
            self.asked.store(discovers, Ordering::Relaxed);
        }
        self.transport.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            let message = self.transport.receive().await?;
            if let Some(message) = self.read(message) {
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.transport.close().await
    }
}

/// Why a greeting failed.
pub(crate) fn why(error: &ClientInitializeError) -> String {
    use ClientInitializeError as Failed;
    let versions = |all: &[ProtocolVersion]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match error {
        Failed::ExpectedInitResult(answer) => {
            no_greeting(answer.as_ref().and_then(|it| serde_json::to_string(it).ok()))
        }
        Failed::ExpectedInitResponse(message) => {
            no_greeting(message.as_ref().and_then(|it| serde_json::to_string(it).ok()))
        }
        Failed::ConflictInitResponseId(..) | Failed::UncorrelatedErrorResponse { .. } => {
            "it answered a request that was not made; it may be no MCP server, or a broken one".into()
        }
        Failed::ConnectionClosed(_) => "it closed the connection before it had greeted".into(),
        Failed::JsonRpcError(it) => format!("it refused the greeting: {}", cut(&it.message)),
        Failed::NoCompatibleProtocolVersion { client_supported, server_supported } => {
            let theirs = match server_supported.as_slice() {
                [] => "no version that it names".to_owned(),
                some => versions(some),
            };
            format!(
                "it speaks {theirs} of the protocol, Ox {}; update the older of the two",
                versions(client_supported)
            )
        }
        Failed::LegacyFallbackFailed { fallback, .. } => why(fallback),
        Failed::TransportError { error, .. } => of_transport(error.error.as_ref()),
        Failed::Cancelled => "it was no longer wanted".into(),
        other => innermost(other),
    }
}

/// Why a request failed where the server itself did not say it.
pub(crate) fn why_not_asked(error: &ServiceError) -> String {
    match error {
        ServiceError::UnexpectedResponse => {
            "its answer does not have the form that the protocol asks for; tell whoever wrote the server".into()
        }
        ServiceError::InputRequiredRoundsExceeded { max_rounds } => {
            format!("it asked back more than {max_rounds} times, and was left alone")
        }
        ServiceError::TransportSend(it) => of_transport(it.error.as_ref()),
        other => innermost(other),
    }
}

fn no_greeting(answer: Option<String>) -> String {
    let said = answer.map(|it| format!(", but `{}`", cut(&it))).unwrap_or_default();
    format!("it answered `initialize` with what is no greeting{said}; it may be no MCP server, or a broken one")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// What is around a failure of a transport names types, and nothing that anybody could act upon.
fn of_transport(error: &(dyn StdError + 'static)) -> String {
    match error.downcast_ref() {
        Some(StreamableHttpError::<reqwest::Error>::Client(cause)) => innermost(cause),
        Some(StreamableHttpError::<reqwest::Error>::UnexpectedContentType(kind)) => {
            let kind = kind.as_deref().unwrap_or("nothing that has a type");
            format!("the address answered with {} and not as an MCP server does; is it the right one?", cut(kind))
        }
        Some(StreamableHttpError::<reqwest::Error>::UnexpectedServerResponse(it)) => {
            format!("the address did not answer as an MCP server does ({}); is it the right one?", cut(it))
        }
        _ => innermost(error),
    }
}

/// An error with its innermost cause, which is the one that tells something.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut inner = error;
    while let Some(cause) = inner.source() {
        inner = cause;
    }
    let (outer, inner) = (error.to_string(), inner.to_string());
    if outer.contains(&inner) { outer } else { format!("{outer}: {inner}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lenient(asked: bool) -> Lenient<()> {
        Lenient { transport: (), discover: Some(RequestId::Number(0)), asked: Arc::new(AtomicBool::new(asked)) }
    }

    fn read(lenient: &Lenient<()>, message: serde_json::Value) -> serde_json::Value {
        let message = serde_json::from_value(message).unwrap();
        lenient.read(message).map_or(serde_json::Value::Null, |it| serde_json::to_value(it).unwrap())
    }

    #[test]
    fn whatever_is_no_answer_to_discover_says_that_the_era_is_unknown() {
        for result in [json!({}), json!(null), json!([]), json!(1), json!("x"), json!({"tools": []}), json!({"a": 1})] {
            let lenient = lenient(true);
            let got = read(&lenient, json!({"jsonrpc": "2.0", "id": 0, "result": result}));
            assert_eq!((&got["id"], &got["error"]["code"]), (&json!(0), &json!(-32601)), "{result}: {got}");
            assert!(!lenient.asked.load(Ordering::Relaxed));
        }
        let got = read(
            &lenient(true),
            json!({"jsonrpc": "2.0", "id": "server-error", "error": {"code": -32600, "message": "m"}}),
        );
        assert_eq!((&got["id"], &got["error"]["code"]), (&json!(0), &json!(-32600)));
    }

    #[test]
    fn what_comes_late_is_dropped_and_the_rest_passes() {
        let lenient = lenient(false);
        let answer = |id: u32| json!({"jsonrpc": "2.0", "id": id, "result": {}});
        assert_eq!(read(&lenient, answer(0)), json!(null));
        assert_eq!(read(&lenient, answer(1)), answer(1));
        let ping = json!({"jsonrpc": "2.0", "id": 0, "method": "ping"});
        assert_eq!(read(&lenient, ping.clone())["method"], ping["method"]);
    }

    #[test]
    fn errors_are_words_and_no_form_of_a_program() {
        let strange = ServerResult::empty(());
        let spoken = ClientInitializeError::NoCompatibleProtocolVersion {
            client_supported: vec![ProtocolVersion::LATEST],
            server_supported: vec![ProtocolVersion::V_2025_11_25],
        };
        let refused = || Box::new(ClientInitializeError::JsonRpcError(ErrorData::invalid_request("not you", None)));
        for (error, words) in [
            (ClientInitializeError::ExpectedInitResult(Some(strange)), "what is no greeting, but `{}`"),
            (ClientInitializeError::ExpectedInitResult(None), "what is no greeting; it may be"),
            (ClientInitializeError::ConnectionClosed("discover response".into()), "before it had greeted"),
            (spoken, "it speaks 2025-11-25 of the protocol, Ox 2026-07-28"),
            (ClientInitializeError::LegacyFallbackFailed { discover: refused(), fallback: refused() }, "not you"),
        ] {
            let said = why(&error);
            assert!(said.contains(words), "{said}");
            assert!(!said.contains("Result") && !said.contains("Some(") && !said.contains("ErrorData"), "{said}");
        }
    }
}
