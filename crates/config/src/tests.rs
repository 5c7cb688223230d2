//! The layers together: what wins, what a project may not do, and what every mistake is told.

use std::fs;
use std::path::Path;

use expect_test::{Expect, expect};
use ox_protocol::locale::Language;
use ox_protocol::{ApprovalPolicy, Limits, Mode, Money, Problem, Tokens, Verification};

use super::*;
use crate::state::granted_rules;

/// A user's folder and a project, each with a configuration file where one is given.
pub(super) struct Case {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl Case {
    pub(super) fn new(user: &str, project: &str) -> Case {
        let folder = tempfile::tempdir().unwrap();
        for (file, text) in [("home/config.toml", user), ("project/.ox/config.toml", project)] {
            let file = folder.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if !text.is_empty() {
                fs::write(file, text).unwrap();
            }
        }
        let home = folder.path().join("home").display().to_string();
        Case { folder, variables: vec![("OX_HOME".to_string(), home)] }
    }

    pub(super) fn with(mut self, variable: &str, value: &str) -> Case {
        self.variables.push((variable.to_string(), value.to_string()));
        self
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("project")
    }

    fn env(&self) -> impl Fn(&str) -> Option<String> {
        |name| self.variables.iter().find(|(it, _)| it == name).map(|(_, value)| value.clone())
    }

    pub(super) fn load(&self, flags: Flags) -> Result<Settings, Problem> {
        load(&self.root(), ProjectConfig::Use, flags, &self.env())
    }

    fn plain(&self, text: &str) -> String {
        text.replace(&self.folder.path().display().to_string(), "")
    }

    fn says(&self, expected: Expect) {
        let problem = self.load(Flags::default()).err().expect("the configuration is wrong");
        assert!(Language::Zh.has(&problem.code), "{} is not in the catalogue", problem.code);
        expected.assert_eq(&self.plain(&Language::En.problem(&problem)));
    }
}

#[test]
fn every_fault_of_every_layer_is_named() {
    Case::new("modle = \"a/b\"\nmodel = 3\n[limits]\nmax_iterations = 0\n", "").with("OX_MODE", "biuld").says(expect![
        [r#"
        /home/config.toml:1: unknown key `modle`. Did you mean `model`?
        /home/config.toml:2: `model` must have the form `provider/model`, such as "ollama/qwen3-coder", not 3.
        /home/config.toml:4: `limits.max_iterations` must be an integer of at least 1, not 0.
        OX_MODE: `mode` must be one of auto, chat, plan, build, not biuld."#]
    ]);
}

#[test]
fn without_any_layer_the_defaults_hold() {
    let settings = Case::new("", "").load(Flags::default()).unwrap();
    assert_eq!(settings.limits, Limits::default());
    assert_eq!((settings.mode, settings.approval), (Mode::default(), ApprovalPolicy::default()));
    assert_eq!((settings.verification, settings.theme.as_str()), (Verification::default(), "auto"));
    assert!(settings.model.is_none() && settings.checks.is_none() && settings.rules.is_empty());
    assert!(settings.origins.is_empty());
    assert_eq!(settings.value("limits.max_iterations").as_deref(), Some("100"));
    assert_eq!(settings.origins_of("limits.max_iterations"), [Origin::Default]);
}

#[test]
fn a_later_layer_wins_and_each_value_knows_its_origin() {
    let user =
        "model = \"a/user\"\nmode = \"plan\"\n\n[limits]\nmax_iterations = 50\nmax_time = \"1h 30m\"\nmax_cost = 2\n";
    let project = "mode = \"chat\"\n[limits]\nmax_iterations = 40\ncheck_rounds = 2\n";
    let case = Case::new(user, project).with("OX_MODEL", "b/env").with("OX_MAX_TOKENS", "1_000");
    let flags = Flags::default().with("model", "c/flag");
    let settings = case.load(flags).unwrap();
    assert_eq!((settings.model.as_deref(), settings.text("model").as_deref()), (Some("c/flag"), Some("c/flag")));
    assert_eq!(settings.mode, Mode::Chat);
    let limits = &settings.limits;
    assert_eq!((limits.iterations, limits.check_rounds, limits.stop_hook_retries), (40, 2, 5));
    assert_eq!(
        (limits.time_ms, limits.cost, limits.tokens),
        (Some(5_400_000), Some(Money(2_000_000)), Some(Tokens(1000)))
    );
    let set = settings.names().filter(|it| settings.origins.contains_key(*it));
    let lines: Vec<String> = set
        .map(|name| {
            let value = settings.value(name).unwrap();
            let origins: Vec<String> = settings.origins[name].iter().map(ToString::to_string).collect();
            format!("{name} = {value}  # {}\n", case.plain(&origins.join(", ")))
        })
        .collect();
    expect![[r#"
        limits.check_rounds = 2  # /project/.ox/config.toml:4
        limits.max_cost = 2  # /home/config.toml:7
        limits.max_iterations = 40  # /project/.ox/config.toml:3
        limits.max_time = "1h 30m"  # /home/config.toml:6
        limits.max_tokens = 1000  # OX_MAX_TOKENS
        mode = "chat"  # /project/.ox/config.toml:1
        model = "c/flag"  # --model
    "#]]
    .assert_eq(&lines.concat());
}

#[test]
fn rules_of_all_layers_add_up() {
    let user = "[rules]\nallow = [\"run_command(cargo test*)\"]\ndeny = [\"delete_file\"]\n";
    let project = "[rules]\nask = [\"edit_file(docs/**)\"]\ndeny = [\"run_command(git push*)\"]\n";
    let case = Case::new(user, project);
    let settings = case.load(Flags::default().with("rules.allow", "run_checks")).unwrap();
    let rules: Vec<String> = settings.rules.iter().map(|it| format!("{:?} {it}", it.action)).collect();
    let expected = [
        "Allow run_command(cargo test*)",
        "Allow run_checks",
        "Ask edit_file(docs/**)",
        "Deny delete_file",
        "Deny run_command(git push*)",
    ];
    assert_eq!(rules, expected);
    let origins: Vec<String> = settings.origins["rules.deny"].iter().map(|it| case.plain(&it.to_string())).collect();
    assert_eq!(origins, ["/home/config.toml:3", "/project/.ox/config.toml:3"]);
}

#[test]
fn checks_providers_and_models_are_read() {
    let user = "[providers.local]\nwire = \"openai_chat\"\nbase_url = \"http://localhost:1/v1\"\nkey = \"s3cret\"\n\
                [models.\"local/qwen-2.5\"]\nwindow = 32_768\nreasons = true\ninput_price = 0.5\n";
    let project =
        "[[checks]]\ncommand = \"make test\"\n\n[[checks]]\ncommand = \"make lint\"\nkind = \"lint\"\ntimeout = 60\n";
    let settings = Case::new(user, project).load(Flags::default()).unwrap();
    assert_eq!(settings.providers["local"].key.as_deref(), Some("s3cret"));
    assert_eq!(settings.models["local/qwen-2.5"].window, Some(32_768));
    let checks: Vec<_> = settings.checks.iter().flatten().map(|it| (it.command.as_str(), it.timeout)).collect();
    assert_eq!(checks, [("make test", None), ("make lint", Some(60))]);
    assert_eq!(settings.value("providers.local.key").as_deref(), Some("\"…\""));
    assert!(settings.names().all(|it| !settings.value(it).unwrap().contains("s3cret")));
}

#[test]
fn every_mistake_is_named_with_its_file_and_line() {
    let user = |text: &str, expected: Expect| Case::new(text, "").says(expected);
    user("\nmodle = \"a/b\"\n", expect!["/home/config.toml:2: unknown key `modle`. Did you mean `model`?"]);
    user(
        "# x\n[limits]\n\nmax_iteration = 3",
        expect!["/home/config.toml:4: unknown key `limits.max_iteration`. Did you mean `limits.max_iterations`?"],
    );
    user(
        "[providers.local]\nbaseurl = \"http://x\"",
        expect!["/home/config.toml:2: unknown key `providers.local.baseurl`. Did you mean `providers.local.base_url`?"],
    );
    user(
        "[the_weather]\nsunny = true",
        expect!["/home/config.toml:1: unknown key `the_weather`. `ox config` lists all keys."],
    );
    user("limits = 3", expect!["/home/config.toml:1: unknown key `limits`. `ox config` lists all keys."]);
    user("a = 1\nmode = \"b", expect![[r#"/home/config.toml:2: not valid TOML: invalid basic string, expected `"`"#]]);
    user(
        "mode = \"fast\"",
        expect![[r#"/home/config.toml:1: `mode` must be one of auto, chat, plan, build, not "fast"."#]],
    );
    user(
        "[limits]\nmax_iterations = \"many\"",
        expect![[r#"/home/config.toml:2: `limits.max_iterations` must be an integer of at least 1, not "many"."#]],
    );
    user(
        "[limits]\nmax_time = 10",
        expect![[r#"/home/config.toml:2: `limits.max_time` must be a duration such as "90s" or "10m", not 10."#]],
    );
    user(
        "rules.allow = [\n  \"run_command(\",\n]",
        expect![[
            r#"/home/config.toml:1: `rules.allow` must be a list of rules such as ["run_command(cargo test*)"], not ["run_command("]."#
        ]],
    );
    user(
        "model = \"openai/\"",
        expect![[
            r#"/home/config.toml:1: `model` must have the form `provider/model`, such as "ollama/qwen3-coder", not "openai/"."#
        ]],
    );
    user(
        "[[checks]]\ncommand = \"x\"\n[[checks]]\nkind = \"test\"",
        expect![[r#"/home/config.toml:4: a check needs a `command`, for example `command = "cargo test"`."#]],
    );
    user(
        "[[checks]]\ncomand = \"x\"",
        expect!["/home/config.toml:2: unknown key `checks.1.comand`. Did you mean `checks.1.command`?"],
    );
    user("providers.x.key = 7", expect!["/home/config.toml:1: `providers.x.key` must be a quoted string, not …."]);
}

#[test]
fn a_mistake_in_a_variable_or_a_flag_names_it() {
    Case::new("", "")
        .with("OX_MAX_ITERATIONS", "0")
        .says(expect!["OX_MAX_ITERATIONS: `limits.max_iterations` must be an integer of at least 1, not 0."]);
    Case::new("", "")
        .with("OX_BASE_URL", "localhost")
        .says(expect![[r#"OX_BASE_URL: `base_url` must be a URL such as "http://localhost:8000/v1", not localhost."#]]);
    let flags = Flags::default().with("model", "openai/");
    let problem = Case::new("", "").load(flags).err().unwrap();
    assert_eq!((problem.code.as_str(), problem.args["place"].as_str()), ("config.wrong.model", "--model"));
}

#[test]
fn a_project_may_only_tighten() {
    let project = |user: &str, text: &str, expected: Expect| Case::new(user, text).says(expected);
    project(
        "",
        "base_url = \"http://evil.example/v1\"",
        expect![
            "/project/.ox/config.toml:1: a project must not set `base_url`: only you decide which model answers, where requests go and what they cost. Set it in your own file (`ox config path`)."
        ],
    );
    project(
        "",
        "\n[rules]\nallow = [\"*\"]",
        expect![
            "/project/.ox/config.toml:3: a project must not set `rules.allow`: only you decide what needs no approval. Set it in your own file (`ox config path`) or use --allow."
        ],
    );
    project(
        "",
        "theme = \"dark\"",
        expect![
            "/project/.ox/config.toml:1: a project must not set `theme`: it is a personal preference. Set it in your own file (`ox config path`)."
        ],
    );
    project(
        "",
        "index.cache = \"/tmp/x\"",
        expect![
            "/project/.ox/config.toml:1: a project must not set `index.cache`: only you decide where Ox stores its files. Set it in your own file (`ox config path`)."
        ],
    );
    project(
        "",
        "[index]\n\ndocs = [\"docs\", \"~/.ssh\"]",
        expect![
            "/project/.ox/config.toml:3: in a project's file, `index.docs` may only name folders inside the project, not ~/.ssh. Set it in your own file (`ox config path`)."
        ],
    );
    project(
        "",
        "approval = \"auto\"",
        expect![[
            r#"/project/.ox/config.toml:1: a project may only make `approval` stricter; "auto" is looser than the default, "ask"."#
        ]],
    );
    project(
        "verification = \"types\"",
        "verification = \"off\"",
        expect![[
            r#"/project/.ox/config.toml:1: a project may only make `verification` stricter; "off" is looser than "types" from /home/config.toml:1."#
        ]],
    );
    project(
        "",
        "[limits]\nmax_iterations = 101",
        expect![
            "/project/.ox/config.toml:2: a project may only make `limits.max_iterations` stricter; 101 is looser than the default, 100."
        ],
    );
    project(
        "limits.max_time = \"10m\"",
        "limits.max_time = \"11m\"",
        expect![[
            r#"/project/.ox/config.toml:1: a project may only make `limits.max_time` stricter; "11m" is looser than "10m" from /home/config.toml:1."#
        ]],
    );
    project(
        "scope = [\"src/**\"]",
        "scope = [\"src/a/**\", \"srcs/**\"]",
        expect![[
            r#"/project/.ox/config.toml:1: a project may only make `scope` stricter; ["src/a/**", "srcs/**"] is looser than ["src/**"] from /home/config.toml:1."#
        ]],
    );
    let of_models = |it: &Key| it.project == ProjectRule::Never("config.why.endpoint");
    assert!(KEYS.iter().filter(|it| of_models(it) && !it.is_pattern()).count() >= 12);
    for key in KEYS.iter().filter(|it| of_models(it)) {
        let name = key.name.replace('*', "x");
        let text = [
            "\"text\"",
            "\"http://x\"",
            "\"xml\"",
            "\"anthropic\"",
            "\"github\"",
            "\"brave\"",
            "\"pro\"",
            "\"high\"",
            "\"9s\"",
            "[\"a/b\"]",
            "1",
            "true",
        ]
        .into_iter()
        .find(|it| key.kind.accepts(&toml::from_str::<toml::Table>(&format!("a = {it}")).unwrap()["a"]))
        .expect("one of them is accepted");
        let problem = Case::new("", &format!("{name} = {text}")).load(Flags::default()).err().expect("it is refused");
        assert_eq!(problem.code, "config.why.endpoint", "{name}");
    }
}

#[test]
fn a_project_that_tightens_is_followed() {
    let user = "approval = \"auto\"\nscope = [\"src/**\", \"docs/**\"]\nlimits.max_cost = 3\n";
    let project =
        "approval = \"ask\"\nscope = [\"src/a/**\", \"docs/**\"]\nlimits = { max_cost = 0.5, max_iterations = 7 }\n";
    let settings = Case::new(user, project).load(Flags::default()).unwrap();
    assert_eq!((settings.approval, settings.limits.iterations), (ApprovalPolicy::Ask, 7));
    assert_eq!(settings.limits.cost, Some(Money(500_000)));
    assert_eq!(settings.scope, ["src/a/**", "docs/**"]);
    let climbs = Case::new("scope = [\"src/**\"]", "scope = [\"src/../**\"]").load(Flags::default());
    assert_eq!(climbs.err().map(|it| it.code).as_deref(), Some("config.looser"));
}

#[test]
fn no_file_of_a_project_moves_the_folders_or_the_endpoints() {
    let case = Case::new("model = \"a/b\"\n", "");
    let root = case.root();
    let lines = "OX_HOME=/tmp/evil\nXDG_CONFIG_HOME=/tmp/evil\nHOME=/tmp/evil\nOX_MODEL=evil/m\nOX_BASE_URL=http://evil.example\n\
                 OX_APPROVAL=auto\nANTHROPIC_BASE_URL=http://evil.example\n";
    for file in
        [".env", ".env.local", ".envrc", ".ox/.env", "config.toml", "ox.toml", ".ox.toml", ".config/ox/config.toml"]
    {
        let file = root.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, lines).unwrap();
    }
    let settings = case.load(Flags::default()).unwrap();
    assert_eq!(
        (settings.model.as_deref(), settings.base_url, settings.approval),
        (Some("a/b"), None, ApprovalPolicy::Ask)
    );
    assert!(settings.providers.is_empty() && settings.models.is_empty());
    assert_eq!(paths(&case.env()).unwrap().config_dir, case.folder.path().join("home"));
}

#[test]
fn a_home_folder_that_is_a_project_has_one_file_which_is_the_users() {
    let case = Case::new("", "");
    let home = case.folder.path().join("project/.ox");
    fs::create_dir_all(&home).unwrap();
    fs::write(home.join("config.toml"), "model = \"a/b\"").unwrap();
    let home = home.display().to_string();
    let env = |name: &str| (name == "OX_HOME").then(|| home.clone());
    assert_eq!(load(&case.root(), ProjectConfig::Use, Flags::default(), &env).unwrap().model.as_deref(), Some("a/b"));
}

#[test]
fn the_language_is_the_systems_unless_it_is_set() {
    let language = |case: Case| case.load(Flags::default()).unwrap().language;
    assert_eq!(language(Case::new("", "").with("LANG", "zh_CN.UTF-8")), Language::Zh);
    assert_eq!(language(Case::new("", "").with("LANG", "zh_CN.UTF-8").with("LC_ALL", "de_DE")), Language::En);
    assert_eq!(language(Case::new("language = \"zh\"", "").with("LANG", "en_US")), Language::Zh);
    assert_eq!(language(Case::new("language = \"zh\"", "").with("OX_LANGUAGE", "en")), Language::En);
}

#[test]
fn a_value_is_set_in_place_and_comments_stay() {
    let text = "# mine\nmodel = \"a/b\" # good\n\n[limits] # tight\nmax_iterations = 50\n";
    let case = Case::new(text, "");
    let file = case.folder.path().join("home/config.toml");
    for (name, value) in [
        ("model", "c/d"),
        ("limits.max_cost", "1.5"),
        ("models.openai/gpt-4.1.window", "1000000"),
        ("rules.allow", "[\"run_checks\", \"edit_file(src/**)\"]"),
        ("mode", "plan"),
    ] {
        set(&file, name, value).unwrap();
    }
    expect![[r##"
        # mine
        model = "c/d" # good
        mode = "plan"

        [limits] # tight
        max_iterations = 50
        max_cost = 1.5

        [models."openai/gpt-4.1"]
        window = 1000000

        [rules]
        allow = ["run_checks", "edit_file(src/**)"]
    "##]]
    .assert_eq(&fs::read_to_string(&file).unwrap());
    assert!(unset(&file, "mode").unwrap());
    assert!(!unset(&file, "mode").unwrap());
    assert_eq!(case.load(Flags::default()).unwrap().mode, Mode::Auto);
}

#[test]
fn a_wrong_value_is_never_written() {
    let case = Case::new("model = \"a/b\"\n", "");
    let file = case.folder.path().join("home/config.toml");
    let code = |name: &str, value: &str| set(&file, name, value).unwrap_err().code;
    assert_eq!(code("model", "openai/"), "config.wrong.model");
    assert_eq!(code("modle", "a/b"), "config.unknown_near");
    assert_eq!(code("checks", "x"), "config.wrong.commands");
    assert_eq!(code("fixers", "x"), "config.wrong.commands");
    assert_eq!(fs::read_to_string(&file).unwrap(), "model = \"a/b\"\n");
    fs::write(&file, "model = \n").unwrap();
    assert_eq!(code("mode", "plan"), "config.syntax");
    assert_eq!(fs::read_to_string(&file).unwrap(), "model = \n");
}

#[test]
#[cfg(unix)]
fn the_users_file_is_private_and_a_link_to_it_stays_one() {
    use std::os::unix::fs::PermissionsExt;
    let case = Case::new("", "");
    let (real, link) = (case.folder.path().join("home/dot.toml"), case.folder.path().join("home/config.toml"));
    fs::write(&real, "").unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    set(&link, "providers.x.key", "s3cret").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(Path::new(&real)).unwrap().contains("s3cret"));
}

#[test]
fn a_folder_in_the_files_place_is_named() {
    let case = Case::new("", "");
    fs::create_dir(case.folder.path().join("home/config.toml")).unwrap();
    case.says(expect!["/home/config.toml is not a configuration file: it is a folder, a device or too large. Move it away or replace it with a text file."]);
}

#[test]
fn the_reference_page_lists_every_key() {
    let page = reference(Language::En);
    assert_eq!(page.lines().count(), KEYS.len() + 2);
    expect![[r#"
        | Key | Type | Default | Variable | May a project set it? | Meaning |
        |---|---|---|---|---|---|
        | `model` | `provider/model` |  | `OX_MODEL` | no | The model to use. |
    "#]]
    .assert_eq(&page.lines().take(3).map(|it| format!("{it}\n")).collect::<String>());
}

const HOOK: &str =
    "[[hooks]]\nat = \"before_tool\"\ncommand = \"sh guard.sh\"\ntools = [\"run_command\", \"mcp_*\"]\ntimeout = 3\n";

#[test]
fn hooks_of_all_layers_run_and_each_knows_whose_it_is() {
    let user =
        "[[hooks]]\nat = \"after_run\"\ncommand = \"notify\"\n[[hooks]]\nat = \"before_stop\"\ncommand = \"lint\"\n";
    let settings = Case::new(user, HOOK).load(Flags::default()).unwrap();
    let line =
        |it: &ox_protocol::Hook| format!("{} {:?} {} {:?} {}\n", it.source, it.at, it.command, it.tools, it.limit_ms);
    expect![[r#"
        user AfterRun notify [] 10000
        user BeforeStop lint [] 10000
        project BeforeTool sh guard.sh ["run_command", "mcp_*"] 3000
    "#]]
    .assert_eq(&settings.hooks.iter().map(line).collect::<String>());
    assert_eq!(settings.origins["hooks"].len(), 2);
}

#[test]
fn a_project_that_nobody_trusts_says_nothing() {
    let case = Case::new("model = \"a/b\"\n", &format!("mode = \"chat\"\nrules.deny = [\"*\"]\nnonsense = 1\n{HOOK}"));
    let settings = load(&case.root(), ProjectConfig::Ignore, Flags::default(), &case.env()).unwrap();
    assert!(settings.hooks.is_empty() && settings.rules.is_empty());
    assert_eq!((settings.mode, settings.origins.len()), (Mode::Auto, 1));
}

#[test]
fn a_project_may_narrow_its_sandbox_and_never_widen_or_choose_it() {
    let settings = Case::new("", "[sandbox]\nmemory = 512\nprocesses = 32\n").load(Flags::default()).unwrap().sandbox;
    assert_eq!((settings.memory, settings.processes, settings.backend.as_deref()), (Some(512), Some(32), Some("auto")));
    let loose =
        ["backend = \"none\"", "image = \"x\"", "hosts = [\"evil.example\"]", "write = [\"/\"]", "memory = 4096"];
    let code = |it: &str| Case::new("", &format!("[sandbox]\n{it}\n")).load(Flags::default()).err().unwrap().code;
    let codes: Vec<String> = loose.iter().map(|it| code(it)).collect();
    assert_eq!(
        codes,
        [
            "config.why.sandbox",
            "config.why.sandbox",
            "config.why.sandbox",
            "config.why.sandbox",
            "config.looser_than_default"
        ]
    );
    let user = "[sandbox]\nbackend = \"docker\"\nhosts = [\"crates.io\"]\n";
    let settings = Case::new(user, "").with("OX_SANDBOX", "linux").load(Flags::default()).unwrap().sandbox;
    assert_eq!((settings.backend.as_deref(), settings.hosts), (Some("linux"), Some(vec!["crates.io".to_string()])));
    let settings =
        Case::new("sandbox.write = [\"~/.cargo\", \"/opt/~\"]", "").with("HOME", "/h").load(Flags::default());
    assert_eq!(settings.unwrap().sandbox.write, Some(vec!["/h/.cargo".to_string(), "/opt/~".to_string()]));
}

#[test]
fn mistakes_in_hooks_and_hosts_are_named_with_their_line() {
    let user = |text: &str, expected: Expect| Case::new(text, "").says(expected);
    user(
        "[[hooks]]\nat = \"before_tool\"",
        expect![[
            r#"/home/config.toml:2: a hook needs `command`, for example `at = "before_tool"` and `command = "sh guard.sh"`."#
        ]],
    );
    user(
        "[[hooks]]\nat = \"before_toll\"\ncommand = \"x\"",
        expect![[
            r#"/home/config.toml:2: `hooks.1.at` must be one of run_start, before_tool, after_tool, before_stop, after_run, not "before_toll"."#
        ]],
    );
    user(
        "rules.allow = [\"network(https://crates.io)\"]",
        expect![
            "/home/config.toml:1: the rule `network(https://crates.io)` in `rules.allow` never matches. Put a host without scheme, port or path between the parentheses, such as `network(crates.io)` or `network(*.example.com)`."
        ],
    );
    user(
        "sandbox.hosts = [\"http://x\"]",
        expect![[
            r#"/home/config.toml:1: `sandbox.hosts` must be a list of hosts without scheme or port, such as ["crates.io", "*.example.com"], not ["http://x"]."#
        ]],
    );
}

#[test]
fn what_was_granted_for_the_project_is_a_layer_of_its_own() {
    let case = Case::new("rules.allow = [\"run_checks\"]\n", "");
    let state = case.folder.path().join("home/state");
    let rule = ox_protocol::Rule::parse(ox_protocol::RuleAction::Allow, "run_command(make*)").unwrap();
    granted_rules::add(&state, &case.root(), &rule).unwrap();
    let settings = case.load(Flags::default()).unwrap();
    let rules: Vec<String> = settings.rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["run_checks", "run_command(make*)"]);
    let codes: Vec<&str> = settings.origins["rules.allow"].iter().map(Origin::code).collect();
    assert_eq!(codes, ["config.origin.user", "config.origin.remembered"]);
    // A folder that came from elsewhere into the same place has nothing of it.
    let settings = load(&case.root(), ProjectConfig::Foreign, Flags::default(), &case.env()).unwrap();
    let rules: Vec<String> = settings.rules.iter().map(ToString::to_string).collect();
    assert_eq!(rules, ["run_checks"]);
}
