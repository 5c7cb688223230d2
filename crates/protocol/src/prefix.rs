//! Why a request does not begin like the one before it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What makes the cache of the last request useless. Providers keep what requests begin with: tools, system prompt, messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PrefixCause {
    /// The system prompt is another one, as after an update of Ox.
    System,
    /// Other tools are offered, or in another format.
    Tools,
    /// Another model is asked.
    Model,
    /// What the model reads was made shorter.
    Pruned,
    /// Turns were taken back.
    Rewound,
    /// Another attempt at the task begins with a context built anew.
    Repair,
}

impl PrefixCause {
    /// The catalogue's key of its description.
    pub fn code(self) -> &'static str {
        match self {
            PrefixCause::System => "prefix.system",
            PrefixCause::Tools => "prefix.tools",
            PrefixCause::Model => "prefix.model",
            PrefixCause::Pruned => "prefix.pruned",
            PrefixCause::Rewound => "prefix.rewound",
            PrefixCause::Repair => "prefix.repair",
        }
    }
}
