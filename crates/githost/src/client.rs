//! Asking a host about the pull requests of one repository, in the words of its kind.

use reqwest::ClientBuilder;
use serde_json::Value;

use crate::api::{Api, Call};
use crate::{Error, Host, HostKind, NewPullRequest, PullRequest, Remote, gitea, github, gitlab};

/// Prepares the client that speaks to a host: whom it trusts, which proxy it uses.
pub type Setup<'a> = &'a dyn Fn(ClientBuilder) -> Result<ClientBuilder, String>;

/// A repository on its host, and the token that belongs to it.
pub struct Access {
    /// What asks the host.
    pub client: Client,
    /// The token; none where there is none, and then only what is public can be read.
    pub token: Option<String>,
}

/// One repository on its host.
pub struct Client {
    api: Api,
    repository: Vec<String>,
}

impl Client {
    /// Nothing is asked yet. `setup` says whom to trust, and which proxy to use. `token` is sent to the host's own address
    /// with every request; without one, what is public can be read.
    ///
    /// # Errors
    /// `Path`: this kind of host has no such repository. `Unreachable`: no client can be made.
    pub fn new(setup: Setup<'_>, host: Host, remote: &Remote, token: Option<&str>) -> Result<Client, Error> {
        let parts: Vec<String> = remote.path.split('/').map(str::to_owned).collect();
        // GitLab has groups in groups and takes the whole path as one name.
        let repository = match host.kind {
            HostKind::GitLab => vec![remote.path.clone()],
            _ if parts.len() == 2 => parts,
            _ => return Err(Error::Path { host: host.name, path: remote.path.clone() }),
        };
        let headers = match host.kind {
            HostKind::GitHub => github::headers(token),
            HostKind::GitLab => gitlab::headers(token),
            HostKind::Gitea => gitea::headers(token),
        };
        let builder = setup(ClientBuilder::new());
        let builder = builder.map_err(|why| Error::Unreachable { host: host.name.clone(), why })?;
        Ok(Client { api: Api::new(host, builder, &headers, token.map(str::to_owned))?, repository })
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.api.host
    }

    /// The account that the token belongs to.
    ///
    /// # Errors
    /// The host did not say; see [`Error`].
    pub async fn user(&self) -> Result<String, Error> {
        let call = Call::get(&["user"], self.accept());
        let field = if self.api.host.kind == HostKind::GitLab { "username" } else { "login" };
        let answer = self.api.json(&call).await?;
        self.field(&call, answer[field].as_str().map(str::to_owned), field)
    }

    /// The branch that pull requests go to by default.
    ///
    /// # Errors
    /// The host did not say; see [`Error`].
    pub async fn default_branch(&self) -> Result<String, Error> {
        let path = self.path(&[]);
        let call = Call::get(&path, self.accept());
        let answer = self.api.json(&call).await?;
        self.field(&call, answer["default_branch"].as_str().map(str::to_owned), "default_branch")
    }

    /// The open pull request from the branch `head` of this repository to `base`; none where there is none.
    ///
    /// # Errors
    /// The host did not say; see [`Error`].
    pub async fn find(&self, head: &str, base: &str) -> Result<Option<PullRequest>, Error> {
        let (query, fits): (_, &dyn Fn(&Value) -> bool) = match self.api.host.kind {
            HostKind::GitHub => (github::query(&self.repository[0], head, base), &|_| true),
            HostKind::GitLab => (gitlab::query(head, base), &gitlab::is_own),
            HostKind::Gitea => (gitea::query(), &|it| gitea::is_from(it, head, base)),
        };
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let path = self.path(&[self.place()]);
        let call = Call { query: &query, ..Call::get(&path, self.accept()) };
        let found = self.api.first(&call, |it| fits(it).then(|| it.clone())).await?;
        found.map(|it| self.read(&call, &it)).transpose()
    }

    /// Opens a pull request unless there is one from its branch already; true beside one that was there.
    ///
    /// # Errors
    /// Those of `find` and of `create`.
    pub async fn open(&self, new: &NewPullRequest) -> Result<(PullRequest, bool), Error> {
        match self.find(&new.head, &new.base).await? {
            Some(there) => Ok((there, true)),
            None => Ok((self.create(new).await?, false)),
        }
    }

    /// Opens a pull request.
    ///
    /// # Errors
    /// `Refused` where the host does not take it, for example because there is one already; see [`Error`].
    pub async fn create(&self, new: &NewPullRequest) -> Result<PullRequest, Error> {
        let body = match self.api.host.kind {
            HostKind::GitHub => github::created(new),
            HostKind::GitLab => gitlab::created(new),
            HostKind::Gitea => gitea::created(new),
        };
        self.one(&Call::post(&self.path(&[self.place()]), self.accept(), body)).await
    }

    /// A pull request by its number.
    ///
    /// # Errors
    /// `NotFound` where there is none; see [`Error`].
    pub async fn pull_request(&self, number: u64) -> Result<PullRequest, Error> {
        let number = number.to_string();
        self.one(&Call::get(&self.path(&[self.place(), &number]), self.accept())).await
    }

    /// What a pull request changes, as git prints it.
    ///
    /// # Errors
    /// `NotFound`; `TooLong`, or `Status` where the host makes no diff of that length; see [`Error`].
    pub async fn diff(&self, number: u64) -> Result<String, Error> {
        let plain = number.to_string();
        let named = format!("{number}.diff");
        let (rest, accept): (&[&str], &str) = match self.api.host.kind {
            HostKind::GitHub => (&["pulls", &plain], github::DIFF),
            HostKind::GitLab => (&["merge_requests", &plain, "raw_diffs"], "text/plain"),
            HostKind::Gitea => (&["pulls", &named], "text/plain"),
        };
        self.api.text(&Call::get(&self.path(rest), accept)).await
    }

    /// Writes a comment below a pull request and gives its address, where the host says one.
    ///
    /// # Errors
    /// The host did not take it; see [`Error`].
    pub async fn comment(&self, number: u64, body: &str) -> Result<Option<String>, Error> {
        let number = number.to_string();
        let body = if self.api.host.kind == HostKind::GitLab { gitlab::quiet(body) } else { body.to_owned() };
        // On GitHub and Gitea a pull request is an issue as well, and has an issue's comments.
        let rest: &[&str] = match self.api.host.kind {
            HostKind::GitLab => &["merge_requests", &number, "notes"],
            HostKind::GitHub | HostKind::Gitea => &["issues", &number, "comments"],
        };
        let path = self.path(rest);
        let answer = self.api.json(&Call::post(&path, self.accept(), serde_json::json!({ "body": body }))).await?;
        Ok(answer["html_url"].as_str().map(str::to_owned))
    }

    /// The path of the repository and what follows it.
    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let root = if self.api.host.kind == HostKind::GitLab { "projects" } else { "repos" };
        [root].into_iter().chain(self.repository.iter().map(String::as_str)).chain(rest.iter().copied()).collect()
    }

    async fn one(&self, call: &Call<'_>) -> Result<PullRequest, Error> {
        self.read(call, &self.api.json(call).await?)
    }

    fn read(&self, call: &Call<'_>, answer: &Value) -> Result<PullRequest, Error> {
        let read = match self.api.host.kind {
            HostKind::GitHub | HostKind::Gitea => github::read(answer),
            HostKind::GitLab => gitlab::read(answer),
        };
        read.map_err(|error| self.api.unreadable(call, &error.to_string()))
    }

    fn field(&self, call: &Call<'_>, value: Option<String>, name: &str) -> Result<String, Error> {
        value.ok_or_else(|| self.api.unreadable(call, &format!("it has no `{name}`")))
    }

    fn place(&self) -> &'static str {
        if self.api.host.kind == HostKind::GitLab { "merge_requests" } else { "pulls" }
    }

    fn accept(&self) -> &'static str {
        if self.api.host.kind == HostKind::GitHub { github::JSON } else { "application/json" }
    }
}
