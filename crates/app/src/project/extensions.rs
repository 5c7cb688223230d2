//! What the user, plugins and the project add in files of their own: commands, skills, sub-agents, hooks.

use ox_config::trust::TrustState;
use ox_extensions::{Extensions, Source};

use super::{Project, env};

/// A custom command, as interfaces list it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedCommand {
    /// What calls it, without the slash.
    pub name: String,
    /// What it takes; empty where nobody says.
    pub hint: String,
    /// What it does, on one line.
    pub about: String,
    /// Whose it is: `user`, `project`, or `plugin` and its name.
    pub source: String,
}

impl Project {
    /// What there is. Of the project itself nothing is read before it is trusted as it is.
    pub fn extensions(&self) -> Extensions {
        self.extensions_and_plugins().0
    }

    /// The same, and the folders of the plugins, all bytes of which are read to know them.
    pub(crate) fn extensions_and_plugins(&self) -> (Extensions, Vec<Source>) {
        let (plugins, problems) = self.plugin_sources();
        let mut sources = Source::of_user(&self.paths.config_dir, &env);
        if self.trust.state == TrustState::Trusted {
            let real = |it: &Source| it.folder.canonicalize().ok();
            // In a home that is a project too, the user's folders are not the project's.
            let own: Vec<_> = sources.iter().filter_map(real).collect();
            let others = Source::of_project(&self.root).into_iter();
            sources.extend(others.filter(|it| real(it).is_none_or(|it| !own.contains(&it))));
        }
        let mut found = Extensions::find(&[sources.as_slice(), &plugins].concat());
        found.problems.extend(problems);
        (found, plugins)
    }

    /// The custom commands by what calls them, where the names that `taken` holds for call something else.
    pub fn custom_commands(&self, taken: &dyn Fn(&str) -> bool) -> Vec<ListedCommand> {
        let extensions = self.extensions();
        let listed = extensions.called(taken).into_iter().map(|(name, it)| ListedCommand {
            name,
            hint: it.hint.clone(),
            about: it.about.clone(),
            source: it.scope.to_string(),
        });
        listed.collect()
    }
}
