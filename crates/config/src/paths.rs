//! Where Ox keeps its files.
//!
//! Decided by the user's environment alone: no file of a project, also no `.env`, is ever read for it, and a relative
//! path is refused, because it would mean another folder in each project.

use std::path::{Path, PathBuf};

use ox_protocol::Problem;

/// Where Ox keeps its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    /// The user's configuration.
    pub config_dir: PathBuf,
    /// Conversations, locks: what must not be lost.
    pub state_dir: PathBuf,
    /// What can be computed again.
    pub cache_dir: PathBuf,
}

/// The folders: those of `OX_HOME` where it is set, else those of the XDG base directory specification.
pub fn paths(env: &dyn Fn(&str) -> Option<String>) -> Result<Paths, Problem> {
    if let Some(home) = env("OX_HOME").filter(|it| !it.is_empty()) {
        if !Path::new(&home).is_absolute() {
            return Err(Problem::new("config.home_relative").with("path", home));
        }
        let home = PathBuf::from(home);
        return Ok(Paths { state_dir: home.join("state"), cache_dir: home.join("cache"), config_dir: home });
    }
    // The specification says that a relative path is invalid and must be ignored.
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
    let folder = |variable: &str, below: &str| {
        let base = absolute(variable).or_else(|| home.as_ref().map(|it| it.join(below)));
        base.map(|it| it.join("ox")).ok_or_else(|| Problem::new("config.no_home"))
    };
    Ok(Paths {
        config_dir: folder("XDG_CONFIG_HOME", ".config")?,
        state_dir: folder("XDG_STATE_HOME", ".local/state")?,
        cache_dir: folder("XDG_CACHE_HOME", ".cache")?,
    })
}

/// A project's own configuration.
pub fn project_file(root: &Path) -> PathBuf {
    root.join(".ox").join("config.toml")
}

/// A home folder that is a project too has one file for both; it is the user's.
pub fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

impl Paths {
    /// The user's configuration.
    pub fn config_file(&self) -> PathBuf {
        self.config_dir.join("config.toml")
    }

    /// The database of conversations.
    pub fn database(&self) -> PathBuf {
        self.state_dir.join("ox.db")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(variables: &[(&str, &str)]) -> Result<[String; 3], String> {
        let env = |name: &str| variables.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_string());
        let paths = paths(&env).map_err(|it| it.code)?;
        Ok([paths.config_dir, paths.state_dir, paths.cache_dir].map(|it| it.display().to_string()))
    }

    #[test]
    fn folders_follow_the_environment() {
        let xdg = [("HOME", "/h"), ("XDG_CONFIG_HOME", "/c"), ("XDG_STATE_HOME", "relative"), ("XDG_CACHE_HOME", "")];
        assert_eq!(folders(&xdg), Ok(["/c/ox", "/h/.local/state/ox", "/h/.cache/ox"].map(str::to_string)));
        let own = [("HOME", "/h"), ("OX_HOME", "/o")];
        assert_eq!(folders(&own), Ok(["/o", "/o/state", "/o/cache"].map(str::to_string)));
        assert_eq!(folders(&[("OX_HOME", "o"), ("HOME", "/h")]), Err("config.home_relative".to_string()));
        assert_eq!(folders(&[]), Err("config.no_home".to_string()));
    }
}
