//! The packed vocabularies are the published ones, and counts are those of the tokenizer that they were published with.

use proptest::prelude::*;
use tiktoken_rs::CoreBPE;

use super::bpe::pack;
use super::exact::Vocabulary;

const ALL: [Vocabulary; 2] = [Vocabulary::O200k, Vocabulary::Cl100k];

fn published(it: Vocabulary) -> &'static CoreBPE {
    match it {
        Vocabulary::O200k => tiktoken_rs::o200k_base_singleton(),
        Vocabulary::Cl100k => tiktoken_rs::cl100k_base_singleton(),
    }
}

/// `UPDATE=1` writes the files. Other versions of the compressor make other bytes of the same words, so that the words are
/// compared.
#[test]
fn the_packed_words_are_the_published_ones() {
    for (vocabulary, name, count) in [(ALL[0], "o200k", 199_998_u32), (ALL[1], "cl100k", 100_256)] {
        let word = |rank| published(vocabulary).decode_bytes(&[rank]).unwrap();
        let words: Vec<Vec<u8>> = (0..count).map(word).collect();
        if std::env::var_os("UPDATE").is_some() {
            let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/tokens");
            std::fs::write(folder.join(format!("{name}.ranks")), pack(&words)).unwrap();
        }
        let kept = vocabulary.load();
        assert_eq!(kept.len(), words.len(), "{name} is stale: UPDATE=1 cargo test -p ox-model published");
        assert!(words.iter().enumerate().all(|(rank, it)| kept.token(rank) == it), "{name} is stale");
    }
}

fn same(text: &str) {
    for vocabulary in ALL {
        let counts = (vocabulary.load().count(text), published(vocabulary).count_ordinary(text) as u64);
        assert_eq!(counts.0, counts.1, "{vocabulary:?} {text:?}");
    }
}

#[test]
fn counts_of_files_are_those_of_the_published_tokenizer() {
    for text in [
        include_str!("../../.ac.mod.md"),
        include_str!("bpe.rs"),
        include_str!("../catalogue/models.txt"),
        include_str!("../../../protocol/locales/zh.txt"),
        "It's  we'LL\t\tx\n\n  \n\r\n\u{a0}\u{3000} a \n",
        "  ",
        " \n ",
        "a \n b  \n",
    ] {
        same(text);
    }
    for sign in ["\n", "\t", " \n", "ab", "=", "中", "\0", "1", "'s"] {
        same(&sign.repeat(1_500));
    }
}

proptest! {
    #[test]
    fn counts_of_any_text_are_those_of_the_published_tokenizer(text in "[ a-cA-C'sStTlLrRéßДж中か\u{3000}\u{a0}\u{301}0-9\r\n\t/.,_=-]{0,60}") {
        same(&text);
    }

    #[test]
    fn and_of_any_characters(text in any::<String>()) {
        same(&text);
    }
}
