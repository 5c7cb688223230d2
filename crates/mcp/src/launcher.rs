//! What starting and reaching servers needs, handed in by whoever knows the project: this crate knows neither the sandbox nor
//! the keys.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ox_protocol::{Rights, Runner};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use url::Url;

/// Prepares the client that speaks to an address over HTTP: whom it trusts.
pub type HttpSetup = Arc<dyn Fn(ClientBuilder, &Url) -> Result<ClientBuilder, String> + Send + Sync>;

/// Finds the rights of a command of the project, which may take a walk through it.
pub type CommandRights = Arc<dyn Fn() -> Rights + Send + Sync>;

/// What starting and reaching servers needs.
#[derive(Clone)]
pub struct Launcher {
    /// The project's root, in which servers are started.
    pub root: PathBuf,
    /// Starts processes.
    pub runner: Arc<dyn Runner>,
    /// The rights of a command of the project, of which a server gets a part; found when one starts.
    pub rights: CommandRights,
    /// What these follow from: servers are shared where it is equal.
    pub policy: String,
    /// The folder in which each server has one for what it keeps from one start to the next.
    pub cache: PathBuf,
    /// Prepares the client for servers elsewhere.
    pub http: HttpSetup,
    /// What logins brought.
    pub tokens: Arc<dyn Tokens>,
    /// How long things may take.
    pub limits: Limits,
}

impl Launcher {
    /// The client that speaks to an address. It follows no server to another one, for what it sends may be secret.
    pub(crate) fn client(&self, address: &Url) -> Result<Client, String> {
        let builder = (self.http)(Client::builder().redirect(Policy::none()), address)?;
        builder.build().map_err(|error| error.to_string())
    }
}

/// How long things may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start of a server to its greeting: it may fetch itself first.
    pub start: Duration,
    /// Listing what it has, and small questions.
    pub list: Duration,
    /// The rest after a failure, which doubles with each further one.
    pub rest: Duration,
    /// The longest rest.
    pub longest_rest: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        let seconds = Duration::from_secs;
        Limits { start: seconds(60), list: seconds(20), rest: seconds(1), longest_rest: seconds(300) }
    }
}

/// Keeps what logins brought, one text for a server, where the keys of providers are kept.
pub trait Tokens: Send + Sync {
    /// What is kept for the server of that name.
    ///
    /// # Errors
    /// It cannot be read; in words.
    fn load(&self, server: &str) -> Result<Option<String>, String>;
    /// Keeps it, in the place of what was kept before.
    ///
    /// # Errors
    /// It cannot be written; in words.
    fn keep(&self, server: &str, text: &str) -> Result<(), String>;
    /// Forgets it; false where there was nothing.
    ///
    /// # Errors
    /// It cannot be written; in words.
    fn forget(&self, server: &str) -> Result<bool, String>;
}

/// Nothing is kept, and nobody is logged in.
#[derive(Clone, Copy, Debug)]
pub struct NoTokens;

impl Tokens for NoTokens {
    fn load(&self, _server: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn keep(&self, _server: &str, _text: &str) -> Result<(), String> {
        Err("logins are not kept here".into())
    }

    fn forget(&self, _server: &str) -> Result<bool, String> {
        Ok(false)
    }
}
