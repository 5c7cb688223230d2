//! Which servers there are: files in the format that other agents use, `{"mcpServers": {"name": {…}}}`.
//!
//! Reading starts nothing and asks nobody. A server that cannot be read costs that server alone; a value that names a
//! variable stays as it is written until the server is started, so that what was approved is the text and no file ever
//! holds a secret that only the environment has.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

/// The name of a project's own file.
pub const PROJECT_FILE: &str = ".mcp.json";
/// The key that holds the servers.
const SERVERS: &str = "mcpServers";
/// Bytes of the longest name.
const LONGEST_NAME: usize = 64;
/// Characters of the longest line that a model reads about a server.
const LONGEST_ABOUT: usize = 200;
/// How long a call may take where the file does not say, in milliseconds.
const CALL_MS: u64 = 120_000;
/// The longest that a file may ask for.
const LONGEST_CALL_MS: u64 = 3_600_000;

/// A server as it is configured; variables in it are not filled in yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// How it is reached.
    pub endpoint: Endpoint,
    /// One line about it for the model, written by whoever configured it; may be empty.
    pub about: String,
    /// What a started server may do.
    pub reach: Reach,
    /// How long a call may take, in milliseconds.
    pub call_ms: u64,
    /// Equal for servers that do the same.
    fingerprint: String,
}

/// How a server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// A program that is started and spoken with over its standard input and output.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables of its environment.
        env: BTreeMap<String, String>,
    },
    /// A server that is there already, spoken with over streamable HTTP.
    Http {
        /// Its address.
        url: String,
        /// Headers of each request.
        headers: BTreeMap<String, String>,
    },
}

/// What a started server may do beside reading what commands read: nothing, unless it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reach {
    /// Hosts that it may speak to; `*` for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<String>,
    /// Folders that it may write, relative to the project's root or absolute.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
}

/// A server of a file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub name: String,
    /// Why, in words.
    pub why: String,
}

/// The servers of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    /// Those that can be used, in the order of the file.
    pub usable: Vec<ServerConfig>,
    /// Those that cannot.
    pub unusable: Vec<Unusable>,
}

/// An entry as it is written. What others write beside it is left alone.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Entry {
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    command: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    args: Vec<String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    env: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    url: String,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(skip_serializing_if = "is_default")]
    sandbox: Reach,
    /// Milliseconds of a call.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
}

fn is_default(reach: &Reach) -> bool {
    *reach == Reach::default()
}

/// The servers of the text of a file.
///
/// # Errors
/// It is no JSON, or its `mcpServers` is no object; in words.
pub fn parse(text: &str) -> Result<Servers, String> {
    let file = document(text)?;
    let mut servers = Servers::default();
    for (name, value) in file.get(SERVERS).and_then(Value::as_object).into_iter().flatten() {
        match server(name, value) {
            Ok(it) => servers.usable.push(it),
            Err(why) => servers.unusable.push(Unusable { name: name.clone(), why }),
        }
    }
    Ok(servers)
}

/// The text of a file with this server in it, in the place of one of the same name. All else stays as it is.
///
/// # Errors
/// As [`parse`].
pub fn with(text: &str, server: &ServerConfig) -> Result<String, String> {
    let mut file = document(text)?;
    let servers = file.entry(SERVERS).or_insert_with(|| json!({}));
    servers.as_object_mut().expect("`document` looked at it").insert(server.name.clone(), server.entry());
    Ok(written(file))
}

/// The text of a file without the server of that name; none where it has none.
///
/// # Errors
/// As [`parse`].
pub fn without(text: &str, name: &str) -> Result<Option<String>, String> {
    let mut file = document(text)?;
    let gone = file.get_mut(SERVERS).and_then(Value::as_object_mut).and_then(|it| it.shift_remove(name));
    Ok(gone.map(|_| written(file)))
}

fn document(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
        Ok(Value::Object(file)) if file.get(SERVERS).is_none_or(Value::is_object) => Ok(file),
        Ok(Value::Object(_)) => Err(format!("its `{SERVERS}` is no object")),
        Ok(_) => Err("it is no JSON object".into()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn written(file: Map<String, Value>) -> String {
    format!("{:#}\n", Value::Object(file))
}

fn server(name: &str, value: &Value) -> Result<ServerConfig, String> {
    let entry: Entry = serde_json::from_value(value.clone()).map_err(|error| error.to_string())?;
    let kind = entry.kind.as_deref().unwrap_or(if entry.url.is_empty() { "stdio" } else { "http" });
    let endpoint = match kind {
        "stdio" if entry.command.trim().is_empty() => return Err("it has no `command`".into()),
        "stdio" => Endpoint::Stdio { command: entry.command, args: entry.args, env: entry.env },
        "http" | "streamable-http" | "streamable_http" if entry.url.is_empty() => return Err("it has no `url`".into()),
        "http" | "streamable-http" | "streamable_http" => Endpoint::Http { url: entry.url, headers: entry.headers },
        "sse" => {
            return Err(
                "the transport `sse` is no longer part of the protocol; ask for the server's `http` address".into()
            );
        }
        other => return Err(format!("its type `{other}` is not known; `stdio` and `http` are")),
    };
    let call_ms = entry.timeout.unwrap_or(CALL_MS).clamp(1, LONGEST_CALL_MS);
    ServerConfig::new(name, endpoint, &entry.description, entry.sandbox, call_ms)
}

impl ServerConfig {
    /// A server.
    ///
    /// # Errors
    /// What is wrong with its name.
    pub fn new(
        name: &str,
        endpoint: Endpoint,
        about: &str,
        reach: Reach,
        call_ms: u64,
    ) -> Result<ServerConfig, String> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(plain) || name.contains("__") {
            return Err(format!(
                "`{name}` is no name for a server: use letters, digits, `-` and single `_`, {LONGEST_NAME} at most"
            ));
        }
        // One line, whatever a file holds.
        let about: Vec<&str> = about.split_whitespace().collect();
        let about = about.join(" ").chars().filter(|it| !it.is_control()).take(LONGEST_ABOUT).collect();
        let mut server =
            ServerConfig { name: name.to_owned(), endpoint, about, reach, call_ms, fingerprint: String::new() };
        let text = Value::Array(vec![json!(name), server.entry()]).to_string();
        server.fingerprint = Sha256::digest(text.as_bytes()).iter().map(|it| format!("{it:02x}")).collect();
        Ok(server)
    }

    /// The same with the usual limit for a call.
    ///
    /// # Errors
    /// As [`ServerConfig::new`].
    pub fn usual(name: &str, endpoint: Endpoint, reach: Reach) -> Result<ServerConfig, String> {
        ServerConfig::new(name, endpoint, "", reach, CALL_MS)
    }

    /// Equal for servers of the same name, command, arguments, environment, address, headers and rights, as they are
    /// written; different for all others. What approval is bound to.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// What it comes to, in one line for whoever is asked about it; values of variables and headers are left out.
    pub fn summary(&self) -> String {
        let mut parts = match &self.endpoint {
            Endpoint::Http { url, .. } => vec![url.clone()],
            Endpoint::Stdio { command, args, .. } => std::iter::once(command).chain(args).cloned().collect(),
        };
        let named = match &self.endpoint {
            Endpoint::Stdio { env, .. } => env,
            Endpoint::Http { headers, .. } => headers,
        };
        if !named.is_empty() {
            parts.push(format!("[{}]", named.keys().cloned().collect::<Vec<_>>().join(", ")));
        }
        if !self.reach.network.is_empty() {
            parts.push(format!("(network: {})", self.reach.network.join(", ")));
        }
        if !self.reach.write.is_empty() {
            parts.push(format!("(writes: {})", self.reach.write.join(", ")));
        }
        parts.join(" ")
    }

    /// The entry of a file.
    fn entry(&self) -> Value {
        let mut entry = Entry {
            description: self.about.clone(),
            sandbox: self.reach.clone(),
            timeout: (self.call_ms != CALL_MS).then_some(self.call_ms),
            ..Entry::default()
        };
        match self.endpoint.clone() {
            Endpoint::Stdio { command, args, env } => (entry.command, entry.args, entry.env) = (command, args, env),
            Endpoint::Http { url, headers } => {
                (entry.kind, entry.url, entry.headers) = (Some("http".into()), url, headers);
            }
        }
        serde_json::to_value(entry).expect("an entry holds nothing that JSON cannot")
    }

    /// The same with its variables filled in: `${NAME}`, or `${NAME:-what stands for it where it is not set}`.
    ///
    /// # Errors
    /// A variable that is not set and has nothing to stand for it.
    pub(crate) fn filled(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<Endpoint, String> {
        let one = |text: &String| fill(text, variable);
        let map = |it: &BTreeMap<String, String>| {
            it.iter().map(|(key, value)| Ok((key.clone(), one(value)?))).collect::<Result<_, String>>()
        };
        Ok(match &self.endpoint {
            Endpoint::Stdio { command, args, env } => Endpoint::Stdio {
                command: one(command)?,
                args: args.iter().map(one).collect::<Result<_, _>>()?,
                env: map(env)?,
            },
            Endpoint::Http { url, headers } => Endpoint::Http { url: one(url)?, headers: map(headers)? },
        })
    }
}

fn fill(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inner, behind)) = after.split_once('}') else {
            return Err(format!("`{text}` opens `${{` and does not close it"));
        };
        let (name, otherwise) = inner.split_once(":-").map_or((inner, None), |(name, it)| (name, Some(it)));
        let value = variable(name).filter(|it| otherwise.is_none() || !it.is_empty());
        match (value, otherwise) {
            (Some(value), _) => out.push_str(&value),
            (None, Some(otherwise)) => out.push_str(otherwise),
            (None, None) => {
                return Err(format!("the variable `{name}` is not set; set it, or write `${{{name}:-value}}`"));
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{"other": 1, "mcpServers": {
        "files": {"command": "npx", "args": ["-y", "server", "${ROOT:-.}"], "env": {"TOKEN": "${TOKEN}"}, "disabled": false},
        "far": {"type": "http", "url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}, "description": "two\nlines"},
        "old": {"type": "sse", "url": "https://a/sse"},
        "a b": {"command": "x"}, "empty": {}, "odd": {"command": 3}, "plain": {"url": "http://localhost:1/mcp"}}}"#;

    fn variable(name: &str) -> Option<String> {
        [("TOKEN", "secret"), ("HOST", "example.org"), ("EMPTY", "")]
            .iter()
            .find(|it| it.0 == name)
            .map(|it| it.1.to_owned())
    }

    #[test]
    fn the_format_of_others_is_read_and_an_odd_server_costs_itself_alone() {
        let servers = parse(FILE).unwrap();
        let names: Vec<&str> = servers.usable.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["files", "far", "plain"]);
        let why: Vec<String> = servers.unusable.iter().map(|it| format!("{}: {}", it.name, it.why)).collect();
        assert_eq!(why.len(), 4, "{why:?}");
        assert!(why[0].contains("no longer part") && why[1].contains("no name") && why[2].contains("no `command`"));
        assert_eq!(servers.usable[1].about, "two lines");
        assert_eq!(servers.usable[0].summary(), "npx -y server ${ROOT:-.} [TOKEN]");
        assert_eq!(parse("").unwrap(), Servers::default());
        for (text, why) in [("[]", "no JSON object"), ("{", "no JSON"), (r#"{"mcpServers": []}"#, "no object")] {
            assert!(parse(text).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn variables_are_filled_in_when_the_server_starts() {
        let servers = parse(FILE).unwrap().usable;
        let Ok(Endpoint::Stdio { args, env, .. }) = servers[0].filled(&variable) else { panic!("a program") };
        assert_eq!((args[2].as_str(), env["TOKEN"].as_str()), (".", "secret"));
        let Ok(Endpoint::Http { url, headers }) = servers[1].filled(&variable) else { panic!("an address") };
        assert_eq!((url.as_str(), headers["Authorization"].as_str()), ("https://example.org/mcp", "Bearer secret"));
        assert!(servers[1].filled(&|_| None).unwrap_err().contains("`HOST` is not set"));
        for (text, expected) in [
            ("a${EMPTY:-b}c", "abc"),
            ("${EMPTY}", ""),
            ("$HOME $x", "$HOME $x"),
            ("${HOST}${TOKEN}", "example.orgsecret"),
        ] {
            assert_eq!(fill(text, &variable).unwrap(), expected, "{text}");
        }
        assert!(fill("${HOST", &variable).unwrap_err().contains("does not close"));
    }

    #[test]
    fn approval_is_bound_to_everything_that_a_server_does() {
        let print = |text: &str| parse(text).unwrap().usable[0].fingerprint().to_owned();
        let one = |entry: &str| print(&format!(r#"{{"mcpServers": {{"a": {entry}}}}}"#));
        let base = one(r#"{"command": "x", "args": ["1"], "env": {"A": "b"}}"#);
        assert_eq!(base, one(r#"{"env": {"A": "b"}, "type": "stdio", "args": ["1"], "command": "x", "note": 1}"#));
        for other in [
            r#"{"command": "y", "args": ["1"], "env": {"A": "b"}}"#,
            r#"{"command": "x", "args": ["1", ""], "env": {"A": "b"}}"#,
            r#"{"command": "x", "args": ["1"], "env": {"A": "c"}}"#,
            r#"{"command": "x", "args": ["1"], "env": {"A": "b"}, "sandbox": {"network": ["*"]}}"#,
            r#"{"url": "http://x"}"#,
        ] {
            assert_ne!(base, one(other), "{other}");
        }
    }

    #[test]
    fn adding_and_removing_leave_the_rest_of_a_file_alone() {
        let endpoint = Endpoint::Stdio { command: "x".into(), args: vec!["1".into()], env: BTreeMap::new() };
        let reach = Reach { network: vec!["*".into()], write: Vec::new() };
        let added = ServerConfig::usual("new", endpoint, reach).unwrap();
        let text = with(FILE, &added).unwrap();
        assert!(text.contains("\"other\": 1") && text.contains("\"disabled\": false"), "{text}");
        assert_eq!(parse(&text).unwrap().usable.last(), Some(&added));
        let back = without(&text, "new").unwrap().unwrap();
        assert_eq!(parse(&back), parse(FILE));
        assert_eq!(without(&back, "new"), Ok(None));
        assert!(with("[", &added).is_err());
    }
}
