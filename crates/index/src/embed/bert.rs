//! A BERT encoder, computed on the processor: token, position and kind vectors, layers of attention, one vector per text.
//!
//! After Devlin et al. 2018 and, for pooling, Reimers & Gurevych 2019. Each text is computed by itself, so that no padding
//! takes part; several run on several threads. Nothing is kept between two texts.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use ndarray::{Array1, Array2, ArrayView2, Axis, s};

use super::settings::{self, Pooling, Shape};
use super::tensors::{Tensors, Weights};
use super::words::Words;
use super::{Embedder, normalise};
use crate::IndexError;

/// A model with its weights.
pub(super) struct Bert {
    name: String,
    words: Words,
    ends: (u32, u32),
    shape: Shape,
    pooling: Pooling,
    longest: usize,
    /// The vectors of tokens, and of positions together with that of a text of the first kind.
    tokens: Array2<f32>,
    positions: Array2<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    hurried: AtomicBool,
}

/// What each row is scaled and moved by once its mean is zero and its variance one.
struct Norm {
    weight: Array1<f32>,
    bias: Array1<f32>,
    eps: f32,
}

/// A linear map; a row of the weight for each number that comes out.
struct Linear {
    weight: Array2<f32>,
    bias: Array1<f32>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mixed: Linear,
    mixed_norm: Norm,
    up: Linear,
    down: Linear,
    down_norm: Norm,
}

impl Bert {
    pub(super) fn open(folder: &Path, name: &str, config: &serde_json::Value) -> Result<Bert, IndexError> {
        let shape = settings::shape(folder, config)?;
        let words = Words::open(folder)?;
        let no_ends = || IndexError::model(folder, "its vocabulary lacks [CLS] or [SEP]");
        let ends = words.ends.ok_or_else(no_ends)?;
        let weights = Weights::read(folder)?;
        let all = weights.tensors()?;
        let (hidden, eps) = (shape.hidden_size, shape.layer_norm_eps);
        let tokens = all.table("embeddings.word_embeddings.weight", None, hidden)?;
        if tokens.nrows() < words.len() {
            let why = format!("its vocabulary has {} tokens, its weights {}", words.len(), tokens.nrows());
            return Err(IndexError::model(folder, why));
        }
        let rows = Some(shape.max_position_embeddings);
        let mut positions = all.table("embeddings.position_embeddings.weight", rows, hidden)?;
        let kinds = all.table("embeddings.token_type_embeddings.weight", None, hidden)?;
        if let Some(first) = kinds.rows().into_iter().next() {
            positions += &first;
        }
        let norm = Norm::new(&all, "embeddings.LayerNorm", hidden, eps)?;
        let layers = (0..shape.num_hidden_layers).map(|it| Layer::new(&all, it, hidden, eps));
        let layers = layers.collect::<Result<_, _>>()?;
        let (pooling, longest) = (settings::pooling(folder)?, settings::longest(folder, &shape));
        let (name, hurried) = (name.to_owned(), AtomicBool::new(false));
        Ok(Bert { name, words, ends, shape, pooling, longest, tokens, positions, norm, layers, hurried })
    }

    fn one(&self, text: &str) -> Vec<f32> {
        let mut tokens = vec![self.ends.0];
        tokens.extend(self.words.tokens(text, self.longest - 2));
        tokens.push(self.ends.1);
        let mut rows = Array2::zeros((tokens.len(), self.shape.hidden_size));
        for (position, (token, mut row)) in tokens.iter().zip(rows.rows_mut()).enumerate() {
            row.assign(&self.tokens.row(*token as usize));
            row += &self.positions.row(position);
        }
        self.norm.apply(&mut rows);
        for layer in &self.layers {
            layer.apply(&mut rows, self.shape.num_attention_heads);
        }
        let pooled = match self.pooling {
            Pooling::Mean => rows.mean_axis(Axis(0)).expect("a text has at least the tokens of its ends"),
            Pooling::First => rows.row(0).to_owned(),
        };
        let mut vector = pooled.to_vec();
        normalise(&mut vector);
        vector
    }
}

impl Embedder for Bert {
    fn name(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> usize {
        self.shape.hidden_size
    }

    fn hurry(&self) {
        self.hurried.store(true, Ordering::Relaxed);
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // The other half of the processor is for what somebody waits for.
        let wanted = if self.hurried.load(Ordering::Relaxed) { cores } else { cores.div_ceil(2) };
        let threads = wanted.min(texts.len());
        let next = AtomicUsize::new(0);
        let made = Mutex::new(vec![Vec::new(); texts.len()]);
        let work = || {
            while let Some((number, text)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|it| Some((it, texts.get(it)?)))
            {
                let vector = self.one(text);
                made.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[number] = vector;
            }
        };
        std::thread::scope(|scope| {
            (1..threads).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        Ok(made.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

impl Norm {
    fn new(all: &Tensors<'_>, name: &str, size: usize, eps: f32) -> Result<Norm, IndexError> {
        // Weights that came from TensorFlow have the older names.
        let old = all.has(&format!("{name}.gamma"));
        let (weight, bias) = if old { ("gamma", "beta") } else { ("weight", "bias") };
        let row = |it: &str| all.row(&format!("{name}.{it}"), size);
        Ok(Norm { weight: row(weight)?, bias: row(bias)?, eps })
    }

    fn apply(&self, rows: &mut Array2<f32>) {
        let (weight, bias) = (self.weight.as_slice(), self.bias.as_slice());
        let (Some(weight), Some(bias)) = (weight, bias) else { return };
        for mut row in rows.rows_mut() {
            let Some(row) = row.as_slice_mut() else { continue };
            let size = row.len() as f32;
            let mean = row.iter().sum::<f32>() / size;
            let variance = row.iter().map(|it| (it - mean) * (it - mean)).sum::<f32>() / size;
            let scale = 1.0 / (variance + self.eps).sqrt();
            for ((it, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
                *it = (*it - mean) * scale * weight + bias;
            }
        }
    }
}

impl Linear {
    fn new(all: &Tensors<'_>, name: &str, into: Option<usize>, from: usize) -> Result<Linear, IndexError> {
        let weight = all.table(&format!("{name}.weight"), into, from)?;
        let bias = all.row(&format!("{name}.bias"), weight.nrows())?;
        Ok(Linear { weight, bias })
    }

    fn apply(&self, rows: ArrayView2<'_, f32>) -> Array2<f32> {
        rows.dot(&self.weight.t()) + &self.bias
    }
}

impl Layer {
    fn new(all: &Tensors<'_>, number: usize, hidden: usize, eps: f32) -> Result<Layer, IndexError> {
        let name = |it: &str| format!("encoder.layer.{number}.{it}");
        let square = |it: &str| Linear::new(all, &name(it), Some(hidden), hidden);
        let up = Linear::new(all, &name("intermediate.dense"), None, hidden)?;
        let down = Linear::new(all, &name("output.dense"), Some(hidden), up.weight.nrows())?;
        Ok(Layer {
            query: square("attention.self.query")?,
            key: square("attention.self.key")?,
            value: square("attention.self.value")?,
            mixed: square("attention.output.dense")?,
            mixed_norm: Norm::new(all, &name("attention.output.LayerNorm"), hidden, eps)?,
            up,
            down,
            down_norm: Norm::new(all, &name("output.LayerNorm"), hidden, eps)?,
        })
    }

    fn apply(&self, rows: &mut Array2<f32>, heads: usize) {
        let attended = self.attend(rows, heads);
        *rows += &self.mixed.apply(attended.view());
        self.mixed_norm.apply(rows);
        let mut wide = self.up.apply(rows.view());
        wide.mapv_inplace(gelu);
        *rows += &self.down.apply(wide.view());
        self.down_norm.apply(rows);
    }

    /// Each token's mean of all tokens' values, weighed by how well its query fits their keys, head by head.
    fn attend(&self, rows: &Array2<f32>, heads: usize) -> Array2<f32> {
        let (query, key, value) =
            (self.query.apply(rows.view()), self.key.apply(rows.view()), self.value.apply(rows.view()));
        let size = rows.ncols() / heads;
        let scale = 1.0 / (size as f32).sqrt();
        let mut attended = Array2::zeros(rows.raw_dim());
        for head in 0..heads {
            let part = s![.., head * size..(head + 1) * size];
            let mut weights = query.slice(part).dot(&key.slice(part).t());
            for mut row in weights.rows_mut() {
                if let Some(row) = row.as_slice_mut() {
                    soften(row, scale);
                }
            }
            attended.slice_mut(part).assign(&weights.dot(&value.slice(part)));
        }
        attended
    }
}

/// Softmax of a row, scaled first.
fn soften(row: &mut [f32], scale: f32) {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for it in row.iter_mut() {
        *it = exp((*it - most) * scale);
        sum += *it;
    }
    row.iter_mut().for_each(|it| *it /= sum);
}

/// The Gaussian error linear unit, with the error function after Abramowitz & Stegun 7.1.26 (wrong by at most 1.5e-7).
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let sum = ((((1.061_405_4 * t - 1.453_152) * t + 1.421_413_8) * t - 0.284_496_74) * t + 0.254_829_6) * t;
    let erf = (1.0 - sum * exp(-z * z)).copysign(x);
    0.5 * x * (1.0 + erf)
}

/// `e` to the power of a number that is not positive, by a polynomial for the fraction of the power of two; wrong by about one
/// part in a million, and without a call, so that several are computed at once.
fn exp(x: f32) -> f32 {
    let power = (x * std::f32::consts::LOG2_E).max(-126.0);
    // The nearest whole number, because truncation goes towards zero.
    let whole = (power - 0.5) as i32;
    let rest = (power - whole as f32) * std::f32::consts::LN_2;
    let series = 1.0
        + rest
            * (1.0
                + rest
                    * (0.5
                        + rest
                            * (1.0 / 6.0
                                + rest
                                    * (1.0 / 24.0
                                        + rest * (1.0 / 120.0 + rest * (1.0 / 720.0 + rest * (1.0 / 5040.0)))))));
    series * f32::from_bits(((whole + 127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_and_units_are_as_precise_as_single_precision_needs() {
        for step in 0..20_000 {
            let x = -step as f32 / 200.0;
            let (found, right) = (f64::from(exp(x)), f64::from(x).exp());
            // The argument itself has no more than seven digits.
            let allowed = (1e-6 + 1.2e-7 * f64::from(x.abs())) * right + 1e-37;
            assert!((found - right).abs() <= allowed, "{x}: {found} {right}");
        }
        // From tables of the normal distribution.
        for (x, expected) in
            [(0.0, 0.0), (1.0, 0.841_344_7), (-1.0, -0.158_655_3), (2.0, 1.954_499_7), (-3.0, -0.004_049_7)]
        {
            assert!((gelu(x) - expected).abs() < 2e-6, "{x}: {}", gelu(x));
        }
    }

    #[test]
    fn softened_rows_add_up_to_one() {
        let mut row = [1.0, 2.0, 3.0, -1e9];
        soften(&mut row, 1.0);
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-6 && row[3] < 1e-30);
        assert!((row[2] / row[1] - std::f32::consts::E).abs() < 1e-4);
    }
}
