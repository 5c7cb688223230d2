//! A model that reads its replies from a script: for tests, demonstrations and scenarios. It speaks to nobody.

mod script;

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use ox_protocol::{BoxFuture, Failure, FailureKind, ModelFacts};

use crate::failure::failure;
use crate::model::{Model, Piece, Reply, Request};

pub use script::{Step, parse_reply, parse_script, parse_step, write_reply};

/// A model that takes one step of its script for each request.
#[derive(Debug)]
pub struct Scripted {
    facts: ModelFacts,
    steps: Mutex<Steps>,
    pace: Duration,
}

#[derive(Debug)]
struct Steps {
    left: VecDeque<Step>,
    taken: usize,
}

impl Scripted {
    /// Plays `steps` in their order, as fast as it is asked.
    pub fn new(steps: Vec<Step>) -> Scripted {
        Scripted {
            facts: ModelFacts { name: "scripted/script".to_string(), ..ModelFacts::default() },
            steps: Mutex::new(Steps { left: steps.into(), taken: 0 }),
            pace: Duration::ZERO,
        }
    }

    /// Plays the `-- model --` sections of a file.
    pub(crate) fn open(path: &Path) -> std::io::Result<Scripted> {
        let name = format!("scripted/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut scripted = Scripted::new(parse_script(&std::fs::read_to_string(path)?));
        scripted.facts.name = name;
        Ok(scripted)
    }

    /// The same script by a model of which other facts are known.
    #[must_use]
    pub fn with_facts(mut self, facts: ModelFacts) -> Scripted {
        self.facts = facts;
        self
    }

    /// Waits this long after each piece of text, so that it can be watched.
    #[must_use]
    pub fn with_pace(mut self, pace: Duration) -> Scripted {
        self.pace = pace;
        self
    }

    /// Steps that have not been taken.
    pub(crate) fn left(&self) -> usize {
        self.steps.lock().expect("no holder of this lock panics").left.len()
    }

    fn next(&self) -> Result<Step, Failure> {
        let mut steps = self.steps.lock().expect("no holder of this lock panics");
        let step = steps.left.pop_front().ok_or_else(|| {
            let message = format!(
                "the script is at its end: it has {} model sections and the model was asked once more; \
                 add a `-- model --` section or let the last reply end the turn",
                steps.taken
            );
            failure(FailureKind::Script, message)
        })?;
        steps.taken += 1;
        Ok(step)
    }

    async fn stream(&self, text: &str, piece: impl Fn(&str)) {
        for part in small_pieces(text) {
            piece(part);
            if self.pace.is_zero() {
                tokio::task::yield_now().await;
            } else {
                tokio::time::sleep(self.pace).await;
            }
        }
    }
}

impl Model for Scripted {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        _request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            match self.next()? {
                Step::Reply(reply) => {
                    for reasoning in &reply.reasoning {
                        self.stream(&reasoning.text, |text| show(Piece::Thinking(text))).await;
                    }
                    self.stream(&reply.text, |text| show(Piece::Text(text))).await;
                    Ok(reply)
                }
                Step::Fail(failure) => {
                    self.stream(&failure.partial, |text| show(Piece::Text(text))).await;
                    Err(failure)
                }
            }
        })
    }
}

/// The text in pieces of a word or two, as models stream it.
pub(crate) fn small_pieces(text: &str) -> impl Iterator<Item = &str> {
    const LENGTH: usize = 12;
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut ends = rest.char_indices().skip(1).map(|(at, _)| at).skip_while(|at| *at < LENGTH);
        let (piece, tail) = rest.split_at(ends.next().unwrap_or(rest.len()));
        rest = tail;
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn plays_its_steps_then_says_that_it_is_at_its_end() {
        let model = Scripted::new(parse_script(
            "A story.\n-- user --\nhi\n-- model --\n@@think Hm.\nHello there, how are you?\n-- model: cut --\nHalf a wo\n-- model: fail 529 try later --\n",
        ));
        let shown = Mutex::new(String::new());
        let show = |piece: Piece<'_>| match piece {
            Piece::Text(text) => shown.lock().unwrap().push_str(&format!("[{text}]")),
            Piece::Thinking(text) => shown.lock().unwrap().push_str(&format!("({text})")),
        };
        let request = Request::default();
        assert_eq!(model.ask(&request, &show).await.unwrap().text, "Hello there, how are you?");
        assert_eq!(*shown.lock().unwrap(), "(Hm.)[Hello there,][ how are you][?]");
        let cut = model.ask(&request, &show).await.unwrap_err();
        assert_eq!((cut.kind, cut.partial.as_str()), (FailureKind::Cut, "Half a wo"));
        let overloaded = model.ask(&request, &show).await.unwrap_err();
        assert_eq!((overloaded.kind, overloaded.status), (FailureKind::Overloaded, Some(529)));
        let end = model.ask(&request, &show).await.unwrap_err();
        assert_eq!(end.kind, FailureKind::Script);
        assert!(end.message.contains("3 model sections"), "{}", end.message);
    }

    #[test]
    fn pieces_never_cut_a_character() {
        let text = "你好，世界。这是一个很长的句子。";
        assert!(small_pieces(text).count() > 2);
        assert_eq!(small_pieces(text).collect::<String>(), text);
    }
}
