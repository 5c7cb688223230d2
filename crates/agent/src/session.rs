//! A conversation while somebody is connected to it: commands in, updates out, one turn at a time.
//!
//! It never starts a second turn beside a running one, and leaving it leaves a log from which the turn can go on.

use std::path::PathBuf;
use std::sync::Arc;

use ox_client::AgentSide;
use ox_core::resume;
use ox_model::Model;
use ox_protocol::{
    BackgroundState, Command, ConversationId, Event, Frame, Image, Mode, Problem, Rules, Stop, Verification,
};
use ox_store::{TreeLock, lock_conversation};
use ox_tools::Jobs;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::config::Settings;
use crate::desk::Desk;
use crate::knowledge::{Background, Knowledge};
use crate::programs::Programs;
use crate::roles::{Role, Roles};
use crate::seen::seen_whole;
use crate::world::once;
use crate::{AgentError, Journal, World, task};

/// What a session is opened with.
pub struct Setup {
    /// The merged configuration.
    pub settings: Settings,
    /// The outside.
    pub world: World,
    /// A stored conversation to go on with; a new one where there is none.
    pub resume: Option<ConversationId>,
    /// Name of a new conversation.
    pub name: Option<String>,
    /// True when nobody can be asked.
    pub headless: bool,
    /// Folder of the locks.
    pub state: PathBuf,
}

/// An open conversation.
pub struct Session {
    pub(crate) journal: Journal,
    pub(crate) world: World,
    pub(crate) settings: Settings,
    pub(crate) headless: bool,
    pub(crate) state: PathBuf,
    /// Nobody else goes on with this conversation meanwhile.
    _lock: TreeLock,
    /// Keeps the index as fresh as the tree, once the session proves to be a long one.
    following: Option<Background>,
    /// The programs that commands find.
    pub(crate) programs: Programs,
    inbox: UnboundedReceiver<Command>,
    closed: bool,
}

/// What a turn is to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ask {
    pub prompt: String,
    pub images: Vec<Image>,
    pub mode: Option<Mode>,
    pub continues: bool,
}

impl Session {
    /// Opens a conversation; `side` is told of what happens from now on.
    pub fn open(setup: Setup, side: AgentSide) -> Result<Session, AgentError> {
        let Setup { settings, mut world, resume: stored, name, headless, state } = setup;
        let AgentSide { commands, updates } = side;
        let root = world.tree.root().to_string_lossy().into_owned();
        let (store, clock) = (world.store.clone(), world.clock.clone());
        let is_new = stored.is_none();
        let id = stored.unwrap_or_else(|| new_id(&clock));
        // Before anything is written: whoever runs it already would lose its log to this session.
        let lock = lock_conversation(&state, &id).map_err(|it| busy(&it))?;
        let mut journal = match is_new {
            true => Journal::create(id, &root, store, clock, updates)?,
            false => Journal::open(id, store, clock, updates)?,
        };
        resume(journal.turn()).into_iter().for_each(|event| journal.note(event));
        lost_jobs(journal.frames()).into_iter().for_each(|event| journal.note(event));
        for recovery in world.tree.recovered() {
            journal.note(Event::Error { problem: recovered(&recovery) });
        }
        for words in world.checkpoints.iter().flat_map(ox_repo::Checkpoints::told) {
            journal.note(Event::Error { problem: Problem::new("back.told").with("what", words) });
        }
        if let Some(name) = name {
            journal.note(Event::Named { name });
        }
        journal.commit()?;
        world.jobs = Arc::new(Jobs::after(last_job(journal.frames())));
        world.open_model = once(world.open_model);
        let session = Session {
            journal,
            world,
            settings,
            headless,
            state,
            _lock: lock,
            following: None,
            programs: Programs::Known(String::new()),
            inbox: commands,
            closed: false,
        };
        session.restore_reads();
        Ok(session)
    }

    /// The conversation.
    pub fn id(&self) -> &ConversationId {
        self.journal.id()
    }

    /// Everything that has happened in the conversation so far.
    pub fn past(&self) -> &[ox_protocol::Frame] {
        self.journal.frames()
    }

    /// Serves commands until the client leaves. Returns how the last turn ended.
    pub async fn serve(mut self) -> Result<Option<Stop>, AgentError> {
        self.programs = Programs::ask(&self.world, &self.state);
        let mut last = None;
        while !self.closed {
            let Some(command) = self.inbox.recv().await else { break };
            match command {
                Command::Close => break,
                Command::Prompt { text, images, .. } if self.journal.turn().is_running() => {
                    self.journal.note(Event::Queued { text, images });
                    last = Some(self.run(Ask { continues: true, ..Ask::default() }).await?);
                }
                Command::Prompt { text, images, mode } => {
                    last = Some(self.run(Ask { prompt: text, images, mode, continues: false }).await?);
                }
                Command::Continue => last = Some(self.run(Ask { continues: true, ..Ask::default() }).await?),
                Command::SetModel { model } => self.set_model(&model)?,
                Command::Undo { .. } | Command::Redo | Command::Rewind { .. } if !self.journal.turn().is_running() => {
                    self.go_back(&command)?;
                }
                Command::Compact if !self.journal.turn().is_running() => {
                    let event = self.compacted().await;
                    self.journal.record(event)?;
                }
                Command::Clear if !self.journal.turn().is_running() => self.clear()?,
                other => {
                    let events = Desk::new(self.world.clone(), &self.journal).command(&other, &self.journal);
                    events.into_iter().for_each(|event| self.journal.note(event));
                    self.journal.commit()?;
                }
            }
        }
        // What runs in the background ends with the session.
        self.world.jobs.close().await.into_iter().for_each(|event| self.journal.note(event));
        self.world.servers.close().await;
        drop(self.following.take());
        self.world.knowledge.iter().for_each(|it| drop(it.save()));
        self.journal.commit()?;
        Ok(last)
    }

    /// Runs one turn; a problem that belongs to the turn is recorded and ends it, not the session.
    async fn run(&mut self, ask: Ask) -> Result<Stop, AgentError> {
        // A run that ends by itself makes vectors as far as its time goes.
        if self.following.is_none() && self.headless {
            self.following = self.world.knowledge.as_ref().and_then(Knowledge::background_vectors);
        }
        let ran = task::run(self, ask).await;
        // Whoever can be asked may ask for more; a run that ends now would watch for nothing.
        if self.following.is_none() && !self.headless {
            let runtime = tokio::runtime::Handle::current();
            self.following = self.world.knowledge.as_ref().map(|it| it.background(runtime));
        }
        match ran {
            Err(AgentError::Problem(problem)) => {
                self.journal.record(Event::Error { problem })?;
                self.journal
                    .record(Event::Completion { stop: Stop::Internal, exit_code: Stop::Internal.exit_code() })?;
                Ok(Stop::Internal)
            }
            other => other,
        }
    }

    fn set_model(&mut self, name: &str) -> Result<(), AgentError> {
        match (self.world.open_model)(name) {
            Ok(model) => {
                let model_name = model.facts().name.clone();
                self.world.model = model;
                self.journal.record(Event::ModelSet { model: model_name })
            }
            Err(problem) => self.journal.record(Event::Error { problem }),
        }
    }

    /// Runs the agent loop of the turn that the journal holds.
    pub(crate) async fn drive(&mut self) -> Result<Stop, AgentError> {
        let roles = self.roles();
        let summary = roles.name(Role::Summary).map(|_| roles.open_or_main(Role::Summary));
        let world = World { model: self.model(self.journal.turn().mode()), summary, ..self.world.clone() };
        let desk = Desk::new(world, &self.journal);
        crate::driver::drive(&mut self.journal, &desk, &mut self.inbox, &mut self.closed).await
    }

    /// The models by what they do.
    pub(crate) fn roles(&self) -> Roles {
        Roles::new(&self.settings, self.world.model.clone(), self.world.open_model.clone())
    }

    /// The model of a turn in this mode.
    pub(crate) fn model(&self, mode: Mode) -> Arc<dyn Model> {
        self.roles().open_or_main(if mode == Mode::Plan { Role::Planner } else { Role::Main })
    }

    /// The permission policy of a turn.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            approval: self.settings.approval,
            rules: self.settings.rules.clone(),
            scope: self.settings.scope.clone(),
            headless: self.headless,
            // Where commands are not isolated, `auto` asks before each of them.
            isolated: self.world.runner.isolated(),
            reach: self.world.walls.reach(&self.world.tree),
            not_isolated: self.world.runner.not_isolated(),
            untrusted: self.world.untrusted,
            hooks: self.settings.hooks.clone(),
        }
    }

    /// Which checks a turn has to pass.
    pub(crate) fn verification(&self) -> Verification {
        self.settings.verification
    }

    /// A resumed conversation remembers which files the model has seen whole, as far as they are unchanged since.
    fn restore_reads(&self) {
        let tree = &self.world.tree;
        let frames: Vec<Frame> = ox_context::remembered(self.journal.frames()).cloned().collect();
        let known = seen_whole(&frames).into_iter().filter_map(|(path, time)| {
            let place = tree.locate(&path, ox_repo::Access::Read).ok()?;
            let modified = std::fs::metadata(&place.abs).and_then(|it| it.modified()).ok()?;
            let modified = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
            (modified.as_millis() <= u128::from(time.0)).then(|| Some((place.rel, tree.hash(&path).ok()?)))?
        });
        self.world.reads.restore(known);
    }
}

/// The number of the last command that ran in the background in this conversation; 0 where none did.
fn last_job(frames: &[Frame]) -> u32 {
    let number = |it: &Frame| match &it.event {
        Event::Background { id, .. } => id.rsplit('_').next()?.parse().ok(),
        _ => None,
    };
    frames.iter().filter_map(number).max().unwrap_or(0)
}

/// The commands in the background that ended with an earlier Ox, which could not say so itself.
fn lost_jobs(frames: &[Frame]) -> Vec<Event> {
    let mut running: Vec<(String, String)> = Vec::new();
    for frame in frames {
        if let Event::Background { id, command, state, .. } = &frame.event {
            running.retain(|(known, _)| known != id);
            if *state == BackgroundState::Started {
                running.push((id.clone(), command.clone()));
            }
        }
    }
    let lost = |(id, command)| Event::Background { id, command, state: BackgroundState::Lost, exit_code: None };
    running.into_iter().map(lost).collect()
}

/// A transaction that a crash had cut short was taken back when the tree was opened; the user should know of it.
fn recovered(recovery: &ox_repo::Recovery) -> Problem {
    let copy =
        |it: &ox_repo::Kept| it.copy.as_ref().map_or_else(|| it.path.clone(), |copy| format!("{} → {copy}", it.path));
    let kept: Vec<String> = recovery.kept.iter().map(copy).collect();
    let code = if kept.is_empty() { "session.recovered" } else { "session.recovered_kept" };
    Problem::new(code).with("files", recovery.files.join(", ")).with("kept", kept.join(", "))
}

/// A new id: the day, and four random letters and digits.
fn new_id(clock: &crate::Clock) -> ConversationId {
    const LETTERS: &[u8] = b"23456789abcdefghjkmnpqrstvwxyz";
    let mut number = (clock.now)().0.wrapping_mul(1000).wrapping_add(u64::from((clock.jitter)()));
    let mut tail = String::new();
    for _ in 0..6 {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        tail.push(char::from(LETTERS[(number >> 33) as usize % LETTERS.len()]));
    }
    ConversationId(format!("{}-{tail}", clock.today.replace('-', "")))
}

/// The problem that a turn meets when another process works on the tree.
pub(crate) fn busy(error: &ox_store::StoreError) -> Problem {
    error.problem()
}
