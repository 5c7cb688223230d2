//! From a job to a plan: what the rights mean on this machine.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ox_protocol::{Job, Network};

use super::mounts::resolved;
use super::plan::{Forward, NetworkAccess, Plan};
use crate::environment::cleaned;
use crate::protected::plain;
use crate::proxy::Proxy;
use crate::readable::{linked, readable};

/// Folders in the user's home that tools keep what they fetched or built in: commands get private copies.
const CACHES: [&str; 11] =
    [".cache", ".cargo", ".npm", ".gradle", ".m2", "go", ".yarn", ".bun", ".nuget", ".local/share/pnpm", ".pnpm-store"];
/// Variables that move such a folder.
const MOVED: [&str; 7] =
    ["XDG_CACHE_HOME", "CARGO_HOME", "npm_config_cache", "GRADLE_USER_HOME", "GOPATH", "GOCACHE", "UV_CACHE_DIR"];
/// Where tools are to keep what they fetch or build while their usual folder in the home does not exist: nobody may make it
/// there.
const INSTEAD: [(&str, &str, &str); 6] = [
    (".cache", "XDG_CACHE_HOME", "/tmp/.cache"),
    (".cargo", "CARGO_HOME", "/tmp/.cache/cargo"),
    (".npm", "npm_config_cache", "/tmp/.cache/npm"),
    (".gradle", "GRADLE_USER_HOME", "/tmp/.cache/gradle"),
    (".m2", "MAVEN_OPTS", "-Dmaven.repo.local=/tmp/.cache/maven"),
    ("go", "GOPATH", "/tmp/.cache/go"),
];
/// Variables that lead to something that is not inside, where it is not granted by itself.
const OUTSIDE: &str = "TMPDIR TMP TEMP XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK DISPLAY XAUTHORITY \
    WAYLAND_DISPLAY DOCKER_HOST TMUX STY";
/// Files that only root may read, hidden from commands of root.
const OF_ROOT: [&str; 5] = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers"];

/// The plan for `job`; an error says which right cannot be had. `shared`: it is to enter a network that exists.
pub(super) fn plan(job: &Job, forwards: Vec<Forward>, shared: bool) -> Result<Plan, String> {
    let rights = &job.rights;
    let network = if rights.network == Network::All { NetworkAccess::All } else { NetworkAccess::Forwards };
    let write = outermost(&rights.write);
    if write.iter().any(|it| it == Path::new("/")) {
        return Err("the whole file system cannot be made writable; name a folder".to_owned());
    }
    let env = environment(job, network, &forwards);
    let keep = readable(&env, &write);
    // What lies there becomes visible by our doing, and with it no secret.
    let secrets = keep.iter().flat_map(|it| crate::protected::secrets_at(it));
    // By the name that the project has for it.
    let linked = linked(&write).into_iter().filter(|it| it.0.ends_with("node_modules")).map(|it| it.1);
    let caches: Vec<PathBuf> = caches().iter().cloned().chain(linked).filter(|it| !write.contains(it)).collect();
    let cores = std::thread::available_parallelism().map_or(1, |it| it.get() as u64);
    Ok(Plan {
        argv: job.argv.iter().map(OsString::from).collect(),
        hide: rights.hide.iter().cloned().chain(secrets).chain(roots()).collect(),
        env: env.into_iter().map(joined).collect(),
        cwd: job.cwd.canonicalize().unwrap_or_else(|_| job.cwd.clone()).into(),
        read: rights.read.iter().filter_map(|it| fs::canonicalize(it).ok()).collect(),
        protect: rights.protect.iter().map(|it| within(it, &rights.write)).collect(),
        open: rights.open.iter().map(|it| within(it, &rights.write)).collect(),
        caches: outermost(&caches),
        discard: if rights.discard { write.clone() } else { Vec::new() },
        keep,
        scratch: rights.scratch.as_ref().and_then(|it| fs::canonicalize(it).ok()).map(OsString::from),
        write,
        network,
        shared,
        forwards,
        memory: rights.memory,
        disk: rights.disk,
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
    let place = path.parent().and_then(resolved).zip(path.file_name());
    place.map_or_else(|| path.to_path_buf(), |(folder, name)| folder.join(name))
}

/// Variables that let package managers answer from what they have, or fail at once, where nobody can be reached: they
/// would try for a minute.
const OFFLINE: [(&str, &str); 6] = [
    ("npm_config_offline", "true"),
    ("CARGO_NET_OFFLINE", "true"),
    ("PIP_RETRIES", "0"),
    ("UV_OFFLINE", "1"),
    ("YARN_ENABLE_NETWORK", "0"),
    ("COREPACK_ENABLE_NETWORK", "0"),
];

fn environment(job: &Job, network: NetworkAccess, forwards: &[Forward]) -> BTreeMap<OsString, OsString> {
    let inherited = cleaned(job.terminal.is_some()).into_iter();
    let granted = |value: &OsString| job.rights.write.iter().any(|it| it.as_os_str() == value);
    let inherited =
        inherited.filter(|(name, value)| granted(value) || OUTSIDE.split_ascii_whitespace().all(|it| name != it));
    let offline = if network != NetworkAccess::All && forwards.is_empty() { &OFFLINE[..] } else { &[] };
    let own = offline.iter().chain(&[("TMPDIR", "/tmp")]).map(|(name, value)| (name.into(), value.into()));
    let proxy = forwards.first().map(|it| Proxy::environment(it.port)).unwrap_or_default();
    let set = job.env.iter().cloned().chain(proxy).map(|(name, value)| (OsString::from(name), OsString::from(value)));
    // The last of several values counts.
    let mut all: BTreeMap<_, _> = own.chain(inherited).chain(set).collect();
    let home = all.get(OsStr::new("HOME")).map(PathBuf::from).filter(|it| it.is_absolute()).unwrap_or_default();
    for (_, name, value) in INSTEAD.iter().filter(|it| !home.join(it.0).exists()) {
        all.entry(name.into()).or_insert_with(|| value.into());
    }
    all
}

/// `NAME=value`.
fn joined((mut name, value): (OsString, OsString)) -> OsString {
    name.push("=");
    name.push(value);
    name
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
