//! The wheel for PyPI: the binary as its only script, under a platform tag that is no broader than the binary.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use super::shared::{Binary, Dist, run, write};
use crate::workspace;

/// Writes the wheel of one binary.
pub fn make(dist: &Dist, tree: &Path, binary: &Binary) -> Result<()> {
    let name = dist.names.package.replace('-', "_");
    let mut platform = binary.target.wheel.clone();
    if platform.contains("{glibc}") {
        let (major, minor) = glibc(&binary.path)?;
        platform = platform.replace("{glibc}", &format!("{major}_{minor}"));
    }
    let tag = format!("py3-none-{platform}");
    let by = dist.work.join("installed-by");
    write(&by, "pip\n")?;
    let program = binary.target.program();
    // `.data/scripts` goes to where programs are, `.data/data` under the prefix of the environment.
    let mut files = json!({
        format!("data/scripts/{program}"): tree.join("bin").join(program),
        format!("data/data/{}", super::tree::INSTALLED_BY): by,
    });
    for licence in LICENCES {
        files[format!("dist-info/licenses/{licence}")] = json!(tree.join(licence));
    }
    let wheel = json!({
        "name": name, "version": dist.version, "tag": tag, "metadata": metadata(dist)?, "files": files,
    });
    let out = dist.out.join(format!("{name}-{}-{tag}.whl", dist.version));
    let mut python = Command::new("python3")
        .arg(workspace::root().join("packaging/wheel.py"))
        .arg(&out)
        .args([dist.epoch.to_string(), dist.level.to_string()])
        .stdin(Stdio::piped())
        .spawn()
        .context("python3 writes the wheel, and it could not be started")?;
    python.stdin.take().context("the pipe was asked for")?.write_all(wheel.to_string().as_bytes())?;
    ensure!(python.wait()?.success(), "packaging/wheel.py failed");
    Ok(())
}

const LICENCES: [&str; 3] = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt"];

fn metadata(dist: &Dist) -> Result<String> {
    let about = std::fs::read_to_string(workspace::root().join("packaging/about.md"))?;
    let files: String = LICENCES.iter().map(|it| format!("License-File: {it}\n")).collect();
    Ok(format!(
        "Metadata-Version: 2.4\nName: {}\nVersion: {}\nSummary: {}\nProject-URL: Repository, {}\n\
         License-Expression: MIT OR Apache-2.0\n{files}Requires-Python: >=3.8\nClassifier: Environment :: Console\n\
         Description-Content-Type: text/markdown\n\n{about}",
        dist.names.package, dist.version, dist.names.summary, dist.repository,
    ))
}

/// The oldest version of glibc that has every symbol which the program asks for.
pub fn glibc(program: &Path) -> Result<(u32, u32)> {
    let said = run(Command::new("readelf").args(["--version-info", "--wide"]).arg(program))?;
    newest(&said).with_context(|| format!("{} asks for nothing of glibc; was it built for it?", program.display()))
}

fn newest(said: &str) -> Option<(u32, u32)> {
    let versions = said.split("GLIBC_").skip(1).filter_map(|rest| {
        let end = rest.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(rest.len());
        let (major, minor) = rest[..end].split_once('.')?;
        Some((major.parse().ok()?, minor.split('.').next()?.parse().ok()?))
    });
    versions.max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_symbol_decides() {
        let said = "  000: 0 (*local*) 2 (GLIBC_2.2.5)\n  0x0010: Name: GLIBC_2.9  Flags: none  Version: 4\n  \
                    0x0020:   Name: GLIBC_2.34  Flags: none  Version: 3\n Name: GLIBC_PRIVATE\n Name: GCC_4.2.0\n";
        assert_eq!(newest(said), Some((2, 34)));
        assert_eq!(newest("No version information found in this file."), None);
    }
}
