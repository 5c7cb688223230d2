//! Newtypes for identities and units. No bare string or number crosses a boundary where one of these exists.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// Names a conversation, for example `20261120-7f3k`. Unique in one store.
    ConversationId
);
text_id!(
    /// Names a tool call in its conversation, for example `call_12_0`. Ours, never a provider's: letters, digits and `_` only.
    CallId
);
text_id!(
    /// Names a command in its conversation; whoever sends the command chooses it. A prompt that waits keeps it as its own.
    CommandId
);
impl CommandId {
    const OF_OX: &str = "-ox";

    /// The same as the name of a prompt that Ox itself wrote: the turn that it begins is no task of the user's.
    #[must_use]
    pub fn of_ox(self) -> CommandId {
        CommandId(self.0 + CommandId::OF_OX)
    }

    /// True for a prompt that Ox itself wrote.
    pub fn is_of_ox(&self) -> bool {
        self.0.ends_with(CommandId::OF_OX)
    }
}
text_id!(
    /// Names one streamed reply, for example `m12`; a retry gets a new one.
    MessageId
);

/// Position of an event in its conversation's log, counted from 1. Zero means "before the first".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seq(pub u64);

/// A moment, in milliseconds since the Unix epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Time(pub u64);

/// A count of model tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Tokens(pub u64);

impl Tokens {
    /// Bytes of English and code in one token, in tenths.
    pub const BYTES_TENTHS: u64 = 42;

    /// What `text` costs, by its bytes (4.2 a token), rounded up.
    pub fn estimate(text: &str) -> Tokens {
        Tokens((text.len() as u64 * 10).div_ceil(Tokens::BYTES_TENTHS))
    }
}

/// Money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Money(pub u64);

/// Identity of a want: the event that caused it and the want's index among that event's wants.
///
/// It is the want's idempotency key too: a late result whose want is no longer in flight is recognised by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct WantId {
    /// Sequence number of the causing event.
    pub seq: Seq,
    /// Index among the wants of that event.
    pub index: u16,
}

impl ConversationId {
    /// True where no conversation is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conversation of the `number`-th sub-agent of this one.
    pub fn of_agent(&self, number: u32) -> ConversationId {
        ConversationId(format!("{}.{number}", self.0))
    }

    /// The conversation that this one is a sub-agent of; none for one that a user began.
    pub fn parent(&self) -> Option<ConversationId> {
        let (parent, number) = self.0.rsplit_once('.')?;
        (!parent.is_empty() && number.parse::<u32>().is_ok()).then(|| ConversationId(parent.to_owned()))
    }

    /// What the ids of this conversation's calls begin with, so that they are unique in the whole tree of conversations:
    /// `a3_` for the third sub-agent, `a3_1_` for the first one of that; nothing for a conversation that a user began.
    pub fn call_prefix(&self) -> String {
        let Some(parent) = self.parent() else { return String::new() };
        let number = &self.0[parent.0.len() + 1..];
        match parent.call_prefix() {
            above if above.is_empty() => format!("a{number}_"),
            above => format!("{above}{number}_"),
        }
    }
}

impl CallId {
    /// The id of the `index`-th call in the reply that `want` of a conversation asked for.
    pub fn of(conversation: &ConversationId, want: WantId, index: usize) -> CallId {
        CallId(format!("{}call_{}_{index}", conversation.call_prefix(), want.seq.0))
    }
}

impl CallId {
    /// The id under which the reviewer runs that a turn begins by itself at this place of its log.
    pub fn of_review(at: Seq) -> CallId {
        CallId(format!("{REVIEW}{}", at.0))
    }

    /// The id under which a command of the user's own prints.
    pub fn user_command() -> CallId {
        CallId(USER_COMMAND.to_owned())
    }

    /// True for [`CallId::user_command`].
    pub fn is_user_command(&self) -> bool {
        self.0 == USER_COMMAND
    }

    /// The id under which a command in the background prints; `job` is its name, for example `job_2`.
    pub fn of_job(job: &str) -> CallId {
        CallId(format!("{JOB}{job}"))
    }

    /// The name of the command in the background that prints under it.
    pub fn job(&self) -> Option<&str> {
        self.0.strip_prefix(JOB)
    }

    /// True where a turn's own reviewer runs under it.
    pub fn is_review(&self) -> bool {
        self.0.starts_with(REVIEW)
    }
}

/// A command of the user's own; there is one at a time.
const USER_COMMAND: &str = "user_command";
/// Before the name of a command in the background.
const JOB: &str = "background/";
/// What the ids of a turn's own reviewers begin with.
const REVIEW: &str = "review_";

impl MessageId {
    /// The id of the reply that `want` asked for.
    pub fn of(want: WantId) -> MessageId {
        MessageId(format!("m{}", want.seq.0))
    }
}

impl Seq {
    /// The sequence number after this one.
    pub fn next(self) -> Seq {
        Seq(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl fmt::Display for WantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.seq.0, self.index)
    }
}

/// Where a forked conversation comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkOrigin {
    /// The conversation that was copied.
    pub conversation: ConversationId,
    /// The last turn that was copied.
    pub turn: u32,
}
