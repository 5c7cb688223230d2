//! What the tests need on the machine beside a Rust toolchain, and how it gets there: one table.
//!
//! Outside `target` nothing is ever installed unless `CI=true` or `--install` says so.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::workspace;

/// One thing that tests need.
pub struct Need {
    /// What it is called in the report and in `OX_TEST_HAVE`.
    pub name: &'static str,
    /// Which tests need it.
    pub used_by: &'static str,
    /// A command that succeeds exactly if it is there.
    pub probe: &'static [&'static str],
    /// Where to get it.
    pub source: From,
}

const fn need(name: &'static str, used_by: &'static str, probe: &'static [&'static str], source: From) -> Need {
    Need { name, used_by, probe, source }
}

/// Where a need comes from.
pub enum From {
    /// Debian packages.
    Apt(&'static [&'static str]),
    /// A Python package, put into a virtual environment under `target`.
    Python(&'static str),
    /// Exactly the Python packages that this file of the repository lists, put into the same environment.
    PythonList(&'static str),
    /// Packages for Node with their versions, put into a folder under `target`. None of their scripts runs.
    Npm(&'static [&'static str]),
    /// Exactly the packages of the lock file in this folder of the repository, put into a folder under `target`. None of their
    /// scripts runs.
    NpmLock(&'static str),
}

/// Succeeds if the packages that matter are there in the versions of `peers.txt`.
const PEERS: &str = "from importlib.metadata import version as v; \
    assert (v('litellm'), v('openai'), v('anthropic'), v('google-genai')) == ('1.106.2', '2.54.0', '2.12.0', '3.4.0')";

/// Succeeds if it is there in the version of `schemathesis.txt`.
const SCHEMATHESIS: &str = "from importlib.metadata import version as v; assert v('schemathesis') == '4.32.5'";

/// Succeeds if the SDK stands in this version beside the programs of one of the folders in `PATH`.
const ACP_SDK: &str = "const at = it => { try { return require(it + '/../@agentclientprotocol/sdk/package.json').version } catch {} }; \
    process.exit(process.env.PATH.split(':').some(it => at(it) === '2.4.0') ? 0 : 1)";

/// Succeeds if the MCP servers and the SDK are there in the versions of `mcp.txt`.
const MCP: &str = "from importlib.metadata import version as v; \
    assert (v('mcp'), v('mcp-server-git')) == ('2.3.0', '2026.10.19')";

/// Everything that the tests of this workspace use. A test that needs one more adds a line here.
pub const NEEDS: &[Need] = &[
    need("git", "repository tests, tidy", &["git", "--version"], From::Apt(&["git"])),
    need("cc", "the build of SQLite", &["cc", "--version"], From::Apt(&["gcc", "libc6-dev"])),
    need(
        "python3",
        "checks of Python projects",
        &["python3", "-c", "import venv, ensurepip"],
        From::Apt(&["python3", "python3-venv"]),
    ),
    need("pytest", "checks of Python projects", &["python3", "-m", "pytest", "--version"], From::Python("pytest")),
    need(
        "peers",
        "wire formats against LiteLLM and the official clients",
        &["python3", "-c", PEERS],
        From::PythonList("xtask/src/peers.txt"),
    ),
    need(
        "schemathesis",
        "the HTTP interface against its description",
        &["python3", "-c", SCHEMATHESIS],
        From::PythonList("xtask/src/schemathesis.txt"),
    ),
    need("node", "checks of npm projects", &["node", "--version"], From::Apt(&["nodejs"])),
    need("npm", "checks of npm projects", &["npm", "--version"], From::Apt(&["npm"])),
    need("tmux", "a conversation inside tmux", &["tmux", "-V"], From::Apt(&["tmux"])),
    need("zsh", "completions in the shells", &["zsh", "--version"], From::Apt(&["zsh"])),
    need("fish", "completions in the shells", &["fish", "--version"], From::Apt(&["fish"])),
    need("elvish", "completions in the shells", &["elvish", "-version"], From::Apt(&["elvish"])),
    need("podman", "ways out of containers", &["podman", "--version"], From::Apt(&["podman", "netavark"])),
    // Podman's usual runtime refuses some arrangements of control groups that this one takes.
    need("runc", "ways out of containers", &["runc", "--version"], From::Apt(&["runc"])),
    need("pyright", "language servers", &["pyright", "--version"], From::Npm(&["pyright@1.1.414"])),
    // The last version that runs on the Node of Debian 12, with the last compiler that speaks its protocol.
    need(
        "typescript-language-server",
        "language servers",
        &["typescript-language-server", "--version"],
        From::Npm(&["typescript-language-server@4.4.1", "typescript@5.9.3"]),
    ),
    need(
        "acp-sdk",
        "a session with the SDK of editors",
        &["node", "-e", ACP_SDK],
        From::Npm(&["@agentclientprotocol/sdk@2.4.0", "zod@4.6.7"]),
    ),
    need(
        "mcp-server-everything",
        "MCP servers",
        &["sh", "-c", "command -v mcp-server-everything && command -v mcp-server-filesystem"],
        From::Npm(&[
            "@modelcontextprotocol/server-everything@2026.8.31",
            "@modelcontextprotocol/server-filesystem@2026.8.31",
        ]),
    ),
    // The last versions that run on the Node that is installed here.
    need(
        "mcp-suite",
        "MCP: the conformance suite and the inspector",
        &["sh", "-c", "command -v conformance && command -v mcp-inspector-cli"],
        From::Npm(&["@modelcontextprotocol/conformance@0.1.13", "@modelcontextprotocol/inspector-cli@1.0.3"]),
    ),
    need("mcp", "MCP servers", &["python3", "-c", MCP], From::PythonList("xtask/src/mcp.txt")),
    need("web", "the web page", &["npm", "--version"], From::NpmLock("web")),
    need("sdk", "the client for TypeScript", &["npm", "--version"], From::NpmLock("sdk/typescript")),
    need("chromium", "the web page in a browser", &["/usr/bin/chromium", "--version"], From::Apt(&["chromium"])),
    // It asks for a newer Node than that of Debian 12, and runs on it.
    need("acpx", "a session with a client of editors' protocol", &["acpx", "--version"], From::Npm(&["acpx@0.19.1"])),
    need("dpkg-deb", "packages", &["dpkg-deb", "--version"], From::Apt(&["dpkg"])),
    need("readelf", "packages", &["readelf", "--version"], From::Apt(&["binutils"])),
    need("jq", "the action for GitHub", &["jq", "--version"], From::Apt(&["jq"])),
    need("curl", "packages", &["curl", "--version"], From::Apt(&["curl"])),
    need("shellcheck", "packages", &["shellcheck", "--version"], From::Apt(&["shellcheck"])),
    need(
        "postgresql",
        "conversations on PostgreSQL",
        &["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"],
        From::Apt(&["postgresql"]),
    ),
    need("ctags", "`bench index`, for comparison", &["ctags", "--version"], From::Apt(&["universal-ctags"])),
    need("ripgrep", "`bench index`, for comparison", &["rg", "--version"], From::Apt(&["ripgrep"])),
    need("clangd", "language servers", &["clangd", "--version"], From::Apt(&["clangd"])),
    need("gopls", "language servers", &["gopls", "version"], From::Apt(&["gopls", "golang-go"])),
];

/// What became of one need.
pub enum Outcome {
    /// It was there or has been installed.
    Present,
    /// It is not there, and why.
    Missing(String),
}

/// The `PATH` under which tests run: the tools that were put into `target` come first.
pub fn path() -> std::ffi::OsString {
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let own = [environment().join("bin"), packages().join("node_modules/.bin")];
    let all = own.into_iter().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).unwrap_or(rest)
}

/// Looks for everything in the table; `install` allows packages of the system to be added.
pub fn meet(install: bool) -> Vec<(&'static Need, Outcome)> {
    let mut updated = false;
    NEEDS.iter().map(|need| (need, meet_one(need, install, &mut updated))).collect()
}

/// The needs that are met at this moment.
pub fn present() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| is_there(need)).collect()
}

fn meet_one(need: &Need, install: bool, updated: &mut bool) -> Outcome {
    if is_there(need) {
        return Outcome::Present;
    }
    let commands = match need.source {
        From::Apt(packages) if install => apt(packages, updated),
        From::Apt(packages) => {
            return Outcome::Missing(format!(
                "install it with `apt-get install {}` or run with --install",
                packages.join(" ")
            ));
        }
        From::Python(package) => python(&[package]),
        From::Npm(packages) => npm(packages),
        From::NpmLock(folder) => npm_lock(folder),
        // Bytecode is compiled for what is imported only; versions are pinned, so that nothing has to be worked out.
        From::PythonList(file) => {
            let file = workspace::root().join(file).display().to_string();
            python(&["--no-deps", "--no-compile", "--requirement", &file])
        }
    };
    for command in commands {
        println!("    {}", command.join(" "));
        if !succeeds(&command) {
            return Outcome::Missing(format!("`{}` failed", command.join(" ")));
        }
    }
    match is_there(need) {
        true => Outcome::Present,
        false => Outcome::Missing(format!("it was installed, yet `{}` fails", need.probe.join(" "))),
    }
}

fn apt(packages: &[&str], updated: &mut bool) -> Vec<Vec<String>> {
    let mut commands: Vec<Vec<String>> = Vec::new();
    // A fresh machine knows no packages before its first update.
    if !std::mem::replace(updated, true) {
        commands.push(["apt-get", "update", "-q"].map(String::from).to_vec());
    }
    let mut install: Vec<String> =
        ["apt-get", "install", "-q", "-y", "--no-install-recommends"].map(String::from).to_vec();
    install.extend(packages.iter().map(ToString::to_string));
    commands.push(install);
    if !is_root() {
        commands.iter_mut().for_each(|command| command.insert(0, "sudo".into()));
    }
    commands
}

fn python(what: &[&str]) -> Vec<Vec<String>> {
    let folder = environment().display().to_string();
    let pip = environment().join("bin/pip").display().to_string();
    let mut install = [&pip, "install", "--quiet", "--disable-pip-version-check"].map(String::from).to_vec();
    install.extend(what.iter().map(ToString::to_string));
    vec![["python3", "-m", "venv", &folder].map(String::from).to_vec(), install]
}

fn npm(names: &[&str]) -> Vec<Vec<String>> {
    let folder = packages().display().to_string();
    let mut install: Vec<String> =
        ["npm", "install", "--prefix", &folder, "--no-audit", "--no-fund", "--ignore-scripts"]
            .map(String::from)
            .to_vec();
    install.extend(names.iter().map(ToString::to_string));
    vec![["mkdir", "-p", &folder].map(String::from).to_vec(), install]
}

fn npm_lock(folder: &str) -> Vec<Vec<String>> {
    let (from, to) = (workspace::root().join(folder), tools().join(folder));
    let at = |path: PathBuf| path.display().to_string();
    let copied = |file: &str| vec!["cp".to_owned(), at(from.join(file)), at(to.join(file))];
    let install = ["npm", "ci", "--prefix", &at(to.clone()), "--no-audit", "--no-fund", "--ignore-scripts"];
    vec![
        vec!["mkdir".to_owned(), "-p".to_owned(), at(to.clone())],
        copied("package.json"),
        copied("package-lock.json"),
        install.map(String::from).to_vec(),
    ]
}

/// True where a need is met: its command succeeds, or the packages of its lock file are in place.
fn is_there(need: &Need) -> bool {
    let From::NpmLock(folder) = need.source else { return succeeds(need.probe) };
    let lock = |root: PathBuf| std::fs::read(root.join(folder).join("package-lock.json")).ok();
    let installed = tools().join(folder).join("node_modules/.package-lock.json").is_file();
    installed && lock(tools()) == lock(workspace::root())
}

/// The virtual environment for Python tools; `cargo clean` removes it.
fn environment() -> PathBuf {
    tools().join("python")
}

/// The packages for Node; `cargo clean` removes them.
fn packages() -> PathBuf {
    tools().join("npm")
}

fn tools() -> PathBuf {
    workspace::target().join("tools")
}

/// Whether this runs as the administrator.
pub fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout.starts_with(b"0\n"))
}

fn succeeds<S: AsRef<str>>(command: &[S]) -> bool {
    let Some((program, args)) = command.split_first() else { return false };
    let shows = Command::new(program.as_ref())
        .args(args.iter().map(AsRef::as_ref))
        .env("PATH", path())
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .output();
    match shows {
        Ok(output) => output.status.success(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_apt_list_is_updated_once() {
        let mut updated = false;
        let first = apt(&["a", "b"], &mut updated);
        let second = apt(&["c"], &mut updated);
        let shows =
            |commands: &[Vec<String>]| commands.iter().map(|c| c.join(" ").replace("sudo ", "")).collect::<Vec<_>>();
        assert_eq!(shows(&first), ["apt-get update -q", "apt-get install -q -y --no-install-recommends a b"]);
        assert_eq!(shows(&second), ["apt-get install -q -y --no-install-recommends c"]);
    }

    #[test]
    fn the_listed_peers_are_the_ones_that_are_looked_for() {
        let list = include_str!("peers.txt");
        for name in ["litellm", "openai", "anthropic", "google-genai"] {
            let line = list.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix("=="));
            let version = line.unwrap_or_else(|| panic!("{name} is not listed"));
            assert!(PEERS.contains(&format!("'{version}'")), "{name} {version} is not what is looked for");
        }
        let other = include_str!("schemathesis.txt");
        let version = other.lines().find_map(|it| it.strip_prefix("schemathesis=="));
        assert!(SCHEMATHESIS.contains(&format!("'{}'", version.expect("it is listed"))));
        let pins = |list: &'static str| list.lines().filter(|it| !it.starts_with('#')).map(|it| it.split_once("=="));
        let shared: std::collections::BTreeMap<_, _> =
            pins(list).map(|it| it.expect("every version is pinned")).collect();
        let servers = include_str!("mcp.txt");
        for (name, version) in pins(other).chain(pins(servers)).map(|it| it.expect("every version is pinned")) {
            assert_eq!(version, *shared.get(name).unwrap_or(&version), "all lists go into one environment: {name}");
        }
        let version = servers.lines().find_map(|it| it.strip_prefix("mcp-server-git=="));
        for version in [version.expect("it is listed"), shared["mcp"]] {
            assert!(MCP.contains(&format!("'{version}'")), "{version} is not what is looked for");
        }
    }

    #[test]
    fn what_may_not_be_installed_is_missing_with_the_command_that_would() {
        let need = Need { name: "x", used_by: "", probe: &["false"], source: From::Apt(&["x-package"]) };
        let Outcome::Missing(why) = meet_one(&need, false, &mut false) else { panic!("`false` cannot be present") };
        assert_eq!(why, "install it with `apt-get install x-package` or run with --install");
    }
}
