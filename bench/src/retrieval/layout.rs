//! One folder per repository that is moved from commit to commit: only what differs is written or removed.
//!
//! The repository that is given is only read. The folder gets a repository of its own that borrows the objects and has
//! the commit checked out, so that history ends there: nothing later is ever seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

/// The files of a commit with the names of their contents.
pub type Files = BTreeMap<String, Blob>;

/// The content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blob {
    /// Its name in the repository.
    pub name: String,
    /// In bytes.
    pub size: u64,
}

/// A repository with a folder in which its commits are laid out.
pub struct Layout {
    git: PathBuf,
    /// The folder.
    pub tree: PathBuf,
    shown: Files,
    history: bool,
    /// The size of each content that the repository holds. To ask git for what it does not hold makes it look through all
    /// its packs again, each time.
    held: HashMap<String, u64>,
    reader: Child,
    answers: BufReader<ChildStdout>,
    /// Contents that commits name and the repository does not hold.
    pub missing: BTreeSet<String>,
}

impl Layout {
    /// Opens the repository `OWNER/NAME` below `repos`.
    pub fn open(repos: &Path, repo: &str, scratch: &Path, history: bool) -> Result<Layout> {
        let git = found(repos, repo).with_context(|| format!("{repo} is not in {}", repos.display()))?;
        let tree = scratch.join(repo.replace('/', "+"));
        // What an earlier run left is not known to be whole.
        if tree.exists() {
            std::fs::remove_dir_all(&tree)?;
        }
        std::fs::create_dir_all(&tree)?;
        let mut reader = Command::new("git");
        reader.arg("--git-dir").arg(&git).args(["cat-file", "--batch"]).env("GIT_NO_LAZY_FETCH", "1");
        let mut reader = reader.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let answers = BufReader::new(reader.stdout.take().context("its output")?);
        let held = held(&git)?;
        Ok(Layout { held, git, tree, shown: Files::new(), history, reader, answers, missing: BTreeSet::new() })
    }

    /// Lays a commit out and tells its files.
    pub fn show(&mut self, commit: &str) -> Result<Files> {
        let files = self.list(commit)?;
        let gone: Vec<String> = self.shown.keys().filter(|it| !files.contains_key(*it)).cloned().collect();
        for path in gone {
            // What the repository does not hold was never written.
            let _ = std::fs::remove_file(self.tree.join(&path));
        }
        let new: Vec<(String, Blob)> = files
            .iter()
            .filter(|(path, blob)| self.shown.get(*path) != Some(blob))
            .map(|(path, blob)| (path.clone(), blob.clone()))
            .collect();
        for (path, blob) in new {
            let Some(bytes) = self.content(&blob.name)? else {
                self.missing.insert(blob.name);
                continue;
            };
            let file = self.tree.join(&path);
            if let Some(folder) = file.parent() {
                // A file of the commit before may be a folder now.
                if std::fs::create_dir_all(folder).is_err() {
                    continue;
                }
            }
            let _ = std::fs::remove_dir(&file);
            std::fs::write(&file, bytes).with_context(|| path.clone())?;
        }
        self.shown.clone_from(&files);
        if self.history {
            self.check_out(commit)?;
        }
        Ok(files)
    }

    /// The bytes of a content; none where the repository does not hold it.
    pub fn content(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let input = self.reader.stdin.as_mut().context("the reader's input")?;
        writeln!(input, "{name}")?;
        input.flush()?;
        let mut head = String::new();
        self.answers.read_line(&mut head)?;
        let Some(size) = head.trim().rsplit(' ').next().and_then(|it| it.parse::<usize>().ok()) else {
            return Ok(None);
        };
        let mut bytes = vec![0; size + 1];
        self.answers.read_exact(&mut bytes)?;
        bytes.pop();
        Ok(Some(bytes))
    }

    fn list(&mut self, commit: &str) -> Result<Files> {
        let mut git = Command::new("git");
        git.arg("--git-dir").arg(&self.git).args(["ls-tree", "-r", "-z", commit]).env("GIT_NO_LAZY_FETCH", "1");
        let output = git.output()?;
        if !output.status.success() {
            bail!("{commit} is not in {}: {}", self.git.display(), String::from_utf8_lossy(&output.stderr));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let mut files = Files::new();
        for entry in text.split('\0').filter(|it| !it.is_empty()) {
            let (head, path) = entry.split_once('\t').context("an entry without a path")?;
            let head: Vec<&str> = head.split_whitespace().collect();
            // Links and nested repositories hold no text of their own.
            let [mode, "blob", name] = head[..] else { continue };
            match self.held.get(name) {
                _ if mode == "120000" => {}
                Some(&size) => drop(files.insert(path.to_owned(), Blob { name: name.to_owned(), size })),
                None => drop(self.missing.insert(name.to_owned())),
            }
        }
        Ok(files)
    }

    /// Makes the folder a repository whose history ends at `commit`.
    fn check_out(&self, commit: &str) -> Result<()> {
        let own = self.tree.join(".git");
        std::fs::create_dir_all(own.join("objects/info"))?;
        std::fs::create_dir_all(own.join("refs/heads"))?;
        std::fs::write(own.join("objects/info/alternates"), format!("{}\n", self.git.join("objects").display()))?;
        std::fs::write(own.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")?;
        std::fs::write(own.join("HEAD"), format!("{commit}\n"))?;
        Ok(())
    }
}

impl Drop for Layout {
    fn drop(&mut self) {
        // It ends with its input; whoever drops it does not need its answer.
        drop(self.reader.stdin.take());
        let _ = self.reader.wait();
    }
}

/// The contents that a repository holds, with their sizes.
fn held(git: &Path) -> Result<HashMap<String, u64>> {
    let mut list = Command::new("git");
    list.arg("--git-dir").arg(git).env("GIT_NO_LAZY_FETCH", "1");
    list.args([
        "cat-file",
        "--batch-all-objects",
        "--unordered",
        "--batch-check=%(objecttype) %(objectname) %(objectsize)",
    ]);
    let output = list.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let blob = |line: &str| {
        let (name, size) = line.strip_prefix("blob ")?.split_once(' ')?;
        Some((name.to_owned(), size.parse().ok()?))
    };
    Ok(text.lines().filter_map(blob).collect())
}

/// The git folder of a repository, however it is named and whether it is bare.
fn found(repos: &Path, repo: &str) -> Option<PathBuf> {
    let names = [repo.replace('/', "+"), repo.replace('/', "__"), repo.to_owned()];
    let folders =
        names.iter().flat_map(|it| [repos.join(it), repos.join(it).join("repo"), repos.join(format!("{it}.git"))]);
    let git = folders.flat_map(|it| [it.join(".git"), it]);
    git.filter(|it| it.join("objects").is_dir() && it.join("HEAD").is_file()).find_map(|it| it.canonicalize().ok())
}
