//! The tools of a project work in the sandbox, offline, and write nothing into the user's home.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ox_protocol::{Exit, Runner};
use ox_sandbox::{on_path, protected};

use crate::place::{Place, text};

/// The newest change in a folder, as deep as caches are of interest.
fn newest(folder: &Path, depth: usize) -> Option<std::time::SystemTime> {
    let own = folder.metadata().and_then(|it| it.modified()).ok();
    let inner = fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = inner.filter_map(|it| if depth > 0 { newest(&it.path(), depth - 1) } else { None });
    inner.chain(own).max()
}

/// Runs a command as a session does: with everything protected.
async fn run(place: &Place, command: &str) -> Exit {
    let mut job = place.job(command);
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let names = protected(std::slice::from_ref(&place.root), home.as_deref(), &[]);
    (job.rights.protect, job.rights.hide) = (names.write, names.hide);
    job.rights.time = Duration::from_secs(120);
    place.sandbox.run(job, None).await.unwrap()
}

async fn works(place: &Place, command: &str) -> String {
    let exit = run(place, command).await;
    assert_eq!(exit.code, Some(0), "{command}: {}", text(&exit));
    text(&exit)
}

#[tokio::test]
async fn cargo_builds_and_tests() {
    let place = Place::new();
    fs::create_dir(place.root.join("src")).unwrap();
    fs::write(place.root.join("Cargo.toml"), "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .unwrap();
    fs::write(place.root.join("src/lib.rs"), "#[test]\nfn holds() {\n    assert_eq!(1 + 1, 2);\n}\n").unwrap();
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|it| it.join(".cargo"))).unwrap();
    let before = newest(&home, 0);
    let output = works(&place, "cargo test --offline 2>&1").await;
    assert!(output.contains("test holds ... ok"), "{output}");
    assert_eq!(newest(&home, 0), before, "the user's own cache was written");
    works(&place, "touch $HOME/.cargo/in-the-copy 2>/dev/null || true; ! touch $HOME/in-the-home 2>/dev/null").await;
    assert!(!home.join("in-the-copy").exists());
}

#[tokio::test]
async fn python_and_node_run_their_tests() {
    let place = Place::new();
    fs::write(place.root.join("test_x.py"), "def test_x():\n    assert 1 + 1 == 2\n").unwrap();
    if Command::new("python3").args(["-m", "pytest", "--version"]).output().is_ok_and(|it| it.status.success()) {
        assert!(works(&place, "python3 -m pytest -q 2>&1").await.contains("1 passed"));
    }
    works(&place, "python3 -c \"import multiprocessing as m; print(m.Pool(2).map(abs, [-1, 2]))\"").await;
    if on_path("npm").is_some() {
        let script =
            "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"node -e 'console.log(6 * 7)'\"}}";
        fs::write(place.root.join("package.json"), script).unwrap();
        assert!(works(&place, "npm test 2>&1").await.contains("42"));
    }
}

#[tokio::test]
async fn a_program_can_run_as_soon_as_it_is_written() {
    // As a linker and `make` do: written, closed, executed. Whoever has it open for writing meanwhile is in the way.
    const WRITTEN: &str = r#"
import os, subprocess
program = open("/bin/true", "rb").read()
for number in range(200):
    file = os.open(f"x{number}", os.O_CREAT | os.O_WRONLY, 0o755)
    os.write(file, program)
    os.close(file)
    subprocess.run([f"./x{number}"], check=True)
"#;
    let place = Place::new();
    fs::write(place.root.join("written.py"), WRITTEN).unwrap();
    works(&place, "python3 written.py 2>&1").await;
}

#[tokio::test]
async fn git_commits_and_its_settings_stay() {
    let place = Place::new();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=T", "-c", "user.email=t@example.com"]).args(words).current_dir(&place.root);
        assert!(git.output().unwrap().status.success(), "{words:?}");
    };
    git(&["init", "-q"]);
    git(&["config", "user.name", "T"]);
    git(&["config", "user.email", "t@example.com"]);
    fs::write(place.root.join("a"), "1\n").unwrap();
    git(&["add", "a"]);
    git(&["commit", "-q", "-m", "one"]);
    let output = works(&place, "echo 2 >> a; git add a && git commit -q -m two && git log --oneline | wc -l").await;
    assert_eq!(output.trim(), "2");
    works(&place, "git checkout -q -b topic && git stash list && git status --short && git switch -q -").await;
    for attempt in [
        "git config core.fsmonitor ./evil",
        "mkdir -p .git/hooks && echo x > .git/hooks/pre-commit",
        "echo '* filter=x' > .git/info/attributes",
        "rm -rf .git/hooks .git/config",
        "mv .git .g && git init -q",
        "echo secret > .env",
        "mkdir .vscode",
    ] {
        assert_ne!(run(&place, attempt).await.code, Some(0), "{attempt}");
    }
    git(&["fsck"]);
}
