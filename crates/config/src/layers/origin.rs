//! Where a value of the configuration comes from.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where a value comes from, in rising precedence.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// It belongs to the preset that somebody chose.
    Preset {
        /// The preset's name.
        name: &'static str,
    },
    /// The user's file.
    User {
        /// The file.
        file: PathBuf,
        /// 1-based line.
        line: usize,
    },
    /// The project's file.
    Project {
        /// The file.
        file: PathBuf,
        /// 1-based line.
        line: usize,
    },
    /// An answer that the user gave once and wanted remembered for this project.
    Remembered {
        /// The file, among the user's own.
        file: PathBuf,
    },
    /// A variable of the environment.
    Environment {
        /// Its name.
        variable: &'static str,
    },
    /// A flag of the command line.
    Flag {
        /// The flag, or the key where it has none.
        flag: &'static str,
    },
}

impl Origin {
    /// The file and line, where it has them.
    pub fn file(&self) -> Option<(&Path, usize)> {
        match self {
            Origin::User { file, line } | Origin::Project { file, line } => Some((file, *line)),
            _ => None,
        }
    }

    /// Key of its name in the catalogue.
    pub fn code(&self) -> &'static str {
        match self {
            Origin::Default => "config.origin.default",
            Origin::Preset { .. } => "config.origin.preset",
            Origin::User { .. } => "config.origin.user",
            Origin::Project { .. } => "config.origin.project",
            Origin::Remembered { .. } => "config.origin.remembered",
            Origin::Environment { .. } => "config.origin.environment",
            Origin::Flag { .. } => "config.origin.flag",
        }
    }
}

/// The exact place: `FILE:LINE`, `OX_MODEL`, `--model`; empty for a default.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => Ok(()),
            Origin::Preset { name } => f.write_str(name),
            Origin::User { file, line } | Origin::Project { file, line } => write!(f, "{}:{line}", file.display()),
            Origin::Remembered { file } => write!(f, "{}", file.display()),
            Origin::Environment { variable } => f.write_str(variable),
            Origin::Flag { flag } => f.write_str(flag),
        }
    }
}
