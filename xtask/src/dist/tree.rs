//! What every package holds: one tree of files under a prefix (`bin`, `share`), with the licences and the README beside it.
//!
//! What Ox prints itself (completions, the text of the manual page) is asked of a binary that runs on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use cargo_metadata::{DependencyKind, MetadataCommand, Package, PackageId};

use super::shared::{Binary, Dist, run, write};
use crate::workspace;

/// How `ox update` learns by what Ox was installed, where the place of the program does not tell: one word in this file under
/// the prefix.
pub const INSTALLED_BY: &str = "share/ox/installed-by";

/// Where the completions of each shell are found without being asked for.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/ox"),
    ("zsh", "share/zsh/site-functions/_ox"),
    ("fish", "share/fish/vendor_completions.d/ox.fish"),
];

/// The files that are the same for every target, by their path in the tree.
pub struct Shared(BTreeMap<String, String>);

impl Shared {
    /// Made with the first of the binaries that runs here; its version has to be that of the workspace.
    pub fn of(dist: &Dist, binaries: &[Binary]) -> Result<Shared> {
        let says = |it: &Binary, args: &[&str]| run(Command::new(&it.path).args(args));
        let runs = binaries.iter().find_map(|it| Some((it, says(it, &["--version"]).ok()?)));
        let (binary, version) = runs.context("none of the binaries runs here, and completions are asked of one")?;
        let (path, version) = (binary.path.display(), version.lines().next().unwrap_or_default());
        let wanted = format!("ox {}", dist.version);
        ensure!(version == wanted, "{path} is `{version}` and not `{wanted}`; build it again");
        let mut files = BTreeMap::new();
        for (shell, path) in COMPLETIONS {
            files.insert((*path).to_owned(), says(binary, &["completions", shell])?);
        }
        let manual = manual(&says(binary, &["--help"])?, &dist.names.summary, &dist.version);
        files.insert("share/man/man1/ox.1".to_owned(), manual);
        for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md"] {
            files.insert(name.to_owned(), std::fs::read_to_string(workspace::root().join(name))?);
        }
        let page = std::fs::read_to_string(workspace::root().join("packaging/third-party-web.txt"))?;
        files.insert("THIRD-PARTY.txt".to_owned(), format!("{}\n{page}", notices()?));
        Ok(Shared(files))
    }
}

/// Lays out the tree for one binary in `folder`.
pub fn stage(folder: &Path, binary: &Binary, shared: &Shared) -> Result<()> {
    for (path, text) in &shared.0 {
        write(&folder.join(path), text)?;
    }
    let program = folder.join("bin").join(binary.target.program());
    std::fs::create_dir_all(folder.join("bin"))?;
    std::fs::copy(&binary.path, &program).with_context(|| format!("copying {}", binary.path.display()))?;
    #[cfg(unix)]
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(())
}

/// The manual page, from what `ox --help` prints: headings become sections, a command or an option with its words an item.
fn manual(help: &str, summary: &str, version: &str) -> String {
    let escaped = |it: &str| it.replace('\\', "\\e").replace('-', "\\-");
    let mut out = format!(".TH OX 1 \"\" \"Ox {version}\" \"User Commands\"\n");
    let _ = writeln!(out, ".SH NAME\nox \\- {}\n.SH DESCRIPTION", escaped(summary));
    for line in help.lines() {
        let text = line.trim();
        let indent = line.len() - line.trim_start().len();
        // A line that begins like a request of roff is kept from being one.
        let guarded = |it: &str| if it.starts_with(['.', '\'']) { format!("\\&{}", escaped(it)) } else { escaped(it) };
        if let Some(usage) = text.strip_prefix("Usage: ") {
            let _ = writeln!(out, ".SH SYNOPSIS\n{}", guarded(usage));
        } else if indent == 0 && text.ends_with(':') {
            let _ = writeln!(out, ".SH {}", escaped(text.trim_end_matches(':')).to_uppercase());
        } else if let Some((item, words)) = text.split_once("  ").filter(|_| (2..=6).contains(&indent)) {
            let _ = writeln!(out, ".TP\n.B {}\n{}", guarded(item.trim()), guarded(words.trim()));
        } else if !text.is_empty() {
            let _ = writeln!(out, "{}{}", if indent > 0 { ".br\n" } else { "" }, guarded(text));
        }
    }
    out + ".SH SEE ALSO\nEach command has a help text of its own: \\fBox help\\fR \\fICOMMAND\\fR.\n"
}

/// The licences of the libraries in the binary, for all targets: each text once, with those that it covers.
fn notices() -> Result<String> {
    let metadata = MetadataCommand::new()
        .manifest_path(workspace::root().join("Cargo.toml"))
        .other_options(["--locked".to_owned()])
        .exec()
        .context("cargo metadata lists every dependency")?;
    let graph = metadata.resolve.as_ref().context("cargo metadata said nothing about the graph")?;
    let edges: BTreeMap<&PackageId, Vec<&PackageId>> = graph
        .nodes
        .iter()
        .map(|node| {
            let normal = node.deps.iter().filter(|it| it.dep_kinds.iter().any(|it| it.kind == DependencyKind::Normal));
            (&node.id, normal.map(|it| &it.pkg).collect())
        })
        .collect();
    let ox = metadata.packages.iter().find(|it| it.name.as_str() == "ox").context("there is no package `ox`")?;
    let (mut seen, mut open) = (BTreeSet::new(), vec![&ox.id]);
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(edges.get(id).into_iter().flatten());
        }
    }
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in metadata.packages.iter().filter(|it| it.source.is_some() && seen.contains(&it.id)) {
        let terms = package.license.as_deref().unwrap_or("no licence named");
        let covered = format!("{} {} ({terms})", package.name, package.version);
        for text in licence_texts(package)? {
            texts.entry(text).or_default().push(covered.clone());
        }
    }
    let mut out =
        "The program `ox` contains these libraries; each text stands below the libraries that it covers.\n".to_owned();
    for (text, covered) in texts {
        let _ = write!(out, "\n{}\n{}\n\n{text}\n", "-".repeat(80), covered.join("\n"));
    }
    Ok(out)
}

/// The licence files of a package; of two to choose from, the one that is not Apache's.
fn licence_texts(package: &Package) -> Result<Vec<String>> {
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_uppercase();
        let is_licence = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|it| name.starts_with(it));
        if is_licence && entry.file_type()?.is_file() {
            let text = String::from_utf8_lossy(&std::fs::read(entry.path())?).into_owned();
            found.push((name, text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()));
        }
    }
    let is_apache = |name: &str| name.contains("APACHE");
    if package.license.as_deref().is_some_and(|it| it.contains("OR") || it.contains('/'))
        && !found.iter().all(|it| is_apache(&it.0))
    {
        found.retain(|(name, _)| !is_apache(name));
    }
    if found.is_empty() {
        found.push((String::new(), "The package names its licence and comes without a text of it.".to_owned()));
    }
    Ok(found.into_iter().map(|(_, text)| text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_of_the_page_are_named() {
        let read = |path: &str| std::fs::read_to_string(workspace::root().join(path)).expect("it is there");
        let (manifest, named) = (read("web/package.json"), read("packaging/third-party-web.txt"));
        let manifest: serde_json::Value = serde_json::from_str(&manifest).expect("it is JSON");
        for library in manifest["dependencies"].as_object().expect("the page uses some").keys() {
            assert!(named.contains(&format!("\n{library} (")), "packaging/third-party-web.txt lacks {library}");
        }
    }

    #[test]
    fn a_manual_page_is_made_of_the_help() {
        let help = "Does it\n\nUsage: ox [TASK]\n       ox <COMMAND>\n\nEvery day:\n  run   Run one task\n\nOptions:\n      \
                    --cd <DIR>  Work in .here\n";
        let page = manual(help, "an agent", "1.2.3");
        for part in [
            ".TH OX 1 \"\" \"Ox 1.2.3\" \"User Commands\"\n.SH NAME\nox \\- an agent\n.SH DESCRIPTION\nDoes it\n",
            ".SH SYNOPSIS\nox [TASK]\n.br\nox <COMMAND>\n.SH EVERY DAY\n.TP\n.B run\nRun one task\n",
            ".TP\n.B \\-\\-cd <DIR>\nWork in .here\n.SH SEE ALSO\n",
        ] {
            assert!(page.contains(part), "{page}");
        }
    }
}
