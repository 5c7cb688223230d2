//! Which files count, and what changed among them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use expect_test::expect;
use ox_protocol::ChangeKind;
use ox_repo::{RepoError, Tree, WalkOptions};

fn fill(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const PROJECT: [(&str, &str); 12] = [
    (".gitignore", "target/\n*.log\n!keep.log\n"),
    (".oxignore", "generated/\n"),
    (".git/HEAD", "ref"),
    (".github/ci.yml", "x"),
    ("src/main.rs", "x"),
    ("src/deep/.gitignore", "local\n"),
    ("src/deep/local", "x"),
    ("src/deep/mod.rs", "x"),
    ("target/debug/out", "x"),
    ("a.log", "x"),
    ("keep.log", "x"),
    ("generated/g.rs", "x"),
];

fn list(tree: &Tree, options: WalkOptions) -> String {
    let entries = tree.walk(&options).unwrap();
    entries.iter().map(|it| format!("{}{}\n", it.rel, if it.is_dir { "/" } else { "" })).collect()
}

#[test]
fn listing() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &PROJECT);
    let tree = Tree::open(dir.path(), &[]).unwrap();
    let texts = |it: &[&str]| it.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let all = WalkOptions::default;
    expect![[r#"
        keep.log
        src/
        src/deep/
        src/deep/mod.rs
        src/main.rs
    "#]]
    .assert_eq(&list(&tree, all()));
    expect![[r#"
        .github/
        .gitignore
        .oxignore
        keep.log
        src/
    "#]]
    .assert_eq(&list(&tree, WalkOptions { hidden: true, depth: Some(1), ..all() }));
    expect![[r#"
        src/deep/mod.rs
        src/main.rs
    "#]]
    .assert_eq(&list(&tree, WalkOptions { include: texts(&["*.rs"]), ..all() }));
    expect![[r#"
        src/deep/mod.rs
    "#]]
    .assert_eq(&list(&tree, WalkOptions { include: texts(&["deep/*.rs"]), from: "src".into(), ..all() }));
    expect![[r#"
        keep.log
        src/
        src/main.rs
    "#]]
    .assert_eq(&list(&tree, WalkOptions { exclude: texts(&["src/deep/"]), ..all() }));
    expect![[r#"
        keep.log
        src/
    "#]]
    .assert_eq(&list(&tree, WalkOptions { limit: 2, ..all() }));
    let error = |it: WalkOptions| tree.walk(&it).unwrap_err();
    assert!(matches!(error(WalkOptions { include: texts(&["{a"]), ..all() }), RepoError::BadGlob { .. }));
    assert!(matches!(error(WalkOptions { from: "src/main.rs".into(), ..all() }), RepoError::NotDirectory { .. }));
    match error(WalkOptions { from: "scr".into(), ..all() }) {
        RepoError::NotFound { similar, .. } => assert_eq!(similar[0], "src"),
        other => panic!("{other}"),
    }
}

#[test]
fn what_tools_derive_is_not_listed() {
    let dir = tempfile::tempdir().unwrap();
    let derived = ["target/CACHEDIR.TAG", "target/debug/out", "web/node_modules/a/b.js", "src/__pycache__/m.pyc"];
    derived.iter().for_each(|it| fill(dir.path(), &[(it, "x")]));
    fill(dir.path(), &[("src/m.py", "x"), ("web/a.js", "x"), (".git/HEAD", "x")]);
    let tree = Tree::open(dir.path(), &[]).unwrap();
    assert_eq!(list(&tree, WalkOptions { hidden: true, ..Default::default() }), "src/\nsrc/m.py\nweb/\nweb/a.js\n");
    assert_eq!(tree.snapshot().files().len(), 2);
    // Who asks for it by name sees it.
    assert_eq!(
        list(&tree, WalkOptions { from: "web/node_modules/a".into(), ..Default::default() }),
        "web/node_modules/a/b.js\n"
    );
}

#[test]
fn rules_of_the_repository_above_hold_in_a_part_of_it() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[(".git/HEAD", "x"), (".gitignore", "*.tmp\n"), ("part/a.rs", ""), ("part/a.tmp", "")]);
    let part = dir.path().join("part");
    assert_eq!(list(&Tree::open(&part, &[]).unwrap(), WalkOptions::default()), "a.rs\n");
    // Without a repository the folders above have no say.
    fs::remove_dir_all(dir.path().join(".git")).unwrap();
    assert_eq!(list(&Tree::open(&part, &[]).unwrap(), WalkOptions::default()), "a.rs\na.tmp\n");
}

#[test]
fn snapshots_tell_what_changed() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &PROJECT);
    fill(dir.path(), &[("mode.sh", "x"), ("gone", "x"), ("old name", "moved")]);
    let tree = Tree::open(dir.path(), &[]).unwrap();
    let before = tree.snapshot();
    assert_eq!(before, tree.snapshot());
    assert_eq!((before.stamp(), before.stamp().len()), (tree.snapshot().stamp(), 32));
    assert!(before.files().iter().any(|it| it.0 == ".github/ci.yml"));

    // What is ignored does not count.
    fill(dir.path(), &[("target/debug/new", "x"), ("b.log", "x"), (".git/index", "x")]);
    assert_eq!(before.diff(&tree.snapshot()), []);

    let at = |it: &str| dir.path().join(it);
    fs::write(at("src/main.rs"), "y").unwrap();
    fs::write(at("src/new.rs"), "y").unwrap();
    fs::remove_file(at("gone")).unwrap();
    fs::rename(at("old name"), at("new name")).unwrap();
    fs::set_permissions(at("mode.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let after = tree.snapshot();
    let wanted = [
        ("gone", ChangeKind::Deleted),
        ("mode.sh", ChangeKind::Modified),
        ("new name", ChangeKind::Created),
        ("old name", ChangeKind::Deleted),
        ("src/main.rs", ChangeKind::Modified),
        ("src/new.rs", ChangeKind::Created),
    ];
    assert_eq!(before.diff(&after), wanted.map(|(path, kind)| (path.to_owned(), kind)));
    assert_ne!(before.stamp(), after.stamp());
}

#[test]
fn walking_with_threads_sees_the_same() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &PROJECT);
    for number in 0..3_500 {
        fill(dir.path(), &[(format!("many/{}/{number}.txt", number % 40).as_str(), "x")]);
    }
    let tree = Tree::open(dir.path(), &[]).unwrap();
    // The first one does not know yet that the tree is large.
    let (alone, threads) = (tree.snapshot(), tree.snapshot());
    assert_eq!(alone.files().len(), 3_507);
    assert_eq!(alone, threads);
}
