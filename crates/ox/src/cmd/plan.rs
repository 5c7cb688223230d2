//! `ox plan`: the plan of a project, to be read, edited, commented on and dropped between two turns.
//!
//! What cannot be read is refused with its line, and what was typed is kept for the next try.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use ox_app::Project;
use ox_app::conversations::plans::StoredPlan;
use ox_app::project::editor;
use ox_protocol::locale::Language;
use ox_protocol::{Command, Plan, Problem};
use ox_ui::report::{Look, plan_lines};
use ox_ui::text::{Theme, detect};
use serde_json::{Value, json};

use super::print::{err, exact, json as print_json, out};
use super::shared;

/// Columns of a plan's own words.
const WIDTH: usize = 100;

/// Arguments of `ox plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(subcommand)]
    what: Option<What>,
    /// ID of the plan or its beginning; without one, the current plan.
    #[arg(long, value_name = "ID", global = true)]
    id: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the plans of this project.
    List,
    /// Edit the plan as Markdown in your editor; `-` reads it from stdin.
    Edit {
        /// `-` to read the edited plan from stdin.
        #[arg(value_parser = ["-"])]
        from: Option<String>,
    },
    /// Print the plan as the Markdown that `edit` reads.
    Form,
    /// Comment on a step.
    Comment {
        /// The step's number.
        step: u32,
        /// What you say about it.
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Answer an open question.
    Answer {
        /// The question's number.
        question: u32,
        /// Your answer.
        #[arg(required = true)]
        text: Vec<String>,
    },
    /// Drop the plan.
    Drop,
}

/// Shows or changes a plan.
pub fn run(args: PlanArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    if let Some(What::List) = args.what {
        list(&project, args.json)?;
        return Ok(0);
    }
    let stored = project.plan(args.id.as_deref())?;
    let plan = match args.what {
        None | Some(What::List) => stored.plan.clone(),
        Some(What::Form) => {
            exact(&stored.plan.to_form());
            return Ok(0);
        }
        Some(What::Comment { step, text }) => {
            project.change_plan(&stored, Command::CommentPlan { step, text: text.join(" ") })?
        }
        Some(What::Answer { question, text }) => {
            project.change_plan(&stored, Command::AnswerPlan { question, text: text.join(" ") })?
        }
        Some(What::Edit { from }) => edit(&project, &stored, from.is_some())?,
        Some(What::Drop) => {
            let plan = Plan { id: stored.plan.id.clone(), ..Plan::default() };
            project.change_plan(&stored, Command::SetPlan { plan })?;
            err(&project.settings.language.say("plan.dropped", &[("id", &stored.plan.id)]));
            return Ok(0);
        }
    };
    if args.json {
        print_json(&as_json(&StoredPlan { plan, ..stored }));
    } else {
        show(&project, &plan);
    }
    Ok(0)
}

fn list(project: &Project, as_data: bool) -> anyhow::Result<()> {
    let all = project.plans()?;
    if as_data {
        print_json(&all.iter().map(as_json).collect());
    } else if all.is_empty() {
        err(&project.settings.language.say("plan.none", &[("root", &project.root_name())]));
    }
    for it in all.iter().filter(|_| !as_data) {
        let done = it.plan.steps.iter().filter(|it| !it.is_open()).count();
        out(&format!("{}  {done}/{}  {}\n", it.plan.id, it.plan.steps.len(), it.plan.title()));
    }
    Ok(())
}

fn as_json(it: &StoredPlan) -> Value {
    json!({ "conversation": it.conversation, "updated": it.updated, "open": it.plan.is_open(), "plan": it.plan })
}

fn show(project: &Project, plan: &Plan) {
    let language = project.settings.language;
    let look = Look::new(language, WIDTH);
    let theme = match std::io::stdout().is_terminal() {
        true => detect(&project.settings.theme, |name| std::env::var(name).ok()),
        false => Theme::None,
    };
    let lines: Vec<String> = plan_lines(&look, plan).iter().map(|it| theme.paint(it)).collect();
    out(&lines.join("\n"));
    err(&language.say("plan.id", &[("id", &plan.id)]));
}

/// The plan as the user wants it. A form that cannot be read stays as a draft, with which the next try begins.
fn edit(project: &Project, stored: &StoredPlan, from_stdin: bool) -> anyhow::Result<Plan> {
    let draft = project.paths.state_dir.join("plans").join(format!("{}.md", stored.plan.id));
    let form = if from_stdin { shared::read_stdin()? } else { typed(project, stored, &draft)? };
    match Plan::from_form(&form, &stored.plan) {
        Ok(plan) => {
            let changed = project.change_plan(stored, Command::SetPlan { plan })?;
            drop(fs::remove_file(&draft));
            Ok(changed)
        }
        Err(error) => {
            keep(&draft, &form)?;
            let why = why(error.code, project.settings.language);
            let problem = Problem::new("plan.form").with("line", error.line).with("why", why);
            Err(problem.with("file", draft.display()).into())
        }
    }
}

fn why(code: &str, language: Language) -> String {
    language.say(&format!("plan.form.{code}"), &[])
}

fn typed(project: &Project, stored: &StoredPlan, draft: &Path) -> anyhow::Result<String> {
    if !draft.exists() {
        keep(draft, &stored.plan.to_form())?;
    }
    shared::runtime()?.block_on(editor::open(&editor::chosen(), &PathBuf::from(project.root_name()), draft))?;
    Ok(fs::read_to_string(draft)?)
}

fn keep(draft: &Path, form: &str) -> anyhow::Result<()> {
    draft.parent().map_or(Ok(()), fs::create_dir_all)?;
    Ok(fs::write(draft, form)?)
}
