//! Where a project begins to run: its binaries and libraries, as its manifests and the habits of its language say.
//!
//! Only manifests at the root are read, by their lines and never by running anything; a file is named only if it is there.

use ox_repo::Tree;
use serde_json::Value;

use super::survey::Survey;

/// Entries that are named.
const MOST: usize = 6;
/// Scripts that start something.
const SCRIPTS: [&str; 6] = ["dev", "start", "serve", "watch", "build", "test"];
/// Folders in which a `main` is not the project's; so are all with `test` in their names.
const APART: [&str; 9] =
    ["examples", "example", "samples", "benches", "fixtures", "resources", "vendor", "deps", "node_modules"];

/// The entry points, those of the root first, binaries before libraries; empty where there are none.
pub(super) fn describe(tree: &Tree, survey: &Survey) -> String {
    let mut found: Vec<String> = Vec::new();
    for source in [cargo, node, python, go, java, cmake, habits] {
        for entry in source(tree, survey) {
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    let more = found.len().saturating_sub(MOST);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    found.truncate(MOST);
    if found.is_empty() { String::new() } else { format!("Entry points: {}{more}", found.join(", ")) }
}

/// A manifest at the root.
fn read(tree: &Tree, survey: &Survey, name: &str) -> Option<String> {
    survey.files.iter().find(|it| *it == name)?;
    Some(tree.read(name).ok()?.text)
}

/// Files for which `is` holds, outside of examples and tests: those of upper levels first.
fn files(survey: &Survey, is: impl Fn(&str) -> bool) -> Vec<String> {
    let own = |it: &&String| !it.split('/').any(|part| APART.contains(&part) || part.contains("test"));
    let mut all: Vec<String> = survey.files.iter().filter(own).filter(|it| is(it)).cloned().collect();
    all.sort_by_key(|it| it.matches('/').count());
    all
}

fn has(survey: &Survey, path: &str) -> bool {
    survey.files.binary_search_by(|it| it.as_str().cmp(path)).is_ok()
}

/// `[[bin]]` with a path, `src/main.rs`, `src/bin/*`, the root's library; all libraries where there is neither.
fn cargo(tree: &Tree, survey: &Survey) -> Vec<String> {
    let Some(text) = read(tree, survey, "Cargo.toml") else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    let mut table = "";
    for line in text.lines().map(str::trim) {
        table = if line.starts_with('[') { line } else { table };
        let path = line.strip_prefix("path").and_then(|it| it.trim_start().strip_prefix('='));
        let path = path.map(|it| it.trim().trim_matches('"')).filter(|it| table == "[[bin]]" && has(survey, it));
        found.extend(path.map(str::to_owned));
    }
    found.extend(files(survey, |it| {
        it == "src/main.rs" || it.ends_with("/src/main.rs") || it.starts_with("src/bin/") || it.contains("/src/bin/")
    }));
    found.extend(["src/lib.rs"].into_iter().filter(|it| has(survey, it)).map(str::to_owned));
    if found.is_empty() {
        found = files(survey, |it| it.ends_with("/src/lib.rs"));
    }
    found
}

/// `main`, `module`, `bin` and the names of the scripts.
fn node(tree: &Tree, survey: &Survey) -> Vec<String> {
    let manifest = read(tree, survey, "package.json").and_then(|it| serde_json::from_str::<Value>(&it).ok());
    let Some(manifest) = manifest else { return Vec::new() };
    let mut paths: Vec<&str> = ["main", "module"].iter().filter_map(|it| manifest[*it].as_str()).collect();
    match &manifest["bin"] {
        Value::String(path) => paths.push(path),
        Value::Object(all) => paths.extend(all.values().filter_map(Value::as_str)),
        _ => {}
    }
    let paths = paths.into_iter().map(|it| it.trim_start_matches("./").to_owned());
    let mut found: Vec<String> = paths.filter(|it| has(survey, it)).collect();
    found.extend(
        ["src/index.ts", "src/index.tsx", "src/main.ts", "src/main.tsx", "index.js", "index.ts", "server.js"]
            .into_iter()
            .filter(|it| has(survey, it))
            .map(str::to_owned),
    );
    let scripts: Vec<&str> = SCRIPTS.into_iter().filter(|it| manifest["scripts"][*it].is_string()).collect();
    if !scripts.is_empty() {
        found.push(format!("package.json scripts {}", scripts.join("/")));
    }
    found
}

/// The scripts that `pyproject.toml` names, `__main__.py`, `manage.py`.
fn python(tree: &Tree, survey: &Survey) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_scripts = false;
    for line in read(tree, survey, "pyproject.toml").unwrap_or_default().lines().map(str::trim) {
        if line.starts_with('[') {
            is_scripts = matches!(line, "[project.scripts]" | "[project.gui-scripts]" | "[tool.poetry.scripts]");
        } else if let Some((name, target)) = line.split_once('=').filter(|_| is_scripts) {
            let target = target.trim().trim_matches(['"', '\'']);
            found.push(format!("{} ({target})", name.trim().trim_matches('"')));
        }
    }
    found.extend(files(survey, |it| it == "manage.py" || it.ends_with("__main__.py")));
    found
}

/// `main.go`, at the root or in a folder of commands.
fn go(_: &Tree, survey: &Survey) -> Vec<String> {
    files(survey, |it| {
        it == "main.go" || ((it.starts_with("cmd/") || it.contains("/cmd/")) && it.ends_with("/main.go"))
    })
}

/// The class that the build names, or those that are called so.
fn java(tree: &Tree, survey: &Survey) -> Vec<String> {
    let mut found = Vec::new();
    for name in ["pom.xml", "build.gradle", "build.gradle.kts"] {
        let text = read(tree, survey, name).unwrap_or_default();
        let class = text.split_once("<mainClass>").and_then(|it| it.1.split_once('<')).map(|it| it.0.trim());
        let set = text
            .lines()
            .map(str::trim)
            .find(|it| it.starts_with("mainClass"))
            .and_then(|it| it.split(['"', '\'']).nth(1));
        let class = class.or(set).filter(|it| !it.is_empty() && !it.contains("${"));
        let Some(class) = class else { continue };
        let end = format!("/{}.", class.replace('.', "/"));
        let file = survey.files.iter().find(|it| it.contains(&end));
        found.push(file.cloned().unwrap_or_else(|| class.to_owned()));
    }
    found.extend(files(survey, |it| {
        let name = it.rsplit('/').next().unwrap_or(it);
        it.contains("src/main/") && (name == "Main.java" || name == "Main.kt" || name.ends_with("Application.java"))
    }));
    found
}

/// The programs of `CMakeLists.txt`, each with its first source.
fn cmake(tree: &Tree, survey: &Survey) -> Vec<String> {
    let text = read(tree, survey, "CMakeLists.txt").unwrap_or_default();
    let mut found = Vec::new();
    for call in text.split("add_executable").skip(1) {
        let words = call.trim_start().strip_prefix('(').and_then(|it| it.split_once(')')).map_or("", |it| it.0);
        let mut words = words.split_whitespace();
        let (Some(name), Some(source)) = (words.next(), words.find(|it| it.contains('.'))) else { continue };
        let source =
            source.trim_start_matches("${CMAKE_CURRENT_SOURCE_DIR}/").trim_start_matches("${PROJECT_SOURCE_DIR}/");
        found.push(if has(survey, source) { source.to_owned() } else { name.to_owned() });
    }
    found
}

/// A `main` of C and C++ where programs usually lie.
fn habits(_: &Tree, survey: &Survey) -> Vec<String> {
    const NAMES: [&str; 4] = ["main.c", "main.cpp", "main.cc", "main.cxx"];
    files(survey, |it| {
        let (folder, name) = it.rsplit_once('/').unwrap_or(("", it));
        NAMES.contains(&name) && matches!(folder, "" | "src" | "app" | "programs")
    })
}
