//! What git does to a tree between two updates: branches, rebases, stashes, submodules.

use std::process::Command;

use super::fixture::Fixture;

fn git(fixture: &Fixture, args: &[&str]) {
    let settings = [
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        "-c",
        "init.defaultBranch=main",
        "-c",
        "protocol.file.allow=always",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "core.hooksPath=/dev/null",
    ];
    let out = Command::new("git").current_dir(fixture.root()).args(settings).args(args).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

fn commit(fixture: &Fixture, files: &[(&str, &str)]) {
    for (path, text) in files {
        fixture.write(path, text);
    }
    git(fixture, &["add", "-A"]);
    git(fixture, &["commit", "-q", "-m", "a step"]);
}

/// A repository with two branches that differ in every file.
fn forked() -> Fixture {
    let fixture = Fixture::new(&[]);
    git(&fixture, &["init", "-q"]);
    let name = |it: usize| format!("src/part{it}.rs");
    for number in 0..20 {
        fixture.write(&name(number), &format!("pub fn part{number}() -> usize {{ {number} }}\n"));
    }
    commit(&fixture, &[("README.md", "# Parts\n")]);
    git(&fixture, &["checkout", "-q", "-b", "other"]);
    for number in 0..20 {
        fixture.write(&name(number), &format!("pub fn other_part{number}(money: usize) -> usize {{ money }}\n"));
    }
    std::fs::remove_file(fixture.root().join(name(3))).unwrap();
    commit(&fixture, &[("only/other.py", "def total():\n    return 1\n")]);
    git(&fixture, &["checkout", "-q", "main"]);
    fixture.update();
    fixture
}

#[test]
fn a_branch_that_was_here_before_parses_nothing() {
    let fixture = forked();
    git(&fixture, &["checkout", "-q", "other"]);
    assert_eq!(fixture.update().parsed, 20);
    fixture.same_as_fresh();
    for branch in ["main", "other", "main"] {
        git(&fixture, &["checkout", "-q", branch]);
        let report = fixture.update();
        assert_eq!(report.parsed, 0, "{branch}: {report:?}");
        assert!(report.reused >= 19, "{branch}: {report:?}");
        fixture.same_as_fresh();
    }
    // The same for another process.
    git(&fixture, &["checkout", "-q", "other"]);
    assert_eq!(super::fixture::update(&fixture.reopened(), &fixture.root()).parsed, 0);
}

#[test]
fn a_rebase_and_a_stash_are_followed() {
    let fixture = forked();
    commit(&fixture, &[("src/new.rs", "pub fn newer() {}\n")]);
    git(&fixture, &["checkout", "-q", "other"]);
    fixture.update();
    git(&fixture, &["rebase", "-q", "main"]);
    fixture.update();
    fixture.same_as_fresh();
    fixture.write("src/part1.rs", "pub fn uncommitted() {}\n");
    fixture.write("loose.rs", "pub fn loose() {}\n");
    fixture.update();
    git(&fixture, &["stash", "-q", "-u"]);
    fixture.update();
    fixture.same_as_fresh();
    assert!(!fixture.index.snapshot().has("loose.rs"));
    git(&fixture, &["stash", "pop", "-q"]);
    assert_eq!(fixture.update().parsed, 0);
    fixture.same_as_fresh();
}

#[test]
fn a_submodule_is_a_folder_like_any_other() {
    let (fixture, library) = (forked(), forked());
    git(&fixture, &["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    fixture.update();
    fixture.same_as_fresh();
    assert!(fixture.index.snapshot().has("lib/src/part1.rs"));
    git(&fixture, &["-C", "lib", "checkout", "-q", "origin/other"]);
    fixture.update();
    fixture.same_as_fresh();
    git(&fixture, &["rm", "-qf", "lib"]);
    fixture.update();
    fixture.same_as_fresh();
    assert!(!fixture.index.snapshot().paths().any(|it| it.starts_with("lib/")));
}
