//! What git does to a tree between two updates: branches, rebases, stashes, submodules.

use std::process::Command;

use super::world::World;

fn git(world: &World, args: &[&str]) {
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
    let out = Command::new("git").current_dir(world.root()).args(settings).args(args).output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

fn commit(world: &World, files: &[(&str, &str)]) {
    for (path, text) in files {
        world.write(path, text);
    }
    git(world, &["add", "-A"]);
    git(world, &["commit", "-q", "-m", "a step"]);
}

/// A repository with two branches that differ in every file.
fn forked() -> World {
    let world = World::new(&[]);
    git(&world, &["init", "-q"]);
    let name = |it: usize| format!("src/part{it}.rs");
    for number in 0..20 {
        world.write(&name(number), &format!("pub fn part{number}() -> usize {{ {number} }}\n"));
    }
    commit(&world, &[("README.md", "# Parts\n")]);
    git(&world, &["checkout", "-q", "-b", "other"]);
    for number in 0..20 {
        world.write(&name(number), &format!("pub fn other_part{number}(money: usize) -> usize {{ money }}\n"));
    }
    std::fs::remove_file(world.root().join(name(3))).unwrap();
    commit(&world, &[("only/other.py", "def total():\n    return 1\n")]);
    git(&world, &["checkout", "-q", "main"]);
    world.update();
    world
}

#[test]
fn a_branch_that_was_here_before_parses_nothing() {
    let world = forked();
    git(&world, &["checkout", "-q", "other"]);
    assert_eq!(world.update().parsed, 20);
    world.same_as_fresh();
    for branch in ["main", "other", "main"] {
        git(&world, &["checkout", "-q", branch]);
        let report = world.update();
        assert_eq!(report.parsed, 0, "{branch}: {report:?}");
        assert!(report.reused >= 19, "{branch}: {report:?}");
        world.same_as_fresh();
    }
    // The same for another process.
    git(&world, &["checkout", "-q", "other"]);
    assert_eq!(super::world::update(&world.reopened(), &world.root()).parsed, 0);
}

#[test]
fn a_rebase_and_a_stash_are_followed() {
    let world = forked();
    commit(&world, &[("src/new.rs", "pub fn newer() {}\n")]);
    git(&world, &["checkout", "-q", "other"]);
    world.update();
    git(&world, &["rebase", "-q", "main"]);
    world.update();
    world.same_as_fresh();
    world.write("src/part1.rs", "pub fn uncommitted() {}\n");
    world.write("loose.rs", "pub fn loose() {}\n");
    world.update();
    git(&world, &["stash", "-q", "-u"]);
    world.update();
    world.same_as_fresh();
    assert!(!world.index.snapshot().has("loose.rs"));
    git(&world, &["stash", "pop", "-q"]);
    assert_eq!(world.update().parsed, 0);
    world.same_as_fresh();
}

#[test]
fn a_submodule_is_a_folder_like_any_other() {
    let (world, library) = (forked(), forked());
    git(&world, &["submodule", "--quiet", "add", library.root().to_str().unwrap(), "lib"]);
    world.update();
    world.same_as_fresh();
    assert!(world.index.snapshot().has("lib/src/part1.rs"));
    git(&world, &["-C", "lib", "checkout", "-q", "origin/other"]);
    world.update();
    world.same_as_fresh();
    git(&world, &["rm", "-qf", "lib"]);
    world.update();
    world.same_as_fresh();
    assert!(!world.index.snapshot().paths().any(|it| it.starts_with("lib/")));
}
