//! Runs a program against the mock and notes times and memory; knows nothing about who the program is.
//!
//! Memory is watched in runs of its own, so that the watching does not slow what is timed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::script::{self, FILES, NEW, OLD, Script};
use super::server::{Mock, Seen};

/// When a run is given up.
const PATIENCE: Duration = Duration::from_secs(90);

/// One run of a program.
pub struct Run {
    /// When the process was started.
    pub started: Instant,
    /// From start to exit.
    pub wall: Duration,
    /// The requests it made.
    pub seen: Vec<Seen>,
    /// Largest resident memory of the process itself in bytes, if it was watched.
    pub peak: u64,
    /// Largest resident memory of the process and its descendants together, if it was watched.
    pub tree: u64,
    /// Whether it left with 0 and made the edit.
    pub edited: bool,
    /// The end of what it printed, for a run that went wrong.
    pub words: String,
}

/// A fresh repository and an empty home for one run; both vanish with the value.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    /// Makes the repository: two hundred small files in one commit.
    pub fn new() -> Result<Place> {
        let place = Place { folder: tempfile::tempdir()? };
        fs::create_dir(place.home())?;
        for number in 0..FILES {
            let file = place.repo().join(script::path(number));
            fs::create_dir_all(file.parent().expect("a file of the script lies in a folder"))?;
            fs::write(&file, text(number))?;
        }
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "Two hundred files"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=Bench", "-c", "user.email=bench@example.com"])
                .args(args)
                .current_dir(place.repo());
            ensure!(git.status().context("git makes the repository")?.success(), "git {args:?} failed");
        }
        Ok(place)
    }

    /// The repository.
    pub fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// The home folder of the program.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn is_edited(&self) -> bool {
        fs::read_to_string(self.repo().join(script::FILE)).is_ok_and(|text| text.contains(NEW))
    }
}

fn text(number: usize) -> String {
    let mut text = format!("//! Part {number}.\n\n{OLD}\n");
    for line in 0..12 {
        text +=
            &format!("\n/// Adds {line} to its argument.\npub fn add_{line}(x: u32) -> u32 {{\n    x + {line}\n}}\n");
    }
    text
}

/// Runs the program once in a fresh place. `start` builds its command line.
pub fn once(mock: &Mock, script: Script, watch: bool, start: &dyn Fn(&Place, u16) -> Result<Command>) -> Result<Run> {
    let place = Place::new()?;
    mock.play(script, &place.repo().display().to_string());
    let mut command = start(&place, mock.port)?;
    isolate(&mut command, &place);
    let printed = place.folder.path().join("printed");
    let out = fs::File::create(&printed)?;
    command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out);
    let started = Instant::now();
    let mut child =
        command.spawn().with_context(|| format!("{} could not be started", command.get_program().display()))?;
    let (peak, tree) = if watch { watch_memory(&mut child, started)? } else { (0, 0) };
    let code = wait(&mut child, started)?;
    let wall = started.elapsed();
    let printed = fs::read_to_string(&printed).unwrap_or_default();
    let words = printed.chars().rev().take(600).collect::<Vec<_>>().into_iter().rev().collect();
    Ok(Run { started, wall, seen: mock.take(), peak, tree, edited: code == Some(0) && place.is_edited(), words })
}

/// The home, the working directory and the keys of a run; nothing of the user's own settings gets in.
pub fn isolate(command: &mut Command, place: &Place) {
    command.current_dir(place.repo()).env("HOME", place.home()).env("NO_COLOR", "1").env("NO_PROXY", "127.0.0.1");
    for key in ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"] {
        command.env(key, "test");
    }
    for gone in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        command.env_remove(gone);
    }
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("XDG_") || name.starts_with("OX_")) {
        command.env_remove(name);
    }
}

fn wait(child: &mut Child, started: Instant) -> Result<Option<i32>> {
    // Blocking would be exact but could not give up; asking every 200 µs costs less than it blurs.
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if started.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Reads the memory of the process and its descendants until it ends.
fn watch_memory(child: &mut Child, started: Instant) -> Result<(u64, u64)> {
    let (mut peak, mut tree) = (0, 0);
    while child.try_wait()?.is_none() && started.elapsed() < PATIENCE {
        peak = peak.max(status(child.id(), "VmHWM:"));
        tree = tree.max(family(child.id()).into_iter().map(|id| status(id, "VmRSS:")).sum());
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok((peak, tree))
}

/// A line of `/proc/ID/status` in bytes; 0 for a process that has ended.
pub fn status(id: u32, field: &str) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// A process and all its descendants.
pub fn family(id: u32) -> Vec<u32> {
    let mut all = vec![id];
    let mut next = 0;
    while let Some(parent) = all.get(next).copied() {
        next += 1;
        for task in fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().filter_map(|child| child.parse::<u32>().ok()));
        }
    }
    all
}

/// How long `program args` takes, in milliseconds, in each of `runs` runs.
pub fn time(program: &Path, args: &[&str], runs: usize) -> Result<Vec<f64>> {
    let home = tempfile::tempdir()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let began = Instant::now();
        let mut command = Command::new(program);
        command.args(args).env("HOME", home.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().with_context(|| format!("{} could not be started", program.display()))?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}

/// The middle of the values, which are sorted by it.
pub fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&mut []), None);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn the_place_holds_the_files_of_the_script_unedited() {
        let place = Place::new().expect("git is there");
        let files = fs::read_dir(place.repo().join("src")).expect("the folder was made").count();
        assert_eq!(files, 10);
        assert!(!place.is_edited());
        assert!(fs::read_to_string(place.repo().join(script::FILE)).expect("it was written").matches(OLD).count() == 1);
    }

    #[test]
    fn a_process_is_a_member_of_its_own_family() {
        let own = std::process::id();
        assert!(family(own).contains(&own));
        assert!(status(own, "VmRSS:") > 0);
    }
}
