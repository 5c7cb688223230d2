//! What a review asks git. Git runs in the sandbox and can write nothing, except where a pull request is fetched.

use ox_protocol::{Problem, Runner};
use ox_repo::git;

use crate::commit::git::Git;
use crate::project::sandbox::safe_path;
use crate::project::{Project, wait};

/// The longest answer of git, in bytes.
const OUTPUT: usize = 8 << 20;

/// The repository of a project.
pub(super) struct Repository<'a> {
    project: &'a Project,
}

impl Repository<'_> {
    /// That of the project. The problem is that it has none.
    pub(super) fn of(project: &Project) -> Result<Repository<'_>, Problem> {
        match git::is_repo(&project.root) {
            true => Ok(Repository { project }),
            false => Err(Problem::new("review.no_repository").with("root", project.root.display())),
        }
    }

    /// What git says; none where it refuses.
    pub(super) fn ask(&self, args: &[&str]) -> Result<Option<String>, Problem> {
        let mut job = git::question(&self.project.root, args);
        job.env.push(("PATH".to_owned(), safe_path(&self.project.root)));
        job.rights.output = OUTPUT;
        let failed = |why: String| Problem::new("review.git").with("why", why);
        let exit = wait(self.project.sandbox()?.run(job, None))?.map_err(|it| failed(it.to_string()))?;
        if exit.timed_out {
            return Err(failed(args.join(" ")));
        }
        let text = exit.output.text(|bytes| format!("\n[{bytes} bytes left out]\n"));
        Ok((exit.code == Some(0)).then_some(text))
    }

    /// The same where nothing else than an answer can come.
    pub(super) fn must(&self, args: &[&str]) -> Result<String, Problem> {
        self.ask(args)?.ok_or_else(|| Problem::new("review.git").with("why", args.join(" ")))
    }

    /// The commit of that name; none where there is none.
    pub(super) fn commit(&self, name: &str) -> Result<Option<String>, Problem> {
        if name.starts_with('-') {
            return Ok(None);
        }
        let said = self.ask(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")])?;
        Ok(said.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()))
    }

    /// The commit that two have come from; none where one of them does not exist or they share nothing.
    pub(super) fn base(&self, one: &str, other: &str) -> Result<Option<String>, Problem> {
        let (Some(one), Some(other)) = (self.commit(one)?, self.commit(other)?) else { return Ok(None) };
        Ok(self.ask(&["merge-base", &one, &other])?.map(|it| it.trim().to_owned()))
    }

    /// What is not committed, as git lists it.
    pub(super) fn changes(&self) -> Result<String, Problem> {
        self.must(&["status", "--porcelain", "-z", "--untracked-files=all", "--", "."])
    }

    /// Fetches a pull request of `origin` and gives its last commit.
    pub(super) fn fetch(&self, number: u32) -> Result<String, Problem> {
        let place = format!("refs/pull/{number}/head");
        let git = Git::new(&self.project.root, false);
        let said = git.ask(&["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin", &place])?;
        let problem = |why: String| Problem::new("review.no_pull").with("number", number).with("why", why);
        if !said.ok {
            return Err(problem(said.text));
        }
        self.commit("FETCH_HEAD")?.ok_or_else(|| problem("FETCH_HEAD".to_owned()))
    }
}
