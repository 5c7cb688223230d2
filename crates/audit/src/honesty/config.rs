//! Settings and scripts by which a project is checked, made to look at less or to pass whatever happens.

use std::collections::BTreeMap;

use ox_protocol::{AuditFinding, AuditKind};
use regex::Regex;
use serde_json::Value;

use crate::pair::Pair;
use crate::reading::flat;

pattern!(
    FILES,
    concat!(
        r"(?:^|/)(?:package\.json|tsconfig[\w.-]*\.json|jsconfig\.json|\.eslintrc[\w.]*|eslint\.config\.\w+|biome\.jsonc?|\.nycrc(?:\.json)?|\.mocharc\.\w+|",
        r"(?:jest|vitest|vite|playwright|karma|cypress)\.config\.\w+|pyproject\.toml|setup\.cfg|tox\.ini|pytest\.ini|mypy\.ini|\.?ruff\.toml|\.flake8|\.pylintrc|\.coveragerc|conftest\.py|noxfile\.py|",
        r"Cargo\.toml|clippy\.toml|deny\.toml|\.golangci\.ya?ml|codecov\.ya?ml|\.codecov\.ya?ml|\.pre-commit-config\.yaml|\.rubocop\.ya?ml|Rakefile|\.rspec|phpunit\.xml(?:\.dist)?|phpstan\.neon(?:\.dist)?|",
        r"pom\.xml|build\.gradle(?:\.kts)?|Makefile|GNUmakefile|makefile|justfile|CMakeLists\.txt|\w+\.csproj|Directory\.Build\.props|\.gitlab-ci\.ya?ml|azure-pipelines\.ya?ml|Jenkinsfile|\.travis\.ya?ml)$",
        r"|\.github/(?:workflows|actions)/.*\.ya?ml$|\.circleci/config\.ya?ml$|\.buildkite/.*\.ya?ml$"
    )
);
pattern!(
    /// Files that say what is run.
    RUNS,
    r"(?:^|/)(?:Makefile|GNUmakefile|makefile|justfile|tox\.ini|noxfile\.py|Rakefile|\.gitlab-ci\.ya?ml|azure-pipelines\.ya?ml|Jenkinsfile|\.travis\.ya?ml)$|\.github/(?:workflows|actions)/|\.circleci/|\.buildkite/"
);
pattern!(SCRIPTS, r"\.(?:sh|bash|zsh|bats)$|(?:^|/)(?:check|test|runtests|run_tests|ci|lint|verify)$");
pattern!(
    /// Switches that make a check stricter where they are on.
    STRICT,
    r#"(?x)^["']?(strict\w*|noImplicit\w+|noUnused\w+|noFallthrough\w+|noUnchecked\w+|exactOptional\w+|forceConsistent\w+|checkJs|alwaysStrict|useUnknownInCatchVariables|
    disallow_\w+|warn_\w+|check_untyped_defs|no_implicit_\w+|strict_\w+|failOn\w+|TreatWarningsAsErrors|warningsAsErrors|allWarningsAsErrors|isFailOnWarning|
    beStrictAbout\w+|failOnRisky|failOnWarning|bail_on_error|fail-fast|error_on_\w+|filterwarnings)["']?\s*[:=]\s*["']?(\w+)"#
);
pattern!(
    /// Switches that make a check laxer where they are on.
    LAX,
    r#"^["'<-]*\s*(continue-on-error|allow_failure|ignore_errors|passWithNoTests|ignoreFailures|isIgnoreFailures|testFailureIgnore|maven\.test\.failure\.ignore|maven\.test\.skip|skipTests|failIfNoTests|ignore_missing_imports|follow_imports|xfail_strict)["']?\s*[:=>]\s*["']?(true|True|yes|1|skip|silent)\b"#
);
pattern!(
    /// Numbers below which a check fails, and above which it fails.
    LEAST,
    r#"(?:--cov-fail-under|--fail-under|\bfail_under|["']?\b(?:branches|functions|lines|statements|threshold|minimum|target|min_coverage|minimumLineCoverage|fail-under)["']?)\s*[:=]?\s*["']?(\d+(?:\.\d+)?)"#
);
pattern!(
    MOST,
    r#"(?:--max-warnings|max_violations|max-complexity|cognitive-complexity-threshold|too-many-lines-threshold|maxWarnings)["',\s:=]*(\d+)"#
);
pattern!(
    /// Levels of single rules.
    RULE, r#"^["']?([\w@/:.-]+)["']?\s*[:=]\s*\[?\{?\s*(?:level\s*=\s*)?["']?(error|warn|off|deny|forbid|allow|2|1|0)\b["']?"#);
pattern!(
    /// What leaves tests out.
    LEFT_OUT, r"(?:\s|=|')(?:--ignore(?:-glob)?=?|--deselect=?|-k\s|-m\s|-p no:|--exclude\b|--skip\b|--testPathIgnorePatterns|--gtest_filter=-|-DskipTests|--no-verify)|^collect_ignore|testPathIgnorePatterns|modulePathIgnorePatterns|coveragePathIgnorePatterns|^norecursedirs");
pattern!(
    /// What makes a command pass whatever it does.
    ALWAYS, r"\|\|\s*(?:true|:|exit 0|echo\b)|;\s*(?:true|exit 0)\s*[';&]?$|^set \+e\b|\bexit 0\s*;?$");
pattern!(
    /// Programs that check something.
    CHECKS,
    r"\b(?:pytest|tox|nox|unittest|jest|vitest|mocha|ava|tsc|eslint|biome|mypy|pyright|ruff|flake8|pylint|clippy|cargo (?:test|check|build|nextest|fmt|clippy)|go (?:test|vet|build)|golangci-lint|mvnw?|gradlew?|ctest|phpunit|phpstan|psalm|rspec|rubocop|rake|dotnet (?:test|build)|swift (?:test|build)|npm (?:t|test|run \S*(?:test|lint|check|type)\S*)|pnpm \S*(?:test|lint|check)\S*|yarn \S*(?:test|lint|check)\S*|make (?:\S+ )*(?:test|check|lint)\S*|shellcheck|bats|codecov)\b"
);
pattern!(
    /// Scripts of a package that check it.
    SCRIPT, r"^(?:test|lint|check|type-?check|types|verify|ci|build|coverage)(?:[:-]|$)");

pub(crate) fn findings(pair: &Pair<'_>) -> Vec<AuditFinding> {
    let path = pair.path();
    let is_settings = FILES.is_match(path);
    let is_script = SCRIPTS.is_match(path);
    let Some(before) = &pair.change.before else { return Vec::new() };
    if !is_settings && !is_script {
        return Vec::new();
    }
    if pair.change.after.is_none() {
        return gone(pair, before);
    }
    let mut out = if path.ends_with("package.json") { scripts(pair, before) } else { Vec::new() };
    out.extend(lines(pair, is_script));
    if RUNS.is_match(path) {
        out.extend(steps(pair));
    }
    out
}

fn loosened(pair: &Pair<'_>, line: u32, about: &str, before: &str, now: &str) -> AuditFinding {
    pair.finding(AuditKind::CheckLoosened, line, about, before, now)
}

/// Settings that are deleted as a whole.
fn gone(pair: &Pair<'_>, before: &str) -> Vec<AuditFinding> {
    let runs = before.lines().find(|it| CHECKS.is_match(it) || STRICT.is_match(it.trim()));
    runs.map(|it| loosened(pair, 0, pair.path(), it, "")).into_iter().collect()
}

/// The scripts of a package before and now.
fn scripts(pair: &Pair<'_>, before: &str) -> Vec<AuditFinding> {
    let read = |text: &str| -> BTreeMap<String, String> {
        let json: Value = serde_json::from_str(text).unwrap_or_default();
        let scripts = json["scripts"].as_object().into_iter().flatten();
        scripts.filter_map(|(name, it)| Some((name.clone(), it.as_str()?.to_owned()))).collect()
    };
    let (old, now) = (read(before), read(pair.change.after_text()));
    let mut out = Vec::new();
    for (name, was) in old.iter().filter(|it| SCRIPT.is_match(it.0)) {
        let is = now.get(name).map_or("", String::as_str);
        let moved = now.iter().any(|(other, it)| !old.contains_key(other) && it == was);
        if (is_trivial(is) && !is_trivial(was) && !moved) || (ALWAYS.is_match(is) && !ALWAYS.is_match(was)) {
            let needle = format!("\"{name}\"");
            let at = pair.after.text.lines().position(|it| it.contains(&needle)).map_or(0, |it| it + 1);
            out.push(loosened(pair, u32::try_from(at).unwrap_or(0), name, was, is));
        }
    }
    out
}

/// True for a command that checks nothing.
fn is_trivial(command: &str) -> bool {
    let first = command.split(['&', '|', ';']).next().unwrap_or_default().trim();
    first.is_empty()
        || first == "true"
        || first == ":"
        || first.starts_with("exit 0")
        || (first.starts_with("echo") && !CHECKS.is_match(command))
}

/// Single lines that were made laxer.
fn lines(pair: &Pair<'_>, is_script: bool) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    let removed = || pair.diff.removed.iter().map(|it| it.1.trim());
    for (number, line) in &pair.diff.added {
        let now = line.trim();
        // What only moved was so before.
        if now.starts_with('#') || now.starts_with("//") || removed().any(|it| it == now) {
            continue;
        }
        let was = |wanted: &dyn Fn(&str) -> bool| removed().find(|it| wanted(it)).unwrap_or_default().to_owned();
        let always =
            if pair.path().ends_with("package.json") { None } else { passes_always(pair, (*number, now), is_script) };
        if let Some(old) = always {
            out.push(loosened(pair, *number, &first_words(now), &old, now));
        } else if is_script {
            continue;
        } else if let Some(it) = STRICT.captures(now).filter(|it| is_off(&it[2])) {
            let old = was(&|old| STRICT.captures(old).is_some_and(|before| before[1] == it[1] && !is_off(&before[2])));
            if !old.is_empty() {
                out.push(loosened(pair, *number, &it[1], &old, now));
            }
        } else if let Some(it) = LAX.captures(now) {
            out.push(loosened(pair, *number, &it[1], &was(&|old| old.contains(&it[1])), now));
        } else if let Some(old) = removed().find(|old| is_lower(old, now)) {
            out.push(loosened(pair, *number, &first_words(now), old, now));
        } else if let Some(it) = LEFT_OUT.find(now) {
            let known = pair.before.text.matches(it.as_str()).count() >= pair.after.text.matches(it.as_str()).count();
            if !known && (CHECKS.is_match(now) || now.contains("addopts") || now.contains("gnore")) {
                out.push(loosened(
                    pair,
                    *number,
                    it.as_str().trim(),
                    &was(&|old| flat(old).starts_with(&first_words(now))),
                    now,
                ));
            }
        }
    }
    out.extend(switches_gone(pair).into_iter().filter(|_| !is_script));
    out
}

/// The line as it was where a command that checks something now passes whatever it finds.
fn passes_always(pair: &Pair<'_>, (number, now): (u32, &str), is_script: bool) -> Option<String> {
    let found = ALWAYS.find(now)?;
    let checks = is_script && is_check_script(pair) || is_check_target(pair, number);
    let bare =
        |it: &str| it.trim_matches(['"', '\'', ',', ' ', '-', '\t']).trim_start_matches("run: ").trim().to_owned();
    let without = bare(&now[..found.start()]);
    let old = pair.diff.removed.iter().map(|it| it.1.trim()).find(|it| {
        (CHECKS.is_match(it) || checks) && !without.is_empty() && bare(it).starts_with(&without) && !ALWAYS.is_match(it)
    });
    if let Some(old) = old {
        return Some(old.to_owned());
    }
    let ends_early = without.is_empty() && is_script && is_check_script(pair) && !pair.before.text.contains(now);
    (CHECKS.is_match(&without) && found.as_str().starts_with("||") || ends_early).then(String::new)
}

/// True for a line of a makefile beneath a target by which something is checked.
fn is_check_target(pair: &Pair<'_>, number: u32) -> bool {
    let name = pair.path().rsplit('/').next().unwrap_or_default().to_lowercase();
    let lines: Vec<&str> = pair.after.text.lines().take(number as usize).collect();
    let heads = |it: &&&str| !it.starts_with(['\t', ' ', '#', '.']) && it.contains(':') && !it.contains('=');
    let target = lines.iter().rev().find(heads).and_then(|it| it.split_once(':'));
    matches!(name.as_str(), "makefile" | "gnumakefile" | "justfile")
        && target.is_some_and(|it| it.0.split_whitespace().any(|it| SCRIPT.is_match(it)))
}

/// True for a script by which something is checked.
fn is_check_script(pair: &Pair<'_>) -> bool {
    let name = pair.path().rsplit('/').next().unwrap_or_default().to_lowercase();
    ["test", "check", "lint", "verify", "ci"].iter().any(|it| name.contains(it)) || CHECKS.is_match(pair.before.text)
}

fn is_off(value: &str) -> bool {
    matches!(value, "false" | "False" | "no" | "off" | "0" | "none" | "ignore")
}

/// True for the same setting with less demanded.
fn is_lower(old: &str, now: &str) -> bool {
    let number = |pattern: &Regex, it: &str| -> Option<(String, f64)> {
        let found = pattern.captures(it)?;
        Some((it[..found.get(1)?.start()].trim().to_owned(), found[1].parse().ok()?))
    };
    let compare = |pattern: &Regex, less: bool| match (number(pattern, old), number(pattern, now)) {
        (Some(a), Some(b)) => a.0 == b.0 && if less { b.1 < a.1 } else { b.1 > a.1 },
        _ => false,
    };
    compare(&LEAST, true) || compare(&MOST, false) || is_lower_level(old, now)
}

/// A rule that was an error and is less now.
fn is_lower_level(old: &str, now: &str) -> bool {
    let level = |it: &str| -> Option<(String, u8)> {
        let found = RULE.captures(it)?;
        let level = match &found[2] {
            "error" | "deny" | "forbid" | "2" => 2,
            "warn" | "1" => 1,
            _ => 0,
        };
        Some((found[1].to_owned(), level))
    };
    // Numbers alone are levels only where the name is that of a rule.
    let is_rule = |name: &str| !matches!(name, "version" | "edition" | "lines" | "port" | "level");
    match (level(old), level(now)) {
        (Some(a), Some(b)) => {
            a.0 == b.0
                && is_rule(&a.0)
                && b.1 < a.1
                && (a.0.contains(['-', '_', '/']) || old.contains("error") || old.contains("deny"))
        }
        _ => false,
    }
}

/// Strict switches that were on and are not there any more.
fn switches_gone(pair: &Pair<'_>) -> Vec<AuditFinding> {
    let on = |it: &str| {
        STRICT
            .captures(it)
            .filter(|it| matches!(&it[2], "true" | "True" | "yes" | "1" | "error"))
            .map(|it| it[1].to_owned())
    };
    let removed = pair.diff.removed.iter().filter_map(|(n, it)| Some((*n, on(it.trim())?, it.trim())));
    removed
        .filter(|it| !pair.after.text.contains(&it.1))
        .map(|(n, key, line)| loosened(pair, n, &key, line, ""))
        .collect()
}

/// Commands that checked something and that nothing runs any more.
fn steps(pair: &Pair<'_>) -> Vec<AuditFinding> {
    let mut out = Vec::new();
    for (number, line) in &pair.diff.removed {
        let was = line.trim();
        let is_command = was.starts_with("run:")
            || was.starts_with("- run:")
            || was.starts_with("- ")
            || line.starts_with('\t')
            || was.starts_with("cargo ")
            || was.starts_with("npm ");
        if was.starts_with('#') || !is_command || was.contains("name:") || was.contains("uses:") {
            continue;
        }
        let Some(found) = CHECKS.find(was) else { continue };
        let program = found.as_str().split_whitespace().next().unwrap_or_default();
        if !pair.after.text.contains(program) {
            out.push(loosened(pair, *number, found.as_str(), was, ""));
        }
    }
    out
}

fn first_words(line: &str) -> String {
    let line = flat(line.trim_start_matches(['-', ' ', '"']));
    line.split(' ').take(3).collect::<Vec<_>>().join(" ")
}
