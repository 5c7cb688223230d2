//! What providers are told so that they find the beginning of a request in their cache: markers in the messages of chat
//! completions, and a key by which OpenAI sends the requests of one conversation to the same place.
//!
//! Nothing here changes what the model reads, and equal requests are told equally.

use serde_json::{Value, json};

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

/// Marks the system prompt, the last message that is not the model's, and the one with which the request before ended: what
/// that one wrote to the cache is then found however much has been added since.
pub(crate) fn mark(messages: &mut [Value]) {
    let is_other = |it: &Value| it["role"] == "user" || it["role"] == "tool";
    let system = messages.iter().position(|it| it["role"] == "system");
    let last = messages.iter().rposition(is_other);
    let reply = messages.iter().rposition(|it| it["role"] == "assistant");
    let before = reply.and_then(|at| messages[..at].iter().rposition(is_other));
    let mut places: Vec<usize> = [system, before, last].into_iter().flatten().collect();
    places.dedup();
    for at in places {
        let content = &mut messages[at]["content"];
        if let Value::String(text) = content {
            // A block without text is refused.
            if text.trim().is_empty() {
                continue;
            }
            *content = json!([{"type": "text", "text": text}]);
        }
        if let Some(block) = content.as_array_mut().and_then(|it| it.last_mut()) {
            block["cache_control"] = json!({"type": "ephemeral"});
        }
    }
}

#[cfg(test)]
mod tests {
    use ox_protocol::{Message, Role};

    use super::*;

    fn marked(roles: &[&str]) -> Vec<usize> {
        let mut messages: Vec<Value> = roles.iter().map(|it| json!({"role": it, "content": "words"})).collect();
        mark(&mut messages);
        (0..messages.len()).filter(|at| messages[*at].to_string().contains("cache_control")).collect()
    }

    #[test]
    fn the_ends_of_this_request_and_of_the_one_before_are_marked() {
        let cases: [(&[&str], &[usize]); 6] = [
            (&["system", "user"], &[0, 1]),
            (&["system", "user", "assistant", "tool", "tool"], &[0, 1, 4]),
            (&["system", "user", "assistant", "tool", "assistant", "tool", "tool", "user"], &[0, 3, 7]),
            (&["user", "assistant"], &[0]),
            (&["system"], &[0]),
            (&[], &[]),
        ];
        for (roles, expected) in cases {
            assert_eq!(marked(roles), expected, "{roles:?}");
        }
    }

    #[test]
    fn nothing_is_marked_that_is_blank() {
        let mut messages = vec![json!({"role": "user", "content": " "})];
        mark(&mut messages);
        assert_eq!(messages, [json!({"role": "user", "content": " "})]);
    }

    #[test]
    fn a_conversation_keeps_its_key() {
        let request = |texts: &[&str]| Request {
            system: "You are Ox.".to_string(),
            messages: texts.iter().map(|it| Message::text(Role::User, *it)).collect(),
            ..Request::default()
        };
        let first = key(&request(&["one"]));
        assert_eq!(first, key(&request(&["one", "two"])));
        assert_ne!(first, key(&request(&["other"])));
        assert!(first.len() <= 64);
    }
}
