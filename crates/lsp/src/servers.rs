//! The language servers of a session: at most one of each, one question at a time.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_protocol::{BoxFuture, Diagnostic};
use tokio::sync::OwnedMutexGuard;

use crate::error::Error;
use crate::project::Project;
use crate::server::{Client, Limits, Server, start};

/// Crashes of a server, after which it is not started again.
const CRASHES: u32 = 2;

/// The language servers of a session.
#[derive(Default)]
pub struct Servers {
    trusted: bool,
    path: Option<OsString>,
    limits: Limits,
    slots: Mutex<BTreeMap<&'static str, Arc<tokio::sync::Mutex<Slot>>>>,
    /// The errors of files before the first edit.
    baseline: Mutex<BTreeMap<String, Vec<Diagnostic>>>,
}

/// The place of one server.
#[derive(Default)]
struct Slot {
    client: Option<Client>,
    crashes: u32,
    /// Why it ended last.
    why: String,
}

impl Servers {
    /// None runs yet. `trusted`: somebody trusted the project, so that programs which it brings may run.
    pub fn new(trusted: bool) -> Servers {
        Servers { trusted, ..Servers::default() }
    }

    /// The same, with another search path than that of the environment.
    pub fn searching(self, path: OsString) -> Servers {
        Servers { path: Some(path), ..self }
    }

    /// The same with other limits.
    pub fn within(self, limits: Limits) -> Servers {
        Servers { limits, ..self }
    }

    /// The names of those that run.
    pub fn running(&self) -> Vec<&'static str> {
        // One that somebody speaks with runs.
        let up = |slot: &tokio::sync::Mutex<Slot>| slot.try_lock().map_or(true, |it| it.is_up());
        lock(&self.slots).iter().filter(|(_, slot)| up(slot)).map(|(name, _)| *name).collect()
    }

    /// Ends all of them and waits until nothing is left of them.
    pub async fn close(&self) {
        let slots: Vec<_> = std::mem::take(&mut *lock(&self.slots)).into_values().collect();
        for slot in slots {
            if let Some(client) = slot.lock().await.client.take() {
                client.end().await;
            }
        }
    }

    pub(crate) fn baseline(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Diagnostic>>> {
        lock(&self.baseline)
    }

    /// True when the server runs and nobody speaks with it.
    pub(crate) fn is_free(&self, server: &Server) -> bool {
        let slot = lock(&self.slots).get(server.name).cloned();
        slot.is_some_and(|slot| slot.try_lock().is_ok_and(|it| it.is_up()))
    }

    /// The server for one question, up to date with the tree; started where it does not run.
    pub(crate) async fn take(&self, project: &Project, server: &'static Server) -> Result<Lease, Error> {
        let slot = lock(&self.slots).entry(server.name).or_default().clone();
        let mut slot = project.unless_cancelled(async { Ok(slot.lock_owned().await) }).await?;
        if let Some(why) = slot.client.as_ref().and_then(Client::over) {
            slot.crashed(why).await;
        }
        if let Some(client) = &mut slot.client
            && !client.catch_up(project).await
            && let Some(client) = slot.client.take()
        {
            client.end().await;
        }
        if slot.client.is_none() {
            if slot.crashes >= CRASHES {
                return Err(Error::GivenUp { server: server.name, why: slot.why.clone() });
            }
            let path = self.path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default();
            slot.client = Some(start(project, server, self.trusted, &path, self.limits).await?);
        }
        Ok(Lease(slot))
    }

    /// Asks `server` with `ask`. A server that ends meanwhile is started once more.
    pub(crate) async fn with_retry<T>(
        &self,
        project: &Project,
        server: &'static Server,
        ask: impl Fn(&mut Client) -> BoxFuture<'_, Result<T, Error>>,
    ) -> Result<T, Error> {
        loop {
            let mut lease = self.take(project, server).await?;
            match project.unless_cancelled(ask(lease.client())).await {
                Err(error) if error.is_end() => {
                    if !lease.crashed(&error).await {
                        return Err(error);
                    }
                }
                settled => return settled,
            }
        }
    }
}

/// A panic elsewhere leaves what is locked whole, as each change to it is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Slot {
    fn is_up(&self) -> bool {
        self.client.as_ref().is_some_and(|it| it.over().is_none())
    }

    /// The server ended, or is of no more use.
    async fn crashed(&mut self, why: String) {
        self.crashes += 1;
        self.why = why;
        if let Some(client) = self.client.take() {
            client.end().await;
        }
    }
}

/// A server while one question is asked.
pub(crate) struct Lease(OwnedMutexGuard<Slot>);

impl Lease {
    pub(crate) fn client(&mut self) -> &mut Client {
        self.0.client.as_mut().expect("a lease is given out with a server in it")
    }

    /// Notes that the server is of no more use. True when it may be started once more.
    async fn crashed(mut self, error: &Error) -> bool {
        let why = match error {
            Error::Ended { why, .. } => why.clone(),
            _ => "did not answer".to_string(),
        };
        self.0.crashed(why).await;
        self.0.crashes < CRASHES
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.running()).finish()
    }
}
