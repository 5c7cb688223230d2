//! The project of a scenario on disk: written before, looked at after.
//!
//! Nothing is touched but the folder that it is given; git's own folder is never reported.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use ox_protocol::Time;

use crate::error::ScenarioError;
use crate::text::{Doc, Mark, Section};

/// What stands at each path relative to the project root.
#[derive(Clone, Debug, Default)]
pub struct Files(BTreeMap<String, Entry>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    bytes: Vec<u8>,
    exec: bool,
    link: bool,
}

/// Writes every `repo/PATH` section of `doc` into `root`, as if all had been changed at `time`.
pub fn write_project(doc: &Doc, root: &Path, time: Time) -> Result<(), ScenarioError> {
    let mut files = doc.sections.iter().filter_map(|it| Some((it.name.strip_prefix("repo/")?, it)));
    files.try_for_each(|(path, section)| put(root, path, section, time))
}

/// Writes the file that `section` stands for at `path` within `root`, as if it had been changed at `time`.
pub(crate) fn put(root: &Path, path: &str, section: &Section, time: Time) -> Result<(), ScenarioError> {
    let bytes = section.bytes().map_err(ScenarioError::Syntax)?;
    let abs = root.join(path);
    if let Some(folder) = abs.parent() {
        fs::create_dir_all(folder)?;
    }
    if path.ends_with('/') {
        return Ok(fs::create_dir_all(abs)?);
    }
    if section.has(Mark::Symlink) {
        return Ok(symlink(String::from_utf8_lossy(&bytes).trim(), abs)?);
    }
    fs::write(&abs, bytes)?;
    let mode = if section.has(Mark::Exec) { 0o755 } else { 0o644 };
    fs::set_permissions(&abs, fs::Permissions::from_mode(mode))?;
    let file = fs::File::options().append(true).open(&abs)?;
    Ok(file.set_modified(UNIX_EPOCH + Duration::from_millis(time.0))?)
}

impl Files {
    /// Everything beneath `root`.
    pub(crate) fn look(root: &Path) -> Result<Files, ScenarioError> {
        let mut files = Files::default();
        files.prompt_context(root, "")?;
        Ok(files)
    }

    fn prompt_context(&mut self, root: &Path, beneath: &str) -> Result<(), ScenarioError> {
        for entry in fs::read_dir(root.join(beneath))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if beneath.is_empty() { name } else { format!("{beneath}/{name}") };
            let kind = entry.file_type()?;
            if path == ".git" {
                continue;
            } else if kind.is_dir() {
                self.prompt_context(root, &path)?;
            } else {
                let link = kind.is_symlink();
                let bytes = match link {
                    true => fs::read_link(entry.path())?.to_string_lossy().into_owned().into_bytes(),
                    false => fs::read(entry.path())?,
                };
                let exec = !link && entry.metadata()?.permissions().mode() & 0o100 != 0;
                self.0.insert(path, Entry { bytes, exec, link });
            }
        }
        Ok(())
    }

    /// Takes over what stands at `path` in `other`: that change was not Ox's.
    pub(crate) fn take_over(&mut self, path: &str, other: &Files) {
        match other.0.get(path) {
            Some(entry) => self.0.insert(path.to_string(), entry.clone()),
            None => self.0.remove(path),
        };
    }

    /// Sections `after/PATH` for whatever differs from `before`.
    pub(crate) fn since(&self, before: &Files) -> Vec<Section> {
        let paths: std::collections::BTreeSet<&String> = self.0.keys().chain(before.0.keys()).collect();
        let differing = paths.into_iter().filter(|it| self.0.get(*it) != before.0.get(*it));
        differing.map(|path| self.section(path)).collect()
    }

    fn section(&self, path: &str) -> Section {
        let Some(entry) = self.0.get(path) else { return Section::named(&format!("after/{path} (deleted)")) };
        let mut section = Section::file(format!("after/{path}"), &entry.bytes);
        if entry.exec {
            section.marks.push(Mark::Exec);
        }
        if entry.link {
            section = Section::text(section.name, &String::from_utf8_lossy(&entry.bytes));
            section.marks.push(Mark::Symlink);
        }
        section
    }
}
