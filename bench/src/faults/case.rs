//! The corpus: one case a line.

use std::path::Path;

use anyhow::{Context, Result};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::DecodePaddingMode::Indifferent;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};
use serde_json::Value;

/// One case.
pub struct Case {
    pub id: String,
    pub kind: String,
    pub format: String,
    pub input: Value,
    pub expect: Value,
    pub why: String,
}

impl Case {
    /// The pieces of a body: `chunks_b64`, or as they are in `chunks`.
    pub fn chunks(&self) -> Vec<Vec<u8>> {
        let list = |key: &str| self.input[key].as_array().into_iter().flatten().filter_map(Value::as_str);
        list("chunks_b64").map(base64).chain(list("chunks").map(|it| it.as_bytes().to_vec())).collect()
    }

    /// What Ox is expected to do.
    pub fn action(&self) -> &str {
        self.expect["action"].as_str().unwrap_or_default()
    }
}

/// Reads all cases of a file.
pub fn read(path: &Path) -> Result<Vec<Case>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    text.lines().filter(|it| !it.trim().is_empty()).enumerate().map(|(at, line)| one(at + 1, line)).collect()
}

fn one(number: usize, line: &str) -> Result<Case> {
    let value: Value = serde_json::from_str(line).with_context(|| format!("line {number} is not JSON"))?;
    let text = |key: &str| value[key].as_str().unwrap_or_default().to_string();
    Ok(Case {
        id: text("id"),
        kind: text("kind"),
        format: text("format"),
        input: value["input"].clone(),
        expect: value["expect"].clone(),
        why: text("why"),
    })
}

/// The bytes of a base64 text, with or without padding; none where it is no base64.
pub fn base64(text: &str) -> Vec<u8> {
    const ANY: GeneralPurpose =
        GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(Indifferent));
    ANY.decode(text.trim()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_all_lengths() {
        for (text, bytes) in [("", ""), ("YQ==", "a"), ("YWI=", "ab"), ("YWJj", "abc"), ("YWJjZA", "abcd")] {
            assert_eq!(base64(text), bytes.as_bytes(), "{text}");
        }
    }
}
