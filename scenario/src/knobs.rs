//! The `set` section: what the scenario's user has configured, one `key: value` a line.
//!
//! Unless it says otherwise edits and the project's checks run unasked, so that a story is not drowned in consent.

use ox_config::Settings;
use ox_protocol::{
    ApprovalPolicy, CHECKS_RULE, Fixer, Mode, ModelFacts, Money, Rule, RuleAction, Tokens, ToolFormat, Verification,
};
use serde_json::Value;

use crate::error::ScenarioError;
use crate::text::Doc;

/// The ways in which a scenario can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// The loop alone, with tools that are played from the file.
    Core,
    /// The whole agent over a temporary project.
    Agent,
    /// The same over HTTP in the OpenAI format.
    OpenAi,
    /// The same over HTTP in the Anthropic format.
    Anthropic,
    /// The same over HTTP in the format of OpenAI Responses.
    Responses,
    /// The same over HTTP in the Gemini format.
    Gemini,
    /// The same over HTTP with calls as XML in the text.
    Xml,
}

impl Speed {
    /// All of them.
    pub const ALL: [Speed; 7] =
        [Speed::Core, Speed::Agent, Speed::OpenAi, Speed::Anthropic, Speed::Responses, Speed::Gemini, Speed::Xml];
    /// Those over HTTP.
    pub const WIRE: [Speed; 5] = [Speed::OpenAi, Speed::Anthropic, Speed::Responses, Speed::Gemini, Speed::Xml];

    /// As it is written in a scenario.
    pub fn name(self) -> &'static str {
        match self {
            Speed::Core => "core",
            Speed::Agent => "agent",
            Speed::OpenAi => "openai",
            Speed::Anthropic => "anthropic",
            Speed::Responses => "responses",
            Speed::Gemini => "gemini",
            Speed::Xml => "xml",
        }
    }
}

/// The router model of a scenario.
pub(crate) const ROUTER: &str = "scripted/router";

/// Every key with what it configures; the page about scenarios lists them from here.
pub const KEYS: &[(&str, &str)] = &[
    ("agents", "sub-agents that a turn may start"),
    ("allow", "a rule: such calls run unasked; may be repeated, as `ask`, `deny` and `scope`"),
    ("approval", "the approval policy; `accept-edits` unless it says otherwise"),
    ("ask", "a rule: such calls are asked about"),
    ("can_require", "whether the model can be made to call a tool"),
    ("check_rounds", "how often the model may repair what checks find"),
    ("checkpoints", "the tree is recorded before it is changed"),
    ("checks", "`none`, `ask` (the checks are asked about) or `pytest`, which has narrower forms"),
    ("context_tokens", "tokens of the code that is found for a prompt"),
    ("deny", "a rule: such calls are denied"),
    ("documents", "a documentation server with this name, which answers with `served/NAME`"),
    ("fallback", "a model that takes over; may be repeated"),
    ("fixer", "a command of the project that fixes `{files}` before the checks run; may be repeated"),
    ("git", "the folder is a git repository on this branch"),
    ("git_host", "the host of `origin` takes pull requests"),
    ("headless", "nobody can be asked"),
    ("headless_after_crash", "nobody can be asked once the process was started again"),
    ("image_model", "a model that draws"),
    ("index", "the code is indexed before the story begins"),
    ("keep_iterations", "iterations that a compaction leaves whole"),
    ("max_cost", "dollars that a turn may cost"),
    ("max_output", "tokens of the longest reply"),
    ("max_time", "how long a turn may take, as `10m`"),
    ("max_tokens", "tokens that a turn may use"),
    ("max_iterations", "requests that a turn may make"),
    ("mcp", "an MCP server: its name and the command that starts it"),
    ("mode", "the mode of the first turn; `build` unless it says otherwise"),
    ("model_attempts", "how often a request is made that fails"),
    ("needs", "a program without which the scenario is left out; with `CI=true` it has to be there"),
    ("price", "dollars for a million tokens of input and of output, as `2 8`"),
    ("reasons", "whether the model reasons"),
    ("repair_attempts", "further attempts after one that failed; none unless it says otherwise"),
    ("repair_edits", "what becomes of the edits of a failed attempt: `keep` or `undo`"),
    ("review", "when a reviewer looks at a change: `off`, `auto` or `always`"),
    ("rewrites", "why requests do not all begin with the messages of the one before"),
    ("router", "what the router model says about a prompt, in mode `auto`; one line a prompt that it is asked about"),
    ("scope", "a glob of files that may be changed"),
    ("search", "a web search service, which answers with `served/search`"),
    ("speeds", "the speeds that make sense, and in parentheses why the others make none"),
    ("stop_hook_retries", "how often a refused end is tried again"),
    ("summary", "the model that sums up what leaves the window"),
    ("tools", "`native`, or `xml` for a model that calls tools in its text"),
    ("verification", "when checks have to pass before a turn is done"),
    ("window", "tokens of the model's window"),
];

/// What is configured.
#[derive(Clone, Default)]
pub struct Knobs {
    /// The configuration.
    pub settings: Settings,
    /// Nobody can be asked.
    pub headless: bool,
    /// Nobody can be asked once the process was started again.
    pub headless_after_crash: bool,
    /// What is known of the model.
    pub facts: ModelFacts,
    /// False where the project has no checks, whatever the script holds.
    pub checks: bool,
    /// The speeds that make sense.
    pub speeds: Vec<Speed>,
    /// The project's fixers; only the agent speeds run them.
    pub fixers: Vec<Fixer>,
    /// Why requests do not all begin with the messages of the one before, where they do not.
    pub rewrites: Option<String>,
    /// The tree is recorded before it is changed; only the agent speed does it.
    pub checkpoints: bool,
    /// The folder is a git repository on this branch.
    pub git: Option<String>,
    /// What the router model says, one answer a question.
    pub routes: Vec<String>,
    /// The code is indexed before the story begins; only the agent speed does it.
    pub index: bool,
    /// The check is pytest, which has narrower forms, in place of one that nothing is known of.
    pub pytest: bool,
    /// The programs that it needs.
    pub needs: Vec<String>,
    /// The servers that are there beside the model's; only the agent speeds ask them.
    pub servers: Declared,
}

/// Which servers a scenario declares.
#[derive(Clone, Default)]
pub struct Declared {
    /// The name of a documentation server.
    pub documents: Option<String>,
    /// A web search service.
    pub search: bool,
    /// A model that draws.
    pub image_model: bool,
    /// A host that takes pull requests.
    pub git_host: bool,
    /// MCP servers: their names and command lines.
    pub mcp: Vec<(String, String)>,
}

impl Knobs {
    /// Reads the `set` sections of a scenario.
    pub fn of(doc: &Doc) -> Result<Knobs, ScenarioError> {
        let scripted = doc.sections.iter().any(|it| it.name.starts_with("check:") || it.name.starts_with("baseline:"));
        let mut settings = Settings::default();
        settings.approval = ApprovalPolicy::AcceptEdits;
        settings.mode = Mode::Build;
        // Most stories are about one attempt.
        settings.limits.repair_attempts = 0;
        let mut knobs = Knobs {
            settings,
            facts: ModelFacts { name: "scripted/model".to_string(), ..ModelFacts::default() },
            checks: scripted,
            speeds: Speed::ALL.to_vec(),
            ..Knobs::default()
        };
        let mut asks_for_checks = false;
        for line in doc.sections.iter().filter(|it| it.name == "set").flat_map(|it| it.body.lines()) {
            let wrong = |why: String| ScenarioError::Syntax(format!("in the `set` section, `{line}`: {why}"));
            let (key, value) = line.split_once(':').ok_or_else(|| wrong("write `key: value`".to_string()))?;
            asks_for_checks |= line == "checks: ask";
            knobs.turn(key.trim(), value.trim()).map_err(wrong)?;
        }
        if knobs.checks && !asks_for_checks {
            let rule = Rule { action: RuleAction::Allow, tool: CHECKS_RULE.to_string(), pattern: None };
            knobs.settings.rules.push(rule);
        }
        Ok(knobs)
    }

    /// What is known of the models that may take over, and of the one that sums up.
    pub(crate) fn others(&self) -> Vec<ModelFacts> {
        let roles = [&self.settings.roles.summary, &self.settings.roles.router];
        self.settings.fallback.iter().chain(roles.into_iter().flatten()).map(|it| self.another(it)).collect()
    }

    fn another(&self, name: &str) -> ModelFacts {
        ModelFacts { name: name.to_string(), ..self.facts.clone() }
    }

    fn turn(&mut self, key: &str, value: &str) -> Result<(), String> {
        if !KEYS.iter().any(|(known, _)| *known == key) {
            return Err("no such key".to_string());
        }
        let limits = &mut self.settings.limits;
        match key {
            "approval" => self.settings.approval = word(value)?,
            "mode" => self.settings.mode = word::<Mode>(value)?,
            "verification" => self.settings.verification = word::<Verification>(value)?,
            "headless" => self.headless = word(value)?,
            "headless_after_crash" => self.headless_after_crash = word(value)?,
            "allow" => self.settings.rules.push(Rule::parse(RuleAction::Allow, value)?),
            "ask" => self.settings.rules.push(Rule::parse(RuleAction::Ask, value)?),
            "deny" => self.settings.rules.push(Rule::parse(RuleAction::Deny, value)?),
            "scope" => self.settings.scope.push(value.to_string()),
            "checks" if value == "pytest" => (self.checks, self.pytest) = (true, true),
            "checks" if value == "ask" => self.checks = true,
            "checks" => self.checks = value != "none",
            "agents" => limits.agents.per_turn = word(value)?,
            "max_iterations" => limits.iterations = word(value)?,
            "max_tokens" => limits.tokens = Some(Tokens(word(value)?)),
            "max_cost" => limits.cost = Some(Money(dollars(value)?)),
            "max_time" => {
                let time = humantime::parse_duration(value).map_err(|it| it.to_string())?;
                limits.time_ms = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
            }
            "check_rounds" => limits.check_rounds = word(value)?,
            "repair_attempts" => limits.repair_attempts = word(value)?,
            "repair_edits" => self.settings.repair_edits = word(value)?,
            "review" => self.settings.review = word(value)?,
            "stop_hook_retries" => limits.stop_hook_retries = word(value)?,
            "model_attempts" => limits.model_attempts = word(value)?,
            "reasons" => self.facts.reasons = word(value)?,
            "can_require" => self.facts.can_require = word(value)?,
            "tools" => self.facts.tools = word::<ToolFormat>(value)?,
            "window" => self.facts.window = Tokens(word(value)?),
            "price" => {
                let (input, output) =
                    value.split_once(' ').ok_or("write `price: INPUT OUTPUT` in dollars a million")?;
                self.facts.input_price = Some(Money(dollars(input)?));
                self.facts.output_price = Some(Money(dollars(output)?));
            }
            "fixer" => self.fixers.push(fixer(value)),
            "fallback" => self.settings.fallback.push(value.to_string()),
            "keep_iterations" => self.settings.keep_iterations = word(value)?,
            "max_output" => self.facts.max_output = Tokens(word(value)?),
            "checkpoints" => self.checkpoints = word(value)?,
            "index" => self.index = word(value)?,
            "context_tokens" => self.settings.context_tokens = Some(word(value)?),
            "summary" => self.settings.roles.summary = Some(value.to_string()),
            "router" => {
                self.settings.roles.router = Some(ROUTER.to_string());
                self.routes.push(value.to_string());
            }
            "git" => self.git = Some(value.to_string()),
            "needs" => self.needs.push(value.to_string()),
            "documents" => self.servers.documents = Some(value.to_string()),
            "search" => self.servers.search = word(value)?,
            "image_model" => self.servers.image_model = word(value)?,
            "git_host" => self.servers.git_host = word(value)?,
            "mcp" => {
                let (name, command) = value.split_once(' ').ok_or("write `mcp: NAME COMMAND`")?;
                self.servers.mcp.push((name.to_string(), command.to_string()));
            }
            "rewrites" => self.rewrites = Some(value.to_string()),
            "speeds" => self.speeds = speeds(value)?,
            _ => unreachable!("every key of the table is read here"),
        }
        Ok(())
    }
}

/// A number, a truth value or one of an enumeration's words.
fn word<T: serde::de::DeserializeOwned>(value: &str) -> Result<T, String> {
    let json = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
    serde_json::from_value(json).map_err(|it| it.to_string())
}

/// A fixer by its command; a number of milliseconds before it is its limit.
fn fixer(value: &str) -> Fixer {
    let limit = value.split_once(" ms ").and_then(|it| Some((it.0.parse().ok()?, it.1)));
    let (limit_ms, command) = limit.unwrap_or((30_000, value));
    let name = command.split(' ').next().unwrap_or_default().to_owned();
    Fixer { name, command: command.to_owned(), files: Vec::new(), limit_ms, source: "set".to_owned(), lacks: None }
}

fn dollars(value: &str) -> Result<u64, String> {
    let dollars: f64 = value.trim().parse().map_err(|_| "write dollars, for example 0.25".to_string())?;
    Ok((dollars * 1_000_000.0).round() as u64)
}

/// `core agent (why the others make no sense)`; `wire` stands for all wire formats.
fn speeds(value: &str) -> Result<Vec<Speed>, String> {
    let (names, why) = value.split_once('(').unwrap_or((value, ""));
    if why.trim_end_matches(')').trim().len() < 10 {
        return Err("say in parentheses why the other speeds make no sense".to_string());
    }
    let mut speeds = Vec::new();
    for name in names.split_whitespace() {
        match Speed::ALL.into_iter().find(|it| it.name() == name) {
            Some(speed) => speeds.push(speed),
            None if name == "wire" => speeds.extend(Speed::WIRE),
            None => return Err(format!("no speed is called `{name}`")),
        }
    }
    Ok(speeds)
}
