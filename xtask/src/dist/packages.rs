//! All packages of a release, one kind after the other. What one of them holds says its own file.

use std::path::Path;

use anyhow::{Context, Result};

use super::shared::{Binary, Dist, sums, write};
use super::targets::Target;
use super::{deb, npm, tree, wheel};
use crate::workspace;

/// Makes all packages, and the list of their checksums.
pub fn all(dist: &Dist, binaries: &[Binary]) -> Result<()> {
    std::fs::create_dir_all(&dist.work)?;
    let shared = tree::Shared::of(dist, binaries)?;
    for binary in binaries {
        let folder = dist.work.join(&binary.target.triple);
        tree::stage(&folder, binary, &shared)?;
        archive(dist, &folder, &binary.target)?;
        npm::platform(dist, &folder, binary)?;
        wheel::make(dist, &folder, binary)?;
        if let Some(processor) = &binary.target.deb {
            deb::make(dist, &folder, binary, processor)?;
        }
    }
    npm::main(dist, binaries)?;
    let installers = ["install.sh", "install.ps1"].map(|name| (name, workspace::root().join("packaging").join(name)));
    for (name, from) in installers {
        std::fs::copy(&from, dist.out.join(name)).with_context(|| format!("copying {}", from.display()))?;
    }
    std::fs::remove_dir_all(&dist.work)?;
    formula(dist)?;
    let lines: String = sums(&dist.out)?.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect();
    write(&dist.out.join("SHA256SUMS"), lines)
}

/// `ox-TARGET.tar.gz`, as cargo-dist names it: without the version, so that the newest has an address that stays.
fn archive(dist: &Dist, folder: &Path, target: &Target) -> Result<()> {
    let name = format!("ox-{}", target.triple);
    let top = dist.work.join(&name);
    std::fs::rename(folder, &top)?;
    let packed = dist.tar(&dist.work, &name, &dist.out.join(format!("{name}.tar.gz")));
    std::fs::rename(&top, folder)?;
    packed
}

/// The Homebrew formula, where every archive that it names has been made.
fn formula(dist: &Dist) -> Result<()> {
    let mut text = std::fs::read_to_string(workspace::root().join("packaging/homebrew/ox-agent.rb"))?;
    for (name, sum) in sums(&dist.out)? {
        let triple = name.strip_prefix("ox-").and_then(|it| it.strip_suffix(".tar.gz")).unwrap_or_default();
        text = text.replace(&format!("{{{{sha256 {triple}}}}}"), &sum);
    }
    text = text.replace("{{version}}", &dist.version);
    if text.contains("{{") {
        println!("  no Homebrew formula: it names targets that are not among the binaries");
        return Ok(());
    }
    write(&dist.out.join("ox-agent.rb"), text)
}
