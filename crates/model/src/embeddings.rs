//! Texts as vectors over OpenAI's embeddings endpoint, and over everything that speaks like it: Ollama, vLLM, LM Studio,
//! llama.cpp, Mistral, Voyage, Jina.
//!
//! It asks a few times where the fault is a passing one, and never sends more texts at once than [`BATCH`]. What comes back is
//! believed only when each text has one vector of finite numbers, and all are equally long. Keys never show.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use ox_protocol::{Failure, FailureKind, Problem, Wire};
use serde_json::{Value, json};

use crate::catalogue::open::{Choice, reach_with_key};
use crate::failure::failure;
use crate::wire::endpoint as wire;
use crate::wire::http::Patience;

pub mod hub;

/// The most texts of one request.
pub const BATCH: usize = 64;
/// The most bytes of one text: models take 512 to 8,192 tokens, and most refuse what is longer.
const LONGEST: usize = 8_000;
/// How often a request is made at most.
const ATTEMPTS: u32 = 4;
/// The longest wait between two requests.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// A model that turns texts into vectors.
pub struct Endpoint {
    name: String,
    model: String,
    at: wire::Endpoint,
    dimensions: AtomicUsize,
    wait: Duration,
}

/// The model `name` (`provider/model`) as one that makes vectors. Problems: those of opening a model, and
/// `embeddings.no_endpoint` where the provider has no such endpoint.
pub fn endpoint(choice: &Choice<'_>, name: &str) -> Result<Endpoint, Problem> {
    let reached = reach_with_key(choice, name)?;
    if matches!(reached.wire, Wire::Anthropic | Wire::Gemini) {
        return Err(Problem::new("embeddings.no_endpoint").with("model", name));
    }
    let url = format!("{}/embeddings", reached.base_url.trim_end_matches('/'));
    let at = wire::Endpoint::new(url, Patience::long()).within(choice.timeouts);
    Ok(Endpoint {
        name: name.to_string(),
        at: at.keyed(reached.dialect.key_header, reached.key),
        model: reached.model,
        dimensions: AtomicUsize::new(0),
        wait: Duration::from_secs(1),
    })
}

impl Endpoint {
    /// The model's name, `provider/model`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many numbers a vector has; zero before the first answer.
    pub fn dimensions(&self) -> usize {
        self.dimensions.load(Relaxed)
    }

    /// One vector for each text, in their order. Failures: those of asking a model, after the passing ones were tried again;
    /// `Malformed` where what came are not the vectors of these texts.
    pub async fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut all = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            all.extend(self.patiently(batch).await?);
        }
        Ok(all)
    }

    async fn patiently(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        let mut attempt = 1;
        loop {
            let failure = match self.asked(texts).await {
                Ok(vectors) => return Ok(vectors),
                Err(failure) if attempt == ATTEMPTS || !failure.kind.is_passing() => return Err(failure),
                Err(failure) => failure,
            };
            let said = failure.retry_after_ms.map(Duration::from_millis);
            tokio::time::sleep(said.unwrap_or(self.wait * 2u32.pow(attempt - 1)).min(LONGEST_WAIT)).await;
            attempt += 1;
        }
    }

    async fn asked(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, Failure> {
        // An empty text is refused by most endpoints, and means nothing.
        let input: Vec<&str> = texts.iter().map(|it| cut(it)).map(|it| if it.is_empty() { " " } else { it }).collect();
        let body = json!({"model": self.model, "input": input, "encoding_format": "float"});
        let answer = self.at.post(wire::bytes(&body)).await?.rest(Vec::new()).await?;
        let vectors = vectors(&answer, texts.len()).map_err(|why| {
            failure(FailureKind::Malformed, format!("the answer of {}: {why}", crate::keys::address(self.at.url())))
        })?;
        let (found, reported) = (vectors.first().map_or(0, Vec::len), self.dimensions.load(Relaxed));
        if reported != 0 && reported != found {
            let why = format!("vectors of {} had {reported} numbers and have {found} now", self.name);
            return Err(failure(FailureKind::Malformed, why));
        }
        self.dimensions.store(found, Relaxed);
        Ok(vectors)
    }
}

/// The beginning of a text, as far as it is sent.
fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LONGEST)]
}

/// The vectors of an answer in the order of their texts.
fn vectors(answer: &[u8], count: usize) -> Result<Vec<Vec<f32>>, String> {
    let answer: Value = serde_json::from_slice(answer).map_err(|it| format!("it is not JSON: {it}"))?;
    let data = answer["data"].as_array().ok_or("it has no `data`")?;
    let mut all: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (place, item) in data.iter().enumerate() {
        let index = item["index"].as_u64().map_or(Some(place), |it| usize::try_from(it).ok());
        let numbers = item["embedding"].as_array().ok_or("an item has no `embedding`")?;
        let number = |it: &Value| it.as_f64().map(|it| it as f32).filter(|it| it.is_finite());
        let vector: Option<Vec<f32>> = numbers.iter().map(number).collect();
        let vector = vector.filter(|it| !it.is_empty()).ok_or("an embedding is not made of numbers")?;
        let free = index.and_then(|it| all.get_mut(it)).filter(|it| it.is_empty());
        *free.ok_or_else(|| format!("an item is about no text, or about one twice: {}", item["index"]))? = vector;
    }
    let long = all.first().map_or(0, Vec::len);
    if all.iter().any(|it| it.len() != long || it.is_empty()) {
        return Err(format!("{count} texts, {} vectors, or not all equally long", data.len()));
    }
    Ok(all)
}

#[cfg(test)]
#[path = "embeddings/tests.rs"]
mod tests;
