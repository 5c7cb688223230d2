//! The Debian package: the tree under `/usr`, without a script that runs as root.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::shared::{Binary, Dist, run, write};
use super::{tree, wheel};
use crate::workspace;

/// Writes `PACKAGE_PROCESSOR.deb`; the name has no version, so that the newest has an address that stays.
pub fn make(dist: &Dist, tree: &Path, binary: &Binary, processor: &str) -> Result<()> {
    let name = &dist.names.package;
    let root = dist.work.join("deb");
    let usr = root.join("usr");
    for part in ["bin", "share"] {
        std::fs::create_dir_all(&usr)?;
        run(Command::new("cp").arg("-R").args([tree.join(part), usr.join(part)]))?;
    }
    // Debian keeps this folder of zsh for packages, and gives the other one to the administrator.
    std::fs::rename(usr.join("share/zsh/site-functions"), usr.join("share/zsh/vendor-completions"))?;
    write(&usr.join(tree::INSTALLED_BY), "deb\n")?;
    let documents = usr.join("share/doc").join(name);
    // Ox has that name in its table of commands that reach the network, and never starts it.
    let known = format!("{name}: missing-depends-on-sensible-utils\n");
    write(&usr.join("share/lintian/overrides").join(name), known)?;
    write(&documents.join("copyright"), copyright(dist)?)?;
    std::fs::copy(tree.join("THIRD-PARTY.txt"), documents.join("THIRD-PARTY.txt"))?;
    write(&documents.join("changelog"), changelog(dist)?)?;
    run(Command::new("gzip").args(["-n", "-9"]).args([documents.join("changelog"), usr.join("share/man/man1/ox.1")]))?;
    let (major, minor) = wheel::glibc(&binary.path)?;
    let size = run(Command::new("du").args(["-sk", "--apparent-size"]).arg(&usr))?;
    let size = size.split_whitespace().next().unwrap_or("0").to_owned();
    let control = format!(
        "Package: {name}\nVersion: {}\nArchitecture: {processor}\nMaintainer: {}\nInstalled-Size: {size}\n\
         Depends: libc6 (>= {major}.{minor}), libgcc-s1\nRecommends: ca-certificates, git\nSection: devel\nPriority: optional\n\
         Homepage: {}\nDescription: coding agent for the terminal\n Ox takes a task in plain language, reads the code, plans, edits, runs the\n \
         project's own checks and fixes what fails. Every step is recorded and can be\n undone.\n",
        dist.version, dist.names.maintainer, dist.repository,
    );
    write(&root.join("DEBIAN/control"), control)?;
    write(&root.join("DEBIAN/md5sums"), checksums(&root)?)?;
    run(Command::new("chmod").args(["-R", "u=rwX,go=rX"]).arg(&root))?;
    let out = dist.out.join(format!("{name}_{processor}.deb"));
    run(Command::new("dpkg-deb")
        .args(["--root-owner-group", "-Zxz", &format!("-z{}", if dist.level == 1 { 0 } else { 6 }), "--build"])
        .args([&root, &out])
        .env("SOURCE_DATE_EPOCH", dist.epoch.to_string()))?;
    Ok(std::fs::remove_dir_all(&root)?)
}

/// The file of checksums that `dpkg --verify` reads.
fn checksums(root: &Path) -> Result<String> {
    let list = "find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum";
    run(Command::new("sh").args(["-c", list]).current_dir(root))
}

fn copyright(dist: &Dist) -> Result<String> {
    let mit = std::fs::read_to_string(workspace::root().join("LICENSE-MIT"))?;
    let holder =
        mit.lines().find_map(|line| line.strip_prefix("Copyright (c) ")).context("LICENSE-MIT names no holder")?;
    let terms = mit.split_once(holder).map_or("", |(_, terms)| terms.trim());
    let terms: String =
        terms.lines().map(|it| if it.is_empty() { " .\n".to_owned() } else { format!(" {it}\n") }).collect();
    Ok(format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: Ox\nSource: {}\n\
         Comment: The libraries in the program and their licences are in THIRD-PARTY.txt beside this file.\n\n\
         Files: *\nCopyright: {holder}\nLicense: Expat or Apache-2.0\n\nLicense: Expat\n{terms}\nLicense: Apache-2.0\n \
         On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.\n",
        dist.repository,
    ))
}

fn changelog(dist: &Dist) -> Result<String> {
    let date = run(Command::new("date")
        .args(["--utc", "--rfc-email", &format!("--date=@{}", dist.epoch)])
        .env("LC_ALL", "C"))?;
    Ok(format!(
        "{} ({}) unstable; urgency=medium\n\n  * What changed is listed at {}/releases.\n\n -- {}  {}\n",
        dist.names.package,
        dist.version,
        dist.repository,
        dist.names.maintainer,
        date.trim(),
    ))
}
