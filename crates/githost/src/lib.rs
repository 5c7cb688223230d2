//! Git hosts: which one a remote belongs to, and its pull requests, over the REST interface of GitHub, GitLab and
//! Gitea (which Forgejo keeps).
//!
//! It runs no git and pushes nothing; it merges, closes and deletes nothing. A token is sent to the address of its own host and
//! to no other: no redirect is followed, and no page of a list that lies elsewhere. What people wrote on a host is data.

mod api;
mod client;
mod credentials;
mod describe;
mod error;
mod gitea;
mod github;
mod gitlab;
mod host;
mod pull_request;
mod remote;

pub use client::{Access, Client, Setup};
pub use credentials::credentials;
pub use describe::{Evidence, describe};
pub use error::Error;
pub use host::{Host, HostKind, KnownHost};
pub use pull_request::{NewPullRequest, PullRequest, State};
pub use remote::{PullRequestUrl, Remote, RemoteSettings};
