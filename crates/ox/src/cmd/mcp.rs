//! `ox mcp`: the MCP servers that Ox uses: added, listed, removed, logged in to, tried; alone, Ox as a server for other agents.
//!
//! Adding one starts nothing. A server of the project's file is used only where somebody trusted the project as it is.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use ox_app::Project;
use ox_app::mcp_tools::ProjectTools;
use ox_app::project::mcp::{KnownServer, ServerScope};
use ox_mcp::{Endpoint, Launcher, Login, McpServers, Prompt, Reach, ServerConfig, usage};
use ox_protocol::Problem;
use ox_ui::text::{Line, Role, wrap};
use serde_json::json;
use tokio::runtime::Runtime;

use super::print::{columns, err, json as print_json, out};
use super::trust::plain;
use crate::cmd::shared;

/// Arguments of `ox mcp`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct McpArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// Serve over HTTP on this address of this machine, such as 127.0.0.1:7900, instead of over standard input and output.
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Add a server: `ox mcp add NAME -- COMMAND ARGS`, or `ox mcp add --transport http NAME URL`.
    Add(AddArgs),
    /// List the servers.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show one server.
    Get {
        /// Name of the server.
        name: String,
    },
    /// Remove a server.
    Remove {
        /// Name of the server.
        name: String,
        /// Where it is configured; by default wherever it is.
        #[arg(short, long, value_enum)]
        scope: Option<Scope>,
    },
    /// Log in to a server in the browser.
    Login {
        /// Name of the server.
        name: String,
        /// Forget the login instead.
        #[arg(long)]
        remove: bool,
    },
    /// Start or reach a server and list its tools; without a name, say of each whether it answers.
    Test {
        /// Name of the server.
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
struct AddArgs {
    /// How the server is reached.
    #[arg(short, long, value_enum, default_value = "stdio")]
    transport: Transport,
    /// Where to configure it: for you everywhere, or in `.mcp.json` for everybody who works on this project.
    #[arg(short, long, value_enum, default_value = "user")]
    scope: Scope,
    /// Variable of its environment, as NAME=VALUE; `${NAME}` in the value takes yours. May be repeated.
    #[arg(short, long, value_name = "NAME=VALUE")]
    env: Vec<String>,
    /// Header of each request, as `Name: value`; `${NAME}` in the value takes your variable. May be repeated.
    #[arg(short = 'H', long, value_name = "HEADER")]
    header: Vec<String>,
    /// Host that a started server may speak to; `*` for all. May be repeated.
    #[arg(long, value_name = "HOST")]
    network: Vec<String>,
    /// Folder that a started server may write. May be repeated.
    #[arg(long, value_name = "DIR")]
    write: Vec<String>,
    /// Name of the server.
    name: String,
    /// Command and its arguments, or the URL.
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND|URL")]
    target: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Transport {
    Stdio,
    Http,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    User,
    Project,
}

impl Scope {
    fn of(self) -> ServerScope {
        match self {
            Scope::User => ServerScope::User,
            Scope::Project => ServerScope::Project,
        }
    }
}

/// Adds, shows, removes, logs in, tries. Exit code 1 where a server does not answer.
pub fn run(args: McpArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    if let Some(address) = args.listen {
        return listen(project, address);
    }
    let Some(what) = args.what else { return serve(project) };
    match what {
        What::Add(args) => add(&project, args),
        What::List { json } => Ok(list(&project, json)),
        What::Get { name } => get(&project, &name),
        What::Remove { name, scope } => remove(&project, &name, scope),
        What::Login { name, remove } => login(&project, &name, remove),
        What::Test { name: Some(name) } => test(&project, &name),
        What::Test { name: None } => test_all(&project),
    }
}

/// What models of other agents are told.
const INSTRUCTIONS: &str = "Tools of Ox for this project: an index of its code (search_semantic, find_symbol, find_references, \
impact), edits that are refused where their place is not certain, the project's own checks in a sandbox, and whole tasks.";

/// Serves the project's tools to the agent that started this process.
fn serve(project: Project) -> anyhow::Result<u8> {
    use std::io::IsTerminal;
    if std::io::stdin().is_terminal() {
        return Err(Problem::new("mcp.no_agent").into());
    }
    let tools = ProjectTools::of(project, std::env::current_exe()?)?;
    let served = shared::runtime()?.block_on(ox_mcp::serve_stdio(Arc::new(tools), INSTRUCTIONS));
    served.map_err(|why| Problem::new("mcp.connection").with("why", why))?;
    Ok(0)
}

/// The file in the folder of Ox's state with the token of those who call over HTTP. It is not that of `ox serve`, with which more could
/// be done.
const TOKEN: &str = "mcp-token";

/// Serves them over HTTP to agents on this machine that have the token.
fn listen(project: Project, address: SocketAddr) -> anyhow::Result<u8> {
    let language = project.settings.language;
    if !address.ip().is_loopback() {
        return Err(Problem::new("mcp.not_here").with("address", address).into());
    }
    let state = project.paths.state_dir.clone();
    let token = ox_server::token(&state, TOKEN)?;
    let tools = Arc::new(ProjectTools::of(project, std::env::current_exe()?)?);
    let runtime = shared::runtime()?;
    let served = runtime.block_on(async {
        let no_port = |error| Problem::new("server.no_port").with("port", address.port()).with("why", error);
        let listener = tokio::net::TcpListener::bind(address).await.map_err(no_port)?;
        let url = format!("http://{}{}", listener.local_addr()?, ox_mcp::HTTP_PATH);
        out(&language.say("mcp.at", &[("url", &url)]));
        let file = state.join(TOKEN).display().to_string();
        err(&language.say("mcp.token", &[("url", &url), ("file", &file)]));
        let served = ox_mcp::serve_http(tools, INSTRUCTIONS, listener, &token, super::serve::stopped()).await;
        served.map_err(|why| Problem::new("error.session").with("why", why))?;
        Ok(0)
    });
    // Checks that run on for nobody keep nothing from ending.
    runtime.shutdown_timeout(Duration::ZERO);
    served
}

fn wrong(why: impl std::fmt::Display) -> Problem {
    Problem::new("usage.mcp").with("why", why)
}

fn add(project: &Project, args: AddArgs) -> anyhow::Result<u8> {
    let pairs = |texts: &[String], sign: char| {
        let pair = |it: &String| match it.split_once(sign) {
            Some((name, value)) => Ok((name.trim().to_owned(), value.trim_start().to_owned())),
            None => Err(wrong(format!("`{it}` has no `{sign}`"))),
        };
        texts.iter().map(pair).collect::<Result<BTreeMap<String, String>, Problem>>()
    };
    let mut target = args.target.into_iter();
    let first = target.next().unwrap_or_default();
    let rest: Vec<String> = target.collect();
    let endpoint = match args.transport {
        Transport::Stdio => Endpoint::Stdio { command: first, args: rest, env: pairs(&args.env, '=')? },
        Transport::Http if !rest.is_empty() => return Err(wrong(format!("`{}` after the URL", rest.join(" "))).into()),
        Transport::Http => Endpoint::Http { url: first, headers: pairs(&args.header, ':')? },
    };
    let reach = Reach { network: args.network, write: args.write };
    let server = ServerConfig::usual(&args.name, endpoint, reach).map_err(wrong)?;
    let scope = args.scope.of();
    let file = project.mcp_file(scope);
    let text = ox_mcp::with(&project.mcp_text(scope)?, &server)
        .map_err(|why| Problem::new("mcp.file").with("file", file.display()).with("why", why))?;
    project.write_mcp(scope, &text)?;
    let language = project.settings.language;
    let shown = file.display().to_string();
    err(&language.say("mcp.added", &[("name", &server.name), ("file", &shown)]));
    if scope == ServerScope::Project {
        err(&language.say("mcp.needs_trust", &[]));
    }
    Ok(0)
}

fn list(project: &Project, as_json: bool) -> u8 {
    let language = project.settings.language;
    let known = project.mcp_known();
    if as_json {
        let one = |it: &KnownServer| json!({"name": it.config.name, "scope": scope_name(it.scope), "trusted": it.counts, "what": it.config.summary()});
        print_json(&known.servers.iter().map(one).collect::<Vec<_>>().into());
    } else if known.servers.is_empty() {
        err(&language.say("mcp.none", &[]));
    } else {
        let row = |it: &KnownServer| {
            let note = if it.counts { String::new() } else { language.say("mcp.untrusted", &[]) };
            vec![it.config.name.clone(), scope_name(it.scope).to_owned(), plain(&it.config.summary()), note]
        };
        out(&columns(&known.servers.iter().map(row).collect::<Vec<_>>()));
    }
    known.problems.iter().for_each(|it| err(&language.problem(it)));
    0
}

fn scope_name(scope: ServerScope) -> &'static str {
    match scope {
        ServerScope::User => "user",
        ServerScope::Project => "project",
        ServerScope::Plugin => "plugin",
    }
}

fn find(project: &Project, name: &str) -> Result<KnownServer, Problem> {
    let known = project.mcp_known();
    let names: Vec<&str> = known.servers.iter().map(|it| it.config.name.as_str()).collect();
    let names = names.join(", ");
    let found = known.servers.iter().find(|it| it.config.name == name).cloned();
    found.ok_or_else(|| Problem::new("mcp.unknown").with("name", name).with("known", names))
}

fn get(project: &Project, name: &str) -> anyhow::Result<u8> {
    let it = find(project, name)?;
    let language = project.settings.language;
    out(&plain(&it.config.summary()));
    out(&project.mcp_file(it.scope).display().to_string());
    if !it.counts {
        err(&language.say("mcp.needs_trust", &[]));
    }
    Ok(0)
}

fn remove(project: &Project, name: &str, scope: Option<Scope>) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let scopes = scope.map_or(vec![ServerScope::User, ServerScope::Project], |it| vec![it.of()]);
    for scope in scopes {
        let file = project.mcp_file(scope);
        let text = ox_mcp::without(&project.mcp_text(scope)?, name)
            .map_err(|why| Problem::new("mcp.file").with("file", file.display()).with("why", why))?;
        if let Some(text) = text {
            project.write_mcp(scope, &text)?;
            err(&language.say("mcp.removed", &[("name", name), ("file", &file.display().to_string())]));
            return Ok(0);
        }
    }
    Err(Problem::new("mcp.unknown").with("name", name).with("known", "").into())
}

/// What starting needs, for a server that may be started.
fn launcher(project: &Project, server: &KnownServer) -> Result<Launcher, Problem> {
    if !server.counts {
        return Err(Problem::new("mcp.needs_trust"));
    }
    let policy = project.sandbox_policy();
    Ok(project.mcp_launcher(Arc::new(project.sandbox()?), &policy))
}

fn login(project: &Project, name: &str, remove: bool) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let server = find(project, name)?;
    let launcher = launcher(project, &server)?;
    let failed = |why: String| Problem::new("mcp.failed").with("name", name).with("why", why);
    if remove {
        let gone = launcher.tokens.forget(name).map_err(failed)?;
        err(&language.say(if gone { "mcp.logged_out" } else { "mcp.no_login" }, &[("name", name)]));
        return Ok(u8::from(!gone));
    }
    shared::runtime()?.block_on(async {
        let login = Login::begin(&server.config, &launcher).await.map_err(failed)?;
        err(&language.say("mcp.login", &[("name", name), ("url", login.page())]));
        login.finish().await.map_err(failed)
    })?;
    err(&language.say("mcp.logged_in", &[("name", name)]));
    Ok(0)
}

/// A line for each server. Exit code 1 where one that may be started does not answer.
fn test_all(project: &Project) -> anyhow::Result<u8> {
    let known = project.mcp_known();
    let language = project.settings.language;
    if known.servers.is_empty() {
        return Ok(list(project, false));
    }
    let runtime = shared::runtime()?;
    let mut code = 0;
    for server in &known.servers {
        let name = server.config.name.as_str();
        let mut about = String::new();
        let line = match launcher(project, server) {
            Err(problem) => format!("! {name}: {}", language.problem(&problem)),
            Ok(launcher) => {
                let servers = McpServers::new(vec![server.config.clone()], &launcher);
                match runtime.block_on(servers.tools(name)) {
                    Ok(list) => {
                        let count = list.tools.len().to_string();
                        let tools = list.tools.iter().map(|it| plain(&it.name)).collect::<Vec<_>>().join(", ");
                        about = wrapped(&tools) + &prompts_of(&runtime, &servers, name);
                        format!("✓ {}", language.say("mcp.answers", &[("name", name), ("count", &count)]))
                    }
                    Err(error) => {
                        code = 1;
                        let problem = Problem::new("mcp.failed").with("name", name).with("why", error);
                        format!("✗ {}", language.problem(&problem))
                    }
                }
            }
        };
        out(&plain(&line));
        out_lines(&about);
    }
    known.problems.iter().for_each(|it| err(&language.problem(it)));
    Ok(code)
}

/// The prompts of a server, a line each: how they are called, and what for.
fn prompts_of(runtime: &Runtime, servers: &McpServers, name: &str) -> String {
    let prompts = runtime.block_on(servers.prompts(name)).unwrap_or_default();
    let row = |it: &Prompt| {
        vec![format!("  {}", plain(&usage(name, it))), plain(it.description.lines().next().unwrap_or_default())]
    };
    columns(&prompts.iter().map(row).collect::<Vec<_>>())
}

/// Names below a line about them.
fn wrapped(names: &str) -> String {
    let line = Line::of(names, Role::Plain).indented(2, 0);
    wrap(&line, ox_ui::columns_of_terminal()).iter().map(|it| it.text() + "\n").collect()
}

fn out_lines(text: &str) {
    if !text.is_empty() {
        out(text);
    }
}

fn test(project: &Project, name: &str) -> anyhow::Result<u8> {
    let server = find(project, name)?;
    let servers = McpServers::new(vec![server.config.clone()], &launcher(project, &server)?);
    let runtime = shared::runtime()?;
    let list = runtime.block_on(servers.tools(name));
    let list = list.map_err(|error| Problem::new("mcp.failed").with("name", name).with("why", error))?;
    let language = project.settings.language;
    let row = |name: &str, said: &str| vec![plain(name), plain(said.lines().next().unwrap_or_default())];
    out(&columns(&list.tools.iter().map(|it| row(&it.name, &it.description)).collect::<Vec<_>>()));
    out_lines(&prompts_of(&runtime, &servers, name));
    for (tool, why) in &list.left_out {
        err(&language.say("mcp.left_out", &[("tool", &plain(tool)), ("why", why)]));
    }
    err(&language.say("mcp.answers", &[("name", name), ("count", &list.tools.len().to_string())]));
    Ok(0)
}
