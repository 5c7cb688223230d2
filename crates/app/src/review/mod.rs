//! Reviewing code: a change, what a model is asked about it, and what of its answer holds.
//!
//! Nothing of the project is changed. Every finding that is reported names a place that exists.

mod change;
mod git;
mod host;
mod report;
mod subject;

use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::Arc;

use ox_config::Origin;
use ox_context::review_words;
use ox_githost::Access;
use ox_index::{Snapshot, Target, reached};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Delivery, Image, Mode, Problem, ReviewPolicy, Verification};
use ox_repo::Tree;

pub use change::ChangedFile;
pub use report::{FindingJson, Report};
pub use subject::Subject;

use crate::conversations::session::SessionOptions;
use crate::project::{Project, wait};
use git::Repository;
use subject::{Side, find};

/// Places that the change reaches and that are named: the nearest ones, which are those that break.
const REACHED: usize = 40;

/// A change that is to be reviewed.
#[derive(Clone)]
pub struct Review {
    /// What it is, for people.
    pub about: Problem,
    /// Its files.
    pub files: Vec<ChangedFile>,
    side: Side,
    ask: String,
    attached: Vec<Image>,
    /// Its host, and its number there; none for what is on none.
    on_host: Option<(Arc<Access>, u64)>,
}

impl Project {
    /// Finds a change and what it reaches. Problems: that there is none, or why it cannot be had.
    pub fn review(&self, subject: &Subject) -> Result<Review, Problem> {
        if let Some(word) = subject.word()
            && let Some((host, number)) = self.pull_request_of(&word)?
        {
            return self.review_on_host(&word, host, number);
        }
        let git = Repository::of(self)?;
        let found = find(subject, &git)?;
        let files = change::files(&found, &git, &self.tree()?)?;
        if files.is_empty() {
            return Err(Problem::new("review.nothing"));
        }
        let mut words = review_words("task").to_owned();
        if !found.checked_out {
            let _ = write!(words, "\n{}", review_words("elsewhere"));
        }
        let _ = write!(words, "\n\n{}", self.reached_by(&files));
        Ok(Review::of(found.about, files, found.side, &words, None))
    }

    /// `word`: how the user named the pull request.
    fn review_on_host(&self, word: &str, host: Access, number: u64) -> Result<Review, Problem> {
        let host::Fetched { about, files, words: beside } = host::fetch(&host, number)?;
        if files.is_empty() {
            return Err(Problem::new("review.nothing"));
        }
        let mut words = ["task", "elsewhere", "pull"].map(review_words).join("\n");
        // A page may be of another repository, of which the index knows nothing.
        if word.parse::<u64>().is_ok() {
            let _ = write!(words, "\n\n{}", self.reached_by(&files));
        }
        let review = Review::of(about, files, Side::Diff, &words, Some(("pull_request.txt", &beside)));
        Ok(Review { on_host: Some((Arc::new(host), number)), ..review })
    }

    /// What the index says that these files reach; nothing where there is no index.
    fn reached_by(&self, files: &[ChangedFile]) -> String {
        let Ok(index) = self.refreshed_index(&|_| {}) else { return String::new() };
        let snapshot = index.snapshot();
        let targets: Vec<Target> = files.iter().flat_map(|it| targets(&snapshot, it)).collect();
        let impact = reached(&snapshot, &targets, REACHED);
        let mut out = String::new();
        for it in &impact.items {
            let symbol = it.symbol.as_deref().map(|it| format!(" {it}")).unwrap_or_default();
            let _ = write!(out, "\n- {}{symbol}{}", it.path, if it.test { " (test)" } else { "" });
        }
        match out.is_empty() {
            true => "It reaches nothing else that the index knows.".to_owned(),
            false => format!("It reaches:{out}"),
        }
    }

    /// The project as a review needs it: nothing is changed, so nothing has to be proved, and earlier tasks do not count. The
    /// model is that of the role `review`, unless one was named for this run.
    pub fn for_review(self, options: SessionOptions) -> (Project, SessionOptions) {
        let named = self.settings.origins_of("model").iter().any(|it| matches!(it, Origin::Flag { .. }));
        let role = self.settings.roles.review.clone().filter(|_| !named);
        (self.only_reading(), SessionOptions { model: role, ..options })
    }

    /// The project for a turn that answers from the code: nothing is verified and no earlier task counts.
    pub fn only_reading(mut self) -> Project {
        self.settings.mode = Mode::Chat;
        self.settings.verification = Verification::Off;
        self.settings.review = ReviewPolicy::Off;
        self.settings.context_tokens = Some(0);
        self.settings.memory_tasks = 0;
        self
    }
}

/// The symbols of a file that its new lines stand in; the file where they stand in none.
fn targets(snapshot: &Snapshot, file: &ChangedFile) -> Vec<Target> {
    let facts = snapshot.facts(&file.path);
    let symbols = facts.iter().flat_map(|it| &it.symbols);
    let touched = symbols.filter(|it| file.added.iter().any(|line| (it.line..=it.end).contains(line)));
    let names: HashSet<String> = touched.map(|it| it.qualified.clone()).collect();
    let of = |name| Target::Symbol { path: file.path.clone(), name };
    let mut found: Vec<Target> = names.into_iter().map(of).collect();
    if found.is_empty() && snapshot.has(&file.path) {
        found.push(Target::File(file.path.clone()));
    }
    found
}

impl Review {
    /// `words`: what the model is to do. `beside`: a further page by its name, of others' words.
    fn of(about: Problem, files: Vec<ChangedFile>, side: Side, words: &str, beside: Option<(&str, &str)>) -> Review {
        // A NUL is not text, and no model reads one.
        let text = |it: &str| it.replace('\0', "␀");
        let diff = change::text(&files);
        let pages = [("review.md", words), ("change.txt", diff.as_str())].into_iter().chain(beside);
        let attached = pages.filter_map(|(name, it)| ox_model::attachment(name, text(it).as_bytes())).collect();
        let ask = format!("{} {}.", review_words("ask"), Language::En.problem(&about));
        Review { about, files, side, ask, attached, on_host: None }
    }

    /// True for a pull request that a comment can be written below.
    pub fn can_be_commented(&self) -> bool {
        self.on_host.is_some()
    }

    /// Writes a comment below the pull request and gives its address, where the host says one. Problems: `githost.*`, or that
    /// there is no pull request.
    pub fn comment(&self, text: &str) -> Result<Option<String>, Problem> {
        let (host, number) = self.on_host.as_ref().ok_or_else(|| Problem::new("review.no_comment"))?;
        wait(host.client.comment(*number, text))?.map_err(|it| it.problem())
    }

    /// What the model is asked, in a mode that changes nothing.
    pub fn task(&self) -> Command {
        Command::Prompt {
            text: self.ask.clone(),
            images: self.attached.clone(),
            mode: Some(Mode::Chat),
            delivery: Delivery::Steer,
        }
    }

    /// What the model is asked where its answer does not judge.
    pub fn again() -> &'static str {
        review_words("again")
    }

    /// What of an answer holds; none where it does not judge.
    pub fn judge(&self, project: &Project, answer: &str) -> Result<Option<Report>, Problem> {
        if self.side == Side::Diff {
            // Of other files nothing is known.
            let shown = |path: &str| self.files.iter().find(|it| it.path == path).map(ChangedFile::lines);
            return Ok(Report::of(answer, &shown));
        }
        let (git, tree) = (Repository::of(project)?, project.tree()?);
        Ok(Report::of(answer, &|path| self.lines(path, &git, &tree)))
    }

    /// How many lines a file has after the change, one that is gone before it; none where there is no such file.
    fn lines(&self, path: &str, git: &Repository<'_>, tree: &Tree) -> Option<u32> {
        if let Some(gone) = self.files.iter().find(|it| it.path == path && it.deleted) {
            return Some(gone.lines());
        }
        let text = match &self.side {
            Side::Diff => return None,
            Side::Tree => tree.read(path).ok()?.text,
            Side::Git(prefix) => git.ask(&["show", &format!("{prefix}./{path}")]).ok()??,
        };
        u32::try_from(text.lines().count()).ok()
    }
}
