//! What the pieces of work of one turn share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ox_model::Model;

use ox_protocol::{BoxFuture, CallId, Event, WantId};
use ox_tools::{CallContext, TodoBoard};

use super::questions::{Ask, Questions};
use crate::router::{self, Asked, Routing};
use crate::subagents::running::SubAgents;
use crate::{Journal, SessionEnv};

/// What the work of one turn uses.
pub struct TurnContext {
    pub(crate) env: Arc<SessionEnv>,
    /// The model of the turn.
    pub(crate) model: Arc<dyn Model>,
    /// The model that sums up what leaves the window, where one is configured.
    pub(crate) summary: Option<Arc<dyn Model>>,
    /// The model that says what the prompt asks for, where one is configured.
    router: Option<Arc<dyn Model>>,
    /// The question to it that was begun with the turn.
    routing: Mutex<Routing>,
    pub(crate) cancel: Arc<AtomicBool>,
    /// The todo list, shared by the calls of the turn.
    pub(crate) board: Arc<TodoBoard>,
    /// What sub-agents are begun with, and those that run.
    pub(crate) agents: Arc<SubAgents>,
    /// The model of the next turns, where the user chose another one meanwhile.
    chosen: Mutex<Option<Arc<dyn Model>>>,
    /// Where calls ask the user.
    ask: Ask,
    /// What they ask; the driver holds it.
    pub(crate) questions: tokio::sync::Mutex<Questions>,
}

impl TurnContext {
    /// The context of the turn that the journal holds.
    pub(crate) fn new(
        env: Arc<SessionEnv>,
        model: Arc<dyn Model>,
        summary: Option<Arc<dyn Model>>,
        agents: Arc<SubAgents>,
        journal: &Journal,
    ) -> TurnContext {
        let conversation = journal.conversation();
        let board = Arc::new(TodoBoard::new(conversation.todos().to_vec()));
        let (ask, questions) = Questions::new();
        TurnContext {
            env,
            model,
            summary,
            router: None,
            routing: Mutex::default(),
            cancel: Arc::default(),
            board,
            agents,
            chosen: Mutex::default(),
            ask,
            questions: questions.into(),
        }
    }

    /// The same with the model that says what the prompt asks for.
    pub(crate) fn with_router(self, router: Option<Arc<dyn Model>>) -> TurnContext {
        TurnContext { router, ..self }
    }

    /// The same with the question to the router that was begun with the turn.
    pub(crate) fn routing(self, routing: Routing) -> TurnContext {
        TurnContext { routing: Mutex::new(routing), ..self }
    }

    /// The answer of the router: to the question that was begun with the turn, or, where a crash cut that off, to a new one.
    pub(crate) fn routed(&self, journal: &Journal, want: WantId) -> BoxFuture<'static, Vec<Event>> {
        let mut routing = std::mem::take(&mut *self.routing.lock().unwrap_or_else(PoisonError::into_inner));
        let start = journal.frames().iter().rev().find_map(|it| match &it.event {
            Event::TurnStart { prompt, images, .. } => Some((prompt, images)),
            _ => None,
        });
        if let Some(((prompt, images), model)) = start.zip(self.router.clone()).filter(|_| !routing.is_asked()) {
            let last_words = router::last_words(journal.frames()).to_owned();
            let (tree, index) = (self.env.tree.clone(), self.env.index.clone());
            routing = Routing::begin(model, Asked { prompt, images, last_words }, tree, index);
        }
        Box::pin(async move { vec![router::event(want, routing.finish().await)] })
    }

    /// The next turns ask this model.
    pub fn set_model(&self, model: Arc<dyn Model>) {
        *self.chosen.lock().unwrap_or_else(PoisonError::into_inner) = Some(model);
    }

    /// The model that was chosen during the turn, where one was.
    pub fn chosen_model(self) -> Option<Arc<dyn Model>> {
        self.chosen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks everything that runs to end; blocking work looks at this from time to time.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
        self.agents.interrupt();
    }

    /// The facts that a piece of work brought, with the todo list as it stands now: calls of one reply run
    /// side by side, and the one that ends last may know an older state.
    pub fn brought(&self, events: Vec<Event>) -> Vec<Event> {
        let now = |event| match event {
            Event::Todo { .. } => Event::Todo { items: self.board.todos() },
            other => other,
        };
        // A command in the background that ended is told of with whatever comes next.
        events.into_iter().map(now).chain(self.env.tools.jobs.news()).collect()
    }

    /// The same for one call: whom it asks something may ask the user, where one is there.
    pub(crate) fn context_of(&self, journal: &Journal, call: &CallId) -> CallContext {
        let mut cx = self.call_context(journal);
        if !journal.conversation().is_headless() && !cx.mcp.is_empty() {
            cx.mcp = cx.mcp.asking(self.ask.of(call, self.agents.settings.language));
        }
        cx
    }

    /// What every call of the turn may use.
    pub(crate) fn call_context(&self, journal: &Journal) -> CallContext {
        let conversation = journal.conversation();
        let tree = &self.env.tree;
        let tree = self.env.open_files.as_ref().map_or_else(|| tree.clone(), |it| tree.showing(it.unsaved()));
        let mut cx = CallContext::new(tree, self.env.tools.clone());
        crate::excluded::leave_out(&mut cx, &conversation.files().excluded);
        cx.board = self.board.clone();
        cx.checks = check_lines(journal);
        cx.mode = conversation.mode();
        cx.scope = conversation.scope().to_vec();
        cx.within = conversation.within().to_vec();
        cx.cancel = self.cancel.clone();
        cx
    }
}

/// The command lines of the project's checks, as they were discovered; none where the project is not trusted.
fn check_lines(journal: &Journal) -> Arc<[String]> {
    if journal.conversation().is_untrusted() {
        return Arc::default();
    }
    journal.conversation().checks().iter().map(|it| it.command.clone()).collect()
}
