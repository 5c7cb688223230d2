//! Changing one value of the user's file; comments and order stay as they are.
//!
//! It never writes a file that would not load, never touches a project's file, and keeps the file private: it may
//! hold keys.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use ox_protocol::Problem;
use toml_edit::{DocumentMut, Item, Table, Value};

use super::layer::{of_text, shown};
use super::origin::Origin;
use crate::keys::table::{self, Former};
use crate::state::replace;

/// Sets `name` to what `text` means in the file.
pub fn set(file: &Path, name: &str, text: &str) -> Result<(), Problem> {
    let place = file.display().to_string();
    let path = table::path_of(name).ok_or_else(|| unknown(&place, name))?;
    let key = table::at(&path).ok_or_else(|| unknown(&place, name))?;
    let value = key.kind.parse(text).ok_or_else(|| key.kind.problem(&place, name, text))?;
    change(file, |document| {
        remove_former(document, key.former);
        let value: Value = shown(&value).parse().expect("invariant: a TOML value prints as TOML");
        let (last, parents) = path.split_last().expect("invariant: a path has a name");
        let below = parents.iter().try_fold(document.as_table_mut(), |at, name| {
            let below = at.entry(name).or_insert_with(|| {
                let mut table = Table::new();
                // A table that only holds tables needs no header of its own.
                table.set_implicit(true);
                Item::Table(table)
            });
            below.as_table_mut()
        });
        if let Some(table) = below {
            // A comment behind the old value stays behind the new one.
            let decor = table.get(last).and_then(Item::as_value).map(|it| it.decor().clone());
            table[last.as_str()] = toml_edit::value(value);
            if let (Some(decor), Some(value)) = (decor, table[last.as_str()].as_value_mut()) {
                *value.decor_mut() = decor;
            }
        }
    })
}

/// Adds texts to the list `name` in the file; those that stand there already are not added again.
pub fn add(file: &Path, name: &str, texts: &[String]) -> Result<(), Problem> {
    let path = table::path_of(name).ok_or_else(|| unknown(&file.display().to_string(), name))?;
    let document = parsed(file, &text_of(file)?)?;
    let there = path.iter().try_fold(document.as_item(), |at, name| at.get(name.as_str())).and_then(Item::as_array);
    let there = there.into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned));
    let mut all: Vec<String> = there.collect();
    for text in texts {
        if !all.contains(text) {
            all.push(text.clone());
        }
    }
    set(file, name, &toml_edit::Array::from_iter(all).to_string())
}

/// Takes `name` out of the file, so that its default holds again. True when it was there.
pub fn unset(file: &Path, name: &str) -> Result<bool, Problem> {
    let path = table::path_of(name).ok_or_else(|| unknown(&file.display().to_string(), name))?;
    let mut was_there = false;
    change(file, |document| {
        let (last, parents) = path.split_last().expect("invariant: a path has a name");
        let below = parents.iter().try_fold(document.as_table_mut(), |at, name| at.get_mut(name)?.as_table_mut());
        was_there = below.is_some_and(|it| it.remove(last).is_some());
        was_there |= remove_former(document, table::at(&path).and_then(|it| it.former));
    })?;
    Ok(was_there)
}

/// Takes the former name of a key out of the file. True when it was there.
fn remove_former(document: &mut DocumentMut, former: Option<Former>) -> bool {
    let Some((table, name)) = former.and_then(|it| it.name.rsplit_once('.')) else { return false };
    document.get_mut(table).and_then(Item::as_table_like_mut).is_some_and(|it| it.remove(name).is_some())
}

fn unknown(place: &str, name: &str) -> Problem {
    let path: Vec<String> = name.split('.').map(str::to_string).collect();
    let problem = |code: &str| Problem::new(code).with("place", place).with("key", name);
    match table::nearest(&path) {
        Some(nearest) => problem("config.unknown_near").with("nearest", nearest),
        None => problem("config.unknown"),
    }
}

/// The text of a file; empty where there is none.
fn text_of(file: &Path) -> Result<String, Problem> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(io("config.unreadable", file, &error)),
    }
}

fn parsed(file: &Path, text: &str) -> Result<DocumentMut, Problem> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        Problem::new("config.syntax").with("place", file.display()).with("why", error.message())
    })
}

fn change(file: &Path, edit: impl FnOnce(&mut DocumentMut)) -> Result<(), Problem> {
    let before = text_of(file)?;
    let origin = |line| Origin::User { file: file.to_path_buf(), line };
    of_text(&before, &origin)?;
    let mut document = parsed(file, &before)?;
    edit(&mut document);
    let after = document.to_string();
    of_text(&after, &origin)?;
    if after == before {
        return Ok(());
    }
    write(file, &after).map_err(|error| io("config.unwritable", file, &error))
}

fn io(code: &str, file: &Path, error: &std::io::Error) -> Problem {
    Problem::new(code).with("file", file.display()).with("why", error)
}

/// Writes the whole file or nothing of it, readable by the user alone.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    // A link keeps pointing where it points: people keep such files elsewhere.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    replace(&file, text)
}
