//! Plugins: a folder with a manifest that brings several things together. Agent Plugins 1.0.0 are read, and Claude Code's.
//!
//! A plugin is known by all of its bytes, so that one that changes after it was added is seen.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::file::{all_files, read};

/// The schema of the manifests that are read.
const SCHEMA: &str = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
/// The fields that such a manifest has.
const FIELDS: &[&str] = &[
    "$schema",
    "name",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "extensions",
];
/// Where other agents keep a manifest, and a list of plugins.
const FOREIGN: &str = ".claude-plugin/plugin.json";
const MARKETPLACE: &str = ".claude-plugin/marketplace.json";
/// The folders of which a plugin without a manifest has some.
const PARTS: [&str; 4] = ["skills", "commands", "agents", "hooks"];
/// The most bytes of a plugin.
const LARGEST: u64 = 64 << 20;

/// What a plugin says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    /// Its name.
    pub name: String,
    /// Its version; empty where it says none.
    pub version: String,
    /// Fields that mean nothing here.
    pub unknown: Vec<String>,
}

/// The manifest of the plugin in a folder; one that has none is called `name`.
///
/// # Errors
/// Why it is none, in words.
pub fn manifest(folder: &Path, name: &str) -> Result<Manifest, String> {
    let (own, foreign) = (folder.join("plugin.json"), folder.join(FOREIGN));
    let open = own.symlink_metadata().is_ok();
    if !open && foreign.symlink_metadata().is_err() {
        let plugins = listed(folder);
        let bare = PARTS.iter().any(|it| folder.join(it).is_dir()) && is_plugin_name(name);
        return match plugins.is_empty() {
            true if bare => Ok(Manifest { name: name.to_owned(), ..Manifest::default() }),
            true => Err(format!("it has neither `plugin.json` nor `{FOREIGN}`")),
            false => Err(format!("it holds several; choose one with `--folder`: {}", plugins.join(", "))),
        };
    }
    let file = if open { &own } else { &foreign };
    let text = read(file, Some(folder)).map_err(|why| format!("`plugin.json`: {why}"))?;
    let fields: Map<String, Value> =
        serde_json::from_str(&text).map_err(|why| format!("`plugin.json` is no JSON object: {why}"))?;
    let word = |key: &str| match fields.get(key) {
        None => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(_) => Err(format!("`{key}` in `plugin.json` is no text")),
    };
    if open && word("$schema")? != SCHEMA {
        return Err(format!("`$schema` in `plugin.json` is not `{SCHEMA}`"));
    }
    let name = word("name")?;
    if !is_plugin_name(&name) {
        return Err(format!("`{name}` is no name for a plugin: a-z, 0-9, `-` and `.`, 64 at most"));
    }
    let unknown = fields.keys().filter(|it| open && !FIELDS.contains(&it.as_str())).cloned().collect();
    Ok(Manifest { name, version: word("version")?.chars().filter(|it| !it.is_control()).collect(), unknown })
}

fn is_plugin_name(name: &str) -> bool {
    let plain = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
    let ends = name.starts_with(plain) && name.ends_with(plain);
    ends && name.len() <= 64
        && name.chars().all(|it| plain(it) || it == '-' || it == '.')
        && !name.contains("--")
        && !name.contains("..")
}

/// The folders of the plugins that a list of some names.
fn listed(folder: &Path) -> Vec<String> {
    let text = read(&folder.join(MARKETPLACE), Some(folder)).unwrap_or_default();
    let list: Value = serde_json::from_str(&text).unwrap_or_default();
    let plugins = list["plugins"].as_array().into_iter().flatten();
    let folders = plugins.filter_map(|it| it["source"].as_str()).map(|it| it.trim_start_matches("./").to_owned());
    folders.filter(|it| !it.is_empty()).map(|it| it.chars().filter(|it| !it.is_control()).collect()).collect()
}

/// The files of a plugin, relative to its folder.
///
/// # Errors
/// It has too many, one leads out of it, or one is no file; in words.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let real = folder.canonicalize().map_err(|it| it.to_string())?;
    let mut size = 0;
    let mut all = Vec::new();
    for path in all_files(folder)? {
        let name = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
        let target = path.canonicalize().map_err(|why| format!("`{}`: {why}", name.display()))?;
        let facts = target.metadata().map_err(|why| format!("`{}`: {why}", name.display()))?;
        if !target.starts_with(&real) {
            return Err(format!("`{}` is a link that leads out of it", name.display()));
        }
        if !facts.is_file() {
            return Err(format!("`{}` is no file", name.display()));
        }
        size += facts.len();
        if size > LARGEST {
            return Err(format!("it has more than {LARGEST} bytes"));
        }
        all.push(name);
    }
    Ok(all)
}

/// Equal for folders with equal files only.
///
/// # Errors
/// As for its files; in words.
pub fn plugin_digest(folder: &Path) -> Result<String, String> {
    let mut sum = Sha256::new();
    for name in files(folder)? {
        let bytes = fs::read(folder.join(&name)).map_err(|why| format!("`{}`: {why}", name.display()))?;
        let path = name.as_os_str().as_encoded_bytes();
        sum.update((path.len() as u64).to_le_bytes());
        sum.update(path);
        sum.update((bytes.len() as u64).to_le_bytes());
        sum.update(bytes);
    }
    Ok(sum.finalize().iter().map(|it| format!("{it:02x}")).collect())
}

/// Copies a plugin, without what git keeps, to a folder that is not there yet.
///
/// # Errors
/// As for its files, or it could not be written; in words.
pub fn copy_plugin(from: &Path, to: &Path) -> Result<(), String> {
    for name in files(from)? {
        let target = to.join(&name);
        let parent = target.parent().unwrap_or(to);
        let copied = fs::create_dir_all(parent).and_then(|()| fs::copy(from.join(&name), &target));
        copied.map_err(|why| format!("`{}`: {why}", name.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn said(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("plugin.json"), text).unwrap();
        match manifest(folder.path(), "bare") {
            Ok(it) => format!("{} {} {:?}", it.name, it.version, it.unknown),
            Err(why) => why,
        }
    }

    #[test]
    fn a_manifest_is_that_of_the_version_that_is_known() {
        let of = |rest: &str| said(&format!(r#"{{"$schema": "{SCHEMA}", {rest}}}"#));
        assert_eq!(of(r#""name": "a.b-1", "version": "2", "hooks": {}"#), "a.b-1 2 [\"hooks\"]");
        assert!(said(r#"{"name": "a"}"#).starts_with("`$schema` in `plugin.json` is not"));
        for name in ["A", "-a", "a--b", "a..b", "", "a/b", &"x".repeat(65)] {
            assert!(of(&format!(r#""name": "{name}""#)).contains("is no name for a plugin"), "{name}");
        }
        assert_eq!(of(r#""name": "a", "version": 1"#), "`version` in `plugin.json` is no text");
        assert!(said("[]").starts_with("`plugin.json` is no JSON object"));
    }

    #[test]
    fn other_agents_manifests_are_read_and_lists_of_plugins_are_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".claude-plugin")).unwrap();
        assert!(manifest(folder.path(), "bare").unwrap_err().starts_with("it has neither"));
        fs::create_dir(folder.path().join("commands")).unwrap();
        assert_eq!(manifest(folder.path(), "bare").unwrap().name, "bare");
        let list =
            r#"{"plugins": [{"name": "a", "source": "./plugins/a"}, {"name": "b", "source": {"source": "github"}}]}"#;
        fs::write(folder.path().join(MARKETPLACE), list).unwrap();
        assert_eq!(
            manifest(folder.path(), "bare").unwrap_err(),
            "it holds several; choose one with `--folder`: plugins/a"
        );
        fs::write(folder.path().join(FOREIGN), r#"{"name": "kit", "author": {"name": "A"}}"#).unwrap();
        assert_eq!(manifest(folder.path(), "bare").unwrap().name, "kit");
    }

    #[test]
    fn a_copy_is_known_by_its_bytes_and_nothing_outside_is_copied() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("from"), place.path().join("to"));
        fs::create_dir_all(from.join("skills/a")).unwrap();
        fs::create_dir_all(from.join(".git")).unwrap();
        fs::write(from.join("skills/a/SKILL.md"), "x").unwrap();
        fs::write(from.join(".git/config"), "x").unwrap();
        copy_plugin(&from, &to).unwrap();
        assert!(!to.join(".git").exists());
        assert_eq!(plugin_digest(&from), plugin_digest(&to));
        fs::write(to.join("skills/a/SKILL.md"), "y").unwrap();
        assert_ne!(plugin_digest(&from), plugin_digest(&to));
        symlink("/etc/hostname", from.join("out")).unwrap();
        assert_eq!(plugin_digest(&from).unwrap_err(), "`out` is a link that leads out of it");
    }
}
