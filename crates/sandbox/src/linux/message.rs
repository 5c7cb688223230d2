//! What the helper says to Ox.

use serde::{Deserialize, Serialize};

/// What the helper is called by, as first argument.
pub(crate) const CALL: &str = "__sandbox";
/// The message that asks everything inside to end.
pub(crate) const ASK_TO_END: u8 = b'T';

/// What the helper is called by when it is only to make the namespaces.
pub(super) const NETWORK_CALL: &str = "__sandbox_room";
/// What it is called by when it is to connect inside a shared network.
pub(super) const INWARD_CALL: &str = "__sandbox_inward";

/// A message of the helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum HelperMessage {
    /// The command was not started, for this reason.
    Failed(String),
    /// The program of the command does not exist.
    NotFound,
    /// The command's first process ended with this wait status.
    Ended(i32),
    /// Everything was ended because it took more of this than it may.
    LimitExceeded(Limit),
    /// Nothing of the command is left.
    Exited,
}

/// A limit that ends a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Limit {
    /// Memory of all processes together.
    Memory,
    /// Processes and threads at once.
    Processes,
    /// Room on a disk.
    Disk,
    /// No limit: a file that is hidden was replaced outside, and could be read now.
    HiddenFileReplaced,
}

impl HelperMessage {
    /// As bytes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("a message holds nothing that has no encoding")
    }

    /// The first message in `bytes`, which is taken out; none while it is not complete.
    pub(crate) fn take(bytes: &mut Vec<u8>) -> Option<HelperMessage> {
        let (message, rest) = postcard::take_from_bytes(bytes).ok()?;
        let taken = bytes.len() - rest.len();
        bytes.drain(..taken);
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_out_as_they_went_in() {
        let all = [
            HelperMessage::Failed("no room".into()),
            HelperMessage::NotFound,
            HelperMessage::Ended(-256),
            HelperMessage::LimitExceeded(Limit::Memory),
            HelperMessage::LimitExceeded(Limit::Processes),
            HelperMessage::LimitExceeded(Limit::Disk),
            HelperMessage::LimitExceeded(Limit::HiddenFileReplaced),
            HelperMessage::Exited,
        ];
        let bytes: Vec<u8> = all.iter().flat_map(HelperMessage::encode).collect();
        let (mut come, mut found) = (Vec::new(), Vec::new());
        for byte in bytes {
            come.push(byte);
            found.extend(HelperMessage::take(&mut come));
        }
        assert_eq!((found.as_slice(), come.len()), (&all[..], 0));
    }
}
