//! Which host a remote belongs to: the public ones are known, others are named by the user. Nobody is asked what a server is,
//! for whoever writes a remote's URL would decide who gets the token.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use url::Url;

use crate::{Error, Remote};

/// What a host runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostKind {
    /// GitHub, also Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
    /// Gitea, and Forgejo, which keeps its interface.
    Gitea,
}

impl HostKind {
    /// The variables that may hold a token, the first that is set counts.
    pub fn variables(self) -> &'static [&'static str] {
        match self {
            HostKind::GitHub => &["GITHUB_TOKEN", "GH_TOKEN"],
            HostKind::GitLab => &["GITLAB_TOKEN"],
            HostKind::Gitea => &["GITEA_TOKEN"],
        }
    }

    /// The user name that git gives beside a token where it pushes over HTTPS.
    ///
    /// GitHub: "Authenticating as a GitHub App installation"; GitLab: "Clone with a token"; Gitea takes any name.
    pub(crate) fn user_of_token(self) -> &'static str {
        match self {
            HostKind::GitHub => "x-access-token",
            HostKind::GitLab | HostKind::Gitea => "oauth2",
        }
    }

    /// What a token needs, in the host's own words, for messages.
    pub fn scope(self) -> &'static str {
        match self {
            HostKind::GitHub => "Pull requests: write, Contents: write",
            HostKind::GitLab => "api, write_repository",
            HostKind::Gitea => "write:repository, write:issue",
        }
    }
}

impl fmt::Display for HostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            HostKind::GitHub => "GitHub",
            HostKind::GitLab => "GitLab",
            HostKind::Gitea => "Gitea",
        })
    }
}

impl FromStr for HostKind {
    type Err = ();

    fn from_str(word: &str) -> Result<HostKind, ()> {
        match word {
            "github" => Ok(HostKind::GitHub),
            "gitlab" => Ok(HostKind::GitLab),
            "gitea" | "forgejo" => Ok(HostKind::Gitea),
            _ => Err(()),
        }
    }
}

/// A host that the user named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownHost {
    /// What it runs.
    pub kind: HostKind,
    /// The address of its interface; by default that of its kind on the same host.
    pub api: Option<String>,
}

/// A host that a token may be sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// What it runs.
    pub kind: HostKind,
    /// Its name, with the port where that is not the usual one.
    pub name: String,
    /// The address of its interface, without a slash at its end.
    pub api: Url,
}

impl Host {
    /// The host of a remote. `named`: what the user configured, by the name of the host, with its port where it has one.
    ///
    /// # Errors
    /// `UnknownHost`: it is no public one and nobody named it. `Address`: the address of its interface is none, or neither
    /// encrypted nor on this machine.
    pub fn of(remote: &Remote, named: &BTreeMap<String, KnownHost>) -> Result<Host, Error> {
        let name = remote.port.map_or_else(|| remote.host.clone(), |port| format!("{}:{port}", remote.host));
        if let Some(known) = named.get(&name).or_else(|| named.get(&remote.host)) {
            let usual = || match known.kind {
                HostKind::GitHub => format!("https://{name}/api/v3"),
                HostKind::GitLab => format!("https://{name}/api/v4"),
                HostKind::Gitea => format!("https://{name}/api/v1"),
            };
            return Host::at(known.kind, &name, &known.api.clone().unwrap_or_else(usual));
        }
        match name.as_str() {
            "github.com" | "ssh.github.com" => Host::at(HostKind::GitHub, "github.com", "https://api.github.com"),
            "gitlab.com" | "altssh.gitlab.com" => Host::at(HostKind::GitLab, "gitlab.com", "https://gitlab.com/api/v4"),
            "codeberg.org" | "gitea.com" => Host::at(HostKind::Gitea, &name, &format!("https://{name}/api/v1")),
            // GitHub Enterprise Cloud with data residency.
            it if it.ends_with(".ghe.com") => Host::at(HostKind::GitHub, &name, &format!("https://api.{name}")),
            _ => Err(Error::UnknownHost { host: name }),
        }
    }

    fn at(kind: HostKind, name: &str, api: &str) -> Result<Host, Error> {
        let wrong = || Error::Address { host: name.to_owned(), address: api.to_owned() };
        let address = Url::parse(api.trim_end_matches('/')).map_err(|_| wrong())?;
        let here = matches!(address.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let plain = address.username().is_empty() && address.password().is_none() && address.query().is_none();
        let fits = plain && (address.scheme() == "https" || address.scheme() == "http" && here);
        if fits { Ok(Host { kind, name: name.to_owned(), api: address }) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(url: &str, named: &[(&str, &str, Option<&str>)]) -> Result<String, String> {
        let named = named.iter().map(|(name, kind, api)| {
            ((*name).to_owned(), KnownHost { kind: kind.parse().unwrap(), api: api.map(str::to_owned) })
        });
        let host = Host::of(&Remote::parse(url).unwrap(), &named.collect());
        host.map(|it| format!("{} {}", it.kind, it.api)).map_err(|it| it.to_string())
    }

    #[test]
    fn public_hosts_are_known_and_no_other_is_guessed() {
        let table = [
            ("git@github.com:o/r", "GitHub https://api.github.com/"),
            ("ssh://git@ssh.github.com:443/o/r", "GitHub https://api.github.com/"),
            ("https://octo.ghe.com/o/r", "GitHub https://api.octo.ghe.com/"),
            ("https://gitlab.com/g/s/r", "GitLab https://gitlab.com/api/v4"),
            ("https://codeberg.org/o/r", "Gitea https://codeberg.org/api/v1"),
        ];
        for (url, expected) in table {
            assert_eq!(of(url, &[]).unwrap(), expected, "{url}");
        }
        for url in ["https://github.com.evil.org/o/r", "https://github.com:8443/o/r", "git@gitlab.example.org:o/r"] {
            assert!(of(url, &[]).unwrap_err().contains("git_hosts"), "{url}");
        }
    }

    #[test]
    fn hosts_of_one_s_own_are_named_and_their_address_is_encrypted_or_here() {
        let url = "https://git.example.org:8443/o/r";
        let with = |name, kind, api| of(url, &[(name, kind, api)]);
        assert_eq!(with("git.example.org", "forgejo", None).unwrap(), "Gitea https://git.example.org:8443/api/v1");
        assert_eq!(with("git.example.org:8443", "gitlab", None).unwrap(), "GitLab https://git.example.org:8443/api/v4");
        assert_eq!(with("git.example.org", "github", None).unwrap(), "GitHub https://git.example.org:8443/api/v3");
        let there = Some("https://api.example.org/git/");
        assert_eq!(with("git.example.org", "github", there).unwrap(), "GitHub https://api.example.org/git");
        assert!(with("git.example.org", "gitea", Some("http://127.0.0.1:3000/api/v1")).is_ok());
        for bad in ["http://git.example.org/api/v1", "file:///x", "https://u:p@git.example.org", "x"] {
            assert!(with("git.example.org", "gitea", Some(bad)).is_err(), "{bad}");
        }
    }
}
