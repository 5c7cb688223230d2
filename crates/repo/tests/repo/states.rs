//! Listing all files for the index, and the history of commits.

use std::process::Command;

use ox_repo::{Tree, history};

fn git(root: &std::path::Path, args: &[&str]) -> Vec<u8> {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let out = Command::new("git").current_dir(root).args(settings).args(args).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
    out.stdout
}

#[test]
fn all_files_are_listed_but_what_rules_and_links_lead_out_of() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for (path, text) in [
        (".gitignore", "target/\n*.log\n"),
        (".oxignore", "private\n"),
        ("src/lib.rs", "pub mod a;\n"),
        ("src/a.rs", ""),
        (".github/ci.yml", "on: push\n"),
        (".env", "KEY=1\n"),
        ("target/x/y.rs", ""),
        ("run.log", ""),
        ("private/plan.md", ""),
        ("nested/.git/config", ""),
        ("nested/lib.c", ""),
        ("node_modules/left/index.js", ""),
    ] {
        std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        std::fs::write(root.join(path), text).unwrap();
    }
    std::os::unix::fs::symlink("..", root.join("src/loop")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.join("src/host")).unwrap();
    let states = Tree::open(root, &[]).unwrap().states(true);
    let paths: Vec<&str> = states.files.iter().map(|it| it.path.as_str()).collect();
    assert_eq!(paths, [".github/ci.yml", ".gitignore", ".oxignore", "nested/lib.c", "src/a.rs", "src/lib.rs"]);
    // target, run.log, private and node_modules.
    assert_eq!(states.ignored, Some(4));
    let lib = states.files.last().unwrap();
    assert_eq!(lib.size, 11);
    assert!(lib.mtime > 1_500_000_000_000_000_000 && lib.ctime >= lib.mtime && lib.inode > 0 && lib.mode > 0);
}

#[test]
fn commits_are_listed_with_their_files() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "-q"]);
    std::fs::create_dir(root.join("sub")).unwrap();
    for (round, files) in [("one", &["a b.txt", "sub/ü.rs"][..]), ("two", &["sub/ü.rs"]), ("three", &[])] {
        for file in files {
            std::fs::write(root.join(file), round).unwrap();
        }
        git(root, &["add", "-A"]);
        git(root, &["commit", "-q", "--allow-empty", "-m", "a\n\n\u{1} not a head"]);
    }
    let answer = |root: &std::path::Path| {
        let job = history::job(root);
        let out = Command::new(&job.argv[0]).args(&job.argv[1..]).envs(job.env).current_dir(&job.cwd).output().unwrap();
        history::commits(&out.stdout).into_iter().map(|it| it.files).collect::<Vec<_>>()
    };
    assert_eq!(answer(root), [vec![], vec!["sub/ü.rs".to_owned()], vec!["a b.txt".to_owned(), "sub/ü.rs".to_owned()]]);
    assert_eq!(answer(&root.join("sub")), [vec![], vec!["ü.rs".to_owned()], vec!["ü.rs".to_owned()]]);
    let job = history::job(root);
    let out = Command::new(&job.argv[0]).args(&job.argv[1..]).envs(job.env).current_dir(&job.cwd).output().unwrap();
    let head = history::commits(&out.stdout);
    let name = String::from_utf8(git(root, &["rev-parse", "HEAD"])).unwrap();
    assert_eq!((head[0].id.as_str(), head[0].message.as_str()), (name.trim(), "a\n\u{1} not a head"));
    assert_eq!(head.len(), 3);
    assert!(head[0].time > 1_500_000_000);
}

#[test]
fn a_watch_wakes_for_what_is_written_and_sees_new_folders() {
    let dir = tempfile::tempdir().unwrap();
    let tree = Tree::open(dir.path(), &[]).unwrap();
    std::fs::write(dir.path().join(".gitignore"), "out/\n").unwrap();
    std::fs::create_dir(dir.path().join("out")).unwrap();
    let long = std::time::Duration::from_secs(60);
    let Some(mut watch) = tree.watch() else { panic!("this system has file events") };
    assert!(watch.is_complete() && !watch.renew());
    std::fs::create_dir_all(dir.path().join("new/deep")).unwrap();
    assert!(watch.wait(long), "a new folder");
    assert!(watch.renew(), "it is watched from now on");
    std::fs::write(dir.path().join("new/deep/a.rs"), "fn a() {}").unwrap();
    assert!(watch.wait(long), "a file in it");
    std::fs::write(dir.path().join("out/a.o"), "x").unwrap();
    assert!(!watch.wait(std::time::Duration::from_millis(300)), "what is ignored wakes nobody");
    assert_eq!(tree.listed("new/deep/a.rs").unwrap(), b"fn a() {}");
    std::os::unix::fs::symlink("new", dir.path().join("link")).unwrap();
    assert!(tree.listed("link/deep/a.rs").is_err(), "no link is followed");
    assert_eq!(tree.listed("gone").unwrap_err().kind(), std::io::ErrorKind::NotFound);
}
