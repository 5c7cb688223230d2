//! Language servers: started on demand, one for each language, behind walls, and ended with the session.
//!
//! A server is never believed to know the tree: before each question it is told what has changed. It changes no file; what
//! it proposes goes through a [`crate::Draft`] like every other edit.

mod answer;
mod client;
mod edited;
mod fault;
mod frame;
mod heard;
mod link;
mod position;
mod query;
mod rename;
mod shapes;
mod start;
mod table;
mod uri;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ox_protocol::Diagnostic;
use tokio::sync::OwnedMutexGuard;

use crate::{Cx, ToolError};

use client::Client;
use table::Server;

pub use edited::{Before, introduced};
pub use start::Limits;

pub(crate) use edited::{after, before};
pub(crate) use query::{Ask, Kind, run as ask};
pub(crate) use rename::rename;

/// Ends of a server that nobody asked for, after which it is not started again.
const FALLS: u32 = 2;

/// The language servers of a session.
#[derive(Default)]
pub struct Servers {
    trusted: bool,
    path: Option<OsString>,
    limits: Limits,
    seats: Mutex<BTreeMap<&'static str, Arc<tokio::sync::Mutex<Seat>>>>,
    /// The errors of files before the first edit.
    baseline: Mutex<BTreeMap<String, Vec<Diagnostic>>>,
}

/// The place of one server.
#[derive(Default)]
struct Seat {
    client: Option<Client>,
    falls: u32,
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
        let up = |seat: &tokio::sync::Mutex<Seat>| match seat.try_lock() {
            Ok(seat) => seat.client.as_ref().is_some_and(|it| it.link.over().is_none()),
            // Somebody speaks with it.
            Err(_) => true,
        };
        self.seats().iter().filter(|(_, seat)| up(seat)).map(|(name, _)| *name).collect()
    }

    /// Ends all of them and waits until nothing is left of them.
    pub async fn close(&self) {
        let seats: Vec<_> = std::mem::take(&mut *self.seats()).into_values().collect();
        for seat in seats {
            if let Some(client) = seat.lock().await.client.take() {
                client.end().await;
            }
        }
    }

    fn path(&self) -> OsString {
        self.path.clone().or_else(|| std::env::var_os("PATH")).unwrap_or_default()
    }

    fn seats(&self) -> MutexGuard<'_, BTreeMap<&'static str, Arc<tokio::sync::Mutex<Seat>>>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn baseline(&self) -> MutexGuard<'_, BTreeMap<String, Vec<Diagnostic>>> {
        self.baseline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True when the server runs and nobody speaks with it.
    fn is_free(&self, row: &Server) -> bool {
        let seat = self.seats().get(row.name).cloned();
        seat.is_some_and(|seat| {
            seat.try_lock().is_ok_and(|it| it.client.as_ref().is_some_and(|it| it.link.over().is_none()))
        })
    }

    /// The server of `row` for one question, up to date with the tree; started where it does not run.
    async fn take(&self, cx: &Cx, row: &'static Server) -> Result<Turn, ToolError> {
        let seat = self.seats().entry(row.name).or_default().clone();
        let mut seat = tokio::select! {
            biased;
            () = cx.stopped() => return Err(ToolError::Cancelled),
            seat = seat.lock_owned() => seat,
        };
        if let Some(why) = seat.client.as_ref().and_then(|it| it.link.over()) {
            seat.fall(why).await;
        }
        if let Some(client) = &mut seat.client
            && !client.catch_up(&cx.tree).await
            && let Some(client) = seat.client.take()
        {
            client.end().await;
        }
        if seat.client.is_none() {
            if seat.falls >= FALLS {
                let words =
                    format!("{} is not started again, because it {} twice. Use search_code.", row.name, seat.why);
                return Err(ToolError::Wrong(words));
            }
            seat.client = Some(start::start(cx, row, self.limits).await?);
        }
        Ok(Turn(seat))
    }
}

impl Seat {
    /// The server ended, or is of no more use.
    async fn fall(&mut self, why: String) {
        self.falls += 1;
        self.why = why;
        if let Some(client) = self.client.take() {
            client.end().await;
        }
    }
}

/// A server while one question is asked.
struct Turn(OwnedMutexGuard<Seat>);

impl Turn {
    fn client(&mut self) -> &mut Client {
        self.0.client.as_mut().expect("a turn is given out with a server in it")
    }

    /// Notes that the server is of no more use. True when it may be started once more.
    async fn fall(mut self, why: &fault::Fault) -> bool {
        let why = match why {
            fault::Fault::Ended(why) => why.clone(),
            _ => "did not answer".to_string(),
        };
        self.0.fall(why).await;
        self.0.falls < FALLS
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.running()).finish()
    }
}

/// The servers that are known and whether each is installed here, for `ox doctor`: its name, and the command that installs
/// it where it is missing.
pub fn installed(root: &std::path::Path, trusted: bool) -> Vec<(&'static str, Option<&'static str>)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let look = |row: &Server| start::find(row, root, trusted, &path).is_some();
    table::TABLE.iter().map(|row| (row.name, (!look(row)).then_some(row.install))).collect()
}
