//! The kinds of sub-agents: three of Ox's own, and those of the files of users, plugins and projects.
//!
//! A kind only narrows what its parent may do; whatever its file says gives it no right that the parent lacks.

use ox_context::agent_words;
use ox_core::{REVIEW, names_tool};
use ox_extensions::{AgentFile, FrontMatter, front_matter, line, own_tools};
use ox_protocol::{Mode, Problem};
use ox_tools::Tool;
use serde_json::{Map, Value};

/// A kind of sub-agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentKind {
    /// Its name, as a model calls it.
    pub name: String,
    /// When to ask for it, in one line.
    pub description: String,
    /// What it reads of its part.
    pub prompt: String,
    /// Names of its tools; all that its mode allows where none is named.
    pub tools: Vec<String>,
    /// Names of tools that it has not.
    pub without: Vec<String>,
    /// What it may do.
    pub mode: Mode,
    /// Its model, as `provider/model`; by default the one of the role, else its parent's.
    pub model: Option<String>,
    /// Globs that its edits must stay within.
    pub scope: Vec<String>,
    /// It works in a copy of the project.
    pub worktree: bool,
}

/// The kinds that a session knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentKinds {
    kinds: Vec<AgentKind>,
    /// Files that could not be used, and why.
    pub problems: Vec<Problem>,
}

impl Default for AgentKinds {
    /// Ox's own.
    fn default() -> AgentKinds {
        let kind = |name: &str, description: &str, mode| AgentKind {
            name: name.to_owned(),
            description: description.to_owned(),
            prompt: agent_words(name).to_owned(),
            mode,
            ..AgentKind::default()
        };
        let words = |list: &str| list.split(' ').map(str::to_owned).collect();
        let kinds = vec![
            kind("explore", "answers a question about the code with file:line", Mode::Chat),
            kind(REVIEW, "finds faults in the changes of this turn", Mode::Chat),
            AgentKind {
                tools: words(TEST_TOOLS),
                scope: words(TESTS),
                ..kind("test-writer", "writes tests", Mode::Auto)
            },
        ];
        AgentKinds { kinds, problems: Vec::new() }
    }
}

/// What a writer of tests works with: no command, because the scope of a command's writes is not known.
const TEST_TOOLS: &str = "read_file edit_file write_file search_code list_files run_checks project_structure git_diff \
    replace_in_file edit_lines edit_symbol apply_patch find_symbol list_definitions find_references search_semantic \
    impact think find_tools use_tool attempt_completion";

/// Where projects keep tests, by the conventions of their languages' runners.
const TESTS: &str = "**/test/** **/tests/** **/__tests__/** **/spec/** **/testdata/** **/fixtures/** **/test_*.* \
    **/*_test.* **/*_tests.* **/tests.* **/*.test.* **/*.spec.* **/*_spec.* **/*Test.* **/*Tests.* **/conftest.py";

impl AgentKinds {
    /// The kind of that name.
    pub fn get(&self, name: &str) -> Option<&AgentKind> {
        self.kinds.iter().find(|it| it.name == name)
    }

    /// All of them, Ox's own first.
    pub fn all(&self) -> &[AgentKind] {
        &self.kinds
    }

    /// Ox's own, and those of these files.
    pub fn of(files: &[AgentFile]) -> AgentKinds {
        let mut kinds = AgentKinds::default();
        kinds.add(files);
        kinds
    }

    /// Adds the kinds of files; one of the same name takes the place of an earlier one. What cannot be read is left out, and
    /// reported as a problem.
    fn add(&mut self, files: &[AgentFile]) {
        for file in files {
            match parse(file) {
                Ok(kind) => {
                    self.kinds.retain(|it| it.name != kind.name);
                    self.kinds.push(kind);
                }
                Err(why) => {
                    let problem = Problem::new("extensions.unreadable").with("file", file.path.display());
                    self.problems.push(problem.with("why", why));
                }
            }
        }
    }
}

impl AgentKind {
    /// True when it may use that tool, as far as its mode allows it.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        let names = |all: &[String]| all.iter().any(|it| names_tool(it, &tool.name));
        (self.tools.is_empty() || names(&self.tools)) && !names(&self.without)
    }
}

/// A kind as its file states it: YAML between two lines `---`, then the prompt.
fn parse(file: &AgentFile) -> Result<AgentKind, String> {
    let read = front_matter(&file.text)?;
    let fields = read.fields.as_ref().ok_or("it does not begin with `key: value` lines between two lines `---`")?;
    let mut kind = AgentKind {
        name: file.name.clone(),
        prompt: read.body.clone(),
        // Whoever says nothing gets no right to change anything.
        mode: Mode::Chat,
        ..AgentKind::default()
    };
    if file.foreign {
        kind.set_foreign(&read, fields)?;
    } else {
        for (key, value) in fields {
            kind.set(key, value)?;
        }
    }
    if kind.prompt.is_empty() {
        return Err("it has no prompt below the second `---`".to_owned());
    }
    if let Some(plugin) = &file.plugin {
        kind.name = format!("{plugin}:{}", kind.name);
    }
    Ok(kind)
}

/// The tools with which a kind of another agent changes nothing.
const READING: &str = "read_file list_files search_code web_fetch todo_write skill mcp_resource";

impl AgentKind {
    /// The fields of another agent's format. Where they name no tools it has all, and may change what its parent may.
    fn set_foreign(&mut self, file: &FrontMatter, fields: &Map<String, Value>) -> Result<(), String> {
        self.name = file.text("name").unwrap_or_else(|| self.name.clone());
        self.description = line(&self.name, &file.text("description").ok_or("it has no `description`")?);
        let tools = |key: &str| match fields.get(key) {
            Some(value) => Ok(list(key, value)?.iter().flat_map(|it| tool_names(it)).collect()),
            None => Ok::<Vec<String>, String>(Vec::new()),
        };
        self.tools = tools("tools")?;
        self.without = tools("disallowedTools")?;
        self.model = file.text("model").filter(|it| it.contains('/'));
        let reads = !self.tools.is_empty() && self.tools.iter().all(|it| READING.split(' ').any(|own| own == it));
        let plans = file.text("permissionMode").is_some_and(|it| it == "plan");
        self.mode = if reads || plans { Mode::Chat } else { Mode::Auto };
        self.worktree = file.text("isolation").is_some_and(|it| it == "worktree");
        Ok(())
    }
}

/// The names here of a tool as another agent names it, such as `Bash` or `Bash(git:*)`.
fn tool_names(name: &str) -> Vec<String> {
    let name = name.split('(').next().unwrap_or_default().trim();
    match own_tools(name) {
        own if own.is_empty() => vec![name.to_owned()],
        own => own.into_iter().map(str::to_owned).collect(),
    }
}

impl AgentKind {
    fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let text = || value.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is one word or sentence"));
        match key {
            "description" => self.description = text()?.split_whitespace().collect::<Vec<_>>().join(" "),
            "tools" => self.tools = list(key, value)?,
            "scope" => self.scope = list(key, value)?,
            "worktree" => {
                self.worktree = match text()?.as_str() {
                    "true" => true,
                    "false" => false,
                    other => return Err(format!("`worktree` is true or false, not `{other}`")),
                }
            }
            "model" => self.model = Some(text()?).filter(|it| it.contains('/')),
            "mode" => {
                self.mode = match text()?.as_str() {
                    "chat" => Mode::Chat,
                    "auto" => Mode::Auto,
                    "build" => Mode::Build,
                    other => return Err(format!("`mode` is chat, auto or build, not `{other}`")),
                }
            }
            "name" if text()? != self.name => {
                return Err(format!("its name is the file's, `{}`, not `{}`", self.name, text()?));
            }
            "name" => {}
            other => {
                return Err(format!(
                    "`{other}` is no key; there are description, tools, mode, model, scope and worktree"
                ));
            }
        }
        Ok(())
    }
}

/// Several words: a list, or one line with commas.
fn list(key: &str, value: &Value) -> Result<Vec<String>, String> {
    let one = |it: &Value| it.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is a list of words"));
    let words: Vec<String> = match value {
        Value::Array(items) => items.iter().map(one).collect::<Result<_, _>>()?,
        value => one(value)?.split(',').map(|it| it.trim().to_owned()).collect(),
    };
    Ok(words.into_iter().filter(|it| !it.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use ox_extensions::Scope;

    use super::*;

    #[test]
    fn a_kind_is_read_from_its_file_and_gets_no_right_that_it_does_not_name() {
        let cases = [
            "---\ndescription: Looks for slow code\ntools: [read_file, search_code]\n---\nFind what is slow.\n",
            "---\nname: it\nmode: auto\nscope: docs/**, *.md\nmodel: openai/small\n---\nWrite the docs.",
            "---\ndescription: >\n  looks for\n  races # truly\ntools:\n  - read_file # alone\n  - \"search_code\"\n---\nLook.",
            "---\nmode: [auto]\n---\nLook.",
            "---\ntools: [read_file\n---\nLook.",
            "---\n# nothing is set\n---\nLook.",
            "---\nmodel: inherit\n---\nLook.",
            "---\nmode: root\n---\nLook.",
            "---\nname: other\n---\nLook.",
            "---\nallow: run_command\n---\nLook.",
            "---\nmode: auto\n---\n",
            "Look.",
        ];
        let line = |text: &str| match parse(&file("it", text)) {
            Ok(it) => format!("{:?} {:?} {:?} {:?} {}", it.mode, it.tools, it.scope, it.model, it.prompt),
            Err(why) => why,
        };
        expect![[r#"
            Chat ["read_file", "search_code"] [] None Find what is slow.
            Auto [] ["docs/**", "*.md"] Some("openai/small") Write the docs.
            Chat ["read_file", "search_code"] [] None Look.
            `mode` is one word or sentence
            what stands between the two lines `---` is no YAML: while parsing a flow sequence, expected ',' or ']' at byte 18 line 3 column 1
            Chat [] [] None Look.
            Chat [] [] None Look.
            `mode` is chat, auto or build, not `root`
            its name is the file's, `it`, not `other`
            `allow` is no key; there are description, tools, mode, model, scope and worktree
            it has no prompt below the second `---`
            it does not begin with `key: value` lines between two lines `---`"#]]
        .assert_eq(&cases.map(line).join("\n"));
    }

    fn file(name: &str, text: &str) -> AgentFile {
        AgentFile {
            name: name.to_owned(),
            plugin: None,
            path: format!("/agents/{name}.md").into(),
            text: text.to_owned(),
            foreign: false,
            scope: Scope::User,
        }
    }

    #[test]
    fn a_kind_of_another_agent_has_the_tools_that_do_the_same_here() {
        let cases = [
            "name: code-reviewer\ndescription: Reads it\ntools: Read, Grep, Glob\nmodel: sonnet\ncolor: red",
            "description: Runs: anything\ntools: Bash(git:*), mcp__db__query",
            "description: Plans\npermissionMode: plan\ndisallowedTools: [Bash]\nmodel: openai/small",
            "description: Works apart\nisolation: worktree",
            "name: silent",
        ];
        let line = |head: &str| {
            let text = format!("---\n{head}\n---\nDo it.");
            let plugin = Some("kit".to_owned());
            match parse(&AgentFile { foreign: true, plugin, ..file("it", &text) }) {
                Ok(it) => format!(
                    "{} ({}) {:?} {:?} -{:?} {:?} {}",
                    it.name, it.description, it.mode, it.tools, it.without, it.model, it.worktree
                ),
                Err(why) => why,
            }
        };
        expect![[r#"
            kit:code-reviewer (Reads it) Chat ["read_file", "search_code", "list_files"] -[] None false
            kit:it (Runs: anything) Auto ["run_command", "mcp__db__query"] -[] None false
            kit:it (Plans) Chat [] -["run_command"] Some("openai/small") false
            kit:it (Works apart) Auto [] -[] None true
            it has no `description`"#]]
        .assert_eq(&cases.map(line).join("\n"));
    }

    #[test]
    fn a_file_takes_the_place_of_an_own_kind_and_a_wrong_one_is_a_problem() {
        let mut kinds = AgentKinds::default();
        kinds.add(&[file("explore", "---\ndescription: mine\n---\nLook twice."), file("wrong", "Look.")]);
        let names: Vec<&str> = kinds.all().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [REVIEW, "test-writer", "explore"]);
        assert_eq!(kinds.get("explore").map(|it| it.prompt.as_str()), Some("Look twice."));
        assert_eq!(kinds.problems.len(), 1);
    }
}
