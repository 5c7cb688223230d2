//! MCP servers in the form that Ox keeps them in, without the secrets in them.

use std::collections::BTreeMap;

use ox_mcp::{Endpoint, Reach, ServerConfig};
use serde_json::Value;

/// Parts of names whose values are taken for secrets whatever they look like.
const SECRET: &[&str] = &["AUTH", "COOKIE", "CREDENTIAL", "KEY", "PASS", "SECRET", "TOKEN"];

/// A server as another agent has it. An address makes it one over HTTP.
#[derive(Clone, Debug, Default)]
pub(super) struct Entry {
    pub command: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub url: String,
    pub headers: BTreeMap<String, String>,
}

/// The server, and the variables that stand for values which were not taken.
pub(super) fn server(
    name: &str,
    entry: Entry,
    clean: &dyn Fn(String) -> String,
) -> Result<(ServerConfig, Vec<String>), String> {
    let mut variables = Vec::new();
    let open = |text: &String| clean(text.clone()) != *text;
    if open(&entry.url) || entry.command.iter().any(open) || open(&entry.command.join(" ")) {
        return Err("a key or password stands in its command or address; put it into a variable and add the server with `ox mcp add`".into());
    }
    let mut without = |prefix: &str, values: BTreeMap<String, String>| -> BTreeMap<String, String> {
        let one = |(key, value): (String, String)| {
            let named = SECRET.iter().any(|it| key.to_ascii_uppercase().contains(it));
            // With `:-` the value itself stands behind the name of a variable.
            let refers = value.contains("${") && !value.contains(":-");
            if value.is_empty() || !(open(&value) || named && !refers) {
                return (key, value);
            }
            let (prefix, key_upper) = (prefix.to_ascii_uppercase(), key.to_ascii_uppercase());
            // Two servers may use one name for different values.
            let variable = if key_upper.starts_with(&prefix) { key_upper } else { format!("{prefix}{key_upper}") };
            let variable: String =
                variable.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect();
            variables.push(variable.clone());
            (key, format!("${{{variable}}}"))
        };
        values.into_iter().map(one).collect()
    };
    let endpoint = if entry.url.is_empty() {
        let mut words = entry.command.into_iter();
        let command =
            words.next().filter(|it| !it.trim().is_empty()).ok_or("it has neither a command nor an address")?;
        Endpoint::Stdio { command, args: words.collect(), env: without(&format!("{name}_"), entry.env) }
    } else {
        Endpoint::Http { url: entry.url, headers: without(&format!("{name}_"), entry.headers) }
    };
    Ok((ServerConfig::usual(name, endpoint, Reach::default())?, variables))
}

/// The texts of a table; what is none is left out.
pub(super) fn texts(value: &Value) -> BTreeMap<String, String> {
    let texts = value.as_object().into_iter().flatten();
    texts.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// The texts of a list.
pub(super) fn words(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}
