//! Python projects: the tools that they configure, and the tests that they have.

use std::cell::OnceCell;

use ox_protocol::{Check, CheckKind};
use toml::Table;

use super::project::Project;
use super::{own, unittest};
use crate::paths::within;

const PROJECT: &str = "pyproject.toml";
/// So many levels of folders show whether a project without any configuration has Python in it.
const LEVELS: usize = 3;

/// Type checker, linter and tests.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let config = project.text(PROJECT).and_then(|it| it.parse::<Table>().ok()).unwrap_or_default();
    let python = Python { project, config, likely: OnceCell::new() };
    [python.types(), python.lint(), python.test()].into_iter().flatten().collect()
}

/// How the project starts a tool of Python with these arguments.
pub(super) fn started(project: &Project<'_>, command: &str) -> String {
    let (tool, rest) = command.split_once(' ').unwrap_or((command, ""));
    let python = Python { project, config: Table::new(), likely: OnceCell::new() };
    format!("{} {rest}", python.command(tool))
}

struct Python<'a> {
    project: &'a Project<'a>,
    config: Table,
    likely: OnceCell<bool>,
}

impl Python<'_> {
    fn types(&self) -> Option<Check> {
        if let Some(source) = self.configured("mypy", &["mypy.ini", ".mypy.ini"]) {
            let text = self.project.text(source).unwrap_or_default();
            let named = self.tool("mypy").is_some_and(|it| it.get("files").is_some() || it.get("packages").is_some());
            let named = named || text.lines().any(|it| it.starts_with("files") || it.starts_with("packages"));
            let what = if named { "" } else { " ." };
            return Some(self.project.check("mypy", CheckKind::Types, &(self.command("mypy") + what), source));
        }
        if let Some(source) = self.configured("pyright", &["pyrightconfig.json"]) {
            return Some(self.project.check("pyright", CheckKind::Types, &self.command("pyright"), source));
        }
        let source = self.configured("basedpyright", &[])?;
        Some(self.project.check("basedpyright", CheckKind::Types, &self.command("basedpyright"), source))
    }

    fn lint(&self) -> Option<Check> {
        if let Some(source) = self.configured("ruff", &["ruff.toml", ".ruff.toml"]) {
            let command = self.command("ruff") + " check .";
            return Some(self.project.check("ruff", CheckKind::Lint, &command, source));
        }
        let source = self.configured("flake8", &[".flake8"])?;
        Some(self.project.check("flake8", CheckKind::Lint, &self.command("flake8"), source))
    }

    fn test(&self) -> Option<Check> {
        let (project, python) = (self.project, self.project.python());
        let python = python.as_str();
        let configured = self.configured("pytest", &["pytest.ini", ".pytest.ini"]);
        if let Some(own) = own::script(project, python) {
            return Some(own);
        }
        // What the project says that it runs comes before what its files look like.
        let reported = || own::tox(project, python).or_else(|| own::nox(project, python));
        if configured.is_none()
            && let Some(reported) = reported()
                .or_else(|| own::workflow(project, CheckKind::Test).filter(|_| self.is_likely()))
                .or_else(|| own::django(project, python))
        {
            return Some(reported);
        }
        // The whole tree is looked through only where the answer is in it.
        let missing =
            configured.is_some() && !project.has_module(python, "pytest") && project.has_module(python, "unittest");
        let tests = match configured.is_none() && self.is_likely() || missing {
            true => self.project.files(&["test_*.py", "*_test.py"], None, 30),
            false => Vec::new(),
        };
        let source = configured.or_else(|| tests.first().map(|it| self.inside(it)))?;
        // Where only pytest is missing, tests that do not use it run without it.
        if missing && self.know_no_pytest(&tests) || configured.is_none() && self.only_unittest(&tests) {
            let files: Vec<&str> = tests.iter().map(|it| self.inside(it)).collect();
            return Some(unittest::check(self.project, &files, source));
        }
        // The module form puts the project's own folder on the import path.
        let command = format!("{python} -m pytest -q -rfE --tb=short --continue-on-collection-errors");
        Some(self.project.tests("pytest", &command, source, &format!("{python} -m pytest -q FILE -k NAME")))
    }

    /// True where the top of the project shows that there is Python in it.
    fn is_likely(&self) -> bool {
        const SIGNS: [&str; 6] = [PROJECT, "setup.py", "setup.cfg", "tox.ini", "Pipfile", "requirements.txt"];
        let has_files = || !self.project.files(&["*.py"], Some(LEVELS), 1).is_empty();
        *self.likely.get_or_init(|| self.project.first(&SIGNS).is_some() || has_files())
    }

    /// The file that configures `tool`.
    fn configured<'n>(&self, tool: &str, files: &[&'n str]) -> Option<&'n str> {
        if let Some(file) = self.project.first(files) {
            return Some(file);
        }
        if self.tool(tool).is_some() {
            return Some(PROJECT);
        }
        let (section, names): (_, &[&'static str]) = match tool {
            "pytest" => ("[tool:pytest]".to_owned(), &["setup.cfg", "tox.ini"]),
            other => (format!("[{other}]"), &["setup.cfg"]),
        };
        names.iter().copied().find(|it| self.project.text(it).is_some_and(|it| it.contains(&section)))
    }

    fn tool(&self, name: &str) -> Option<&toml::Value> {
        self.config.get("tool")?.get(name)
    }

    /// The tests of a project that knows nothing of pytest run without it.
    fn only_unittest(&self, tests: &[String]) -> bool {
        let lists =
            [PROJECT, "requirements.txt", "requirements-dev.txt", "dev-requirements.txt", "setup.py", "tox.ini"];
        if lists.iter().any(|it| self.project.text(it).is_some_and(|it| it.contains("pytest"))) {
            return false;
        }
        self.know_no_pytest(tests)
    }

    fn know_no_pytest(&self, tests: &[String]) -> bool {
        let mut texts = tests.iter().filter_map(|it| self.project.tree.read(it).ok()).map(|it| it.text).peekable();
        texts.peek().is_some() && texts.all(|it| it.contains("unittest") && !it.contains("pytest"))
    }

    /// A path of the tree as seen from the project's folder.
    fn inside<'p>(&self, file: &'p str) -> &'p str {
        within(&self.project.dir, file).unwrap_or(file)
    }

    /// How a tool is called: from the project's environment, else as the user installed it.
    fn command(&self, tool: &str) -> String {
        let (python, is_there) = (self.project.python(), (self.project.installed)(tool));
        let Some((folder, _)) = python.rsplit_once('/') else {
            return if is_there && python == "python3" { tool.to_owned() } else { format!("{python} -m {tool}") };
        };
        let own = self.project.has(&format!("{folder}/{tool}"));
        if is_there && !own { tool.to_owned() } else { format!("{python} -m {tool}") }
    }
}
