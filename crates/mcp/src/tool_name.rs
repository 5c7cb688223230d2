//! The names of servers' tools. They are data of somebody else until they are spelled anew here.

use ox_protocol::{MCP_PREFIX, mcp_word};

/// The name under which a tool of a server is called and under which rules speak of it: `mcp__server__tool`.
pub fn tool_name(server: &str, tool: &str) -> String {
    format!("{MCP_PREFIX}{}__{}", mcp_word(server), mcp_word(tool))
}
