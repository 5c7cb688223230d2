//! A model that is a table: one vector for each token, their mean for a text (model2vec). Hundreds of times as fast as a
//! network, and somewhat less exact.

use std::path::Path;

use super::embedder::{Embedder, normalise};
use super::tensors::Weights;
use super::words::Words;
use crate::IndexError;

/// The most tokens of a text.
const LONGEST: usize = 512;

/// A table with its vocabulary.
pub(super) struct Table {
    name: String,
    words: Words,
    /// One row of `columns` numbers after the other.
    vectors: Vec<f32>,
    columns: usize,
    /// What each token counts; all alike where there is none.
    weights: Option<Vec<f32>>,
    /// The row of each token; its own number where there is none.
    rows: Option<Vec<f32>>,
}

impl Table {
    pub(super) fn open(folder: &Path, name: &str) -> Result<Table, IndexError> {
        let words = Words::open(folder)?;
        let file = Weights::read(folder)?;
        let wrong = |why: String| IndexError::model(folder, why);
        let none = || wrong("it has no table of the name `embeddings`".to_owned());
        let (shape, vectors) = file.numbers("embeddings")?.ok_or_else(none)?;
        let [rows, columns] = shape[..] else { return Err(wrong(format!("its table has the sizes {shape:?}"))) };
        let optional = |name: &str| Ok::<_, IndexError>(file.numbers(name)?.map(|it| it.1));
        let (weights, mapping) = (optional("weights")?, optional("mapping")?);
        let known = mapping.as_ref().map_or(rows, Vec::len);
        let fits = |it: &f32| *it >= 0.0 && (*it as usize) < rows;
        let mapped = mapping.as_ref().is_none_or(|all| all.iter().all(fits));
        let weighed = weights.as_ref().is_none_or(|it| it.len() >= words.len());
        if known < words.len() || !mapped || !weighed {
            return Err(wrong(format!("its vocabulary has {} tokens, its table {known}", words.len())));
        }
        Ok(Table { name: name.to_owned(), words, vectors, columns, weights, rows: mapping })
    }

    fn one(&self, text: &str) -> Vec<f32> {
        let mut sum = vec![0.0; self.columns];
        for token in self.words.tokens(text, LONGEST) {
            // What is not known says nothing.
            if Some(token) == self.words.unknown {
                continue;
            }
            let row = self.rows.as_ref().map_or(token as usize, |it| it[token as usize] as usize);
            let weight = self.weights.as_ref().map_or(1.0, |it| it[token as usize]);
            sum.iter_mut()
                .zip(&self.vectors[row * self.columns..][..self.columns])
                .for_each(|(sum, it)| *sum += weight * it);
        }
        normalise(&mut sum);
        sum
    }
}

impl Embedder for Table {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.columns
    }

    fn batch(&self) -> usize {
        512
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        Ok(texts.iter().map(|it| self.one(it)).collect())
    }
}
