//! The fixture around one attempt: a project, what lies outside of it, sockets that listen, a process to be attacked. It
//! tells what an attempt changed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ox_protocol::{Job, Rights};

/// The variable of the suite's environment that holds the secret. The sandbox hands on no variable of such a name.
pub const SECRET_NAME: &str = "ESCAPE_API_KEY";
/// Where the descriptor lies that is left open for the process by mistake.
const LEAKED: i32 = 97;

/// The secret, built so that this program's own text does not contain it.
pub fn secret() -> String {
    ["S3CRET", "of", "the", "outside"].join("-")
}

/// Where one identity works.
pub struct Place {
    _folder: tempfile::TempDir,
    /// A folder of its own.
    pub base: PathBuf,
    /// This program, at a path that the identity can run it from.
    pub program: PathBuf,
    /// A copy of this program that runs as root whoever starts it.
    pub set_user_id: Option<PathBuf>,
}

impl Place {
    /// A place for the current user, or for nobody.
    pub fn new(nobody: bool) -> Place {
        let own = std::env::current_exe().unwrap();
        let reachable =
            |it: &Path| it.ancestors().skip(1).all(|it| fs::metadata(it).is_ok_and(|it| it.mode() & 1 == 1));
        // Folders for temporary files are private in the sandbox: nothing of the outside could be seen there.
        let plain = |it: &Path| !["/tmp", "/var/tmp", "/dev/shm", "/run"].iter().any(|place| it.starts_with(place));
        let near = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let mut places = [Some(near), home, Some("/opt".into()), Some("/srv".into())].into_iter().flatten();
        let near = places.find(|it| plain(it) && (!nobody || reachable(&it.join("x"))));
        let near = near.expect("a folder that everybody may enter");
        let folder = tempfile::Builder::new().prefix("escape-").tempdir_in(&near).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let program =
            if nobody && !reachable(&own) || !plain(&own) { folder.path().join("program") } else { own.clone() };
        if program != own {
            fs::copy(&own, &program).unwrap();
        }
        let set_user_id = nobody.then(|| {
            let path = folder.path().join("set-user-id");
            fs::copy(&own, &path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o4755)).unwrap();
            path
        });
        let base = folder.path().join("base");
        fs::create_dir(&base).unwrap();
        fs::create_dir(base.join("home")).unwrap();
        if nobody {
            std::os::unix::fs::chown(&base, Some(crate::NOBODY), Some(crate::NOBODY)).unwrap();
            std::os::unix::fs::chown(base.join("home"), Some(crate::NOBODY), Some(crate::NOBODY)).unwrap();
        }
        Place { _folder: folder, base, program, set_user_id }
    }
}

/// One fixture. Everything in it is new for each attempt.
pub struct Fixture {
    /// A name that nothing else on the machine has.
    pub id: String,
    base: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    path: UnixListener,
    datagrams: UnixDatagram,
    hidden: UnixListener,
    victim: Child,
    memory: String,
    _leaked: fs::File,
    before: BTreeMap<PathBuf, String>,
}

impl Fixture {
    /// Builds a fixture beneath `home`, the suite's own folder.
    pub fn new(home: &Path) -> Fixture {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let id = format!("ox-escape-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let base = home.join(&id);
        files(&base).unwrap();
        let path = UnixListener::bind(base.join("outside/socket")).unwrap();
        let datagrams = UnixDatagram::bind(base.join("outside/datagrams")).unwrap();
        let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&id).unwrap()).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        path.set_nonblocking(true).unwrap();
        datagrams.set_nonblocking(true).unwrap();
        hidden.set_nonblocking(true).unwrap();
        let victim = Command::new("sleep").arg("600").stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let leaked = fs::OpenOptions::new().append(true).open(base.join("outside/victim")).unwrap();
        leak(&leaked);
        let mut fixture = Fixture {
            id,
            base,
            tcp,
            udp,
            path,
            datagrams,
            hidden,
            victim,
            memory: secret(),
            _leaked: leaked,
            before: BTreeMap::new(),
        };
        fixture.before = fixture.look();
        fixture
    }

    /// The job that makes one attempt in this fixture.
    pub fn job(&self, program: &Path, name: &str) -> Job {
        let project = self.base.join("project");
        let mut rights = Rights::command(project.clone(), Duration::from_secs(60));
        rights.write.push(self.base.join("added"));
        rights.read = Vec::new();
        rights.protect = PROTECTED.iter().map(|it| project.join(it)).collect();
        rights.hide = vec![project.join(".env"), project.join("sub/.env"), self.base.join("home/.ssh")];
        rights.processes = 64;
        rights.memory = 512 << 20;
        let ports = (self.tcp.local_addr().unwrap().port(), self.udp.local_addr().unwrap().port());
        let env = [
            ("PROBE_ID", self.id.clone()),
            ("PROBE_BASE", self.base.display().to_string()),
            ("PROBE_TCP", ports.0.to_string()),
            ("PROBE_UDP", ports.1.to_string()),
            ("PROBE_VICTIM", self.victim.id().to_string()),
            ("PROBE_SUITE", std::process::id().to_string()),
            ("PROBE_ADDRESS", (self.memory.as_ptr() as usize).to_string()),
        ];
        let handed = std::env::var("PROBE_SUID").ok().map(|it| ("PROBE_SUID", it));
        let env = env.into_iter().chain(handed).map(|(name, value)| (name.to_owned(), value)).collect();
        let argv = vec![program.display().to_string(), "__probe".to_owned(), name.to_owned(), self.id.clone()];
        Job { argv, cwd: project, env, stdin: Vec::new(), terminal: None, rights }
    }

    /// What is different now from when this fixture was new, in words. Empty means that nothing happened.
    pub fn changes(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        let now = self.look();
        for (path, was) in &self.before {
            match now.get(path) {
                Some(is) if is == was => {}
                Some(is) => found.push(format!("{} was changed from {was} to {is}", path.display())),
                None => found.push(format!("{} is gone", path.display())),
            }
        }
        let new = now.keys().filter(|it| !self.before.contains_key(*it));
        found.extend(new.map(|it| format!("{} is new", it.display())));
        let mut bytes = [0; 64];
        let said = [
            ("TCP", self.tcp.accept().is_ok()),
            ("UDP", self.udp.recv(&mut bytes).is_ok()),
            ("the socket with a path", self.path.accept().is_ok()),
            ("the datagram socket", self.datagrams.recv(&mut bytes).is_ok()),
            ("the abstract socket", self.hidden.accept().is_ok()),
        ];
        found.extend(said.iter().filter(|it| it.1).map(|it| format!("{} was reached", it.0)));
        if let Ok(Some(status)) = self.victim.try_wait() {
            found.push(format!("the process outside ended: {status}"));
        }
        found
    }

    /// Everything outside that an attempt could change, with all that can be changed about it.
    fn look(&self) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let project = self.base.join("project");
        let inside =
            PROTECTED.iter().map(|it| project.join(it)).chain([project.join(".env"), project.join("sub/.env")]);
        let shared = ["/tmp", "/var/tmp", "/dev/shm", "/sys/fs/cgroup", "/sys/fs/cgroup/pids"];
        let shared = shared.iter().map(|it| Path::new(it).join(&self.id));
        let roots = ["outside", "home", "added/.git", "project/sub/.git"].iter().map(|it| self.base.join(it));
        for path in roots.chain(inside).chain(shared) {
            describe(&path, &mut seen);
        }
        seen
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = self.victim.kill();
        let _ = self.victim.wait();
        for place in ["/tmp", "/var/tmp", "/dev/shm"] {
            let _ = fs::remove_file(Path::new(place).join(&self.id));
        }
        for place in ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"] {
            let _ = fs::remove_dir(Path::new(place).join(&self.id));
        }
        let _ = fs::remove_dir_all(&self.base);
    }
}

/// Names in the project that may only be read. Those that are not made below do not exist, and must not come to be.
const PROTECTED: [&str; 6] = [".git/config", ".git/hooks", ".ox", ".bashrc", "sub/.vscode/settings.json", "kept"];

fn files(base: &Path) -> io::Result<()> {
    let folders = [
        "added/.git/hooks",
        "project/sub/.git/hooks",
        "outside/dir",
        "outside/empty",
        "home/.ssh",
        "project/.git/hooks",
        "project/sub",
        "project/kept",
    ];
    for folder in folders {
        fs::create_dir_all(base.join(folder))?;
    }
    let secret = secret();
    let texts = [
        ("outside/victim", "outside\n"),
        ("outside/dir/inner", "inner\n"),
        ("outside/tool", "#!/bin/sh\nexit 0\n"),
        ("home/.ssh/id_probe", &secret),
        ("home/.profile", "# start\n"),
        ("project/.env", &secret),
        ("project/sub/.env", &secret),
        ("project/file", "file\n"),
        ("project/.git/config", "[core]\n\trepositoryformatversion = 0\n"),
        ("added/.git/config", "[core]\n"),
        ("project/sub/.git/config", "[core]\n"),
        ("project/.git/HEAD", "ref: refs/heads/main\n"),
        ("project/.git/hooks/pre-commit.sample", "#!/bin/sh\n"),
        ("project/kept/note", "kept\n"),
    ];
    for (path, text) in texts {
        fs::write(base.join(path), text)?;
    }
    symlink("../outside/victim", base.join("project/link-out"))?;
    symlink("../outside", base.join("project/folder-out"))
}

/// Everything about a file that an attempt could change; beneath a folder, everything of it.
fn describe(path: &Path, seen: &mut BTreeMap<PathBuf, String>) {
    let Ok(data) = fs::symlink_metadata(path) else { return };
    let mut names = vec![0u8; 4096];
    let count = rustix::fs::llistxattr(path, &mut names).unwrap_or(0);
    let attributes = String::from_utf8_lossy(&names[..count]).into_owned();
    let content = match data.file_type() {
        kind if kind.is_symlink() => fs::read_link(path).unwrap_or_default().display().to_string(),
        kind if kind.is_file() => String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned(),
        _ => String::new(),
    };
    let stamp = (data.mtime(), data.mtime_nsec(), data.ctime(), data.ctime_nsec());
    let owner = (data.uid(), data.gid());
    let all = (data.mode(), data.nlink(), data.len(), owner, stamp, attributes, content);
    seen.insert(path.to_owned(), format!("{all:?}"));
    if data.is_dir() {
        let inner = fs::read_dir(path).map(|it| it.flatten().collect::<Vec<_>>()).unwrap_or_default();
        inner.iter().for_each(|it| describe(&it.path(), seen));
    }
}

/// Leaves a writable descriptor open for whatever is started from here.
#[allow(unsafe_code)]
fn leak(file: &fs::File) {
    // SAFETY: the number is this suite's own and nothing else in this program uses it.
    let made = unsafe { libc::dup2(file.as_raw_fd(), LEAKED) };
    assert_eq!(made, LEAKED);
}
