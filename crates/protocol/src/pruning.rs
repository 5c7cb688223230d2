//! What the model no longer reads of a conversation. The log keeps all of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CallId, Seq};

/// What was left out by one pruning; prunings add up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Pruning {
    /// Calls whose long arguments and results are shortened; `recall` brings a result back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shrunk: Vec<CallId>,
    /// Sections of the prompt that are left out, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<String>,
    /// Everything up to this event is told by `digest` alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Seq>,
    /// What stands in the place of everything up to `until`.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub digest: String,
}

impl Pruning {
    /// True where nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.shrunk.is_empty() && self.sections.is_empty() && self.until.is_none()
    }
}
