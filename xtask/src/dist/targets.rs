//! Names and targets as `packaging/targets.toml` has them. Nothing about a target is said anywhere else in this program.

use std::path::Path;

use anyhow::{Context, Result};
use toml::{Table, Value};

/// The whole file.
pub struct Names {
    /// On npm, PyPI, in Debian and Homebrew.
    pub package: String,
    /// Of the npm packages that hold a binary each.
    pub npm_scope: String,
    /// One line for every list of packages.
    pub summary: String,
    /// Name and address, as Debian wants it.
    pub maintainer: String,
    /// All of them.
    pub targets: Vec<Target>,
}

/// What a binary can be built for.
#[derive(Clone)]
pub struct Target {
    /// Rust's name of it.
    pub triple: String,
    /// The fields `name`, `os`, `cpu` and `libc` for npm.
    pub npm: Table,
    /// The platform tag of a wheel, with `{glibc}` where that is to be read from the binary.
    pub wheel: String,
    /// Debian's name of the processor, where there is a Debian package.
    pub deb: Option<String>,
}

impl Names {
    /// Reads the file of the repository at `root`.
    pub fn read(root: &Path) -> Result<Names> {
        let path = root.join("packaging/targets.toml");
        let text = std::fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        Names::parse(&text).with_context(|| path.display().to_string())
    }

    fn parse(text: &str) -> Result<Names> {
        let table: Table = text.parse()?;
        let targets = table.get("target").and_then(Value::as_array).context("`target` is missing")?;
        Ok(Names {
            package: string(&table, "package")?,
            npm_scope: string(&table, "npm-scope")?,
            summary: string(&table, "summary")?,
            maintainer: string(&table, "maintainer")?,
            targets: targets.iter().filter_map(Value::as_table).map(Target::parse).collect::<Result<_>>()?,
        })
    }
}

impl Target {
    fn parse(table: &Table) -> Result<Target> {
        Ok(Target {
            triple: string(table, "triple")?,
            npm: table.get("npm").and_then(Value::as_table).context("`npm` is missing")?.clone(),
            wheel: string(table, "wheel")?,
            deb: table.get("deb").and_then(Value::as_str).map(str::to_owned),
        })
    }

    /// The name of the program's file.
    pub fn program(&self) -> &'static str {
        if self.triple.contains("windows") { "ox.exe" } else { "ox" }
    }

    /// The package for npm with this binary, without its scope.
    pub fn npm_name(&self) -> Result<String> {
        string(&self.npm, "name")
    }
}

fn string(table: &Table, key: &str) -> Result<String> {
    let value = table.get(key).and_then(Value::as_str);
    Ok(value.with_context(|| format!("`{key}` is missing or no text"))?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    /// Files that cannot read the list, and which targets they have to name.
    const NAMED_IN: &[(&str, &[&str])] = &[
        (".github/workflows/release.yml", &["linux", "darwin", "windows"]),
        ("packaging/install.sh", &["linux", "darwin"]),
        ("packaging/install.ps1", &["windows"]),
        ("packaging/homebrew/ox-agent.rb", &["linux-gnu", "darwin"]),
    ];

    #[test]
    fn every_target_is_named_where_it_has_to_be() {
        let names = Names::read(&workspace::root()).expect("the list is in order");
        for (path, systems) in NAMED_IN {
            let text = std::fs::read_to_string(workspace::root().join(path)).expect("it is there");
            for target in names.targets.iter().filter(|it| systems.iter().any(|system| it.triple.contains(system))) {
                assert!(text.contains(&target.triple), "{path} does not name {}", target.triple);
            }
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = Names::parse("package = 'a'\n[[target]]\n").err().expect("incomplete").to_string();
        assert_eq!(error, "`npm-scope` is missing or no text");
    }
}
