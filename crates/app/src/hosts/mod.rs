//! The git host of a project: found from its remote, with the token that belongs to it, and what a run leaves there.
//!
//! A token comes from the user's environment or from `ox login`, never from a file of the project, and it is sent to its own
//! host alone. Nothing is pushed or opened that nobody asked for.

mod clone;
mod publish;
mod worktree;

use std::collections::BTreeMap;

use ox_config::state::key_store::KeyStore;
use ox_githost::{Access, Client, Host, HostKind, KnownHost, PullRequestUrl, Remote};
use ox_protocol::{GitHostLayer, Problem};

pub use clone::{CloneFolder, Repository};
pub use publish::{Opened, Publisher};
pub use worktree::{Left, Worktree};

use crate::commit::git::Git;
use crate::project::models::stored_key;
use crate::project::{Project, env, wait};

/// The remote that counts where a branch names none.
const ORIGIN: &str = "origin";

/// The name under which a host's token is kept, which no provider has.
fn kept_as(host: &str) -> String {
    format!("git:{host}")
}

impl Project {
    /// The hosts that the user named.
    fn known_hosts(&self) -> BTreeMap<String, KnownHost> {
        let named = self.settings.git_hosts.iter().filter_map(|(name, it)| {
            let kind = it.kind.as_deref()?.parse().ok()?;
            Some((name.to_ascii_lowercase(), KnownHost { kind, api: it.api.clone() }))
        });
        named.collect()
    }

    /// The token for a host: of the variable that the configuration names for it, of the usual ones, of `ox login`. The usual
    /// variables are for the hosts of their kind that the user named; only where there is none, for the public ones.
    fn host_token(&self, host: &Host, name: &str) -> Option<String> {
        let named = &self.settings.git_hosts;
        let own = named.get(&host.name).or_else(|| named.get(name));
        let set = |variable: &str| env(variable).map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        let kind = |it: &str| it.parse::<HostKind>() == Ok(host.kind);
        let usual = |it: &GitHostLayer| it.token_env.is_none() && it.kind.as_deref().is_some_and(kind);
        let of_variable = match own.and_then(|it| it.token_env.as_deref()) {
            Some(variable) => set(variable),
            None if own.is_none() && named.values().any(usual) => None,
            None => host.kind.variables().iter().find_map(|it| set(it)),
        };
        let token = of_variable.or_else(|| stored_key(&kept_as(&host.name)));
        token.inspect(|it| ox_model::keys::know(it))
    }

    /// The host of a remote. Problems: `githost.*`.
    pub fn git_host(&self, remote: &Remote) -> Result<Access, Problem> {
        let host = Host::of(remote, &self.known_hosts()).map_err(|it| it.problem())?;
        let token = self.host_token(&host, &remote.host);
        self.reached(host, remote, token)
    }

    fn reached(&self, host: Host, remote: &Remote, token: Option<String>) -> Result<Access, Problem> {
        let secure = host.api.scheme() == "https";
        let setup = move |builder| ox_model::with_roots(builder, secure);
        let client = Client::new(&setup, host, remote, token.as_deref()).map_err(|it| it.problem())?;
        Ok(Access { client, token })
    }

    /// The URL of the project's remote, and its name: that of the branch that is checked out, else `origin`. None where there
    /// is no such remote.
    fn remote_url(&self) -> Result<Option<(String, String)>, Problem> {
        let git = Git::new(&self.root, false);
        let branch = ox_repo::git::branch(&self.root).unwrap_or_default();
        let said = git.ask(&["config", "--get", &format!("branch.{branch}.remote")])?;
        let name = Some(said.text).filter(|it| said.ok && !it.is_empty() && it != ".");
        let name = name.unwrap_or_else(|| ORIGIN.to_owned());
        let url = git.ask(&["remote", "get-url", "--", &name])?;
        Ok(url.ok.then_some((name, url.text)))
    }

    /// The pull request that a number or the URL of its page means, on its host; none where the project's remote is on no host
    /// that is known, which git may still fetch from.
    pub fn pull_request_of(&self, word: &str) -> Result<Option<(Access, u64)>, Problem> {
        if let Some(PullRequestUrl { remote, number }) = PullRequestUrl::parse(word) {
            return Ok(Some((self.git_host(&remote)?, number)));
        }
        let Ok(number) = word.trim_start_matches(['#', '!']).parse::<u64>() else { return Ok(None) };
        let remote = self.remote_url()?.and_then(|(_, url)| Remote::parse(&url));
        let host = remote.and_then(|it| self.git_host(&it).ok());
        Ok(host.map(|it| (it, number)))
    }

    /// Whether `name` is that of a git host for `ox login`: a public one, or one that the user named.
    pub fn is_git_host(&self, name: &str) -> bool {
        login_host(name).is_some_and(|it| Host::of(&it, &self.known_hosts()).is_ok())
    }

    /// Keeps a token for a host once the host has told whose it is, and gives that; none where the host would not say and the
    /// token may still be good. Problems: `login.rejected`, `githost.*`.
    pub fn keep_host_token(&self, name: &str, token: &str, tested: bool) -> Result<Option<String>, Problem> {
        ox_model::keys::know(token);
        let remote = login_host(name).ok_or_else(|| Problem::new("githost.unknown").with("host", name))?;
        let host = Host::of(&remote, &self.known_hosts()).map_err(|it| it.problem())?;
        let kept = kept_as(&host.name);
        let mut user = None;
        if tested {
            let Access { client, .. } = self.reached(host, &remote, Some(token.to_owned()))?;
            user = match wait(client.user())? {
                Ok(user) => Some(user),
                // It is known, and may do less than say its name.
                Err(ox_githost::Error::Forbidden { .. }) => None,
                Err(error) => return Err(error.problem()),
            };
        }
        KeyStore::of(&self.paths).keep(&kept, token)?;
        Ok(user)
    }

    /// Forgets the token of a host; false where there was none.
    pub fn forget_host_token(&self, name: &str) -> Result<bool, Problem> {
        KeyStore::of(&self.paths).remove(&kept_as(&name.to_ascii_lowercase()))
    }
}

/// A repository that stands for the whole host: only its name counts.
fn login_host(name: &str) -> Option<Remote> {
    name.contains(['.', ':']).then(|| Remote::parse(&format!("https://{name}/owner/name"))).flatten()
}
