//! Checks whose programs are not there: said with what to do, and held against nobody.

use ox_protocol::{Check, CheckKind};
use ox_repo::Tree;
use serde_json::Value;

use super::run::program;

const NO_TESTS: &str = "it found no tests to run";

/// Why `check` cannot run at all, known without running it.
pub(super) fn before(check: &Check, tree: &Tree) -> Option<String> {
    let program = program(&check.command);
    let (manager, install) = match program {
        "npm" | "npx" => ("npm", if has(tree, check, "package-lock.json") { "npm ci" } else { "npm install" }),
        "pnpm" => ("pnpm", "pnpm install"),
        "yarn" => ("yarn", "yarn install"),
        "bun" => ("bun", "bun install"),
        _ => return None,
    };
    // Yarn's plug'n'play keeps dependencies elsewhere; a workspace keeps them above.
    let installed = has(tree, check, "node_modules") || has(tree, check, ".pnp.cjs") || exists(tree, "node_modules");
    if installed || !needs_packages(tree, check) {
        return None;
    }
    Some(format!(
        "the dependencies are not installed (there is no node_modules folder): run `{install}` first, then {manager} can run this check"
    ))
}

/// Why `check`, which passed, is no proof: before Python 3.12 `unittest` is content with no tests at all.
pub(super) fn proves_nothing(check: &Check, output: &str) -> Option<String> {
    let is_empty = check.command.contains("unittest") && output.lines().any(|it| it.starts_with("Ran 0 tests in "));
    is_empty.then(|| NO_TESTS.to_owned())
}

/// Why `check`, which failed, did not really run.
pub(super) fn after(check: &Check, code: Option<i32>, output: &str) -> Option<String> {
    let line = |words: &str| output.lines().rev().find(|it| it.contains(words)).map(str::trim);
    let last = |words: &str| output.lines().rev().map(str::trim).find(|it| it.ends_with(words));
    let said = |line: &str, hint: &str| Some(format!("{line}\n{hint}"));
    let program = program(&check.command);
    if let Some(module) = check.command.split(" -m ").nth(1).and_then(|it| it.split_whitespace().next())
        && let Some(line) = last(&format!(": No module named {module}"))
    {
        return said(line, &format!("install `{module}` into the project's environment, then this check can run"));
    }
    if program == "npx" && (output.contains("npx canceled") || output.contains("could not determine executable")) {
        return Some(format!(
            "a tool that `{}` needs is not among the installed dependencies: install them first",
            check.command
        ));
    }
    if program == "cargo"
        && let Some(line) = line("is not installed for the toolchain").or_else(|| line("no such command"))
    {
        return said(line, "install that component, then this check can run");
    }
    if check.command.contains("pytest")
        && let Some(line) = pytest_lacks(output)
    {
        return said(line, "install that plugin or version of pytest, then this check can run");
    }
    let no_tests = ["No test files found, exiting", "No tests found, exiting", "NO TESTS RAN", "no tests ran in"];
    // pytest says so, too, where one of its hooks broke.
    let broke = output.contains("INTERNALERROR>");
    if check.kind == CheckKind::Test && !broke && no_tests.iter().any(|it| output.contains(it)) {
        return Some(NO_TESTS.to_owned());
    }
    match code {
        Some(127) => {
            let missing = line("not found").unwrap_or("command not found");
            said(missing, "install the program, or set the project's checks in the configuration")
        }
        _ => None,
    }
}

/// What the project's configuration wants of pytest and this pytest does not have: a plugin, an option of one, a version.
fn pytest_lacks(output: &str) -> Option<&str> {
    const WANTS: [&str; 3] =
        [": error: unrecognized arguments: ", "Missing required plugins: ", "'minversion' requires pytest-"];
    output.lines().map(str::trim).find(|line| WANTS.iter().any(|it| line.contains(it)))
}

/// True when the folder that `check` was found in has `name`.
fn has(tree: &Tree, check: &Check, name: &str) -> bool {
    exists(tree, &in_folder(check, name))
}

fn in_folder(check: &Check, name: &str) -> String {
    check.source.rsplit_once('/').map_or_else(|| name.to_owned(), |(folder, _)| format!("{folder}/{name}"))
}

/// Installed dependencies may be links out of the tree, so only the name is looked for.
fn exists(tree: &Tree, path: &str) -> bool {
    tree.root().join(path).exists()
}

fn needs_packages(tree: &Tree, check: &Check) -> bool {
    let text = tree.read(&in_folder(check, "package.json")).map(|it| it.text).unwrap_or_default();
    let package: Value = serde_json::from_str(&text).unwrap_or_default();
    let lists = ["dependencies", "devDependencies"];
    lists.iter().any(|it| package.get(it).and_then(Value::as_object).is_some_and(|it| !it.is_empty()))
}
