//! The databases of other programs, as far as Ox takes something over from them.
//!
//! Promise: the file and its folder are never written, not even by SQLite itself, which would make files beside a database that
//! it only reads: what is opened is a private copy, gone when it is dropped.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::StoreError;

/// A copy of another program's database.
pub struct OtherDatabase {
    connection: Connection,
    path: PathBuf,
    _copy: TempDir,
}

impl OtherDatabase {
    /// Copies the database with what its program has not moved into it yet, and opens the copy.
    ///
    /// # Errors
    /// It cannot be copied or is no database.
    pub fn open(path: &Path) -> Result<OtherDatabase, StoreError> {
        let io = |error: std::io::Error| StoreError::io(path, &error);
        let copy = tempfile::tempdir().map_err(io)?;
        let to = copy.path().join("copy.db");
        fs::copy(path, &to).map_err(io)?;
        let beside = |path: &Path| {
            let mut name = path.as_os_str().to_owned();
            name.push("-wal");
            PathBuf::from(name)
        };
        if beside(path).is_file() {
            fs::copy(beside(path), beside(&to)).map_err(io)?;
        }
        let connection = Connection::open_with_flags(&to, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| StoreError::sql(path, &error))?;
        Ok(OtherDatabase { connection, path: path.to_owned(), _copy: copy })
    }

    /// The sessions of opencode, oldest first, with the fields of its older files: `directory`, `title`, `parentID`, `revert`.
    ///
    /// # Errors
    /// It has no such table, or is damaged.
    pub fn opencode_sessions(&self) -> Result<Vec<(String, Value)>, StoreError> {
        self.rows("SELECT id, directory, title, parent_id, revert FROM session ORDER BY id", &[], |row| {
            let parsed = row.get::<_, Option<String>>(4)?.and_then(|it| serde_json::from_str::<Value>(&it).ok());
            let (folder, title): (String, String) = (row.get(1)?, row.get(2)?);
            let parent: Option<String> = row.get(3)?;
            let session = json!({"directory": folder, "title": title, "parentID": parent, "revert": parsed});
            Ok((row.get(0)?, session))
        })
    }

    /// The messages of a session of opencode with their parts, all in order. What is no JSON becomes an empty object.
    ///
    /// # Errors
    /// As for [`OtherDatabase::opencode_sessions`].
    pub fn opencode_messages(&self, session: &str) -> Result<Vec<(Value, Vec<Value>)>, StoreError> {
        let of_message = "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY id";
        let messages = self.rows(of_message, &[session], |row| {
            let id: String = row.get(0)?;
            let mut data = object(row, 1)?;
            data.insert("id".to_owned(), id.clone().into());
            Ok((id, Value::Object(data)))
        })?;
        let of_part = "SELECT data FROM part WHERE message_id = ?1 ORDER BY id";
        let with_parts = |(id, message): (String, Value)| {
            let parts = self.rows(of_part, &[&id], |row| Ok(Value::Object(object(row, 0)?)))?;
            Ok((message, parts))
        };
        messages.into_iter().map(with_parts).collect()
    }

    fn rows<T>(
        &self,
        query: &str,
        params: &[&str],
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let all = || -> rusqlite::Result<Vec<T>> {
            let mut statement = self.connection.prepare(query)?;
            let rows = statement.query_map(rusqlite::params_from_iter(params), read)?;
            rows.collect()
        };
        all().map_err(|error| StoreError::sql(&self.path, &error))
    }
}

fn object(row: &Row<'_>, column: usize) -> rusqlite::Result<Map<String, Value>> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
