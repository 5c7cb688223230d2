//! The user's own command for the line below the prompt: what it reads, and what is shown of it.

use std::sync::Arc;

use ox_app::project::status_line::printed;
use serde_json::{Value, json};

use super::console::Console;
use crate::text::clean;

impl Console {
    /// What gives the line, to be awaited beside the loop; none where no command is configured. What keeps the command from
    /// printing one stands in its place.
    pub(super) fn own_line(&self) -> Option<impl Future<Output = String> + Send + use<>> {
        let command = self.project.settings.terminal.status_line.clone().filter(|it| !it.trim().is_empty())?;
        let (project, about, language) = (Arc::clone(&self.project), self.about(), self.screen.look.language);
        Some(async move {
            let line = printed(&project.root, &command, &about).await;
            clean(&line.unwrap_or_else(|problem| language.problem(&problem)))
        })
    }

    /// What the command reads on standard input: the names that commands for Claude Code's status line know, and Ox's own
    /// mode and approval policy.
    fn about(&self) -> Value {
        let view = &self.screen.view;
        let (used, window) = view.window;
        let spent = &view.account.conversation;
        let root = self.project.root_name();
        #[allow(clippy::cast_precision_loss)] // Exact up to nine thousand million dollars.
        let cost = (spent.unpriced == 0).then_some(spent.cost.0 as f64 / 1e6);
        json!({
            "hook_event_name": "Status",
            "session_id": view.conversation,
            "cwd": root,
            "model": { "id": view.model, "display_name": view.model.rsplit('/').next() },
            "workspace": { "current_dir": root, "project_dir": root },
            "version": self.options.version,
            "cost": { "total_cost_usd": cost },
            "context_window": {
                "total_input_tokens": used,
                "context_window_size": window,
                "used_percentage": (used * 100).checked_div(window),
            },
            "mode": view.mode.name(),
            "approval": view.approval.name(),
        })
    }
}
