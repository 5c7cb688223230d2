//! Checks that cannot run here, and why: not installed, out of reach for commands, nothing to look at. Said with what to do,
//! and held against nobody. Files are looked at to find out; no program is run.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ox_protocol::{Check, CheckKind, CheckStatus, Job, Lack, Rights, Runner};
use ox_repo::Tree;
use ox_sandbox::on_path;
use serde_json::Value;

use crate::command::{folder, program};
use crate::parse::counts::counts;
use crate::paths::joined;

const NO_TESTS: &str = "it found no tests to run";

fn lack(status: CheckStatus, why: impl Into<String>) -> Lack {
    Lack { status, why: why.into() }
}

/// Why `check` cannot run at all, known without running it.
pub(crate) fn before(check: &Check, tree: &Tree) -> Option<Lack> {
    packages(check, tree).map(|why| lack(CheckStatus::NotInstalled, why)).or_else(|| match needs(check, tree) {
        Err(why) => Some(lack(CheckStatus::NotInstalled, why)),
        Ok(_) => sees_nothing(check, tree).map(|why| lack(CheckStatus::CouldNotStart, why)),
    })
}

/// The files outside the tree that a check of a known kind needs, as far as that can be told from its command line; the words
/// about what is not installed. The user's own command lines are not looked into.
pub(super) fn needs(check: &Check, tree: &Tree) -> Result<Vec<PathBuf>, String> {
    let name = program(&check.command);
    if check.source == "config" || name.is_empty() {
        return Ok(Vec::new());
    }
    let here = tree.root().join(folder(&check.command));
    let place = if name.contains('/') { Some(here.join(name)) } else { on_path(name) };
    let Some(place) = place.filter(|it| it.exists() || name.contains('/') && !name.starts_with("vendor/")) else {
        return Err(format!("{name} is not installed{}", how(name)));
    };

    let words: Vec<&str> = check.command.split_whitespace().collect();
    let after = |flag: &str| words.iter().position(|it| *it == flag).and_then(|at| words.get(at + 1)).copied();
    let mut needed = vec![place.clone()];
    if let Some(module) = after("-m").filter(|it| name.contains("python") && *it != "unittest") {
        match module_of(&place, module) {
            Module::Absent => {
                return Err(format!("the package {module} is not installed for {name}: {}", pip(name, module)));
            }
            Module::At(file) => needed.push(file),
            Module::Unknown => {}
        }
    }
    if let Some(tool) = after("--no-install").or(after("exec")).filter(|_| matches!(name, "npx" | "pnpm")) {
        let binary = format!("node_modules/.bin/{tool}");
        if !has(tree, check, &binary) && !exists(tree, &binary) && !has(tree, check, ".pnp.cjs") {
            return Err(format!("{tool} is not among the installed dependencies"));
        }
    }
    if let Some(tool) = tool_of_script(check, tree) {
        return Err(format!("{tool} is not among the installed dependencies: run `{name} install`"));
    }
    Ok(needed.into_iter().filter(|it| !it.starts_with(tree.root())).collect())
}

/// `checks`, each with why it cannot run here where that can be seen: what it needs is not installed, or commands cannot
/// reach it. One small command looks from inside; nothing of the project runs.
pub async fn seen_from_inside(mut checks: Vec<Check>, tree: &Tree, runner: &dyn Runner, rights: &Rights) -> Vec<Check> {
    const LOOK: &str = r#"for it; do [ -e "$it" ] || printf '%s\n' "$it"; done"#;
    let mut needed: Vec<String> = Vec::new();
    for check in &mut checks {
        check.lacks = before(check, tree);
        needed.extend(needs(check, tree).unwrap_or_default().iter().map(|it| it.display().to_string()));
    }
    needed.sort_unstable();
    needed.dedup();
    if needed.is_empty() || !runner.isolated() {
        return checks;
    }
    let argv = ["sh", "-c", LOOK, "sh"].map(str::to_owned).into_iter().chain(needed).collect();
    let rights = Rights { time: Duration::from_secs(5), ..rights.clone() };
    let cwd = tree.root().to_owned();
    let job = Job { argv, cwd, env: Vec::new(), stdin: Vec::new(), terminal: None, rights };
    // Where this cannot be found out, running the check will tell.
    let Ok(exit) = runner.run(job, None).await else { return checks };
    let unseen = exit.output.text(|_| String::new());
    for check in checks.iter_mut().filter(|it| it.lacks.is_none()) {
        let needed = needs(check, tree).unwrap_or_default();
        let gone = needed.iter().find(|it| unseen.lines().any(|line| Path::new(line) == it.as_path()));
        check.lacks = gone.map(|it| hidden("what it needs is hidden", it));
    }
    checks
}

/// The tool that a script starts, where the package depends on it and it is in no folder of installed tools.
fn tool_of_script(check: &Check, tree: &Tree) -> Option<String> {
    let (_, script) = check.name.split_once(" run ")?;
    let package = package(tree, check);
    let tool = package.get("scripts")?.get(script)?.as_str()?.split_whitespace().next()?.to_owned();
    let lists = ["dependencies", "devDependencies"];
    let depends = lists.iter().any(|it| package.get(it).is_some_and(|it| it.get(&tool).is_some()));
    let binary = format!("node_modules/.bin/{tool}");
    // Plug'n'play has no such folder.
    let there =
        has(tree, check, &binary) || exists(tree, &binary) || exists(tree, ".pnp.cjs") || on_path(&tool).is_some();
    (depends && !there).then_some(tool)
}

/// How programs are had, where that is not what their name says.
const HOW: [(&str, &str); 22] = [
    ("cargo", "install Rust from https://rustup.rs"),
    ("go", "install it from https://go.dev/dl"),
    ("npm npx node", "install Node.js from https://nodejs.org"),
    ("pnpm yarn", "run `corepack enable`"),
    ("bun", "install it from https://bun.sh"),
    ("deno", "install it from https://deno.com"),
    ("mvn", "install Maven, or add the project's wrapper `mvnw`"),
    ("gradle", "install Gradle, or add the project's wrapper `gradlew`"),
    ("dotnet", "install the .NET SDK from https://dot.net"),
    ("swift", "install it from https://swift.org/install"),
    ("bundle rake ruby", "install Ruby with Bundler"),
    ("rspec rubocop standardrb srb", "add it to the Gemfile and run `bundle install`"),
    ("composer", "install it from https://getcomposer.org"),
    ("phpunit phpstan psalm phpcs pest", "run `composer install`"),
    ("php", "install PHP"),
    ("mix", "install Elixir"),
    ("golangci-lint", "install it from https://golangci-lint.run"),
    ("staticcheck", "run `go install honnef.co/go/tools/cmd/staticcheck@latest`"),
    ("cmake ctest make ninja meson just", "install it with the system's package manager"),
    ("ruff mypy flake8 pyright basedpyright pylint", "install it into the project's environment"),
    ("poetry pipenv pdm uv", "install it, for example with pipx"),
    ("dart flutter", "install the SDK"),
];

/// `: ` and how a program is had; empty where nothing more is known than its name.
fn how(program: &str) -> String {
    let name = program.rsplit('/').next().unwrap_or(program);
    HOW.iter().find(|it| it.0.split(' ').any(|it| it == name)).map_or(String::new(), |it| format!(": {}", it.1))
}

/// How a package is had for an interpreter.
fn pip(python: &str, module: &str) -> String {
    format!("run `{python} -m pip install {module}`")
}

/// Whether a program is there; for `PYTHON -m MODULE` whether that interpreter has the module, and for `PROGRAM@VERSION` whether
/// it is of that version, both of which are believed where nothing speaks against it.
pub(crate) fn is_installed(tree: &Tree, program: &str) -> bool {
    if let Some((program, wanted)) = program.split_once('@') {
        return on_path(program).is_some_and(|it| version_of(&it, program).is_none_or(|known| known == wanted));
    }
    let Some((python, module)) = program.split_once(" -m ") else { return on_path(program).is_some() };
    let place = if python.contains('/') { Some(tree.root().join(python)) } else { on_path(python) };
    match place.filter(|it| it.exists()) {
        None => false,
        Some(_) if module == "unittest" => true,
        Some(place) => !matches!(module_of(&place, module), Module::Absent),
    }
}

/// The version of a program that lies in a package of Node.js by its own name.
fn version_of(place: &Path, program: &str) -> Option<String> {
    let place = place.canonicalize().ok()?;
    let manifests = place.ancestors().skip(1).take(3).map(|it| it.join("package.json"));
    let manifest = manifests.filter_map(|it| std::fs::read_to_string(it).ok()).next()?;
    let manifest: Value = serde_json::from_str(&manifest).ok()?;
    (manifest["name"] == program).then(|| manifest["version"].as_str().map(str::to_owned)).flatten()
}

/// Where a module of Python is.
enum Module {
    At(PathBuf),
    Absent,
    Unknown,
}

/// Looks where this interpreter keeps its packages. Nothing is claimed of an interpreter whose place says nothing.
fn module_of(python: &Path, module: &str) -> Module {
    let folder = |it: &Path| it.parent().and_then(Path::parent).map(Path::to_path_buf);
    let Some(own) = folder(python) else { return Module::Unknown };
    let settings = std::fs::read_to_string(own.join("pyvenv.cfg")).ok();
    let mut roots = vec![own];
    if settings.is_none() {
        let real = python.canonicalize().ok().and_then(|it| folder(&it));
        roots = real.iter().flat_map(|it| [it.clone(), it.join("local")]).collect();
        roots.extend(std::env::var_os("HOME").map(|it| Path::new(&it).join(".local")));
    }
    let folders = |root: &PathBuf| -> Vec<PathBuf> {
        let versions = std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten().map(|it| it.path());
        let python = versions.filter(|it| it.file_name().is_some_and(|it| it.to_string_lossy().starts_with("python3")));
        python.flat_map(|it| [it.join("site-packages"), it.join("dist-packages")]).filter(|it| it.is_dir()).collect()
    };
    let folders: Vec<PathBuf> = roots.iter().flat_map(folders).collect();
    let mut entries = folders.iter().flat_map(|it| std::fs::read_dir(it).into_iter().flatten().flatten());
    let is_it = |it: &std::fs::DirEntry| {
        let name = it.file_name().to_string_lossy().to_lowercase();
        name == module
            || name.strip_prefix(module).is_some_and(|rest| rest.starts_with(['-', '.']))
            || name.contains("editable") && name.contains(module)
    };
    if let Some(found) = entries.find(is_it) {
        return Module::At(found.path());
    }
    let shared = settings.is_some_and(|it| it.contains("include-system-site-packages = true"));
    if shared || folders.is_empty() || std::env::var_os("PYTHONPATH").is_some() {
        Module::Unknown
    } else {
        Module::Absent
    }
}

/// A type check over a configuration that lists no files passes without having looked at any.
fn sees_nothing(check: &Check, tree: &Tree) -> Option<String> {
    if check.kind != CheckKind::Types || check.source == "config" {
        return None;
    }
    let package = package(tree, check);
    let script = check.name.split_once(" run ").and_then(|it| package.get("scripts")?.get(it.1)?.as_str());
    let command = script.unwrap_or(&check.command);
    let plain = |word: &str| command.split_whitespace().any(|it| it == word);
    let config: String = text(tree, check, "tsconfig.json").split_whitespace().collect();
    let empty = config.contains("\"files\":[]") && !config.contains("\"include\"");
    let other = ["-b", "--build", "-p", "--project"].into_iter().any(plain) || command.contains("&&");
    (plain("tsc") && empty && !other)
        .then(|| "tsconfig.json has `\"files\": []`, so that this type check would look at nothing".to_owned())
}

/// Why the packages of a project are not there.
fn packages(check: &Check, tree: &Tree) -> Option<String> {
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
pub(super) fn proves_nothing(check: &Check, output: &str) -> Option<Lack> {
    let is_empty = check.command.contains("unittest") && output.lines().any(|it| it.starts_with("Ran 0 tests in "));
    is_empty.then(|| lack(CheckStatus::CouldNotStart, NO_TESTS))
}

/// Why `check`, which failed, did not really run.
pub(super) fn after(check: &Check, code: Option<i32>, output: &str) -> Option<Lack> {
    let line = |words: &str| output.lines().rev().find(|it| it.contains(words)).map(str::trim);
    let last = |words: &str| output.lines().rev().map(str::trim).find(|it| it.ends_with(words));
    let missing = |said: &str, hint: &str| Some(lack(CheckStatus::NotInstalled, format!("{said}\n{hint}")));
    let program = program(&check.command);
    if let Some(module) = check.command.split(" -m ").nth(1).and_then(|it| it.split_whitespace().next())
        && let Some(line) = last(&format!(": No module named {module}"))
    {
        return match on_path(program).map(|it| module_of(&it, module)) {
            Some(Module::At(file)) => Some(hidden(line, &file)),
            _ => missing(line, &format!("{}, then this check can run", pip(program, module))),
        };
    }
    if program == "npx" && (output.contains("npx canceled") || output.contains("could not determine executable")) {
        let said = format!("a tool that `{}` needs is not among the installed dependencies", check.command);
        return missing(&said, "install them first");
    }
    if program == "cargo"
        && let Some(line) = line("is not installed for the toolchain").or_else(|| line("no such command"))
    {
        return missing(line, "install that component, then this check can run");
    }
    if program == "cargo"
        && let Some(line) = line("rustup could not choose a version").or_else(|| line("is not a valid toolchain"))
    {
        return Some(lack(CheckStatus::CouldNotStart, line));
    }
    if check.command.contains("pytest")
        && let Some(line) = pytest_lacks(output)
    {
        return missing(line, "install that plugin or version of pytest, then this check can run");
    }
    let no_tests = ["No test files found, exiting", "No tests found, exiting", "NO TESTS RAN", "no tests ran in"];
    // pytest says so, too, where one of its hooks broke.
    let broke = output.contains("INTERNALERROR>");
    if check.kind == CheckKind::Test && !broke && no_tests.iter().any(|it| output.contains(it)) {
        return Some(lack(CheckStatus::CouldNotStart, NO_TESTS));
    }
    if program == "bundle"
        && let Some(line) = line("Run `bundle install`").or_else(|| line("bundler: command not found"))
    {
        return missing(line, "run `bundle install` first, then this check can run");
    }
    if program == "mix"
        && let Some(line) = line("Unchecked dependencies").or_else(|| line("Could not find Hex"))
    {
        return missing(line, "run `mix deps.get` first, then this check can run");
    }
    if check.kind == CheckKind::Security
        && let Some(line) = OFFLINE.iter().chain(&NO_NETWORK).find_map(|it| line(it))
    {
        return Some(lack(CheckStatus::CouldNotStart, format!("{line}\nit needs the network or a stored database")));
    }
    if let Some(lack) = read_only(output).or_else(|| fetched_nothing(output)) {
        return Some(lack);
    }
    if code != Some(127) {
        return None;
    }
    let said = line("not found").unwrap_or("command not found");
    let name = said.split(": ").filter(|it| !it.contains(' ')).last().unwrap_or(program);
    match on_path(name) {
        Some(place) => Some(hidden(said, &place)),
        None => missing(
            &format!("{said}{}", how(name)),
            "install the program, or set the project's checks in the configuration",
        ),
    }
}

/// That a tool writes beside its code, outside of the project. Where tests ran, what they say of such a place may be their own
/// subject.
fn read_only(output: &str) -> Option<Lack> {
    let said = ["EROFS: read-only file system", "Read-only file system"];
    let line = output.lines().map(str::trim).find(|line| said.iter().any(|it| line.contains(it)))?;
    let ran = counts(output).is_some_and(|it| it.passed + it.failed > 0);
    let remedy = "commands write in the project alone: list that folder in `sandbox.write` of your configuration, then this can run";
    (!ran).then(|| lack(CheckStatus::CouldNotStart, format!("{line}\n{remedy}")))
}

/// What could not be fetched before anything began.
fn fetched_nothing(output: &str) -> Option<Lack> {
    let said = |words: &&str| output.lines().rev().find(|it| it.contains(*words)).map(str::trim);
    let line = NO_NETWORK.iter().find_map(said).filter(|_| counts(output).is_none())?;
    Some(lack(CheckStatus::CouldNotStart, format!("{line}\nit needs the network, which commands do not have")))
}

/// What is installed in a place that no command reaches.
pub(super) fn hidden(said: &str, place: &Path) -> Lack {
    lack(CheckStatus::Hidden, format!("{said}\nit is installed as {}, which commands cannot see", place.display()))
}

/// What audits say that cannot fetch what is known of faults.
const OFFLINE: [&str; 5] =
    ["dns error", "Could not resolve", "failed to fetch", "couldn't fetch", "No such file or directory"];

/// What tools say that could not fetch what they need before they begin.
const NO_NETWORK: [&str; 6] = [
    "Temporary failure in name resolution",
    "Name or service not known",
    "Could not resolve host",
    "nodename nor servname provided",
    "getaddrinfo EAI_AGAIN",
    "getaddrinfo ENOTFOUND",
];

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
    joined(check.source.rsplit_once('/').map_or("", |it| it.0), name)
}

/// Installed dependencies may be links out of the tree, so only the name is looked for.
fn exists(tree: &Tree, path: &str) -> bool {
    tree.root().join(path).exists()
}

fn text(tree: &Tree, check: &Check, name: &str) -> String {
    tree.read(&in_folder(check, name)).map(|it| it.text).unwrap_or_default()
}

fn package(tree: &Tree, check: &Check) -> Value {
    serde_json::from_str(&text(tree, check, "package.json")).unwrap_or_default()
}

fn needs_packages(tree: &Tree, check: &Check) -> bool {
    let package = package(tree, check);
    let lists = ["dependencies", "devDependencies"];
    lists.iter().any(|it| package.get(it).and_then(Value::as_object).is_some_and(|it| !it.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_of_a_package_has_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("lib/node_modules/pnpm/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join("pnpm.mjs"), "").unwrap();
        std::fs::write(bin.join("../package.json"), r#"{"name": "pnpm", "version": "11.13.0"}"#).unwrap();
        let link = folder.path().join("pnpm");
        std::os::unix::fs::symlink(bin.join("pnpm.mjs"), &link).unwrap();
        assert_eq!(version_of(&link, "pnpm").as_deref(), Some("11.13.0"));
        assert_eq!(version_of(&link, "yarn"), None, "corepack's links lead into a package of its own");
    }

    #[test]
    fn a_tool_that_writes_outside_of_the_project_did_not_run() {
        let erofs = "Error: EROFS: read-only file system, mkdir '/deps/node_modules/.vite-temp'";
        for (output, expected) in [
            (erofs.to_owned(), true),
            (format!("{erofs}\n Tests  1 failed | 3 passed (4)"), false),
            ("AssertionError: 1 != 2".to_owned(), false),
        ] {
            assert_eq!(read_only(&output).is_some_and(|it| it.why.contains("sandbox.write")), expected, "{output}");
        }
    }
}
