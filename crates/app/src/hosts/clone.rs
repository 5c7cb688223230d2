//! A clone of a repository for one run, in a folder of its own beside the user.
//!
//! Nothing of the repository runs: no hooks, no submodules, no files from elsewhere, and nobody has trusted it. Who may read it
//! is git's to know; an address with a password in it is taken by nobody, since it would be kept in the clone.

use std::fs;
use std::path::{Path, PathBuf};

use ox_protocol::{Job, Problem, Runner};
use ox_sandbox::Plain;
use url::Url;

use crate::commit::git::{Git, PATIENT};
use crate::project::sandbox::safe_path;
use crate::project::{current_folder, wait};

/// Commits of the history that come with a clone.
const DEPTH: &str = "50";
/// How a repository may be reached.
const SCHEMES: [&str; 5] = ["https", "http", "ssh", "git", "file"];
/// Settings of the hardened command line that keep git from using what it knows of the user.
const CREDENTIALS: [&str; 2] = ["credential.helper=", "core.askPass="];

/// A repository elsewhere, and the branch or tag that is wanted of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repository {
    url: String,
    branch: Option<String>,
    name: String,
}

/// A clone.
#[derive(Clone, Debug)]
pub struct CloneFolder {
    path: PathBuf,
    /// The branches that it began with.
    start: String,
}

impl Repository {
    /// Reads `URL` or `URL#BRANCH`. Problems: `repo.url`, `repo.scheme`, `repo.password`, `repo.branch`.
    pub fn parse(text: &str) -> Result<Repository, Problem> {
        let wrong = |code: &str, url: &str| Problem::new(code).with("url", url).with("schemes", SCHEMES.join(", "));
        let (address, branch) = text.trim().split_once('#').map_or((text.trim(), None), |(it, of)| (it, Some(of)));
        // What git reads as a helper of its own, as an option or as a path is no URL, or none with such a scheme.
        let url = Url::parse(address).map_err(|_| wrong("repo.url", &shown(address)))?;
        if !SCHEMES.iter().any(|it| address.strip_prefix(it).is_some_and(|rest| rest.starts_with("://"))) {
            return Err(wrong("repo.scheme", &shown(address)));
        }
        let has_user = !url.username().is_empty();
        if url.password().is_some() || has_user && url.scheme() != "ssh" {
            return Err(wrong("repo.password", &shown(address)));
        }
        let host = url.host_str().unwrap_or_default();
        let is_here = url.scheme() == "file";
        let odd = |word: &str| {
            word.starts_with('-') || word.contains(|it: char| it.is_control() || it.is_whitespace() || it == '\\')
        };
        if is_here != host.is_empty() || odd(host) || odd(url.username()) || odd(address) {
            return Err(wrong("repo.url", &shown(address)));
        }
        let last = url.path().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let name = last.strip_suffix(".git").unwrap_or(last);
        let is_plain = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '.');
        let name: String = name.chars().map(|it| if is_plain(it) { it } else { '-' }).collect();
        if name.trim_matches(['.', '-']).is_empty() {
            return Err(wrong("repo.url", &shown(address)));
        }
        let branch = branch.filter(|it| !it.is_empty());
        if let Some(bad) = branch.filter(|it| odd(it)) {
            return Err(Problem::new("repo.branch").with("name", bad));
        }
        let name = name.trim_start_matches(['.', '-']).to_owned();
        Ok(Repository { url: address.to_owned(), branch: branch.map(str::to_owned), name })
    }

    /// Clones it into a folder that is new, beside the user, or beside the repository that they are in. Problems: `repo.*`.
    pub fn clone_beside(&self) -> Result<CloneFolder, Problem> {
        let here = current_folder()?;
        let beside = ox_repo::git::work_tree(&here).and_then(|it| it.parent().map(Path::to_owned)).unwrap_or(here);
        let path = self.fresh(&beside)?;
        if let Err(why) = self.fetch(&path) {
            // A server of plain files has no part of a history to give.
            let cloned = if why.contains("shallow") { self.run(&path, &[]) } else { Err(why) };
            if let Err(why) = cloned {
                drop(fs::remove_dir_all(&path));
                return Err(Problem::new("repo.not_cloned").with("url", &self.url).with("why", why));
            }
        }
        let start = branches(&path)?;
        Ok(CloneFolder { path, start })
    }

    /// Makes the folder.
    fn fresh(&self, beside: &Path) -> Result<PathBuf, Problem> {
        for number in 1.. {
            let name = if number == 1 { self.name.clone() } else { format!("{}-{number}", self.name) };
            let path = beside.join(name);
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(Problem::new("repo.no_folder").with("path", path.display()).with("why", error));
                }
            }
        }
        unreachable!("the numbers have no end")
    }

    fn fetch(&self, path: &Path) -> Result<(), String> {
        self.run(path, &["--depth", DEPTH])
    }

    fn run(&self, path: &Path, how_much: &[&str]) -> Result<(), String> {
        let exit =
            wait(Plain.run(self.job(path, how_much), None)).map_err(|it| it.code)?.map_err(|it| it.to_string())?;
        match exit.code {
            Some(0) if !exit.timed_out => Ok(()),
            _ => Err(ox_model::keys::hide(exit.output.text(|_| "[…]".to_owned()).trim())),
        }
    }

    fn job(&self, path: &Path, how_much: &[&str]) -> Job {
        let mut args = vec!["clone", "--quiet", "--template=", "--no-recurse-submodules", "--origin", "origin"];
        args.extend(how_much);
        args.extend(self.branch.iter().flat_map(|it| ["--branch", it.as_str()]));
        args.extend(["--", &self.url, "."]);
        let mut job = ox_repo::git::job(path, &args);
        let mut argv = Vec::new();
        for word in std::mem::take(&mut job.argv) {
            match CREDENTIALS.contains(&word.as_str()) {
                // Its `-c` goes too.
                true => drop(argv.pop()),
                false => argv.push(word),
            }
        }
        // No other way of reaching it, whatever a server or the user's own settings make of the address.
        let allowed = SCHEMES.iter().filter(|it| **it != "file" || self.url.starts_with("file:"));
        let ways = allowed.map(|it| format!("protocol.{it}.allow=always")).chain(["protocol.allow=never".to_owned()]);
        argv.splice(1..1, ways.flat_map(|it| ["-c".to_owned(), it]));
        job.argv = argv;
        job.env.retain(|(name, _)| name != "GIT_ASKPASS" && name != "SSH_ASKPASS");
        job.env.push(("GIT_LFS_SKIP_SMUDGE".to_owned(), "1".to_owned()));
        job.env.push(("PATH".to_owned(), safe_path(path)));
        job.rights.time = PATIENT;
        job
    }
}

impl CloneFolder {
    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes it away where nothing was changed or made in it, also nothing that git ignores, and nothing names another commit. True
    /// where it stays.
    pub fn finish(&self) -> Result<bool, Problem> {
        let git = Git::new(&self.path, false).patient();
        let dirty = !git.must(&["status", "--porcelain", "--untracked-files=all", "--ignored"], "")?.is_empty();
        let linked = git.must(&["worktree", "list", "--porcelain"], "")?.matches("worktree ").count() > 1;
        if dirty || linked || branches(&self.path)? != self.start {
            return Ok(true);
        }
        fs::remove_dir_all(&self.path)
            .map_err(|error| Problem::new("repo.no_folder").with("path", self.path.display()).with("why", error))?;
        Ok(false)
    }
}

/// All branches, tags and other names with their commits, and the commit that is checked out.
fn branches(path: &Path) -> Result<String, Problem> {
    let git = Git::new(path, false);
    let tips = git.must(&["for-each-ref", "--format=%(refname) %(objectname)"], "")?;
    // A repository may have no commit yet.
    Ok(format!("{tips}\n{}", git.ask(&["rev-parse", "--verify", "--quiet", "HEAD"])?.text))
}

/// An address without whom it names: what stands there may be a password, also where it is no URL.
fn shown(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((before, rest)) => {
            let scheme = before.split_once("://").map_or(String::new(), |(it, _)| format!("{it}://"));
            format!("{scheme}[…]@{rest}")
        }
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match Repository::parse(text) {
            Ok(it) => format!("{} {} {}", it.name, it.branch.unwrap_or_default(), it.url),
            Err(problem) => format!("{} {}", problem.code, problem.args.get("url").map_or("", |it| it)),
        }
    }

    #[test]
    fn only_addresses_that_reach_out_as_they_look_are_taken() {
        let table = [
            ("https://host/o/hello.git", "hello  https://host/o/hello.git"),
            (" http://127.0.0.1:8080/hello#fix/it ", "hello fix/it http://127.0.0.1:8080/hello"),
            ("ssh://git@host:22/o/hello", "hello  ssh://git@host:22/o/hello"),
            ("git://host/hello#", "hello  git://host/hello"),
            ("file:///srv/a%20b/hello.git/", "hello  file:///srv/a%20b/hello.git/"),
            ("https://host/o/..", "repo.url https://host/o/.."),
            ("ext::sh -c touch% /tmp/x", "repo.scheme ext::sh -c touch% /tmp/x"),
            ("ext::https://host/x", "repo.scheme ext::https://host/x"),
            ("https::https://host/x", "repo.url https::https://host/x"),
            ("--upload-pack=touch x", "repo.url --upload-pack=touch x"),
            ("/srv/hello", "repo.url /srv/hello"),
            ("git@host:o/hello", "repo.url […]@host:o/hello"),
            ("ssh://-oProxyCommand=x/hello", "repo.url ssh://-oProxyCommand=x/hello"),
            ("ssh://-oProxyCommand=x@host/hello", "repo.url ssh://[…]@host/hello"),
            ("ssh://git:secret@host/hello", "repo.password ssh://[…]@host/hello"),
            ("https://token@host/o/hello", "repo.password https://[…]@host/o/hello"),
            ("https://user:secret@host/o/hello", "repo.password https://[…]@host/o/hello"),
            ("file://host/o/hello", "repo.url file://host/o/hello"),
            ("ftp://host/hello", "repo.scheme ftp://host/hello"),
            ("https://host/", "repo.url https://host/"),
            ("https://host/hello#--upload-pack=x", "repo.branch "),
        ];
        for (text, expected) in table {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn git_runs_nothing_and_takes_no_other_way() {
        let job = Repository::parse("https://host/o/hello#main").unwrap().job(Path::new("/there"), &["--depth", "50"]);
        let line = job.argv.join(" ");
        for part in [
            "-c protocol.https.allow=always",
            "-c protocol.allow=never",
            "-c core.hooksPath=/dev/null",
            "-c protocol.ext.allow=never",
            "clone --quiet --template= --no-recurse-submodules --origin origin --depth 50 --branch main -- https://host/o/hello .",
        ] {
            assert!(line.contains(part), "{part} in {line}");
        }
        assert!(!line.contains("protocol.file.allow=always") && !line.contains("credential.helper="), "{line}");
    }
}
