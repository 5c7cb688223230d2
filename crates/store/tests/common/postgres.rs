//! A PostgreSQL server of the test's own: made in a temporary folder, reached over a socket in it, gone with the test.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// A running server.
pub struct Server {
    folder: TempDir,
    programs: PathBuf,
    /// Whom it runs as, where the test is root: PostgreSQL refuses that.
    user: Option<(u32, u32)>,
    postmaster: Child,
}

impl Server {
    /// Starts a server; none where PostgreSQL is not installed, which is a failure where `CI=true`.
    pub fn start() -> Option<Server> {
        let Some(programs) = programs() else {
            let must = std::env::var("CI").is_ok_and(|it| it == "true");
            assert!(!must, "PostgreSQL is not installed");
            eprintln!("skipped: PostgreSQL is not installed");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("ox pg").tempdir().unwrap();
        let user = rustix::process::geteuid().is_root().then(postgres);
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).unwrap();
        }
        let data = folder.path().join("data");
        let mut initdb = command(&programs, "initdb", user);
        initdb.args(["--username=ox", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]);
        let made = initdb.arg("--pgdata").arg(&data).stdout(Stdio::null()).status().unwrap();
        assert!(made.success(), "initdb failed");
        let postmaster = launch(&programs, folder.path(), user);
        let server = Server { folder, programs, user, postmaster };
        Some(server)
    }

    /// The URL of a schema of this server's database.
    pub fn url(&self, schema: &str) -> String {
        let socket = self.folder.path().to_str().unwrap().replace('/', "%2F").replace(' ', "%20");
        format!("postgres://ox@{socket}/postgres?options=-csearch_path%3D{schema}")
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join(".s.PGSQL.5432")
    }

    /// An empty schema's URL: as good as a database, and made faster.
    pub fn empty(&self, schema: &str) -> String {
        self.sql(schema, &format!("CREATE SCHEMA {schema}"));
        self.url(schema)
    }

    /// Runs statements as an administrator would, and gives what they print.
    pub fn sql(&self, schema: &str, statements: &str) -> String {
        let mut psql = command(&self.programs, "psql", self.user);
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "ox", "-d", "postgres", "-c", statements]);
        psql.env("PGOPTIONS", format!("-csearch_path={schema}"));
        let output = psql.arg("-h").arg(self.folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_string()
    }

    /// Kills the server as a crash of its machine would and starts it again.
    pub fn crash(&mut self) {
        self.kill();
        // The processes that served connections end by themselves once they see it; until then the new one is refused.
        self.postmaster = launch(&self.programs, self.folder.path(), self.user);
    }

    fn kill(&mut self) {
        self.postmaster.kill().unwrap();
        self.postmaster.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // At once, without waiting for connections: nothing of it is needed any more.
        if let Some(pid) = rustix::process::Pid::from_raw(self.postmaster.id().cast_signed()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::QUIT);
        }
        let _ = self.postmaster.wait();
    }
}

/// Starts the server and waits until it says that it is ready.
fn launch(programs: &Path, folder: &Path, user: Option<(u32, u32)>) -> Child {
    loop {
        let mut postgres = command(programs, "postgres", user);
        postgres.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        // What is tested here is not the disk's own promise.
        let settings = ["listen_addresses=", "fsync=off", "max_connections=200", "log_min_messages=warning"];
        postgres.args(settings.iter().flat_map(|it| ["-c", it]));
        let mut child = postgres.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let (mut said, mut ready) = (String::new(), false);
        for line in lines.by_ref() {
            said = said + &line + "\n";
            ready |= line.contains("ready to accept connections");
            if ready {
                break;
            }
        }
        if ready {
            // It goes on writing; nobody else reads it.
            std::thread::spawn(move || lines.for_each(drop));
            return child;
        }
        child.wait().unwrap();
        // After a crash the old processes hold its memory until they notice that they are alone.
        assert!(said.contains("shared memory block") || said.contains("lock file"), "{said}");
        std::thread::yield_now();
    }
}

fn command(programs: &Path, name: &str, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(programs.join(name));
    // Its folder may be one that the other user cannot enter.
    command.current_dir("/").env("LC_ALL", "C");
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    command
}

/// The folder of the newest version's programs.
fn programs() -> Option<PathBuf> {
    let version = |it: &PathBuf| it.file_name()?.to_str()?.parse::<u32>().ok();
    let installed = fs::read_dir("/usr/lib/postgresql").ok()?.map(|it| it.unwrap().path());
    let newest = installed.filter(|it| version(it).is_some()).max_by_key(|it| version(it))?.join("bin");
    newest.join("initdb").is_file().then_some(newest)
}

/// The user that Debian's package makes.
fn postgres() -> (u32, u32) {
    let users = fs::read_to_string("/etc/passwd").unwrap();
    let line = users.lines().find(|it| it.starts_with("postgres:")).expect("the package made its user");
    let fields: Vec<&str> = line.split(':').collect();
    (fields[2].parse().unwrap(), fields[3].parse().unwrap())
}
