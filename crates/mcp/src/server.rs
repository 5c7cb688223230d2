//! The other side: tools of ours that other agents call, over standard input and output or over HTTP on this machine.
//!
//! Both eras of the protocol, as for the servers that we use. What is printed to standard output is the protocol's alone. Over HTTP
//! nobody is answered who does not have the token, says another `Host` than this machine, or comes from a page of elsewhere.

use std::sync::Arc;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::IntoResponse as _;
use ox_protocol::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use sha2::{Digest as _, Sha256};

/// A tool as others see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ServedTool {
    /// Its name.
    pub name: String,
    /// What it does, for a model.
    pub description: String,
    /// The JSON Schema of its arguments, an object.
    pub schema: serde_json::Value,
    /// True where it changes nothing.
    pub reads: bool,
    /// True where what it changes may be lost: files that are replaced, commands that run.
    pub destroys: bool,
}

/// Who answers the calls of other agents.
pub trait ToolServer: Send + Sync + 'static {
    /// What can be called.
    fn tools(&self) -> Vec<ServedTool>;

    /// The words that a call returns; the error is for the model too. A call that is no longer wanted is dropped.
    fn call(&self, name: &str, args: serde_json::Value) -> BoxFuture<'static, Result<String, String>>;
}

/// Serves tools over standard input and output until the input ends. `instructions`: what a model is told of all of them.
pub async fn serve_stdio(server: Arc<dyn ToolServer>, instructions: &str) -> Result<(), String> {
    let side = Side::of(server, instructions);
    let running = match side.serve(rmcp::transport::io::stdio()).await {
        Ok(running) => running,
        // Whoever closes at once has asked for nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// The path under which tools are served over HTTP.
pub const HTTP_PATH: &str = "/mcp";

/// Serves tools over HTTP to whoever sends `token` as bearer, until `stop` is done. The listener must be of this machine alone.
pub async fn serve_http(
    server: Arc<dyn ToolServer>,
    instructions: &str,
    listener: tokio::net::TcpListener,
    token: &str,
    stop: impl Future<Output = ()>,
) -> Result<(), String> {
    let side = Side::of(server, instructions);
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let own = ["127.0.0.1", "localhost", "[::1]"].map(|host| format!("http://{host}:{port}"));
    let config = StreamableHttpServerConfig::default().with_allowed_origins(own);
    let over = config.cancellation_token.clone();
    let service = StreamableHttpService::new(move || Ok(side.clone()), Arc::<LocalSessionManager>::default(), config);
    let token: [u8; 32] = Sha256::digest(token).into();
    let guard = axum::middleware::from_fn(move |request: Request, next: Next| async move {
        match is_admitted(request.headers(), &token) {
            true => next.run(request).await,
            false => (StatusCode::UNAUTHORIZED, [(header::WWW_AUTHENTICATE, "Bearer")]).into_response(),
        }
    });
    let router = axum::Router::new().route_service(HTTP_PATH, service).layer(guard);
    tokio::select! {
        served = axum::serve(listener, router) => served.map_err(|error| error.to_string()),
        () = stop => {
            over.cancel();
            Ok(())
        }
    }
}

/// Equal hashes are compared in place of the token: how long that takes says nothing of it.
fn is_admitted(headers: &HeaderMap, token: &[u8; 32]) -> bool {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|it| it.to_str().ok()?.strip_prefix("Bearer "));
    bearer.is_some_and(|it| <[u8; 32]>::from(Sha256::digest(it.trim())) == *token)
}

#[derive(Clone)]
struct Side {
    server: Arc<dyn ToolServer>,
    tools: Arc<[ServedTool]>,
    instructions: String,
}

impl Side {
    fn of(server: Arc<dyn ToolServer>, instructions: &str) -> Side {
        Side { tools: server.tools().into(), server, instructions: instructions.to_owned() }
    }
}

impl ServerHandler for Side {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new("ox", env!("CARGO_PKG_VERSION"));
        info.instructions = Some(self.instructions.clone());
        info
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |it: &ServedTool| {
            let it = it.clone();
            let hints = ToolAnnotations::new().read_only(it.reads).destructive(it.destroys);
            Tool::new(it.name, it.description, object(it.schema)).with_annotations(hints)
        };
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(tool).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if !self.tools.iter().any(|it| it.name == request.name) {
            return Err(ErrorData::invalid_params(format!("there is no tool named {}", request.name), None));
        }
        let args = serde_json::Value::Object(request.arguments.unwrap_or_default());
        let result = tokio::select! {
            result = self.server.call(&request.name, args) => result,
            () = context.ct.cancelled() => Err("cancelled".to_owned()),
        };
        let result = match result {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(text)]),
        };
        Ok(CallToolResponse::Complete(result))
    }
}

/// The schema as the protocol wants it.
fn object(schema: serde_json::Value) -> JsonObject {
    match schema {
        serde_json::Value::Object(object) => object,
        _ => JsonObject::default(),
    }
}
