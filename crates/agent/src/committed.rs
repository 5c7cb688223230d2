//! Files as the project's last commit has them, for where no checkpoint tells how they were before the turn. What was not
//! committed then counts as the turn's; and nothing says which of the two it was.

use std::collections::BTreeMap;
use std::path::Path;

use ox_protocol::Runner;
use ox_repo::git;

/// Bytes of all files together that are read.
const MOST: usize = 8 << 20;

/// The bytes of those of these paths that `HEAD` has; nothing outside of a repository.
pub(crate) async fn files(runner: &dyn Runner, root: &Path, paths: &[String]) -> BTreeMap<String, Vec<u8>> {
    let Some(top) = git::work_tree(root).filter(|_| !paths.is_empty()) else { return BTreeMap::new() };
    let beneath = root.strip_prefix(&top).unwrap_or(Path::new(""));
    let paths: Vec<&String> = paths.iter().filter(|it| !it.contains('\n')).collect();
    let asked: String = paths.iter().map(|it| format!("HEAD:{}\n", beneath.join(it).display())).collect();
    let mut job = git::question(root, &["cat-file", "--batch"]);
    job.stdin = asked.into_bytes();
    job.rights.output = 2 * MOST;
    let Ok(exit) = runner.run(job, None).await else { return BTreeMap::new() };
    read(&paths, &exit.output.head)
}

/// Git's answers in the order of what was asked: `OID blob SIZE`, the bytes and a line end, or a line that ends in `missing`.
fn read(paths: &[&String], mut rest: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    for path in paths {
        let Some(end) = rest.iter().position(|it| *it == b'\n') else { break };
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        let size = head.split_once(" blob ").and_then(|it| it.1.parse::<usize>().ok());
        let Some(size) = size else { continue };
        // What was cut is not known.
        let Some(bytes) = rest.get(..size) else { break };
        out.insert((*path).clone(), bytes.to_vec());
        rest = rest.get(size + 1..).unwrap_or_default();
    }
    out
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use ox_sandbox::Plain;

    use super::*;

    #[tokio::test]
    async fn files_are_as_the_last_commit_has_them() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        std::fs::write(inner.join("a.txt"), "one\ntwo\n").unwrap();
        std::fs::write(inner.join("empty.txt"), "").unwrap();
        let git = |args: &[&str]| {
            let named = ["-c", "user.name=t", "-c", "user.email=t@t"];
            let done = Command::new("git").current_dir(dir.path()).args(named).args(args).output().unwrap();
            assert!(done.status.success(), "{args:?}: {done:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "."]);
        git(&["commit", "-qm", "x"]);
        std::fs::write(inner.join("a.txt"), "changed").unwrap();
        let asked = ["new.txt", "a.txt", "empty.txt"].map(str::to_owned);
        let found = files(&Plain, &inner, &asked).await;
        assert_eq!(found.get("a.txt").map(Vec::as_slice), Some(b"one\ntwo\n".as_slice()));
        assert_eq!(found.get("empty.txt").map(Vec::len), Some(0));
        assert_eq!(found.get("new.txt"), None);
        let outside = tempfile::tempdir().unwrap();
        assert!(files(&Plain, outside.path(), &asked).await.is_empty());
    }
}
