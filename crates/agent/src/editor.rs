//! The editor in which the user has files of the project open: what is not saved there is read in place of the file on
//! disk, is saved before it is edited, and an edit is told to it.
//!
//! Promise: no text that is in the editor alone, or on disk alone, is ever replaced. Where both have changed, nothing is
//! edited. Only plain texts are spoken of (UTF-8 with plain newlines): all others are edited as if no editor was there. An
//! editor that once did not answer in time is not asked again.

use std::collections::BTreeMap;
use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ox_protocol::{BoxFuture, Call, ChangeKind, Outcome, Time};
use ox_repo::{Access, Encoding, Hash, Tree, Unsaved};

/// How long the editor may take for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Files of one call that the editor is asked about; it has hardly more open.
const FILES: usize = 50;
/// How far the time of a change may be behind the clock, in milliseconds.
const COARSE: u64 = 20;

/// An editor that can be asked for what it has of a file.
pub trait Editor: fmt::Debug + Send + Sync {
    /// The text of a file as the editor has it; none where it cannot say.
    fn read(&self, path: PathBuf) -> BoxFuture<'static, Option<String>>;
    /// Replaces the text of a file in the editor, which saves it; false where it did not.
    fn write(&self, path: PathBuf, text: String) -> BoxFuture<'static, bool>;
    /// True where it takes texts.
    fn takes(&self) -> bool;
}

/// What is known of the files that an editor has open. A clone is the same.
#[derive(Clone, Debug)]
pub struct OpenFiles(Arc<Known>);

#[derive(Debug)]
struct Known {
    editor: Arc<dyn Editor>,
    unsaved: Unsaved,
    /// The text that editor and disk last had both, or from which alone one of them has gone.
    agreed: Mutex<BTreeMap<PathBuf, Hash>>,
    /// When it was first asked.
    since: Time,
    patience: Duration,
    silent: AtomicBool,
}

/// A plain text on disk.
struct Plain {
    abs: PathBuf,
    text: String,
    hash: Hash,
    changed: Time,
}

/// A file that the editor has another text of.
struct Differs {
    path: String,
    write: bool,
    how: How,
}

enum How {
    /// It has changes that are not saved.
    Unsaved { disk: Plain, text: String },
    /// It has, and the file on disk was changed as well.
    Both,
}

/// What a call meets in the editor.
#[derive(Default)]
pub(crate) struct Met {
    files: Option<OpenFiles>,
    differs: Vec<Differs>,
    /// What the model is told beside the result.
    notes: Vec<String>,
}

impl OpenFiles {
    /// Nothing is known at the moment `since`.
    pub fn new(editor: Arc<dyn Editor>, since: Time) -> OpenFiles {
        let (unsaved, agreed, silent) = (Unsaved::default(), Mutex::default(), AtomicBool::new(false));
        OpenFiles(Arc::new(Known { editor, unsaved, agreed, since, patience: PATIENCE, silent }))
    }

    /// The texts that were not saved when they were last asked for.
    pub(crate) fn unsaved(&self) -> &Unsaved {
        &self.0.unsaved
    }

    fn agreed(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Hash>> {
        self.0.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn agree(&self, abs: &Path, on: Hash) {
        self.agreed().insert(abs.to_path_buf(), on);
        self.0.unsaved.forget(abs);
    }

    async fn in_time<T>(&self, answer: BoxFuture<'static, T>) -> Option<T> {
        if self.0.silent.load(Ordering::Relaxed) {
            return None;
        }
        let answer = tokio::time::timeout(self.0.patience, answer).await.ok();
        self.0.silent.fetch_or(answer.is_none(), Ordering::Relaxed);
        answer
    }

    /// The text that the editor has of a file, where it is a plain one. Some editors have no newline at the end of the last
    /// line; that is no change.
    async fn text(&self, disk: &Plain) -> Option<String> {
        let mut text = self.in_time(self.0.editor.read(disk.abs.clone())).await??;
        if disk.text.ends_with('\n') && !text.ends_with('\n') && !text.is_empty() {
            text.push('\n');
        }
        (!text.contains('\r')).then_some(text)
    }

    async fn write(&self, abs: &Path, text: &str) -> bool {
        self.in_time(self.0.editor.write(abs.to_path_buf(), text.to_owned())).await == Some(true)
    }

    /// How the editor's text of a file differs from that on disk; none where it does not, or only lags behind.
    async fn look(&self, tree: &Tree, path: &str) -> Option<How> {
        let disk = plain(tree, path).await?;
        let text = self.text(&disk).await?;
        let theirs = Hash::of(text.as_bytes());
        let agreed = self.agreed().get(&disk.abs).copied();
        if theirs == disk.hash || agreed == Some(theirs) {
            // A file that was changed on disk alone is loaded by the editor in a moment.
            self.0.unsaved.forget(&disk.abs);
            if theirs == disk.hash {
                self.agree(&disk.abs, theirs);
            }
            return None;
        }
        // What stands on disk since before the editor was asked is what it has loaded.
        let loaded = agreed.map_or(disk.changed.0 + COARSE < self.0.since.0, |it| it == disk.hash);
        if !loaded || text.is_empty() {
            self.0.unsaved.forget(&disk.abs);
            return Some(How::Both);
        }
        self.agreed().insert(disk.abs.clone(), disk.hash);
        self.0.unsaved.put(disk.abs.clone(), disk.hash, text.clone());
        Some(How::Unsaved { disk, text })
    }

    /// Lets the editor save its own text. The words for the model where it did not.
    async fn save(&self, tree: &Tree, path: &str, disk: &Plain, text: &str) -> Result<(), String> {
        let refused = || Err(not_saved(path));
        if !self.0.editor.takes() || !self.write(&disk.abs, text).await {
            return refused();
        }
        match plain(tree, path).await {
            // It may have formatted the text.
            Some(now) if now.hash != disk.hash => {
                self.agree(&now.abs, now.hash);
                Ok(())
            }
            _ => refused(),
        }
    }

    /// Tells the editor of a text that was just written to disk. What there is to say of it.
    async fn tell(&self, tree: &Tree, path: &str) -> Option<String> {
        let disk = plain(tree, path).await?;
        let Some(before) = self.agreed().get(&disk.abs).copied() else {
            // What the editor has not had before it loads from disk.
            self.agree(&disk.abs, disk.hash);
            return None;
        };
        let theirs = Hash::of(self.text(&disk).await?.as_bytes());
        if theirs == disk.hash {
            self.agree(&disk.abs, disk.hash);
            return None;
        }
        if theirs != before {
            return Some(typed(path));
        }
        if !self.0.editor.takes() || !self.write(&disk.abs, &disk.text).await {
            return None;
        }
        let now = plain(tree, path).await?;
        self.agree(&now.abs, now.hash);
        (now.hash != disk.hash).then(|| formatted(path))
    }
}

impl Met {
    /// Looks at the files of a call that works on files.
    pub async fn by(files: Option<OpenFiles>, tree: &Tree, call: &Call) -> Met {
        let Some(files) = files.filter(|_| call.facts.command.is_none()) else { return Met::default() };
        let tree = tree.showing(&Unsaved::default());
        let (mut differs, mut notes) = (Vec::new(), Vec::new());
        for used in call.facts.paths.iter().take(FILES) {
            let Some(how) = files.look(&tree, &used.path).await else { continue };
            notes.push(note(&used.path, used.write, &how));
            differs.push(Differs { path: used.path.clone(), write: used.write, how });
        }
        Met { files: Some(files), differs, notes }
    }

    /// True where something is to be saved, or cannot be, before the call may run.
    pub fn stands_in_the_way(&self) -> bool {
        self.differs.iter().any(|it| it.write)
    }

    /// Has the editor save what the call edits. The words for the model where the call must not run.
    pub async fn save(&self, tree: &Tree) -> Result<(), String> {
        let Some(files) = &self.files else { return Ok(()) };
        let tree = tree.showing(&Unsaved::default());
        if let Some(torn) = self.differs.iter().find(|it| it.write && matches!(it.how, How::Both)) {
            return Err(changed_twice(&torn.path));
        }
        for Differs { path, how, .. } in self.differs.iter().filter(|it| it.write) {
            if let How::Unsaved { disk, text } = how {
                files.save(&tree, path, disk, text).await?;
            }
        }
        Ok(())
    }

    /// Tells the editor what the call edited, and the model what of it stood in the editor.
    pub async fn tell(mut self, tree: &Tree, outcome: &mut Outcome) {
        let Some(files) = self.files else { return };
        let tree = tree.showing(&Unsaved::default());
        for change in outcome.changed.iter().filter(|it| it.kind != ChangeKind::Deleted).take(FILES) {
            self.notes.extend(files.tell(&tree, &change.path).await);
        }
        if !self.notes.is_empty() {
            outcome.output = format!("{}\n{}", outcome.output.trim_end(), self.notes.join("\n"));
        }
    }
}

/// A file on disk, where it is a plain text.
async fn plain(tree: &Tree, path: &str) -> Option<Plain> {
    let (tree, path) = (tree.clone(), path.to_owned());
    let reading = tokio::task::spawn_blocking(move || {
        let abs = tree.locate(&path, Access::Read).ok()?.abs;
        let meta = std::fs::metadata(&abs).ok()?;
        let file = tree.read(&path).ok()?;
        // A program may set the time of the last change of the text, but not that of the file's entry.
        let at = |seconds: i64, nanos: i64| u64::try_from(seconds * 1000 + nanos / 1_000_000).unwrap_or(0);
        let changed = at(meta.mtime(), meta.mtime_nsec()).max(at(meta.ctime(), meta.ctime_nsec()));
        let is_plain = file.encoding == Encoding::UTF8 && !file.bom && !file.text.contains('\r');
        is_plain.then_some(Plain { abs, text: file.text, hash: file.hash, changed: Time(changed) })
    });
    reading.await.ok().flatten()
}

fn note(path: &str, write: bool, how: &How) -> String {
    match how {
        How::Unsaved { .. } if write => {
            format!("[{path} had changes in the user's editor that were not saved; they were saved before this]")
        }
        How::Unsaved { .. } => format!(
            "[{path} is open in the user's editor with changes that are not saved; this is its text there. Searches, \
             commands and checks see the file on disk]"
        ),
        How::Both => format!(
            "[{path} is open in the user's editor with changes that are not saved, and was changed on disk as well; this is \
             the file on disk]"
        ),
    }
}

fn changed_twice(path: &str) -> String {
    format!(
        "nothing was changed: {path} is open in the user's editor with changes that are not saved, and was changed on disk as \
         well, so one of the two would be lost. Ask the user to save it or to load it again, then read it again."
    )
}

fn not_saved(path: &str) -> String {
    format!(
        "nothing was changed: {path} is open in the user's editor with changes that are not saved, and the editor did not \
         save them. Ask the user to save it, then read it again."
    )
}

fn typed(path: &str) -> String {
    format!(
        "[{path} was changed in the user's editor at the same time; its text there lacks this edit and is not saved. Tell the \
         user]"
    )
}

fn formatted(path: &str) -> String {
    format!("[the user's editor changed {path} further when it saved it; read it again before you edit it]")
}

#[cfg(test)]
mod tests {
    use ox_protocol::FileChange;

    use super::*;

    /// An editor with one file; it formats what it saves where it has a form.
    #[derive(Debug)]
    struct Fake {
        buffer: Arc<Mutex<Option<String>>>,
        disk: PathBuf,
        form: Option<&'static str>,
        takes: bool,
    }

    impl Editor for Fake {
        fn read(&self, _: PathBuf) -> BoxFuture<'static, Option<String>> {
            let text = self.buffer.lock().unwrap().clone();
            Box::pin(async move {
                if text.as_deref() == Some("never") {
                    std::future::pending::<()>().await;
                }
                text
            })
        }

        fn write(&self, _: PathBuf, text: String) -> BoxFuture<'static, bool> {
            let text = self.form.map_or(text, str::to_owned);
            *self.buffer.lock().unwrap() = Some(text.clone());
            std::fs::write(&self.disk, text).unwrap();
            Box::pin(std::future::ready(true))
        }

        fn takes(&self) -> bool {
            self.takes
        }
    }

    struct Place {
        _folder: tempfile::TempDir,
        tree: Tree,
        file: PathBuf,
        buffer: Arc<Mutex<Option<String>>>,
        files: OpenFiles,
    }

    impl Place {
        fn new(form: Option<&'static str>, takes: bool) -> Place {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().canonicalize().unwrap().join("a.txt");
            std::fs::write(&file, "disk\n").unwrap();
            let tree = Tree::open(folder.path(), &[]).unwrap();
            let buffer = Arc::new(Mutex::new(Some("disk\n".to_owned())));
            let fake = Fake { buffer: buffer.clone(), disk: file.clone(), form, takes };
            let files = OpenFiles::new(Arc::new(fake), Time(u64::MAX));
            Place { _folder: folder, tree, file, buffer, files }
        }

        fn types(&self, text: &str) {
            *self.buffer.lock().unwrap() = Some(text.to_owned());
        }

        fn texts(&self) -> (String, String) {
            (std::fs::read_to_string(&self.file).unwrap(), self.buffer.lock().unwrap().clone().unwrap())
        }

        /// What an edit of the file meets, as its words, and what reading it gives.
        async fn meets(&self) -> (&'static str, String) {
            let how = match self.files.look(&self.tree, "a.txt").await {
                None => "same",
                Some(How::Unsaved { .. }) => "unsaved",
                Some(How::Both) => "both",
            };
            (how, self.tree.showing(self.files.unsaved()).read("a.txt").unwrap().text)
        }

        async fn saves(&self) -> Result<(), String> {
            let Some(How::Unsaved { disk, text }) = self.files.look(&self.tree, "a.txt").await else { panic!("saved") };
            self.files.save(&self.tree, "a.txt", &disk, &text).await
        }
    }

    #[tokio::test]
    async fn what_is_typed_is_shown_and_what_is_written_on_disk_is_never_taken_for_it() {
        let place = Place::new(None, true);
        let write = |text: &str| std::fs::write(&place.file, text).unwrap();
        assert_eq!(place.meets().await, ("same", "disk\n".into()));
        place.types("disk");
        assert_eq!(place.meets().await, ("same", "disk\n".into()), "the last newline is no change");
        place.types("typed\n");
        assert_eq!(place.meets().await, ("unsaved", "typed\n".into()));
        write("command\n");
        assert_eq!(place.meets().await, ("both", "command\n".into()));
        place.types("command\n");
        assert_eq!(place.meets().await, ("same", "command\n".into()));
        write("again\n");
        assert_eq!(place.meets().await, ("same", "again\n".into()), "the editor lags behind");
        place.types("");
        assert_eq!(place.meets().await, ("both", "again\n".into()));
        place.types("a\r\n");
        assert_eq!(place.meets().await, ("same", "again\n".into()), "no plain text");
    }

    #[tokio::test]
    async fn what_changed_on_disk_since_the_beginning_is_not_taken_for_what_the_editor_loaded() {
        let mut place = Place::new(None, true);
        place.files = OpenFiles::new(place.files.0.editor.clone(), Time(0));
        place.types("typed\n");
        assert_eq!(place.meets().await, ("both", "disk\n".into()));
    }

    #[tokio::test]
    async fn an_editor_saves_its_own_text_and_hears_of_the_edit() {
        let place = Place::new(None, true);
        place.types("typed\n");
        assert_eq!(place.saves().await, Ok(()));
        assert_eq!(place.texts(), ("typed\n".into(), "typed\n".into()));
        std::fs::write(&place.file, "edited\n").unwrap();
        assert_eq!(place.files.tell(&place.tree, "a.txt").await, None);
        assert_eq!(place.texts(), ("edited\n".into(), "edited\n".into()));
        // What was typed meanwhile stays.
        std::fs::write(&place.file, "edited again\n").unwrap();
        place.types("typed again\n");
        assert_eq!(place.files.tell(&place.tree, "a.txt").await, Some(typed("a.txt")));
        assert_eq!(place.texts(), ("edited again\n".into(), "typed again\n".into()));
        assert_eq!(place.meets().await.0, "both");
    }

    #[tokio::test]
    async fn what_an_editor_makes_of_a_text_is_said() {
        let place = Place::new(Some("formatted\n"), true);
        assert_eq!(place.meets().await.0, "same");
        std::fs::write(&place.file, "edited\n").unwrap();
        assert_eq!(place.files.tell(&place.tree, "a.txt").await, Some(formatted("a.txt")));
        assert_eq!(place.meets().await, ("same", "formatted\n".into()));
    }

    #[tokio::test]
    async fn what_an_editor_does_not_save_is_not_edited() {
        let place = Place::new(None, false);
        place.types("typed\n");
        assert_eq!(place.saves().await, Err(not_saved("a.txt")));
        assert_eq!(place.texts(), ("disk\n".into(), "typed\n".into()));
        let met = Met {
            files: Some(place.files.clone()),
            differs: vec![Differs { path: "a.txt".into(), write: true, how: How::Both }],
            notes: Vec::new(),
        };
        assert_eq!((met.stands_in_the_way(), met.save(&place.tree).await), (true, Err(changed_twice("a.txt"))));
        let mut outcome = Outcome::ok("done");
        outcome.changed = vec![FileChange {
            path: "a.txt".into(),
            kind: ChangeKind::Deleted,
            from: None,
            why: None,
            diff: String::new(),
            added: 0,
            removed: 1,
        }];
        met.tell(&place.tree, &mut outcome).await;
        assert_eq!((outcome.output.as_str(), place.texts().1.as_str()), ("done", "typed\n"));
    }

    #[tokio::test]
    async fn an_editor_that_does_not_answer_is_asked_once() {
        let mut place = Place::new(None, true);
        let (editor, agreed) = (place.files.0.editor.clone(), Mutex::default());
        let (patience, silent) = (Duration::from_millis(20), AtomicBool::new(false));
        let known = Known { editor, unsaved: Unsaved::default(), agreed, since: Time(u64::MAX), patience, silent };
        place.files = OpenFiles(Arc::new(known));
        place.types("never");
        assert_eq!(place.meets().await, ("same", "disk\n".into()));
        assert!(place.files.0.silent.load(Ordering::Relaxed));
        place.types("typed\n");
        assert_eq!(place.meets().await, ("same", "disk\n".into()));
    }
}
