//! The databases of other programs, as far as Ox takes something over from them.
//!
//! Promise: the file and its folder are never written, not even by SQLite itself, which would make files beside a database that
//! it only reads: what is opened is a private copy, gone when it is dropped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::StoreError;
use crate::holder::with_end;

/// How often a database is copied that its program writes meanwhile, and the rest before each further time.
const COPIES: u32 = 20;
const REST: Duration = Duration::from_millis(50);

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
        copy_whole(path, &to, &mut || {}).map_err(io)?;
        let connection = Connection::open_with_flags(&to, OpenFlags::SQLITE_OPEN_READ_WRITE)
            .map_err(|error| StoreError::sql(path, &error))?;
        Ok(OtherDatabase { connection, path: path.to_owned(), _copy: copy })
    }

    /// The sessions of opencode, oldest first, with the fields of its older files: `directory`, `title`, `parentID`, `revert`.
    ///
    /// # Errors
    /// It has no such table, or is damaged.
    pub fn opencode_sessions(&self) -> Result<Vec<(String, Value)>, StoreError> {
        self.sessions("", &[])
    }

    /// One of them.
    ///
    /// # Errors
    /// As for [`OtherDatabase::opencode_sessions`].
    pub fn opencode_session(&self, id: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.sessions("WHERE id = ?1", &[id])?.pop().map(|it| it.1))
    }

    fn sessions(&self, which: &str, params: &[&str]) -> Result<Vec<(String, Value)>, StoreError> {
        let query = format!("SELECT id, directory, title, parent_id, revert FROM session {which} ORDER BY id");
        self.rows(&query, params, |row| {
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

/// The file of what was not moved into the database yet.
fn beside(path: &Path) -> PathBuf {
    with_end(path, "-wal")
}

/// Copies a database and the file beside it as they were at one moment: again, where one of them changed meanwhile. `between` is
/// called between the two.
fn copy_whole(path: &Path, to: &Path, between: &mut dyn FnMut()) -> io::Result<()> {
    for number in 0..COPIES {
        if number > 0 {
            std::thread::sleep(REST);
        }
        let before = state(path)?;
        fs::copy(path, to)?;
        between();
        match fs::copy(beside(path), beside(to)) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => drop(fs::remove_file(beside(to))),
            Err(error) => return Err(error),
        }
        if state(path)? == before {
            return Ok(());
        }
    }
    Err(io::Error::other("its program writes it all the time; close that program and try again"))
}

/// Length and time of a file.
type Stamp = (u64, SystemTime);

/// What changes with every write: the database and the file beside it, where there is one.
fn state(path: &Path) -> io::Result<(Stamp, Option<Stamp>)> {
    let of = |it: fs::Metadata| -> io::Result<Stamp> { Ok((it.len(), it.modified()?)) };
    Ok((of(fs::metadata(path)?)?, fs::metadata(beside(path)).ok().map(of).transpose()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_while_it_is_copied_is_in_the_copy_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs.db");
        let theirs = Connection::open(&path).unwrap();
        theirs.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE a (n); CREATE TABLE b (n);").unwrap();
        let to = folder.path().join("copy.db");
        let mut writes = 0;
        // What is moved into the database between the two copies is in neither of them.
        copy_whole(&path, &to, &mut || {
            if writes < 3 {
                writes += 1;
                theirs.execute_batch("BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); COMMIT;").unwrap();
                theirs.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
            }
        })
        .unwrap();
        assert_eq!(writes, 3);
        let copy = Connection::open(&to).unwrap();
        let count = |table: &str| -> i64 {
            copy.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
        };
        assert_eq!((count("a"), count("b")), (3, 3));
    }

    #[test]
    fn one_that_is_written_all_the_time_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs.db");
        fs::write(&path, "x").unwrap();
        let mut text = "x".to_owned();
        let refused = copy_whole(&path, &folder.path().join("copy.db"), &mut || {
            text.push('x');
            fs::write(&path, &text).unwrap();
        });
        assert!(refused.unwrap_err().to_string().contains("close that program"));
        assert_eq!(text.len() as u32, COPIES + 1);
    }
}
