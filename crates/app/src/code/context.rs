//! What a model would be told of a task before its first word, section by section, and why.

use ox_agent::Clock;
use ox_agent::prompt_context::{PromptContext, PromptInputs, prompt_context};
use ox_context::{Freshness, system_prompt};
use ox_index::Progress;
use ox_model::tokens::Counter;
use ox_protocol::{Command, ContextFiles, ConversationId, ModelFacts, Problem, Tokens};

use crate::project::Project;

/// One section as it would be sent.
pub struct PreviewSection {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// Its text.
    pub text: String,
    /// How long it is.
    pub tokens: Tokens,
}

/// Everything that would be sent, and for whom.
pub struct ContextPreview {
    /// The model.
    pub facts: ModelFacts,
    /// Counts its tokens.
    pub counter: Counter,
    /// The sections in the order in which they would be sent.
    pub sections: Vec<PreviewSection>,
    /// What the index had, and what was left out.
    pub context: PromptContext,
}

impl Project {
    /// The files that these commands keep in view and leave out of a conversation, where they all name some.
    pub fn context_files(&self, commands: &[Command]) -> Result<ContextFiles, Problem> {
        let mut files = ContextFiles::default();
        if commands.is_empty() {
            return Ok(files);
        }
        let tree = self.tree()?;
        for command in commands {
            files = ox_context::context_files(&tree, &files, command)?;
        }
        Ok(files)
    }

    /// What the main model would be told of `task`. The index is brought up to date first; nothing else changes.
    pub fn context_preview(
        &self,
        task: &str,
        files: &ContextFiles,
        progress: &(dyn Fn(Progress) + Sync),
    ) -> Result<ContextPreview, Problem> {
        let index = self.refreshed_index(progress)?;
        let explained = self.main_model().and_then(|name| self.explain_model(&name));
        // The usual where no model is configured, for nothing is asked.
        let facts = explained.map_or_else(|_| ModelFacts::default(), |it| it.facts);
        let (runner, plugins) = (std::sync::Arc::new(self.sandbox()?), self.plugin_sources().0);
        let servers = self.mcp_servers(runner, &self.sandbox_policy(), &plugins);
        let context = prompt_context(&PromptInputs {
            servers: &servers,
            tree: &self.tree()?,
            index: Some(&index),
            fresh: Freshness::Whole,
            settings: &self.settings,
            window: facts.window,
            today: &Clock::real().today,
            programs: "",
            checks: &self.checks()?,
            mode: self.settings.mode,
            headless: false,
            prompt: task,
            plan: None,
            files,
            // A store that cannot be read tells nothing here.
            memory: self.memory(&ConversationId::default()).ok().and_then(|it| it.section),
            reads: &ox_tools::ReadLog::default(),
        });
        let counter = Counter::for_model(&facts.name);
        let sections = self.preview_sections(&context, task, counter);
        index.save();
        Ok(ContextPreview { facts, counter, sections, context })
    }

    fn preview_sections(&self, context: &PromptContext, task: &str, counter: Counter) -> Vec<PreviewSection> {
        let tools: Vec<String> = ox_tools::Toolbox::default()
            .offered(self.settings.mode, false, std::iter::empty())
            .iter()
            .map(|it| format!("{} {} {}", it.name, it.description, it.schema))
            .collect();
        let fixed = [("system".to_owned(), system_prompt()), ("tools".to_owned(), tools.join("\n"))];
        let sections = context.sections.iter().map(|it| (it.name.clone(), it.text.clone()));
        let all = fixed.into_iter().chain(sections).chain([("task".to_owned(), task.to_owned())]);
        let purpose = |name: &str| {
            let own = name.split(':').next().unwrap_or(name);
            context.picked.purpose(name).unwrap_or(own).to_owned()
        };
        all.map(|(name, text)| PreviewSection { tokens: counter.count(&text), purpose: purpose(&name), name, text })
            .collect()
    }
}
