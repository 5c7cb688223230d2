//! What one refusal teaches of an endpoint. Nothing that was learnt is forgotten.

use ox_protocol::{Failure, FailureKind};

use crate::wire::learnt::{Learnt, Lesson};

/// What was learnt from refusals.
#[derive(Debug, Default)]
pub(crate) struct Quirks(Learnt);

/// One thing that an endpoint does not take or insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Quirk {
    /// The limit must be called `max_completion_tokens`.
    MaxCompletionTokens = 1,
    /// The limit must be called `max_tokens`.
    MaxTokens = 2,
    /// The limit is more than the model can; it is left out.
    NoLimit = 4,
    /// `stream_options` is unknown.
    NoStreamOptions = 8,
    /// `parallel_tool_calls` is unknown.
    NoParallel = 16,
    /// The temperature cannot be chosen.
    NoTemperature = 32,
    /// Tools need `reasoning_effort: none`.
    NoEffort = 64,
    /// `reasoning_content` must be sent back.
    ReasoningBack = 128,
    /// `reasoning_content` must not be sent back.
    NoReasoningBack = 256,
    /// The model sees no pictures.
    NoImages = 512,
    /// Documents are not taken.
    NoDocuments = 1024,
    /// `prompt_cache_key` is unknown.
    NoCacheKey = 2048,
}

impl From<Quirk> for u32 {
    fn from(quirk: Quirk) -> u32 {
        quirk as u32
    }
}

/// What refusals teach.
const LESSONS: &[Lesson<Quirk>] = &[
    (&["max_tokens", "use 'max_completion_tokens'"], Quirk::MaxCompletionTokens),
    (&["function tools with reasoning_effort"], Quirk::NoEffort),
    (&["tool", "reasoning_effort", "none"], Quirk::NoEffort),
    (&["reasoning_content", "passed back"], Quirk::ReasoningBack),
    (&["missing", "reasoning_content"], Quirk::ReasoningBack),
    (&["reasoning_content"], Quirk::NoReasoningBack),
    (&["stream_options"], Quirk::NoStreamOptions),
    (&["prompt_cache_key"], Quirk::NoCacheKey),
    (&["parallel_tool_calls"], Quirk::NoParallel),
    (&["temperature"], Quirk::NoTemperature),
    (&["file_data"], Quirk::NoDocuments),
    (&["`file`"], Quirk::NoDocuments),
    (&["'file'"], Quirk::NoDocuments),
    (&["file input"], Quirk::NoDocuments),
    (&["pdf", "support"], Quirk::NoDocuments),
    (&["image_url"], Quirk::NoImages),
    (&["image input"], Quirk::NoImages),
    (&["support image"], Quirk::NoImages),
    (&["not a multimodal model"], Quirk::NoImages),
    (&["max_tokens", "too large"], Quirk::NoLimit),
    (&["max_completion_tokens", "too large"], Quirk::NoLimit),
    (&["max_tokens", "at most"], Quirk::NoLimit),
    (&["max_tokens", "less than or equal"], Quirk::NoLimit),
    (&["max_completion_tokens"], Quirk::MaxTokens),
];

impl Quirks {
    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.0.has(quirk)
    }

    /// True when the failure is a refusal that teaches something new, so that asking again differently is worth while.
    pub(crate) fn learn(&self, failure: &Failure) -> bool {
        // A small server counts the reply's limit as part of the window, and the prompt alone may still fit.
        let too_large = || failure.message.to_lowercase().contains("too large");
        match failure.kind {
            FailureKind::ContextTooLong if too_large() => self.0.learn_from_words(failure, LESSONS),
            _ => self.0.learn(failure, LESSONS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::failure;

    #[test]
    fn refusals_teach_once() {
        let cases = [
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Quirk::MaxCompletionTokens,
            ),
            (
                "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
                Quirk::NoEffort,
            ),
            ("[{'loc': ['body', 'stream_options'], 'msg': 'Extra inputs are not permitted'}]", Quirk::NoStreamOptions),
            ("Unrecognized request argument supplied: prompt_cache_key", Quirk::NoCacheKey),
            ("Unsupported value: 'temperature' does not support 0 with this model.", Quirk::NoTemperature),
            ("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.", Quirk::NoParallel),
            ("max_tokens is too large: 128000. This model supports at most 16384 completion tokens", Quirk::NoLimit),
            ("Unrecognized request argument supplied: max_completion_tokens", Quirk::MaxTokens),
            ("messages[1]: unknown variant `image_url`, expected `text`", Quirk::NoImages),
            ("No endpoints found that support image input", Quirk::NoImages),
            ("No endpoints found that support file input", Quirk::NoDocuments),
            ("Invalid value: 'file'. Supported values are: 'text' and 'image_url'.", Quirk::NoDocuments),
            ("The reasoning_content in the thinking mode must be passed back to the API.", Quirk::ReasoningBack),
        ];
        for (words, quirk) in cases {
            let quirks = Quirks::default();
            let refusal = failure(FailureKind::BadRequest, words);
            assert!(quirks.learn(&refusal) && quirks.has(quirk), "{words}");
            assert!(!quirks.learn(&refusal), "learnt twice: {words}");
        }
        let window = "'max_tokens' is too large: 16384. This model's maximum context length is 8192 tokens";
        assert!(Quirks::default().learn(&failure(FailureKind::ContextTooLong, window)));
        assert!(!Quirks::default().learn(&failure(FailureKind::ContextTooLong, "maximum context length is 8192")));
        assert!(!Quirks::default().learn(&failure(FailureKind::BadRequest, "messages is empty")));
        assert!(!Quirks::default().learn(&failure(FailureKind::Server, "temperature")));
    }
}
