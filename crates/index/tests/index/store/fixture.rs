//! A project in a folder for temporary files, its index, and what a fresh index of the same tree says.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ox_index::{Fields, FileState, How, Index, Report, Scope, Snapshot, tokens};
use tempfile::TempDir;

/// A project with its cache.
pub struct Fixture {
    pub dir: TempDir,
    pub index: Index,
}

impl Fixture {
    pub fn new(files: &[(&str, &str)]) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tree")).unwrap();
        let index = Index::open(&dir.path().join("cache"), "the project").unwrap();
        let fixture = Fixture { dir, index };
        for (path, text) in files {
            fixture.write(path, text);
        }
        fixture
    }

    pub fn root(&self) -> PathBuf {
        self.dir.path().join("tree")
    }

    pub fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    /// The one folder of the cache.
    pub fn folder(&self) -> PathBuf {
        std::fs::read_dir(self.cache()).unwrap().next().unwrap().unwrap().path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let place = self.root().join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    pub fn update(&self) -> Report {
        update(&self.index, &self.root())
    }

    /// The same project opened anew, as another process would.
    pub fn reopened(&self) -> Index {
        Index::open(&self.cache(), "the project").unwrap()
    }

    /// Compares the index with a fresh one of the same tree.
    #[track_caller]
    pub fn same_as_fresh(&self) {
        same(&describe(&self.index.snapshot()), &fresh(&self.root()));
    }
}

/// Compares what two indices say, and shows the first line that differs.
#[track_caller]
pub fn same(found: &str, expected: &str) {
    let differs = found.lines().zip(expected.lines()).find(|(a, b)| a != b);
    assert_eq!(differs, None, "another line");
    assert_eq!(found.lines().count(), expected.lines().count(), "lines are missing");
}

pub fn update(index: &Index, root: &Path) -> Report {
    let read = |path: &str| std::fs::read(root.join(path));
    index.update(&states(root), &read, &|_| {}).unwrap()
}

/// What a new index says of the tree at `root`.
pub fn fresh(root: &Path) -> String {
    let dir = tempfile::tempdir().unwrap();
    let index = Index::open(dir.path(), "fresh").unwrap();
    update(&index, root);
    describe(&index.snapshot())
}

/// All files below `root`, links not followed, as `repo` lists them.
pub fn states(root: &Path) -> Vec<FileState> {
    let (mut all, mut open) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && entry.file_name() != ".git" {
                open.push(entry.path());
            } else if kind.is_file() {
                let path = entry.path().strip_prefix(root).unwrap().to_string_lossy().into_owned();
                all.push(state(path, &entry.metadata().unwrap()));
            }
        }
    }
    all.sort_by(|a, b| a.path.cmp(&b.path));
    all
}

fn state(path: String, it: &std::fs::Metadata) -> FileState {
    use std::os::unix::fs::MetadataExt;
    let nanos = |seconds: i64, nanos: i64| seconds * 1_000_000_000 + nanos;
    FileState {
        path,
        size: it.len(),
        mtime: nanos(it.mtime(), it.mtime_nsec()),
        ctime: nanos(it.ctime(), it.ctime_nsec()),
        inode: it.ino(),
        mode: it.mode(),
    }
}

/// All that a snapshot says: files, symbols, references, edges, chunks, ranked answers.
pub fn describe(snapshot: &Snapshot) -> String {
    let mut out = String::new();
    for path in snapshot.paths() {
        let info = snapshot.state(path).unwrap();
        writeln!(out, "{path} {:?} {:?} {} {:?}", info.language, info.rule, info.size, info.hash).unwrap();
        let Some(facts) = snapshot.facts(path) else { continue };
        writeln!(out, "  {facts:?}").unwrap();
        for symbol in &facts.symbols {
            let places = snapshot.defined(&symbol.name, How::Exact, 50).into_iter().map(|it| it.path);
            let used = snapshot.referenced(&symbol.name, 50).into_iter().map(|it| (it.path, it.reference.line));
            writeln!(out, "  {} in {:?} by {:?}", symbol.name, places.collect::<Vec<_>>(), used.collect::<Vec<_>>())
                .unwrap();
        }
    }
    for question in ["total price of a receipt", "parse_config error", "money Money add", "lib helper main"] {
        let terms: Vec<(String, f32)> = tokens(question).into_iter().map(|it| (it, 1.0)).collect();
        for scope in [Scope::Files, Scope::Chunks] {
            let fields = Fields { path: 1.0, name: 3.0, signature: 2.0, body: 1.0, strings: 0.5, doc: 1.5 };
            for hit in snapshot.search(&terms, &fields, scope, 20) {
                writeln!(out, "{question}: {} {:?} {:.6}", hit.path, hit.chunk, hit.score).unwrap();
            }
            writeln!(out, "{scope:?} {}", snapshot.count(scope)).unwrap();
        }
        let common: Vec<u32> = terms.iter().map(|it| snapshot.df(&it.0)).collect();
        writeln!(out, "{common:?} {:?}", snapshot.defined("mony", How::Fuzzy, 9).len()).unwrap();
    }
    out
}
