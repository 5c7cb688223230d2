//! The same unified diffs given to `git apply` and GNU `patch`, in the same run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use ox_edit::Files;

use crate::case::{Case, Verdict};

/// A program that applies diffs, and its arguments before the diff.
const PEERS: [(&str, &[&str]); 2] = [
    ("git", &["apply", "--recount", "--whitespace=nowarn"]),
    ("patch", &["--batch", "--forward", "--silent", "--no-backup-if-mismatch", "-p1", "-i"]),
];

/// Runs every unified diff of one file through each program found and prints the counts.
pub fn print(cases: &[Case]) -> Result<(), String> {
    println!("\nunified_diff by other programs   right     %  near  refused  wrong mustref.  edited   median ms");
    for (program, args) in PEERS {
        if Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
            println!("{program:32} is not on PATH");
            continue;
        }
        let folder = std::env::temp_dir().join(format!("ox-edit-vs-{}-{program}", std::process::id()));
        let counted = count(program, args, cases, &folder);
        let _ = fs::remove_dir_all(&folder);
        println!("{}", counted?);
    }
    Ok(())
}

fn count(program: &str, args: &[&str], cases: &[Case], folder: &Path) -> Result<String, String> {
    let mut counts = [0_usize; 6];
    let mut times = Vec::new();
    for case in cases.iter().filter(|case| case.format == "unified_diff" && !case.contested) {
        let start = Instant::now();
        let after = one(program, args, case, folder).map_err(|error| format!("{program}: {error}"))?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        counts[case.judge(after.as_ref()) as usize] += 1;
    }
    times.sort_by(f64::total_cmp);
    let asked: usize = counts[..4].iter().sum();
    let [right, near, refused, wrong, rightly, edited] = counts;
    let share = 100.0 * counts[Verdict::Right as usize] as f64 / asked as f64;
    let median = times.get(times.len() / 2).copied().unwrap_or(f64::NAN);
    let name = format!("{program} {}", args.first().filter(|arg| !arg.starts_with('-')).unwrap_or(&""));
    Ok(format!("{name:32}{right:>6}{share:>6.1}{near:>6}{refused:>9}{wrong:>7}{rightly:>8}{edited:>8}{median:>12.1}"))
}

/// One diff in a fresh folder; the files afterwards, or nothing if the program said no.
fn one(program: &str, args: &[&str], case: &Case, folder: &Path) -> std::io::Result<Option<Files>> {
    let _ = fs::remove_dir_all(folder);
    let path = |name: &str| -> PathBuf { folder.join(name) };
    for (name, text) in &case.files {
        if let Some(parent) = path(name).parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path(name), text)?;
    }
    let diff = folder.with_extension("diff");
    fs::write(&diff, case.edit.as_str().unwrap_or_default())?;
    let mut command = Command::new(program);
    command.args(args).arg(&diff);
    // Without a header the diff does not name its file; `patch` takes it as an argument.
    if program == "patch" && !case.edit.as_str().is_some_and(|text| text.contains("+++ ")) {
        command = Command::new(program);
        command.args(&args[..args.len() - 2]).arg(&case.path).arg("-i").arg(&diff);
    }
    let status =
        command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
    let _ = fs::remove_file(&diff);
    if !status.success() {
        return Ok(None);
    }
    let read = |name: &String| fs::read_to_string(path(name)).ok().map(|text| (name.clone(), text));
    Ok(Some(case.files.keys().filter_map(read).collect()))
}
