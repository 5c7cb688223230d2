//! One working tree: a root, the folders added to it, and nothing else.
//!
//! A `Tree` holds no cache of contents: what it reports is what is on disk when it is asked.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crate::consent::Consents;
use crate::error;
use crate::globs::Globs;
use crate::{Hash, Recovery, RepoError, Unsaved};

/// A working tree. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Tree {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    /// Canonical.
    pub(crate) root: PathBuf,
    /// Canonical.
    pub(crate) added: Vec<PathBuf>,
    /// The root lies inside a larger git work tree, whose ignore rules hold too.
    pub(crate) nested: bool,
    /// The last snapshot was large: worth the start of threads.
    pub(crate) large: Arc<AtomicBool>,
    /// Where the journal of a transaction is, outside the tree.
    pub(crate) journals: PathBuf,
    /// A journal may have been made; shared with the same tree under other consents.
    pub(crate) used: Arc<AtomicBool>,
    /// What recoveries have done and nobody has asked for.
    pub(crate) recovered: Arc<Mutex<Vec<Recovery>>>,
    /// What the user consented to.
    pub(crate) consents: Consents,
    /// What is neither read nor listed.
    pub(crate) excluded: Arc<Globs>,
    /// Changes are checked and answered, and none is made.
    pub(crate) dry: bool,
    /// What an editor has of files.
    pub(crate) unsaved: Unsaved,
}

impl Tree {
    /// Opens the tree at `root` with further folders `added`; all must exist and be folders. Journals are in a folder for
    /// temporary files, which outlives the process but perhaps not the machine; see [`Tree::with_journal`].
    pub fn open(root: &Path, added: &[PathBuf]) -> Result<Tree, RepoError> {
        let root = folder(root)?;
        let added = added.iter().map(|it| folder(it)).collect::<Result<Vec<_>, _>>()?;
        let nested = !root.join(".git").exists() && crate::git::is_repo(&root);
        let user = rustix::process::geteuid().as_raw();
        let journals = std::env::temp_dir().join(format!("ox-journals-{user}"));
        let (large, used, recovered) = (Arc::default(), Arc::default(), Arc::default());
        let (consents, excluded) = (Consents::default(), Arc::default());
        let unsaved = Unsaved::default();
        let inner =
            Inner { root, added, nested, large, journals, used, recovered, consents, excluded, dry: false, unsaved };
        Ok(Tree { inner: Arc::new(inner) }.ready())
    }

    /// The same tree with its journals in the folder `journals` of `state`, a folder of this user's that lasts and lies
    /// outside the tree. A transaction that a crash cut short is taken back now; [`Tree::recovered`] tells.
    pub fn with_journal(&self, state: &Path) -> Tree {
        self.with(self.inner.added.clone(), state.join("journals")).ready()
    }

    /// The canonical root.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// The canonical folders added to the root.
    pub fn added(&self) -> &[PathBuf] {
        &self.inner.added
    }

    fn with(&self, added: Vec<PathBuf>, journals: PathBuf) -> Tree {
        let consents = Consents::default();
        let Inner { root, nested, recovered, excluded, unsaved, .. } = &*self.inner;
        let (root, nested, recovered, excluded) = (root.clone(), *nested, recovered.clone(), excluded.clone());
        let (large, used, dry, unsaved) = (Arc::default(), Arc::default(), self.inner.dry, unsaved.clone());
        let inner = Inner { root, added, nested, large, journals, used, recovered, consents, excluded, dry, unsaved };
        Tree { inner: Arc::new(inner) }
    }

    /// The same tree under other consents: what is known of it holds, and its journal goes with the last of both.
    pub(crate) fn under(&self, consents: Consents) -> Tree {
        self.variant(consents, self.inner.excluded.clone(), self.inner.dry, self.inner.unsaved.clone())
    }

    /// The same tree in which what these globs match, as `WalkOptions` understands them, is neither found nor listed by name.
    /// States and snapshots of the tree have it all the same.
    pub fn without(&self, globs: &[String]) -> Result<Tree, RepoError> {
        let Inner { consents, dry, unsaved, .. } = &*self.inner;
        Ok(self.variant(consents.clone(), Arc::new(Globs::new(globs)?), *dry, unsaved.clone()))
    }

    /// The same tree, in which changes are checked and answered as ever and none is made.
    pub fn dry(&self) -> Tree {
        let Inner { consents, excluded, unsaved, .. } = &*self.inner;
        self.variant(consents.clone(), excluded.clone(), true, unsaved.clone())
    }

    /// The same tree, in which reading a text gives what is not saved of it. Bytes and states are those on disk, and so is
    /// what a change is made to: one that was read from such a text is refused.
    pub fn showing(&self, unsaved: &Unsaved) -> Tree {
        let Inner { consents, excluded, dry, .. } = &*self.inner;
        self.variant(consents.clone(), excluded.clone(), *dry, unsaved.clone())
    }

    /// The bytes on disk that a change is held against which was read with `seen`. Where changes are answered and not made
    /// it may have been a text that is not saved.
    pub(crate) fn stored(&self, abs: &Path, seen: Hash) -> Hash {
        self.inner.dry.then(|| self.inner.unsaved.base(abs, seen)).flatten().unwrap_or(seen)
    }

    /// True for a path, relative to the root, that [`Tree::without`] took out.
    pub fn leaves_out(&self, rel: &str) -> bool {
        self.inner.excluded.matches(&[rel])
    }

    fn variant(&self, consents: Consents, excluded: Arc<Globs>, dry: bool, unsaved: Unsaved) -> Tree {
        let Inner { root, added, nested, large, journals, used, recovered, .. } = &*self.inner;
        let (root, added, nested, journals) = (root.clone(), added.clone(), *nested, journals.clone());
        let (large, used, recovered) = (large.clone(), used.clone(), recovered.clone());
        let inner = Inner { root, added, nested, large, journals, used, recovered, consents, excluded, dry, unsaved };
        Tree { inner: Arc::new(inner) }
    }

    /// A tree can be read although it could not be recovered, for example on a disk that is mounted read-only. The next
    /// transaction tries again and then says why.
    fn ready(self) -> Tree {
        let _ = self.recover();
        self
    }
}

fn folder(path: &Path) -> Result<PathBuf, RepoError> {
    let shown = path.display().to_string();
    let real = path.canonicalize().map_err(|it| error::reading(&shown, it))?;
    match real.is_dir() {
        true => Ok(real),
        false => Err(RepoError::NotDirectory { path: shown }),
    }
}
