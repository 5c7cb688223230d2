//! The one table of configuration keys: type, default, variable, flag, and what a project may do with each.
//!
//! Files, the environment, flags, `ox config` and the reference page all read this table; nothing knows a key by itself.

use ox_protocol::Effort;

use super::kind::Kind;

/// One key. A `*` segment of its name stands for any name.
#[derive(Debug)]
pub struct Key {
    /// Its name with dots, for example `limits.max_iterations` or `providers.*.wire`.
    pub name: &'static str,
    /// What may be written there.
    pub kind: Kind,
    /// The default as it would be written; empty where there is none.
    pub default: &'static str,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// The flag that sets it, for messages.
    pub flag: Option<&'static str>,
    /// What a project's file may do.
    pub project: ProjectRule,
    /// Its former names, which are still accepted.
    pub former: Option<Former>,
}

/// Former names of a key.
#[derive(Clone, Copy, Debug)]
pub struct Former {
    /// In files.
    pub name: &'static str,
    /// In the environment.
    pub variable: &'static str,
    /// On the command line.
    pub flag: Option<&'static str>,
}

/// What a project's file may do with a key: whoever writes a project's files is not the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectRule {
    /// Set it.
    May,
    /// Set it to something at least as strict as what the user has.
    MayTighten,
    /// Name what lies inside the project and nothing else.
    Inside,
    /// Nothing; the word is the reason's key in the catalogue.
    Never(&'static str),
}

const ENDPOINT: ProjectRule = ProjectRule::Never("config.why.endpoint");
const ALLOW: ProjectRule = ProjectRule::Never("config.why.allow");
const TASTE: ProjectRule = ProjectRule::Never("config.why.taste");
const PLACES: ProjectRule = ProjectRule::Never("config.why.places");
const SANDBOX: ProjectRule = ProjectRule::Never("config.why.sandbox");

/// All keys, in the order in which they are shown.
pub const KEYS: &[Key] = &[
    key("model", Kind::Model, "").variable("OX_MODEL").flag("--model").project(ENDPOINT),
    key("effort", Kind::Choice(&Effort::NAMES), "").variable("OX_EFFORT").flag("--effort").project(ENDPOINT),
    key("base_url", Kind::Url, "").variable("OX_BASE_URL").flag("--base-url").project(ENDPOINT),
    key("preset", Kind::Choice(&["lite", "pro"]), "").variable("OX_PRESET").flag("--preset").project(ENDPOINT),
    key("fallback", Kind::Models, "").variable("OX_FALLBACK").project(ENDPOINT),
    key("roles.planner", Kind::Model, "").variable("OX_PLANNER_MODEL").project(ENDPOINT),
    key("roles.summary", Kind::Model, "").variable("OX_SUMMARY_MODEL").project(ENDPOINT),
    key("roles.router", Kind::Model, "").variable("OX_ROUTER_MODEL").project(ENDPOINT),
    key("roles.repair", Kind::Model, "").variable("OX_REPAIR_MODEL").project(ENDPOINT),
    key("roles.agent", Kind::Model, "").variable("OX_AGENT_MODEL").project(ENDPOINT),
    key("roles.review", Kind::Model, "").variable("OX_REVIEW_MODEL").project(ENDPOINT),
    key("roles.embedding", Kind::Model, "").variable("OX_EMBEDDING_MODEL").project(ENDPOINT),
    key("roles.image", Kind::Model, "").variable("OX_IMAGE_MODEL").project(ENDPOINT),
    key("timeouts.connect", Kind::Time, "").variable("OX_TIMEOUT_CONNECT").project(ENDPOINT),
    key("timeouts.first_byte", Kind::Time, "").variable("OX_TIMEOUT_FIRST_BYTE").project(ENDPOINT),
    key("timeouts.idle", Kind::Time, "").variable("OX_TIMEOUT_IDLE").project(ENDPOINT),
    key("mode", Kind::Choice(&["auto", "chat", "plan", "build"]), "auto").variable("OX_MODE").flag("--mode"),
    key("approval", Kind::Choice(&["ask", "accept-edits", "auto"]), "ask")
        .variable("OX_APPROVAL")
        .flag("--approval")
        .project(ProjectRule::MayTighten),
    key("verification", Kind::Choice(&["full", "types", "off"]), "full")
        .variable("OX_VERIFICATION")
        .project(ProjectRule::MayTighten),
    key("review", Kind::Choice(&["off", "auto", "always"]), "auto").variable("OX_REVIEW"),
    key("language", Kind::Choice(&["en", "zh"]), "").variable("OX_LANGUAGE").project(TASTE),
    key("theme", Kind::Choice(&["auto", "dark", "light", "16", "none"]), "auto").variable("OX_THEME").project(TASTE),
    key("terminal.ambiguous_width", Kind::Choice(&["auto", "narrow", "wide"]), "auto")
        .variable("OX_AMBIGUOUS_WIDTH")
        .project(TASTE),
    key("terminal.motion", Kind::Choice(&["full", "reduced"]), "full").variable("OX_MOTION").project(TASTE),
    key("terminal.screen_reader", Kind::Flag, "false").variable("OX_SCREEN_READER").project(TASTE),
    key("terminal.editing_mode", Kind::Choice(&["emacs", "vi"]), "emacs").variable("OX_EDITING_MODE").project(TASTE),
    key("terminal.status_line", Kind::Text, "").variable("OX_STATUS_LINE").project(TASTE),
    key("keys.*", Kind::Text, "").project(TASTE),
    key("screen", Kind::Choice(&["inline", "fullscreen"]), "inline").variable("OX_SCREEN").project(TASTE),
    key("scope", Kind::Globs, "").flag("--scope").project(ProjectRule::MayTighten),
    key("rules.allow", Kind::Rules, "").flag("--allow").project(ALLOW),
    key("rules.ask", Kind::Rules, ""),
    key("rules.deny", Kind::Rules, ""),
    key("hooks", Kind::Hooks, ""),
    key("hooks.*.at", Kind::Choice(&["run_start", "before_tool", "after_tool", "before_stop", "after_run"]), ""),
    key("hooks.*.command", Kind::Text, ""),
    key("hooks.*.tools", Kind::Names, ""),
    key("hooks.*.timeout", Kind::Count(1), "10"),
    key("telemetry.endpoint", Kind::Url, "").variable("OX_TELEMETRY").project(ENDPOINT),
    key("sandbox.backend", Kind::Choice(&["auto", "linux", "docker", "podman", "external", "none"]), "auto")
        .variable("OX_SANDBOX")
        .project(SANDBOX),
    key("sandbox.image", Kind::Text, "").variable("OX_SANDBOX_IMAGE").project(SANDBOX),
    limit("sandbox.memory", Kind::Count(64), "2048").variable("OX_SANDBOX_MEMORY"),
    limit("sandbox.processes", Kind::Count(8), "256").variable("OX_SANDBOX_PROCESSES"),
    key("sandbox.hosts", Kind::Hosts, "").variable("OX_SANDBOX_HOSTS").project(SANDBOX),
    key("sandbox.write", Kind::Folders, "").variable("OX_SANDBOX_WRITE").project(SANDBOX),
    limit("limits.max_iterations", Kind::Count(1), "100")
        .variable("OX_MAX_ITERATIONS")
        .flag("--max-iterations")
        .former("limits.max_turns", "OX_MAX_TURNS", Some("max-turns")),
    limit("limits.max_tokens", Kind::Count(1), "").variable("OX_MAX_TOKENS").flag("--max-tokens"),
    limit("limits.max_cost", Kind::Amount, "").variable("OX_MAX_COST").flag("--max-cost"),
    limit("limits.max_time", Kind::Time, "").variable("OX_MAX_TIME").flag("--max-time"),
    limit("limits.check_rounds", Kind::Count(0), "5").variable("OX_CHECK_ROUNDS"),
    limit("limits.stop_hook_retries", Kind::Count(0), "5").variable("OX_STOP_HOOK_RETRIES"),
    limit("limits.repair_attempts", Kind::Count(0), "2").variable("OX_REPAIR_ATTEMPTS"),
    key("limits.repair_edits", Kind::Choice(&["keep", "undo"]), "keep").variable("OX_REPAIR_EDITS"),
    limit("limits.memory_tasks", Kind::Count(0), "10").variable("OX_MEMORY_TASKS").former(
        "limits.memory_turns",
        "OX_MEMORY_TURNS",
        None,
    ),
    limit("agents.depth", Kind::Count(0), "1").variable("OX_AGENTS_DEPTH"),
    limit("agents.parallel", Kind::Count(1), "4").variable("OX_AGENTS_PARALLEL"),
    limit("agents.per_turn", Kind::Count(0), "12").variable("OX_AGENTS_PER_TURN"),
    limit("agents.iterations", Kind::Count(1), "30").variable("OX_AGENTS_ITERATIONS"),
    key("context.keep_iterations", Kind::Count(0), "2").variable("OX_KEEP_ITERATIONS").former(
        "context.keep_turns",
        "OX_KEEP_TURNS",
        None,
    ),
    key("context.tokens", Kind::Count(0), "").variable("OX_CONTEXT_TOKENS"),
    key("index.cache", Kind::Folder, "").variable("OX_INDEX_CACHE").project(PLACES),
    key("index.embeddings", Kind::Text, "auto").variable("OX_EMBEDDINGS").project(ENDPOINT),
    key("index.docs", Kind::Documents, "").variable("OX_DOCS").project(ProjectRule::Inside),
    key("index.rag.*", Kind::Url, "").project(ENDPOINT),
    key("checks", Kind::Commands, ""),
    key("checks.*.command", Kind::Text, ""),
    key("checks.*.kind", Kind::Choice(&["types", "lint", "build", "test", "security"]), "test"),
    key("checks.*.name", Kind::Text, ""),
    key("checks.*.timeout", Kind::Count(1), ""),
    key("fixers", Kind::Commands, ""),
    key("fixers.*.command", Kind::Text, ""),
    key("fixers.*.files", Kind::Globs, ""),
    key("fixers.*.name", Kind::Text, ""),
    key("fixers.*.timeout", Kind::Count(1), ""),
    key("providers.*.wire", Kind::Choice(&["openai_chat", "openai_responses", "anthropic", "gemini"]), "")
        .project(ENDPOINT),
    key("providers.*.base_url", Kind::Url, "").project(ENDPOINT),
    key("providers.*.key_env", Kind::Text, "").project(ENDPOINT),
    key("providers.*.key", Kind::Secret, "").project(ENDPOINT),
    key("models.*.window", Kind::Count(1), "").project(ENDPOINT),
    key("models.*.max_output", Kind::Count(1), "").project(ENDPOINT),
    key("models.*.reasons", Kind::Flag, "").project(ENDPOINT),
    key("models.*.tools", Kind::Choice(&["native", "xml"]), "").project(ENDPOINT),
    key("models.*.input_price", Kind::Amount, "").project(ENDPOINT),
    key("models.*.cached_price", Kind::Amount, "").project(ENDPOINT),
    key("models.*.output_price", Kind::Amount, "").project(ENDPOINT),
    key("web_search.provider", Kind::Choice(&["brave", "tavily", "searxng", "mcp"]), "").project(ENDPOINT),
    key("web_search.url", Kind::Url, "").project(ENDPOINT),
    key("web_search.key_env", Kind::Text, "").project(ENDPOINT),
    key("web_search.tool", Kind::Text, "").project(ENDPOINT),
    key("git_hosts.*.kind", Kind::Choice(&["github", "gitlab", "gitea", "forgejo"]), "").project(ENDPOINT),
    key("git_hosts.*.api", Kind::Url, "").project(ENDPOINT),
    key("git_hosts.*.token_env", Kind::Text, "").project(ENDPOINT),
];

const fn key(name: &'static str, kind: Kind, default: &'static str) -> Key {
    Key { name, kind, default, variable: None, flag: None, project: ProjectRule::May, former: None }
}

const fn limit(name: &'static str, kind: Kind, default: &'static str) -> Key {
    key(name, kind, default).project(ProjectRule::MayTighten)
}

impl Key {
    const fn variable(mut self, name: &'static str) -> Key {
        self.variable = Some(name);
        self
    }

    const fn flag(mut self, name: &'static str) -> Key {
        self.flag = Some(name);
        self
    }

    const fn former(mut self, name: &'static str, variable: &'static str, flag: Option<&'static str>) -> Key {
        self.former = Some(Former { name, variable, flag });
        self
    }

    const fn project(mut self, project: ProjectRule) -> Key {
        self.project = project;
        self
    }

    /// True for a key whose name has a `*`: it stands for many.
    pub fn is_pattern(&self) -> bool {
        self.name.contains('*')
    }

    fn matches(&self, path: &[String]) -> bool {
        self.name.split('.').count() == path.len()
            && self.name.split('.').zip(path).all(|(name, it)| name == "*" || name == it)
    }
}

/// The name that a key has now, where `name` is one that it had.
pub fn current(name: &str) -> &str {
    KEYS.iter().find(|it| it.former.is_some_and(|it| it.name == name)).map_or(name, |it| it.name)
}

/// The key at a path of names.
pub fn at(path: &[String]) -> Option<&'static Key> {
    KEYS.iter().find(|it| it.matches(path))
}

/// True where some key lies below `path`, so that a table may stand there.
pub fn has_below(path: &[String]) -> bool {
    KEYS.iter().any(|key| {
        let names: Vec<&str> = key.name.split('.').collect();
        names.len() > path.len() && names.iter().zip(path).all(|(name, it)| *name == "*" || name == it)
    })
}

/// The path of a name with dots. What stands for `*` may have dots itself: `models.openai/gpt-4.1.window`.
pub fn path_of(name: &str) -> Option<Vec<String>> {
    let name = current(name);
    KEYS.iter().find_map(|key| {
        let Some((before, after)) = key.name.split_once('*') else {
            return (key.name == name).then(|| name.split('.').map(str::to_string).collect());
        };
        let middle = name.strip_prefix(before)?.strip_suffix(after)?;
        let (first, last) = (before.trim_end_matches('.'), after.trim_start_matches('.'));
        let names = first.split('.').chain([middle]).chain(last.split('.')).filter(|it| !it.is_empty());
        (!middle.is_empty()).then(|| names.map(str::to_string).collect())
    })
}

/// What may stand at the key of this name, what stands for `*` filled in; none where there is no such key.
pub fn kind_of(name: &str) -> Option<Kind> {
    at(&path_of(name)?).map(|it| it.kind)
}

/// True for the name of a key, what stands for `*` filled in.
pub fn is_key(name: &str) -> bool {
    path_of(name).is_some()
}

/// The known key that `path` was most likely meant to be, what stands for `*` filled in; none when nothing is near.
pub fn nearest(path: &[String]) -> Option<String> {
    let written = path.join(".");
    let candidates = KEYS.iter().map(|key| filled(key.name, path));
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_string();
    let distance = |name: &str| {
        let whole = strsim::osa_distance(name, &written);
        // A right name in the wrong table is as good as one wrong letter.
        let is_free = path_of(name).and_then(|it| at(&it)).is_some_and(|it| it.name.ends_with(".*"));
        if last(name) == last(&written) && !is_free { whole.min(1) } else { whole }
    };
    let rank = |name: String| (distance(&name), name.len().abs_diff(written.len()), name);
    let (distance, _, name) = candidates.map(rank).min()?;
    (distance <= 1 + written.len() / 4).then_some(name)
}

fn filled(name: &str, path: &[String]) -> String {
    let names = name.split('.').enumerate();
    let names = names.map(|(i, it)| if it == "*" { path.get(i).map_or("*", String::as_str) } else { it });
    names.collect::<Vec<&str>>().join(".")
}

#[cfg(test)]
mod tests {
    use ox_protocol::locale::Language;

    use super::*;

    fn path(name: &str) -> Vec<String> {
        name.split('.').map(str::to_string).collect()
    }

    #[test]
    fn the_nearest_key_is_found_or_none() {
        let table = [
            ("modle", Some("model")),
            ("max_iterations", Some("limits.max_iterations")),
            ("limits.max_iteration", Some("limits.max_iterations")),
            ("providers.local.baseurl", Some("providers.local.base_url")),
            ("rules.alow", Some("rules.allow")),
            ("approvals", Some("approval")),
            ("colour_of_the_sky", None),
        ];
        for (written, expected) in table {
            assert_eq!(nearest(&path(written)).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn a_name_with_dots_finds_its_path() {
        assert_eq!(path_of("limits.max_iterations"), Some(path("limits.max_iterations")));
        let model = ["models", "openai/gpt-4.1", "window"].map(str::to_string).to_vec();
        assert_eq!(path_of("models.openai/gpt-4.1.window"), Some(model));
        let server = ["index", "rag", "my.docs"].map(str::to_string).to_vec();
        assert_eq!(path_of("index.rag.my.docs"), Some(server));
        assert_eq!((path_of("models..window"), path_of("index.rag.")), (None, None));
        assert_eq!(path_of("limits"), None);
    }

    #[test]
    fn every_key_is_explained_and_every_default_is_valid() {
        for key in KEYS {
            assert!(
                Language::En.has(&format!("config.key.{}", key.name)),
                "the catalogue lacks config.key.{}",
                key.name
            );
            assert!(key.default.is_empty() || key.kind.parse(key.default).is_some(), "{}", key.name);
            if let ProjectRule::Never(why) = key.project {
                assert!(Language::En.has(why), "the catalogue lacks {why}");
            }
        }
    }

    #[test]
    fn the_table_and_the_schema_name_the_same_keys() {
        let schema = serde_json::to_value(schemars::schema_for!(ox_protocol::Layer)).unwrap();
        let properties = |name: &str| -> Vec<String> {
            let of = if name == "Layer" { &schema } else { &schema["$defs"][name] };
            of["properties"].as_object().unwrap().keys().cloned().collect()
        };
        let below = [
            ("rules", "rules", "RulesLayer"),
            ("terminal", "terminal", "TerminalLayer"),
            ("limits", "limits", "LimitsLayer"),
            ("agents", "agents", "AgentsLayer"),
            ("roles", "roles", "RolesLayer"),
            ("timeouts", "timeouts", "TimeoutsLayer"),
            ("context", "context", "ContextLayer"),
            ("index", "index", "IndexLayer"),
            ("hooks", "hooks.*", "HookConfig"),
            ("telemetry", "telemetry", "TelemetryLayer"),
            ("sandbox", "sandbox", "SandboxLayer"),
            ("checks", "checks.*", "CheckConfig"),
            ("fixers", "fixers.*", "FixerConfig"),
            ("providers", "providers.*", "ProviderLayer"),
            ("models", "models.*", "ModelLayer"),
            ("git_hosts", "git_hosts.*", "GitHostLayer"),
            ("web_search", "web_search", "WebSearchLayer"),
        ];
        let mut expected: Vec<String> = ["checks", "fixers", "hooks"].map(str::to_string).to_vec();
        for name in properties("Layer") {
            match below.iter().find(|(it, ..)| *it == name) {
                Some((_, prefix, table)) => {
                    expected.extend(properties(table).iter().map(|it| format!("{prefix}.{it}")))
                }
                None => expected.push(name),
            }
        }
        // A table of plain values has no schema of its own.
        expected.iter_mut().filter(|it| ["index.rag", "keys"].contains(&it.as_str())).for_each(|it| it.push_str(".*"));
        let mut known: Vec<String> = KEYS.iter().map(|it| it.name.to_string()).collect();
        expected.sort();
        known.sort();
        assert_eq!(known, expected);
    }
}
