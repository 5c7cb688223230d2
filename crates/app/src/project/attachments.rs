//! Pictures and documents that come with a prompt.

use std::path::Path;

use ox_protocol::{Image, Problem};

use super::Project;

/// Bytes of an attachment: as base64 it still fits into the 20 MB that the strictest provider takes in a request.
const ATTACHED: u64 = 14 << 20;

/// Reads a picture or document for a prompt.
pub fn image(path: &Path) -> Result<Image, Problem> {
    let shown = path.display().to_string();
    let unreadable = |error| Problem::new("usage.image").with("path", &shown).with("why", error);
    if std::fs::metadata(path).map_err(unreadable)?.len() > ATTACHED {
        return Err(Problem::new("usage.image_large").with("path", shown).with("most", ATTACHED >> 20));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    ox_model::attachment(&shown, &bytes).ok_or_else(|| Problem::new("usage.image_kind").with("path", shown))
}

impl Project {
    /// Refuses documents that the main model cannot take; a text goes to any model.
    pub fn check_attached(&self, attached: &[Image]) -> Result<(), Problem> {
        let Some(document) = attached.iter().find(|it| it.media_type == "application/pdf") else { return Ok(()) };
        let name = self.main_model()?;
        if ox_model::takes_documents(&self.model_choice(None), &name) {
            return Ok(());
        }
        Err(Problem::new("usage.document_model").with("model", name).with("path", &document.name))
    }
}
