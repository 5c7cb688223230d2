//! `ox demo`: a whole task on a sample project that is part of the binary, with recorded replies of a model.
//!
//! Everything but the model is real: the same session, tools, checks and files as in any other run.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use ox_app::Project;
use ox_app::conversations::session::SessionOptions;
use ox_config::{Flags, Paths};
use ox_model::scripted::{Scripted, parse_script};
use ox_protocol::{Command, Delivery, ModelFacts, Problem};
use ox_ui::Output;

use super::show::{self, Look};

/// The sample project, file by file.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../demo/Cargo.toml.txt")),
    ("README.md", include_str!("../../demo/README.md.txt")),
    ("src/lib.rs", include_str!("../../demo/src/lib.rs.txt")),
    ("src/money.rs", include_str!("../../demo/src/money.rs.txt")),
    ("src/receipt.rs", include_str!("../../demo/src/receipt.rs.txt")),
    ("tests/till.rs", include_str!("../../demo/tests/till.rs.txt")),
];
const REPLIES: &str = include_str!("../../demo/replies.txt");
const TASK: &str = include_str!("../../demo/task.txt");
/// How fast recorded text is streamed to a person.
const PACE: Duration = Duration::from_millis(4);

/// Arguments of `ox demo`.
#[derive(Debug, Default, Args)]
pub struct DemoArgs {
    /// Keep the sample project afterwards.
    #[arg(long)]
    keep: bool,
    /// Print events as JSON, one per line.
    #[arg(long)]
    json: bool,
}

/// Runs the demonstration.
pub fn run(args: DemoArgs) -> anyhow::Result<u8> {
    let language = ox_app::project::language();
    let io = |error: std::io::Error| Problem::new("demo.folder").with("why", error);
    let folder = tempfile::Builder::new().prefix("ox-demo-").tempdir().map_err(io)?;
    let root = folder.path().join("till");
    write_files(&root).map_err(io)?;
    super::print::err(&language.say("demo.intro", &[("path", &root.display().to_string())]));
    let code = task(&root, folder.path(), args.json)?;
    let shown = if args.keep { folder.keep().join("till").display().to_string() } else { String::new() };
    let key = if args.keep { "demo.kept" } else { "demo.outro" };
    super::print::err(&language.say(key, &[("path", &shown)]));
    Ok(code)
}

fn write_files(root: &Path) -> std::io::Result<()> {
    for (path, text) in FILES {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap_or(root))?;
        std::fs::write(path, text)?;
    }
    // The sample's lock file and build folder are none of the user's business, so it is a project of its own.
    std::fs::create_dir_all(root.join(".ox"))
}

/// The demonstration's own folder is all that it works in: what runs there needs no consent, and nothing of it is kept in
/// the user's conversations.
fn task(root: &Path, folder: &Path, json: bool) -> anyhow::Result<u8> {
    let flags = Flags::default().with("approval", "accept-edits").with("rules.allow", ox_protocol::CHECKS_RULE);
    let mut project = Project::open(root, flags.into())?;
    let own = folder.join("ox");
    project.paths = Paths { config_dir: own.clone(), state_dir: own.join("state"), cache_dir: own.join("cache") };
    let watched = !json && std::io::stdout().is_terminal();
    let pace = if watched { PACE } else { Duration::ZERO };
    let facts = ModelFacts { name: "demo/recorded".to_string(), ..ModelFacts::default() };
    let model = Scripted::new(parse_script(REPLIES)).with_facts(facts).with_pace(pace);
    let look = Look::of(&project);
    let setup = project.setup_with(SessionOptions { headless: true, ..SessionOptions::default() }, Arc::new(model))?;
    let first =
        Command::Prompt { text: TASK.trim().to_string(), images: Vec::new(), mode: None, delivery: Delivery::Steer };
    if watched {
        show::interactive(setup, Vec::new(), Some(first), look)
    } else {
        let output = if json { Output::Events } else { Output::Text };
        show::headless(setup, Vec::new(), Some(first), &look.script(output))
    }
}
