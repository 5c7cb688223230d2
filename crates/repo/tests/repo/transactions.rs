//! Several changes at once: all of them are made, or none.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use expect_test::expect;
use ox_repo::{Applied, Change, FileText, Hash, RepoError, Tree};
use tempfile::TempDir;

struct Fixture {
    dir: TempDir,
    tree: Tree,
}

impl Fixture {
    /// A tree with these files, each of which holds its own path.
    fn new(files: &[&str]) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["tree", "state"] {
            fs::create_dir(dir.path().join(folder)).unwrap();
        }
        let tree = open(dir.path());
        for path in files {
            let at = tree.root().join(path);
            fs::create_dir_all(at.parent().unwrap()).unwrap();
            fs::write(at, path).unwrap();
        }
        Fixture { dir, tree }
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.tree.root().join(path)).ok()
    }

    /// Every path, hidden ones too, with the text of files.
    fn all(&self) -> Vec<String> {
        let mut all = Vec::new();
        list(self.tree.root(), "", &mut all);
        all
    }
}

fn open(dir: &Path) -> Tree {
    Tree::open(&dir.join("tree"), &[]).unwrap().with_journal(&dir.join("state"))
}

fn list(folder: &Path, prefix: &str, all: &mut Vec<String>) {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        match path.is_dir() {
            true => {
                all.push(format!("{name}/"));
                list(&path, &format!("{name}/"), all);
            }
            false => all.push(format!("{name}: {}", fs::read_to_string(&path).unwrap_or_default())),
        }
    }
}

fn create(path: &str) -> Change {
    Change::Create { path: path.into(), text: "new".into() }
}

fn write(old: &FileText) -> Change {
    Change::Write { path: old.rel.clone(), old: old.clone(), text: "new".into() }
}

fn rename(from: &str, to: &str) -> Change {
    Change::Rename { from: from.into(), to: to.into(), expected: None }
}

fn delete(path: &str) -> Change {
    Change::Delete { path: path.into(), expected: None }
}

#[test]
fn changes_are_collected_made_together_and_answered_in_their_order() {
    let fixture = Fixture::new(&["a", "b", "c", "f/g/d"]);
    let mut changes = fixture.tree.begin();
    changes.delete("f", None).rename("c", "x/c", Some(Hash::of(b"c")));
    changes.write("a", fixture.tree.read("a").unwrap(), "A").create("y/z/e", "E").delete("b", Some(Hash::of(b"b")));
    assert_eq!(fixture.all(), ["a: a", "b: b", "c: c", "f/", "f/g/", "f/g/d: f/g/d"], "nothing happens before");
    let applied = changes.commit().unwrap();
    let wanted = [
        Applied::Deleted { files: vec!["f/g/d".into()] },
        Applied::Renamed { from: "c".into(), to: "x/c".into() },
        Applied::Written { rel: "a".into(), hash: Hash::of(b"A") },
        Applied::Created { rel: "y/z/e".into(), hash: Hash::of(b"E") },
        Applied::Deleted { files: vec!["b".into()] },
    ];
    assert_eq!(applied, wanted);
    assert_eq!(fixture.all(), ["a: A", "x/", "x/c: c", "y/", "y/z/", "y/z/e: E"]);
    assert_eq!(fixture.tree.commit(Vec::new()).unwrap(), []);
}

#[test]
fn one_change_that_cannot_be_made_leaves_all_as_it_was() {
    let fixture = Fixture::new(&["a", "b", "f/c", "sub/.git/HEAD", "locked"]);
    fs::set_permissions(fixture.tree.root().join("locked"), fs::Permissions::from_mode(0o444)).unwrap();
    let [a, b, locked] = ["a", "b", "locked"].map(|it| fixture.tree.read(it).unwrap());
    let stale = FileText { hash: Hash::of(b"x"), ..b.clone() };
    let stale_hash = Some(Hash::of(b"x"));
    let before = fixture.all();
    let bad: Vec<Vec<Change>> = vec![
        vec![create("b")],
        vec![create("f")],
        vec![create("b/x")],
        vec![create("../x")],
        vec![create(".env")],
        vec![write(&stale)],
        vec![write(&FileText { rel: "missing".into(), ..b.clone() })],
        vec![write(&locked)],
        vec![rename("b", "f/c")],
        vec![rename("f", "f/inside")],
        vec![rename("missing", "x")],
        vec![Change::Rename { from: "b".into(), to: "x".into(), expected: stale_hash }],
        vec![delete("missing")],
        vec![delete("sub")],
        vec![Change::Delete { path: "b".into(), expected: stale_hash }],
        // Twice the same place, or one within another.
        vec![write(&a)],
        vec![delete("a")],
        vec![create("x"), create("x/y")],
        vec![rename("b", "x"), create("x")],
        vec![delete("f"), rename("f/c", "c")],
        vec![rename("f", "g"), delete("f/c")],
        vec![write(&b), delete("b")],
    ];
    let mut words = String::new();
    for changes in bad {
        let all = [vec![write(&a), create("n/m")], changes].concat();
        let error = fixture.tree.commit(all).unwrap_err();
        words.push_str(&format!("{error}\n").replace(&fixture.tree.root().display().to_string(), "ROOT"));
        assert_eq!(fixture.all(), before, "{error}");
    }
    expect![[r#"
        `b` already exists; read it and edit it, or choose another path
        `f` already exists; read it and edit it, or choose another path
        `b/x` is not a folder
        `../x` is outside the project; only paths beneath `ROOT` (and folders added to it) can be used
        `.env` is protected and is never written: it is a file of secrets; ask the user to change it, or write a template such as `.env.example`
        `b` changed on disk since it was read; nothing was written. Read it again and redo the change
        `missing` does not exist; list the folder or search to find the right path
        `locked` cannot be written: its mode permits nobody to write it
        `f/c` already exists; read it and edit it, or choose another path
        `f/inside`: a folder cannot be moved into itself
        `missing` does not exist; list the folder or search to find the right path
        `b` changed on disk since it was read; nothing was written. Read it again and redo the change
        `missing` does not exist; list the folder or search to find the right path
        `sub/.git/HEAD` is protected and is never written: it belongs to git; use git commands instead
        `b` changed on disk since it was read; nothing was written. Read it again and redo the change
        two changes of one call concern `a`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `a`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `x/y` and the folder `x`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `x`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `f/c` and the folder `f`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `f/c` and the folder `f`; nothing was changed. Make them one change, or send two calls
        two changes of one call concern `b`; nothing was changed. Make them one change, or send two calls
    "#]].assert_eq(&words);
}

#[test]
fn a_file_may_be_edited_and_moved_at_once() {
    let fixture = Fixture::new(&["a"]);
    let a = fixture.tree.read("a").unwrap();
    fixture.tree.commit(vec![rename("a", "deep/b"), write(&a)]).unwrap();
    assert_eq!(fixture.all(), ["deep/", "deep/b: new"]);
}

#[test]
fn what_a_file_is_beside_its_text_survives() {
    let fixture = Fixture::new(&["real/a", "b"]);
    let at = |path: &str| fixture.tree.root().join(path);
    fs::set_permissions(at("real/a"), fs::Permissions::from_mode(0o4751)).unwrap();
    let attribute = |path: &str| {
        let mut value = [0; 16];
        rustix::fs::getxattr(at(path), "user.note", &mut value[..]).map(|it| value[..it].to_owned())
    };
    let flags = rustix::fs::XattrFlags::empty();
    let noted = rustix::fs::setxattr(at("real/a"), "user.note", b"kept", flags).is_ok();
    // Only the administrator can give a file away.
    let given = std::os::unix::fs::chown(at("real/a"), Some(12), Some(34)).is_ok();
    fs::set_permissions(at("real/a"), fs::Permissions::from_mode(0o4751)).unwrap();
    symlink("real", at("folder")).unwrap();
    symlink("folder/a", at("link")).unwrap();
    let single = |path: &str| {
        let old = fixture.tree.read(path).unwrap();
        fixture.tree.write(path, &old, &format!("{}+", old.text)).unwrap();
    };
    let several = |path: &str| {
        let changes = ["b", path].map(|path| {
            let old = fixture.tree.read(path).unwrap();
            Change::Write { path: path.into(), text: format!("{}+", old.text), old }
        });
        fixture.tree.commit(changes.into()).unwrap();
    };
    single("link");
    several("link");
    single("folder/a");
    several("real/a");
    let stat = fs::symlink_metadata(at("real/a")).unwrap();
    assert_eq!(fixture.text("real/a").as_deref(), Some("real/a++++"));
    assert_eq!((stat.mode() & 0o7777, stat.nlink()), (0o4751, 1));
    assert!(at("link").is_symlink() && at("folder").is_symlink());
    assert!(!noted || attribute("real/a").unwrap() == b"kept");
    assert!(!given || (stat.uid(), stat.gid()) == (12, 34));
    assert_eq!(fixture.all().iter().filter(|it| it.contains(".ox-")).count(), 0);
}

#[test]
fn processes_that_change_the_same_files_do_not_mix() {
    // Each takes one from the first file and adds it to the second, or finds that somebody else was quicker.
    let fixture = Fixture::new(&[]);
    fixture.tree.create("left", "200").unwrap();
    fixture.tree.create("right", "0").unwrap();
    let moved = std::thread::scope(|scope| {
        let run = || {
            // Its own tree, as another process has: nothing is shared but the disk.
            let tree = open(fixture.dir.path());
            (0..100).filter(|_| transfer(&tree)).count()
        };
        let all: Vec<_> = (0..4).map(|_| scope.spawn(run)).collect();
        all.into_iter().map(|it| it.join().unwrap()).sum::<usize>()
    });
    assert!(moved >= 4, "{moved}");
    assert_eq!(fixture.all(), [format!("left: {}", 200 - moved), format!("right: {moved}")]);
}

fn transfer(tree: &Tree) -> bool {
    let (left, right) = (tree.read("left").unwrap(), tree.read("right").unwrap());
    let number = |it: &FileText| it.text.parse::<usize>().unwrap();
    let Some(less) = number(&left).checked_sub(1) else { return false };
    let more = (number(&right) + 1).to_string();
    let changes = vec![
        Change::Write { path: "left".into(), old: left, text: less.to_string() },
        Change::Write { path: "right".into(), old: right, text: more },
    ];
    match tree.commit(changes) {
        Ok(_) => true,
        Err(RepoError::Changed { .. }) => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn a_journal_is_nobody_elses_and_does_not_outlast_the_tree() {
    let fixture = Fixture::new(&["a"]);
    let journals = fixture.dir.path().join("state/journals");
    fixture.tree.create("b", "b").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    let journal = fs::read_dir(&journals).unwrap().next().unwrap().unwrap().path();
    assert_eq!((mode(&journals), mode(&journal), fs::read(&journal).unwrap().len()), (0o700, 0o600, 0));

    // What another version left is neither lost nor guessed at.
    for other in [b"OXJRNL\n9 whatever", b"OXJRNL\n1 whatever"] {
        fs::write(&journal, other).unwrap();
        let error = fixture.tree.create("c", "c").unwrap_err();
        assert!(error.to_string().contains("another version of Ox"), "{error}");
        assert!(!fixture.tree.root().join("c").exists());
    }
    // What was cut short while it was written came before any change.
    fs::write(&journal, b"OXJRNL\n2 cut short").unwrap();
    fixture.tree.create("c", "c").unwrap();

    fs::set_permissions(&journals, fs::Permissions::from_mode(0o777)).unwrap();
    let error = fixture.tree.create("d", "d").unwrap_err();
    assert!(matches!(error, RepoError::Journal { .. }) && error.to_string().contains("others may write"), "{error}");
    fs::set_permissions(&journals, fs::Permissions::from_mode(0o700)).unwrap();

    drop(fixture.tree);
    assert_eq!(fs::read_dir(&journals).unwrap().count(), 0);
}
