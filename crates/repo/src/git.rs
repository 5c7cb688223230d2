//! Git's command line, worded so that a hostile repository cannot make it run anything.
//!
//! This module starts nothing: it only builds jobs. No hooks, pager, fsmonitor, external diff, text conversion, signature
//! program or credential helper is used, nothing is asked, and reading takes no lock. Clean and smudge filters that the
//! repository's own configuration defines are the one thing that git offers no switch for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Job, Rights};

/// How long git may take.
const TIME: Duration = Duration::from_secs(20);

const SETTINGS: [&str; 16] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.askPass=",
    "core.alternateRefsCommand=",
    "core.quotePath=false",
    "credential.helper=",
    "commit.gpgSign=false",
    "tag.gpgSign=false",
    "log.showSignature=false",
    "gpg.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "gc.auto=0",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
];

const ENV: [(&str, &str); 10] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_SSH_COMMAND", "ssh -o BatchMode=yes"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("LC_ALL", "C"),
];

/// The settings as variables, for commands that may run git somewhere inside; they take no lock.
pub fn neutral() -> Vec<(String, String)> {
    let count = ("GIT_CONFIG_COUNT".to_owned(), SETTINGS.len().to_string());
    let settings = SETTINGS.iter().enumerate().flat_map(|(at, setting)| {
        let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
        [(format!("GIT_CONFIG_KEY_{at}"), key.to_owned()), (format!("GIT_CONFIG_VALUE_{at}"), value.to_owned())]
    });
    [count, ("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())].into_iter().chain(settings).collect()
}

/// The job that runs git in `root` with `args`, the first of which is the subcommand. Paths in `args` are literal.
pub fn job(root: &Path, args: &[&str]) -> Job {
    let mut argv = vec!["git".to_owned(), "--no-pager".to_owned()];
    for setting in SETTINGS {
        argv.extend(["-c".to_owned(), setting.to_owned()]);
    }
    let mut args = args.iter().map(|it| (*it).to_owned());
    if let Some(subcommand) = args.next() {
        let diffs =
            matches!(subcommand.as_str(), "diff" | "log" | "show" | "format-patch" | "diff-tree" | "diff-index");
        let blames = subcommand == "blame";
        argv.push(subcommand);
        if diffs {
            argv.push("--no-ext-diff".to_owned());
        }
        if diffs || blames {
            argv.push("--no-textconv".to_owned());
        }
    }
    argv.extend(args);
    let env = ENV.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Job {
        argv,
        cwd: root.to_owned(),
        env,
        stdin: Vec::new(),
        terminal: None,
        rights: Rights::command(root.to_owned(), TIME),
    }
}

/// The same for a subcommand that only reads: it can write nothing, whatever filters the repository brings.
pub fn question(root: &Path, args: &[&str]) -> Job {
    let mut job = job(root, args);
    // Named as writable and then protected whole: what is not named may be hidden, as beneath `/tmp`.
    let top = work_tree(root).unwrap_or_else(|| root.to_owned());
    job.rights.write = vec![top];
    job.rights.read_only();
    job
}

/// True when `root` lies in a git work tree (also one whose `.git` is a file).
pub fn is_repo(root: &Path) -> bool {
    work_tree(root).is_some()
}

/// The top folder of the git work tree that `root` lies in.
pub fn work_tree(root: &Path) -> Option<PathBuf> {
    root.ancestors().find(|it| it.join(".git").exists()).map(Path::to_owned)
}

/// Git's folder of the work tree of `root`, wherever a `.git` file leads; none outside a repository.
pub fn folder(root: &Path) -> Option<PathBuf> {
    let top = work_tree(root)?;
    let dot = top.join(".git");
    match std::fs::read_to_string(&dot) {
        // A linked work tree: the file names its folder, relative to the tree or absolute.
        Ok(text) => Some(top.join(text.strip_prefix("gitdir:")?.trim())),
        Err(_) => Some(dot),
    }
}

/// The text of the settings of the repository of `root`, read without running git; a linked work tree shares them.
pub fn settings(root: &Path) -> Option<String> {
    let folder = folder(root)?;
    let common = std::fs::read_to_string(folder.join("commondir")).map(|it| folder.join(it.trim()));
    std::fs::read_to_string(common.unwrap_or(folder).join("config")).ok()
}

/// Git's folder of `root` where it is somebody else's: a `.git` file or link leads to it, out of the project, and it does
/// not know the work tree as its own.
pub fn foreign_folder(root: &Path) -> Option<PathBuf> {
    let (top, folder) = (work_tree(root)?, folder(root)?.canonicalize().ok()?);
    let (dot, here) = (top.join(".git"), top.canonicalize().ok()?);
    let leads = |text: String| folder.join(text.trim()).canonicalize().ok();
    // A linked work tree is named in a file of its own, a submodule in the settings.
    let linked = || std::fs::read_to_string(folder.join("gitdir")).ok().and_then(leads) == Some(here.join(".git"));
    let module = || {
        let settings = std::fs::read_to_string(folder.join("config")).unwrap_or_default();
        let named = settings
            .lines()
            .find_map(|it| it.trim().strip_prefix("worktree")?.trim().strip_prefix('=').map(str::to_owned));
        named.and_then(leads).as_ref() == Some(&here)
    };
    let own = dot.symlink_metadata().is_ok_and(|it| it.is_dir()) || folder.starts_with(&here);
    (!own && !linked() && !module()).then_some(folder)
}

/// The branch that is checked out in the work tree of `root`, read without running git: the short name, or empty when
/// no branch is checked out. None outside a repository.
pub fn branch(root: &Path) -> Option<String> {
    let head = std::fs::read_to_string(folder(root)?.join("HEAD")).ok()?;
    Some(short(&head))
}

/// What `HEAD` is, for people and to be compared: the branch and the beginning of its commit. Empty where there is none.
pub fn head(root: &Path) -> String {
    let read = |dir: PathBuf| Some((std::fs::read_to_string(dir.join("HEAD")).ok()?, dir));
    let Some((head, dir)) = folder(root).and_then(read) else { return String::new() };
    let commit = resolved(&dir, &head).unwrap_or_default();
    format!("{} {}", short(&head), &commit[..commit.len().min(12)]).trim().to_owned()
}

fn short(head: &str) -> String {
    head.trim().strip_prefix("ref: ").map_or("", |it| it.trim_start_matches("refs/heads/")).to_owned()
}

/// The commit that the words of a `HEAD` in a git folder lead to, without running git; none for a branch without commits.
fn resolved(dir: &Path, head: &str) -> Option<String> {
    let Some(name) = head.trim().strip_prefix("ref: ") else {
        return Some(head.trim().to_owned()).filter(|it| it.len() >= 40);
    };
    // Branches of a linked work tree are in the folder that it shares.
    let common = std::fs::read_to_string(dir.join("commondir")).map_or(dir.to_owned(), |it| dir.join(it.trim()));
    let loose = std::fs::read_to_string(common.join(name)).ok().map(|it| it.trim().to_owned());
    loose.filter(|it| it.len() >= 40).or_else(|| {
        let packed = std::fs::read_to_string(common.join("packed-refs")).ok()?;
        packed.lines().find_map(|it| it.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
    })
}
