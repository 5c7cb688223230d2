//! `ox run`: one task for scripts and CI, or several. The answer alone on stdout, everything else on stderr, or what the
//! chosen form of output says; a documented exit code.

use std::io::IsTerminal;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use ox_app::Project;
use ox_app::answer::AnswerSchema;
use ox_protocol::{Command, Delivery, Image, Mode, Problem};
use ox_ui::{Judge, Judged, Mismatch, Output, ScriptOptions};

use super::shared::{ResumeFlags, TurnArgs, images, mode_given, read_stdin, with_stdin};
use super::show::Look;
use super::worktree::{WorktreeFlags, say_where_it_is};

/// The task of a run that is given a plan and no words.
const CARRY_OUT: &str = "Carry out the plan.";

/// Arguments of `ox run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// What shapes the turn.
    #[command(flatten)]
    pub turn: TurnArgs,
    /// What goes to stdout.
    #[command(flatten)]
    pub form: FormArgs,
    /// Run this command after each conclusion; the task is done when it passes.
    #[arg(long, value_name = "CMD")]
    pub until: Option<String>,
    /// Carry out a plan of this project: the one of this ID, or the current one.
    #[arg(long, value_name = "ID", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub plan: Option<String>,
    /// Which conversation goes on.
    #[command(flatten)]
    pub resume: ResumeFlags,
    /// Where the run works, and where its result goes.
    #[command(flatten)]
    pub apart: WorktreeFlags,
    /// Store nothing: no conversation, no checkpoints.
    #[arg(long, conflicts_with_all = ["newest", "resume"])]
    pub ephemeral: bool,
    /// The task; `-` or nothing reads it from stdin.
    pub task: Vec<String>,
}

/// What goes in and what comes out.
#[derive(Clone, Debug, Default, Args)]
pub struct FormArgs {
    /// Output format.
    #[arg(long, visible_alias = "output-format", value_enum, default_value_t = Form::Text)]
    pub output: Form,
    /// Print Ox's own events as JSON, one per line.
    #[arg(long, visible_alias = "json", conflicts_with = "output")]
    pub events: bool,
    /// Input format; `stream-json` needs `--output stream-json`.
    #[arg(long, value_enum, default_value_t = InputForm::Text)]
    pub input_format: InputForm,
    /// With `--output stream-json`: print text as it streams.
    #[arg(long)]
    pub include_partial_messages: bool,
    /// With `--input-format stream-json`: `stdio` asks for approvals on stdout and reads the answers from stdin.
    #[arg(long, value_enum)]
    pub permission_prompt_tool: Option<Prompter>,
    /// The answer must be JSON that is valid under this JSON Schema.
    #[arg(long, visible_alias = "json-schema", value_name = "FILE|JSON")]
    pub output_schema: Option<PathBuf>,
    /// Print only the answer and problems.
    #[arg(short, long)]
    pub quiet: bool,
    /// Write the last answer to this file.
    #[arg(short = 'o', long, value_name = "FILE")]
    pub output_last_message: Option<PathBuf>,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The answer; everything else goes to stderr.
    #[default]
    Text,
    /// One JSON object at the end.
    Json,
    /// Messages as JSON, one per line, as Claude Code prints them.
    StreamJson,
}

/// Forms of input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum InputForm {
    /// The task, or text for it.
    #[default]
    Text,
    /// Messages as JSON, one per line; each is a turn.
    StreamJson,
}

/// Who answers requests for approval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Prompter {
    /// The program that started Ox.
    Stdio,
}

impl FormArgs {
    fn reads(&self) -> bool {
        self.input_format == InputForm::StreamJson
    }

    fn asks(&self) -> bool {
        self.permission_prompt_tool.is_some()
    }

    /// What does not go together.
    fn checked(&self) -> Result<(), Problem> {
        let streams = self.output == Form::StreamJson;
        let misuse = |flag: &str, needs: &str| Problem::new("usage.needs").with("flag", flag).with("needs", needs);
        if self.reads() && !streams {
            return Err(misuse("--input-format stream-json", "--output stream-json"));
        }
        if self.asks() && !self.reads() {
            return Err(misuse("--permission-prompt-tool", "--input-format stream-json"));
        }
        if self.include_partial_messages && !streams {
            return Err(misuse("--include-partial-messages", "--output stream-json"));
        }
        Ok(())
    }

    fn output(&self) -> Output {
        match self.output {
            _ if self.events => Output::Events,
            Form::Text => Output::Text,
            Form::Json => Output::Json,
            Form::StreamJson => Output::StreamJson { partial: self.include_partial_messages },
        }
    }

    fn script(self, look: &Look, schema: Option<AnswerSchema>) -> ScriptOptions {
        let judge = |schema: AnswerSchema| {
            let judge = move |answer: &str| -> Judged {
                schema.judge(answer).map_err(|why| Mismatch { again: ox_context::schema_again(&why), why })
            };
            Box::new(judge) as Judge
        };
        ScriptOptions {
            reads: self.reads(),
            asks: self.asks(),
            quiet: self.quiet,
            schema: schema.map(judge),
            ..ScriptOptions { last: self.output_last_message.clone(), ..look.script(self.output()) }
        }
    }
}

/// Runs one task.
pub fn run(args: RunArgs) -> anyhow::Result<u8> {
    args.form.checked()?;
    let schema = args.form.output_schema.as_deref().map(AnswerSchema::read).transpose()?;
    let text = match args.form.reads() {
        true => Some(args.task.join(" ")).filter(|it| !it.trim().is_empty()),
        false => task(&args.task, args.resume.any() || args.plan.is_some())?,
    };
    let images = images(&args.turn.image)?;
    let clone = args.apart.clone_repository(&args.turn)?;
    let project = match &clone {
        Some((_, project)) => project.clone(),
        None => args.turn.open(false)?,
    };
    let plan = args.plan.as_deref().map(|it| plan(&project, it)).transpose()?;
    let done = begin(args, project, Asked { text, images, plan, schema });
    if let Some((clone, project)) = clone {
        say_where_it_is(&clone, &project);
    }
    done
}

/// Runs it where it is to work, and brings the result where it is to go.
fn begin(args: RunArgs, project: Project, asked: Asked) -> anyhow::Result<u8> {
    project.check_attached(&asked.images)?;
    let apart = args.apart.begin(&project, asked.text.as_deref().unwrap_or_default())?;
    let project = apart.as_ref().map_or(project, |it| it.project.clone());
    let done = turn(args, project, asked);
    match apart {
        Some(apart) => apart.end(done),
        None => done,
    }
}

/// What is asked of a run.
struct Asked {
    text: Option<String>,
    images: Vec<Image>,
    plan: Option<Command>,
    schema: Option<AnswerSchema>,
}

/// Runs it in a project.
fn turn(args: RunArgs, project: Project, asked: Asked) -> anyhow::Result<u8> {
    let Asked { text, images, plan, schema } = asked;
    let resume = args.resume.conversation(&project)?;
    // What was said for this run counts before anything else; a plan is carried out by a build.
    let mode = mode_given(&project, resume.is_some() || plan.is_some())
        .or_else(|| plan.is_some().then_some(Command::SetMode { mode: Mode::Build }));
    let files = args.turn.files(&project)?;
    let mut options = args.turn.session(resume, !args.form.asks());
    options.until = args.until.filter(|it| !it.trim().is_empty());
    if let Some(schema) = &schema {
        options.system = format!("{}\n\n{}", options.system.trim(), schema.words());
    }
    let nowhere = args.ephemeral.then(|| tempfile::Builder::new().prefix("ox-").tempdir()).transpose();
    let nowhere = nowhere.map_err(|error| Problem::new("usage.no_temporary").with("why", error))?;
    options.ephemeral = nowhere.as_ref().map(|it| it.path().to_path_buf());
    let look = Look::of(&project);
    let setup = project.setup(options)?;
    let text = text.or_else(|| plan.is_some().then(|| CARRY_OUT.to_string()));
    let first = match text {
        Some(text) => Some(Command::Prompt { text, images, mode: None, delivery: Delivery::Steer }),
        None => (!args.form.reads()).then_some(Command::Continue),
    };
    let before = mode.into_iter().chain(plan).chain(files).collect();
    super::show::headless(setup, before, first, &args.form.script(&look, schema))
}

/// Puts a plan of the project before the run.
fn plan(project: &Project, id: &str) -> Result<Command, Problem> {
    let plan = project.plan(Some(id).filter(|it| !it.is_empty()))?.plan;
    match plan.is_open() {
        true => Ok(Command::SetPlan { plan }),
        false => Err(Problem::new("plan.done").with("id", &plan.id)),
    }
}

/// The task from the arguments with what stdin brings beside it, or from stdin where there is none.
fn task(words: &[String], resumes: bool) -> anyhow::Result<Option<String>> {
    let given = words.join(" ");
    if given != "-" && !given.trim().is_empty() {
        return Ok(Some(with_stdin(given)?));
    }
    if given != "-" && (resumes || std::io::stdin().is_terminal()) {
        return if resumes { Ok(None) } else { Err(Problem::new("usage.no_task").into()) };
    }
    match read_stdin()?.trim() {
        "" => Err(Problem::new("usage.no_task").into()),
        text => Ok(Some(text.to_string())),
    }
}
