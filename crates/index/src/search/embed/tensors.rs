//! The weights of a model: named tables of numbers from one safetensors file.
//!
//! Whatever width they are stored in, they are single precision here.

use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};

use crate::IndexError;

/// The bytes of a file of weights.
pub(super) struct Weights {
    place: PathBuf,
    bytes: Vec<u8>,
}

/// The sizes of a table, and its numbers row by row.
type Numbers = (Vec<usize>, Vec<f32>);

impl Weights {
    pub(super) fn read(folder: &Path) -> Result<Weights, IndexError> {
        let place = folder.join("model.safetensors");
        let bytes = std::fs::read(&place).map_err(|it| IndexError::model(&place, it))?;
        Ok(Weights { place, bytes })
    }

    /// The numbers of a table; none where there is no table of this name.
    pub(super) fn numbers(&self, name: &str) -> Result<Option<Numbers>, IndexError> {
        let wrong = |why: String| IndexError::model(&self.place, why);
        let all = SafeTensors::deserialize(&self.bytes).map_err(|it| wrong(it.to_string()))?;
        let Ok(tensor) = all.tensor(name) else { return Ok(None) };
        let bytes = tensor.data();
        let numbers = match tensor.dtype() {
            Dtype::F32 => bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect(),
            Dtype::F64 => bytes.as_chunks().0.iter().map(|it| f64::from_le_bytes(*it) as f32).collect(),
            Dtype::F16 => bytes.as_chunks().0.iter().map(|it| half(u16::from_le_bytes(*it))).collect(),
            Dtype::BF16 => bytes.as_chunks().0.iter().map(|it| brain(u16::from_le_bytes(*it))).collect(),
            Dtype::I8 => bytes.iter().map(|it| f32::from(it.cast_signed())).collect(),
            Dtype::I32 => bytes.as_chunks().0.iter().map(|it| i32::from_le_bytes(*it) as f32).collect(),
            Dtype::I64 => bytes.as_chunks().0.iter().map(|it| i64::from_le_bytes(*it) as f32).collect(),
            other => return Err(wrong(format!("{name} holds numbers of the type {other:?}"))),
        };
        Ok(Some((tensor.shape().to_vec(), numbers)))
    }
}

/// IEEE half precision.
fn half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f32::from(bits & 0x3ff));
    sign * match exponent {
        0 => fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction / 1024.0) * 2f32.powi(exponent - 15),
    }
}

/// The upper half of a single precision number.
fn brain(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let cases = [(0x0000, 0.0), (0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_95), (0x7bff, 65504.0)];
        for (bits, expected) in cases {
            assert_eq!(half(bits), expected, "{bits:x}");
        }
        assert_eq!(half(0x0001), 5.960_464_5e-8);
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
        assert_eq!((brain(0x3f80), brain(0xc040)), (1.0, -3.0));
    }
}
