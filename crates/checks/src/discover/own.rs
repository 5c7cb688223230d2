//! How a project says that it is tested: a runner of its own, `tox.ini`, `noxfile.py`, the workflows of its CI. Only plain
//! commands are taken over; what needs values that are known only there is left alone.

use ox_core::test_runs::runs_tests;
use ox_protocol::{Check, CheckKind};

use super::ci::{self, Step};
use super::project::Project;
use crate::command::tool;

/// Where projects keep a runner of their own.
const SCRIPTS: [&str; 7] = [
    "tests/runtests.py",
    "runtests.py",
    "test/runtests.py",
    "run_tests.py",
    "tests/run_tests.py",
    "tests/run.py",
    "bin/test",
];

/// The project's own runner in Python.
pub(super) fn script(project: &Project<'_>, python: &str) -> Option<Check> {
    let script = project.first(&SCRIPTS)?;
    let text = project.text(script)?;
    if script == "bin/test" && !text.lines().next()?.contains("python") {
        return None;
    }
    let (folder, name) = script.rsplit_once('/').unwrap_or(("", script));
    if name == "test" || folder.is_empty() {
        let command = format!("{python} {script}");
        let one = format!("{command} FILE -k NAME");
        return Some(project.tests(script, &command, script, if name == "test" { &one } else { &command }));
    }
    // It expects to be started where it lies, beside a project that may not be installed.
    let python =
        if python.starts_with('.') || python.contains('/') { format!("../{python}") } else { python.to_owned() };
    let command = format!("cd {folder} && PYTHONPATH=.. {python} {name}");
    Some(project.tests(name, &command, script, &format!("{command} PACKAGE.MODULE.CLASS.TEST")))
}

/// The tests of a site made with Django. A database of a run that was killed is replaced without a question.
pub(super) fn django(project: &Project<'_>, python: &str) -> Option<Check> {
    let is_django = project.says("manage.py", "django");
    let command = format!("{python} manage.py test --noinput");
    is_django.then(|| {
        project.tests("manage.py test", &command, "manage.py", &format!("{command} PACKAGE.MODULE.CLASS.TEST"))
    })
}

/// The first command of tox's plain environment that runs tests.
pub(super) fn tox(project: &Project<'_>, python: &str) -> Option<Check> {
    let text = project.text("tox.ini")?;
    let section = text.split("\n[").map(|it| it.trim_start_matches('[')).find(|it| it.starts_with("testenv]"))?;
    let mut key = "";
    let (mut folder, mut commands) = (String::new(), Vec::new());
    for line in section.lines().skip(1).filter(|it| !it.trim_start().starts_with('#')) {
        let value = match line.split_once('=').filter(|_| !line.starts_with([' ', '\t'])) {
            Some((name, value)) => {
                key = name.trim();
                value
            }
            None => line,
        };
        match key {
            "changedir" if !value.trim().is_empty() => folder = value.trim().replace("{toxinidir}/", ""),
            "commands" => commands.push(substituted(value.trim().trim_start_matches(['-', '!'])).trim().to_owned()),
            _ => {}
        }
    }
    let command = commands.iter().find_map(|it| tests(it, python))?;
    let command = if folder.is_empty() { command } else { format!("cd {folder} && {command}") };
    Some(project.check("tox", CheckKind::Test, &command, "tox.ini"))
}

/// A line of tox with what stands for arguments replaced by what stands there without any.
fn substituted(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((head, tail)) = rest.split_once("{posargs") {
        let Some((inside, after)) = tail.split_once('}') else { break };
        out += head;
        out += inside.strip_prefix(':').unwrap_or_default();
        rest = after;
    }
    (out + rest).replace("{envpython}", "python").replace("{toxinidir}", ".")
}

/// The first command of a session of nox that runs tests.
pub(super) fn nox(project: &Project<'_>, python: &str) -> Option<Check> {
    let text = project.text("noxfile.py")?;
    let mut calls = text.split("session.run(").skip(1).map(|it| it.split(')').next().unwrap_or_default());
    let words = |call: &str| -> String {
        let literals: Vec<&str> = call.split(['"', '\'']).skip(1).step_by(2).collect();
        literals.join(" ")
    };
    let command = calls.find_map(|it| tests(&words(it), python))?;
    Some(project.check("nox", CheckKind::Test, &command, "noxfile.py"))
}

/// The first plain command of this kind that the CI runs in the folder.
pub(super) fn workflow(project: &Project<'_>, kind: CheckKind) -> Option<Check> {
    let python = project.python();
    let fits = |it: &&Step| ci::kind(&it.command) == Some(kind);
    project.ci().filter(fits).find_map(|step| {
        let command = plain(&step.command, &python)?;
        let name = if kind == CheckKind::Test { "tests of the CI".to_owned() } else { tool(&command) };
        let check = project.check(&name, kind, &command, "");
        Some(Check { source: step.file.clone(), ..check })
    })
}

/// `line` where it is one plain command that runs tests.
fn tests(line: &str, python: &str) -> Option<String> {
    plain(line, python).filter(|_| runs_tests(line) || line.trim_start().starts_with("coverage run"))
}

/// `line` where it is one plain command, with the project's interpreter.
fn plain(line: &str, python: &str) -> Option<String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    // Coverage is for reports; what it watches runs as well without.
    let line = match words.as_slice() {
        ["coverage", "run", rest @ ..] => {
            let from = rest.iter().position(|it| *it == "-m" || !it.starts_with('-'))?;
            format!("python {}", rest[from..].join(" "))
        }
        ["pytest", rest @ ..] => format!("python -m pytest {}", rest.join(" ")).trim_end().to_owned(),
        // What is not there is not fetched.
        ["npx", rest @ ..] if rest.first() != Some(&"--no-install") => format!("npx --no-install {}", rest.join(" ")),
        ["uvx" | "bunx" | "pipx" | "dlx", ..] | [_, "dlx", ..] => return None,
        _ => line.to_owned(),
    };
    let joins = line.contains(['{', '}', '$', '|', '&', ';', '<', '>', '`', '(', '*', '#']);
    if joins || line.is_empty() || line.starts_with("tox") || line.starts_with("nox") {
        return None;
    }
    Some(match line.split_once(' ') {
        Some(("python" | "python3", rest)) => format!("{python} {rest}"),
        _ => line,
    })
}
