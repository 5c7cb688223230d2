//! Who is measured: one entry per program, with how it is pointed at the mock.
//!
//! An entry says only how to start the program; nothing in the measuring depends on which one it is.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::measure::Place;

/// A program to measure.
pub struct Program {
    /// Its name in the table and on `PATH`.
    pub name: &'static str,
    /// The command line of one run with the mock on the given port.
    pub start: fn(&Path, &Place, u16) -> Result<Command>,
    /// What the reader of its row must know.
    pub note: &'static str,
}

/// What every program is asked.
const TASK: &str = "Set MARK to 1 in src/part_000/file_000.rs.";

/// Ox, which the limits hold for.
pub const OX: Program = Program { name: "ox", start: ox, note: "" };

/// The peers.
pub const PEERS: &[Program] = &[
    Program { name: "codex", start: codex, note: "over the Responses format" },
    Program { name: "claude", start: claude, note: "over the Messages format" },
    Program { name: "pi", start: pi, note: "" },
    Program { name: "opencode", start: opencode, note: "" },
    Program { name: "aider", start: aider, note: "takes no tools: start and prompt only" },
    Program { name: "mini", start: mini, note: "mini-swe-agent" },
];

fn base(port: u16) -> String {
    format!("http://127.0.0.1:{port}/v1")
}

fn ox(program: &Path, _: &Place, port: u16) -> Result<Command> {
    let mut ox = Command::new(program);
    ox.args(["run", "--mode", "build", "--allow", "run_command", "--allow", "edit_file", "--model", "openai/mock"]);
    ox.args(["--max-turns", "2000"]);
    ox.args(["--base-url", &base(port), TASK]);
    Ok(ox)
}

fn codex(program: &Path, _: &Place, port: u16) -> Result<Command> {
    let mut codex = Command::new(program);
    codex.args(["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", "mock"]);
    for setting in [
        "model_provider=\"mock\"".to_owned(),
        "model_providers.mock.name=\"mock\"".to_owned(),
        format!("model_providers.mock.base_url=\"{}\"", base(port)),
        "model_providers.mock.wire_api=\"responses\"".to_owned(),
        "model_providers.mock.env_key=\"OPENAI_API_KEY\"".to_owned(),
    ] {
        codex.args(["-c", &setting]);
    }
    codex.arg(TASK);
    Ok(codex)
}

fn claude(program: &Path, _: &Place, port: u16) -> Result<Command> {
    let mut claude = Command::new(program);
    claude.args(["-p", "--dangerously-skip-permissions", TASK]);
    // It refuses to skip questions as root unless told that it runs in a box; the repository is one.
    claude.env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}")).env("IS_SANDBOX", "1");
    claude.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1");
    Ok(claude)
}

fn pi(program: &Path, place: &Place, port: u16) -> Result<Command> {
    let folder = place.home().join(".pi/agent");
    fs::create_dir_all(&folder)?;
    let models = serde_json::json!({ "providers": { "mock": {
        "baseUrl": base(port), "api": "openai-completions", "apiKey": "OPENAI_API_KEY", "models": [{
            "id": "mock", "name": "mock", "reasoning": false, "input": ["text"], "contextWindow": 128_000,
            "maxTokens": 8000, "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } }] } } });
    fs::write(folder.join("models.json"), models.to_string())?;
    let mut pi = Command::new(program);
    pi.args(["-p", "--provider", "mock", "--model", "mock", TASK]);
    Ok(pi)
}

fn opencode(program: &Path, place: &Place, port: u16) -> Result<Command> {
    let folder = place.home().join(".config/opencode");
    fs::create_dir_all(&folder)?;
    let config = serde_json::json!({ "permission": "allow", "provider": { "mock": {
        "npm": "@ai-sdk/openai-compatible", "name": "mock", "options": { "baseURL": base(port), "apiKey": "test" },
        "models": { "mock": { "name": "mock", "tool_call": true } } } } });
    fs::write(folder.join("opencode.json"), config.to_string())?;
    let mut opencode = Command::new(program);
    opencode.args(["run", "-m", "mock/mock", TASK]);
    Ok(opencode)
}

fn aider(program: &Path, _: &Place, port: u16) -> Result<Command> {
    let mut aider = Command::new(program);
    aider.args(["--model", "openai/mock", "--openai-api-base", &base(port), "--yes-always", "--no-auto-commits"]);
    aider.args(["--no-gitignore", "--no-check-update", "--no-show-model-warnings", "--message", TASK]);
    aider.arg(super::script::FILE);
    Ok(aider)
}

fn mini(program: &Path, _: &Place, port: u16) -> Result<Command> {
    let mut mini = Command::new(program);
    mini.args(["-y", "-m", "openai/mock", "-t", TASK, "--exit-immediately"]);
    mini.env("OPENAI_API_BASE", base(port)).env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
    mini.env("MSWEA_CONFIGURED", "true").env("MSWEA_COST_TRACKING", "ignore_errors");
    Ok(mini)
}
