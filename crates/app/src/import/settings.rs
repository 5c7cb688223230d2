//! The settings of another agent in the user's own files: shown first, written when somebody has said yes.

use ox_config::Origin;
use ox_import::Home;
use ox_import::settings::Settings;
use ox_mcp::ServerConfig;
use ox_protocol::{Problem, Rule, RuleAction};

use crate::project::Project;
use crate::project::mcp::ServerScope;

/// What would be added to the user's own configuration.
#[derive(Clone, Debug, Default)]
pub struct Offer {
    /// The model, where the user has chosen none yet.
    pub model: Option<String>,
    /// MCP servers that are not there yet.
    pub servers: Vec<ServerConfig>,
    /// Variables that the servers need.
    pub variables: Vec<String>,
    /// Permission rules that are not there yet.
    pub rules: Vec<Rule>,
    /// What is not taken, each with the reason.
    pub left: Vec<Problem>,
}

impl Offer {
    /// True where there is nothing to add.
    pub fn is_empty(&self) -> bool {
        self.model.is_none() && self.servers.is_empty() && self.rules.is_empty()
    }
}

impl Project {
    /// What another agent's settings would add. Nothing is written.
    pub fn offered_settings(&self, home: &Home) -> Result<Offer, Problem> {
        let Settings { model, mut servers, mut variables, mut rules, mut left } =
            ox_import::settings::read(home, &ox_agent::without_secrets)?;
        let not_taken = |why: &str, what: &str| Problem::new(&format!("import.left.{why}")).with("what", what);
        let has_model = self.settings.origins_of("model").iter().any(|it| matches!(it, Origin::User { .. }));
        let model = model.filter(|name| {
            let why = if has_model { Some("has_model") } else { self.explain_model(name).err().map(|_| "model") };
            left.extend(why.map(|it| not_taken(it, name)));
            why.is_none()
        });
        let there = ox_mcp::parse(&self.mcp_text(ServerScope::User)?).unwrap_or_default();
        servers.retain(|server| {
            let known = there.usable.iter().find(|it| it.name == server.name);
            // One that cannot be used is the user's own too.
            let broken = there.unusable.iter().any(|it| it.name == server.name);
            if broken || known.is_some_and(|it| it != server) {
                left.push(not_taken("has_server", &server.name));
            }
            known.is_none() && !broken
        });
        rules.retain(|rule| !self.settings.rules.contains(rule));
        variables.retain(|it| std::env::var_os(it).is_none());
        variables.sort_unstable();
        variables.dedup();
        if servers.is_empty() {
            variables.clear();
        }
        Ok(Offer { model, servers, variables, rules, left })
    }

    /// Writes it into the user's own files.
    pub fn take_settings(&self, offer: &Offer) -> Result<(), Problem> {
        let file = self.paths.config_file();
        // What forbids comes first: should one of these fail, nothing stands there that is looser than all of it together.
        for (action, key) in
            [(RuleAction::Deny, "rules.deny"), (RuleAction::Ask, "rules.ask"), (RuleAction::Allow, "rules.allow")]
        {
            let rules = offer.rules.iter().filter(|it| it.action == action);
            let rules: Vec<String> = rules.map(ToString::to_string).collect();
            if !rules.is_empty() {
                ox_config::add(&file, key, &rules)?;
            }
        }
        if let Some(model) = &offer.model {
            ox_config::set(&file, "model", model)?;
        }
        if offer.servers.is_empty() {
            return Ok(());
        }
        let file = self.mcp_file(ServerScope::User);
        let mut text = self.mcp_text(ServerScope::User)?;
        for server in &offer.servers {
            text = ox_mcp::with(&text, server)
                .map_err(|why| Problem::new("mcp.file").with("file", file.display()).with("why", why))?;
        }
        self.write_mcp(ServerScope::User, &text)
    }
}
