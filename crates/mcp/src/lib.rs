//! MCP servers: configured in the format of other agents, started in the sandbox on the first question, asked, and ended
//! with whoever asked. What they say is somebody else's data; nothing here shows it to anyone or decides about a call.

mod config;
mod connect;
mod content;
mod error;
mod folder;
mod handler;
mod launcher;
mod listing;
mod oauth;
mod schema;
mod servers;
mod stdio;

pub use config::{Endpoint, PROJECT_FILE, Reach, ServerConfig, Servers, Unusable, parse, with, without};
pub use content::Reply;
pub use error::Error;
pub use launcher::{HttpClient, Launcher, Limits, NoTokens, Tokens};
pub use listing::{Prompt, Resource, ServerTool, ToolList};
pub use oauth::Login;
pub use schema::Schema;
pub use servers::McpServers;

use ox_protocol::{MCP_PREFIX, mcp_word};

/// The name under which a tool of a server is called and under which rules speak of it: `mcp__server__tool`.
pub fn tool_name(server: &str, tool: &str) -> String {
    format!("{MCP_PREFIX}{}__{}", mcp_word(server), mcp_word(tool))
}
