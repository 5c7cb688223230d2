//! One changing turn per working tree, one session per conversation: advisory locks that the system gives back when
//! their process dies.
//!
//! The lock file lies in the state folder, never in the tree, and is never removed: removing it would let two
//! processes lock two files of the same name.

use std::fs::{self, File, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use ox_protocol::ConversationId;

use crate::StoreError;
use crate::holder::describe;
use crate::schema::make_private_folder;

/// The right to change a working tree or to go on with a conversation; given back when it is dropped.
#[derive(Debug)]
pub struct TreeLock {
    file: File,
}

/// Takes the working tree at `root`, or says who has it. `state` is the folder in which the locks are kept.
pub fn lock_tree(state: &Path, root: &Path) -> Result<TreeLock, StoreError> {
    lock(state, &name(root), |holder| StoreError::TreeBusy { root: root.into(), holder })
}

/// Takes the conversation `id`, so that nobody else appends to its log, or says who has it.
pub fn lock_conversation(state: &Path, id: &ConversationId) -> Result<TreeLock, StoreError> {
    let file = name(Path::new(&format!("conversation-{id}")));
    lock(state, &file, |holder| StoreError::ConversationBusy { id: id.clone(), holder })
}

fn lock(state: &Path, name: &Path, busy: impl FnOnce(String) -> StoreError) -> Result<TreeLock, StoreError> {
    let folder = state.join("locks");
    make_private_folder(&folder)?;
    let path = folder.join(name);
    let io = |error: std::io::Error| StoreError::io(&path, &error);
    let mut file =
        fs::OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(io)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(busy(holder(&path))),
        Err(TryLockError::Error(error)) => return Err(io(error)),
    }
    // The process id is a courtesy to whoever finds the tree taken; the lock itself is what counts.
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| write!(file, "{}", std::process::id()));
    written.map_err(io)?;
    Ok(TreeLock { file })
}

impl Drop for TreeLock {
    fn drop(&mut self) {
        // Closing the file unlocks it too; a failure here changes nothing.
        let _ = self.file.unlock();
    }
}

fn holder(path: &Path) -> String {
    let pid = fs::read_to_string(path).ok().and_then(|it| it.trim().parse().ok());
    pid.map(describe).unwrap_or_default()
}

/// A readable name with a number that tells apart equal folder names (FNV-1a of the whole path: stable between versions).
fn name(root: &Path) -> PathBuf {
    let whole = root.as_os_str().as_encoded_bytes();
    let number = whole
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    let last = root.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let plain: String =
        last.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).take(40).collect();
    PathBuf::from(format!("{plain}-{number:016x}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_taken_once_and_given_back() {
        let state = tempfile::tempdir().unwrap();
        let (a, b) = (Path::new("/home/a"), Path::new("/other/a"));
        let lock = lock_tree(state.path(), a).unwrap();
        let _other = lock_tree(state.path(), b).unwrap();
        let error = lock_tree(state.path(), a).unwrap_err();
        let StoreError::TreeBusy { root, holder } = &error else { panic!("{error}") };
        assert_eq!(root, a);
        assert!(holder.contains(&format!("process {}", std::process::id())), "{holder}");
        drop(lock);
        lock_tree(state.path(), a).unwrap();
        let id = ConversationId("c-1".into());
        let _open = lock_conversation(state.path(), &id).unwrap();
        let error = lock_conversation(state.path(), &id).unwrap_err();
        assert!(matches!(error, StoreError::ConversationBusy { .. }), "{error}");
    }
}
