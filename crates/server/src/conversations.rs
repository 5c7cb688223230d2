//! The conversations that this server works on, and the way to those of other processes.
//!
//! A conversation is opened when something is first asked of it, and closed when nothing happened in it for a while: until then
//! anybody else may have it.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ox_app::conversations::session::{OpenedSession, SessionOptions};
use ox_client::{Client, Hub, Update, socket};
use ox_protocol::{BackgroundState, CallId, CommandId, ConversationId, Event, Problem, Seq, Submission};
use tokio::sync::watch;

use crate::blocking::{blocking, reading};
use crate::changed::Changed;
use crate::projects::Projects;
use crate::source::Source;

/// How long a conversation in which nothing happens is kept open.
const IDLE: Duration = Duration::from_secs(600);
/// How long a command may take until it is answered that it was taken.
const ANSWER: Duration = Duration::from_secs(20);

/// All of them.
pub(crate) struct Conversations {
    state: PathBuf,
    open: Arc<Mutex<HashMap<ConversationId, Arc<Hosted>>>>,
    /// One at a time is opened, so that none is opened twice.
    opening: tokio::sync::Mutex<()>,
    changed: Changed,
}

/// A conversation that this server works on.
pub(crate) struct Hosted {
    pub hub: Arc<Hub>,
    submit: Box<dyn Fn(Submission) + Send + Sync>,
    glance: Mutex<Glance>,
}

/// How a conversation stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Glance {
    pub busy: bool,
    /// Calls that wait for the user.
    asked: BTreeSet<CallId>,
    /// Commands in the background.
    jobs: BTreeSet<String>,
}

impl Glance {
    pub fn is_waiting(&self) -> bool {
        !self.asked.is_empty()
    }

    fn is_idle(&self) -> bool {
        !self.busy && self.jobs.is_empty()
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::TurnStart { .. } => self.busy = true,
            Event::ApprovalRequest { call, .. } | Event::Question { call, .. } => drop(self.asked.insert(call.clone())),
            Event::Approval { call, .. } | Event::Answer { call, .. } | Event::ToolComplete { call, .. } => {
                self.asked.remove(call);
            }
            Event::Background(job) => match job.state {
                BackgroundState::Started => drop(self.jobs.insert(job.id.clone())),
                _ => drop(self.jobs.remove(&job.id)),
            },
            Event::Completion { .. } => {
                self.busy = false;
                self.asked.clear();
            }
            _ => {}
        }
    }
}

/// What became of a command.
pub(crate) enum Taken {
    /// It has an effect, or will have one: the last event that was known then.
    Yes(Seq),
    /// It has none.
    No(Problem),
}

impl Conversations {
    pub fn new(state: PathBuf) -> Conversations {
        Conversations {
            state,
            open: Arc::default(),
            opening: tokio::sync::Mutex::default(),
            changed: Changed::default(),
        }
    }

    /// Tells of every change of the list of conversations, and of how one stands.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Where word of a change is given.
    pub fn changed(&self) -> &Changed {
        &self.changed
    }

    /// Where the sockets of running conversations are.
    pub fn sockets(&self) -> PathBuf {
        self.state.join("sockets")
    }

    /// How a conversation stands that this server works on.
    pub fn glance(&self, id: &ConversationId) -> Option<Glance> {
        Some(self.hosted(id)?.glance.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }

    pub fn hosted(&self, id: &ConversationId) -> Option<Arc<Hosted>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    /// The socket of a conversation that another process works on.
    pub fn elsewhere(&self, id: &ConversationId) -> Option<PathBuf> {
        let path = socket::place(&self.state, id);
        (self.hosted(id).is_none() && path.exists()).then_some(path)
    }

    /// Follows a conversation that somebody works on, from an event on; none where nobody does.
    pub async fn follow(&self, id: &ConversationId, from: Seq) -> Result<Option<Source>, Problem> {
        if let Some(hosted) = self.hosted(id) {
            let hub = hosted.hub.clone();
            return reading(move || Ok(Some(Source::Here(hub.subscribe(from)?)))).await;
        }
        let Some(path) = self.elsewhere(id) else { return Ok(None) };
        // A socket that nobody serves is one that a crash left: nobody works on the conversation.
        Ok(socket::Remote::connect(&path, from).await.ok().map(|it| Source::Elsewhere(Box::new(it))))
    }

    /// Begins a conversation in the project with this key.
    pub async fn begin(
        &self,
        projects: &Arc<Projects>,
        key: String,
        flags: Vec<(&'static str, String)>,
        options: SessionOptions,
    ) -> Result<ConversationId, Problem> {
        let projects = projects.clone();
        let opened = blocking(move || {
            let mut project = projects.open(&key)?;
            for (key, value) in &flags {
                project = project.with_flag(key, value)?;
            }
            OpenedSession::open(project.setup(options)?)
        });
        Ok(self.host(opened.await?))
    }

    /// Has something done in a conversation: it is opened where nobody works on it.
    pub async fn submit(
        &self,
        projects: &Arc<Projects>,
        id: &ConversationId,
        root: &str,
        submission: Submission,
    ) -> Result<Taken, Problem> {
        if let Some(path) = self.elsewhere(id)
            && let Ok(mut remote) = socket::Remote::connect(&path, Seq(u64::MAX)).await
        {
            let failed = |error| Problem::new("server.elsewhere").with("id", id).with("why", error);
            let command = submission.id.clone();
            remote.submit(submission).await.map_err(failed)?;
            return taken(Source::Elsewhere(Box::new(remote)), &command).await;
        }
        let hosted = self.reopened(projects, id, root).await?;
        let updates = hosted.hub.subscribe(Seq(u64::MAX))?;
        let command = submission.id.clone();
        (hosted.submit)(submission);
        taken(Source::Here(updates), &command).await
    }

    async fn reopened(
        &self,
        projects: &Arc<Projects>,
        id: &ConversationId,
        root: &str,
    ) -> Result<Arc<Hosted>, Problem> {
        let _one = self.opening.lock().await;
        if let Some(hosted) = self.hosted(id) {
            return Ok(hosted);
        }
        let (projects, root, resume) = (projects.clone(), root.to_owned(), Some(id.clone()));
        let opened = blocking(move || {
            let project = projects.at(Path::new(&root))?;
            OpenedSession::open(project.setup(SessionOptions { resume, ..SessionOptions::default() })?)
        });
        let id = self.host(opened.await?);
        self.hosted(&id).ok_or_else(|| Problem::new("server.failed").with("why", &id))
    }

    /// Works on an opened conversation until it is left alone.
    fn host(&self, opened: OpenedSession) -> ConversationId {
        let OpenedSession { client, session } = opened;
        let id = session.id().clone();
        let hosted =
            Arc::new(Hosted { hub: client.hub(), submit: Box::new(client.submitter()), glance: Mutex::default() });
        self.open.lock().unwrap_or_else(PoisonError::into_inner).insert(id.clone(), hosted.clone());
        tracing::info!(conversation = %id, "opened");
        self.changed.tell(&id);
        let (open, name, changed) = (self.open.clone(), id.clone(), self.changed.clone());
        let served = tokio::spawn(session.serve());
        tokio::spawn(async move {
            watch_over(client, &hosted, &|| changed.tell(&name)).await;
            // The log says how it ended.
            let _ = served.await;
            open.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
            tracing::info!(conversation = %name, "left");
            changed.tell(&name);
        });
        id
    }

    /// Ends the work on a conversation here and waits for it.
    pub async fn close(&self, id: &ConversationId) {
        let Some(hosted) = self.hosted(id) else { return };
        let mut changes = self.changes();
        (hosted.submit)(close());
        while self.hosted(id).is_some() && changes.changed().await.is_ok() {}
    }

    /// Ends the work on all of them: what runs is interrupted, and its state kept.
    pub async fn close_all(&self) {
        let all: Vec<ConversationId> =
            self.open.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
        for id in all {
            self.close(&id).await;
        }
    }
}

fn close() -> Submission {
    Submission { id: CommandId("server-close".to_owned()), command: ox_protocol::Command::Close }
}

/// Keeps the glance of a conversation up to date; leaves it when nothing happened for a while, or it has ended.
async fn watch_over(mut client: Client, hosted: &Hosted, tell: &impl Fn()) {
    loop {
        let update = match tokio::time::timeout(IDLE, client.next()).await {
            Ok(None) => return,
            Ok(Some(update)) => update,
            Err(_) if hosted.glance.lock().unwrap_or_else(PoisonError::into_inner).is_idle() => return,
            Err(_) => continue,
        };
        let Update::Frame(frame) = &update else { continue };
        let mut glance = hosted.glance.lock().unwrap_or_else(PoisonError::into_inner);
        let before = (glance.busy, glance.is_waiting());
        glance.apply(&frame.event);
        if before != (glance.busy, glance.is_waiting()) || matches!(frame.event, Event::Named { .. }) {
            drop(glance);
            tell();
        }
    }
}

/// Waits for the first word of what becomes of a command.
async fn taken(mut updates: Source, command: &CommandId) -> Result<Taken, Problem> {
    let answer = async {
        let mut last = Seq(0);
        while let Some(update) = updates.next().await {
            match update {
                Update::Frame(frame) if frame.command.as_ref() == Some(command) => return Taken::Yes(frame.seq),
                Update::Frame(frame) => last = frame.seq,
                Update::Control(ox_client::Control::Accepted { command: it, seq, .. }) if it == *command => {
                    return Taken::Yes(seq);
                }
                Update::Control(ox_client::Control::Rejected { command: it, why, .. }) if it == *command => {
                    // The same once more: it was taken the first time.
                    return if why.code == "rejected.repeated" { Taken::Yes(last) } else { Taken::No(why) };
                }
                _ => {}
            }
        }
        Taken::No(Problem::new("server.ended"))
    };
    Ok(tokio::time::timeout(ANSWER, answer).await.unwrap_or(Taken::Yes(Seq(0))))
}
