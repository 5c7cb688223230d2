//! What the small files beside a model's weights say about how it is used.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::IndexError;

/// The numbers of a BERT.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Shape {
    pub(super) hidden_size: usize,
    pub(super) num_attention_heads: usize,
    pub(super) num_hidden_layers: usize,
    pub(super) max_position_embeddings: usize,
    #[serde(default = "usual_eps")]
    pub(super) layer_norm_eps: f32,
    #[serde(default = "usual_act")]
    pub(super) hidden_act: String,
    #[serde(default = "usual_positions")]
    pub(super) position_embedding_type: String,
}

fn usual_eps() -> f32 {
    1e-12
}

fn usual_act() -> String {
    "gelu".to_owned()
}

fn usual_positions() -> String {
    "absolute".to_owned()
}

/// How the vectors of a text's tokens become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pooling {
    /// Their mean.
    Mean,
    /// The first one's.
    First,
}

/// Reads a JSON file of a model.
pub(super) fn json(place: &Path) -> Result<Value, IndexError> {
    let bytes = std::fs::read(place).map_err(|it| IndexError::model(place, it))?;
    serde_json::from_slice(&bytes).map_err(|it| IndexError::model(place, it))
}

/// True for the configuration of a table of token vectors.
pub(super) fn is_table(config: &Value) -> bool {
    let kind = config["model_type"].as_str().unwrap_or_default();
    let made = config["architectures"][0].as_str().unwrap_or_default();
    kind == "model2vec" || made == "StaticModel"
}

/// The shape in `config.json`, checked for what can be computed here.
pub(super) fn shape(folder: &Path, config: &Value) -> Result<Shape, IndexError> {
    let place = folder.join("config.json");
    let wrong = |why: String| Err(IndexError::model(&place, why));
    let kind = config["model_type"].as_str().unwrap_or_default();
    if kind != "bert" {
        return wrong(format!("models of the kind `{kind}` cannot be run; those that can are bert and model2vec"));
    }
    let shape: Shape = serde_json::from_value(config.clone()).map_err(|it| IndexError::model(&place, it))?;
    if shape.hidden_act != "gelu" {
        return wrong(format!("the activation `{}` is not known; `gelu` is", shape.hidden_act));
    }
    if shape.position_embedding_type != "absolute" {
        return wrong(format!("positions of the kind `{}` are not known", shape.position_embedding_type));
    }
    if shape.num_attention_heads == 0
        || !shape.hidden_size.is_multiple_of(shape.num_attention_heads)
        || shape.hidden_size == 0
    {
        return wrong(format!("{} numbers cannot have {} heads", shape.hidden_size, shape.num_attention_heads));
    }
    if shape.max_position_embeddings < 3 {
        return wrong("there is no room for a text".to_owned());
    }
    Ok(shape)
}

/// How tokens are pooled; by their mean where nothing is said.
pub(super) fn pooling(folder: &Path) -> Result<Pooling, IndexError> {
    let place = folder.join("1_Pooling/config.json");
    if !place.exists() {
        return Ok(Pooling::Mean);
    }
    let said = json(&place)?;
    let has = |key: &str| said[key].as_bool().unwrap_or_default();
    match (has("pooling_mode_mean_tokens"), has("pooling_mode_cls_token")) {
        (true, false) => Ok(Pooling::Mean),
        (false, true) => Ok(Pooling::First),
        _ => Err(IndexError::model(&place, "tokens can be pooled by their mean or by the first alone")),
    }
}

/// The most tokens of a text, the two that mark its ends among them.
pub(super) fn longest(folder: &Path, shape: &Shape) -> usize {
    let said = json(&folder.join("sentence_bert_config.json")).ok();
    let said = said.and_then(|it| it["max_seq_length"].as_u64()).and_then(|it| usize::try_from(it).ok());
    said.unwrap_or(shape.max_position_embeddings).clamp(3, shape.max_position_embeddings)
}
