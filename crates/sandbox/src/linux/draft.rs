//! From a job to a plan: what the rights mean on this machine.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ox_protocol::{Job, Network};

use super::door;
use super::plan::{Plan, Reach};
use crate::environment::cleaned;
use crate::protected::plain;
use crate::proxy::Proxy;

/// Folders in the user's home that tools keep what they fetched or built in: commands get private copies.
const CACHES: [&str; 11] =
    [".cache", ".cargo", ".npm", ".gradle", ".m2", "go", ".yarn", ".bun", ".nuget", ".local/share/pnpm", ".pnpm-store"];
/// Variables that move such a folder.
const MOVED: [&str; 7] =
    ["XDG_CACHE_HOME", "CARGO_HOME", "npm_config_cache", "GRADLE_USER_HOME", "GOPATH", "GOCACHE", "UV_CACHE_DIR"];
/// Variables that lead to something that is not inside.
const OUTSIDE: [&str; 12] = [
    "TMPDIR",
    "TMP",
    "TEMP",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "SSH_AUTH_SOCK",
    "DISPLAY",
    "XAUTHORITY",
    "WAYLAND_DISPLAY",
    "DOCKER_HOST",
    "TMUX",
    "STY",
];
/// Files that only root may read, hidden from commands of root.
const OF_ROOT: [&str; 5] = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];

/// The plan for `job`; an error says which right cannot be had.
pub(super) fn plan(job: &Job) -> Result<Plan, String> {
    let rights = &job.rights;
    let network = match &rights.network {
        Network::None => Reach::Nobody,
        Network::Hosts(hosts) if hosts.is_empty() => Reach::Nobody,
        Network::Hosts(_) => Reach::Proxy,
        Network::All => Reach::All,
    };
    let write = outermost(&rights.write);
    if write.iter().any(|it| it == Path::new("/")) {
        return Err("the whole file system cannot be made writable; name a folder".to_owned());
    }
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    Ok(Plan {
        argv: job.argv.iter().map(OsString::from).collect(),
        env: environment(job, network),
        cwd: job.cwd.canonicalize().unwrap_or_else(|_| job.cwd.clone()),
        read: rights.read.iter().filter_map(|it| fs::canonicalize(it).ok()).collect(),
        protect: rights.protect.iter().map(|it| within(it, &rights.write)).collect(),
        open: rights.open.iter().map(|it| within(it, &rights.write)).collect(),
        hide: rights.hide.iter().cloned().chain(roots()).collect(),
        caches: caches().iter().filter(|it| !write.contains(it)).cloned().collect(),
        write,
        network,
        memory: rights.memory,
        processes: rights.processes.into(),
        seconds: rights.time.as_secs().saturating_add(1).saturating_mul(cores),
        terminal: job.terminal.is_some(),
    })
}

/// The paths that exist, as they really are, without those within others.
fn outermost(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = paths.iter().filter_map(|it| fs::canonicalize(it).ok()).collect();
    all.sort();
    all.dedup_by(|next, first| next.starts_with(first));
    all
}

/// `path` with the writable folder that it lies in as it really is. Links on the rest of the way stay: they are protected too.
fn within(path: &Path, write: &[PathBuf]) -> PathBuf {
    let place = |root: &PathBuf| {
        let real = fs::canonicalize(root).ok()?;
        let rest = path.strip_prefix(root).or_else(|_| path.strip_prefix(&real)).ok()?;
        Some(real.join(rest))
    };
    write.iter().find_map(place).unwrap_or_else(|| absolute(path))
}

/// `path` with its folder as it really is: the name itself need not exist, and may be a link.
fn absolute(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut start = path;
    while let (Some(parent), Some(name)) = (start.parent(), start.file_name()) {
        rest.push(name);
        start = parent;
        if let Ok(found) = fs::canonicalize(parent) {
            return rest.iter().rev().fold(found, |path, name| path.join(name));
        }
    }
    path.to_path_buf()
}

fn environment(job: &Job, network: Reach) -> Vec<OsString> {
    let inherited = cleaned(job.terminal.is_some()).into_iter();
    let inherited = inherited.filter(|(name, _)| name.to_str().is_none_or(|it| !OUTSIDE.contains(&it)));
    let proxy = if network == Reach::Proxy { Proxy::environment(door::PORT) } else { Vec::new() };
    let set = job.env.iter().cloned().chain(proxy).map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let mut all: Vec<(OsString, OsString)> = Vec::new();
    for (name, value) in inherited.chain(set) {
        all.retain(|it| it.0 != name);
        all.push((name, value));
    }
    let joined = |(mut name, value): (OsString, OsString)| {
        name.push("=");
        name.push(value);
        name
    };
    all.into_iter().map(joined).collect()
}

/// The folders for private copies that exist; looked for once.
fn caches() -> &'static [PathBuf] {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let home = env::var_os("HOME").map(|it| plain(Path::new(&it))).filter(|it| it.is_absolute());
        let usual = home.iter().flat_map(|home| CACHES.iter().map(|it| home.join(it)));
        let moved = MOVED.iter().filter_map(env::var_os).map(PathBuf::from).filter(|it| it.is_absolute());
        let all: Vec<PathBuf> = usual.chain(moved).filter(|it| it.is_dir()).collect();
        outermost(&all)
    })
}

/// What a command of root must not read although root may; empty for everybody else.
fn roots() -> impl Iterator<Item = PathBuf> {
    static FOUND: OnceLock<Vec<PathBuf>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        if !rustix::process::geteuid().is_root() {
            return Vec::new();
        }
        let keys = fs::read_dir("/etc/ssh").into_iter().flatten().flatten().map(|it| it.path());
        let keys = keys.filter(|it| it.to_string_lossy().ends_with("_key"));
        OF_ROOT.iter().map(PathBuf::from).filter(|it| it.exists()).chain(keys).collect()
    });
    found.iter().cloned()
}
