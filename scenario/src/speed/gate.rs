//! The model of a story: it takes its replies from the script, and at wire speed from a provider behind it.
//!
//! It never answers before what the user says in the same breath is on record, so that a story goes the same way in
//! every run.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ox_model::scripted::Step;
use ox_model::{Model, Piece, Reply, Request, xml};
use ox_protocol::{BoxFuture, Event, Failure, Finish, Frame, ModelFacts};

use crate::show;
use crate::speed::stage::Stage;
use crate::story::Asked;

/// The model of a story.
pub struct Gate {
    pub stage: Arc<Stage>,
    pub facts: ModelFacts,
    /// The provider that the script is served by; the script itself where there is none.
    pub behind: Option<Arc<dyn Model>>,
    /// What the router says, where this is the router.
    pub routes: Option<Arc<Mutex<VecDeque<String>>>>,
}

impl Gate {
    /// What the script says when the model is asked now; nothing when it never answers.
    async fn step(&self, request: &Request) -> Step {
        loop {
            let prompts_before = queued(&self.stage.lock().frames);
            let woken_before = woken(&self.stage.lock().frames);
            let (asked, prompts) = self.stage.play(|story| story.model_asked(&|new| show::prompt(request, new)));
            if self.stage.wake() {
                self.stage.until(|it| woken(it) > woken_before).await;
            }
            self.stage.until(|it| queued(it) >= prompts_before + prompts).await;
            match asked {
                Asked::Step(step) => {
                    // What runs beside the model ends before it, so that events come in one order.
                    self.stage.until(|it| !baseline_runs(it) && !is_routing(it)).await;
                    return step;
                }
                Asked::Later => {}
                Asked::Never => std::future::pending().await,
            }
        }
    }
}

fn queued(frames: &[Frame]) -> usize {
    frames.iter().filter(|it| matches!(it.event, Event::Steered { .. })).count()
}

fn baseline_runs(frames: &[Frame]) -> bool {
    let last = frames.iter().rev().find_map(|it| match it.event {
        Event::ChecksStart { baseline: true, .. } => Some(true),
        Event::CheckResult { baseline: true, .. } => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}

fn is_routing(frames: &[Frame]) -> bool {
    let last = frames.iter().rev().find_map(|it| match &it.event {
        Event::TurnStart { router, .. } => Some(router.is_some()),
        Event::Intent { .. } => Some(false),
        _ => None,
    });
    last.unwrap_or(false)
}

fn woken(frames: &[Frame]) -> usize {
    frames.iter().filter(|it| matches!(it.event, Event::Woken { .. })).count()
}

impl Model for Gate {
    fn facts(&self) -> &ModelFacts {
        &self.facts
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        if let Some(routes) = &self.routes {
            let said = routes.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            return Box::pin(std::future::ready(Ok(Reply { text: said.unwrap_or_default(), ..Reply::default() })));
        }
        Box::pin(async move {
            let step = self.step(request).await;
            if let Some(model) = &self.behind {
                let usage = match step {
                    Step::Reply(reply) => reply.usage,
                    Step::Fail(_) => None,
                };
                return model.ask(request, show).await.map(|it| Reply { usage, ..it });
            }
            match step {
                Step::Reply(reply) => {
                    let reply = if request.tools.is_empty() { in_words(reply) } else { reply };
                    reply.reasoning.iter().for_each(|it| show(Piece::Thinking(&it.text)));
                    show(Piece::Text(&reply.text));
                    Ok(reply)
                }
                Step::Fail(failure) => {
                    show(Piece::Text(&failure.partial));
                    Err(failure)
                }
            }
        })
    }
}

/// A reply of a model that was offered no tools: its calls stand in its text.
fn in_words(reply: Reply) -> Reply {
    let text = xml::written(&reply);
    let finish = if reply.finish == Finish::Calls { Finish::Stop } else { reply.finish };
    Reply { text, calls: Vec::new(), finish, ..reply }
}
