//! Where things are looked for: the folders of the user, of a project, and of a plugin.

use std::fmt;
use std::path::{Path, PathBuf};

/// Whose a thing is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// The user's own.
    User,
    /// The project's: it counts only where somebody trusted the project as it is.
    Project,
    /// That of a plugin, by its name.
    Plugin(String),
}

impl Scope {
    /// `user`, `project` or `plugin`.
    pub fn name(&self) -> &'static str {
        match self {
            Scope::User => "user",
            Scope::Project => "project",
            Scope::Plugin(_) => "plugin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scope::Plugin(name) => write!(f, "plugin {name}"),
            other => f.write_str(other.name()),
        }
    }
}

/// Whose formats a folder follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// `.ox`, or the folder of the user's configuration.
    Ox,
    /// `.claude`.
    Claude,
    /// `.codex`, whose commands are in `prompts`.
    Codex,
    /// `.agents`, which has skills.
    Agents,
    /// A plugin.
    Plugin,
}

/// A folder in which things are looked for; it need not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The folder.
    pub folder: PathBuf,
    /// Whose it is.
    pub scope: Scope,
    /// What it looks like inside.
    pub layout: Layout,
    /// The folder that nothing may lie outside of, links followed; none where links may lead anywhere.
    pub within: Option<PathBuf>,
}

/// The folders of other agents in a project or in a home; of two things with one name the later one counts.
const FOLDERS: [(&str, Layout); 3] =
    [(".codex", Layout::Codex), (".agents", Layout::Agents), (".claude", Layout::Claude)];

impl Source {
    /// The folders of a project.
    pub fn of_project(root: &Path) -> Vec<Source> {
        let one = |(name, layout): (&str, Layout)| Source {
            folder: root.join(name),
            scope: Scope::Project,
            layout,
            within: Some(root.to_path_buf()),
        };
        FOLDERS.into_iter().chain([(".ox", Layout::Ox)]).map(one).collect()
    }

    /// The folders of the user; `config` is that of Ox. Other agents let variables say where theirs are.
    pub fn of_user(config: &Path, env: &dyn Fn(&str) -> Option<String>) -> Vec<Source> {
        let folder = |name: &str| env(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let place = |name: &str, layout| {
            match layout {
                Layout::Codex => folder("CODEX_HOME"),
                Layout::Claude => folder("CLAUDE_CONFIG_DIR"),
                _ => None,
            }
            .or_else(|| home.as_ref().map(|it| it.join(name)))
        };
        let found = FOLDERS.into_iter().filter_map(|(name, layout)| Some((place(name, layout)?, layout)));
        let one = |(folder, layout)| Source { folder, scope: Scope::User, layout, within: None };
        found.chain([(config.to_path_buf(), Layout::Ox)]).map(one).collect()
    }

    /// The folder of a plugin.
    pub fn of_plugin(name: &str, folder: &Path) -> Source {
        Source {
            folder: folder.to_path_buf(),
            scope: Scope::Plugin(name.to_owned()),
            layout: Layout::Plugin,
            within: Some(folder.to_path_buf()),
        }
    }

    /// The text of one of its files, with the plugin's folder in the places that its formats have for it.
    ///
    /// # Errors
    /// Why it is not read, in words.
    pub fn text_of(&self, file: &Path) -> Result<String, String> {
        Ok(self.placed(&crate::file::read(file, self.within.as_deref())?))
    }

    /// A name as it is called: that of a plugin's things begins with the plugin's.
    pub(crate) fn called(&self, name: &str) -> String {
        match &self.scope {
            Scope::Plugin(plugin) => format!("{plugin}:{name}"),
            _ => name.to_owned(),
        }
    }

    /// The text with the plugin's folder in the places that its formats have for it.
    pub(crate) fn placed(&self, text: &str) -> String {
        match self.layout {
            Layout::Plugin => {
                let folder = self.folder.to_string_lossy();
                text.replace("${CLAUDE_PLUGIN_ROOT}", &folder).replace("${PLUGIN_ROOT}", &folder)
            }
            _ => text.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_users_folders_are_in_their_home_unless_a_variable_says_otherwise() {
        let env = |name: &str| match name {
            "HOME" => Some("/h".to_owned()),
            "CODEX_HOME" => Some("/c".to_owned()),
            "CLAUDE_CONFIG_DIR" => Some("relative".to_owned()),
            _ => None,
        };
        let folders: Vec<PathBuf> = Source::of_user(Path::new("/ox"), &env).into_iter().map(|it| it.folder).collect();
        assert_eq!(folders, ["/c", "/h/.agents", "/h/.claude", "/ox"].map(PathBuf::from));
        assert_eq!(Source::of_user(Path::new("/ox"), &|_| None).len(), 1);
    }
}
