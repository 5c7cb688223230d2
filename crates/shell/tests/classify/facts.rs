//! What is told beside the level: effects, parts, hosts and paths; and lines that are made to be hard.

use std::fs;
use std::os::unix::fs::symlink;

use ox_protocol::locale::Language;
use ox_protocol::{EffectKind, Level};
use ox_shell::{ExecutionContext, LONGEST_LINE, classify};

use super::{at_home, lookup};

#[test]
fn the_effects_say_what_is_done() {
    for (line, kind) in [
        ("rm -rf build", EffectKind::Delete),
        ("git reset --hard", EffectKind::Destroy),
        ("git commit --amend", EffectKind::Rewrite),
        ("git push", EffectKind::Publish),
        ("curl https://a.example", EffectKind::Network),
        ("npm install", EffectKind::Install),
        ("sudo ls", EffectKind::Privilege),
        ("cat .env", EffectKind::Secret),
        ("LD_PRELOAD=./x.so ls", EffectKind::Environment),
        ("kill 1234", EffectKind::Process),
        ("systemctl stop x", EffectKind::System),
        ("frobnicate", EffectKind::Unknown),
        ("eval ls", EffectKind::Computed),
        ("ls \u{202e}", EffectKind::Obscure),
        ("touch /tmp/x", EffectKind::Scratch),
        ("cargo test", EffectKind::Execute),
        ("echo x > a", EffectKind::Write),
        ("cat ../x", EffectKind::Read),
    ] {
        let found = at_home(line);
        assert!(found.effects.iter().any(|it| it.kind == kind), "{line}: {:?}", found.effects);
    }
}

#[test]
fn the_parts_are_reported_without_what_only_reads() {
    let parts = |line: &str| at_home(line).commands.into_iter().map(|it| it.text).collect::<Vec<_>>();
    assert_eq!(parts("ls && cargo  test  'a b' | grep x"), ["cargo test 'a b'"]);
    assert_eq!(parts("FOO=1 timeout 5 cargo test > out.txt"), ["cargo test"]);
    assert_eq!(parts("sudo rm a"), ["sudo rm a", "rm a"]);
    assert_eq!(parts("bash -c 'rm a; ls'"), ["bash -c 'rm a; ls'", "rm a"]);
    assert_eq!(parts("ls; git status"), Vec::<String>::new());
}

#[test]
fn what_stands_beside_the_commands_counts_unless_it_is_harmless() {
    let (harmless, steered) = (
        [
            "cargo test",
            "cargo test 2>&1",
            "cargo test 2>&1 | tail -5",
            "cargo test >/dev/null 2>&1; npm test &> /dev/null",
            "cargo test 2>/dev/null -- --test-threads=1 | tail -5",
        ],
        [
            "cargo test > out.txt",
            "cargo test 2>&1 > src/main.rs",
            "cargo test >/dev/null.txt",
            "cargo test >/dev/nul",
            "cargo test >&$x",
            "cargo test 2>&1x",
            "cargo test >|/dev/null",
            "A=1 cargo test 2>&1",
            "env A=1 cargo test",
            "export A=1; cargo test",
            "watch 'cargo test > src/main.rs'",
            "cargo test 2>&1 <<< '>'",
            "x=$(cargo test 2>&1)",
            "cargo test 2>&1 (",
            "exec 3> out.txt; cargo test 2>&3",
        ],
    );
    for line in harmless {
        assert!(!at_home(line).steered, "{line}");
    }
    for line in steered {
        assert!(at_home(line).steered, "{line}");
    }
}

/// The object of a command once, and the command where no object says more.
#[test]
fn an_effect_names_what_it_is_done_to() {
    let said = |line: &str| {
        let all: Vec<String> = at_home(line).effects.iter().map(|it| Language::En.effect(it.kind, &it.what)).collect();
        all.join("; ")
    };
    let lines = [
        "touch made.txt",
        "rm -rf build",
        "rm -rf build/$X",
        "mkdir -p a/b && cp x.txt a/b/",
        "mv a b",
        "echo x > out.txt",
        "touch /tmp/x",
        "tar xf a.tar",
        "git reset --hard",
        "git commit -m x",
        "git push origin main",
        "curl https://a.example/x",
        "curl $URL",
        "npm install left-pad",
        "dd if=a of=b",
        "ln -s a b",
        "cargo test",
    ];
    let table: Vec<String> = lines.iter().map(|it| format!("{it} → {}", said(it))).collect();
    expect_test::expect![[r#"
        touch made.txt → writes made.txt
        rm -rf build → deletes build
        rm -rf build/$X → reads $X; deletes files: rm build/$X; not known before it runs: build/…
        mkdir -p a/b && cp x.txt a/b/ → writes a/b
        mv a b → deletes a; writes b
        echo x > out.txt → writes out.txt
        touch /tmp/x → writes to the temporary folder: /tmp/x
        tar xf a.tar → writes files: tar xf a.tar
        git reset --hard → deletes work that exists nowhere else: git reset --hard
        git commit -m x → changes the repository: git commit
        git push origin main → pushes, publishes or sends: git push origin main
        curl https://a.example/x → uses the network: a.example
        curl $URL → reads $URL; uses the network, without naming the host
        npm install left-pad → installs packages: npm install left-pad
        dd if=a of=b → writes b
        ln -s a b → writes b
        cargo test → runs code: cargo test"#]]
    .assert_eq(&table.join("\n"));
}

#[test]
fn an_unnamed_host_is_reported_as_such() {
    let hosts = |line: &str| at_home(line).hosts;
    assert_eq!(hosts("curl https://A.example:8080/x"), ["a.example"]);
    assert_eq!(hosts("curl https://a.example; aws s3 ls"), ["a.example", "*"]);
    assert_eq!(hosts("git clone git@b.example:x/y"), ["b.example"]);
    assert_eq!(hosts("ls"), Vec::<String>::new());
    assert_eq!(hosts("curl -sS http://127.0.0.1:8104/v1/models"), ["127.0.0.1:8104"]);
    assert_eq!(
        hosts("curl localhost:3000/x https://localhost http://[::1]:9/"),
        ["127.0.0.1:3000", "127.0.0.1:443", "127.0.0.1:9"]
    );
}

#[test]
fn a_check_is_of_level_1_only_as_it_stands() {
    let root = std::path::Path::new("/home/u/proj");
    let checks = ["cargo test".to_owned()];
    let place = ExecutionContext { root, cwd: root, home: None, added: &[], checks: &checks, lookup };
    assert_eq!(classify("cargo test", &place).level, Level::Edit);
    assert_eq!(classify("cargo test -q", &place).level, Level::Shell);
    assert_eq!(classify("cargo test; rm -rf /", &place).level, Level::System);
}

#[test]
fn links_lead_where_they_lead() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    fs::create_dir_all(base.join("proj/src")).unwrap();
    fs::create_dir_all(base.join("other/deep")).unwrap();
    symlink("/etc", base.join("proj/out")).unwrap();
    symlink("src", base.join("proj/in")).unwrap();
    symlink("loop", base.join("proj/loop")).unwrap();
    symlink(base.join("other/deep"), base.join("proj/deep")).unwrap();
    let root = base.join("proj");
    let added = [base.join("other")];
    let level = |line: &str, added: &[std::path::PathBuf]| {
        classify(line, &ExecutionContext { root: &root, cwd: &root, home: None, added, checks: &[], lookup }).level
    };
    assert_eq!(level("cat in/main.rs", &[]), Level::Read);
    assert_eq!(level("cat out/hosts", &[]), Level::System);
    assert_eq!(level("cat in/../x", &[]), Level::Read);
    assert_eq!(level("cat deep/../x", &[]), Level::System);
    assert_eq!(level("cat deep/../x", &added), Level::Read);
    assert_eq!(level("echo x > out/x", &[]), Level::System);
    assert_eq!(level("cat loop", &[]), Level::System);
}

/// Each is refused or understood; none takes the stack or the machine.
#[test]
fn hard_lines_end_and_are_never_taken_for_reading() {
    let many = 20_000;
    for (part, end) in [
        ("$(", "rm x"),
        ("env ", "rm x"),
        ("sudo ", "ls"),
        ("ls | ", "rm x"),
        ("${a:-", "x"),
        ("$((", "1"),
        ("`", ""),
        ("( ", "rm x"),
        ("{ ", "rm x"),
        ("if ls; then ", "rm x"),
        ("watch 'a b' ", ""),
        ("f() { ", "rm x"),
        ("ls ) ( ; ;; ", ""),
        ("! ", "rm x"),
        ("\n", "rm x"),
    ] {
        let found = at_home(&(part.repeat(many / part.len()) + end));
        assert!(found.level >= Level::Shell, "{part:?}: {:?}", found.effects);
    }
    assert_eq!(at_home(&format!("ls {}", "a".repeat(LONGEST_LINE))).level, Level::System);
    assert_eq!(at_home(&format!("ls {}", "a".repeat(LONGEST_LINE / 2))).level, Level::Read);
}

#[test]
fn what_cannot_be_seen_is_refused() {
    for line in ["ls\r", "\u{1b}[2Kls", "ls \u{202e}x", "r\u{200b}m x", "ls\u{a0}-la", "\u{ff52}m -rf /", "ls \u{0}"] {
        assert_eq!(at_home(line).level, Level::System, "{line:?}");
    }
}

#[test]
fn a_program_of_the_project_is_run_and_not_fetched() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("node_modules/.bin")).unwrap();
    fs::create_dir_all(root.join("packages/a")).unwrap();
    fs::write(root.join("node_modules/.bin/vitest"), "").unwrap();
    let cwd = root.join("packages/a");
    let fetches = |line: &str| {
        let facts =
            classify(line, &ExecutionContext { root: &root, cwd: &cwd, home: None, added: &[], checks: &[], lookup });
        facts.effects.iter().any(|it| it.kind == EffectKind::Install)
    };
    for line in
        ["npx vitest run a.test.ts", "npx --no-install tsc", "npx --no eslint .", "pnpm exec vitest", "yarn exec jest"]
    {
        assert!(!fetches(line), "{line}");
    }
    for line in ["npx jest", "npx vitest@3", "npx owner/vitest", "pnpm dlx vitest"] {
        assert!(fetches(line), "{line}");
    }
}

#[test]
fn what_changes_names_that_are_kept_otherwise_names_them() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    fs::create_dir_all(root.join("sub/deep")).unwrap();
    let written = |line: &str| {
        let place = ExecutionContext { root: &root, cwd: &root, home: None, added: &[], checks: &[], lookup };
        let found = classify(line, &place);
        let paths: Vec<_> = found.paths.into_iter().filter(|it| it.write).map(|it| it.path).collect();
        (found.level, paths.join(" "))
    };
    let (system, shell) = (Level::System, Level::Shell);
    // What begins a repository where there is none makes all of its names.
    let table = [
        ("git init", system, ".git"),
        ("git init -q -b main .", system, ".git"),
        ("cd sub && git init ..", system, ".git"),
        ("git init sub/deep", shell, ""),
        ("git clone https://a.example/x.git .", system, ".git"),
        ("git clone https://a.example/x.git sub/x", system, ""),
    ];
    for (line, level, paths) in table {
        assert_eq!(written(line), (level, paths.to_owned()), "{line}");
    }
    fs::create_dir(root.join(".git")).unwrap();
    let table = [
        ("git init", shell, ""),
        ("git config core.hooksPath .husky", system, ".git/config"),
        ("cd sub/deep; git config --unset core.pager", system, ".git/config"),
        ("git config --global core.pager less", system, ""),
        ("git config --get core.pager", Level::Read, ""),
        ("git remote add origin https://a.example/x", system, ".git/config"),
        ("git submodule set-url a https://a.example/b", system, ".git/config .gitmodules"),
        ("husky", system, ".husky .git/config"),
        ("npx husky init", system, ".husky .git/config"),
        ("npx --yes husky@9 add .husky/pre-push 'npm test'", system, ".husky"),
        ("npx tsc", shell, ""),
        ("pre-commit install", system, ".git/hooks"),
        ("pre-commit run -a", shell, ""),
        ("touch .env", system, ".env"),
        ("cp .env.example .env", system, ".env"),
        ("mkdir .husky && echo 'npm test' > .husky/pre-commit", system, ".husky .husky/pre-commit"),
    ];
    for (line, level, paths) in table {
        assert_eq!(written(line), (level, paths.to_owned()), "{line}");
    }
}
