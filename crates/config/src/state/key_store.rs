//! The keys that the user gave once and for all with `ox login`: one for each provider, in a file of Ox's own.
//!
//! The file lies beside the conversations and not with the configuration, which people share. It is written whole or not
//! at all, for its owner alone; one that somebody else owns or may read is refused and not used. Nothing here prints or
//! logs a key, and commands never see the folder that the file is in.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use ox_protocol::Problem;
use serde::{Deserialize, Serialize};

use super::private_file::{private_folder, replace};
use crate::paths::Paths;

/// The longest key that is taken, in bytes.
pub const LONGEST: usize = 8192;

/// The keys that are kept.
#[derive(Clone, Debug)]
pub struct KeyStore {
    file: PathBuf,
}

/// The file as it lies on the disk.
#[derive(Default, Serialize, Deserialize)]
struct Kept {
    version: u32,
    keys: BTreeMap<String, String>,
}

const VERSION: u32 = 1;

impl KeyStore {
    /// Those of the user whose folders `paths` are. Nothing is read yet.
    pub fn of(paths: &Paths) -> KeyStore {
        KeyStore { file: paths.state_dir.join("keys.json") }
    }

    /// Where they are kept.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// All keys by provider; none where nobody ever logged in. Problems: `login.unreadable`, `login.broken`,
    /// `login.newer`, `login.not_private`, `login.not_yours`.
    pub fn all(&self) -> Result<BTreeMap<String, String>, Problem> {
        Ok(self.read()?.keys)
    }

    /// Keeps the key of a provider in the place of an earlier one.
    pub fn keep(&self, provider: &str, key: &str) -> Result<(), Problem> {
        self.change(|keys| keys.insert(provider.to_string(), key.to_string())).map(drop)
    }

    /// Forgets the key of a provider; false where there was none.
    pub fn remove(&self, provider: &str) -> Result<bool, Problem> {
        Ok(self.change(|keys| keys.remove(provider))?.is_some())
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, String>) -> T) -> Result<T, Problem> {
        let unwritable = |error: std::io::Error| self.problem("login.unwritable", error);
        let folder = self.file.parent().unwrap_or(Path::new("/"));
        private_folder(folder).map_err(unwritable)?;
        // Held until the end of the function; the system gives it back when the process dies.
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(folder.join("keys.lock"));
        let lock = lock.map_err(unwritable)?;
        lock.lock().map_err(unwritable)?;
        let mut kept = self.read()?;
        let done = change(&mut kept.keys);
        let kept = Kept { version: VERSION, ..kept };
        let text =
            serde_json::to_string_pretty(&kept).expect("invariant: a file of keys holds nothing that JSON cannot");
        replace(&self.file, &text).map_err(unwritable)?;
        Ok(done)
    }

    fn read(&self) -> Result<Kept, Problem> {
        let unreadable = |error: std::io::Error| self.problem("login.unreadable", error);
        let mut file = match fs::symlink_metadata(&self.file) {
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Kept::default());
            }
            Err(error) => return Err(unreadable(error)),
            Ok(_) => File::open(&self.file).map_err(unreadable)?,
        };
        self.is_private(&file).map_err(unreadable)??;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(unreadable)?;
        // What JSON says of a mistake may quote the file.
        let kept: Kept = serde_json::from_str(&text).map_err(|error| {
            self.problem("login.broken", format!("line {}, column {}", error.line(), error.column()))
        })?;
        if kept.version > VERSION {
            return Err(self.problem("login.newer", kept.version));
        }
        Ok(kept)
    }

    /// Refuses a file that is not the user's, or that others may read: whoever could write it could send keys, and with
    /// them everything that is asked, to an account of their own.
    #[cfg(unix)]
    fn is_private(&self, file: &File) -> std::io::Result<Result<(), Problem>> {
        use std::os::unix::fs::MetadataExt;
        let about = file.metadata()?;
        let me = rustix::process::geteuid().as_raw();
        if about.uid() != me {
            return Ok(Err(self.problem("login.not_yours", about.uid())));
        }
        if about.mode() & 0o077 != 0 {
            return Ok(Err(self.problem("login.not_private", format!("{:o}", about.mode() & 0o777))));
        }
        Ok(Ok(()))
    }

    #[cfg(not(unix))]
    fn is_private(&self, _file: &File) -> std::io::Result<Result<(), Problem>> {
        Ok(Ok(()))
    }

    fn problem(&self, code: &str, why: impl std::fmt::Display) -> Problem {
        Problem::new(code).with("file", self.file.display()).with("why", why)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn place() -> (tempfile::TempDir, KeyStore) {
        let folder = tempfile::tempdir().unwrap();
        let at = |it: &str| folder.path().join(it);
        let paths = Paths { config_dir: at("config"), state_dir: at("state"), cache_dir: at("cache") };
        let logins = KeyStore::of(&paths);
        (folder, logins)
    }

    #[test]
    fn a_key_is_kept_for_its_owner_alone_until_it_is_removed() {
        let (_folder, logins) = place();
        assert_eq!(logins.all(), Ok(BTreeMap::new()));
        assert_eq!(logins.remove("openai"), Ok(false));
        logins.keep("openai", "one").unwrap();
        logins.keep("anthropic", "two").unwrap();
        logins.keep("openai", "three").unwrap();
        let expected = [("anthropic", "two"), ("openai", "three")].map(|(a, b)| (a.to_string(), b.to_string()));
        assert_eq!(logins.all(), Ok(BTreeMap::from(expected)));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(logins.file()), mode(logins.file().parent().unwrap())), (0o600, 0o700));
        assert_eq!((logins.remove("openai"), logins.remove("openai")), (Ok(true), Ok(false)));
        assert_eq!(logins.all().unwrap().len(), 1);
    }

    #[test]
    fn a_file_that_others_could_read_or_that_is_broken_is_not_used_and_not_overwritten() {
        let (folder, logins) = place();
        logins.keep("openai", "secret-of-mine").unwrap();
        let file = logins.file().to_path_buf();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let problem = logins.all().unwrap_err();
        assert_eq!((problem.code.as_str(), problem.args["why"].as_str()), ("login.not_private", "640"));
        assert_eq!(logins.keep("x", "y").unwrap_err().code, "login.not_private");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(&file, "{\"version\": 1, \"keys\": {\"openai\": secret-of-mine}}").unwrap();
        let problem = logins.all().unwrap_err();
        assert_eq!(problem.code, "login.broken");
        assert!(!format!("{problem:?}").contains("secret"), "{problem:?}");
        fs::write(&file, "{\"version\": 2, \"keys\": {}}").unwrap();
        assert_eq!(logins.keep("x", "y").unwrap_err().code, "login.newer");
        // A link is followed to the file that counts.
        let elsewhere = folder.path().join("elsewhere");
        fs::write(&elsewhere, "{\"version\": 1, \"keys\": {}}").unwrap();
        fs::remove_file(&file).unwrap();
        symlink(&elsewhere, &file).unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(logins.all().unwrap_err().code, "login.not_private");
    }

    #[test]
    fn somebody_else_s_file_is_refused() {
        let (_folder, logins) = place();
        logins.keep("openai", "key").unwrap();
        // Only root can give a file away; for everybody else there is nothing to try.
        if std::os::unix::fs::chown(logins.file(), Some(65534), None).is_ok() {
            assert_eq!(logins.all().unwrap_err().code, "login.not_yours");
        }
    }
}
