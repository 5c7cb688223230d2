//! The model's own git in a repository that it made hostile: each way in which git runs something for a repository.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::attempt::{Inside, Probe, Proof, look_outside, row};

/// Git.
pub const ROWS: &[Probe] = &[
    row("git: fsmonitor", Proof::Plain, |it| run(it, "git config core.fsmonitor {evil}; git status")),
    row("git: hook", Proof::Plain, |it| {
        run(it, "mkdir -p .git/hooks; cp {evil} .git/hooks/pre-commit; git commit -q --allow-empty -m x")
    }),
    row("git: path of hooks", Proof::Plain, |it| {
        run(it, "mkdir h; cp {evil} h/post-checkout; git config core.hooksPath h; git checkout -q -b new")
    }),
    row("git: clean filter", Proof::Plain, |it| {
        run(it, "git config filter.x.clean {evil}; echo '* filter=x' > .gitattributes; echo a > a; git add a")
    }),
    row("git: smudge filter", Proof::Plain, |it| {
        run(it, "git config filter.x.smudge {evil}; echo '* filter=x' > .gitattributes; rm f; git checkout f")
    }),
    row("git: external diff", Proof::Plain, |it| run(it, "git config diff.external {evil}; echo b > f; git diff")),
    row("git: text conversion", Proof::Plain, |it| {
        run(it, "git config diff.x.textconv {evil}; echo '* diff=x' > .gitattributes; echo b > f; git diff")
    }),
    row("git: pager", Proof::Plain, |it| {
        run(it, "git config core.pager {evil}; env -u GIT_PAGER -u PAGER git grep --open-files-in-pager a")
    }),
    row("git: editor", Proof::Plain, |it| run(it, "git config core.editor {evil}; git commit -q --allow-empty")),
    row("git: alias", Proof::Plain, |it| run(it, "git config alias.st '!{evil}'; git st")),
    row("git: included configuration", Proof::Plain, |it| {
        run(it, "printf '[core]\\nfsmonitor = {evil}\\n' > more; git config include.path ../more; git status")
    }),
    row("git: ssh", Proof::Plain, |it| run(it, "git config core.sshCommand {evil}; git fetch ssh://nowhere.invalid/x")),
    row("git: external transport", Proof::Plain, |it| {
        run(it, "git config protocol.ext.allow always; git fetch 'ext::{evil}'")
    }),
    row("git: signing", Proof::Plain, |it| {
        run(it, "git config gpg.program {evil}; git commit -q -S --allow-empty -m x")
    }),
    row("git: credentials", Proof::Plain, |it| {
        run(it, "git config credential.helper '!{evil}'; printf 'protocol=https\\nhost=x\\n\\n' | git credential fill")
    }),
    row("git: configuration of the user", Proof::Plain, |it| {
        let file = it.home.join(".gitconfig");
        run(it, &format!("git config --file {} core.fsmonitor {{evil}}; git status", file.display()))
    }),
    row("git: a work tree outside", Proof::Plain, |it| {
        run(it, &format!("git config core.worktree {}; git checkout -f HEAD", it.outside.display()))
    }),
];

/// Makes a repository, runs the lines in it with `{evil}` as a program that writes outside, and leaves the rest to who
/// looks there.
fn run(it: &Inside, lines: &str) -> io::Result<()> {
    let evil = it.project.join("evil");
    fs::write(&evil, format!("#!/bin/sh\necho evil >> '{}'\nexit 1\n", it.victim.display()))?;
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755))?;
    // In a folder of its own: no repository is made within another one in the sandbox.
    let folder = std::env::temp_dir().join(format!("{}-repo", it.id));
    fs::create_dir(&folder)?;
    let start = "git init -q repo && cd repo && echo a > f && git add f && git commit -q -m first || exit 9\n";
    let lines = lines.replace("{evil}", &evil.display().to_string());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{start}{lines}")]).env("HOME", &it.home).current_dir(&folder);
    for who in ["AUTHOR", "COMMITTER"] {
        shell.env(format!("GIT_{who}_NAME"), "x").env(format!("GIT_{who}_EMAIL"), "x@example.com");
    }
    let shell = shell.output()?;
    println!("{}", String::from_utf8_lossy(&shell.stderr));
    fs::remove_dir_all(&folder)?;
    // Without a repository nothing was tried: that is no denial.
    assert_ne!(shell.status.code(), Some(9), "there is no repository to try it in");
    look_outside()
}
