//! Which efforts an endpoint takes. Nothing is known of it beforehand: models take different ones, and each refusal names
//! those that are taken.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use ox_protocol::{Effort, Failure, FailureKind};

use crate::model::Request;

/// What an endpoint calls the field in a refusal.
const NAMES: [&str; 3] = ["effort", "thinking level", "thinking_level"];

/// Behind one of these stand the values that are taken.
const BEFORE_VALUES: [&str; 4] = ["support", "one of", "should be", "must be"];

/// What refusals taught.
#[derive(Debug, Default)]
pub(crate) struct Efforts(Mutex<Option<Vec<Effort>>>);

impl Efforts {
    /// The request with the effort that is taken: the highest up to the one that it names, else the lowest above it; without
    /// one where none is taken.
    pub(crate) fn fit<'a>(&self, request: &'a Request) -> Cow<'a, Request> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(taken), Some(wanted)) = (taken.as_ref(), request.effort) else { return Cow::Borrowed(request) };
        let below = taken.iter().filter(|it| **it <= wanted).max();
        let effort = below.or(taken.iter().min()).copied();
        Cow::Owned(Request { effort, ..request.clone() })
    }

    /// True when the failure refuses the effort and teaches something new of what is taken.
    pub(crate) fn learn(&self, failure: &Failure, request: &Request) -> bool {
        let words = failure.message.to_lowercase();
        let refused = failure.kind == FailureKind::BadRequest && failure.partial.is_empty();
        if request.effort.is_none() || !refused || !NAMES.iter().any(|it| words.contains(it)) {
            return false;
        }
        let taken = taken(&words);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // What was taken before and is refused now is not taken at all.
        let new = known.as_ref() != Some(&taken);
        *known = Some(taken);
        new
    }
}

/// The efforts that a refusal says are taken.
fn taken(words: &str) -> Vec<Effort> {
    let from = BEFORE_VALUES.iter().filter_map(|it| words.rfind(it)).max().unwrap_or(words.len());
    let values = words[from..].split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    values.filter_map(Effort::named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::failure;

    #[test]
    fn a_refusal_names_what_is_taken() {
        use Effort::{High, Low, Max, Medium, Minimal, Xhigh};
        let cases: [(&str, Effort, Option<Effort>); 8] = [
            ("This model does not support effort level 'max'. Supported levels: high, low, medium.", Max, Some(High)),
            ("This model does not support the effort parameter.", High, None),
            (
                r#"output_config.effort "high" is not supported by model x; supported values: [medium]"#,
                High,
                Some(Medium),
            ),
            (
                "Unsupported value: 'xhigh' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and 'high'. (reasoning.effort)",
                Xhigh,
                Some(High),
            ),
            (
                "Unsupported value: 'reasoning.effort' does not support 'minimal' with this model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
                Minimal,
                Some(Low),
            ),
            (
                "[{'loc': ['body', 'reasoning_effort'], 'msg': \"Input should be 'low', 'medium' or 'high'\"}]",
                Xhigh,
                Some(High),
            ),
            ("Unrecognized request argument supplied: reasoning_effort", Low, None),
            ("Thinking level MEDIUM is not supported for this model.", Medium, None),
        ];
        for (words, wanted, expected) in cases {
            let efforts = Efforts::default();
            let request = Request { effort: Some(wanted), ..Request::default() };
            assert_eq!(efforts.fit(&request).effort, Some(wanted));
            let refusal = failure(FailureKind::BadRequest, words);
            assert!(efforts.learn(&refusal, &request), "{words}");
            assert!(!efforts.learn(&refusal, &request), "learnt twice: {words}");
            assert_eq!(efforts.fit(&request).effort, expected, "{words}");
        }
    }

    #[test]
    fn what_is_no_refusal_of_the_effort_teaches_nothing() {
        let efforts = Efforts::default();
        let request = Request { effort: Some(Effort::High), ..Request::default() };
        let words = "This model does not support the effort parameter.";
        assert!(!efforts.learn(&failure(FailureKind::Server, words), &request));
        assert!(!efforts.learn(&failure(FailureKind::BadRequest, words), &Request::default()));
        assert!(!efforts.learn(&failure(FailureKind::BadRequest, "messages is empty"), &request));
    }
}
