//! `ox replay CASSETTE`: a recorded run once more, with the recorded replies in the place of the model.
//!
//! No model is asked over a network before the iteration that `--live` names. Tools run for real, behind the same sandbox and
//! questions as in `ox run`, in this folder: a checkpoint is taken first as in every run, and work that is not committed
//! is not put at stake unless somebody says so.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ox_app::conversations::replay;
use ox_app::project::models::Reach;
use ox_app::{Project, ProjectOptions};
use ox_config::Flags;
use ox_model::cassette::{Head, Match, Replay, ReplayThenLive};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use ox_ui::{Output, ScriptOptions};

use super::print::err;
use crate::cmd::shared;

/// Arguments of `ox replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "A replay really runs the recorded tools in this folder, so replay only what you would run yourself. It \
                  does not start on uncommitted changes without --here. `ox undo` takes back what it changed."
)]
pub struct ReplayArgs {
    /// Cassette from `ox record ID` or `--record FILE`.
    cassette: PathBuf,
    /// Use the configured model from this iteration on, counted from 1.
    #[arg(long, value_name = "FROM_ITERATION", value_parser = clap::value_parser!(u32).range(1..))]
    live: Option<u32>,
    /// With `--live`: model to use, as PROVIDER/MODEL.
    #[arg(long, value_name = "PROVIDER/MODEL", requires = "live")]
    model: Option<String>,
    /// With `--live`: endpoint to use instead of the provider's own.
    #[arg(long, value_name = "URL", requires = "live")]
    base_url: Option<String>,
    /// Replay even if there are uncommitted changes.
    #[arg(long)]
    here: bool,
    /// Compare only roles, tool names and success, not wording.
    #[arg(long)]
    loose: bool,
    /// Allow a tool without asking, in addition to the recorded rules. May be repeated.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Use this project's settings for this run.
    #[arg(long)]
    trust: bool,
    /// Print events as JSON, one per line.
    #[arg(long)]
    json: bool,
}

/// Replays. The exit code is that of `ox run`; 1 where the run diverged or ended before the recorded one.
pub fn run(args: ReplayArgs) -> anyhow::Result<u8> {
    let matching = if args.loose { Match::Lenient } else { Match::Exact };
    let shown = args.cassette.display();
    let unreadable = |reason| Problem::new("model.cassette_unreadable").with("path", shown).with("reason", reason);
    let replay = Replay::open(&args.cassette, matching).map_err(unreadable)?;
    if replay.next_prompt().is_none() {
        return Err(Problem::new("replay.no_prompt").with("path", args.cassette.display()).into());
    }
    let flags = flags(&args, replay.head());
    let project = shared::open_with(ProjectOptions { flags, trusted: args.trust, ..ProjectOptions::default() })?;
    if !args.here && project.is_dirty()? {
        return Err(Problem::new("replay.dirty").with("root", project.root.display()).into());
    }
    let language = project.settings.language;
    err(&language.say("replay.with", &[("what", &terms(replay.head(), &args.allow))]));
    let root = project.root_name();
    let replay = Arc::new(replay.at(&root));
    let live = match args.live {
        None => None,
        Some(from) => {
            let model = project.model(args.model.as_deref(), &Reach::default())?;
            Some(Arc::new(ReplayThenLive::new(replay.clone(), model, usize::try_from(from)?)))
        }
    };
    play(project, &replay, live.as_ref(), language, args.json)
}

/// The recorded run's mode and permissions, and what was given here.
fn flags(args: &ReplayArgs, head: &Head) -> Flags {
    Flags::default()
        .with_all("model", &args.model)
        .with_all("base_url", &args.base_url)
        .with_word("mode", head.mode)
        .with_word("approval", head.approval)
        .with_word("effort", head.effort)
        .with_all("scope", &head.scope)
        .with_all("rules.allow", head.allow.iter().chain(&args.allow))
}

/// What the replay may do, as flags that a person knows.
fn terms(head: &Head, more: &[String]) -> String {
    let name = |it: serde_json::Result<serde_json::Value>| it.ok().and_then(|it| it.as_str().map(str::to_string));
    let mode = head.mode.and_then(|it| name(serde_json::to_value(it))).map(|it| format!("--mode {it}"));
    let approval = head.approval.and_then(|it| name(serde_json::to_value(it))).map(|it| format!("--approval {it}"));
    let rules = head.allow.iter().chain(more).map(|it| format!("--allow '{it}'"));
    mode.into_iter().chain(approval).chain(rules).collect::<Vec<_>>().join(" ")
}

fn play(
    project: Project,
    replay: &Arc<Replay>,
    live: Option<&Arc<ReplayThenLive>>,
    language: Language,
    json: bool,
) -> anyhow::Result<u8> {
    let theme = project.settings.theme.clone();
    let setup = replay::setup(project, replay, live)?;
    let output = if json { Output::Events } else { Output::Text };
    let options = ScriptOptions::new(language, &theme, output);
    let shown = replay::play(setup, replay, live, async |client| ox_ui::follow_script(client, &options).await);
    let code = shared::runtime()?.block_on(shown)?;
    Ok(ended(replay, live.map(|it| &**it), language, code))
}

/// Says how the replay stands to the recorded run.
fn ended(replay: &Replay, live: Option<&ReplayThenLive>, language: Language, code: u8) -> u8 {
    if let Some(what) = replay.diverged() {
        err(&language.say("replay.diverged", &[("what", &what)]));
        return code.max(1);
    }
    if let Some(then) = live.filter(|it| it.is_live()) {
        let (from, count) = then.answered();
        let model = &then.live().name;
        let (first, last) = (from.to_string(), (from + count).saturating_sub(1).to_string());
        let key = if count == 0 { "replay.live_none" } else { "replay.live" };
        err(&language.say(key, &[("model", model), ("from", &first), ("to", &last)]));
        return code;
    }
    match replay.left() {
        None if replay.head().interrupted => {
            err(&language.say("replay.interrupted", &[("count", &replay.len().to_string())]));
            code
        }
        None => {
            err(&language.say("replay.same", &[("count", &replay.len().to_string())]));
            code
        }
        Some((count, line)) => {
            let (count, line) = (count.to_string(), line.to_string());
            err(&language.say("replay.left", &[("count", &count), ("line", &line)]));
            code.max(1)
        }
    }
}
