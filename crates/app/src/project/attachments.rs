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

/// The pictures that a prompt names, in order: words that end in `.png`, `.jpg`, `.jpeg`, `.gif` or `.webp`, with or
/// without `@`, in quotes where the path has spaces. A name without a file is left alone; it may be one to be made. The
/// problems are those of files that are there and cannot be attached.
pub fn named_images(prompt: &str) -> (Vec<Image>, Vec<Problem>) {
    let (mut images, mut problems) = (Vec::new(), Vec::new());
    let paths = image_paths(prompt);
    let first = |(at, path): &(usize, &String)| !paths[..*at].contains(*path);
    for (_, path) in paths.iter().enumerate().filter(first).filter(|(_, it)| Path::new(it).is_file()) {
        match image(Path::new(path)) {
            Ok(image) => images.push(image),
            Err(problem) => problems.push(problem),
        }
    }
    (images, problems)
}

/// True where the end of a path says that it is a picture's.
pub fn names_image(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [".png", ".jpg", ".jpeg", ".gif", ".webp"].iter().any(|end| lower.ends_with(end) && lower.len() > end.len())
}

fn image_paths(prompt: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = prompt;
    while let Some(at) = rest.find(|c: char| !c.is_whitespace()) {
        rest = &rest[at..];
        let bare = rest.strip_prefix('@').unwrap_or(rest);
        let quote = bare.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
        let quoted = quote.and_then(|mark| bare[1..].split_once(mark));
        let word = match quoted {
            Some((inside, after)) => {
                rest = after;
                inside
            }
            None => {
                let end = bare.find(char::is_whitespace).unwrap_or(bare.len());
                rest = &bare[end..];
                bare[..end].trim_matches(|c: char| matches!(c, ',' | ';' | ':' | '?' | '!' | '(' | ')' | '"' | '\''))
            }
        };
        let word = word.trim_end_matches('.');
        if names_image(word) {
            out.push(word.to_string());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn image_paths_are_found_in_prompts() {
        let cases: [(&str, &[&str]); 6] = [
            ("make it look like @docs/shot.png, please", &["docs/shot.png"]),
            ("compare a.PNG and b.jpeg.", &["a.PNG", "b.jpeg"]),
            ("see \"my shots/one two.webp\" (and c.gif)", &["my shots/one two.webp", "c.gif"]),
            ("don't touch .png files or src/png.rs", &[]),
            ("", &[]),
            ("@'x y.png'", &["x y.png"]),
        ];
        for (prompt, expected) in cases {
            assert_eq!(image_paths(prompt), expected, "{prompt}");
        }
    }
}
