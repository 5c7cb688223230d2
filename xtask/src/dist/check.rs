//! The stage `packages` of `cargo xtask test`: each package that can be installed on this machine is installed into a folder of
//! its own, and what was installed runs the demo; then what has to be refused is tried.
//!
//! It uses the program that the tests have built, and no network. Nothing is installed outside `target/packages`.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::packages;
use super::shared::{Dist, run, write};
use super::targets::Target;
use crate::needs;
use crate::tally::Tally;
use crate::workspace::{self, cargo};

/// What a check does, and what it needs beside the packages.
struct Check {
    name: &'static str,
    needs: &'static [&'static str],
    run: fn(&Place) -> Result<()>,
}

const fn check(name: &'static str, needs: &'static [&'static str], run: fn(&Place) -> Result<()>) -> Check {
    Check { name, needs, run }
}

const CHECKS: &[Check] = &[
    check("the checksums are right", &[], |at| at.run("sha256sum", &["--check", "--quiet", "SHA256SUMS"]).map(drop)),
    check("the installer is sound", &["shellcheck"], |at| at.run("shellcheck", &["install.sh"]).map(drop)),
    check("the installer, from a folder", &[], installer),
    check("the installer, from a server", &["curl"], installer_from_server),
    check("a wrong checksum is refused", &[], wrong_checksum),
    check("an unlisted archive is refused", &[], unlisted),
    check("an unknown system is refused", &[], unknown_system),
    check("another's file is refused", &[], existing_file),
    check("a build that does not run is refused", &[], broken_build),
    check("npm", &["npm", "node"], npm),
    check("npm without the binary is refused", &["npm", "node"], npm_without_binary),
    check("pip, and a wheel for another system refused", &["python3"], pip),
    check("the Debian package, unpacked", &["dpkg-deb"], deb_unpacked),
    check("the Debian package, installed and removed", &["dpkg-deb", "root"], deb_installed),
    check("a full folder is refused", &[], |at| at.refuses(Dist::new(&at.out, 1).map(drop), "is not empty")),
];

/// What the checks share: the packages, and a folder for one check.
struct Place {
    out: PathBuf,
    folder: PathBuf,
    target: Target,
    version: String,
}

/// Makes the packages and runs every check; a program that cannot be packed fails this stage, and no other.
pub fn stage(tally: &mut Tally) -> Result<(bool, String)> {
    make_and_check(tally).or_else(|why| {
        println!("{why:#}");
        Ok((false, "no packages".to_owned()))
    })
}

fn make_and_check(tally: &mut Tally) -> Result<(bool, String)> {
    if let Some(missing) = ["dpkg-deb", "python3", "readelf", "strip"].iter().find(|it| !on_path(it)) {
        println!("  skipped: {missing} is missing, and packages are made with it");
        tally.skipped += CHECKS.len();
        return Ok((true, format!("skipped: {missing} is missing")));
    }
    let root = workspace::target().join("packages");
    if root.exists() {
        std::fs::remove_dir_all(&root)?;
    }
    let dist = Dist::new(&root.join("out"), 1)?;
    // Without the tables for debuggers, which are most of it.
    let stripped = root.join("ox");
    run(Command::new("strip").arg("-o").arg(&stripped).arg(program()?))?;
    let binary = dist.binary(&stripped.display().to_string())?;
    let target = binary.target.clone();
    packages::all(&dist, &[binary])?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for (number, check) in CHECKS.iter().enumerate() {
        let is_there = |need: &&str| if *need == "root" { needs::is_root() } else { on_path(need) };
        if let Some(missing) = check.needs.iter().find(|it| !is_there(it)) {
            println!("  skipped {:>6}    {}: {missing} is missing", "", check.name);
            skipped += 1;
            continue;
        }
        let folder = root.join(format!("check-{number}"));
        std::fs::create_dir_all(folder.join("home"))?;
        let place = Place { out: dist.out.clone(), folder, target: target.clone(), version: dist.version.clone() };
        let began = Instant::now();
        let said = (check.run)(&place);
        let word = if said.is_ok() { "ok" } else { "FAILED" };
        println!("  {word:<7} {:>6.1} s  {}", began.elapsed().as_secs_f64(), check.name);
        match said {
            Ok(()) => passed += 1,
            Err(why) => {
                println!("{why:#}");
                failed += 1;
            }
        }
        std::fs::remove_dir_all(&place.folder)?;
    }
    let all = Tally { passed, failed, skipped };
    tally.passed += passed;
    tally.failed += failed;
    tally.skipped += skipped;
    std::fs::remove_dir_all(&root)?;
    Ok((failed == 0, all.to_string()))
}

/// The program as `cargo test` has just left it; built where there is none.
fn program() -> Result<PathBuf> {
    let built = workspace::target().join("debug/ox");
    if !built.exists() {
        let status = cargo().args(["build", "--package", "ox"]).status().context("starting cargo")?;
        ensure!(status.success(), "Ox could not be built");
    }
    Ok(built)
}

fn on_path(program: &str) -> bool {
    std::env::split_paths(&needs::path()).any(|folder| folder.join(program).is_file())
}

impl Place {
    /// A command in the environment of a user who has nothing of Ox and nothing in the home folder.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            let known = name.to_string_lossy();
            if ["OX_", "XDG_", "CARGO_PKG", "npm_", "PIP_CONFIG"].iter().any(|it| known.starts_with(it)) {
                command.env_remove(&name);
            }
        }
        // The demo builds a small project, with the toolchain of whoever runs the tests.
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            command.env(name, std::env::var_os(name).unwrap_or_else(|| home.join(folder).into()));
        }
        command.env("HOME", self.folder.join("home")).env("LC_ALL", "C.UTF-8").env("PATH", needs::path());
        command.current_dir(&self.out);
        command
    }

    fn run(&self, program: &str, args: &[&str]) -> Result<String> {
        run(self.command(program).args(args))
    }

    /// A folder of this check.
    fn at(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    fn package(&self, start: &str, end: &str) -> Result<PathBuf> {
        let entries = std::fs::read_dir(&self.out)?.flatten().map(|it| it.path());
        let fits = |it: &PathBuf| {
            let name = it.file_name().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
            name.starts_with(start) && name.ends_with(end)
        };
        entries.into_iter().find(fits).with_context(|| format!("no package {start}…{end} was made"))
    }

    /// What was installed is this version, knows how it came here, and does the demo.
    fn works(&self, program: &Path, way: &str) -> Result<()> {
        self.is_installed(program, way)?;
        let demo = self.command(program).arg("demo").stdin(Stdio::null()).output()?;
        let steps = String::from_utf8_lossy(&demo.stderr);
        ensure!(
            demo.status.success() && steps.contains("all checks pass"),
            "the demo came to something else:\n{steps}"
        );
        Ok(())
    }

    fn is_installed(&self, program: &Path, way: &str) -> Result<()> {
        let version = run(self.command(program).arg("--version"))?;
        ensure!(version.trim() == format!("ox {}", self.version), "`ox --version` says {version}");
        let update: serde_json::Value = serde_json::from_str(&run(self.command(program).args(["update", "--json"]))?)?;
        ensure!(update["installed"] == way, "`ox update` takes what {way} has installed for this: {update}");
        ensure!(update["command"].is_string(), "`ox update` knows no command: {update}");
        Ok(())
    }

    /// The installer, which takes what is in the folder `from` and installs into `prefix` here.
    fn installer(&self, from: &str) -> Command {
        let mut installer = self.command("sh");
        installer.arg("install.sh").env("OX_BASE_URL", from).env("OX_PREFIX", self.at("prefix"));
        installer
    }

    fn folder_address(&self) -> String {
        format!("file://{}", self.out.display())
    }

    fn archive(&self) -> String {
        format!("ox-{}.tar.gz", self.target.triple)
    }

    /// The packages of a release gone wrong: its list of checksums, and its archive for this machine.
    fn other_release(&self, sums: impl AsRef<[u8]>, archive: impl AsRef<[u8]>) -> Result<String> {
        write(&self.at("release/SHA256SUMS"), sums)?;
        write(&self.at("release").join(self.archive()), archive)?;
        Ok(format!("file://{}", self.at("release").display()))
    }

    /// That something failed with these words, and left no program.
    fn refuses<T>(&self, said: Result<T>, words: &str) -> Result<()> {
        let Err(why) = said else { anyhow::bail!("it was not refused") };
        ensure!(why.to_string().contains(words), "it was refused for another reason than `{words}`: {why:#}");
        ensure!(!self.at("prefix/bin/ox").exists(), "it was refused, and something was installed");
        Ok(())
    }
}

fn installer(at: &Place) -> Result<()> {
    let said = run(&mut at.installer(&at.folder_address()))?;
    ensure!(said.contains("Its SHA-256 is as published"), "{said}");
    at.works(&at.at("prefix/bin/ox"), "install.sh")?;
    for file in ["share/man/man1/ox.1", "share/bash-completion/completions/ox"] {
        ensure!(at.at("prefix").join(file).is_file(), "{file} was not installed");
    }
    // What it has installed it replaces without being told twice.
    run(&mut at.installer(&at.folder_address())).map(drop)
}

/// A server for one folder, ended when it is dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn installer_from_server(at: &Place) -> Result<()> {
    let mut python = at.command("python3");
    python.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Server(python.spawn().context("starting a server")?);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().context("the pipe was asked for")?).read_line(&mut line)?;
    let address = line.split(['(', ')']).nth(1).with_context(|| format!("the server names no address: {line}"))?;
    at.refuses(run(&mut at.installer(&format!("{address}none"))), "could not be downloaded")?;
    run(&mut at.installer(address.trim_end_matches('/')))?;
    at.is_installed(&at.at("prefix/bin/ox"), "install.sh")
}

fn wrong_checksum(at: &Place) -> Result<()> {
    let mut archive = std::fs::read(at.out.join(at.archive()))?;
    archive.push(b'!');
    let from = at.other_release(std::fs::read(at.out.join("SHA256SUMS"))?, archive)?;
    at.refuses(run(&mut at.installer(&from)), "The checksum of")
}

fn unlisted(at: &Place) -> Result<()> {
    let sum = "0".repeat(64);
    let from = at.other_release(format!("{sum}  x{}\n{sum}  {}.old\n", at.archive(), at.archive()), "")?;
    at.refuses(run(&mut at.installer(&from)), "this release has no build for")
}

fn unknown_system(at: &Place) -> Result<()> {
    for (system, machine) in [("Plan9", "x86_64"), ("Linux", "pdp11")] {
        let uname = at.at("bin/uname");
        write(&uname, format!("#!/bin/sh\ncase $1 in -s) echo {system} ;; *) echo {machine} ;; esac\n"))?;
        run(Command::new("chmod").arg("+x").arg(&uname))?;
        let folders = std::iter::once(at.at("bin")).chain(std::env::split_paths(&needs::path()).collect::<Vec<_>>());
        let said = run(at.installer(&at.folder_address()).env("PATH", std::env::join_paths(folders)?));
        at.refuses(said, &format!("There is no build of Ox for {system} on {machine}"))?;
    }
    Ok(())
}

fn existing_file(at: &Place) -> Result<()> {
    let program = at.at("prefix/bin/ox");
    write(&program, "another's")?;
    let said = run(&mut at.installer(&at.folder_address()));
    ensure!(said.is_err_and(|it| it.to_string().contains("this script did not install it")), "it was not refused");
    ensure!(std::fs::read(&program)? == b"another's", "it was refused, and overwritten");
    run(at.installer(&at.folder_address()).env("OX_FORCE", "1"))?;
    at.is_installed(&program, "install.sh")
}

fn broken_build(at: &Place) -> Result<()> {
    let top = format!("ox-{}", at.target.triple);
    write(&at.at(&top).join("bin/ox"), "#!/bin/sh\necho no such library >&2\nexit 127\n")?;
    run(Command::new("chmod").arg("-R").arg("+x").arg(at.at(&top)))?;
    run(Command::new("tar").arg("-czf").arg(at.at("archive")).arg("-C").arg(&at.folder).arg(&top))?;
    let sum = run(Command::new("sha256sum").arg(at.at("archive")))?;
    let sum = sum.split_whitespace().next().unwrap_or_default();
    let from = at.other_release(format!("{sum}  {}\n", at.archive()), std::fs::read(at.at("archive"))?)?;
    at.refuses(run(&mut at.installer(&from)), "no such library")
}

fn npm_install(at: &Place, packages: &[PathBuf]) -> Result<String> {
    let options = ["install", "--global", "--offline", "--no-audit", "--no-fund", "--prefix"];
    run(at.command("npm").args(options).arg(at.at("node")).args(packages))
}

fn npm(at: &Place) -> Result<()> {
    let main = at.package(&format!("ox-agent-{}", at.version), ".tgz")?;
    npm_install(at, &[main, at.package(&format!("ox-agent-{}-", at.target.npm_name()?), ".tgz")?])?;
    at.works(&at.at("node/bin/ox"), "npm")?;
    // The exit code is handed through.
    let code = at.command(at.at("node/bin/ox")).arg("--no-such-option").output()?.status.code();
    ensure!(code == Some(2), "wrong usage ended with {code:?}");
    Ok(())
}

fn npm_without_binary(at: &Place) -> Result<()> {
    npm_install(at, &[at.package(&format!("ox-agent-{}", at.version), ".tgz")?])?;
    let program = at.at("node/bin/ox");
    at.refuses(run(at.command(&program).arg("--version")), "is an optional dependency")?;
    write(&at.at("node/lib/node_modules/ox-agent/packages.json"), "{\"sunos-x64\": \"\"}")?;
    at.refuses(run(at.command(&program).arg("--version")), "There is one for sunos-x64")
}

/// Into a fresh environment and without an index of packages: first a wheel for another system, which is refused.
fn pip(at: &Place) -> Result<()> {
    run(at.command("python3").args(["-m", "venv"]).arg(at.at("venv")))?;
    let pip = |args: &[&str]| {
        let mut pip = at.command(at.at("venv/bin/pip"));
        pip.args(args).env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        pip
    };
    let wheel = at.package("ox_agent-", ".whl")?;
    let elsewhere = at.at(&format!("ox_agent-{}-py3-none-win_amd64.whl", at.version));
    std::fs::hard_link(&wheel, &elsewhere)?;
    let offline = ["install", "--no-index", "--no-cache-dir"];
    at.refuses(run(pip(&offline).arg(&elsewhere)), "is not a supported wheel on this platform")?;
    run(pip(&offline).arg(&wheel))?;
    at.works(&at.at("venv/bin/ox"), "pip")?;
    // pip removes what the list of files in the wheel names.
    run(&mut pip(&["uninstall", "--yes", "ox-agent"]))?;
    let left = ["venv/bin/ox", "venv/share/ox/installed-by"].iter().find(|it| at.at(it).exists());
    ensure!(left.is_none(), "pip left {left:?} behind");
    Ok(())
}

fn deb_unpacked(at: &Place) -> Result<()> {
    run(at.command("dpkg-deb").arg("--extract").arg(at.package("ox-agent_", ".deb")?).arg(at.at("root")))?;
    at.works(&at.at("root/usr/bin/ox"), "deb")
}

fn deb_installed(at: &Place) -> Result<()> {
    write(&at.at("root/var/lib/dpkg/status"), "")?;
    for folder in ["info", "updates"] {
        std::fs::create_dir_all(at.at("root/var/lib/dpkg").join(folder))?;
    }
    let dpkg = |args: &[&str]| {
        let mut dpkg = at.command("dpkg");
        // What it depends on is on this machine and not in that folder.
        dpkg.arg("--root").arg(at.at("root")).args(["--force-depends", "--log=/dev/null"]).args(args);
        dpkg
    };
    run(dpkg(&["--install"]).arg(at.package("ox-agent_", ".deb")?))?;
    at.is_installed(&at.at("root/usr/bin/ox"), "deb")?;
    let changed = run(&mut dpkg(&["--verify", "ox-agent"]))?;
    ensure!(changed.is_empty(), "files differ from the package's own list: {changed}");
    run(&mut dpkg(&["--purge", "ox-agent"]))?;
    ensure!(!at.at("root/usr/bin/ox").exists() && !at.at("root/usr/share/ox").exists(), "dpkg left files behind");
    Ok(())
}
