//! Finding a server and starting it, in the sandbox and nowhere else.
//!
//! A server reads what commands read and writes to one folder of its own; it has no network. A program of the project is
//! taken only where somebody trusted the project.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Job, Network, Rights, RunError};

use super::client::Client;
use super::folder::ServerFolder;
use super::known::{Ready, SERVERS, Server, StartContext, StartOptions};
use super::limits::Limits;
use super::state::ServerState;
use crate::error::Error;
use crate::jsonrpc::{LARGEST_MESSAGE, Peer};
use crate::project::Project;

/// How long a server may run.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Bytes of answers that are held until they are taken in.
const HELD: usize = 2 * LARGEST_MESSAGE;
/// The server's errors for people go into a file of bounded size and not between its messages.
const APART: &str = r#"{ "$@" 2>&1 1>&3 3>&- | { head -c 65536 >"$OX_ERRORS"; cat >/dev/null; }; } 3>&1"#;

/// A program that was found.
struct Program {
    /// As it is started.
    program: PathBuf,
    /// The search path that it is started with.
    path: OsString,
}

/// Looks for the program of `server`: in the project where that is trusted, then on the search path. None where there is
/// none.
fn find(server: &Server, root: &Path, trusted: bool, path: &OsStr) -> Option<Program> {
    // A relative folder would be one of the project, too.
    let folders: Vec<PathBuf> =
        std::env::split_paths(path).filter(|it| it.is_absolute() && (trusted || !it.starts_with(root))).collect();
    let own = trusted.then(|| root.join("node_modules/.bin"));
    let clean = std::env::join_paths(&folders).ok()?;
    let mut places = own.iter().chain(&folders);
    let program = places.find_map(|folder| {
        let mut programs = server.programs.iter().map(|it| folder.join(it));
        // A link elsewhere may lead into the project.
        programs.find(|it| is_program(it) && (trusted || it.canonicalize().is_ok_and(|real| !real.starts_with(root))))
    })?;
    Some(Program { program, path: clean })
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

/// The servers that are known and whether each is installed here, for `ox doctor`: its name, and the command that installs
/// it where it is missing.
pub fn installed(root: &Path, trusted: bool) -> Vec<(&'static str, Option<&'static str>)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let missing = |server: &Server| find(server, root, trusted, &path).is_none();
    SERVERS.iter().map(|it| (it.name, missing(it).then_some(it.install))).collect()
}

/// Starts the server and greets it.
pub(crate) async fn start(
    project: &Project,
    server: &'static Server,
    trusted: bool,
    path: &OsStr,
    limits: Limits,
) -> Result<Client, Error> {
    let (root, name) = (&project.root, server.name);
    let not_started = |why: String| Error::NotStarted { server: name, why };
    if !project.runner.isolated() {
        return Err(Error::NotIsolated { server: name });
    }
    let missing = || Error::NotInstalled { server: name, program: server.programs[0], install: server.install };
    let found = find(server, root, trusted, path).ok_or_else(missing)?;
    if let Some(file) = server.obeyed_files.iter().find(|it| !trusted && root.join(it).exists()) {
        return Err(Error::Untrusted { server: name, file });
    }
    let folder = ServerFolder::new().map_err(|it| not_started(format!("it got no folder to work in ({it})")))?;
    let program = found.program.canonicalize().unwrap_or_else(|_| found.program.clone());
    let options = (server.start_options)(&StartContext { root, trusted, program, temp: folder.path() });
    let options = options.map_err(not_started)?;
    let running = project.runner.start(job(project, server, &found, &options, &folder)).await;
    let running = running.map_err(|it| match it {
        RunError::NotFound(_) => missing(),
        other => Error::Run(other),
    })?;
    let sign = match server.ready {
        Ready::Logs(text) => Some(text),
        _ => None,
    };
    let peer = Peer::new(running, ServerState::new(root, options.settings, sign));
    let greeting = Client::greet(server, peer, folder, project.clone(), options.options, limits);
    project.unless_cancelled(greeting).await.map_err(|error| match error {
        Error::Ended { why, .. } => Error::NotGreeted { server: name, why, install: server.install },
        other => other,
    })
}

fn job(project: &Project, server: &Server, found: &Program, options: &StartOptions, folder: &ServerFolder) -> Job {
    let mut argv = ["sh", "-c", APART, "sh"].map(String::from).to_vec();
    argv.push(found.program.display().to_string());
    argv.extend(server.args.iter().map(ToString::to_string));
    let text = |path: &Path| path.display().to_string();
    let mut env = vec![
        ("PATH".to_string(), found.path.to_string_lossy().into_owned()),
        ("OX_ERRORS".to_string(), text(&folder.errors())),
        ("TMPDIR".to_string(), text(folder.path())),
        ("DO_NOT_TRACK".to_string(), "1".to_string()),
    ];
    env.extend(options.env.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
    let rights = rights(project, folder);
    Job { argv, cwd: project.root.clone(), env, stdin: Vec::new(), terminal: None, rights }
}

/// Reads what commands read, writes its own folder, speaks to nobody.
fn rights(project: &Project, folder: &ServerFolder) -> Rights {
    // The project is named as writable and then protected whole: what is not named may be hidden, as beneath /tmp.
    let protect: Vec<PathBuf> = std::iter::once(&project.root).chain(&project.added).cloned().collect();
    let write = protect.iter().cloned().chain([folder.path().to_path_buf()]).collect();
    Rights { protect, write, network: Network::None, output: HELD, time: LONGEST, ..project.rights.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::known::for_file;
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt as _;
    use std::sync::Arc;

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_of_the_project_is_found_only_when_it_is_trusted() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, system) = (base.join("app"), base.join("bin"));
        let row = for_file("a.py").unwrap().0;
        let own = root.join("node_modules/.bin/pyright-langserver");
        program(&own);
        let path = std::env::join_paths([&root.join("node_modules/.bin"), &system, Path::new("bin")]).unwrap();
        let found = |trusted| find(row, &root, trusted, &path).map(|it| it.program);
        assert_eq!((found(true), found(false)), (Some(own.clone()), None));
        // A link on the path does not make it anybody else's.
        std::fs::create_dir(&system).unwrap();
        let link = system.join("pyright-langserver");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert_eq!(found(false), None);
        std::fs::remove_file(&link).unwrap();
        program(&link);
        assert_eq!(found(false), Some(link));
        let kept = find(row, &root, false, &path).unwrap().path;
        assert_eq!(kept, std::env::join_paths([&system]).unwrap(), "what it starts in turn is the system's too");
    }

    /// A project without files on a machine without a sandbox.
    struct Nothing;

    impl crate::Files for Nothing {
        fn read(&self, path: &str) -> Result<String, crate::FileError> {
            Err(path.into())
        }

        fn stamps(&self) -> BTreeMap<String, String> {
            BTreeMap::new()
        }
    }

    impl ox_protocol::Runner for Nothing {
        fn run<'a>(
            &'a self,
            _job: Job,
            _live: Option<ox_protocol::Live<'a>>,
        ) -> ox_protocol::BoxFuture<'a, Result<ox_protocol::Exit, RunError>> {
            unreachable!("nothing is run")
        }
    }

    fn project() -> Project {
        let root = PathBuf::from("/project");
        let mut rights = Rights::command(root.clone(), Duration::from_secs(1));
        (rights.network, rights.write) = (Network::All, vec!["/opt".into()]);
        let (files, runner) = (Arc::new(Nothing), Arc::new(Nothing));
        Project { root, added: Vec::new(), files, runner, rights, cancel: Arc::default() }
    }

    #[test]
    fn a_server_writes_nothing_but_its_folder_and_speaks_to_nobody() {
        let (project, folder) = (project(), ServerFolder::new().unwrap());
        let rights = rights(&project, &folder);
        assert_eq!(rights.write, [project.root.clone(), folder.path().to_path_buf()]);
        assert_eq!((rights.protect, rights.network), (vec![project.root], Network::None));
        let path = folder.path().to_path_buf();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn without_a_sandbox_no_server_is_started() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let server = for_file("a.py").unwrap().0;
        let project = project();
        let started = start(&project, server, true, OsStr::new("/bin"), Limits::default());
        assert!(matches!(runtime.block_on(started), Err(Error::NotIsolated { server: "pyright" })));
    }
}
