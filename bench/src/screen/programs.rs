//! Who is measured at a terminal: how each conversation is begun, and what stands there once something can be typed.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use serde_json::json;

use crate::agent_loop::measure::Place;

/// A program to measure.
pub struct Program {
    /// Its name in the table and on `PATH`.
    pub name: &'static str,
    /// The command line of a conversation with the model on the given port.
    pub start: fn(&Path, &Place, u16) -> Result<Command>,
    /// What is on the screen when there is a prompt.
    pub ready: &'static str,
}

/// Ox, which the limits hold for.
pub const OX: Program = Program { name: "ox", start: ox, ready: "Describe a task" };

/// The peers.
pub const PEERS: &[Program] = &[
    Program { name: "codex", start: codex, ready: "› " },
    Program { name: "claude", start: claude, ready: "? for shortcuts" },
];

fn ox(program: &Path, place: &Place, port: u16) -> Result<Command> {
    // A reply that is longer than its model says it can be is cut.
    let folder = place.home().join(".config/ox");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("config.toml"), "[models.\"openai/mock\"]\nwindow = 2000000\nmax_output = 1000000\n")?;
    let mut ox = Command::new(program);
    ox.args(["--mode", "chat", "--approval", "ask", "--model", "openai/mock"]);
    ox.args(["--base-url", &format!("http://127.0.0.1:{port}/v1")]);
    Ok(ox)
}

fn codex(program: &Path, place: &Place, port: u16) -> Result<Command> {
    let folder = place.home().join(".codex");
    fs::create_dir_all(&folder)?;
    let repo = place.repo();
    fs::write(
        folder.join("config.toml"),
        format!(
            "model = \"mock\"\nmodel_provider = \"mock\"\ncheck_for_update_on_startup = false\n\
             [model_providers.mock]\nname = \"mock\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\nwire_api = \"responses\"\n\
             env_key = \"OPENAI_API_KEY\"\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
            repo.display()
        ),
    )?;
    Ok(Command::new(program))
}

fn claude(program: &Path, place: &Place, port: u16) -> Result<Command> {
    // What its first start asks about is answered here: the theme, the key, the folder.
    let project = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let projects = json!({ place.repo().display().to_string(): project });
    let settings = json!({"hasCompletedOnboarding": true, "theme": "dark", "projects": projects,
        "customApiKeyResponses": {"approved": ["test"], "rejected": []}});
    fs::write(place.home().join(".claude.json"), settings.to_string())?;
    let mut claude = Command::new(program);
    claude.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"));
    claude.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    Ok(claude)
}
