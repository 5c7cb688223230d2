//! The key by which OpenAI sends the requests of one conversation to the same place, where their beginning is in its cache.
//!
//! Nothing here changes what the model reads, and equal requests are told equally.

use crate::model::Request;

/// A key that all requests of a conversation have in common and others hardly ever: made of what they begin with.
pub(crate) fn key(request: &Request) -> String {
    let first = request.messages.first().map(|it| serde_json::to_string(it).unwrap_or_default()).unwrap_or_default();
    format!("ox-{:016x}", steady_hash(request.system.bytes().chain(first.bytes())))
}

/// FNV-1a: stable from release to release, unlike the standard library's hashes.
pub(crate) fn steady_hash(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use ox_protocol::{Message, Role};

    use super::*;

    #[test]
    fn a_conversation_keeps_its_key() {
        let request = |texts: &[&str]| Request {
            system: "You are Ox.".to_string(),
            messages: texts.iter().map(|it| Message::text(Role::User, *it).into()).collect(),
            ..Request::default()
        };
        let first = key(&request(&["one"]));
        assert_eq!(first, key(&request(&["one", "two"])));
        assert_ne!(first, key(&request(&["other"])));
        assert!(first.len() <= 64);
    }
}
