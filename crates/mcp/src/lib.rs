//! MCP servers: configured in the format of other agents, started in the sandbox on the first question, asked, and ended
//! with whoever asked. What they say is somebody else's data; nothing here shows it to anyone or decides about a call.

mod address;
mod called;
mod client;
mod config;
mod connect;
mod content;
mod elicit;
mod error;
mod folder;
mod greeting;
mod launcher;
mod listing;
mod oauth;
mod schema;
mod server;
mod servers;
mod stdio;
mod tool_name;
pub mod words;

pub use called::usage;
pub use config::{Endpoint, PROJECT_FILE, Reach, ServerConfig, Servers, Unusable, parse, with, without};
pub use content::Reply;
pub use elicit::{AskUser, Fate, ServerQuestion, UserInput};
pub use error::Error;
pub use launcher::{CommandRights, HttpSetup, Launcher, Limits, NoTokens, Tokens};
pub use listing::{Prompt, Resource, ServerTool, ToolList};
pub use oauth::Login;
pub use schema::Schema;
pub use server::{HTTP_PATH, ServedTool, ToolServer, serve_http, serve_stdio};
pub use servers::McpServers;
pub use tool_name::tool_name;
