//! The line below the prompt, where the user has a command of their own for it.

use std::path::Path;
use std::time::Duration;

use ox_protocol::{Job, Problem, Runner};
use ox_sandbox::{Plain, shell};
use serde_json::Value;

use super::own_program::job;

/// How long the command may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What the command is given of the environment.
const VARIABLES: [&str; 3] = ["HOME", "TERM", "LANG"];

/// Runs the user's command in `root` and gives the first line that it prints, escapes and all; it reads `about` as JSON.
pub async fn printed(root: &Path, command: &str, about: &Value) -> Result<String, Problem> {
    let failed = |why: String| Problem::new("status_line.failed").with("why", why.trim());
    let job = Job { stdin: about.to_string().into_bytes(), ..job(root, shell(command), &VARIABLES, PATIENCE) };
    let exit = Plain.run(job, None).await.map_err(|it| failed(it.to_string()))?;
    let text = exit.output.text(|_| String::new());
    match exit.code {
        Some(0) => Ok(text.lines().next().unwrap_or_default().to_owned()),
        Some(code) => Err(failed(text.lines().last().map_or_else(|| format!("exit code {code}"), str::to_owned))),
        None => Err(failed(format!("no answer within {} s", PATIENCE.as_secs()))),
    }
}
