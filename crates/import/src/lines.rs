//! Files of JSON and of JSON lines, and the fields of their values.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ox_protocol::{Image, Time, Tokens};
use serde_json::Value;

use crate::{ImportError, Unread};

/// The pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The values of a file of JSON lines; a line that is none is noted and passed over.
pub(crate) fn json_lines(file: &Path, unread: &mut Unread) -> Result<Vec<Value>, ImportError> {
    let bytes = fs::read(file).map_err(|error| ImportError::io(file, error))?;
    let mut values = Vec::new();
    for (at, line) in bytes.split(|it| *it == b'\n').enumerate() {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match serde_json::from_slice(line) {
            Ok(value @ Value::Object(_)) => values.push(value),
            _ => unread.broken.push(format!("{}:{}", file.display(), at + 1)),
        }
    }
    Ok(values)
}

/// The first value of a file of JSON lines in which something is found; the file is read no further.
pub(crate) fn first_in_lines<T>(file: &Path, find: impl Fn(&Value) -> Option<T>) -> Result<Option<T>, ImportError> {
    let mut lines = BufReader::new(fs::File::open(file).map_err(|error| ImportError::io(file, error))?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).map_err(|error| ImportError::io(file, error))? > 0 {
        if let Some(found) = serde_json::from_slice(&line).ok().as_ref().and_then(&find) {
            return Ok(Some(found));
        }
        line.clear();
    }
    Ok(None)
}

/// The value of a file of JSON; none, and noted, where it is none.
pub(crate) fn json_file(file: &Path, unread: &mut Unread) -> Option<Value> {
    let value = fs::read(file).ok().and_then(|it| serde_json::from_slice(&it).ok());
    if value.is_none() {
        unread.broken.push(file.display().to_string());
    }
    value
}

/// What stands in a folder, in order of its names; nothing where there is no such folder.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, ImportError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(ImportError::io(folder, error)),
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

/// A name without its ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

pub(crate) fn list<'v>(value: &'v Value, field: &str) -> &'v [Value] {
    value[field].as_array().map(Vec::as_slice).unwrap_or_default()
}

pub(crate) fn tokens(value: &Value, field: &str) -> Tokens {
    Tokens(value[field].as_u64().unwrap_or_default())
}

/// A moment that is written as RFC 3339, or nothing.
pub(crate) fn moment(value: &Value, field: &str) -> Option<Time> {
    let moment = humantime::parse_rfc3339_weak(text(value, field)).ok()?;
    let since = moment.duration_since(UNIX_EPOCH).ok()?;
    Some(Time(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}

/// A picture of a kind that models take.
pub(crate) fn picture(media_type: &str, data: &str) -> Option<Image> {
    let base64 = |it: u8| it.is_ascii_alphanumeric() || b"+/=".contains(&it);
    (PICTURES.contains(&media_type) && !data.is_empty() && data.bytes().all(base64)).then(|| Image {
        media_type: media_type.to_owned(),
        data: data.to_owned(),
        name: String::new(),
    })
}

/// A picture in a `data:` address.
pub(crate) fn picture_of_url(url: &str) -> Option<Image> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    picture(media_type, data)
}

/// Adds a paragraph.
pub(crate) fn add_text(all: &mut String, text: &str) {
    if !text.trim().is_empty() {
        if !all.is_empty() {
            all.push_str("\n\n");
        }
        all.push_str(text);
    }
}
