//! JavaScript and TypeScript projects: the scripts of `package.json`, and the tools it lists where a script is missing.
//!
//! A script that would watch, or rewrite sources, is never run; the tool behind it is run in its plain form instead.
//! Tests in a browser are left out where the project has a script of its own for the others.

use ox_protocol::{Check, CheckKind};
use serde_json::Value;

use super::project::Project;

const SOURCE: &str = "package.json";
const TYPES: [&str; 6] = ["typecheck", "type-check", "check-types", "check:types", "types", "tsc"];
const COMPILERS: [&str; 3] = ["tsc", "vue-tsc", "svelte-check"];
const UNIT: [&str; 3] = ["test:unit", "test-unit", "unit"];
const LINT: [&str; 6] = ["lint", "eslint", "lint:check", "check:lint", "lint:js", "lint:ts"];
const BIOME: [&str; 2] = ["biome.json", "biome.jsonc"];
/// Linters that are meant by a script named `check`.
const LINTERS: [&str; 4] = ["biome", "eslint", "oxlint", "standard"];
/// Words of scripts that never come to their end, and of those that change sources.
const WATCHES: &str = "--watch --watchAll -w watch --watch=true --serve nodemon --ui --inspect-brk";
const REWRITES: &str = "--fix --write -u --update --updateSnapshot --apply --unsafe --update-snapshots";
/// Test runners that a project may depend on: the file or folder that must be there too, the command, and that for one test.
const RUNNERS: [(&str, &str, &str, &str); 5] = [
    ("vitest", "", "vitest run", "vitest run FILE -t NAME"),
    ("jest", "", "jest", "jest FILE -t NAME"),
    ("mocha", ".mocharc.js .mocharc.cjs .mocharc.json .mocharc.yml .mocharc.yaml test", "mocha", "mocha FILE -g NAME"),
    ("ava", "ava.config.js ava.config.mjs ava.config.cjs test", "ava", "ava FILE -m NAME"),
    ("jasmine", "spec/support/jasmine.json spec/support/jasmine.mjs", "jasmine", "jasmine FILE --filter=NAME"),
];
const ESLINT: &str = "eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts \
    .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml";

/// Scripts that call one another are followed so far.
const CALLS: usize = 3;
/// What makes more of a script than one command.
const JOINS: [char; 8] = ['&', '|', ';', '>', '<', '$', '`', '('];

/// The project's checks.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(text) = project.text(SOURCE) else { return Vec::new() };
    let package = Package { project, json: serde_json::from_str(&text).unwrap_or(Value::Null) };
    [package.types(), package.lint(), package.build(), package.test()].into_iter().flatten().collect()
}

/// How the project starts a tool of its dependencies; none where it has none.
pub(super) fn started(project: &Project<'_>, command: &str) -> Option<String> {
    let json = serde_json::from_str(&project.text(SOURCE)?).unwrap_or(Value::Null);
    Some(Package { project, json }.tool(command))
}

struct Package<'a> {
    project: &'a Project<'a>,
    json: Value,
}

impl Package<'_> {
    fn types(&self) -> Option<Check> {
        if let Some(check) = TYPES.iter().find_map(|it| self.script(it, CheckKind::Types)) {
            return Some(check);
        }
        // Only what it runs tells whether `check` means the types, and it may be incremental where the plain tool is not.
        if self.script_text("check").is_some_and(|it| COMPILERS.contains(&it.split(' ').next().unwrap_or(""))) {
            return self.script("check", CheckKind::Types);
        }
        if !self.project.has("tsconfig.json") || !self.depends("typescript") {
            return None;
        }
        let config = self.project.text("tsconfig.json").unwrap_or_default();
        let parts = config.contains("\"references\"") && !config.contains("\"include\"");
        let tool = if self.depends("vue-tsc") { "vue-tsc" } else { "tsc" };
        // A solution file has no sources of its own; only a build of its parts checks anything, and none is made up here.
        let command = match parts {
            true if self.builds_parts(tool, &config) => format!("{tool} -b"),
            true => return None,
            false => format!("{tool} --noEmit"),
        };
        Some(self.project.check(tool, CheckKind::Types, &self.tool(&command), "tsconfig.json"))
    }

    /// True where the project itself builds the parts of its solution, and none of them leaves anything behind.
    fn builds_parts(&self, tool: &str, config: &str) -> bool {
        let scripts = self.json.get("scripts").and_then(Value::as_object).into_iter().flatten();
        let mut texts = scripts.filter_map(|it| it.1.as_str());
        let silent = |part: &str| {
            let name = if part.ends_with(".json") { part.to_owned() } else { format!("{part}/tsconfig.json") };
            let text: String = self.project.text(&name).unwrap_or_default().split_whitespace().collect();
            text.contains("\"noEmit\":true")
        };
        let mut parts = config.split("\"path\"").skip(1).filter_map(|it| it.split('"').nth(1));
        texts.any(|it| it.contains(&format!("{tool} -b"))) && parts.all(silent)
    }

    fn lint(&self) -> Option<Check> {
        if let Some(check) = LINT.iter().find_map(|it| self.script(it, CheckKind::Lint)) {
            return Some(check);
        }
        let first = |text: &str| text.split_whitespace().next().is_some_and(|it| LINTERS.contains(&it));
        if self.script_text("check").is_some_and(first)
            && let Some(check) = self.script("check", CheckKind::Lint)
        {
            return Some(check);
        }
        if let Some(config) = self.project.first(&BIOME).filter(|_| self.depends("@biomejs/biome")) {
            let command = self.tool("biome check");
            return Some(self.project.check("biome", CheckKind::Lint, &command, config));
        }
        let config = ESLINT.split_whitespace().find(|it| self.project.has(it))?;
        let command = self.tool("eslint .");
        self.depends("eslint").then(|| self.project.check("eslint", CheckKind::Lint, &command, config))
    }

    fn build(&self) -> Option<Check> {
        // Compiling is what the type check did, and it would leave its output beside the sources.
        let script = self.script_text("build")?;
        let only_compiles = script.split("&&").all(|it| it.trim_start().starts_with("tsc"));
        if only_compiles { None } else { self.script("build", CheckKind::Build) }
    }

    fn test(&self) -> Option<Check> {
        // The placeholder that `npm init` writes is no test.
        if self.script_text("test").is_some_and(|it| it.contains("no test specified")) {
            return None;
        }
        let all = || self.script("test", CheckKind::Test);
        let unit = || UNIT.iter().find_map(|it| self.script(it, CheckKind::Test));
        // Tests in a browser are slow, and fail where there is none.
        let found = if self.has_browser_tests() { unit().or_else(all) } else { all().or_else(unit) };
        found.or_else(|| self.runner())
    }

    /// True when a script of its own runs tests of the whole program in a browser.
    fn has_browser_tests(&self) -> bool {
        let scripts = self.json.get("scripts").and_then(Value::as_object);
        scripts.is_some_and(|it| it.keys().any(|name| name.contains("e2e") || name.contains("browser")))
    }

    /// The test runner itself, once.
    fn runner(&self) -> Option<Check> {
        let there = |marks: &str| marks.is_empty() || marks.split(' ').any(|it| self.project.has(it));
        let (name, _, command, _) = RUNNERS.into_iter().find(|it| self.depends(it.0) && there(it.1))?;
        let check = self.project.check(name, CheckKind::Test, &self.tool(command), SOURCE);
        Some(Check { one: self.one(name), ..check })
    }

    /// How one test is run by the runner that `text` names.
    fn one(&self, text: &str) -> Option<String> {
        if text.contains("node --test") {
            return Some(self.project.here("node --test FILE"));
        }
        let (_, _, _, command) = RUNNERS.into_iter().find(|it| text.contains(it.0))?;
        Some(self.project.here(&self.tool(command)))
    }

    /// The check that runs the script `name`, if there is one that only looks.
    fn script(&self, name: &str, kind: CheckKind) -> Option<Check> {
        let text = self.script_text(name)?;
        let whole = self.with_called(text, CALLS);
        let words: Vec<&str> = whole.split_whitespace().collect();
        let has = |wanted: &str| words.iter().any(|it| wanted.split(' ').any(|word| word == *it));
        // Karma and Angular's own runner stay unless they are told not to.
        let stays = has("karma ng") && !whole.contains("--single-run") && !whole.contains("--watch=false");
        let watches = has(WATCHES) || stays || has("dev") && has("vitest");
        if watches || has(REWRITES) {
            return None;
        }
        if let Some(command) = self.without_manager(text) {
            let one = if kind == CheckKind::Test { self.one(text) } else { None };
            return Some(Check { one, ..self.project.check(&format!("script {name}"), kind, &command, SOURCE) });
        }
        let manager = self.manager(text);
        let command = match (manager, name) {
            ("npm", "test") => "npm test --silent".to_owned(),
            ("npm", _) => format!("npm run --silent {name}"),
            ("pnpm", _) => format!("pnpm --silent run {name}"),
            (other, _) => format!("{other} run {name}"),
        };
        let one = if kind == CheckKind::Test { self.one(text) } else { None };
        Some(Check { one, ..self.project.check(&format!("{manager} run {name}"), kind, &command, SOURCE) })
    }

    /// A script's text with those of the scripts that it calls.
    fn with_called(&self, text: &str, calls: usize) -> String {
        let words: Vec<&str> = text.split_whitespace().collect();
        let called = words.windows(2).filter(|it| matches!(it[0], "run" | "yarn" | "pnpm" | "bun" | "run-s" | "run-p"));
        let texts = called.filter_map(|it| self.script_text(it[1])).filter(|it| *it != text && calls > 0);
        texts.fold(text.to_owned(), |all, it| all + " && " + &self.with_called(it, calls - 1))
    }

    /// A script that is one command of a tool of the project, where every manager is missing.
    fn without_manager(&self, text: &str) -> Option<String> {
        let installed = |it: &str| (self.project.installed)(it);
        if installed("npm") || installed(self.own_manager()) || !installed("node") || text.contains(JOINS) {
            return None;
        }
        let tool = text.split(' ').next()?;
        let path = format!("node_modules/.bin/{tool}");
        self.project.has(&path).then(|| format!("node_modules/.bin/{text}"))
    }

    fn script_text(&self, name: &str) -> Option<&str> {
        self.json.get("scripts")?.get(name)?.as_str().filter(|it| !it.trim().is_empty())
    }

    /// The command that runs a tool of the project's own dependencies and never fetches one.
    fn tool(&self, command: &str) -> String {
        match self.manager("") {
            "pnpm" => format!("pnpm exec {command}"),
            "yarn" => format!("yarn run {command}"),
            "bun" => format!("bun run {command}"),
            _ => format!("npx --no-install {command}"),
        }
    }

    /// What runs the script `text`: the project's own manager. Where only that is missing, npm runs the same script; and where
    /// it is of another version than the project pins, for pnpm would try to fetch that one each time.
    fn manager(&self, text: &str) -> &'static str {
        let own = self.own_manager();
        let needs = text.split_whitespace().any(|it| it.trim_end_matches('x') == own);
        let installed = |it: &str| (self.project.installed)(it);
        let is_ready = installed(own) && self.pinned(own).is_none_or(|it| own != "pnpm" || installed(&it));
        if !is_ready && installed("npm") && !needs { "npm" } else { own }
    }

    /// `pnpm@11.3.0`, without the checksum that may follow.
    fn pinned(&self, manager: &str) -> Option<String> {
        let named = self.json.get("packageManager")?.as_str()?;
        let version = named.strip_prefix(manager)?.strip_prefix('@')?;
        Some(format!("{manager}@{}", version.split('+').next()?))
    }

    fn own_manager(&self) -> &'static str {
        let named = self.json.get("packageManager").and_then(Value::as_str).unwrap_or("");
        let known = ["npm", "pnpm", "yarn", "bun"];
        if let Some(manager) = known.into_iter().find(|it| named.starts_with(&format!("{it}@"))) {
            return manager;
        }
        match self.project.first(&["pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"]) {
            Some("pnpm-lock.yaml") => "pnpm",
            Some("yarn.lock") => "yarn",
            Some(_) => "bun",
            None => "npm",
        }
    }

    fn depends(&self, name: &str) -> bool {
        ["devDependencies", "dependencies"].iter().any(|it| self.json.get(it).is_some_and(|it| it.get(name).is_some()))
    }
}
