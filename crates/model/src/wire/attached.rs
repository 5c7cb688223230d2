//! What is attached to a message: pictures, PDF documents and texts, told apart by their media type.
//!
//! Nothing is dropped without a word: what a model cannot take is named in its place.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_protocol::Image;

/// The endings of files that are attached, each with its media type.
const KINDS: &[(&str, &str)] = &[
    ("png", "image/png"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("gif", "image/gif"),
    ("webp", "image/webp"),
    ("pdf", PDF),
    ("txt", "text/plain"),
    ("log", "text/plain"),
    ("md", "text/markdown"),
    ("csv", "text/csv"),
    ("html", "text/html"),
    ("htm", "text/html"),
    ("xml", "text/xml"),
    ("json", "application/json"),
    ("yaml", "text/yaml"),
    ("yml", "text/yaml"),
];

const PDF: &str = "application/pdf";

/// A picture or document for a prompt, from its file's name and bytes; none where the ending is not one that is known, or
/// where the bytes are something else than the ending says.
pub fn attachment(name: &str, bytes: &[u8]) -> Option<Image> {
    let ending = name.rsplit_once('.')?.1.to_ascii_lowercase();
    let (_, media_type) = KINDS.iter().find(|(it, _)| *it == ending)?;
    let right = match *media_type {
        PDF => bytes.starts_with(b"%PDF-"),
        it if it.starts_with("image/") => true,
        _ => std::str::from_utf8(bytes).is_ok_and(|it| !it.contains('\0')),
    };
    right.then(|| Image { media_type: media_type.to_string(), data: STANDARD.encode(bytes), name: name.to_string() })
}

/// True for what is no picture.
pub fn is_document(attached: &Image) -> bool {
    !attached.media_type.starts_with("image/")
}

/// What an attachment is to a wire format.
pub(crate) enum Attached {
    /// A picture.
    Picture,
    /// A PDF document.
    Pdf,
    /// Text, as it reads.
    Text(String),
}

impl Attached {
    /// What `it` is. A document that is neither a PDF nor text goes as the former does: as a file that only some take.
    pub(crate) fn of(it: &Image) -> Attached {
        if !is_document(it) {
            return Attached::Picture;
        }
        let read = || String::from_utf8(STANDARD.decode(&it.data).ok()?).ok();
        let text = if it.media_type == PDF { None } else { read() };
        text.map_or(Attached::Pdf, Attached::Text)
    }
}

/// The file's own name, as providers want it beside its content.
pub(crate) fn file_name(it: &Image) -> &str {
    let name = it.name.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.is_empty() { "document.pdf" } else { name }
}

/// Content as an address that holds it.
pub(crate) fn data_url(it: &Image) -> String {
    format!("data:{};base64,{}", it.media_type, it.data)
}

/// The picture that an address holds; none where it holds none.
pub(crate) fn of_data_url(url: &str) -> Option<Image> {
    let (media_type, data) = url.strip_prefix("data:")?.split_once(";base64,")?;
    made_of(media_type, data)
}

/// A picture that a model made; none where there is no data or it is no picture.
pub(crate) fn made_of(media_type: &str, data: &str) -> Option<Image> {
    let whole = !data.is_empty() && media_type.starts_with("image/");
    whole.then(|| Image { media_type: media_type.to_string(), data: data.to_string(), name: String::new() })
}

/// A text as part of a prompt.
pub(crate) fn in_words(it: &Image, text: &str) -> String {
    format!("<document name=\"{}\">\n{}\n</document>", file_name(it), text.trim_end())
}

/// What stands in place of something that a model cannot take.
pub(crate) fn unseen(it: &Image) -> String {
    if is_document(it) {
        return format!("(A document stands here that you cannot read: {})", it.name);
    }
    format!("(A picture stands here that you cannot see: {})", it.name)
}

/// Says behind a reply's text that a picture stood there which the model made itself.
pub(crate) fn tell_made(text: &mut String, it: &Image) {
    if !text.is_empty() {
        text.push_str("\n\n");
    }
    let name = if it.name.is_empty() { String::new() } else { format!(": {}", it.name) };
    text.push_str(&format!("(You made a picture here{name})"));
}

/// A picture for a prompt, from the bytes of its file.
pub fn image(media_type: &str, bytes: &[u8], name: String) -> Image {
    let data = STANDARD.encode(bytes);
    Image { media_type: media_type.to_string(), data, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_is_what_its_ending_and_its_bytes_say() {
        let kind = |name: &str, bytes: &[u8]| attachment(name, bytes).map(|it| it.media_type);
        assert_eq!(kind("a/b.PDF", b"%PDF-1.7 ...").as_deref(), Some("application/pdf"));
        assert_eq!(kind("a.pdf", b"<html>"), None);
        assert_eq!(kind("notes.md", "Grüße".as_bytes()).as_deref(), Some("text/markdown"));
        assert_eq!(kind("notes.txt", b"\xff\xfe"), None);
        assert_eq!(kind("shot.webp", b"RIFF").as_deref(), Some("image/webp"));
        assert_eq!((kind("a.exe", b"MZ"), kind("pdf", b"%PDF-")), (None, None));
    }

    #[test]
    fn a_text_reads_as_itself() {
        let text = attachment("docs/notes.md", b"# Plan\n").unwrap();
        let Attached::Text(words) = Attached::of(&text) else { panic!("it is a text") };
        assert_eq!(in_words(&text, &words), "<document name=\"notes.md\">\n# Plan\n</document>");
        assert!(matches!(Attached::of(&attachment("x.pdf", b"%PDF-1").unwrap()), Attached::Pdf));
        assert!(matches!(
            Attached::of(&crate::wire::attached::image("image/png", b"x", String::new())),
            Attached::Picture
        ));
    }
}
