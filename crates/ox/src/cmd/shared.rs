//! Arguments that several commands share, and what they mean for the configuration.

use std::io::{IsTerminal, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use ox_app::conversations::session::SessionOptions;
use ox_app::project::attachments;
use ox_app::{Project, ProjectOptions};
use ox_config::{Flags, KEYS, Key, Kind, Origin};
use ox_protocol::locale::Language;
use ox_protocol::{ConversationId, Problem, ScreenMode};

/// The flags of configuration keys, made from the table of keys.
#[derive(Clone, Debug, Default)]
pub struct ConfigFlags(pub Flags);

impl Args for ConfigFlags {
    fn augment_args(command: Command) -> Command {
        KEYS.iter().filter_map(argument).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        ConfigFlags::augment_args(command)
    }
}

impl FromArgMatches for ConfigFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<ConfigFlags, clap::Error> {
        let said = |flags: Flags, key: &Key| {
            let texts = matches.get_many::<String>(key.name).into_iter().flatten();
            flags.with_all(key.name, texts)
        };
        Ok(ConfigFlags(KEYS.iter().filter(|it| it.flag.is_some()).fold(Flags::default(), said)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = ConfigFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of a key, where it has one.
fn argument(key: &Key) -> Option<Arg> {
    let flag = key.flag?.trim_start_matches('-');
    let help = Language::En.say(&format!("config.key.{}", key.name), &[]);
    let action = if key.kind.is_list() { ArgAction::Append } else { ArgAction::Set };
    let arg = Arg::new(key.name).long(flag).help(help).action(action);
    let arg = if key.name == "model" { arg.short('m') } else { arg };
    let arg = key.former.and_then(|it| it.flag).into_iter().fold(arg, |arg, it| arg.alias(it));
    Some(match key.kind {
        Kind::Choice(words) => arg.value_name("WORD").value_parser(PossibleValuesParser::new(words)),
        kind => arg.value_name(match kind {
            Kind::Model => "PROVIDER/MODEL",
            Kind::Url => "URL",
            Kind::Count(_) => "N",
            Kind::Amount => "USD",
            Kind::Time => "DURATION",
            Kind::Globs => "GLOB",
            Kind::Rules => "RULE",
            _ => "TEXT",
        }),
    })
}

/// What may be said for a key of words.
pub fn words(key: &str) -> PossibleValuesParser {
    match ox_config::kind_of(key) {
        Some(Kind::Choice(words)) => PossibleValuesParser::new(words),
        _ => PossibleValuesParser::new(Vec::<&str>::new()),
    }
}

/// What shapes a turn.
#[derive(Clone, Debug, Default, Args)]
pub struct TurnArgs {
    #[command(flatten)]
    /// The flags of configuration keys.
    pub config: ConfigFlags,
    /// Use this project's settings for this run.
    #[arg(long)]
    pub trust: bool,
    /// Also work in this folder. May be repeated.
    #[arg(long, value_name = "DIR")]
    pub add_dir: Vec<PathBuf>,
    /// With `--model manual`: exchange requests and replies as files in this folder.
    #[arg(long, value_name = "DIR")]
    pub manual_dir: Option<PathBuf>,
    /// Record the model's requests and replies to this file.
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Attach an image, a PDF document or a text file. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub image: Vec<PathBuf>,
    /// Keep a file, a folder's files or a glob's in view in each turn; `PATH:10-20` for lines. May be repeated.
    #[arg(long, value_name = "PATH")]
    pub file: Vec<String>,
    /// Leave files out: they are neither read nor listed. May be repeated.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Work without the code index.
    #[arg(long)]
    pub no_index: bool,
    /// Name for a new conversation.
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Add this text to the system prompt.
    #[arg(long, value_name = "TEXT")]
    pub append_system_prompt: Option<String>,
}

/// How the conversation is shown in a terminal.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct ScreenFlags {
    /// Show the conversation in a view of its own that fills the screen.
    #[arg(long, conflicts_with = "inline")]
    pub fullscreen: bool,
    /// Show it in the terminal's own scrollback.
    #[arg(long)]
    pub inline: bool,
}

impl ScreenFlags {
    /// True for the full screen; without a flag the configuration decides.
    pub fn is_full(self, project: &Project) -> bool {
        self.fullscreen || !self.inline && project.settings.screen == ScreenMode::Fullscreen
    }
}

/// Which stored conversation goes on.
#[derive(Clone, Debug, Default, Args)]
pub struct ResumeFlags {
    /// Continue the newest conversation of this project.
    #[arg(short = 'c', long = "continue", conflicts_with = "resume")]
    pub newest: bool,
    /// Continue this conversation; without an id, choose one in a terminal, else the newest of this project.
    #[arg(short = 'r', long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
}

impl ResumeFlags {
    /// True where a stored conversation goes on.
    pub fn any(&self) -> bool {
        self.newest || self.resume.is_some()
    }

    /// The conversation; none where a new one begins.
    pub fn conversation(&self, project: &Project) -> Result<Option<ConversationId>, Problem> {
        let prefix = self.resume.as_deref().filter(|it| !it.is_empty());
        self.any().then(|| project.conversation_to_resume(prefix)).transpose()
    }
}

impl TurnArgs {
    /// Opens the project for a task. Where `asks`, whoever sits at a terminal is asked about settings of the project that
    /// nobody has trusted; with `--trust` they count for this run.
    pub fn open(&self, asks: bool) -> anyhow::Result<Project> {
        let mut project = Project::here(self.options())?;
        if asks && ox_ui::is_interactive() && project.trust.asks() && super::trust::ask(&project)? {
            project = project.reopened()?;
        }
        super::trust::say_ignored(&project);
        super::trust::say_wide(&project);
        Ok(project)
    }

    /// Opens the folder of a clone, of which nothing is trusted.
    pub fn open_clone(&self, folder: &Path) -> anyhow::Result<Project> {
        let project = Project::open(folder, ProjectOptions { foreign: true, ..self.options() })?;
        super::trust::say_ignored(&project);
        Ok(project)
    }

    fn options(&self) -> ProjectOptions {
        let (flags, added) = (self.config.0.clone(), self.add_dir.clone());
        ProjectOptions { flags, added, trusted: self.trust, ..ProjectOptions::default() }
    }

    /// The commands for the files that were named, once it is known that there are such files.
    pub fn files(&self, project: &Project) -> Result<Vec<ox_protocol::Command>, Problem> {
        let commands = context_files(&self.file, &self.exclude);
        project.context_files(&commands)?;
        Ok(commands)
    }

    /// What of them shapes a session.
    pub fn session(&self, resume: Option<ConversationId>, headless: bool) -> SessionOptions {
        SessionOptions {
            resume,
            headless,
            model: None,
            until: None,
            name: self.name.clone(),
            manual_dir: self.manual_dir.clone(),
            record: self.record.clone(),
            system: self.append_system_prompt.clone().unwrap_or_default(),
            ephemeral: None,
            no_index: self.no_index,
            editor: None,
        }
    }
}

/// What leaves out and then keeps in view the files that flags name.
pub fn context_files(files: &[String], exclude: &[String]) -> Vec<ox_protocol::Command> {
    let exclude = (!exclude.is_empty()).then(|| ox_protocol::Command::Exclude { globs: exclude.to_vec() });
    let add = (!files.is_empty()).then(|| ox_protocol::Command::AddFiles { files: files.to_vec() });
    exclude.into_iter().chain(add).collect()
}

/// Opens the project around the current folder and says where its own settings do not count.
pub fn open() -> anyhow::Result<Project> {
    open_with(Flags::default())
}

/// The same with options.
pub fn open_with(options: impl Into<ProjectOptions>) -> anyhow::Result<Project> {
    let project = Project::here(options.into())?;
    super::trust::say_ignored(&project);
    Ok(project)
}

/// The runtime of a session: two workers beside the main thread are plenty.
pub fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// Reads the images that were named on the command line.
pub fn images(paths: &[PathBuf]) -> Result<Vec<ox_protocol::Image>, Problem> {
    paths.iter().map(|path| attachments::image(path)).collect()
}

/// The change of mode for a conversation that has one already: what was said for this run counts, what files say does not.
pub fn mode_given(project: &Project, resumes: bool) -> Option<ox_protocol::Command> {
    let said = |it: &Origin| matches!(it, Origin::Flag { .. } | Origin::Environment { .. });
    let is_given = resumes && project.settings.origins_of("mode").iter().any(said);
    is_given.then_some(ox_protocol::Command::SetMode { mode: project.settings.mode })
}

/// The task, and below it what was piped in. A pipe in which nothing comes is left alone after a while, and that is said:
/// programs that start Ox often leave one open.
pub(super) fn with_stdin(task: String) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Ok(task);
    }
    let mut ready = [rustix::event::PollFd::new(&stdin, rustix::event::PollFlags::IN)];
    let patience = rustix::event::Timespec::try_from(PATIENCE).ok();
    if matches!(rustix::event::poll(&mut ready, patience.as_ref()), Ok(0)) {
        super::print::err(&ox_app::project::language().say("usage.silent_stdin", &[]));
        return Ok(task);
    }
    Ok(match read_stdin()?.trim_end() {
        "" => task,
        text => format!("{task}\n\n<stdin>\n{text}\n</stdin>"),
    })
}

/// How long a pipe may stay silent beside a task.
const PATIENCE: Duration = Duration::from_secs(3);

/// All of the standard input.
pub(super) fn read_stdin() -> anyhow::Result<String> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).map_err(|error| Problem::new("usage.stdin").with("why", error))?;
    Ok(text)
}
