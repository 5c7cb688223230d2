//! Work that should be in flight now. Computed from the state, never stored, never on the wire.

use ox_protocol::{
    AgentRequest, Call, CallId, CallKind, ConversationId, HookPoint, Limits, Time, Tokens, ToolChoice, WantId,
};

/// One piece of wanted work. Its id is its identity: equal ids are the same work.
#[derive(Clone, Debug, PartialEq)]
pub enum Want {
    /// Ask the model for the next reply.
    Model {
        /// Identity.
        id: WantId,
        /// Number of the request for this reply, from 1.
        attempt: u32,
        /// What the model must do about tools.
        choice: ToolChoice,
        /// The longest reply that the budget pays for, where that is less than the model's own limit.
        max_output: Option<Tokens>,
    },
    /// Ask the router model what the prompt asks for.
    Route {
        /// Identity.
        id: WantId,
    },
    /// Make what the model reads of the conversation shorter.
    Prune {
        /// Identity.
        id: WantId,
        /// The tokens that the whole prompt should have afterwards.
        target: Tokens,
    },
    /// Run a tool call.
    Tool {
        /// Identity.
        id: WantId,
        /// The call.
        call: Box<Call>,
    },
    /// Run the project's checks.
    Checks(ChecksRun),
    /// Run a sub-agent to its end.
    Agent {
        /// Identity.
        id: WantId,
        /// What it does.
        agent: Box<AgentRun>,
    },
    /// Run the project's fixers over the files that the turn edited.
    Fixers {
        /// Identity.
        id: WantId,
        /// The id that the run is recorded under.
        call: CallId,
    },
    /// Audit the change of the turn.
    Audit {
        /// Identity.
        id: WantId,
        /// The count of changes that it is made at.
        changes: u64,
    },
    /// Run the user's hooks of this moment.
    Hook {
        /// Identity.
        id: WantId,
        /// The moment.
        at: HookPoint,
        /// The call that they are about.
        call: Option<Box<Call>>,
    },
    /// Record `Woken` at this moment.
    Wake {
        /// Identity.
        id: WantId,
        /// The moment.
        at: Time,
    },
}

/// A run of the project's checks.
#[derive(Clone, Debug, PartialEq)]
pub struct ChecksRun {
    /// Identity.
    pub id: WantId,
    /// The model's own `run_checks` call, if it asked.
    pub call: Option<CallId>,
    /// True for the state before the first edit.
    pub baseline: bool,
    /// The one check of the turn's that is to run, by its index; all of them where there is none.
    pub only: Option<usize>,
    /// Round of verification; 0 for a baseline and for the model's own runs.
    pub round: u32,
    /// The limit of rounds.
    pub total: u32,
}

/// A sub-agent that has begun.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRun {
    /// The call that it answers.
    pub call: CallId,
    /// The tool of that call.
    pub tool: String,
    /// Its conversation.
    pub conversation: ConversationId,
    /// What it is to do.
    pub request: AgentRequest,
    /// What it may spend.
    pub limits: Limits,
}

impl Want {
    /// Its identity.
    pub fn id(&self) -> WantId {
        match self {
            Want::Model { id, .. }
            | Want::Route { id }
            | Want::Prune { id, .. }
            | Want::Tool { id, .. }
            | Want::Checks(ChecksRun { id, .. })
            | Want::Agent { id, .. }
            | Want::Fixers { id, .. }
            | Want::Audit { id, .. }
            | Want::Hook { id, .. }
            | Want::Wake { id, .. } => *id,
        }
    }

    /// True when it may change files or processes and must therefore be drained, never dropped.
    pub fn is_effectful(&self) -> bool {
        match self {
            Want::Tool { call, .. } => call.facts.kind == CallKind::Mutate,
            Want::Agent { .. } | Want::Fixers { .. } => true,
            _ => false,
        }
    }
}
