//! The backends that this machine has, and daemons of the suite's own for those that need one: nobody's containers, images
//! or settings are touched.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ox_protocol::{BoxFuture, Exit, Job, Live, RunError, Runner};
use ox_sandbox::{Backend as Kind, Sandbox, SandboxOptions};

/// The image that the attempts are made in.
const IMAGE: &str = "localhost/ox-escape:latest";
/// What the attempts call, beside this program.
const PROGRAMS: [&str; 12] =
    ["sh", "bash", "cat", "grep", "tar", "git", "xargs", "true", "ls", "sleep", "env", "mkdir"];

/// One way of isolating.
pub struct Backend {
    /// What it is called in the tests' names.
    pub name: &'static str,
    /// It, or why it cannot be used here.
    pub runner: Result<Box<dyn Runner>, String>,
    /// A job takes half a second where others take some milliseconds.
    pub slow: bool,
    /// It is not there, though a machine on which everything is tested has it.
    pub missing: bool,
}

/// All backends of this run, with those that cannot be used here.
pub fn present() -> Vec<Backend> {
    let linux = open(Kind::Linux, None).map(|it| Box::new(it) as Box<dyn Runner>);
    let missing = linux.is_err();
    let mut all = vec![Backend { name: "linux", runner: linux, slow: false, missing }];
    for (name, kind) in [("podman", Kind::Podman), ("docker", Kind::Docker)] {
        let said = std::env::var(format!("ESCAPE_{name}")).unwrap_or_default();
        let runner = match said.as_str() {
            "" => continue,
            "up" => open(kind, Some(IMAGE.to_owned())).map(|it| Box::new(Contained(it)) as Box<dyn Runner>),
            why => Err(why.to_owned()),
        };
        let missing = kind == Kind::Podman && on_path(name).is_none();
        all.push(Backend { name, runner, slow: true, missing });
    }
    all
}

fn open(backend: Kind, image: Option<String>) -> Result<Sandbox, String> {
    let sandbox = Sandbox::open(&SandboxOptions { backend, image }).map_err(|it| it.to_string())?;
    if sandbox.isolated() { Ok(sandbox) } else { Err(format!("{:?}", sandbox.describe())) }
}

/// A container sees of this machine only what it is given: here all that the other backends see of the attempt's fixture.
struct Contained(Sandbox);

impl Runner for Contained {
    fn run<'a>(&'a self, mut job: Job, live: Option<Live<'a>>) -> BoxFuture<'a, Result<Exit, RunError>> {
        let project = &job.rights.write[0];
        // This program too: where the clone lies beneath `/tmp` it runs from a copy elsewhere.
        let program = PathBuf::from(&job.argv[0]);
        job.rights.read = vec![project.with_file_name("outside"), project.with_file_name("home"), program];
        self.0.run(job, live)
    }
}

/// Daemons that were started for this run.
pub struct Daemons {
    running: Vec<Child>,
    /// Variables that lead the suites to them, or say why there is none.
    pub env: Vec<(String, String)>,
}

impl Daemons {
    /// Starts those that are installed, with all their state in `folder`; the second one only where the first is missing, where
    /// it is asked for by name, and in the extended tests.
    pub fn start(folder: &Path, program: &Path, filters: &[&str]) -> Daemons {
        let mut daemons = Daemons { running: Vec::new(), env: Vec::new() };
        // Who asks for another backend by name need not wait for these.
        if filters.iter().any(|it| ["linux", "plain"].contains(it)) {
            return daemons;
        }
        let extended = std::env::var_os("OX_EXTENDED").is_some();
        let podman =
            !filters.contains(&"docker") && daemons.add("podman", "CONTAINER_HOST", folder, program, &podman(folder));
        if extended || !podman {
            daemons.add("docker", "DOCKER_HOST", folder, program, &docker(folder));
        }
        daemons
    }

    /// Tries the command lines one after the other; true when one of them made a daemon in which the image runs.
    fn add(&mut self, name: &str, variable: &str, folder: &Path, program: &Path, lines: &[Vec<String>]) -> bool {
        let mut why = format!("{name} is not installed");
        for line in lines {
            match up(name, folder, program, line) {
                Ok(child) => {
                    self.running.push(child);
                    self.env.push((format!("ESCAPE_{name}"), "up".to_owned()));
                    self.env.push((variable.to_owned(), format!("unix://{}", socket(folder, name).display())));
                    return true;
                }
                Err(error) => why = error,
            }
        }
        self.env.push((format!("ESCAPE_{name}"), why));
        false
    }
}

impl Drop for Daemons {
    fn drop(&mut self) {
        for child in &mut self.running {
            let id = rustix::process::Pid::from_child(child);
            // Asked first: a daemon takes its mounts away when it ends.
            let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
            let end = Instant::now() + Duration::from_secs(10);
            while child.try_wait().is_ok_and(|it| it.is_none()) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn socket(folder: &Path, name: &str) -> PathBuf {
    folder.join(name).join("socket")
}

/// Podman with either of the usual runtimes: crun refuses some arrangements of control groups that runc takes.
fn podman(folder: &Path) -> Vec<Vec<String>> {
    let own = folder.join("podman");
    let line = |runtime: &str| {
        let words = ["podman", "--root", "ROOT", "--runroot", "RUN", "--storage-driver", "vfs", "--runtime", runtime];
        let rest = ["system", "service", "--time=0", "SOCKET"];
        place(words.iter().chain(&rest), &own)
    };
    vec![line("crun"), line("runc")]
}

fn docker(folder: &Path) -> Vec<Vec<String>> {
    let own = folder.join("docker");
    let words = ["dockerd", "--data-root", "ROOT", "--exec-root", "RUN", "--storage-driver", "vfs", "-H", "SOCKET"];
    let rest = ["--iptables=false", "--bridge=none", "--pidfile", "PID"];
    vec![place(words.iter().chain(&rest), &own)]
}

fn place<'a>(words: impl Iterator<Item = &'a &'a str>, own: &Path) -> Vec<String> {
    let put = |word: &&str| match *word {
        "ROOT" => own.join("root").display().to_string(),
        "RUN" => own.join("run").display().to_string(),
        "PID" => own.join("pid").display().to_string(),
        "SOCKET" => format!("unix://{}", own.join("socket").display()),
        word => word.to_owned(),
    };
    words.map(put).collect()
}

/// Starts a daemon, gives it the image, and runs a container to see that it can.
fn up(name: &str, folder: &Path, program: &Path, line: &[String]) -> Result<Child, String> {
    use std::os::unix::fs::PermissionsExt;
    let own = folder.join(name);
    std::fs::create_dir_all(&own).map_err(|it| it.to_string())?;
    let log = std::fs::File::create(own.join("log")).map_err(|it| it.to_string())?;
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
    let mut child = command.spawn().map_err(|it| format!("{name}: {it}"))?;
    let tried = (|| {
        let socket = socket(folder, name);
        let end = Instant::now() + Duration::from_secs(20);
        while std::os::unix::net::UnixStream::connect(&socket).is_err() {
            if Instant::now() > end || child.try_wait().is_ok_and(|it| it.is_some()) {
                return Err(format!("{name} did not start: {}", last_of(&own.join("log"))));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // Every user of this machine may use this one: it lives for this run, in a folder of this run.
        std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o666)).map_err(|it| it.to_string())?;
        import(&own, &socket, program)?;
        try_out(&socket)
    })();
    if tried.is_err() {
        let _ = child.kill();
        let _ = child.wait();
    }
    tried.map(|()| child)
}

fn last_of(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    text.trim_end().lines().last().unwrap_or("it says nothing").to_owned()
}

/// Makes the image from programs of this machine and the libraries that they need.
fn import(own: &Path, socket: &Path, program: &Path) -> Result<(), String> {
    let mut files: Vec<PathBuf> = PROGRAMS.iter().filter_map(|it| on_path(it)).collect();
    files.extend(["/bin/sh", "/bin/bash", "/etc/passwd", "/etc/group"].map(PathBuf::from));
    files.push(program.to_owned());
    let shown = Command::new("ldd").args(&files).output().map_err(|it| format!("ldd: {it}"))?;
    let text = String::from_utf8_lossy(&shown.stdout).into_owned();
    let words = text.split_whitespace().filter(|it| it.starts_with('/') && !it.ends_with(':'));
    files.extend(words.map(PathBuf::from));
    let stage = own.join("image");
    for file in files.iter().filter(|it| it.exists()) {
        let to = stage.join(file.strip_prefix("/").unwrap());
        std::fs::create_dir_all(to.parent().unwrap())
            .and_then(|()| std::fs::copy(file, &to))
            .map_err(|it| it.to_string())?;
    }
    // Runtimes give what is mounted over a folder of the image the folder's mode.
    let everybody = std::os::unix::fs::PermissionsExt::from_mode(0o1777);
    let temporary = stage.join("tmp");
    std::fs::create_dir_all(&temporary)
        .and_then(|()| std::fs::set_permissions(&temporary, everybody))
        .map_err(|it| it.to_string())?;
    let archive = Command::new("tar").arg("-C").arg(&stage).args(["-c", "."]).output().map_err(|it| it.to_string())?;
    let (repository, tag) = IMAGE.rsplit_once(':').unwrap();
    let path = format!("/images/create?fromSrc=-&repo={repository}&tag={tag}");
    http(socket, &path, "application/x-tar", &archive.stdout).map(drop)
}

/// Runs one container to its end: a daemon may start and yet be unable to.
fn try_out(socket: &Path) -> Result<(), String> {
    // Fewer open files than a runtime asks for by itself, which not every machine grants.
    let files = r#"{"Name":"nofile","Soft":256,"Hard":256},{"Name":"nproc","Soft":64,"Hard":64}"#;
    let body =
        format!(r#"{{"Image":"{IMAGE}","Cmd":["true"],"HostConfig":{{"NetworkMode":"none","Ulimits":[{files}]}}}}"#);
    let made = http(socket, "/containers/create", "application/json", body.as_bytes())?;
    let id = made.split('"').find(|it| it.len() == 64).ok_or("no container was made")?.to_owned();
    http(socket, &format!("/containers/{id}/start"), "application/json", b"").map(drop)
}

/// Asks a daemon and waits for its answer.
fn http(socket: &Path, path: &str, kind: &str, body: &[u8]) -> Result<String, String> {
    use std::io::{Read, Write};
    let ask = || -> std::io::Result<String> {
        let mut stream = std::os::unix::net::UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        let head = format!(
            "POST /v1.41{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body)?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    };
    let answer = ask().map_err(|it| it.to_string())?;
    let good = answer.split(' ').nth(1).is_some_and(|it| it.starts_with('2'));
    if good { Ok(answer) } else { Err(answer.trim_end().lines().last().unwrap_or_default().to_owned()) }
}

fn on_path(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|it| it.join(name)).find(|it| it.is_file())
}
