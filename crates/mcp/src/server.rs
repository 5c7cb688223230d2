//! The other side: tools of ours that other agents call over standard input and output.
//!
//! Both eras of the protocol, as for the servers that we use. What is printed to standard output is the protocol's alone.

use std::sync::Arc;

use ox_protocol::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};

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
    let side = Side { tools: server.tools(), server, instructions: instructions.to_owned() };
    let running = match side.serve(rmcp::transport::io::stdio()).await {
        Ok(running) => running,
        // Whoever closes at once has asked for nothing.
        Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(error.to_string()),
    };
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

struct Side {
    server: Arc<dyn ToolServer>,
    tools: Vec<ServedTool>,
    instructions: String,
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
