//! Makes a segment of contents, one after the other, in memory.

use std::collections::BTreeSet;

use tantivy::directory::RamDirectory;
use tantivy::{SingleSegmentIndexWriter, TantivyDocument};

use super::contents::Content;
use super::schema::{self, LAYOUT, TEXTS};
use super::segment::{Segment, StoredFacts, only_reader};
use super::strings::quoted;
use crate::search::tokens;
use ox_syntax::{Facts, Import, Symbol};

use crate::IndexError;
use crate::store::files::Key;

/// What imports without any word of their own are found under: `.`, `super`.
pub(crate) const NEARBY: &str = ".";

/// A segment that is being made.
pub(crate) struct Builder {
    writer: SingleSegmentIndexWriter,
    memory: RamDirectory,
    contents: Vec<Content>,
    blob: Vec<u8>,
    docs: u32,
    /// Bytes of text so far.
    pub(crate) source: u64,
}

impl Builder {
    /// Begins a segment of about `expected` bytes of text.
    pub(crate) fn new(expected: u64) -> Result<Builder, IndexError> {
        let memory = RamDirectory::create();
        // The budget only sizes the first table of terms; it grows as needed.
        let budget = usize::try_from(expected.clamp(1 << 20, 1 << 24)).unwrap_or(1 << 20);
        let writer = tantivy::Index::builder()
            .schema(LAYOUT.schema.clone())
            .tokenizers(schema::tokenizers())
            .single_segment_index_writer(memory.clone(), budget)?;
        Ok(Builder { writer, memory, contents: Vec::new(), blob: Vec::new(), docs: 0, source: 0 })
    }

    /// Adds a content; `text` must be what `facts` were made of. It is kept whole if the first says so, and was given up by the
    /// parser if the second does.
    pub(crate) fn add(
        &mut self,
        key: Key,
        text: &str,
        facts: Facts,
        (keep, given_up): (bool, bool),
    ) -> Result<(), IndexError> {
        let count = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let docs = count(facts.chunks.len().max(1));
        for chunk in 0..facts.chunks.len().max(1) {
            self.writer.add_document(document(text, &facts, chunk))?;
        }
        let kept = StoredFacts { facts, text: keep.then(|| text.to_owned()) };
        let bytes = postcard::to_stdvec(&kept).expect("facts can be written");
        self.contents.push(Content {
            key,
            first: self.docs,
            docs,
            lengths: [0; TEXTS],
            at: self.blob.len() as u64,
            len: count(bytes.len()),
            sum: crc32fast::hash(&bytes),
            bytes: count(text.len()),
            symbols: count(kept.facts.symbols.len()),
            references: count(kept.facts.references.len()),
            imports: count(kept.facts.imports.len()),
            chunks: count(kept.facts.chunks.len()),
            given_up: u32::from(given_up),
        });
        self.blob.extend(bytes);
        self.docs += docs;
        self.source += text.len() as u64;
        Ok(())
    }

    /// Ends the segment.
    pub(crate) fn seal(mut self) -> Result<Segment, IndexError> {
        let mut index = self.writer.finalize()?;
        index.set_tokenizers(schema::tokenizers());
        let reader = only_reader(&index)?;
        for (at, field) in LAYOUT.texts.iter().enumerate() {
            let norms = reader.get_fieldnorms_reader(*field)?;
            for content in &mut self.contents {
                content.lengths[at] = (content.first..content.first + content.docs).map(|it| norms.fieldnorm(it)).sum();
            }
        }
        Segment::in_memory(index, self.memory, &self.contents, self.blob)
    }
}

/// The term among the defined names under which the files of a package are found; no name begins like it.
pub(crate) fn package_term(package: &str) -> String {
    format!("\u{1}{package}")
}

/// The term there under which a qualified name is found letter for letter, whatever stands between its parts; no name begins
/// like it either.
pub(crate) fn qualified_term(qualified: &str) -> String {
    let mut term = String::from('\u{2}');
    for part in qualified.split([':', '.', '\\', '/']).filter(|it| !it.is_empty()) {
        term.push('.');
        term.push_str(part);
    }
    term
}

/// What the defined names begin with that are no names.
pub(crate) const BEHIND_TERMS: &str = "\u{3}";
/// A longer qualified name is nobody's.
const LONGEST: usize = 300;

/// The document of one chunk; the first one also has the lists of names.
fn document(text: &str, facts: &Facts, chunk: usize) -> TantivyDocument {
    let mut document = TantivyDocument::new();
    if chunk == 0 {
        defined(facts).iter().for_each(|it| document.add_text(LAYOUT.defined, it));
        let referred: BTreeSet<String> = facts.references.iter().map(|it| it.name.to_lowercase()).collect();
        referred.iter().for_each(|it| document.add_text(LAYOUT.referred, it));
        let imported: BTreeSet<String> = facts.imports.iter().flat_map(words_of).collect();
        imported.iter().for_each(|it| document.add_text(LAYOUT.imported, it));
    }
    let Some(piece) = facts.chunks.get(chunk) else { return document };
    let body = text.get(piece.start_byte as usize..piece.end_byte as usize).unwrap_or_default();
    let owner = piece.symbol.and_then(|it| facts.symbols.get(it as usize));
    let begins = |it: &&Symbol| it.start_byte >= piece.start_byte && it.start_byte < piece.end_byte;
    // Symbols are in the order of the text.
    let from = facts.symbols.partition_point(|it| it.start_byte < piece.start_byte);
    let inside: Vec<&Symbol> = facts.symbols[from..].iter().take_while(|it| it.start_byte < piece.end_byte).collect();
    let outer = owner.filter(|it| !begins(it));
    let all = || outer.into_iter().chain(inside.iter().copied());
    let [name, signature, doc, whole, strings] = LAYOUT.texts;
    let mut put = |field, text: String| {
        if !text.is_empty() {
            document.add_text(field, text);
        }
    };
    put(name, joined(all().map(|it| it.qualified.as_str())));
    put(signature, joined(all().map(|it| it.signature.as_str())));
    put(doc, joined(inside.iter().map(|it| it.doc.as_str())));
    put(strings, quoted(body));
    put(whole, body.to_owned());
    document
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let mut all = String::new();
    for text in texts.filter(|it| !it.is_empty()) {
        all.push_str(text);
        all.push('\n');
    }
    all
}

/// Under which names, and qualified names with and without the package, the definitions are found.
fn defined(facts: &Facts) -> BTreeSet<String> {
    let mut all: Vec<String> = facts.package.iter().map(|it| package_term(it)).collect();
    for symbol in &facts.symbols {
        all.push(symbol.name.to_lowercase());
        let own = qualified_term(&symbol.qualified);
        if let Some(package) = &facts.package {
            all.push(qualified_term(package) + &own[1..]);
        }
        all.push(own);
    }
    all.into_iter().filter(|it| it.len() <= LONGEST && !it.contains(['\n', '\r'])).collect()
}

/// The words of an import, by which paths and it find each other: those of what is written and of the names.
pub(crate) fn words_of(import: &Import) -> Vec<String> {
    let mut words: Vec<String> = tokens(&import.what);
    words.extend(import.names.iter().flat_map(|it| tokens(it)));
    if words.is_empty() || import.what.starts_with('.') || import.what.starts_with("super") {
        words.push(NEARBY.to_owned());
    }
    words
}
