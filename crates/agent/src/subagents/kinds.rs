//! The kinds of sub-agents: three of Ox's own, and those of the user's and the project's files.
//!
//! A kind only narrows what its parent may do; whatever its file says gives it no right that the parent lacks.

use std::path::Path;

use ox_checks::yaml;
use ox_context::agent_words;
use ox_core::REVIEW;
use ox_protocol::{Mode, Problem};
use ox_tools::Tool;
use serde_json::{Map, Value};

/// The longest file of a kind that is read, in bytes.
const LONGEST: u64 = 64 << 10;

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

    /// Adds the kinds of the files `NAME.md` in a folder; one of the same name takes the place of an earlier one. What
    /// cannot be read is left out, and reported as a problem.
    pub fn add_folder(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut files: Vec<_> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
        files.retain(|it| it.extension().is_some_and(|it| it == "md"));
        files.sort();
        for file in files {
            match read(&file) {
                Ok(kind) => {
                    self.kinds.retain(|it| it.name != kind.name);
                    self.kinds.push(kind);
                }
                Err(why) => {
                    let problem = Problem::new("agents.unreadable").with("file", file.display()).with("why", why);
                    self.problems.push(problem);
                }
            }
        }
    }
}

impl AgentKind {
    /// True when it may use that tool, as far as its mode allows it.
    pub(crate) fn has(&self, tool: &Tool) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|it| *it == tool.name)
    }
}

fn read(file: &Path) -> Result<AgentKind, String> {
    let size = std::fs::metadata(file).map_err(|it| it.to_string())?.len();
    if size > LONGEST {
        return Err(format!("it has {size} bytes, and {LONGEST} are the most"));
    }
    let text = std::fs::read_to_string(file).map_err(|it| it.to_string())?;
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    parse(&name, &text)
}

/// A kind as its file states it: YAML between two lines `---`, then the prompt.
fn parse(name: &str, text: &str) -> Result<AgentKind, String> {
    let body = text.strip_prefix("---").and_then(|it| it.split_once('\n')).map(|(_, rest)| format!("\n{rest}"));
    let (head, prompt) = body
        .as_deref()
        .and_then(|it| it.split_once("\n---"))
        .ok_or("it does not begin with `key: value` lines between two lines `---`")?;
    let mut kind = AgentKind {
        name: name.to_owned(),
        prompt: prompt.trim_start_matches('-').trim().to_owned(),
        // Whoever says nothing gets no right to change anything.
        mode: Mode::Chat,
        ..AgentKind::default()
    };
    let head = yaml(head);
    if let Some(why) = head.broken {
        return Err(format!("what stands between the two lines `---` is no YAML: {why}"));
    }
    let none = Map::new();
    let fields = match &head.value {
        Value::Object(fields) => fields,
        Value::Null => &none,
        _ => return Err("what stands between the two lines `---` are no `key: value` lines".to_owned()),
    };
    for (key, value) in fields {
        kind.set(key, value)?;
    }
    if kind.prompt.is_empty() {
        return Err("it has no prompt below the second `---`".to_owned());
    }
    Ok(kind)
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
        let line = |text: &str| match parse("it", text) {
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

    #[test]
    fn a_file_takes_the_place_of_an_own_kind_and_a_wrong_one_is_a_problem() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("explore.md"), "---\ndescription: mine\n---\nLook twice.").unwrap();
        std::fs::write(folder.path().join("wrong.md"), "Look.").unwrap();
        std::fs::write(folder.path().join("notes.txt"), "not a kind").unwrap();
        let mut kinds = AgentKinds::default();
        kinds.add_folder(folder.path());
        kinds.add_folder(&folder.path().join("missing"));
        let names: Vec<&str> = kinds.all().iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, [REVIEW, "test-writer", "explore"]);
        assert_eq!(kinds.get("explore").map(|it| it.prompt.as_str()), Some("Look twice."));
        assert_eq!(kinds.problems.len(), 1);
    }
}
