//! Texts as vectors: what two texts mean alike lies close, whatever their words.
//!
//! Optional in all: without a model nothing here runs, and no answer waits for it. Vectors are made in the background,
//! in batches, from contents that the index knows, and are kept beside it; whoever makes them is an [`Embedder`]: a
//! model in a local folder ([`open`]), or an endpoint that `agent` wraps. Nothing here fetches anything.

mod embedder;
mod fill;
mod similar;
mod table;
mod tensors;
mod vectors;
mod words;

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::IndexError;

pub use embedder::Embedder;
pub use fill::{Filled, fill};
pub use similar::{ALIKE, Similar, similar};
pub use vectors::Vectors;

/// The files of which a model in a folder may consist; the first two have to be there, and one of the next two.
pub const FILES: [&str; 6] =
    ["config.json", "model.safetensors", "tokenizer.json", "vocab.txt", "tokenizer_config.json", "README.md"];

/// Opens the model in `folder` under the name `name`: a table of vectors (model2vec). Reads all of its weights. Fails where a
/// file is missing or damaged, or the model is of another kind: an encoder is asked at an endpoint.
pub fn open(folder: &Path, name: &str) -> Result<Box<dyn Embedder>, IndexError> {
    let place = folder.join("config.json");
    let config = embedder::read_json(&place)?;
    let kind = config["model_type"].as_str().unwrap_or_default();
    if kind != "model2vec" && config["architectures"][0] != "StaticModel" {
        let why = format!(
            "a model of the kind `{kind}` cannot be run here, only a table of vectors (`model2vec`); serve it at an endpoint and \
             name that with `roles.embedding`"
        );
        return Err(IndexError::model(&place, why));
    }
    Ok(Box::new(table::Table::open(folder, name)?))
}

/// A few digits that tell the model in `folder` from every other, made from its files (SHA-256). Reads all of them.
pub fn fingerprint(folder: &Path) -> std::io::Result<String> {
    let mut digest = Sha256::new();
    for name in FILES.iter().filter(|it| !it.ends_with(".md") && folder.join(it).is_file()) {
        digest.update(name);
        digest.update(Sha256::digest(std::fs::read(folder.join(name))?));
    }
    Ok(digest.finalize()[..6].iter().map(|it| format!("{it:02x}")).collect())
}
