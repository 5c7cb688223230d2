//! What there is in the folders: commands, skills, sub-agents and hooks, and what is wrong with others.

use std::path::{Path, PathBuf};

use ox_protocol::{Hook, Problem};

use crate::command::CustomCommand;
use crate::file::{entries, files_below, is_name, read, stem};
use crate::front_matter::front_matter;
use crate::hook::hooks;
use crate::skill::{SKILL_FILE, Skill};
use crate::source::{Layout, Scope, Source};

/// A file that states a kind of sub-agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentFile {
    /// The name of the file without its ending.
    pub name: String,
    /// What comes before the name, for that of a plugin.
    pub plugin: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
    /// True where it follows the format of Claude Code.
    pub foreign: bool,
    /// Whose it is.
    pub scope: Scope,
}

/// A hook with the file that states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundHook {
    /// The hook.
    pub hook: Hook,
    /// The file.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: Scope,
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// The commands; of two with one name the later one is called by it alone.
    pub commands: Vec<CustomCommand>,
    /// The skills, each name once.
    pub skills: Vec<Skill>,
    /// The files of sub-agents.
    pub agents: Vec<AgentFile>,
    /// The hooks, in the order in which they run.
    pub hooks: Vec<FoundHook>,
    /// What cannot be used, and why.
    pub problems: Vec<Problem>,
    /// What Ox has no equal for.
    pub passed: Vec<Problem>,
}

impl Extensions {
    /// What the folders hold. Of two things with one name the one of the later folder counts.
    pub fn find(sources: &[Source]) -> Extensions {
        let mut found = Extensions::default();
        for source in sources {
            found.add_commands(source);
            found.add_skills(source);
            found.add_agents(source);
            found.add_hooks(source);
        }
        found
    }

    /// The prompt of a text that calls one of the commands; none of any other text.
    pub fn prompt(&self, text: &str) -> Option<String> {
        let line = text.trim_start().strip_prefix('/')?;
        let end = line.find(char::is_whitespace).unwrap_or(line.len());
        let command = self.command(&line[..end])?;
        let typed = text.trim();
        Some(format!("{typed}\n\n{}", command.prompt(&line[end..])))
    }

    /// The command of a name, which may begin with `user:` or `project:`.
    fn command(&self, name: &str) -> Option<&CustomCommand> {
        let plain = self.commands.iter().rev().find(|it| it.name == name);
        let of_scope = || {
            let (scope, name) = name.split_once(':')?;
            self.commands.iter().rev().find(|it| it.name == name && it.scope.name() == scope)
        };
        plain.or_else(of_scope)
    }

    /// The commands by the shortest names that call them, where the names that `taken` holds for call something else.
    pub fn called(&self, taken: &dyn Fn(&str) -> bool) -> Vec<(String, &CustomCommand)> {
        let name = |it: &CustomCommand| {
            let own = self.command(&it.name) == Some(it) && !taken(&it.name);
            if own { it.name.clone() } else { format!("{}:{}", it.scope.name(), it.name) }
        };
        let mut all: Vec<_> = self.commands.iter().map(|it| (name(it), it)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    fn problem(&mut self, path: &Path, why: impl std::fmt::Display) {
        self.problems.push(unreadable(path, why));
    }

    fn add_commands(&mut self, source: &Source) {
        let folder = match source.layout {
            Layout::Agents => return,
            Layout::Codex => "prompts",
            _ => "commands",
        };
        let mut names = Vec::new();
        for path in files_below(&source.folder.join(folder)) {
            if path.extension().is_none_or(|it| it != "md") {
                continue;
            }
            match command(&path, source, &names) {
                Ok(it) => {
                    names.push(it.name.clone());
                    self.commands.push(it);
                }
                Err(why) => self.problem(&path, why),
            }
        }
    }

    fn add_skills(&mut self, source: &Source) {
        for folder in entries(&source.folder.join("skills")) {
            let path = folder.join(SKILL_FILE);
            if path.symlink_metadata().is_err() {
                continue;
            }
            match Skill::of(&folder, source) {
                Ok(it) => {
                    self.skills.retain(|known| known.name != it.name);
                    if it.is_command {
                        self.add_command_of(&it, source, path);
                    }
                    self.skills.push(it);
                }
                Err(why) => self.problem(&path, why),
            }
        }
    }

    /// A skill is called like a command too, where none has its name.
    fn add_command_of(&mut self, skill: &Skill, source: &Source, path: PathBuf) {
        if self.commands.iter().any(|it| it.name == skill.name && it.scope == skill.scope) {
            return;
        }
        let file = read(&path, source.within.as_deref()).and_then(|it| front_matter(&it));
        let name = skill.name.rsplit(':').next().unwrap_or_default();
        if let Ok(command) = file.and_then(|it| CustomCommand::of(name, path, &it, source)) {
            self.commands.push(command);
        }
    }

    fn add_agents(&mut self, source: &Source) {
        if matches!(source.layout, Layout::Agents | Layout::Codex) {
            return;
        }
        for path in entries(&source.folder.join("agents")) {
            if path.extension().is_none_or(|it| it != "md") {
                continue;
            }
            match read(&path, source.within.as_deref()) {
                Ok(text) => self.agents.push(AgentFile {
                    name: stem(&path),
                    plugin: match &source.scope {
                        Scope::Plugin(name) => Some(name.clone()),
                        _ => None,
                    },
                    path,
                    text: source.placed(&text),
                    foreign: source.layout != Layout::Ox,
                    scope: source.scope.clone(),
                }),
                Err(why) => self.problem(&path, why),
            }
        }
    }

    fn add_hooks(&mut self, source: &Source) {
        let files: &[&str] = match source.layout {
            Layout::Claude => &["settings.json", "settings.local.json"],
            Layout::Plugin => &["hooks/hooks.json"],
            Layout::Ox | Layout::Codex | Layout::Agents => &[],
        };
        for path in files.iter().map(|it| source.folder.join(it)) {
            if path.symlink_metadata().is_err() {
                continue;
            }
            match read(&path, source.within.as_deref()).and_then(|it| hooks(&it, source)) {
                Ok((all, passed)) => {
                    let found = |hook| FoundHook { hook, path: path.clone(), scope: source.scope.clone() };
                    self.hooks.extend(all.into_iter().map(found));
                    self.passed.extend(passed.iter().map(|why| unreadable(&path, why)));
                }
                Err(why) => self.problem(&path, why),
            }
        }
    }
}

fn unreadable(path: &Path, why: impl std::fmt::Display) -> Problem {
    Problem::new("extensions.unreadable").with("file", path.display()).with("why", why)
}

/// The command of a file; its name has the folder's before it where another file of the same source has its own.
fn command(path: &Path, source: &Source, names: &[String]) -> Result<CustomCommand, String> {
    let name = stem(path);
    if !is_name(&name) {
        return Err(format!("`{name}` is no name for a command: use letters, digits, `-`, `_` and `.`, 64 at most"));
    }
    let file = front_matter(&read(path, source.within.as_deref())?)?;
    let command = CustomCommand::of(&name, path.to_path_buf(), &file, source)?;
    if !names.contains(&command.name) {
        return Ok(command);
    }
    let folder = path.parent().map(stem).unwrap_or_default();
    CustomCommand::of(&format!("{folder}:{name}"), path.to_path_buf(), &file, source)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn found(root: &Path) -> Extensions {
        let mut sources = Source::of_user(&root.join("home/ox"), &|_| None);
        sources.extend(Source::of_project(&root.join("project")));
        sources.push(Source::of_plugin("kit", &root.join("kit")));
        Extensions::find(&sources)
    }

    #[test]
    fn commands_are_called_by_their_names_and_those_that_are_hidden_by_whose_they_are() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "home/ox/commands/fix.md", "The user's $1");
        write(root, "project/.claude/commands/fix.md", "The project's $1");
        write(root, "project/.claude/commands/web/fix.md", "The page's");
        write(root, "project/.codex/prompts/plan.md", "---\ndescription: plans\n---\nPlan it");
        write(root, "kit/commands/fix.md", "The kit's");
        write(root, "kit/skills/pdf/SKILL.md", "---\ndescription: reads\n---\nRead it");
        let all = found(root);
        let names: Vec<String> = all.called(&|it| it == "plan").into_iter().map(|it| it.0).collect();
        assert_eq!(names, ["fix", "kit:fix", "kit:pdf", "project:plan", "user:fix", "web:fix"]);
        let prompt = |text: &str| all.prompt(text).map(|it| it.replace(&format!("{text}\n\n"), "")).unwrap_or_default();
        assert_eq!(all.prompt("/fix a").as_deref(), Some("/fix a\n\nThe project's a"));
        assert_eq!([prompt("/fix a"), prompt("/user:fix a")], ["The project's a", "The user's a"]);
        assert_eq!([prompt("/kit:fix"), prompt("/kit:pdf")], ["The kit's", "Read it"]);
        assert_eq!([prompt("/web:fix"), prompt("/plan")], ["The page's", "Plan it"]);
        assert_eq!([prompt("fix a"), prompt("/none"), prompt("/etc/hosts is wrong")], ["", "", ""]);
        assert_eq!(all.problems, []);
    }

    #[test]
    fn what_cannot_be_used_is_said_and_the_rest_is_there() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "secret.md", "secret");
        write(root, "project/.claude/commands/good.md", "Do it");
        write(root, "project/.claude/commands/empty.md", "");
        write(root, "project/.claude/commands/a b.md", "x");
        write(root, "project/.claude/commands/yaml.md", "---\nx: [a\n---\nx");
        write(root, "project/.claude/skills/bare/SKILL.md", "No head.");
        write(root, "project/.claude/skills/none/README.md", "No skill.");
        write(root, "project/.claude/settings.json", "{");
        std::os::unix::fs::symlink(root.join("secret.md"), root.join("project/.claude/commands/out.md")).unwrap();
        let all = found(root);
        assert_eq!(all.commands.iter().map(|it| it.name.as_str()).collect::<Vec<_>>(), ["good"]);
        let said: Vec<String> =
            all.problems.iter().map(|it| it.args["file"].rsplit('/').next().unwrap().to_owned()).collect();
        assert_eq!(said, ["a b.md", "empty.md", "out.md", "yaml.md", "SKILL.md", "settings.json"]);
        assert!(all.problems[2].args["why"].starts_with("it is a link that leads out of"));
    }
}
