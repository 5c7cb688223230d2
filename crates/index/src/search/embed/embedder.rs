//! What makes vectors of texts.

use std::path::Path;

use crate::IndexError;

/// Something that turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// What the model is called.
    fn name(&self) -> &str;

    /// What its vectors are kept under: those of different keys are never compared. Another model of the same name has
    /// another one.
    fn key(&self) -> String {
        self.name().to_owned()
    }

    /// How many numbers a vector has; zero where that is known only after the first text.
    fn dimensions(&self) -> usize;

    /// How many texts are best given at once.
    fn batch(&self) -> usize {
        32
    }

    /// One vector for each text, in their order. Texts that are too long are cut by the model. It may take seconds: not
    /// for a thread that anybody waits for.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError>;
}

/// Reads a JSON file of a model.
pub(super) fn read_json(place: &Path) -> Result<serde_json::Value, IndexError> {
    let bytes = std::fs::read(place).map_err(|it| IndexError::model(place, it))?;
    serde_json::from_slice(&bytes).map_err(|it| IndexError::model(place, it))
}

/// Makes a vector one long; what is nothing stays nothing.
pub(super) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|it| *it /= length);
    }
}
