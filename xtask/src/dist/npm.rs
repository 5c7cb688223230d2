//! Packages for npm: one with the binary for each target, and the main one, which depends on all of them optionally.
//!
//! npm installs the one that fits the system and leaves the others out. No package has a script that runs on installing.

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::shared::{Binary, Dist, write};
use crate::workspace;

/// The package with one binary.
pub fn platform(dist: &Dist, tree: &Path, binary: &Binary) -> Result<()> {
    let name = format!("{}/{}", dist.names.npm_scope, binary.target.npm_name()?);
    let mut fields = fields(dist, &name, &format!("The binary of {} for {}", dist.names.package, binary.target.triple));
    for key in ["os", "cpu", "libc"] {
        if let Some(value) = binary.target.npm.get(key).and_then(toml::Value::as_str) {
            fields.insert(key.to_owned(), json!([value]));
        }
    }
    // pnpm and Yarn would keep the package in a zip otherwise, where a program cannot be started.
    fields.insert("preferUnplugged".to_owned(), json!(true));
    let program = Path::new("bin").join(binary.target.program());
    pack(dist, &name, &fields, |folder| {
        std::fs::create_dir_all(folder.join("bin"))?;
        std::fs::copy(tree.join(&program), folder.join(&program))?;
        write(
            &folder.join("README.md"),
            format!("The binary of Ox for {}; install `{}`.\n", binary.target.triple, dist.names.package),
        )?;
        copy(&tree.join("THIRD-PARTY.txt"), folder)
    })
}

/// The package that people install.
pub fn main(dist: &Dist, binaries: &[Binary]) -> Result<()> {
    let mut fields = fields(dist, &dist.names.package, &dist.names.summary);
    let mut packages = Map::new();
    let mut optional = Map::new();
    for binary in binaries {
        let short = binary.target.npm_name()?;
        let name = format!("{}/{short}", dist.names.npm_scope);
        optional.insert(name.clone(), json!(dist.version));
        packages.insert(short, json!(name));
    }
    fields.insert("bin".to_owned(), json!({ "ox": "ox.js" }));
    fields.insert("engines".to_owned(), json!({ "node": ">=18" }));
    fields.insert("keywords".to_owned(), json!(["agent", "ai", "cli", "coding"]));
    fields.insert("optionalDependencies".to_owned(), Value::Object(optional));
    pack(dist, &dist.names.package, &fields, |folder| {
        let packaging = workspace::root().join("packaging");
        copy(&packaging.join("npm/ox.js"), folder)?;
        #[cfg(unix)]
        std::fs::set_permissions(folder.join("ox.js"), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        write(&folder.join("packages.json"), serde_json::to_string_pretty(&packages)? + "\n")?;
        write(&folder.join("README.md"), std::fs::read_to_string(packaging.join("about.md"))?)
    })
}

fn fields(dist: &Dist, name: &str, description: &str) -> Map<String, Value> {
    let fields = json!({
        "name": name,
        "version": dist.version,
        "description": description,
        "license": "MIT OR Apache-2.0",
        // Provenance is refused where this is not the repository that the workflow ran in.
        "repository": { "type": "git", "url": format!("git+{}.git", dist.repository) },
        "homepage": dist.repository,
    });
    fields.as_object().cloned().unwrap_or_default()
}

/// `@scope/name` at 1.2.3 becomes `scope-name-1.2.3.tgz`, as `npm pack` would call it.
fn pack(dist: &Dist, name: &str, fields: &Map<String, Value>, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let folder = dist.work.join("package");
    write(&folder.join("package.json"), serde_json::to_string_pretty(fields)? + "\n")?;
    for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
        copy(&workspace::root().join(licence), &folder)?;
    }
    fill(&folder)?;
    let file = format!("{}-{}.tgz", name.trim_start_matches('@').replace('/', "-"), dist.version);
    dist.tar(&dist.work, "package", &dist.out.join(file))?;
    Ok(std::fs::remove_dir_all(&folder)?)
}

fn copy(from: &Path, folder: &Path) -> Result<()> {
    let name = from.file_name().context("a file has a name")?;
    std::fs::copy(from, folder.join(name)).with_context(|| format!("copying {}", from.display()))?;
    Ok(())
}
