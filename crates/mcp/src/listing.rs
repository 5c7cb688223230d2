//! What a server says that it has: tools, resources, prompts. Endless lists are cut, and a tool that cannot be used is left out
//! with the reason.

use std::sync::Arc;

use rmcp::model::PaginatedRequestParams;
use rmcp::service::ServiceError;
use serde_json::Value;

use crate::connect::Connection;
use crate::schema::Schema;
use crate::tool_name::tool_name;

/// Entries of a list that are taken.
const ENTRIES: usize = 1000;
/// Pages of a list that are asked for.
const PAGES: usize = 50;
/// Characters of a description that are taken.
const DESCRIPTION: usize = 2000;

/// The tools of a server.
#[derive(Clone, Debug, Default)]
pub struct ToolList {
    /// Different for each list that was ever taken.
    pub number: u64,
    /// Those that can be called.
    pub tools: Vec<ServerTool>,
    /// Those that cannot, and why.
    pub left_out: Vec<(String, String)>,
}

/// A tool of a server.
#[derive(Clone, Debug)]
pub struct ServerTool {
    /// Its name, as the server calls it.
    pub name: String,
    /// What it does, in the server's words.
    pub description: String,
    /// What it takes.
    pub schema: Schema,
}

/// Something that a server offers to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its address, or the pattern of one.
    pub uri: String,
    /// Its name.
    pub name: String,
    /// What it is; may be empty.
    pub description: String,
}

/// A prompt that a server offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    /// Its name.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Its arguments, and whether each must be given.
    pub arguments: Vec<(String, bool)>,
}

/// Every page of a list, up to a limit.
macro_rules! pages {
    ($connection:expr, $method:ident, $items:ident) => {{
        let mut all = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let params = cursor.take().map(|it| PaginatedRequestParams::default().with_cursor(Some(it)));
            let page = $connection.service.peer().$method(params).await?;
            all.extend(page.$items);
            cursor = page.next_cursor;
            if cursor.is_none() || all.len() >= ENTRIES {
                break;
            }
        }
        all.truncate(ENTRIES);
        all
    }};
}

pub(crate) async fn tools(connection: &Arc<Connection>, server: &str) -> Result<ToolList, ServiceError> {
    let mut list = ToolList::default();
    if !connection.has(|it| it.tools.is_some()) {
        return Ok(list);
    }
    let mut seen = std::collections::BTreeSet::new();
    for tool in pages!(connection, list_tools, tools) {
        let name = tool.name.to_string();
        match usable(server, &name, &mut seen, Value::Object((*tool.input_schema).clone())) {
            Ok(schema) => {
                let said = tool.description.map(String::from).or(tool.title).unwrap_or_default();
                list.tools.push(ServerTool { name, description: cut(&said), schema });
            }
            Err(why) => list.left_out.push((cut(&name), why)),
        }
    }
    Ok(list)
}

fn usable(
    server: &str,
    name: &str,
    seen: &mut std::collections::BTreeSet<String>,
    schema: Value,
) -> Result<Schema, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if name.is_empty() || name.len() > 128 || !name.chars().all(plain) {
        return Err("its name is none".into());
    }
    if !seen.insert(tool_name(server, name)) {
        return Err("another tool has that name".into());
    }
    Schema::new(schema)
}

pub(crate) async fn resources(connection: &Arc<Connection>) -> Result<Vec<Resource>, ServiceError> {
    if !connection.has(|it| it.resources.is_some()) {
        return Ok(Vec::new());
    }
    let mut all: Vec<Resource> = Vec::new();
    for it in pages!(connection, list_resources, resources) {
        all.push(Resource {
            uri: cut(&it.uri),
            name: cut(&it.name),
            description: cut(&it.description.unwrap_or_default()),
        });
    }
    // Not every server that has resources has patterns of them.
    match templates(connection).await {
        Ok(more) => all.extend(more),
        Err(ServiceError::McpError(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(all)
}

async fn templates(connection: &Arc<Connection>) -> Result<Vec<Resource>, ServiceError> {
    let found = pages!(connection, list_resource_templates, resource_templates);
    let one = |it: rmcp::model::ResourceTemplate| Resource {
        uri: cut(&it.uri_template),
        name: cut(&it.name),
        description: cut(&it.description.unwrap_or_default()),
    };
    Ok(found.into_iter().map(one).collect())
}

pub(crate) async fn prompts(connection: &Arc<Connection>) -> Result<Vec<Prompt>, ServiceError> {
    if !connection.has(|it| it.prompts.is_some()) {
        return Ok(Vec::new());
    }
    let found = pages!(connection, list_prompts, prompts);
    let one = |it: rmcp::model::Prompt| Prompt {
        name: it.name,
        description: cut(&it.description.unwrap_or_default()),
        arguments: it.arguments.into_iter().flatten().map(|it| (it.name, it.required.unwrap_or_default())).collect(),
    };
    Ok(found.into_iter().map(one).collect())
}

fn cut(text: &str) -> String {
    text.chars().take(DESCRIPTION).collect()
}
