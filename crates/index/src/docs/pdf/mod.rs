//! The text of a PDF as Markdown: a heading for each page, what is set larger than the rest as headings beneath, a line for
//! each line. `lopdf` reads the file; the order of the text is that of the page's program. Nothing is drawn, run or fetched,
//! sizes and time are bounded, and a file that cannot be read gives a sentence that says why, never a panic.

mod page;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::panic::catch_unwind;
use std::time::{Duration, Instant};

use lopdf::{Document, LoadOptions};

use page::{Line, Reading};

/// Bytes of a file that is read.
const LARGEST: usize = 32 << 20;
/// Bytes that one of its streams may unfold to.
const STREAM: usize = 32 << 20;
/// Pages that are read.
const PAGES: usize = 3_000;
/// Bytes of text that are kept.
const TEXT: usize = 4 << 20;
/// For all pages of a file; what was read until then counts.
const TIME: Duration = Duration::from_secs(10);
/// Bytes of the stack for reading, which goes as deep as the file's lists do.
const STACK: usize = 16 << 20;
/// How much larger than the rest a heading is set.
const LARGER: f32 = 1.15;
/// Letters in a line that may be a heading at most.
const HEADING: usize = 120;

/// The text of the PDF `bytes`, or a sentence that says why there is none.
pub fn text(bytes: &[u8]) -> String {
    if bytes.len() > LARGEST {
        return format!("This PDF has more than {} MiB and is not read.\n", LARGEST >> 20);
    }
    let bytes = bytes.to_vec();
    // A reader that gives up in the middle of a broken file must not take the session with it.
    let work = move || catch_unwind(|| read(&bytes)).unwrap_or_else(|_| Err("it is damaged".to_owned()));
    let started = std::thread::Builder::new().name("pdf".into()).stack_size(STACK).spawn(work);
    let read = started
        .map_err(|error| error.to_string())
        .and_then(|it| it.join().unwrap_or_else(|_| Err("it is damaged".to_owned())));
    read.unwrap_or_else(|why| format!("The text of this PDF cannot be read: {why}.\n"))
}

fn read(bytes: &[u8]) -> Result<String, String> {
    let options = LoadOptions { max_decompressed_size: Some(STREAM), ..LoadOptions::default() };
    let document = Document::load_mem_with_options(bytes, options).map_err(|error| match error {
        lopdf::Error::Decryption(_) | lopdf::Error::InvalidPassword => "it is encrypted with a password".to_owned(),
        other => other.to_string(),
    })?;
    if document.is_encrypted() {
        return Err("it is encrypted with a password".to_owned());
    }
    let until = Instant::now() + TIME;
    let mut pages: Vec<Vec<Line>> = Vec::new();
    let mut length = 0;
    for id in document.page_iter().take(PAGES) {
        let lines = Reading::new(&document, until, STREAM).page(id);
        length += lines.iter().map(|it| it.text.len()).sum::<usize>();
        pages.push(lines);
        if length > TEXT || Instant::now() > until {
            break;
        }
    }
    match (pages.len(), length) {
        (0, _) => Err("it has no pages".to_owned()),
        (_, 0) => Err("it has no text, only pictures or drawings".to_owned()),
        _ => Ok(markdown(&pages)),
    }
}

/// A heading for each page, and for each line that is set larger than most of the text.
fn markdown(pages: &[Vec<Line>]) -> String {
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    for line in pages.iter().flatten() {
        *sizes.entry(tenths(line.size)).or_default() += line.text.len();
    }
    let usual = sizes.into_iter().max_by_key(|it| (it.1, it.0)).map_or(0.0, |it| it.0 as f32 / 10.0);
    let mut out = String::new();
    for (number, lines) in (1..).zip(pages).filter(|it| !it.1.is_empty()) {
        let _ = writeln!(out, "# Page {number}\n");
        for line in lines {
            let text = line.text.trim();
            let is_heading =
                line.size > usual * LARGER && text.len() <= HEADING && text.chars().any(char::is_alphabetic);
            // What looks like Markdown is none.
            let mark = if is_heading {
                "## "
            } else if text.starts_with(['#', '`', '~', '=', '-']) {
                "\\"
            } else {
                ""
            };
            let _ = writeln!(out, "{mark}{text}");
        }
        out.push('\n');
    }
    out.truncate(out.floor_char_boundary(TEXT));
    out
}

fn tenths(size: f32) -> u32 {
    (size.clamp(0.0, 1_000.0) * 10.0).round() as u32
}
