//! What the sandbox adds to starting a process: `true` run plainly, in the sandbox, and under bubblewrap where that is
//! installed, one after the other in each round. Prints the medians as one line of JSON.
//!
//! Expects the helper, under its name, beside this program.

use std::path::Path;
use std::time::{Duration, Instant};

use ox_protocol::{Job, Rights, Runner};
use ox_sandbox::{Plain, Sandbox, SandboxOptions, on_path, protected};

/// One way to start a process.
struct Way<'a> {
    name: &'static str,
    runner: &'a dyn Runner,
    argv: Vec<String>,
    times: Vec<Duration>,
}

/// As much as bubblewrap can do of the same.
const BUBBLEWRAP: [&str; 15] = [
    "bwrap",
    "--unshare-all",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/tmp",
    "--die-with-parent",
    "--new-session",
    "--cap-drop",
    "ALL",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(200), |it| it.parse())?;
    let sandbox = Sandbox::open(&SandboxOptions::default())?;
    if !sandbox.isolated() {
        return Err("no sandbox works on this machine, so there is nothing to measure".into());
    }
    // Beneath the working folder: the sandbox has a /tmp of its own, which would be another case.
    let folder = tempfile::tempdir_in(".")?;
    let root = folder.path().canonicalize()?;
    std::fs::create_dir_all(root.join(".git/hooks"))?;
    std::fs::write(root.join(".git/config"), "[core]\n")?;
    let way = |name, runner, argv: &[&str]| {
        let argv = argv.iter().map(ToString::to_string).collect();
        Way { name, runner, argv, times: Vec::new() }
    };
    let mut ways = vec![way("plain", &Plain as &dyn Runner, &["true"]), way("ox", &sandbox, &["true"])];
    if on_path("bwrap").is_some() {
        let argv = [&BUBBLEWRAP[..], &["true"]].concat();
        ways.push(way("bubblewrap", &Plain, &argv));
    }
    for round in 0..rounds + 5 {
        for way in &mut ways {
            let job = job(&root, way.argv.clone());
            let start = Instant::now();
            let exit = way.runner.run(job, None).await?;
            let time = start.elapsed();
            if exit.code != Some(0) {
                return Err(format!("{} failed: {}", way.name, exit.output.text(|_| String::new())).into());
            }
            // The first rounds warm the caches.
            if round >= 5 {
                way.times.push(time);
            }
        }
    }
    let medians = ways.iter_mut().map(|it| (it.name.to_owned(), median(&mut it.times).into()));
    println!("{}", serde_json::Value::Object(medians.collect()));
    Ok(())
}

fn job(root: &Path, argv: Vec<String>) -> Job {
    let mut rights = Rights::command(root.to_path_buf(), Duration::from_secs(10));
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    let names = protected(&[root.to_path_buf()], home.as_deref(), &[]);
    (rights.protect, rights.hide) = (names.write, names.hide);
    Job { argv, cwd: root.to_path_buf(), env: Vec::new(), stdin: Vec::new(), terminal: None, rights }
}

/// In milliseconds.
fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |it| it.as_secs_f64() * 1e3)
}
