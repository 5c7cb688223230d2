//! `ox replay CASSETTE`: a recorded run once more, with the recorded replies in the place of the model.
//!
//! No model is asked over a network before the iteration that `--live` names. Tools run for real, behind the same walls and
//! questions as in `ox run`, in this folder: a checkpoint is taken first as in every run, and work that is not committed
//! is not put at stake unless somebody says so.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ox_agent::Session;
use ox_client::{Client, pair};
use ox_model::Model;
use ox_model::cassette::{Head, Match, Replay, Then};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Layer, Problem, RulesLayer, Runner};
use ox_ui::PlainOptions;

use super::print::err;
use crate::wire::{self, Extras, Opening, Told};

/// Arguments of `ox replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "The tools of the recorded run really run, in this folder: replay only what you would run. Where git \
                        says that files have uncommitted changes, nothing is begun without --here. `ox undo` takes back \
                        what a replay changed."
)]
pub struct ReplayArgs {
    /// The cassette, from `ox record ID` or `--record FILE`.
    cassette: PathBuf,
    /// Ask the configured model from this iteration on, counted from 1.
    #[arg(long, value_name = "FROM_ITERATION", value_parser = clap::value_parser!(u32).range(1..))]
    live: Option<u32>,
    /// With `--live`: the model, as PROVIDER/MODEL.
    #[arg(long, value_name = "PROVIDER/MODEL", requires = "live")]
    model: Option<String>,
    /// With `--live`: endpoint to use instead of the provider's own.
    #[arg(long, value_name = "URL", requires = "live")]
    base_url: Option<String>,
    /// Replay over files with uncommitted changes too.
    #[arg(long)]
    here: bool,
    /// Compare only who spoke, which tools were called and whether they succeeded, not the words.
    #[arg(long)]
    loose: bool,
    /// Allow a tool unasked, beside what the recorded run allowed. May be repeated.
    #[arg(long, value_name = "RULE")]
    allow: Vec<String>,
    /// Let the project's own settings count for this run, whether or not its folder is trusted.
    #[arg(long)]
    trust: bool,
    /// Print events as JSON, one object a line.
    #[arg(long)]
    json: bool,
}

/// Replays. The exit code is that of `ox run`; 1 where the run diverged or ended before the recorded one.
pub fn run(args: ReplayArgs) -> anyhow::Result<u8> {
    let matching = if args.loose { Match::Lenient } else { Match::Exact };
    let shown = args.cassette.display();
    let unreadable =
        |reason| Told(Problem::new("model.cassette_unreadable").with("path", shown).with("reason", reason));
    let replay = Replay::open(&args.cassette, matching).map_err(unreadable)?;
    if replay.next_prompt().is_none() {
        return Err(Told(Problem::new("replay.no_prompt").with("path", args.cassette.display())).into());
    }
    if args.trust {
        wire::trust_this_run();
    }
    let opening = wire::opening(layer(&args, replay.head()), &[])?;
    if !args.here && is_dirty(&opening)? {
        return Err(Told(Problem::new("replay.dirty").with("root", opening.root.display())).into());
    }
    let language = opening.settings.language;
    err(&language.say("replay.with", &[("what", &terms(replay.head(), &args.allow))]));
    let root = opening.root.canonicalize().unwrap_or_else(|_| opening.root.clone());
    let replay = Arc::new(replay.at(&root.to_string_lossy()));
    let live = match args.live {
        None => None,
        Some(from) => {
            let model = wire::model(&opening.settings, args.model.as_deref(), &Extras::default()).map_err(Told)?;
            Some(Arc::new(Then::new(replay.clone(), model, usize::try_from(from)?)))
        }
    };
    play(opening, &replay, live, language, args.json)
}

/// The recorded run's mode and permissions, and what was given here.
fn layer(args: &ReplayArgs, head: &Head) -> Layer {
    let allow = head.allow.iter().chain(&args.allow).cloned().collect();
    Layer {
        model: args.model.clone(),
        base_url: args.base_url.clone(),
        mode: head.mode,
        approval: head.approval,
        scope: (!head.scope.is_empty()).then(|| head.scope.clone()),
        rules: RulesLayer { allow, ..RulesLayer::default() },
        ..Layer::default()
    }
}

/// What the replay may do, as flags that a person knows.
fn terms(head: &Head, more: &[String]) -> String {
    let name = |it: serde_json::Result<serde_json::Value>| it.ok().and_then(|it| it.as_str().map(str::to_string));
    let mode = head.mode.and_then(|it| name(serde_json::to_value(it))).map(|it| format!("--mode {it}"));
    let approval = head.approval.and_then(|it| name(serde_json::to_value(it))).map(|it| format!("--approval {it}"));
    let rules = head.allow.iter().chain(more).map(|it| format!("--allow '{it}'"));
    mode.into_iter().chain(approval).chain(rules).collect::<Vec<_>>().join(" ")
}

/// True where git knows of changes to its files that are not committed. New files do not count: no edit takes one for an
/// old one, and the cassette itself may be one.
fn is_dirty(opening: &Opening) -> anyhow::Result<bool> {
    let root = opening.root.as_path();
    if !ox_repo::git::is_repo(root) {
        return Ok(false);
    }
    // Behind the walls: the folder may bring filters of its own, which git runs.
    let sandbox = wire::sandbox(&opening.settings).map_err(Told)?;
    let mut job = ox_repo::git::question(root, &["status", "--porcelain", "--untracked-files=no"]);
    job.env.push(("PATH".to_string(), super::doctor::safety::own_path(root)));
    Ok(match wire::runtime()?.block_on(sandbox.run(job, None)) {
        Ok(exit) => exit.code == Some(0) && !exit.output.text(|_| String::new()).trim().is_empty(),
        // Where there is no git, nothing is known of changes.
        Err(_) => false,
    })
}

fn play(
    opening: Opening,
    replay: &Arc<Replay>,
    live: Option<Arc<Then>>,
    language: Language,
    json: bool,
) -> anyhow::Result<u8> {
    let theme = opening.settings.theme.clone();
    let model: Arc<dyn Model> = match &live {
        Some(then) => then.clone(),
        None => replay.clone(),
    };
    let mut setup = wire::setup_with(opening, Extras { headless: true, ..Extras::default() }, model.clone())?;
    let (ask_live, is_live) = (setup.world.open_model.clone(), live.clone());
    // Whatever model is named, a roll of the cassette is what answers until the run is live.
    setup.world.open_model = Arc::new(move |name| match &is_live {
        Some(then) if then.is_live() => ask_live(name),
        _ => Ok(model.clone()),
    });
    let code = wire::runtime()?.block_on(async {
        let (mut client, side) = pair();
        let session = tokio::spawn(Session::open(setup, side)?.serve());
        let (interrupt, recorded) = (client.sender(), replay.clone());
        let interrupts = tokio::spawn(async move {
            recorded.interrupted().await;
            interrupt(Command::Interrupt);
        });
        let code = turns(&mut client, replay, live.as_deref(), async |client| match json {
            true => ox_ui::run_json(client).await,
            false => ox_ui::run_plain(client, PlainOptions::detect(language, &theme, false)).await,
        });
        let code = code.await;
        interrupts.abort();
        client.send(Command::Close);
        session.await??;
        code
    })?;
    Ok(ended(replay, live.as_deref(), language, code))
}

/// Says what the user said, turn by turn, until there is nothing more or the run has left the recorded way.
async fn turns(
    client: &mut Client,
    replay: &Replay,
    live: Option<&Then>,
    show: impl AsyncFn(&mut Client) -> std::io::Result<Option<ox_protocol::Stop>>,
) -> anyhow::Result<u8> {
    let (mut code, mut left) = (ox_protocol::Stop::Internal.exit_code(), None);
    while let Some((text, images)) = replay.next_prompt() {
        // A turn that asked for nothing of what is left will not do so the next time.
        if replay.left() == left || replay.diverged().is_some() {
            break;
        }
        left = replay.left();
        client.send(Command::Prompt { text, images, mode: None });
        let shown = show(client).await.map_err(|error| Told(Problem::new("error.output").with("why", error)))?;
        let Some(stop) = shown else { break };
        code = stop.exit_code();
        if live.is_some_and(Then::is_live) || code == ox_protocol::Stop::Interrupted.exit_code() {
            break;
        }
    }
    Ok(code)
}

/// Says how the replay stands to the recorded run.
fn ended(replay: &Replay, live: Option<&Then>, language: Language, code: u8) -> u8 {
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
