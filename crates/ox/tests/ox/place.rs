//! A home of Ox and a project in a temporary folder, and commands that run there.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::provider::Provider;

/// The binary under test.
pub const OX: &str = env!("CARGO_BIN_EXE_ox");

/// An empty project, which is no repository, and an empty home.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What a command did, with the temporary folder cut from all paths.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
    pub took: Duration,
}

impl Place {
    pub fn new() -> Place {
        Place::made(tempfile::tempdir().unwrap())
    }

    /// The same in this folder, whatever the environment says of temporary ones.
    pub fn within(folder: &str) -> Place {
        Place::made(tempfile::tempdir_in(folder).unwrap())
    }

    fn made(folder: tempfile::TempDir) -> Place {
        let place = Place { folder };
        fs::create_dir(place.project("")).unwrap();
        fs::create_dir(place.home("")).unwrap();
        place
    }

    /// The temporary folder itself.
    pub fn root(&self) -> &Path {
        self.folder.path()
    }

    pub fn project(&self, path: &str) -> PathBuf {
        self.root().join("project").join(path)
    }

    pub fn home(&self, path: &str) -> PathBuf {
        self.root().join("home").join(path)
    }

    /// Writes a file of the project.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.project(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.project(path)).unwrap()
    }

    /// The user has said how freely Ox may work here: it asks, as it does where nothing was said.
    pub fn is_known(&self) {
        let (state, ask) = (self.home("state"), ox_protocol::ApprovalPolicy::Ask);
        ox_config::state::chosen_policy::keep(&state, &self.project(""), Some(ask)).unwrap();
    }

    /// Writes a script and returns the name of the model that plays it.
    pub fn script(&self, text: &str) -> String {
        let path = self.root().join("script.txt");
        fs::write(&path, text).unwrap();
        format!("scripted/{}", path.display())
    }

    /// A program with an environment of nothing but the home and the search path.
    pub fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.project("")).env_clear().stdin(Stdio::null());
        command.env("OX_HOME", self.home("")).env("PATH", std::env::var_os("PATH").unwrap_or_default());
        // Nobody answers here, whatever else runs on this machine.
        command.env("OLLAMA_HOST", "127.0.0.1:1");
        command
    }

    /// `ox` with these arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program(OX);
        command.args(args);
        command
    }

    /// `ox` with a provider on this machine as its model.
    pub fn command_on(&self, provider: &Provider, args: &[&str]) -> Command {
        let mut command = self.program(OX);
        let (name, rest) = args.split_first().unwrap();
        command.arg(name).args(provider.flags()).args(rest).envs([provider.key()]);
        command
    }

    /// `ox` as someone whom the rights of folders bind, which they do not root. The home is theirs.
    pub fn bound_by_rights(&self, args: &[&str]) -> Command {
        let nobody = 65534;
        let reachable = self.root().join("ox");
        // Temporary folders are closed to others, and the one that the binary was built in may be.
        fs::copy(OX, &reachable).unwrap();
        for path in [self.root(), &reachable] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let mut command = self.program(&reachable);
        command.args(args);
        if chown(self.home(""), Some(nobody), Some(nobody)).is_ok() {
            command.uid(nobody).gid(nobody);
        }
        command
    }

    /// Trusts what the project brings of its own, as it is now.
    pub fn trusts(&self) {
        let ran = self.ox(&["trust", "--yes"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    }

    pub fn ox(&self, args: &[&str]) -> Ran {
        self.finish(self.command(args))
    }

    /// The same with further variables.
    pub fn ox_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut command = self.command(args);
        command.envs(variables.iter().copied());
        self.finish(command)
    }

    /// A run of the script `text`.
    pub fn play(&self, text: &str, args: &[&str]) -> Ran {
        let model = self.script(text);
        self.ox(&[&["run", "--model", &model], args].concat())
    }

    /// The same, as events.
    pub fn events(&self, text: &str, args: &[&str]) -> Vec<Value> {
        self.play(text, &[&["--json"], args].concat()).json_lines()
    }

    /// Runs a command to its end.
    pub fn finish(&self, command: Command) -> Ran {
        self.feed(command, "")
    }

    /// The same with something on standard input.
    pub fn feed(&self, mut command: Command, input: &str) -> Ran {
        let began = Instant::now();
        if !input.is_empty() {
            command.stdin(Stdio::piped());
        }
        let mut child = start(&mut command);
        if let Some(mut stdin) = child.stdin.take() {
            // Who sees a mistake on the command line ends before it reads.
            let written = stdin.write_all(input.as_bytes());
            written.or_else(|it| if it.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(it) }).unwrap();
        }
        self.ended(child, began)
    }

    /// Waits for a command that was started.
    pub fn ended(&self, child: Child, began: Instant) -> Ran {
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let took = began.elapsed();
        Ran { code: status.code(), out: self.plain(&stdout), err: self.plain(&stderr), took }
    }

    /// Text in which this place's folder is the root.
    pub fn plain(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let real = self.root().canonicalize().unwrap();
        text.replace(&real.display().to_string(), "").replace(&self.root().display().to_string(), "")
    }
}

/// Starts a command whose output is collected.
pub fn start(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

impl Ran {
    /// Asserts the exit code and gives the last block of standard error: why it ended, without the line of figures.
    #[track_caller]
    pub fn verdict(&self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        let last = self.err.trim_end().rsplit("\n\n").next().unwrap_or_default();
        let lines = last.lines().filter(|it| !it.contains(" iteration · ") && !it.contains(" iterations · "));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Asserts the exit code, an empty standard output, and gives standard error.
    #[track_caller]
    pub fn refusal(&self, code: i32) -> &str {
        assert_eq!((self.code, self.out.as_str()), (Some(code), ""), "{}", self.err);
        &self.err
    }

    /// Standard output as JSON, one value a line.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let all: Vec<Value> = self.out.lines().map(parse).collect();
        assert!(!all.is_empty(), "{}", self.err);
        all
    }
}

/// The outcomes of a tool's calls, in the order in which they settled.
pub fn outcomes<'a>(events: &'a [Value], tool: &str) -> Vec<&'a Value> {
    let done = events.iter().filter(|it| it["event"] == "tool_complete" && it["tool"] == tool);
    done.map(|it| &it["outcome"]).collect()
}

/// What the model read of a tool's calls.
pub fn outputs<'a>(events: &'a [Value], tool: &str) -> Vec<&'a str> {
    outcomes(events, tool).iter().map(|it| it["output"].as_str().unwrap()).collect()
}
