//! How far paths reach: one table for every kind of path, and the rows of a corpus where one is given.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use ox_protocol::Level;
use ox_repo::{PathOp, Reach, Tree};
use tempfile::TempDir;

/// `proj` with everything that a path can meet, beside `proj-evil`, `outside.txt` and `home/u`.
fn fixture() -> (TempDir, Tree) {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().canonicalize().unwrap();
    let at = |path: &str| base.join(path);
    for file in [
        "proj/src/main.rs",
        "proj/src/lib.rs",
        "proj/README.md",
        "proj/.git/config",
        "proj/.git/HEAD",
        "proj/.git/hooks/pre-commit",
        "proj/vendor/sub/.git/HEAD",
        "proj/.env",
        "proj/.env.local",
        "proj/.env.example",
        "proj/secrets/key.pem",
        "proj/src/a b.rs",
        "proj/src/日本.rs",
        "proj/src/caf\u{e9}.rs",
        "proj/src/...",
        "proj/src/-rf",
        "proj/src/new\nline.rs",
        "proj/readonly.txt",
        "proj/noread.txt",
        "proj/bin.dat",
        "proj/bare/HEAD",
        "proj/bare/refs/heads/main",
        "proj/routes/$id.tsx",
        "proj/~backup",
        "proj-evil/x",
        "outside.txt",
        "home/u/other/secret.txt",
        "home/u/.ssh/id_rsa",
        "home/u/.bashrc",
    ] {
        fs::create_dir_all(at(file).parent().unwrap()).unwrap();
        fs::write(at(file), "x").unwrap();
    }
    for (link, target) in [
        ("link_in", "src/main.rs"),
        ("link_out", "/etc/passwd"),
        ("link_dir", &at("home/u/other").display().to_string()),
        ("link_rel", "../outside.txt"),
        ("link_abs_in", &at("proj/src/lib.rs").display().to_string()),
        ("link_loop", "link_loop"),
        ("link_a", "link_b"),
        ("link_b", "/etc"),
        ("link_dangling", &at("home/u/new_file_not_there").display().to_string()),
        ("link_dangling_in", "src/not_there.rs"),
        ("link_dot", "."),
        ("link_up", ".."),
        ("link_git", ".git"),
        ("link_env", ".env"),
        ("link_root", "/"),
        ("link_proc", "/proc/self/root/etc/passwd"),
        ("link_src", "src"),
        ("link_settings", ".vscode/settings.json"),
        ("link_file_dir", "src/main.rs/"),
    ] {
        symlink(target, at("proj").join(link)).unwrap();
    }
    fs::hard_link(at("home/u/other/secret.txt"), at("proj/hard_out")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("proj/fifo"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)
        .unwrap();
    drop(std::os::unix::net::UnixListener::bind(at("proj/sock")).unwrap());
    fs::File::create(at("proj/big.bin")).unwrap().set_len(2 << 30).unwrap();
    fs::set_permissions(at("proj/readonly.txt"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(at("proj/noread.txt"), fs::Permissions::from_mode(0o000)).unwrap();
    let tree = Tree::open(&at("proj"), &[]).unwrap();
    (dir, tree)
}

/// `0`, `1`, `2`, `3`, then `+` where it is allowed, `-` where it is not and `!` where it never is.
fn shown(reach: &Reach) -> String {
    let mark = match (reach.allowed, reach.denied) {
        (true, _) => '+',
        (false, true) => '!',
        (false, false) => '-',
    };
    let level = match reach.level {
        Level::Read => 0,
        Level::Edit => 1,
        Level::Shell => 2,
        Level::System => 3,
    };
    format!("{level}{mark}")
}

/// What is expected of each of some paths, which are separated by blanks; `␣` stands for a blank in one.
const READ: &[(&str, &str)] = &[
    // Inside, however it is written.
    (
        "0+",
        "src/main.rs ./src/main.rs src//main.rs src/./main.rs src/../src/main.rs nowhere/../src/main.rs ../proj/src/main.rs \
         ROOT/src/main.rs ROOT//src/../src/main.rs src/a␣b.rs src/日本.rs src/café.rs src/... src/-rf .git/HEAD .git/config \
         vendor/sub/.git/HEAD .env.example readonly.txt big.bin bin.dat ~backup routes/$id.tsx hard_out link_in link_abs_in \
         link_dot/src/main.rs link_dot/link_dot/link_dot/src/main.rs link_src/main.rs link_file_dir link_src/../README.md link_up/proj/src/main.rs \
         link_git/HEAD link_root/../BASE/proj/src/main.rs",
    ),
    // Nothing there, or nothing that is a file.
    ("0-", "src/none.rs none/none.rs src/main.rs. src/main.rs␣ src/MAIN.rs . src link_src link_dot vendor/ ... ...."),
    ("0-", "src/main.rs/ src/main.rs/x link_loop link_dangling_in fifo sock noread.txt link_settings"),
    // Outside.
    (
        "3-",
        ".. ../ ../../etc/passwd ../outside.txt ../proj-evil/x ../projx src/../../outside.txt / /etc/passwd /etc /projx",
    ),
    (
        "3-",
        "ROOTx ROOT-evil/x ROOT/../outside.txt /nowhere/at/all link_out link_rel link_dir link_dir/secret.txt link_a link_a/passwd",
    ),
    (
        "3-",
        "link_b link_up link_up/outside.txt link_up/proj-evil/x link_root link_root/etc/passwd link_dangling link_dot/../../outside.txt",
    ),
    (
        "3-",
        "link_dir/../.bashrc BASE/home/u/.ssh/id_rsa BASE/home/u/.bashrc src/../link_out link_src/../../outside.txt",
    ),
    // Devices, and what leads into processes.
    (
        "3-",
        "/dev/null /dev/zero /dev/random /dev/tty /dev/stdin /dev/fd/0 /dev/fd/3 /proc/self/environ /proc/self/root/etc/passwd",
    ),
    (
        "3-",
        "/proc/self/cwd/src/main.rs /proc/self/fd/0 /proc/1/environ /proc/self/mem /proc/kcore link_proc /sys/kernel link_root/proc/self/environ",
    ),
    // What others would expand.
    (
        "3!",
        "~ ~/.ssh/id_rsa ~root/x ~u/.bashrc $HOME/.ssh/id_rsa ${HOME}/.ssh/id_rsa $(cat␣/etc/passwd) `id` src/`id` %USERPROFILE%/x",
    ),
    (
        "3!",
        "file:///etc/passwd file:///ROOT/src/main.rs file:/etc/passwd FILE:///etc/passwd http://a.b/c https://a.b/src/main.rs ftp://a/b",
    ),
    (
        "3!",
        "C:\\Windows\\win.ini c:/Windows/win.ini C: \\\\server\\share\\x \\etc\\passwd ..\\..\\outside.txt src\\..\\..\\outside.txt",
    ),
    ("0-", "src\\main.rs $id.tsx src/main.rs:stream src/main.rs::$DATA src/CON"),
    // Secrets by name, there or not.
    (
        "3-",
        ".env .env.local ./.env link_env .ENV .env. .env::$DATA sub/.env.production secrets/key.pem a/id_rsa b/server.key deploy/prod.env",
    ),
    (
        "3-",
        ".netrc .pypirc .git-credentials .aws/credentials .docker/config.json .kube/config credentials.json config/secrets.yml",
    ),
];

const LIST: &[(&str, &str)] = &[
    (
        "0+",
        ". ROOT ROOT/ src src/ ./src link_src link_src/ link_dot .git vendor src/** src/**/*.rs **/* *.rs {src,vendor}/* src/[ab]* src/?.rs",
    ),
    ("0-", "none src/main.rs fifo none/*.rs link_loop"),
    (
        "3-",
        ".. / /etc ../proj-evil link_dir link_dir/ link_dir/* link_root link_root/** link_b/* /etc/* ../* ../**/*.txt /* /proc/self/* BASE/home/u",
    ),
    ("3!", "**/../../* src/*/../../../etc/* {a,../..}/x ~/* $HOME/* ${HOME}/** ~ file:///etc"),
];

const WRITE: &[(&str, &str)] = &[
    (
        "1+",
        "src/main.rs src/new.rs a/b/c/new.rs ./new ROOT/new ..hidden/x ... .... ..x/..y src/CON src/nul.txt src/a␣b.rs src/新.rs \
         link_in link_abs_in link_dangling_in link_dot/src/new.rs link_src/new.rs hard_out bin.dat big.bin routes/$new.tsx src/a:b",
    ),
    (
        "1+",
        "Makefile package.json setup.py conftest.py build.rs Cargo.toml Dockerfile .github/workflows/ci.yml .gitlab-ci.yml",
    ),
    (
        "1+",
        ".pre-commit-config.yaml .gitignore .gitattributes .editorconfig AGENTS.md CLAUDE.md .env.example .cargo/config.toml",
    ),
    ("1-", ". src link_src fifo sock readonly.txt src/main.rs/x src/main.rs/ link_loop link_loop/x"),
    // New names that deceive.
    ("1!", "src/a\nb.rs src/a\tb src/a\u{202e}b.rs src/a\u{200b}b.rs src/\u{feff}a src\\new.rs a\u{0}b"),
    // Outside.
    (
        "3-",
        "../x ../proj-evil/x ../outside.txt /etc/passwd /tmp/x /dev/null /proc/self/mem link_out link_rel link_dir/x link_a/x link_b/x .gitmodules",
    ),
    (
        "3-",
        "link_dangling link_up/x link_root/etc/x link_root/tmp/x ROOT-evil/x BASE/home/u/.bashrc src/../../x link_src/../../x link_proc",
    ),
    ("3!", "~/x ~ $HOME/x ${X}/y $(id) `id` file:///tmp/x C:\\x \\\\server\\x ..\\..\\x"),
    // Git, Ox and secrets: never.
    (
        "3!",
        ".git .git/config .git/hooks/pre-commit .git/hooks/new .git/index .git/info/exclude .git/new vendor/sub/.git/config .GIT/config",
    ),
    (
        "3!",
        ".git/ .git./config .git␣/config .git::$INDEX_ALLOCATION/x git~1/config .g\u{200c}it/config new/.git/config link_git/config link_git/new",
    ),
    (
        "3!",
        "src/../.git/config link_dot/.git/config .ox/config.toml .ox/new .OX/x sub/.ox/config.toml .ssh/config .ssh/authorized_keys",
    ),
    (
        "3!",
        ".env .env.local .env.new .ENV link_env secrets/key.pem new.pem id_rsa .netrc .aws/credentials BASE/home/u/.ssh/id_rsa /x/.git/config",
    ),
    // What runs by itself or configures an agent: with consent, there or not.
    (
        "3-",
        ".vscode/settings.json .vscode/tasks.json .vscode/launch.json .vscode/extensions.json .VSCODE/settings.json .idea/workspace.xml",
    ),
    (
        "3-",
        ".cursor/mcp.json .cursor/rules/x.mdc .cursorrules .claude/settings.json .claude/settings.local.json .claude/hooks/x .codex/config.toml",
    ),
    (
        "3-",
        ".gemini/settings.json .mcp.json sub/.mcp.json .roo/mcp.json .windsurf/x .continue/config.json .kiro/settings/mcp.json .zed/settings.json",
    ),
    (
        "3-",
        ".devcontainer/devcontainer.json .devcontainer.json .devcontainer/post.sh x.code-workspace .envrc sub/.envrc .husky/pre-commit .npmrc",
    ),
    (
        "3-",
        ".bashrc .bash_profile .profile .zshrc .zshenv .gitconfig .vimrc .exrc .nvim.lua .gdbinit .config/fish/config.fish .dir-locals.el",
    ),
    (
        "3-",
        "link_settings link_dot/.vscode/settings.json src/../.vscode/tasks.json ./.claude/x ROOT/.mcp.json .vscode .claude",
    ),
    // The last part of a repository that is not called `.git`.
    ("3-", "bare/objects/x bare/objects"),
    ("1+", "bare/config bare/description"),
];

const DELETE: &[(&str, &str)] = &[
    ("1+", "src/main.rs ./README.md bin.dat hard_out fifo sock readonly.txt src/new\nline.rs"),
    // A link is the project's own, wherever it leads.
    ("1+", "link_in link_out link_dir link_loop link_dangling link_git link_env link_root link_up link_dot"),
    ("1-", "none src/none src/main.rs/ src/main.rs/x"),
    (
        "3-",
        "src src/ vendor secrets bare ../outside.txt /etc/passwd link_dir/ link_dir/secret.txt link_b/passwd .. / ROOT-evil",
    ),
    (
        "3!",
        ". ./ ROOT src/.. .git .git/ .git/config .git/hooks vendor/sub/.git .env .env.local secrets/key.pem link_git/HEAD link_git/ .ox",
    ),
    ("3-", ".vscode .vscode/settings.json .claude/settings.json .bashrc"),
];

fn plain(path: &str, base: &str) -> String {
    let path = path.replace("link_root/../BASE", &format!("link_root{base}"));
    path.replace("ROOT", &format!("{base}/proj")).replace("BASE", base).replace('␣', " ")
}

#[test]
fn every_path_reaches_as_far_as_the_table_says() {
    let (dir, tree) = fixture();
    let base = dir.path().canonicalize().unwrap().display().to_string();
    let (mut rows, mut wrong) = (0, Vec::new());
    for (op, table) in [(PathOp::Read, READ), (PathOp::List, LIST), (PathOp::Write, WRITE), (PathOp::Delete, DELETE)] {
        for (expected, paths) in table {
            for path in paths.split(' ').filter(|it| !it.is_empty()) {
                let path = plain(path, &base);
                let reach = tree.reach(op, &path);
                assert!(!reach.why.is_empty(), "{path}");
                if shown(&reach) != *expected {
                    wrong.push(format!("{op:?} {path:?}: {} instead of {expected}: {}", shown(&reach), reach.why));
                }
                rows += 1;
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {rows} rows:\n{}", wrong.len(), wrong.join("\n"));
    assert!(rows > 300, "{rows}");
}

/// What is then done agrees with what was said: all that is allowed works, and nothing else does.
#[test]
fn the_tree_does_exactly_what_its_reach_allows() {
    for (op, table) in [(PathOp::Read, READ), (PathOp::Write, WRITE), (PathOp::Delete, DELETE)] {
        for path in table.iter().flat_map(|it| it.1.split(' ')).filter(|it| !it.is_empty()) {
            let (dir, tree) = fixture();
            let path = plain(path, &dir.path().canonicalize().unwrap().display().to_string());
            // Its size is the tool's matter.
            if path == "big.bin" {
                continue;
            }
            let allowed = tree.reach(op, &path).allowed;
            let strict = tree.consenting(&[]);
            let done = match op {
                PathOp::Write => match strict.read(&path) {
                    Ok(old) => strict.write(&path, &old, "y").is_ok(),
                    Err(_) => strict.create(&path, "y").is_ok(),
                },
                PathOp::Delete => strict.delete(&path).is_ok(),
                _ => strict.read_bytes(&path, 1 << 20).is_ok(),
            };
            assert_eq!(done, allowed, "{op:?} {path:?}");
            assert_eq!(fs::read(dir.path().join("outside.txt")).unwrap(), b"x");
            assert_eq!(fs::read(dir.path().join("home/u/other/secret.txt")).unwrap(), b"x");
        }
    }
}

#[test]
fn a_folder_with_something_mounted_in_it_stays() {
    const WITHIN: &str = "OX_TEST_MAY_MOUNT";
    if std::env::var_os(WITHIN).is_none() {
        // This test again, where mounting is its own affair.
        let mut again = std::process::Command::new("unshare");
        again.args(["--user", "--map-root-user", "--mount"]).arg(std::env::current_exe().unwrap());
        again.args(["--exact", "reach::a_folder_with_something_mounted_in_it_stays"]).env(WITHIN, "1");
        let ran = again.output();
        let out = ran.as_ref().map(|it| String::from_utf8_lossy(&it.stdout).into_owned()).unwrap_or_default();
        if !out.contains("running 1 test") && std::env::var_os("CI").is_none() {
            eprintln!("skipped: nothing can be mounted here: {ran:?}");
            return;
        }
        assert!(ran.is_ok_and(|it| it.status.success()), "{out}");
        return;
    }
    let (dir, tree) = fixture();
    // Not that of the user who this one only seems to be.
    let tree = tree.with_journal(dir.path());
    let at = dir.path().join("proj/sub/mnt");
    fs::create_dir_all(&at).unwrap();
    let other = dir.path().join("home/u/other");
    let mut mount = std::process::Command::new("mount");
    assert!(mount.arg("--bind").args([&other, &at]).status().unwrap().success());
    let refused = tree.delete("sub").unwrap_err().to_string();
    let read = tree.read_bytes("sub/mnt/secret.txt", 100).unwrap();
    assert!(std::process::Command::new("umount").arg(&at).status().unwrap().success());
    assert!(refused.contains("more than one file system"), "{refused}");
    assert_eq!((read.as_slice(), other.join("secret.txt").exists()), (&b"x"[..], true));
    tree.delete("sub").unwrap();
}

/// The rows of a corpus that somebody else wrote, where `OX_CORPORA` names a folder of such.
#[test]
fn a_corpus_of_paths_is_judged_as_its_author_did() {
    let Ok(folder) = std::env::var("OX_CORPORA") else { return };
    let Ok(text) = fs::read_to_string(PathBuf::from(folder).join("paths.dev.jsonl")) else { return };
    let (dir, tree) = fixture();
    let base = dir.path().canonicalize().unwrap().display().to_string();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let row: HashMap<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        let (Some(op), Some(path)) = (row.get("op"), row.get("path").and_then(|it| it.as_str())) else { continue };
        let op = match op.as_str().unwrap() {
            "read" => PathOp::Read,
            "write" => PathOp::Write,
            "delete" => PathOp::Delete,
            _ => PathOp::List,
        };
        let moved = ["/proj", "/home/u", "/outside.txt"].iter().any(|it| path.starts_with(it));
        let reach = tree.reach(op, &if moved { format!("{base}{path}") } else { path.to_owned() });
        let is = |key: &str| row.get(key).and_then(serde_json::Value::as_bool).unwrap_or(false);
        let right = reach.allowed == is("allowed") || is(if reach.allowed { "accept_allow" } else { "accept_reject" });
        let level = row.get("level").and_then(serde_json::Value::as_u64);
        let same = reach.allowed != is("allowed") || level.is_none_or(|it| shown(&reach).starts_with(&it.to_string()));
        if !right || !same {
            wrong.push(format!("{line}\n  {} {}", shown(&reach), reach.why));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
