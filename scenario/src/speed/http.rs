//! Wire speed: agent speed, but the model's replies come over HTTP from a server that checks every request.
//!
//! What Ox does must not depend on how a provider writes its replies, so nothing is rewritten at this speed.

use ox_model::Model;
use ox_model::scripted::Step;
use ox_model::xml::Xml;
use ox_protocol::{ModelFacts, ToolFormat};
use serde_json::Value;
use std::sync::Arc;

use crate::error::ScenarioError;
use crate::knobs::{Knobs, Speed};
use crate::moves::{self, Move};
use crate::speed::agent::{Outside, alone, play};
use crate::text::Doc;
use crate::wire::{self, Mock};

/// Runs a scenario over HTTP in the format of `speed` and returns it as it went.
pub fn run(doc: &Doc, knobs: &Knobs, speed: Speed) -> Result<Doc, ScenarioError> {
    alone(serve(doc, knobs, speed))
}

/// Runs a scenario the same way and returns the bodies of the requests that were made.
pub fn requests(doc: &Doc, knobs: &Knobs, speed: Speed) -> Result<Vec<Value>, ScenarioError> {
    alone(async {
        let mock = mock(doc, speed).await?;
        play(doc, knobs, &outside(&mock, knobs, speed)).await?;
        match mock.violations() {
            wrong if wrong.is_empty() => Ok(mock.requests()),
            wrong => Err(ScenarioError::Format(wrong.join("\n"))),
        }
    })
}

async fn serve(doc: &Doc, knobs: &Knobs, speed: Speed) -> Result<Doc, ScenarioError> {
    let mock = mock(doc, speed).await?;
    let played = play(doc, knobs, &outside(&mock, knobs, speed)).await.map(|(happened, _)| happened);
    let mut wrong = mock.violations();
    // As XML the order to call a tool stands in the last message, and only there.
    if mock.rewritten() > 0 && speed != Speed::Xml && knobs.rewrites.is_none() {
        wrong.push(format!("{} requests did not begin with the messages of the one before", mock.rewritten()));
    }
    match wrong.is_empty() {
        true => played,
        false => Err(ScenarioError::Format(wrong.join("\n"))),
    }
}

/// The server of `speed`'s format, with the replies of the scenario.
async fn mock(doc: &Doc, speed: Speed) -> Result<Mock, ScenarioError> {
    let steps: Vec<Step> = moves::script(doc)?.into_iter().filter_map(|(it, _)| step(it)).collect();
    Ok(match speed {
        Speed::Anthropic => wire::anthropic(steps).await?,
        Speed::Responses => wire::responses(steps).await?,
        Speed::Gemini => wire::gemini(steps).await?,
        Speed::Xml => wire::xml(steps).await?,
        _ => wire::openai(steps).await?,
    })
}

/// A session whose model asks this server.
fn outside(mock: &Mock, knobs: &Knobs, speed: Speed) -> Outside {
    let model = mock.model(ModelFacts { tools: ToolFormat::Native, ..knobs.facts.clone() });
    let model: Arc<dyn Model> = if speed == Speed::Xml { Arc::new(Xml::new(model)) } else { model };
    Outside { provider: Some(model), ..Outside::default() }
}

fn step(it: Move) -> Option<Step> {
    match it {
        Move::Model(step) => Some(step),
        _ => None,
    }
}
