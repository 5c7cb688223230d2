//! What there is to trust in a folder: found by reading, never by running.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use ox_extensions::{Cost, Extensions, Item, Source};
use ox_protocol::Problem;
use ox_repo::Hash;
use toml::Value;

use crate::keys::kind::Kind;
use crate::layers::layer::{Setting, of_file, shown};
use crate::layers::origin::Origin;
use crate::paths::{project_file, same_file};

/// A script that is larger is known by its size and its first part.
const SCRIPT: u64 = 4 << 20;

/// One thing to trust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrustItem {
    /// What kind of thing.
    pub kind: ItemKind,
    /// As it is written: `limits.max_iterations = 7`, `before_tool: sh check.sh`, `scripts/check.sh`.
    pub text: String,
    /// True when it was trusted before, exactly as it is.
    pub known: bool,
    /// What it takes of a model's window, for what a model reads.
    pub cost: Option<Cost>,
    /// Equal for equal things only.
    pub(super) fingerprint: String,
}

/// The kinds of things.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ItemKind {
    /// A hook: a command that Ox runs by itself.
    Hook,
    /// A file of the project that a hook names.
    Script,
    /// An MCP server of `.mcp.json`: a program that Ox starts when its tools are wanted, or an address that it speaks to.
    Server,
    /// A check: a command that verifies the work.
    Check,
    /// A kind of sub-agent: a file with its prompt, its tools and its mode.
    Agent,
    /// A skill: a folder with instructions.
    Skill,
    /// A custom command: a file with a prompt.
    Command,
    /// A value of the configuration.
    Key,
}

impl ItemKind {
    /// Key of its name in the catalogue.
    pub fn code(self) -> &'static str {
        match self {
            ItemKind::Hook => "trust.thing.hook",
            ItemKind::Script => "trust.thing.script",
            ItemKind::Server => "trust.thing.server",
            ItemKind::Check => "trust.thing.check",
            ItemKind::Agent => "trust.thing.agent",
            ItemKind::Skill => "trust.thing.skill",
            ItemKind::Command => "trust.thing.command",
            ItemKind::Key => "trust.thing.key",
        }
    }
}

/// What there is to trust in the folder `root`, what runs first. `own` is the user's own file, which is never asked
/// about. Fails where the project's configuration cannot be read.
pub fn items(root: &Path, own: Option<&Path>) -> Result<Vec<TrustItem>, Problem> {
    let file = project_file(root);
    if own.is_some_and(|own| same_file(own, &file)) {
        return Ok(servers(root));
    }
    let settings = of_file(&file, &|line| Origin::Project { file: file.clone(), line })?;
    let mut all: Vec<TrustItem> = settings.iter().flat_map(of_setting).collect();
    let found = Extensions::find(&Source::of_project(root));
    for path in scripts(root, &settings, &found) {
        let text = path.strip_prefix(root.canonicalize().unwrap_or_default()).unwrap_or(&path).display().to_string();
        let fingerprint = format!("script {text} {}", content(&path));
        all.push(TrustItem { kind: ItemKind::Script, text, known: false, cost: None, fingerprint });
    }
    all.extend(found.items().iter().map(|it| of_extension(root, it)));
    all.extend(servers(root));
    all.sort_by_key(|it| it.kind);
    Ok(all)
}

/// The files in the folder `root` that trust in it rests on: its configuration, what it adds in files of its own, and the
/// scripts of its hooks. Whoever may change them unasked has more than he was given.
pub fn trusted_files(root: &Path) -> Vec<PathBuf> {
    let file = project_file(root);
    let settings = of_file(&file, &|line| Origin::Project { file: file.clone(), line }).unwrap_or_default();
    let found = Extensions::find(&Source::of_project(root));
    let added: BTreeSet<PathBuf> = found.items().into_iter().flat_map(|it| it.files).collect();
    std::iter::once(file.clone()).chain(scripts(root, &settings, &found)).chain(added).collect()
}

/// A thing that a file of the project adds, by all that it is made of.
fn of_extension(root: &Path, item: &Item) -> TrustItem {
    let place = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    let (kind, word) = match item.kind {
        ox_extensions::ItemKind::Hook => {
            let fingerprint = format!("hook of a file {}", Hash::of(item.name.as_bytes()));
            return TrustItem { kind: ItemKind::Hook, text: item.name.clone(), known: false, cost: None, fingerprint };
        }
        ox_extensions::ItemKind::Agent => (ItemKind::Agent, "agent"),
        ox_extensions::ItemKind::Skill => (ItemKind::Skill, "skill"),
        ox_extensions::ItemKind::Command => (ItemKind::Command, "command"),
    };
    let contents: Vec<String> = item.files.iter().map(|it| format!("{} {}", place(it), content(it))).collect();
    let fingerprint = format!("{word} {}", Hash::of(contents.join("\n").as_bytes()));
    TrustItem { kind, text: place(&item.path), known: false, cost: Some(item.cost), fingerprint }
}

/// The MCP servers of the project's file. One that cannot be read is never started.
fn servers(root: &Path) -> Vec<TrustItem> {
    let text = std::fs::read_to_string(root.join(ox_mcp::PROJECT_FILE)).unwrap_or_default();
    let one = |it: &ox_mcp::ServerConfig| TrustItem {
        kind: ItemKind::Server,
        text: format!("{}: {}", it.name, it.summary()),
        known: false,
        cost: None,
        fingerprint: format!("server {}", it.fingerprint()),
    };
    ox_mcp::parse(&text).unwrap_or_default().usable.iter().map(one).collect()
}

fn of_setting(setting: &Setting) -> Vec<TrustItem> {
    let what = |kind: ItemKind, text: String, value: String| {
        let fingerprint = format!("{} {}", kind.code(), Hash::of(value.as_bytes()));
        TrustItem { kind, text, known: false, cost: None, fingerprint }
    };
    let tables = setting.value.as_array().into_iter().flatten();
    match setting.key.kind {
        Kind::Hooks => tables.map(|it| what(ItemKind::Hook, hook_line(it), shown(it))).collect(),
        Kind::Commands => tables.map(|it| what(ItemKind::Check, word(it, "command"), shown(it))).collect(),
        _ => {
            let line = format!("{} = {}", setting.name(), shown(&setting.value));
            vec![what(ItemKind::Key, line.clone(), line)]
        }
    }
}

fn hook_line(hook: &Value) -> String {
    let tools: Vec<&str> =
        hook.get("tools").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    let about = if tools.is_empty() { String::new() } else { format!(" ({})", tools.join(", ")) };
    format!("{}{about}: {}", word(hook, "at"), word(hook, "command"))
}

fn word(table: &Value, name: &str) -> String {
    table.get(name).and_then(Value::as_str).unwrap_or_default().to_string()
}

/// The files of the project that a hook's command line names. What such a file runs in turn is not looked into.
fn scripts(root: &Path, settings: &[Setting], found: &Extensions) -> BTreeSet<PathBuf> {
    let Ok(root) = root.canonicalize() else { return BTreeSet::new() };
    let hooks = settings.iter().filter(|it| it.key.kind == Kind::Hooks);
    let lines = hooks.flat_map(|it| it.value.as_array().into_iter().flatten()).map(|it| word(it, "command"));
    // Other agents say so where the project is.
    let placed = |line: &str| line.replace("${CLAUDE_PROJECT_DIR}", ".").replace("$CLAUDE_PROJECT_DIR", ".");
    let lines = lines.chain(found.hooks.iter().map(|it| placed(&it.hook.command)));
    lines.flat_map(|line| named(&root, &line)).collect()
}

fn named(root: &Path, line: &str) -> Vec<PathBuf> {
    let parts = line.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=$:,".contains(c));
    let real = parts.filter(|it| !it.is_empty()).filter_map(|it| root.join(it).canonicalize().ok());
    real.filter(|it| it.starts_with(root) && it.is_file()).collect()
}

fn content(file: &Path) -> String {
    let read = || {
        let opened = File::open(file)?;
        let size = opened.metadata()?.len();
        let mut bytes = Vec::new();
        opened.take(SCRIPT).read_to_end(&mut bytes)?;
        Ok::<String, std::io::Error>(format!("{} {size}", Hash::of(&bytes)))
    };
    read().unwrap_or_else(|error| format!("unreadable {:?}", error.kind()))
}
