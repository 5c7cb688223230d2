//! Traps laid in the project for whoever comes next: programs, libraries and start-up files that run when somebody else,
//! above all the sandbox itself before it is built, looks a name up.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use ox_protocol::Job;

use crate::attempt::{Probe, Proof, look_outside, row};

/// Traps.
pub const ROWS: &[Probe] = &[
    row("trap: PATH", Proof::Plain, |_| {
        let _ = Command::new("git").arg("status").output();
        look_outside()
    })
    .prepared(programs),
    row("trap: BASH_ENV", Proof::Plain, |_| {
        let _ = Command::new("bash").args(["-c", "true"]).output();
        look_outside()
    })
    .prepared(|job| start_up(job, "BASH_ENV")),
    row("trap: ENV", Proof::Plain, |_| {
        let _ = Command::new("sh").args(["-i", "-c", "true"]).output();
        look_outside()
    })
    .prepared(|job| start_up(job, "ENV")),
    row("trap: LD_PRELOAD", Proof::Plain, |_| look_outside()).prepared(library),
    row("trap: a function that bash takes from the environment", Proof::Plain, |_| {
        let _ = Command::new("bash").args(["-c", "ls"]).output();
        look_outside()
    })
    .prepared(|job| {
        let line = format!("() {{ echo evil >> '{}'; }}", victim(job).display());
        job.env.push(("BASH_FUNC_ls%%".to_owned(), line));
        Ok(())
    }),
    row("trap: the working folder is a symlink to the outside", Proof::Plain, |_| File::create("new").map(drop))
        .prepared(|job| {
            job.cwd = job.cwd.join("folder-out");
            Ok(())
        }),
    row("trap: a program in the working folder", Proof::Plain, |it| {
        let _ = Command::new(it.project.join("tool")).output();
        look_outside()
    })
    .prepared(|job| {
        let project = job.cwd.clone();
        evil(&project.join("tool"), job)
    }),
    row("trap: this program replaced", Proof::None("it would break what the other probes run"), |_| {
        let own = std::env::current_exe()?;
        fs::OpenOptions::new().append(true).open(&own)?;
        fs::rename(&own, own.with_extension("moved"))
    }),
];

fn victim(job: &Job) -> PathBuf {
    job.cwd.with_file_name("outside").join("victim")
}

/// Writes a program that tries to write outside.
fn evil(path: &Path, job: &Job) -> Result<(), String> {
    let text = format!("#!/bin/sh\necho evil >> '{}'\n", victim(job).display());
    let made = fs::write(path, text).and_then(|()| fs::set_permissions(path, fs::Permissions::from_mode(0o755)));
    made.map_err(|it| it.to_string())
}

/// A folder of programs that somebody might look for, first on the search path.
fn programs(job: &mut Job) -> Result<(), String> {
    let folder = job.cwd.join("evil");
    fs::create_dir(&folder).map_err(|it| it.to_string())?;
    let names =
        ["git", "sh", "bash", "bwrap", "unshare", "env", "true", "newuidmap", "newgidmap", "ip", "mount", "podman"];
    for name in names {
        evil(&folder.join(name), job)?;
    }
    let path = std::env::var("PATH").unwrap_or_default();
    job.env.push(("PATH".to_owned(), format!("{}:{path}", folder.display())));
    Ok(())
}

fn start_up(job: &mut Job, name: &str) -> Result<(), String> {
    let file = job.cwd.join("start-up");
    evil(&file, job)?;
    job.env.push((name.to_owned(), file.display().to_string()));
    Ok(())
}

/// A library that writes outside as soon as it is loaded, by whomever.
fn library(job: &mut Job) -> Result<(), String> {
    let (source, made) = (job.cwd.join("evil.c"), job.cwd.join("evil.so"));
    let text = format!(
        "#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void start(void) {{\n\
         int f = open(\"{}\", O_WRONLY | O_APPEND); if (f >= 0) {{ write(f, \"evil\", 4); close(f); }} }}\n",
        victim(job).display()
    );
    fs::write(&source, text).map_err(|it| it.to_string())?;
    let built = Command::new("cc").args(["-w", "-shared", "-fPIC", "-o"]).arg(&made).arg(&source).output();
    let built = built.map_err(|it| format!("there is no C compiler: {it}"))?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned());
    }
    job.env.push(("LD_PRELOAD".to_owned(), made.display().to_string()));
    Ok(())
}
