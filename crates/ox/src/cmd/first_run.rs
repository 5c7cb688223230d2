//! What is asked at a terminal before the first conversation: how freely Ox may work in a folder that it does not know, and
//! which model answers where none is configured.
//!
//! Promise: nothing is written unless the user chose it, and without a terminal nothing is asked.

use ox_agent::Setup;
use ox_app::Project;
use ox_app::conversations::session::SessionOptions;
use ox_app::project::models::forget_stored_keys;
use ox_config::Origin;
use ox_config::state::chosen_policy;
use ox_protocol::locale::Language;
use ox_protocol::{ApprovalPolicy, Problem, Runner};
use ox_ui::{Choice, TerminalOptions};

use super::answer::line;
use super::pick::{ask_whose, choose, lists};

use super::print::err;
use super::{demo, login};

/// Ids of answers that are no policy and no model.
const LEAVE: &str = "leave";
const KEY: &str = "key";
const DEMO: &str = "demo";

/// The project with the policy that the user chose for it, asked once where nothing says which. None where they leave.
pub fn in_folder(project: Project) -> anyhow::Result<Option<Project>> {
    let (language, root) = (project.settings.language, project.root.display().to_string());
    let is_project = ox_checks::is_project(&project.root);
    // What is set for everywhere is not meant for the whole disk or a home folder.
    let says = |it: &Origin| match it {
        Origin::Flag { .. } | Origin::Environment { .. } => true,
        Origin::User { .. } | Origin::Project { .. } | Origin::Remembered { .. } => is_project,
        Origin::Default | Origin::Preset { .. } => false,
    };
    let asks = !project.settings.origins_of("approval").iter().any(says);
    let Some(options) = lists(&project).filter(|_| asks) else { return Ok(Some(project)) };
    let answers: Vec<Choice> = match is_project {
        true => {
            let holds = project.sandbox()?.isolated();
            let auto = if holds { "first_run.policy.auto" } else { "first_run.policy.auto_open" };
            let mut answers = vec![answer(language, "auto", auto)];
            // What is recommended stands first.
            answers.insert(usize::from(holds), answer(language, "ask", "first_run.policy.ask"));
            answers.push(answer(language, LEAVE, "first_run.leave"));
            answers
        }
        // Neither the whole disk nor a home folder is asked about once and for all.
        false => vec![answer(language, LEAVE, "first_run.leave_wide"), answer(language, "ask", "first_run.policy.ask")],
    };
    let question = language.say("first_run.folder", &[("root", &root)]);
    let chosen = choose(&options, &question, &answers)?;
    let policy = match chosen.as_deref() {
        Some("auto") => ApprovalPolicy::Auto,
        Some("ask") => ApprovalPolicy::Ask,
        _ => return Ok(None),
    };
    if !is_project {
        return Ok(Some(project.with_flag("approval", "ask")?));
    }
    chosen_policy::keep(&project.paths.state_dir, &project.root, Some(policy))?;
    Ok(Some(project.reopened()?))
}

/// What the session needs. Where no model can be asked, the user is offered ways to one; `project` has what came of it.
/// None where they leave.
pub fn setup(project: &mut Project, options: impl Fn() -> SessionOptions) -> anyhow::Result<Option<Setup>> {
    loop {
        let problem = match project.clone().setup(options()) {
            Ok(setup) => return Ok(Some(setup)),
            Err(problem) => problem,
        };
        let missing = matches!(problem.code.as_str(), "no_model" | "model.no_key");
        let Some(terminal) = lists(project).filter(|_| missing) else { return Err(problem.into()) };
        if !get_model(project, &problem, &terminal)? {
            return Ok(None);
        }
        *project = project.reopened()?;
    }
}

/// Offers ways to a model until one of them led to one; false where the user leaves.
fn get_model(project: &Project, problem: &Problem, terminal: &TerminalOptions) -> anyhow::Result<bool> {
    let language = project.settings.language;
    let named = problem.args.get("provider").cloned();
    let local = if named.is_none() { ox_model::local_models(&project.model_choice(None)) } else { Vec::new() };
    let question = match &named {
        Some(provider) => language.say("first_run.no_key", &[("provider", provider)]),
        None => language.say("first_run.no_model", &[]),
    };
    let mut answers = vec![answer(language, KEY, "first_run.key")];
    answers.extend(local.into_iter().map(|model| {
        let name = language.say("first_run.local", &[("model", &model)]);
        Choice { id: model, name, about: language.say("first_run.local.about", &[]) }
    }));
    answers.extend([answer(language, DEMO, "first_run.demo"), answer(language, LEAVE, "first_run.leave")]);
    loop {
        match choose(terminal, &question, &answers)?.as_deref() {
            None | Some(LEAVE) => return Ok(false),
            Some(KEY) => match keep_key(project, named.as_deref(), terminal) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                // A key that is no good is no end: another one may be, or another way.
                Err(error) => err(&said(language, &error)),
            },
            Some(DEMO) => drop(demo::run(demo::DemoArgs::default())?),
            Some(model) => {
                project.remember("model", model)?;
                return Ok(true);
            }
        }
    }
}

/// Takes a key, finds out whose it is, proves and keeps it. False where the user gave up.
fn keep_key(project: &Project, provider: Option<&str>, terminal: &TerminalOptions) -> anyhow::Result<bool> {
    let language = project.settings.language;
    let Some(key) = login::ask_key(&language.say("first_run.paste", &[]))? else {
        return Ok(false);
    };
    let provider = match provider.or_else(|| ox_model::provider_of_key(&key)) {
        Some(provider) => provider.to_owned(),
        None => match ask_whose(project, terminal)? {
            Some(provider) => provider,
            None => return Ok(false),
        },
    };
    let kept = login::prove_and_keep(project, &provider, &key, login::Proof::By(None));
    let untested =
        kept.as_ref().err().and_then(|it| it.downcast_ref::<Problem>()).filter(|it| it.code == "login.untested");
    match untested.and_then(|it| it.args.get("why")) {
        Some(why) => {
            let question = language.say("first_run.keep_untested", &[("provider", &provider), ("why", why)]);
            if !line(&question)?.is_some_and(|it| it.eq_ignore_ascii_case("y")) {
                return Ok(false);
            }
            login::prove_and_keep(project, &provider, &key, login::Proof::None)?;
        }
        None => kept?,
    }
    forget_stored_keys();
    Ok(true)
}

/// The answer `id`, named by `key`, with what it means in `key.about`.
fn answer(language: Language, id: &str, key: &str) -> Choice {
    let about = language.say(&format!("{key}.about"), &[]);
    Choice { id: id.to_owned(), name: language.say(key, &[]), about }
}

fn said(language: Language, error: &anyhow::Error) -> String {
    error.downcast_ref::<Problem>().map_or_else(|| error.to_string(), |it| language.problem(it))
}
