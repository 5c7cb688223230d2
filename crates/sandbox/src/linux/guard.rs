//! What a command may not make, change or replace: judged by where a folder really is, at any depth of every writable
//! folder, whether the name exists yet or not.
//!
//! The mounts hold what existed at the start; this holds whatever comes to be. Who else renames a file outside takes a
//! mount away with it, and nothing from here.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use ox_protocol::names::{Obeyed, folded, leads_to_obeyed, obeyed_at};

use crate::protected::is_installed;

/// Files of a git folder that its own work changes, beside those that begin with `index` or `merge_` or end in `.lock`.
const GIT_FILES: &str = "add_edit.patch addp-hunk-edit.diff auto_merge cherry_pick_head commit_editmsg commit_editmsg~ \
    edit_description fetch_head gc.log gc.pid head next-index notes_editmsg orig_head packed-refs packed-refs.new \
    rebase_head revert_head shallow sharedindex squash_msg tag_editmsg";

/// All that is guarded for one command.
#[derive(Clone, Debug, Default)]
pub(super) struct PathGuard {
    /// The writable folders, whose contents outlive the command.
    roots: Vec<PathBuf>,
    /// What is obeyed in them and may be changed nevertheless.
    open: Vec<PathBuf>,
    /// Places that may not change, with all beneath, as [`plain`] compares them.
    closed: Vec<PathBuf>,
    /// Links that must stay those links, likewise.
    links: Vec<PathBuf>,
}

impl PathGuard {
    /// Guards what is obeyed in `roots`, but for what lies in `open`.
    pub(super) fn new(roots: &[PathBuf], open: &[PathBuf]) -> PathGuard {
        PathGuard { roots: roots.to_vec(), open: open.iter().map(|it| plain(it)).collect(), ..PathGuard::default() }
    }

    /// `path` may not change, nor anything beneath it.
    pub(super) fn close(&mut self, path: &Path) {
        self.closed.push(plain(path));
    }

    /// `path` is a link and must stay that link.
    pub(super) fn pin(&mut self, path: &Path) {
        self.links.push(plain(path));
    }

    /// True when nothing is guarded.
    pub(super) fn is_empty(&self) -> bool {
        self.roots.is_empty() && self.closed.is_empty() && self.links.is_empty()
    }

    /// True when links are guarded, so that removing a name matters too.
    pub(super) fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// True when `path`, which names a file by where it really is, may be made or written.
    pub(super) fn is_free(&self, path: &Path) -> bool {
        !self.is_kept(path) && !self.is_obeyed(path, &plain(path))
    }

    /// True when `path` itself must stay as it is; what is only obeyed may be removed.
    pub(super) fn is_kept(&self, path: &Path) -> bool {
        let at = plain(path);
        self.closed.iter().any(|it| at.starts_with(it)) || self.links.contains(&at)
    }

    /// True when something may be moved to or from `path`. With a folder comes along whatever is in it.
    pub(super) fn is_movable(&self, path: &Path, folder: bool) -> bool {
        let at = plain(path);
        let holds = |it: &PathBuf| it.starts_with(&at);
        let names = folded(path);
        let objects = names.iter().any(|it| it == ".git")
            && (names.ends_with(&["objects".into()]) || names.ends_with(&["objects".into(), "info".into()]));
        self.is_free(path)
            && !self.closed.iter().chain(&self.links).any(holds)
            && !(folder && (leads_to_obeyed(&names) || objects) && self.is_guarded(path))
    }

    /// True when moving a folder there would bring names along that could not be made there.
    pub(super) fn is_strict_beyond(&self, old: &Path, new: &Path) -> bool {
        let loose = |it: &Path| !self.is_guarded(it) || is_installed(&folded(it));
        loose(old) && !loose(new)
    }

    fn is_guarded(&self, path: &Path) -> bool {
        self.roots.iter().any(|it| path.starts_with(it))
    }

    /// True when some program obeys this, or git does and its own work does not need it to change.
    fn is_obeyed(&self, path: &Path, at: &Path) -> bool {
        if self.open.iter().any(|it| at.starts_with(it) || it.starts_with(at)) {
            return false;
        }
        self.roots.iter().filter_map(|it| path.strip_prefix(it).ok()).any(|rest| {
            let names = folded(rest);
            (0..names.len()).any(|at| match obeyed_at(&names, at) {
                Some(Obeyed::Git) => !is_work_of_git(&names[at + 1..]),
                Some(who) => who.is_protected_from_commands() && !is_installed(&names[..at]),
                None => false,
            })
        })
    }
}

/// True for what git itself writes in its folder to add, commit, check out, merge, fetch or stash. Everything else makes
/// it run something, look elsewhere, or go on with what a user never began.
fn is_work_of_git(names: &[String]) -> bool {
    let Some((first, rest)) = names.split_first() else { return false };
    match first.as_str() {
        "objects" => !(rest.len() == 2 && rest[0] == "info" && rest[1].ends_with("alternates")),
        "refs" | "logs" | "lfs" | "rr-cache" => true,
        // The name of a submodule may have slashes, that of a work tree has none.
        "modules" => (1..rest.len()).any(|at| is_work_of_git(&rest[at..])),
        "worktrees" => rest.get(1..).is_some_and(is_work_of_git),
        name => {
            let kind = ["index", "merge_", "sharedindex."].iter().any(|it| name.starts_with(it));
            rest.is_empty()
                && (kind || name.ends_with(".lock") || GIT_FILES.split_ascii_whitespace().any(|it| it == name))
        }
    }
}

/// Some file systems do not tell large from small letters; nor do the comparisons here.
fn plain(path: &Path) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(path.as_os_str().as_bytes().to_ascii_lowercase()))
}

/// `name` in the folder at `folder`; slashes at its end only say that it is to be a folder.
pub(super) fn join(folder: &Path, name: &[u8]) -> PathBuf {
    let end = name.iter().rposition(|it| *it != b'/').map_or(0, |it| it + 1);
    folder.join(OsStr::from_bytes(&name[..end]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obeyed_is_closed_at_any_depth_and_git_can_work() {
        let mut guard = PathGuard::new(&["/p".into()], &["/p/open/.git".into()]);
        guard.close(Path::new("/p/Kept/note"));
        guard.pin(Path::new("/p/alias"));
        let closed = [
            ".git",
            "a/b/.git",
            "node_modules/x/.git/config",
            ".git/config",
            ".git/hooks/pre-commit",
            ".git/info/attributes",
            ".git/objects/info/alternates",
            ".git/rebase-merge/git-rebase-todo",
            ".git/rebase-apply",
            ".git/sequencer/todo",
            ".git/commondir",
            ".git/worktrees/w/commondir",
            ".git/worktrees/w/gitdir",
            ".git/worktrees/w",
            ".git/modules/a/config",
            ".git/modules/a/b/hooks/x",
            ".git/index/.git/config",
            ".git/refs/.git",
            "a/.VSCode/tasks.json",
            "a/.envrc",
            "x/y.code-workspace",
            "kept/note",
            "kept/note/x",
            "alias",
        ];
        let free = [
            "a",
            ".github/workflows/ci.yml",
            ".gitignore",
            "kept",
            "alias/x",
            ".git/HEAD",
            ".git/index.lock",
            ".git/index.stash.12",
            ".git/MERGE_MSG",
            ".git/objects/ab/cd",
            ".git/refs/heads/config",
            ".git/logs/refs/heads/x",
            ".git/worktrees/w/index",
            ".git/modules/a/b/objects/ab/cd",
            ".git/modules/a/HEAD",
            "node_modules/x/.vscode/settings.json",
            "open/.git/config",
            "open/.git",
        ];
        for name in closed {
            assert!(!guard.is_free(&Path::new("/p").join(name)), "{name}");
        }
        for name in free {
            assert!(guard.is_free(&Path::new("/p").join(name)), "{name}");
        }
        assert!(guard.is_free(Path::new("/tmp/x/.git")));
    }

    #[test]
    fn a_folder_takes_along_what_is_in_it() {
        let mut guard = PathGuard::new(&["/p".into()], &[]);
        guard.close(Path::new("/p/sub/kept"));
        for name in ["sub", "x/.config", ".git/objects", ".git/objects/info", ".git", "x/.git"] {
            assert!(!guard.is_movable(&Path::new("/p").join(name), true), "{name}");
        }
        for name in ["x/sub", "x", "objects", ".git/refs/heads"] {
            assert!(guard.is_movable(&Path::new("/p").join(name), true), "{name}");
        }
        let strict = |old: &str, new: &str| guard.is_strict_beyond(Path::new(old), Path::new(new));
        assert!(strict("/p/node_modules/x", "/p/x") && strict("/tmp/x", "/p/x"));
        assert!(!strict("/p/node_modules/x", "/p/node_modules/y") && !strict("/p/x", "/p/y"));
    }
}
