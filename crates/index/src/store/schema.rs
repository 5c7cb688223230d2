//! The fields of the full text, and how their texts become terms.

use std::sync::LazyLock;

use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{RawTokenizer, Token, TokenStream, Tokenizer, TokenizerManager};

use crate::search::Splitter;

/// Name of the tokenizer for code and prose.
const WORDS: &str = "words";
/// Name of the tokenizer for names, each as it is.
const WHOLE: &str = "whole";

/// The fields that are searched by words, in the order in which their lengths are kept.
pub(crate) const TEXTS: usize = 5;

/// All fields.
pub(crate) struct Layout {
    pub(crate) schema: Schema,
    /// Name, signature, doc, body, strings of a chunk.
    pub(crate) texts: [Field; TEXTS],
    /// Names that the content defines, whole, in lower case; on its first chunk.
    pub(crate) defined: Field,
    /// Names that it refers to, likewise.
    pub(crate) referred: Field,
    /// Words of what it imports, likewise.
    pub(crate) imported: Field,
}

/// The one layout. Whoever changes it raises [`crate::store::manifest::FORMAT`].
pub(crate) static LAYOUT: LazyLock<Layout> = LazyLock::new(|| {
    let mut schema = Schema::builder();
    let options = |tokenizer: &str, record, norms| {
        let indexing = TextFieldIndexing::default();
        TextOptions::default()
            .set_indexing_options(indexing.set_tokenizer(tokenizer).set_index_option(record).set_fieldnorms(norms))
    };
    let text = options(WORDS, IndexRecordOption::WithFreqs, true);
    let list = options(WHOLE, IndexRecordOption::Basic, false);
    let texts = ["name", "signature", "doc", "body", "strings"].map(|it| schema.add_text_field(it, text.clone()));
    let [defined, referred, imported] =
        ["defined", "referred", "imported"].map(|it| schema.add_text_field(it, list.clone()));
    Layout { schema: schema.build(), texts, defined, referred, imported }
});

/// The tokenizers that the layout names.
pub(crate) fn tokenizers() -> TokenizerManager {
    let all = TokenizerManager::new();
    all.register(WORDS, Words);
    all.register(WHOLE, RawTokenizer::default());
    all
}

#[derive(Clone)]
struct Words;

struct WordStream<'a>(Splitter<'a>, Token);

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream(Splitter::new(text), Token::default())
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(word) = self.0.step() else { return false };
        self.1.text.clear();
        self.1.text.push_str(word);
        self.1.position = self.1.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        &self.1
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.1
    }
}
