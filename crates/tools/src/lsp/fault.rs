//! Why a server did not answer, in words for the model.

use std::time::Duration;

use crate::ToolError;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Fault {
    /// The server has ended, or what it writes is not to be understood any more; in words.
    Ended(String),
    /// It did not answer in time. `dead`: it said nothing at all meanwhile.
    Slow { what: String, after: Duration, dead: bool },
    /// It answered with an error.
    Refused(String),
    /// The call was to stop.
    Cancelled,
    /// It is not the server's fault.
    Tool(ToolError),
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Fault {
        Fault::Tool(error)
    }
}

impl Fault {
    /// True when the server is of no more use.
    pub(super) fn is_end(&self) -> bool {
        matches!(self, Fault::Ended(_) | Fault::Slow { dead: true, .. })
    }

    /// The failure of a call that asked the server called `name`.
    pub(super) fn told(self, name: &str) -> ToolError {
        ToolError::Wrong(match self {
            Fault::Ended(why) => format!("{name} {why}. Use search_code instead."),
            Fault::Slow { what, after, .. } => {
                format!("{name} did not answer {what} within {} s. Ask again, or use search_code.", after.as_secs_f32())
            }
            Fault::Refused(words) => format!("{name} refused: {}", crate::text::plain(&words)),
            Fault::Cancelled => return ToolError::Cancelled,
            Fault::Tool(error) => return error,
        })
    }
}
