//! `ox bug`: writes a report for mending a fault to a file, and sends nothing.
//!
//! It holds no prompt, no reply and no text of a file, and nothing that looks like a secret.

use std::path::PathBuf;

use clap::Args;
use ox_app::Project;
use ox_app::bug;
use ox_app::project::language;
use ox_app::{ProjectOptions, doctor};

use super::doctor::{terminal, text};
use super::print::{err, out};

/// Arguments of `ox bug`.
#[derive(Debug, Args)]
pub struct BugArgs {
    /// Output file; an existing one is not overwritten.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// Writes the report and says where it is.
pub fn run(args: BugArgs) -> anyhow::Result<u8> {
    let project = Project::here(ProjectOptions::default());
    let language = project.as_ref().map_or_else(|_| language(), |it| it.settings.language);
    let mut found = doctor::examine(&project);
    found.push(terminal(language));
    let report = bug::report(project.as_ref().ok(), &text(&found, language, true));
    let file = bug::write(&report, args.output.as_deref())?;
    out(&file.display().to_string());
    err(&language.say("bug.written", &[]));
    Ok(0)
}
