//! Maven and Gradle with the reached classes of tests, in the modules that have them.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Change, Whole};
use crate::paths::{is_plain, joined, within};

pub(super) fn form(change: &Change<'_>, of: &Whole<'_>) -> Option<String> {
    let is_maven = of.check.name == "mvn test";
    if !is_maven && of.check.name != "gradle test" {
        return None;
    }
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in change.tests_of(of, &[".java", ".kt", ".groovy", ".scala"], &is_test) {
        let whole = joined(of.dir, &path);
        let manifests: &[&str] = if is_maven { &["pom.xml"] } else { &["build.gradle", "build.gradle.kts"] };
        let folder = manifests.iter().find_map(|it| change.above(&whole, it))?;
        let folder = within(of.dir, folder).unwrap_or_default().to_owned();
        let name = path.rsplit('/').next()?.split('.').next()?.to_owned();
        modules.entry(folder).or_default().insert(name);
    }
    if modules.is_empty()
        || !modules.iter().all(|(it, names)| (it.is_empty() || is_plain(it)) && names.iter().all(|it| is_plain(it)))
    {
        return None;
    }
    // A module that the root does not name is not built with it.
    let root = is_maven.then(|| change.tree.read(&joined(of.dir, "pom.xml")).ok()).flatten();
    let root = root.map(|it| it.text).filter(|it| it.contains("<modules>"));
    let named = |module: &str| {
        let first = module.split('/').next().unwrap_or_default();
        let has = |text: &String, name: &str| text.contains(&format!("<module>{name}</module>"));
        root.as_ref().is_none_or(|it| has(it, module) || has(it, first))
    };
    modules.retain(|it, _| it.is_empty() || named(it));
    if modules.is_empty() {
        return None;
    }
    if is_maven { maven(of, &modules) } else { gradle(of, &modules) }
}

fn maven(of: &Whole<'_>, modules: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let head = of.command.strip_suffix(" test")?;
    let classes: Vec<&str> = modules.values().flatten().map(String::as_str).collect();
    let folders: Vec<&str> = modules.keys().map(String::as_str).filter(|it| !it.is_empty()).collect();
    // What the modules depend on is built too, where no class fits and none has to.
    let only = if folders.len() == modules.len() { format!(" -pl {} -am", folders.join(",")) } else { String::new() };
    let free = "-DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false";
    Some(format!("{head}{only} test -Dtest={} {free}", classes.join(",")))
}

fn gradle(of: &Whole<'_>, modules: &BTreeMap<String, BTreeSet<String>>) -> Option<String> {
    let mut command = of.command.strip_suffix(" test")?.to_owned();
    for (folder, classes) in modules {
        let task = if folder.is_empty() { ":test".to_owned() } else { format!(":{}:test", folder.replace('/', ":")) };
        command += &format!(" {task}");
        classes.iter().for_each(|it| command += &format!(" --tests {it}"));
    }
    Some(command)
}

/// The names under which both look for classes of tests.
fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().and_then(|it| it.split('.').next()).unwrap_or_default();
    path.contains("src/test/")
        && (name.starts_with("Test") || ["Test", "Tests", "TestCase", "Spec"].iter().any(|it| name.ends_with(it)))
}
