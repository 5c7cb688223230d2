//! Where Ox may go: the root, the added folders, and nowhere else.

use std::fs;
use std::os::unix::fs::symlink;

use ox_repo::{Access, RepoError, Tree, git};
use tempfile::TempDir;

/// `project` beside `outside` beside `extra`.
fn fixture() -> (TempDir, Tree) {
    let dir = tempfile::tempdir().unwrap();
    for path in ["project/src", "project/.git/hooks", "outside", "extra"] {
        fs::create_dir_all(dir.path().join(path)).unwrap();
    }
    for path in ["project/src/a.rs", "outside/secret", "extra/e.txt", "project/.git/config", "project/.env"] {
        fs::write(dir.path().join(path), "x").unwrap();
    }
    let at = |it: &str| dir.path().join(it);
    symlink("../outside", at("project/out")).unwrap();
    symlink("../outside/secret", at("project/out-file")).unwrap();
    symlink("../outside/new", at("project/out-dangling")).unwrap();
    symlink(".git/hooks/pre-commit", at("project/to-hook")).unwrap();
    symlink(".env", at("project/settings")).unwrap();
    symlink("src", at("project/in")).unwrap();
    symlink("src/new.rs", at("project/in-dangling")).unwrap();
    let tree = Tree::open(&at("project"), &[at("extra")]).unwrap();
    (dir, tree)
}

#[test]
fn every_path_is_judged_where_it_leads() {
    let (dir, tree) = fixture();
    let at = |it: &str| dir.path().canonicalize().unwrap().join(it).display().to_string();
    let judged = |path: &str, access| match tree.locate(path, access) {
        Ok(it) => it.rel,
        Err(RepoError::Outside { .. }) => "outside".to_owned(),
        Err(RepoError::Protected { .. }) => "protected".to_owned(),
        Err(other) => panic!("{path}: {other}"),
    };
    let table = [
        ("src/a.rs", "src/a.rs", "src/a.rs"),
        ("./src//b/../a.rs", "src/a.rs", "src/a.rs"),
        (".", ".", "."),
        ("", ".", "."),
        ("new/deep/file", "new/deep/file", "new/deep/file"),
        ("in/a.rs", "src/a.rs", "src/a.rs"),
        ("in-dangling", "src/new.rs", "src/new.rs"),
        ("../outside/secret", "outside", "outside"),
        ("../project/src/a.rs", "src/a.rs", "src/a.rs"),
        ("../project2", "outside", "outside"),
        ("src/../../outside", "outside", "outside"),
        ("/etc/passwd", "outside", "outside"),
        ("out/secret", "outside", "outside"),
        ("out/new", "outside", "outside"),
        ("out-file", "outside", "outside"),
        ("out-dangling", "outside", "outside"),
        (".git/config", ".git/config", "protected"),
        ("to-hook", ".git/hooks/pre-commit", "protected"),
        (".env", ".env", "protected"),
        ("settings", ".env", "protected"),
        (".env.example", ".env.example", ".env.example"),
        (".gitignore", ".gitignore", ".gitignore"),
        ("keys/server.pem", "keys/server.pem", "protected"),
        (".ox/config.toml", ".ox/config.toml", "protected"),
    ];
    for (path, read, write) in table {
        assert_eq!(
            (judged(path, Access::Read).as_str(), judged(path, Access::Write).as_str()),
            (read, write),
            "{path}"
        );
    }
    assert_eq!(judged(&at("project/src/a.rs"), Access::Write), "src/a.rs");
    assert_eq!(judged(&at("extra/e.txt"), Access::Write), at("extra/e.txt"));
    assert!(tree.locate("a\0b", Access::Read).is_err());
}

#[test]
fn nothing_outside_is_touched_by_any_operation() {
    let (dir, tree) = fixture();
    let before = fs::read_dir(dir.path().join("outside")).unwrap().count();
    let file = tree.read("src/a.rs").unwrap();
    for path in ["out/secret", "../outside/secret", "out-file", "out-dangling", "/etc/hostname"] {
        assert!(tree.read(path).is_err() && tree.write(path, &file, "y").is_err() && tree.create(path, "y").is_err());
        assert!(tree.rename("src/a.rs", path).is_err(), "{path}");
        assert!(tree.walk(&ox_repo::WalkOptions { from: path.to_owned(), ..Default::default() }).is_err());
    }
    assert!(tree.delete("out/secret").is_err() && tree.delete("../outside").is_err());
    assert!(tree.delete(".").is_err() && tree.delete("").is_err() && tree.rename(".", "x").is_err());
    for path in [".git/hooks/post-commit", "to-hook"] {
        assert!(matches!(tree.create(path, "y"), Err(RepoError::Protected { .. })), "{path}");
    }
    assert!(matches!(tree.rename("src/a.rs", ".git/x"), Err(RepoError::Protected { .. })));
    assert!(matches!(tree.delete(".git"), Err(RepoError::Protected { .. })));
    // Links themselves are the project's own.
    assert_eq!(tree.delete("out").unwrap(), ["out"]);
    assert_eq!(fs::read_dir(dir.path().join("outside")).unwrap().count(), before);
    assert_eq!(fs::read_to_string(dir.path().join("outside/secret")).unwrap(), "x");
    assert_eq!(fs::read_to_string(dir.path().join("project/src/a.rs")).unwrap(), "x");
}

#[test]
fn a_folder_with_protected_contents_stays_whole() {
    let (dir, tree) = fixture();
    for path in ["project/vendored/.git/HEAD", "project/vendored/a", "project/certs/tls.key", "project/certs/a"] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
    }
    for folder in ["vendored", "certs"] {
        assert!(matches!(tree.delete(folder), Err(RepoError::Protected { .. })));
        assert!(dir.path().join("project").join(folder).join("a").exists());
    }
}

#[test]
fn an_added_folder_is_read_and_written_by_its_absolute_path() {
    let (dir, tree) = fixture();
    let path = dir.path().canonicalize().unwrap().join("extra/e.txt").display().to_string();
    let old = tree.read(&path).unwrap();
    assert_eq!(old.rel, path);
    tree.write(&path, &old, "new").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

#[test]
fn a_swapped_folder_is_not_followed() {
    // The folder is located, then replaced by a link that leads outside, over and over while files are created in it.
    let (dir, tree) = fixture();
    let folder = dir.path().join("project/swap");
    let (outside, done) = (dir.path().join("outside"), std::sync::atomic::AtomicBool::new(false));
    let escaped = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
                let _ = symlink(&outside, &folder);
                let _ = fs::remove_file(&folder);
                let _ = fs::create_dir(&folder);
            }
        });
        (0..2_000).for_each(|it| drop(tree.create(&format!("swap/file{it}"), "y")));
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        fs::read_dir(&outside).unwrap().count()
    });
    assert_eq!(escaped, 1, "only the secret is there");
}

#[test]
fn git_is_reported_to_run_nothing() {
    let (dir, tree) = fixture();
    let job = git::job(tree.root(), &["diff", "--stat"]);
    let line = job.argv.join(" ");
    assert!(
        line.contains("core.hooksPath=/dev/null") && line.ends_with("diff --no-ext-diff --no-textconv --stat"),
        "{line}"
    );
    assert!(job.env.contains(&("GIT_OPTIONAL_LOCKS".into(), "0".into())));
    assert!(git::is_repo(&tree.root().join("src")) && !git::is_repo(&dir.path().join("outside")));
}

#[test]
fn a_hostile_repository_runs_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let git = |args: &[&str]| std::process::Command::new("git").args(args).current_dir(root).output().unwrap();
    let trap = format!("touch {}/trapped", root.display());
    git(&["init", "-q"]);
    fs::write(root.join("a.txt"), "one\n").unwrap();
    git(&["add", "."]);
    git(&["-c", "user.name=n", "-c", "user.email=e@x", "commit", "-qm", "m"]);
    for key in
        ["core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv", "diff.trap.command", "gpg.program"]
    {
        git(&["config", key, &trap]);
    }
    git(&["config", "log.showSignature", "true"]);
    fs::write(root.join(".git/hooks/post-checkout"), format!("#!/bin/sh\n{trap}\n")).unwrap();
    fs::write(root.join(".gitattributes"), "*.txt diff=trap\n").unwrap();
    fs::write(root.join("a.txt"), "two\n").unwrap();
    for args in [&["status", "--short"][..], &["diff"], &["log", "-p"], &["show"], &["blame", "a.txt"]] {
        let job = git::job(root, args);
        let mut command = std::process::Command::new(&job.argv[0]);
        let out = command.args(&job.argv[1..]).current_dir(&job.cwd).envs(job.env).output().unwrap();
        assert!(out.status.success() && !out.stdout.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        assert!(!root.join("trapped").exists(), "{args:?}");
    }
    // The trap works where nobody disarms it.
    git(&["diff"]);
    assert!(root.join("trapped").exists());
}
