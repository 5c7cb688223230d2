//! Finding a server and starting it, behind walls and nowhere else.
//!
//! A server reads what commands read and writes to one folder of its own; it has no network. A program of the project is
//! taken only where somebody trusted the project.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Job, Network, Rights, RunError};

use crate::{Cx, ToolError};

use super::client::Client;
use super::fault::Fault;
use super::heard::Heard;
use super::link::{Folder, Link};
use super::table::{Place, Ready, Server, Told};

/// How long a server may run.
const LONGEST: Duration = Duration::from_secs(12 * 3600);
/// Bytes of answers that are held until they are taken in.
const HELD: usize = 2 * super::frame::LARGEST;
/// The server's errors for people go into a file of bounded size and not between its messages.
const APART: &str = r#"{ "$@" 2>&1 1>&3 3>&- | { head -c 65536 >"$OX_ERRORS"; cat >/dev/null; }; } 3>&1"#;

/// How long one waits for a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For its greeting.
    pub start: Duration,
    /// For it to have seen the whole project.
    pub ready: Duration,
    /// For an answer.
    pub answer: Duration,
    /// For its end.
    pub quit: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let [start, ready, answer, quit] = [20, 25, 20, 2].map(Duration::from_secs);
        Limits { start, ready, answer, quit }
    }
}

/// A program that was found.
pub(super) struct Found {
    /// As it is started.
    pub program: PathBuf,
    /// The search path that it is started with.
    pub path: std::ffi::OsString,
}

/// Looks for the program of `row`: in the project where that is trusted, then on the search path. None where there is none.
pub(super) fn find(row: &Server, root: &Path, trusted: bool, path: &OsStr) -> Option<Found> {
    // A relative folder would be one of the project, too.
    let folders: Vec<PathBuf> =
        std::env::split_paths(path).filter(|it| it.is_absolute() && (trusted || !it.starts_with(root))).collect();
    let own = trusted.then(|| root.join("node_modules/.bin"));
    let clean = std::env::join_paths(&folders).ok()?;
    let mut places = own.iter().chain(&folders);
    let program = places.find_map(|folder| {
        let mut programs = row.programs.iter().map(|it| folder.join(it));
        // A link elsewhere may lead into the project.
        programs.find(|it| is_program(it) && (trusted || it.canonicalize().is_ok_and(|real| !real.starts_with(root))))
    })?;
    Some(Found { program, path: clean })
}

fn is_program(path: &Path) -> bool {
    ox_sandbox::on_path(&path.to_string_lossy()).is_some()
}

/// Starts the server and greets it. Words for the model where that cannot be.
pub(super) async fn start(cx: &Cx, row: &'static Server, limits: Limits) -> Result<Client, ToolError> {
    let (root, trusted) = (cx.tree.root(), cx.servers.trusted);
    let wrong = |words: String| ToolError::Wrong(words);
    if !cx.runner.isolated() {
        let words =
            format!("{} runs only behind walls, and no sandbox works on this machine. Use search_code.", row.name);
        return Err(wrong(words));
    }
    let found = find(row, root, trusted, &cx.servers.path()).ok_or_else(|| wrong(missing(row)))?;
    if let Some(name) = row.obeys.iter().find(|it| !trusted && root.join(it).exists()) {
        return Err(wrong(format!(
            "{} obeys `{name}` of the project, which nobody has trusted; it was not started. The user can trust the project with `ox trust`; search_code works without.",
            row.name
        )));
    }
    let folder = Folder::new().map_err(|it| wrong(format!("{} got no folder to work in: {it}", row.name)))?;
    let program = found.program.canonicalize().unwrap_or_else(|_| found.program.clone());
    let told = (row.told)(&Place { root, trusted, program, temp: &folder.0 });
    let told = told.map_err(|it| wrong(format!("{} was not started: {it}.", row.name)))?;
    let running = cx.runner.start(job(cx, row, &found, &told, &folder)).await.map_err(|it| match it {
        RunError::NotFound(_) => wrong(missing(row)),
        other => ToolError::Run(other),
    })?;
    let sign = match row.ready {
        Ready::Logs(text) => Some(text),
        _ => None,
    };
    let link = Link::new(running, Heard::new(root, told.settings, sign));
    let greeting = Client::greet(row, link, folder, &cx.tree, told.options, limits);
    super::link::unless(cx.stopped(), greeting).await.map_err(|fault| match fault {
        Fault::Ended(why) => wrong(format!(
            "{} {why}\nIt could not be started. If it is not installed whole, `{}` does that. Else use search_code.",
            row.name, row.install
        )),
        other => other.told(row.name),
    })
}

fn missing(row: &Server) -> String {
    format!(
        "{} is not installed (`{}` was not found on PATH). `{}` installs it, if the user agrees; meanwhile use search_code.",
        row.name, row.programs[0], row.install
    )
}

fn job(cx: &Cx, row: &Server, found: &Found, told: &Told, folder: &Folder) -> Job {
    let mut argv = ["sh", "-c", APART, "sh"].map(String::from).to_vec();
    argv.push(found.program.display().to_string());
    argv.extend(row.args.iter().map(ToString::to_string));
    let text = |path: &Path| path.display().to_string();
    let mut env = vec![
        ("PATH".to_string(), found.path.to_string_lossy().into_owned()),
        ("OX_ERRORS".to_string(), text(&folder.0.join("errors"))),
        ("TMPDIR".to_string(), text(&folder.0)),
        ("DO_NOT_TRACK".to_string(), "1".to_string()),
    ];
    env.extend(told.env.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
    Job { argv, cwd: cx.tree.root().to_path_buf(), env, stdin: Vec::new(), terminal: None, rights: rights(cx, folder) }
}

/// Reads what commands read, writes its own folder, speaks to nobody.
fn rights(cx: &Cx, folder: &Folder) -> Rights {
    let root = cx.tree.root();
    let mut rights = cx.walls.rights(root, cx.tree.added(), LONGEST);
    // The project is named as writable and then protected whole: what is not named may be hidden, as beneath /tmp.
    let projects: Vec<PathBuf> = std::iter::once(root.to_path_buf()).chain(cx.tree.added().iter().cloned()).collect();
    rights.protect = projects.clone();
    rights.write = projects;
    rights.write.push(folder.0.clone());
    rights.network = Network::None;
    rights.output = HELD;
    rights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::table;
    use crate::testing::World;
    use std::os::unix::fs::PermissionsExt as _;

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
        let row = table::of("a.py").unwrap().0;
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

    #[test]
    fn a_server_writes_nothing_but_its_folder_and_speaks_to_nobody() {
        let mut world = World::new();
        world.cx.walls = std::sync::Arc::new(crate::Walls {
            network: Network::All,
            write: vec!["/opt".into()],
            ..crate::Walls::default()
        });
        let folder = Folder::new().unwrap();
        let rights = rights(&world.cx, &folder);
        let root = world.cx.tree.root().to_path_buf();
        assert_eq!(rights.write, [root.clone(), folder.0.clone()]);
        assert_eq!((rights.protect, rights.network), (vec![root], Network::None));
        let path = folder.0.clone();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn without_walls_no_server_is_started() {
        let world = World::new();
        world.file("a.py", "x = 1\n");
        let words = world.fails("language_server", serde_json::json!({"query": "diagnostics", "path": "a.py"}));
        assert!(words.contains("runs only behind walls"), "{words}");
    }
}
