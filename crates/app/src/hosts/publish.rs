//! Pushing the branch of a run and opening a pull request for it. The user asked for both; nothing is forced, and no hook runs.

use std::sync::Arc;

use ox_githost::{Access, Evidence, NewPullRequest, describe};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use ox_tools::OpenPullRequest;

use crate::Project;
use crate::accept::RunChanges;
use crate::commit::git::Git;
use crate::project::wait;

/// Where a run's branch goes; found before the run, so that nobody works for nothing.
pub struct Publisher {
    host: Access,
    /// The name of the remote.
    name: String,
    /// Its URL, as git has it.
    url: String,
    base: String,
    language: Language,
}

/// A pull request that is open now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// The address of its page.
    pub url: String,
    /// True where it was there before, and the branch was only pushed.
    pub was_open: bool,
}

impl Publisher {
    /// Finds host, token and the branch that pull requests go to: the one that is checked out where the remote has it, else
    /// the host's default. Problems: `githost.*`.
    pub fn of(project: &Project) -> Result<Publisher, Problem> {
        let current = ox_repo::git::branch(&project.root).filter(|it| !it.is_empty());
        let (name, url) = remote(project)?;
        let git = Git::new(&project.root, false);
        let there =
            |branch: &String| git.ask(&["rev-parse", "--verify", "--quiet", &format!("refs/remotes/{name}/{branch}")]);
        let base = match current {
            Some(branch) if there(&branch)?.ok => Some(branch),
            _ => None,
        };
        Publisher::to(project, name, url, base)
    }

    /// The same for the branch `base`; the host's default where none is named.
    fn to(project: &Project, name: String, url: String, base: Option<String>) -> Result<Publisher, Problem> {
        let remote = ox_githost::Remote::parse(&url).ok_or_else(|| no_remote(project))?;
        let host = project.git_host(&remote)?;
        if host.token.is_none() {
            let of = host.client.host();
            let problem = Problem::new("githost.no_token").with("host", &of.name);
            return Err(problem.with("variables", of.kind.variables().join(", ")).with("scope", of.kind.scope()));
        }
        let base = match base {
            Some(base) => base,
            None => wait(host.client.default_branch())?.map_err(|it| it.problem())?,
        };
        Ok(Publisher { host, name, url, base, language: project.settings.language })
    }

    /// Pushes `branch` from the repository of `project` and opens a pull request for it, with what its last run recorded.
    /// `proven`: the run ended with its checks passing; else it is a draft.
    pub fn publish(&self, project: &Project, branch: &str, proven: bool) -> Result<Opened, Problem> {
        let title = Git::new(&project.root, false).must(&["log", "-1", "--format=%s", branch], "")?;
        let (head, base) = (branch.to_owned(), self.base.clone());
        self.open(project, NewPullRequest { title, body: self.body(project)?, head, base, draft: !proven })
    }

    fn open(&self, project: &Project, new: NewPullRequest) -> Result<Opened, Problem> {
        if new.head == new.base {
            return Err(Problem::new("githost.same_branch").with("branch", &new.head));
        }
        let quiet = |it: &str| ox_core::secrets::redact(&ox_model::keys::hide(it)).text;
        let new = NewPullRequest { title: quiet(&new.title), body: quiet(&new.body), ..new };
        self.push(Git::new(&project.root, false).patient(), &new.head)?;
        let (there, was_open) = wait(self.host.client.open(&new))?.map_err(|it| it.problem())?;
        Ok(Opened { url: there.url, was_open })
    }

    fn body(&self, project: &Project) -> Result<String, Problem> {
        let run = RunChanges::newest(project)?;
        let files: Vec<(String, Vec<String>)> = run.files.clone().into_iter().collect();
        let evidence =
            Evidence { words: &run.text, files: &files, checks: &run.checks, claims: &run.claims, undone: &run.undone };
        Ok(describe(&evidence, self.language))
    }

    fn push(&self, git: Git, branch: &str) -> Result<(), Problem> {
        let kind = self.host.client.host().kind;
        let git = match &self.host.token {
            Some(token) => git.with_token(&self.url, kind, token),
            None => git,
        };
        let place = format!("refs/heads/{branch}:refs/heads/{branch}");
        let said = git.ask(&["push", "--quiet", "--no-verify", "--", &self.name, &place])?;
        match said.ok {
            true => Ok(()),
            false => Err(Problem::new("githost.push")
                .with("branch", branch)
                .with("remote", &self.name)
                .with("why", ox_model::keys::hide(&said.text))),
        }
    }
}

/// The name of the project's remote, and its URL.
fn remote(project: &Project) -> Result<(String, String), Problem> {
    project.remote_url()?.ok_or_else(|| no_remote(project))
}

fn no_remote(project: &Project) -> Problem {
    Problem::new("githost.no_remote").with("root", project.root.display())
}

impl Project {
    /// Opens pull requests for the tools of a session, once the user has said yes to that call.
    pub(crate) fn opens_pull_requests(&self) -> OpenPullRequest {
        let project = self.clone();
        Arc::new(move |new| {
            let base = Some(new.base.clone()).filter(|it| !it.is_empty());
            let (name, url) = remote(&project)?;
            let publisher = Publisher::to(&project, name, url, base)?;
            let base = publisher.base.clone();
            Ok(publisher.open(&project, NewPullRequest { base, ..new })?.url)
        })
    }
}
