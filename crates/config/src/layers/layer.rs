//! One layer of configuration as a list of settings, each with its place.
//!
//! A layer is checked completely before anything of it is used: a key that does not exist or a value that cannot be
//! meant is an error with its file and line, never a warning and never ignored.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use ox_protocol::Problem;
use serde::Serialize;
use toml::de::{DeTable, DeValue};
use toml::{Table, Value};

use super::origin::Origin;
use crate::keys::kind::Kind;
use crate::keys::table::{self, KEYS, Key};

/// Largest configuration file in bytes; a larger one is a mistake.
const LARGEST: u64 = 1 << 20;

/// One value that a layer sets.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key.
    pub key: &'static Key,
    /// Its path, what stands for `*` filled in.
    pub path: Vec<String>,
    /// The value.
    pub value: Value,
    /// Where it was set.
    pub origin: Origin,
}

impl Setting {
    /// The key's name, what stands for `*` filled in.
    pub fn name(&self) -> String {
        self.path.join(".")
    }
}

/// The settings of a file; none where it does not exist. `origin` makes the origin of a line.
pub fn of_file(file: &Path, origin: &dyn Fn(usize) -> Origin) -> Result<Vec<Setting>, Problem> {
    let unreadable = |why: String| Problem::new("config.unreadable").with("file", file.display()).with("why", why);
    match fs::metadata(file) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error.to_string())),
        Ok(it) if !it.is_file() || it.len() > LARGEST => {
            return Err(Problem::new("config.not_a_file").with("file", file.display()));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
    of_text(&text, origin)
}

/// The settings of a text in TOML.
pub fn of_text(text: &str, origin: &dyn Fn(usize) -> Origin) -> Result<Vec<Setting>, Problem> {
    let line = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|it| **it == b'\n').count();
    let broken = |error: toml::de::Error| {
        let place = origin(line(error.span().map_or(0, |it| it.start)));
        Problem::new("config.syntax").with("place", place).with("why", error.message())
    };
    let places = DeTable::parse(text).map_err(broken)?;
    let values: Table = toml::from_str(text).map_err(broken)?;
    let mut walk = Walk { line: &line, origin, found: Vec::new(), faults: Vec::new() };
    walk.table(places.get_ref(), &values, &mut Vec::new());
    // The file's order; the walk goes by name.
    walk.faults.sort_by(|a, b| a.0.cmp(&b.0));
    checked(walk.found, walk.faults.into_iter().map(|it| it.1).collect())
}

/// The settings where none has a fault.
fn checked(found: Vec<Setting>, faults: Vec<Problem>) -> Result<Vec<Setting>, Problem> {
    Problem::all(faults).map_or(Ok(found), Err)
}

/// The settings of the environment, by the variables that the table of keys names.
pub fn of_environment(env: &dyn Fn(&str) -> Option<String>) -> Result<Vec<Setting>, Problem> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for key in KEYS {
        let names = key.variable.into_iter().chain(key.former.map(|it| it.variable));
        let mut set = names.filter_map(|it| Some((it, env(it).filter(|it| !it.is_empty())?)));
        let Some((variable, text)) = set.next() else { continue };
        match key.kind.parse(&text) {
            Some(value) => {
                found.push(Setting { key, path: path(key), value, origin: Origin::Environment { variable } });
            }
            None => faults.push(key.kind.problem(variable, key.name, &text)),
        }
    }
    checked(found, faults)
}

/// What flags say, key by key, as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(BTreeMap<String, Vec<String>>);

impl Flags {
    /// Says one more thing of a key; of a key that takes no list the last one counts.
    #[must_use]
    pub fn with(mut self, key: &str, text: impl ToString) -> Flags {
        self.0.entry(key.to_string()).or_default().push(text.to_string());
        self
    }

    /// The same for every one of these.
    #[must_use]
    pub fn with_all<T: ToString>(self, key: &str, texts: impl IntoIterator<Item = T>) -> Flags {
        texts.into_iter().fold(self, |flags, it| flags.with(key, it))
    }

    /// The same for a word of the protocol, such as a mode, where there is one.
    #[must_use]
    pub fn with_word(self, key: &str, word: Option<impl Serialize>) -> Flags {
        let text = word.and_then(|it| Value::try_from(it).ok()).and_then(|it| it.as_str().map(str::to_string));
        self.with_all(key, text)
    }
}

/// The settings of the flags.
pub fn of_flags(flags: &Flags) -> Result<Vec<Setting>, Problem> {
    let (mut found, mut faults) = (Vec::new(), Vec::new());
    for key in KEYS.iter().filter(|it| !it.is_pattern()) {
        let Some(texts) = flags.0.get(key.name).filter(|it| !it.is_empty()) else { continue };
        let flag = key.flag.unwrap_or(key.name);
        let list = || Value::Array(texts.iter().map(|it| Value::String(it.clone())).collect());
        let last = texts.last().map_or("", String::as_str);
        let value = if key.kind.is_list() { Some(list()) } else { key.kind.parse(last) };
        match value.filter(|it| key.kind.accepts(it)) {
            Some(value) => found.push(Setting { key, path: path(key), value, origin: Origin::Flag { flag } }),
            None if key.kind.is_list() => faults.push(key.kind.problem(flag, key.name, &shown(&list()))),
            None => faults.push(key.kind.problem(flag, key.name, last)),
        }
    }
    checked(found, faults)
}

fn path(key: &Key) -> Vec<String> {
    key.name.split('.').map(str::to_string).collect()
}

/// A value as it would be written in the file.
pub fn shown(value: &Value) -> String {
    value.to_string()
}

/// Goes through a parsed file twice at a time: once for the places, once for the values.
struct Walk<'a> {
    line: &'a dyn Fn(usize) -> usize,
    origin: &'a dyn Fn(usize) -> Origin,
    found: Vec<Setting>,
    /// Each with its place.
    faults: Vec<(Origin, Problem)>,
}

impl Walk<'_> {
    fn table(&mut self, places: &DeTable<'_>, values: &Table, path: &mut Vec<String>) {
        for (name, place) in places {
            let Some(value) = values.get(name.get_ref().as_ref()) else { continue };
            path.push(name.get_ref().to_string());
            let origin = (self.origin)((self.line)(name.span().start));
            self.entry(place.get_ref(), value, path, origin);
            path.pop();
        }
    }

    fn entry(&mut self, place: &DeValue<'_>, value: &Value, path: &[String], origin: Origin) {
        let current = table::path_of(&path.join("."));
        let path = &mut current.unwrap_or_else(|| path.to_vec());
        if let Some(key) = table::at(path) {
            if !key.kind.accepts(value) {
                let problem = key.kind.problem(&origin.to_string(), &path.join("."), &shown(value));
                self.faults.push((origin, problem));
                return;
            }
            if !key.kind.needs().is_empty() {
                self.tables(key.kind, place, value, path, &origin);
            }
            self.found.push(Setting { key, path: path.clone(), value: value.clone(), origin });
            return;
        }
        match (place, value) {
            (DeValue::Table(places), Value::Table(values)) if table::has_below(path) => {
                self.table(places, values, path)
            }
            _ => {
                let problem = unknown(path, &origin);
                self.faults.push((origin, problem));
            }
        }
    }

    /// Each check or hook is looked at key by key; the list is one setting.
    fn tables(&mut self, kind: Kind, place: &DeValue<'_>, value: &Value, path: &mut Vec<String>, origin: &Origin) {
        let pairs = place.as_array().into_iter().flat_map(|it| it.iter()).zip(value.as_array().into_iter().flatten());
        let before = self.found.len();
        for (number, (place, value)) in pairs.enumerate() {
            let (Some(places), Some(values)) = (place.get_ref().as_table(), value.as_table()) else { continue };
            let faults = self.faults.len();
            path.push((number + 1).to_string());
            self.table(places, values, path);
            path.pop();
            // A key that is written wrong is the one that is missing.
            if let Some(missing) =
                kind.needs().iter().find(|it| !values.contains_key(**it) && self.faults.len() == faults)
            {
                let line = places.keys().map(|it| (self.line)(it.span().start)).min();
                let place = line.map_or_else(|| origin.clone(), self.origin);
                let code = if kind == Kind::Hooks { "config.hook_without" } else { "config.check_without_command" };
                let problem = Problem::new(code).with("place", &place).with("missing", missing);
                self.faults.push((place, problem));
            }
        }
        self.found.truncate(before);
    }
}

fn unknown(path: &[String], origin: &Origin) -> Problem {
    let problem = |code: &str| Problem::new(code).with("place", origin).with("key", path.join("."));
    match table::nearest(path) {
        Some(nearest) => problem("config.unknown_near").with("nearest", nearest),
        None => problem("config.unknown"),
    }
}
