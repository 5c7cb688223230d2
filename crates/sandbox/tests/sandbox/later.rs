//! What a command leaves behind must not run when the user next types a command of git: each attack is made without a sandbox,
//! where it must take effect, and in the sandbox, where it must not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ox_protocol::Runner;
use ox_sandbox::{Plain, protected};

use crate::place::{Place, text};

/// A name, what the user did before, and what a command then tries. `$C` is what a plant touches, `$F` a setting that does.
const ATTACKS: [(&str, &str, &str); 15] = [
    (
        "a repository within and a link to it in the index",
        "true",
        "git init -q dep; git -C dep commit -q --allow-empty -m x; git -C dep config core.fsmonitor \"touch $C;false\"; \
         git update-index --add --cacheinfo 160000,$(git -C dep rev-parse HEAD),dep",
    ),
    (
        "a folder that becomes a repository",
        "true",
        "cp -r .git evil; printf \"$F\" >> evil/config; mkdir dep; mv evil dep/.git; \
         git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),dep",
    ),
    (
        "a link that becomes a repository",
        "true",
        "cp -r .git evil; printf \"$F\" >> evil/config; mkdir dep; ln -s ../evil dep/.git; \
         git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),dep",
    ),
    (
        "settings of a repository within, opened without the consent to make them",
        "git init -q dep; git -C dep commit -q --allow-empty -m x; git add dep; git commit -q -m dep",
        "python3 -c \"import os; f=open('dep/.git/config','r+'); f.seek(0,2); f.write(os.environ['F'])\"",
    ),
    (
        "the file of a submodule replaced by a repository",
        "git -c protocol.file.allow=always submodule add -q ../lib lib; git commit -q -m lib",
        "rm lib/.git; cp -r .git/modules/lib lib/.git; sed -i /worktree/d lib/.git/config; printf \"$F\" >> lib/.git/config",
    ),
    (
        "settings of a submodule",
        "git -c protocol.file.allow=always submodule add -q ../lib lib; git commit -q -m lib",
        "printf \"$F\" >> .git/modules/lib/config",
    ),
    (
        "another work tree of the user",
        "git worktree add -q ../tree",
        "cp -r .git evil; printf \"$F\" >> evil/config; echo $PWD/evil > .git/worktrees/tree/commondir",
    ),
    (
        "half a rebase",
        "true",
        "d=.git/rebase-merge; mkdir $d; git symbolic-ref HEAD > $d/head-name; git rev-parse HEAD > $d/onto; \
         git rev-parse HEAD > $d/orig-head; : > $d/interactive; : > $d/done; echo \"exec touch $C\" > $d/git-rebase-todo",
    ),
    (
        "the rest of a rebase that the user began",
        "GIT_SEQUENCE_EDITOR='sed -i 1ibreak' git rebase -q -i --root",
        "echo \"exec touch $C\" >> .git/rebase-merge/git-rebase-todo",
    ),
    (
        "hooks where the settings say that they are",
        "git config core.hooksPath .githooks",
        "mkdir -p .githooks; printf \"#!/bin/sh\\ntouch $C\\n\" > .githooks/pre-commit; chmod +x .githooks/pre-commit",
    ),
    (
        "hooks elsewhere",
        "git config core.hooksPath tools/hooks; mkdir -p tools/hooks",
        "printf \"#!/bin/sh\\ntouch $C\\n\" > tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit",
    ),
    ("settings that the settings include", "git config include.path ../shared.conf", "printf \"$F\" > shared.conf"),
    ("a hook", "true", "printf \"#!/bin/sh\\ntouch $C\\n\" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit"),
    (
        "an added folder",
        "git init -q ../added; git -C ../added commit -q --allow-empty -m x",
        "printf \"$F\" >> ../added/.git/config",
    ),
    (
        "a hook of an added folder",
        "git init -q ../added",
        "printf \"#!/bin/sh\\ntouch $C\\n\" > ../added/.git/hooks/pre-commit; chmod +x ../added/.git/hooks/pre-commit",
    ),
];

/// Who makes commits, with no settings of anybody else.
fn identity(home: &Path) -> Vec<(String, String)> {
    let mut env = vec![("HOME".to_owned(), home.display().to_string())];
    for who in ["AUTHOR", "COMMITTER"] {
        env.extend([
            (format!("GIT_{who}_NAME"), "x".to_owned()),
            (format!("GIT_{who}_EMAIL"), "x@example.com".to_owned()),
        ]);
    }
    env
}

struct User {
    place: Place,
    base: PathBuf,
}

impl User {
    /// A project with a history, beside it a library, an added folder and a home.
    fn new(before: &str) -> User {
        let place = Place::new();
        let user = User { base: place.root.parent().unwrap().to_owned(), place };
        for folder in ["home", "lib", "added"] {
            fs::create_dir(user.base.join(folder)).unwrap();
        }
        user.shell("lib", "git init -q -b main; git commit -q --allow-empty -m x");
        let start = "git init -q -b main; echo a > a; git add a; git commit -q -m one";
        assert!(user.shell("project", &format!("set -e; {start}; {before}")), "{before}");
        user
    }

    fn shell(&self, folder: &str, line: &str) -> bool {
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.base.join(folder)).envs(identity(&self.base.join("home")));
        shell.output().unwrap().status.success()
    }

    /// What the attack left takes effect when the user goes on.
    async fn is_hit(&self, runner: &dyn Runner, attack: &str) -> bool {
        let canary = self.base.join("pwned");
        let mut job = self.place.job(attack);
        job.env = identity(&self.base.join("home"));
        job.env.push(("C".into(), canary.display().to_string()));
        job.env.push(("F".into(), format!("[core]\nfsmonitor = \"touch {};false\"\n", canary.display())));
        job.rights.write.push(self.base.join("added"));
        let names = protected(&job.rights.write, Some(&self.base.join("home")), &[]);
        (job.rights.protect, job.rights.hide) = (names.write, names.hide);
        let exit = runner.run(job, None).await.unwrap();
        assert!(!canary.exists(), "{attack}: {}", text(&exit));
        for folder in ["project", "added", "tree", "project/dep", "project/lib"] {
            if self.base.join(folder).exists() {
                self.shell(folder, "git status; git rebase --continue; git commit --allow-empty -m y");
            }
        }
        canary.exists()
    }
}

#[tokio::test]
async fn nothing_that_is_left_behind_runs_later() {
    for (name, before, attack) in ATTACKS {
        assert!(User::new(before).is_hit(&Plain, attack).await, "{name}: it has no effect even without the sandbox");
        let user = User::new(before);
        assert!(!user.is_hit(&user.place.sandbox, attack).await, "{name}");
    }
}

#[tokio::test]
async fn git_goes_on_working_and_tests_make_repositories_of_their_own() {
    let user = User::new("git -c protocol.file.allow=always submodule add -q ../lib lib; git commit -q -m lib");
    let work = "set -e; echo b > b; git add b; git commit -q -m two; git checkout -q -b side; echo c > a; git commit -q -am c; \
                git checkout -q main; git merge -q --no-edit side; echo d > a; git stash -q; git stash pop -q; git tag v1; \
                git branch -d side; git gc -q; git rm -q --cached b; git reset -q --hard; git cherry-pick --no-commit HEAD; \
                cd lib; echo e > e; git add e; git commit -q -m e; cd ..; git add lib; git commit -q -m lib2; \
                mkdir -p $TMP/r; cd $TMP/r; git init -q; git commit -q --allow-empty -m x; git config a.b c; git worktree add -q ../w; \
                mkdir -p .vscode; echo done";
    let mut job = user.place.job(&format!("TMP=$(mktemp -d); {work}"));
    job.env = identity(&user.base.join("home"));
    let names = protected(&job.rights.write, None, &[]);
    (job.rights.protect, job.rights.hide) = (names.write, names.hide);
    let exit = user.place.sandbox.run(job, None).await.unwrap();
    assert_eq!((exit.code, text(&exit).lines().last()), (Some(0), Some("done")), "{}", text(&exit));
}

#[tokio::test]
async fn what_the_user_makes_meanwhile_is_protected_too() {
    let user = User::new("echo secret > .env");
    // The command waits until the user has done it all.
    let attack = "until test -e go; do sleep 0.02; done; echo '[core] fsmonitor=x' >> .git/config; mkdir -p .git/hooks; \
                  echo x > .git/hooks/pre-commit; echo x > .vscode/tasks.json; echo ran";
    let mut job = user.place.job(attack);
    let names = protected(&job.rights.write, None, &[]);
    (job.rights.protect, job.rights.hide) =
        (names.write, names.hide.into_iter().filter(|it| !it.ends_with(".env")).collect());
    let running = user.place.sandbox.start(job.clone()).await.unwrap();
    user.shell("project", "git config branch.main.remote origin; mv .git/hooks x; mkdir .vscode; touch go");
    let mut seen = String::new();
    while running.exit().is_none() {
        running.stirred().await;
        seen.push_str(&running.take().text(|_| String::new()));
    }
    assert!(seen.contains("ran"), "{seen}");
    assert!(!fs::read_to_string(user.place.root.join(".git/config")).unwrap().contains("fsmonitor"));
    assert!(!user.place.root.join(".git/hooks").exists() && !user.place.root.join(".vscode/tasks.json").exists());

    // What hides a secret falls off when the secret is replaced, and the command ends with it.
    fs::remove_file(user.place.root.join("go")).unwrap();
    job.argv = ox_sandbox::shell("until grep secret .env; do sleep 0.02; done");
    job.rights.hide = vec![user.place.root.join(".env")];
    let running = user.place.sandbox.start(job).await.unwrap();
    running.stirred().await;
    user.shell("project", "sed -i s/a/b/ .env");
    let mut seen = String::new();
    while running.exit().is_none() {
        running.stirred().await;
        seen.push_str(&running.take().text(|_| String::new()));
    }
    seen.push_str(&running.take().text(|_| String::new()));
    assert!(seen.contains("[ended: a file that is hidden"), "{seen}");
}

#[tokio::test]
async fn secrets_are_hidden_at_any_depth() {
    let user = User::new(
        "mkdir -p pkg/api secrets; for f in pkg/api/.env secrets/key.pem .env.test; do echo sesame > $f; done; \
                          cp pkg/api/.env pkg/.env.example; echo sesame > ../added/.env",
    );
    let mut job = user.place.job("cat pkg/api/.env secrets/key.pem .env.test ../added/.env; cat pkg/.env.example");
    job.rights.write.push(user.base.join("added"));
    let names = protected(&job.rights.write, None, &[]);
    (job.rights.protect, job.rights.hide) = (names.write, names.hide);
    let exit = user.place.sandbox.run(job, None).await.unwrap();
    assert_eq!(text(&exit).matches("sesame").count(), 1, "{}", text(&exit));
}
