//! The items of an answer in the making, whatever a server does with indices and ids.

use ox_protocol::Image;
use serde_json::Value;

/// The items so far, in the order in which they began.
#[derive(Debug, Default)]
pub(super) struct Items(Vec<Slot>);

/// One item.
#[derive(Debug, Default)]
pub(super) struct Slot {
    index: Option<u64>,
    id: String,
    /// True when the item was said to be complete.
    pub(super) done: bool,
    pub(super) kind: Kind,
    /// What the item was before, where a broken stream makes it something else.
    pub(super) before: Vec<Kind>,
    /// Bytes of the reply's text before it.
    pub(super) text_before: usize,
}

/// What an item is.
#[derive(Debug, Default)]
pub(super) enum Kind {
    /// Not known yet, or of no interest.
    #[default]
    Other,
    /// Text: how many bytes of each of its parts have been shown.
    Message(Vec<usize>),
    /// Reasoning: its text, and the item itself once it is complete.
    Reasoning { text: String, item: Value },
    /// A call.
    Call { name: String, args: String },
    /// A picture that a tool of the provider made.
    Picture(Option<Image>),
}

impl Slot {
    /// Makes the item something else; what it was is kept.
    pub(super) fn become_kind(&mut self, kind: Kind) {
        match std::mem::replace(&mut self.kind, kind) {
            Kind::Other => {}
            before => self.before.push(before),
        }
    }
}

impl Items {
    /// Bytes of reasoning and of arguments.
    pub(super) fn held(&self) -> usize {
        let of = |it: &Slot| match &it.kind {
            Kind::Reasoning { text, .. } => text.len(),
            Kind::Call { args, .. } => args.len(),
            Kind::Other | Kind::Message(_) | Kind::Picture(_) => 0,
        };
        self.0.iter().map(of).sum()
    }

    /// The item that an event is about. Its id decides where it is known; some servers give another id with every event,
    /// then the index does; an event with neither is about the last item.
    pub(super) fn of(&mut self, event: &Value, text_before: usize) -> &mut Slot {
        let begins = event["type"] == "response.output_item.added";
        let id = event["item_id"].as_str().or(event["item"]["id"].as_str()).unwrap_or_default();
        let index = event["output_index"].as_u64();
        let by_id = self.0.iter().rposition(|it| !id.is_empty() && it.id == id);
        let by_index = || {
            let at = self.0.iter().rposition(|it| index.is_some() && it.index == index)?;
            // A server that counts every item as 0 still says when one is complete and the next begins.
            (!(begins && self.0[at].done)).then_some(at)
        };
        let last = || (index.is_none() && !begins).then(|| self.0.len().checked_sub(1)).flatten();
        let at = by_id.or_else(by_index).or_else(last).unwrap_or_else(|| {
            self.0.push(Slot { index, id: id.to_string(), text_before, ..Slot::default() });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// All items, by their index where they have one.
    pub(super) fn into_sorted(mut self) -> Vec<Slot> {
        // Stable: items of equal or no index stay in the order in which they began.
        if self.0.iter().all(|it| it.index.is_some()) {
            self.0.sort_by_key(|it| it.index);
        }
        self.0
    }
}
