//! Puts the streamed pieces of tool calls together, whatever a server does with indices and ids.

use serde_json::Value;

use crate::model::RawCall;

/// The calls so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Calls(Vec<Slot>);

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    args: String,
}

impl Calls {
    /// Takes one element of a delta's `tool_calls`.
    pub(super) fn delta(&mut self, piece: &Value) {
        let text = |path: &str| piece.pointer(path).and_then(Value::as_str).unwrap_or_default();
        let (id, name) = (text("/id"), text("/function/name"));
        let slot = self.slot(piece.get("index").and_then(Value::as_u64), id, name);
        if slot.id.is_empty() {
            slot.id = id.to_string();
        }
        if slot.name.is_empty() {
            slot.name = name.to_string();
        }
        match piece.pointer("/function/arguments") {
            Some(Value::String(args)) => slot.args += args,
            Some(args @ (Value::Object(_) | Value::Array(_))) => slot.args += &args.to_string(),
            _ => {}
        }
    }

    /// The slot that a piece belongs to. An id decides where it can, then the index; a piece with neither continues the
    /// last call unless it names a function.
    fn slot(&mut self, index: Option<u64>, id: &str, name: &str) -> &mut Slot {
        let known = if let Some(at) = self.0.iter().rposition(|it| !id.is_empty() && it.id == id) {
            Some(at)
        } else if index.is_some() {
            // A server that counts every call as 0 still gives each its own id and name; one that makes up a new id for
            // every piece names the function only once.
            let begins = |slot: &Slot| !id.is_empty() && !slot.id.is_empty() && !name.is_empty();
            self.0.iter().rposition(|it| it.index == index).filter(|at| !begins(&self.0[*at]))
        } else {
            self.0.len().checked_sub(1).filter(|_| name.is_empty())
        };
        let at = known.unwrap_or_else(|| {
            self.0.push(Slot { index, ..Slot::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// Bytes of them.
    pub(super) fn held(&self) -> usize {
        self.0.iter().map(|it| it.name.len() + it.args.len()).sum()
    }

    /// The calls. One without a name is still a call that wants an answer; one without anything is nothing.
    pub(super) fn finish(&mut self) -> Vec<RawCall> {
        let slots = std::mem::take(&mut self.0);
        let calls =
            slots.into_iter().filter(|it| !(it.name.is_empty() && it.args.trim().is_empty() && it.id.is_empty()));
        calls.map(|it| RawCall { name: it.name, args: no_arguments(it.args) }).collect()
    }
}

/// A call without arguments is written in three ways.
fn no_arguments(args: String) -> String {
    if args.trim().is_empty() || args.trim() == "null" { "{}".to_string() } else { args }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pieces: &[&str], expected: &[(&str, &str)]) {
        let mut calls = Calls::default();
        pieces.iter().for_each(|piece| calls.delta(&serde_json::from_str(piece).unwrap()));
        let found: Vec<(String, String)> = calls.finish().into_iter().map(|it| (it.name, it.args)).collect();
        let expected: Vec<(String, String)> = expected.iter().map(|(n, a)| (n.to_string(), a.to_string())).collect();
        assert_eq!(found, expected, "{pieces:?}");
    }

    #[test]
    fn a_call_without_a_name_is_kept_and_one_without_anything_is_not() {
        check(
            &[
                r#"{"index":0,"id":"a","type":"function","function":{"name":"","arguments":"{}"}}"#,
                r#"{"index":1,"id":"","type":"function","function":{"name":"","arguments":""}}"#,
            ],
            &[("", "{}")],
        );
    }

    #[test]
    fn whatever_servers_do_with_indices_and_ids() {
        // OpenAI: id and name once, arguments in pieces, calls interleaved.
        check(
            &[
                r#"{"index":0,"id":"a","type":"function","function":{"name":"read","arguments":""}}"#,
                r#"{"index":1,"id":"b","type":"function","function":{"name":"list","arguments":""}}"#,
                r#"{"index":0,"function":{"arguments":"{\"p\":"}}"#,
                r#"{"index":1,"function":{"arguments":"{}"}}"#,
                r#"{"index":0,"function":{"arguments":"1}"}}"#,
            ],
            &[("read", "{\"p\":1}"), ("list", "{}")],
        );
        // Every call has index 0, each whole.
        check(
            &[
                r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{\"p\":1}"}}"#,
                r#"{"index":0,"id":"b","function":{"name":"read","arguments":"{\"p\":2}"}}"#,
            ],
            &[("read", "{\"p\":1}"), ("read", "{\"p\":2}")],
        );
        // No index at all; arguments as an object; no arguments.
        check(
            &[
                r#"{"id":"a","function":{"name":"read","arguments":{"p":1}}}"#,
                r#"{"id":"b","function":{"name":"list"}}"#,
            ],
            &[("read", "{\"p\":1}"), ("list", "{}")],
        );
        // Neither index nor id, then pieces without a name.
        check(
            &[
                r#"{"function":{"name":"read","arguments":"{"}}"#,
                r#"{"function":{"arguments":"}"}}"#,
                r#"{"function":{"name":"list","arguments":"null"}}"#,
            ],
            &[("read", "{}"), ("list", "{}")],
        );
        // The same id and name repeated with every piece, and a fresh id with every piece.
        check(
            &[
                r#"{"index":0,"id":"a","function":{"name":"read","arguments":"{"}}"#,
                r#"{"index":0,"id":"a","function":{"name":"read","arguments":"}"}}"#,
            ],
            &[("read", "{}")],
        );
        check(
            &[
                r#"{"index":0,"id":"a1","function":{"name":"read","arguments":"{"}}"#,
                r#"{"index":0,"id":"a2","function":{"arguments":"}"}}"#,
            ],
            &[("read", "{}")],
        );
    }
}
