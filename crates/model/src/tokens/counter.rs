//! Counts the tokens of texts, messages and requests for a model.

use ox_protocol::{Image, Message, Part, Tokens, ToolSpec, Usage};

use super::estimate;
use super::exact::Vocabulary;
use crate::model::{Reply, Request};

/// What a picture is taken to cost; providers ask for between 100 and 2,000.
const PICTURE: u64 = 1_500;
/// What stands around a message, a call or a tool in a provider's own form.
const AROUND: u64 = 4;

/// How a model's texts are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    vocabulary: Option<Vocabulary>,
    /// Tokens for each hundred of the estimate.
    share: u64,
}

/// A family of models whose texts are counted alike: how their names begin, their vocabulary where it is public, and the
/// tokens for each hundred that o200k has. The shares are what makers and users report, on the high side; the first
/// replies correct them.
type Family = (&'static str, Option<Vocabulary>, u64);

const FAMILIES: &[Family] = &[
    ("gpt-4o", Some(Vocabulary::O200k), 100),
    ("gpt-4.1", Some(Vocabulary::O200k), 100),
    ("gpt-4.5", Some(Vocabulary::O200k), 100),
    ("gpt-5", Some(Vocabulary::O200k), 100),
    ("gpt-oss", Some(Vocabulary::O200k), 100),
    ("chatgpt-4o", Some(Vocabulary::O200k), 100),
    ("codex-mini", Some(Vocabulary::O200k), 100),
    ("o1", Some(Vocabulary::O200k), 100),
    ("o3", Some(Vocabulary::O200k), 100),
    ("o4-mini", Some(Vocabulary::O200k), 100),
    ("gpt-4", Some(Vocabulary::Cl100k), 102),
    ("gpt-3.5", Some(Vocabulary::Cl100k), 102),
    ("gpt-35", Some(Vocabulary::Cl100k), 102),
    ("text-embedding-", Some(Vocabulary::Cl100k), 102),
    ("claude", None, 125),
    ("gemini", None, 105),
    ("", None, 105),
];

impl Counter {
    /// The counter for a model, as a provider or a router names it (`gpt-5-mini`, `openrouter/openai/gpt-5-mini`).
    pub fn for_model(name: &str) -> Counter {
        let name = name.rsplit('/').next().unwrap_or(name);
        let family = FAMILIES.iter().filter(|(begins, ..)| name.starts_with(begins)).max_by_key(|it| it.0.len());
        family
            .map_or_else(Counter::default, |(_, vocabulary, share)| Counter { vocabulary: *vocabulary, share: *share })
    }

    /// Tokens of `text`: exact once the vocabulary is there, an estimate until then and where none is public. Never waits.
    pub fn count(self, text: &str) -> Tokens {
        match self.vocabulary.and_then(Vocabulary::loaded) {
            Some(words) => Tokens(words.count(text)),
            None => Tokens((estimate::estimate(text).saturating_mul(self.share)).div_ceil(100)),
        }
    }

    /// True when counts are exact by now.
    pub fn is_exact(self) -> bool {
        self.vocabulary.and_then(Vocabulary::loaded).is_some()
    }

    /// Starts to load the vocabulary beside what else is done, where there is one. Call it once the first request is under
    /// way; further calls cost nothing.
    pub fn warm(self) {
        if let Some(vocabulary) = self.vocabulary {
            vocabulary.warm();
        }
    }

    /// Tokens of a whole request.
    pub(crate) fn request(self, request: &Request) -> Tokens {
        let messages = request.messages.iter().map(|it| self.message(it).0);
        Tokens(messages.fold(self.prefix(request).0, u64::saturating_add))
    }

    /// Tokens of what stands before the messages: the system prompt and the tools.
    fn prefix(self, request: &Request) -> Tokens {
        let tools = request.tools.iter().map(|it| self.tool(it));
        Tokens(tools.fold(self.count(&request.system).0 + AROUND, u64::saturating_add))
    }

    fn tool(self, it: &ToolSpec) -> u64 {
        [it.name.as_str(), &it.description, &it.schema.to_string()].map(|it| self.count(it).0).iter().sum::<u64>()
            + AROUND
    }

    /// Tokens of one message.
    pub(crate) fn message(self, message: &Message) -> Tokens {
        let parts = message.parts.iter().map(|part| match part {
            Part::Text { text } => self.count(text).0,
            Part::Image { image } => attached(image),
            Part::Call { name, args, .. } => self.count(name).0 + self.count(&args.to_string()).0 + AROUND,
            Part::Result { text, images, .. } => self.count(text).0 + images.iter().map(attached).sum::<u64>() + AROUND,
            Part::Reasoning { reasoning } => self.count(&reasoning.text).0,
        });
        Tokens(parts.fold(AROUND, u64::saturating_add))
    }

    /// What a request and its reply used, where the provider does not say.
    pub fn usage(self, request: &Request, reply: &Reply) -> Usage {
        let reasoning: u64 = reply.reasoning.iter().map(|it| self.count(&it.text).0).sum();
        let calls: u64 = reply.calls.iter().map(|it| self.count(&it.name).0 + self.count(&it.args).0).sum();
        Usage {
            input: self.request(request),
            output: Tokens(self.count(&reply.text).0 + reasoning + calls),
            reasoning: Tokens(reasoning),
            ..Usage::default()
        }
    }
}

/// Tokens of a picture or a document, whose length is all that is known here: a page of PDF is some tens of kilobytes and
/// costs as much as a picture.
fn attached(it: &Image) -> u64 {
    const PAGE: u64 = 40_000;
    let bytes = it.data.len() as u64 / 4 * 3;
    match it.media_type.as_str() {
        "application/pdf" => PICTURE * bytes.div_ceil(PAGE).max(1),
        text if text.starts_with("text/") => bytes / 4 + AROUND,
        _ => PICTURE,
    }
}

impl Default for Counter {
    /// For a model of which nothing is known.
    fn default() -> Counter {
        Counter { vocabulary: None, share: 105 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families() {
        let (o200k, cl100k) = (Some(Vocabulary::O200k), Some(Vocabulary::Cl100k));
        let cases = [
            ("openai/gpt-5.4-mini", o200k),
            ("openrouter/openai/gpt-4o", o200k),
            ("ollama/gpt-oss:20b", o200k),
            ("o3", o200k),
            ("azure/gpt-4-turbo", cl100k),
            ("gpt-3.5-turbo", cl100k),
            ("anthropic/claude-opus-5", None),
            ("mine/unknown", None),
            // Nobody has said which vocabulary it has.
            ("openai/gpt-6", None),
        ];
        for (name, vocabulary) in cases {
            assert_eq!(Counter::for_model(name).vocabulary, vocabulary, "{name}");
        }
        assert!(
            Counter::for_model("claude-opus-5").count("some words of text") > Counter::default().count("some words")
        );
    }

    #[test]
    fn attachments_cost_by_their_kind_and_length() {
        let of = |kind: &str, bytes: usize| {
            attached(&Image { media_type: kind.into(), data: "A".repeat(bytes / 3 * 4), name: String::new() })
        };
        let costs = [of("image/png", 3_000_000), of("application/pdf", 90_000), of("text/markdown", 3_000)];
        assert_eq!(costs, [PICTURE, 3 * PICTURE, 754]);
    }

    #[test]
    fn a_request_is_the_sum_of_its_parts() {
        let request = crate::sample::conversation();
        let counter = Counter::default();
        let messages: u64 = request.messages.iter().map(|it| counter.message(it).0).sum();
        assert_eq!(counter.request(&request).0, counter.prefix(&request).0 + messages);
        let reply = Reply { text: "Done.".to_string(), ..Reply::default() };
        let usage = counter.usage(&request, &reply);
        assert_eq!((usage.input, usage.output), (counter.request(&request), counter.count("Done.")));
    }
}
