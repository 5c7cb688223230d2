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
const LINT: [&str; 3] = ["lint", "eslint", "lint:check"];
const ESLINT: &str = "eslint.config.js eslint.config.mjs eslint.config.cjs eslint.config.ts \
    .eslintrc .eslintrc.js .eslintrc.cjs .eslintrc.json .eslintrc.yml";

/// The project's checks.
pub(super) fn checks(project: &Project<'_>) -> Vec<Check> {
    let Some(text) = project.text(SOURCE) else { return Vec::new() };
    let package = Package { project, json: serde_json::from_str(&text).unwrap_or(Value::Null) };
    [package.types(), package.lint(), package.build(), package.test()].into_iter().flatten().collect()
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
        let config = ESLINT.split(' ').find(|it| self.project.has(it))?;
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
        let (name, command) = [("vitest", "vitest run"), ("jest", "jest")].into_iter().find(|it| self.depends(it.0))?;
        let check = self.project.check(name, CheckKind::Test, &self.tool(command), SOURCE);
        Some(Check { one: self.one(name), ..check })
    }

    /// How one test is run by the runner that `text` names.
    fn one(&self, text: &str) -> Option<String> {
        let known = [
            ("vitest", "vitest run FILE -t NAME"),
            ("jest", "jest FILE -t NAME"),
            ("mocha", "mocha FILE -g NAME"),
            ("node --test", "node --test FILE"),
        ];
        let (runner, command) = known.into_iter().find(|it| text.contains(it.0))?;
        let command = if runner.starts_with("node") { command.to_owned() } else { self.tool(command) };
        self.project.check("", CheckKind::Test, &command, SOURCE).command.into()
    }

    /// The check that runs the script `name`, if there is one that only looks.
    fn script(&self, name: &str, kind: CheckKind) -> Option<Check> {
        let text = self.script_text(name)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let has = |wanted: &[&str]| words.iter().any(|it| wanted.contains(it));
        let watches =
            has(&["--watch", "--watchAll", "-w", "watch", "--watch=true"]) || has(&["dev"]) && has(&["vitest"]);
        let rewrites = has(&["--fix", "--write", "-u", "--update", "--updateSnapshot"]);
        if watches || rewrites {
            return None;
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

    /// What runs the script `text`: the project's own manager. Where only that is missing, npm runs the same script.
    fn manager(&self, text: &str) -> &'static str {
        let own = self.own_manager();
        let needs = text.split_whitespace().any(|it| it.trim_end_matches('x') == own);
        let installed = |it: &str| (self.project.installed)(it);
        if !installed(own) && installed("npm") && !needs { "npm" } else { own }
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
