//! A job as the description of a container. Writes nothing; looks at which of the named paths exist and at what they hold.
//!
//! Never privileged, never with a capability, a device, a socket of a daemon, or a namespace of the host; the image is read
//! only, and only what the rights name is mounted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ox_protocol::names::{self, Obeyed};
use ox_protocol::{Job, Network};
use serde_json::{Value, json};

use super::error::ContainerError;
use super::seccomp::filter;
use crate::environment::quiet;
use crate::protected::{is_installed, kept_of_git};

/// The label that tells whose a container is: the process that made it, and when that process started.
pub(super) const LABEL: &str = "ox.process";
/// Open files at once; more than this machine allows us is what a daemon's default may ask for and then fail.
const FILES: u64 = 65_536;
/// Processes of one user at once, in all containers and outside: Podman takes this bound for itself and can grant no more.
/// What bounds a command is `PidsLimit`.
const USER_PROCESSES: u64 = 32_768;

/// What a policy depends on beside the job.
#[derive(Clone, Debug)]
pub(super) struct DaemonInfo {
    /// The image.
    pub(super) image: String,
    /// Of whoever runs Ox: user and group.
    pub(super) user: (u32, u32),
    /// The daemon runs without root, so that its root is this user.
    pub(super) rootless: bool,
    /// The daemon is Podman, which can keep a user's own number.
    pub(super) podman: bool,
    /// Sockets of daemons; none may be mounted.
    pub(super) sockets: Vec<PathBuf>,
    /// The highest number of open files that this process may grant.
    pub(super) files: u64,
    /// The highest number of processes that this user may grant itself.
    pub(super) user_processes: u64,
    /// What the label says.
    pub(super) owner: String,
    /// A folder of this job's own with an empty folder `empty` and the filter of calls, `calls.json`.
    pub(super) folder: PathBuf,
}

/// A container to be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ContainerSpec {
    /// The body of the request.
    pub(super) body: Value,
    /// Names that do not exist and are covered: the daemon makes a mount point of each, which is to be taken away again.
    pub(super) placeholders: Vec<PathBuf>,
}

/// The description of the container that runs `job`.
pub(super) fn spec(job: &Job, daemon: &DaemonInfo) -> Result<ContainerSpec, ContainerError> {
    let network = match &job.rights.network {
        Network::None => "none",
        Network::All => "default",
        Network::Hosts(hosts) if hosts.is_empty() => "none",
        Network::Hosts(_) => return Err(ContainerError::Hosts),
    };
    let (mounts, placeholders) = mounts(job, daemon)?;
    let memory = job.rights.memory;
    let mut host = json!({
        "Privileged": false,
        "NetworkMode": network,
        "ReadonlyRootfs": true,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges", seccomp(daemon)],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "Memory": memory,
        "MemorySwap": memory,
        "PidsLimit": job.rights.processes,
        "Ulimits": limits(daemon),
        "ShmSize": (memory / 8).clamp(1 << 20, 64 << 20),
        "LogConfig": { "Type": "none", "Config": {} },
        "AutoRemove": false,
        "RestartPolicy": { "Name": "no" },
        "Mounts": mounts,
    });
    let mut user = format!("{}:{}", daemon.user.0, daemon.user.1);
    if daemon.rootless && daemon.podman {
        host["UsernsMode"] = json!("keep-id");
    } else if daemon.rootless {
        // Its root is this user and has no more rights.
        user = "0:0".to_owned();
    }
    let body = json!({
        "Image": daemon.image,
        "Entrypoint": [],
        "Cmd": job.argv,
        "WorkingDir": job.cwd,
        "User": user,
        "Env": environment(job),
        "Tty": job.terminal.is_some(),
        "OpenStdin": true,
        "StdinOnce": true,
        "AttachStdin": true,
        "AttachStdout": true,
        "AttachStderr": true,
        "StopTimeout": 1,
        "Labels": { LABEL: daemon.owner },
        "HostConfig": host,
    });
    Ok(ContainerSpec { body, placeholders })
}

/// Docker takes the filter itself, Podman the name of its file.
fn seccomp(daemon: &DaemonInfo) -> String {
    match daemon.podman {
        true => format!("seccomp={}", daemon.folder.join("calls.json").display()),
        false => format!("seccomp={}", filter()),
    }
}

/// What is said by nobody is asked for by the daemon, and more than this machine grants makes the start fail.
fn limits(daemon: &DaemonInfo) -> Value {
    let limit = |name: &str, most: u64| json!({ "Name": name, "Soft": most, "Hard": most });
    let processes = daemon.user_processes.min(USER_PROCESSES);
    json!([limit("nofile", daemon.files.min(FILES)), limit("nproc", processes), limit("core", 0)])
}

/// What the image sets stays; of Ox's own environment nothing is handed on, for it is about another file system.
fn environment(job: &Job) -> Vec<String> {
    let mut all: BTreeMap<&str, &str> = quiet(job.terminal.is_some()).into();
    all.insert("HOME", "/tmp");
    all.extend(job.env.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    all.into_iter().map(|(name, value)| format!("{name}={value}")).collect()
}

/// The mounts, outer ones first, and the names that are covered though they do not exist.
fn mounts(job: &Job, daemon: &DaemonInfo) -> Result<(Vec<Value>, Vec<PathBuf>), ContainerError> {
    let rights = &job.rights;
    let given = rights.read.iter().map(|it| (it, true)).chain(rights.write.iter().map(|it| (it, rights.discard)));
    // The later entry wins: what may be written is also read.
    let mut open: BTreeMap<PathBuf, bool> = BTreeMap::new();
    for (path, read_only) in given {
        let real =
            path.canonicalize().map_err(|it| ContainerError::Path { path: path.clone(), reason: it.to_string() })?;
        if real == Path::new("/") || daemon.sockets.iter().any(|it| it.starts_with(&real)) {
            return Err(ContainerError::Path {
                path: path.clone(),
                reason: "the daemon's own socket lies in it".to_owned(),
            });
        }
        open.insert(path.clone(), read_only);
    }
    if !open.keys().any(|it| job.cwd.starts_with(it)) {
        let reason = "it is the working folder, and none of the granted paths".to_owned();
        return Err(ContainerError::Path { path: job.cwd.clone(), reason });
    }
    let bind = |from: &Path, to: &Path, read_only: bool| {
        json!({ "Type": "bind", "Source": from, "Target": to, "ReadOnly": read_only,
                "BindOptions": { "Propagation": "rprivate" } })
    };
    let mut all: BTreeMap<PathBuf, Value> =
        open.iter().map(|(path, read_only)| (path.clone(), bind(path, path, *read_only))).collect();
    let seen = |path: &Path| open.keys().any(|it| path.starts_with(it));
    let writable = |path: &Path| open.iter().any(|(it, read_only)| !read_only && path.starts_with(it));
    // Not a file system in memory: some runtimes fill that with a copy of what it covers.
    let nothing = daemon.folder.join("empty");
    let empty = |to: &Path| bind(&nothing, to, true);
    let no_file = |to: &Path| bind(Path::new("/dev/null"), to, true);
    // What listens outside could be spoken to wherever its socket can be reached.
    let hidden = |path: &Path| rights.hide.iter().any(|it| path != it && path.starts_with(it));
    for socket in open.keys().flat_map(|it| sockets_in(it)).filter(|it| !hidden(it)) {
        all.insert(socket.clone(), no_file(&socket));
    }
    // A mount point cannot be renamed: else the folder around a protected name could be, and a new one put in its place.
    let protect = [rights.protect.clone(), obeyed_in(&open)].concat();
    let named = protect.iter().chain(&rights.hide).flat_map(|it| it.ancestors().skip(1));
    for folder in named.filter(|it| writable(it) && it.is_dir() && !it.is_symlink() && !open.contains_key(*it)) {
        all.insert(folder.to_owned(), bind(folder, folder, false));
    }
    let mut placeholders = Vec::new();
    for path in protect.iter().filter(|it| writable(it) && !hidden(it)) {
        match std::fs::symlink_metadata(path) {
            Ok(_) => drop(all.insert(path.clone(), bind(path, path, true))),
            Err(_) => {
                let first = first_missing(path);
                all.insert(first.clone(), empty(&first));
                if !placeholders.contains(&first) {
                    placeholders.push(first);
                }
            }
        }
    }
    for path in rights.hide.iter().filter(|it| seen(it) && !hidden(it)) {
        match std::fs::metadata(path) {
            Ok(data) if data.is_dir() => drop(all.insert(path.clone(), empty(path))),
            Ok(_) => drop(all.insert(path.clone(), no_file(path))),
            // What is not there cannot be seen.
            Err(_) => {}
        }
    }
    let options = json!({ "SizeBytes": job.rights.memory / 2, "Mode": 0o1777 });
    let own = json!({ "Type": "tmpfs", "Target": "/tmp", "TmpfsOptions": options });
    all.insert("/tmp".into(), rights.scratch.as_ref().map_or(own, |it| bind(it, Path::new("/tmp"), false)));
    // A path sorts after the one that it lies in, which is the order in which they must be mounted.
    Ok((all.into_values().collect(), placeholders))
}

/// Every socket beneath `path`. Symlinks are not followed: what they lead to is seen only where it is granted itself.
fn sockets_in(path: &Path) -> Vec<PathBuf> {
    use std::os::unix::fs::FileTypeExt;
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_socket() => found.push(entry.path()),
                _ => {}
            }
        }
    }
    found
}

/// What a later git, editor or shell obeys in the folders of `open` that may be written, at any depth. No broker stands in a
/// container, so that what a command begins anew is not among it.
fn obeyed_in(open: &BTreeMap<PathBuf, bool>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let roots = open.iter().filter(|it| !it.1).map(|it| (it.0.as_path(), it.0.clone()));
    let mut folders: Vec<(&Path, PathBuf)> = roots.collect();
    while let Some((root, folder)) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, is_folder) = (entry.path(), entry.file_type().is_ok_and(|it| it.is_dir()));
            match path.strip_prefix(root).ok().and_then(names::obeyed) {
                Some(Obeyed::Git) if is_folder => found.extend(kept_of_git(&path).filter(|it| it.exists())),
                Some(who) if who.is_protected_from_commands() && !is_installed(&names::folded(&path)) => {
                    found.push(path)
                }
                _ if is_folder => folders.push((root, path)),
                _ => {}
            }
        }
    }
    found
}

/// The outermost part of a path that does not exist.
fn first_missing(path: &Path) -> PathBuf {
    let missing = path.ancestors().take_while(|it| std::fs::symlink_metadata(it).is_err());
    missing.last().unwrap_or(path).to_owned()
}
