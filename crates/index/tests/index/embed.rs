//! Embeddings: vectors kept beside an index, and a table of vectors as a model.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};

use ox_index::embed::{self, Embedder, Filled, Vectors, fill, similar};
use ox_index::{FileState, Index, IndexError};

/// An embedder whose vectors count letters, and that notes what it was asked.
#[derive(Default)]
struct Letters {
    asked: Mutex<Vec<String>>,
    /// Fails once it was asked for so many texts.
    limit: Option<usize>,
}

impl Embedder for Letters {
    fn name(&self) -> &str {
        "letters"
    }

    fn dimensions(&self) -> usize {
        26
    }

    fn batch(&self) -> usize {
        2
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, IndexError> {
        let mut asked = self.asked.lock().unwrap();
        asked.extend(texts.iter().map(ToString::to_string));
        if self.limit.is_some_and(|it| asked.len() > it) {
            return Err(IndexError::Model { place: "letters".to_owned(), why: "no more".to_owned() });
        }
        let count = |text: &str, letter: u8| text.bytes().filter(|it| it.to_ascii_lowercase() == letter).count() as f32;
        Ok(texts.iter().map(|it| (b'a'..=b'z').map(|letter| count(it, letter)).collect()).collect())
    }
}

/// Files in memory and an index of them in a folder.
struct Fixture {
    files: Mutex<BTreeMap<String, String>>,
    cache: tempfile::TempDir,
    index: Index,
    /// The time of the last change.
    now: AtomicI64,
}

impl Fixture {
    fn new(files: &[(&str, &str)]) -> Fixture {
        let cache = tempfile::tempdir().unwrap();
        let index = Index::open(cache.path(), "project").unwrap();
        let fixture = Fixture { files: Mutex::default(), cache, index, now: AtomicI64::new(1) };
        fixture.write(files);
        fixture
    }

    /// Replaces all files.
    fn write(&self, files: &[(&str, &str)]) {
        *self.files.lock().unwrap() = files.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        let mtime = self.now.fetch_add(1, Ordering::Relaxed);
        let state = |it: &(&str, &str)| FileState {
            path: it.0.to_owned(),
            size: it.1.len() as u64,
            mtime,
            ..FileState::default()
        };
        let states: Vec<FileState> = files.iter().map(state).collect();
        self.index.update(&states, &|path| self.read(path), &|_| {}).unwrap();
    }

    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let files = self.files.lock().unwrap();
        files.get(path).map(|it| it.as_bytes().to_vec()).ok_or_else(|| std::io::ErrorKind::NotFound.into())
    }

    fn filled(&self, embedder: &dyn Embedder) -> Vectors {
        let vectors = Vectors::open(&self.index, embedder.name());
        self.fill(&vectors, embedder).unwrap();
        vectors
    }

    fn fill(&self, vectors: &Vectors, embedder: &dyn Embedder) -> Result<Filled, IndexError> {
        fill(&self.index, vectors, embedder, &|path| self.read(path), &|_| true)
    }

    /// The file of vectors.
    fn place(&self) -> PathBuf {
        let projects = std::fs::read_dir(self.cache.path()).unwrap().flatten();
        let files = projects.flat_map(|it| std::fs::read_dir(it.path()).unwrap().flatten());
        let vectors = |it: &PathBuf| {
            let name = it.file_name().unwrap().to_string_lossy().into_owned();
            name.starts_with("vectors-") && !name.contains('.')
        };
        files.map(|it| it.path()).find(vectors).unwrap()
    }

    /// What is found for a text, by path.
    fn found(&self, vectors: &Vectors, text: &str) -> Vec<String> {
        let asked = Letters::default().embed(&[text]).unwrap();
        similar(&self.index.snapshot(), vectors, &asked[0], 10).into_iter().map(|it| it.path).collect()
    }
}

const FILES: &[(&str, &str)] = &[("a.txt", "aaa b"), ("b.txt", "bbb c"), ("c.txt", "ccc d"), ("twin.txt", "aaa b")];

#[test]
fn contents_are_embedded_once_and_kept() {
    let fixture = Fixture::new(FILES);
    let letters = Letters::default();
    let vectors = fixture.filled(&letters);
    assert_eq!(letters.asked.lock().unwrap().len(), 3, "a twin is the same content");
    assert_eq!(fixture.found(&vectors, "aaa"), ["a.txt", "twin.txt", "b.txt", "c.txt"]);
    let first = similar(&fixture.index.snapshot(), &vectors, &Letters::default().embed(&["aaa b"]).unwrap()[0], 1);
    assert!((first[0].score - 1.0).abs() < 0.01 && first[0].chunk == 0, "{first:?}");
    // Another process finds them there and has nothing to make.
    let index = Index::open(fixture.cache.path(), "project").unwrap();
    let again = Vectors::open(&index, "letters");
    assert_eq!(again.len(), 3);
    assert_eq!(fixture.fill(&again, &letters).unwrap(), Filled { made: 0, known: 4, left: 0 });
    assert!(Vectors::open(&index, "another").is_empty());
    // An edit costs one vector.
    fixture.write(&[("a.txt", "aaa e"), ("b.txt", "bbb c"), ("c.txt", "ccc d"), ("twin.txt", "aaa b")]);
    assert_eq!(fixture.fill(&vectors, &letters).unwrap().made, 1);
}

#[test]
fn filling_goes_on_where_it_was_stopped_and_where_it_failed() {
    let fixture = Fixture::new(FILES);
    let vectors = Vectors::open(&fixture.index, "letters");
    let letters = Letters::default();
    let stopped = fill(&fixture.index, &vectors, &letters, &|path| fixture.read(path), &|_| false).unwrap();
    assert_eq!((stopped.made, stopped.left), (2, 1));
    let failing = Letters { limit: Some(0), ..Letters::default() };
    assert!(fixture.fill(&vectors, &failing).unwrap_err().to_string().contains("no more"));
    assert_eq!(vectors.len(), 2);
    assert_eq!(fixture.fill(&vectors, &letters).unwrap().made, 1);
    assert_eq!(letters.asked.lock().unwrap().len(), 3);
}

#[test]
fn a_file_that_was_cut_anywhere_or_damaged_is_used_as_far_as_it_is_whole() {
    let fixture = Fixture::new(FILES);
    let letters = Letters::default();
    drop(fixture.filled(&letters));
    let place = fixture.place();
    let whole = std::fs::read(&place).unwrap();
    let fresh = Vectors::open(&fixture.index, "letters");
    let expected = fixture.found(&fresh, "bbb");
    let damaged = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        bytes
    };
    let cuts = (0..whole.len()).map(|it| whole[..it].to_vec()).chain((0..whole.len()).map(damaged));
    for (number, bytes) in cuts.enumerate() {
        std::fs::write(&place, &bytes).unwrap();
        let vectors = Vectors::open(&fixture.index, "letters");
        assert!(vectors.len() < 3, "{number}");
        let filled = fixture.fill(&vectors, &letters).unwrap();
        assert_eq!((filled.left, vectors.len()), (0, 3), "{number}");
        assert_eq!(fixture.found(&vectors, "bbb"), expected, "{number}");
        assert_eq!(Vectors::open(&fixture.index, "letters").len(), 3, "{number}");
    }
}

#[test]
fn vectors_go_with_their_contents() {
    let fixture = Fixture::new(FILES);
    let letters = Letters::default();
    let vectors = fixture.filled(&letters);
    let before = std::fs::metadata(fixture.place()).unwrap().len();
    fixture.write(&[("d.txt", "ddd e")]);
    assert_eq!(fixture.found(&vectors, "aaa"), [""; 0], "no file has what is like it");
    // Another cache knows nothing of the old contents: the vectors of that folder are those of dead ones.
    let other = Fixture::new(&[("d.txt", "ddd e")]);
    drop(other.filled(&letters));
    std::fs::copy(fixture.place(), other.place()).unwrap();
    let vectors = Vectors::open(&other.index, "letters");
    assert_eq!(vectors.len(), 3);
    other.fill(&vectors, &letters).unwrap();
    assert_eq!(vectors.len(), 1);
    assert!(std::fs::metadata(other.place()).unwrap().len() < before);
}

#[test]
fn two_at_once_do_not_write_over_each_other() {
    let fixture = Fixture::new(FILES);
    let vectors = Vectors::open(&fixture.index, "letters");
    let second = Index::open(fixture.cache.path(), "project").unwrap();
    let letters = Letters::default();
    let inside = Mutex::new(Vec::new());
    let nested = |_: Filled| {
        let others = Vectors::open(&second, "letters");
        let tried = fill(&fixture.index, &others, &letters, &|path| fixture.read(path), &|_| true).unwrap();
        inside.lock().unwrap().push(tried.made);
        true
    };
    let filled = fill(&fixture.index, &vectors, &letters, &|path| fixture.read(path), &nested).unwrap();
    assert_eq!((filled.made, inside.into_inner().unwrap()), (3, vec![0, 0]));
}

#[test]
fn models_that_cannot_be_used_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let said = || embed::open(folder.path(), "x").err().unwrap().to_string();
    assert!(said().contains("config.json"), "{}", said());
    let cases = [
        ("config.json", "{", "config.json"),
        ("config.json", r#"{"model_type": "bert"}"#, "`bert` cannot be run here"),
        ("config.json", r#"{"model_type": "model2vec"}"#, "vocab.txt"),
        ("tokenizer.json", r#"{"model": {"type": "BPE"}}"#, "`BPE`"),
        ("tokenizer.json", r#"{"model": {"vocab": {"a": "b"}}}"#, "no number"),
        ("tokenizer.json", r#"{"model": {"vocab": {"[UNK]": 0, "a": 1}}}"#, "model.safetensors"),
        ("model.safetensors", "no weights", "model.safetensors"),
    ];
    for (name, text, expected) in cases {
        std::fs::write(place(name), text).unwrap();
        assert!(said().contains(expected), "{expected}: {}", said());
    }
}

/// A safetensors file of single precision tables.
fn weights(tables: &[(&str, &[usize], &[f32])]) -> Vec<u8> {
    let (mut head, mut data) = (Vec::new(), Vec::new());
    for (name, shape, numbers) in tables {
        let from = data.len();
        data.extend(numbers.iter().flat_map(|it| it.to_le_bytes()));
        head.push(format!(r#""{name}":{{"dtype":"F32","shape":{shape:?},"data_offsets":[{from},{}]}}"#, data.len()));
    }
    let head = format!("{{{}}}", head.join(","));
    [&(head.len() as u64).to_le_bytes(), head.as_bytes(), &data].concat()
}

#[test]
fn a_table_of_vectors_is_a_model_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("config.json", br#"{"model_type": "model2vec", "normalize": true}"#);
    let tokenizer = r###"{"normalizer": {"type": "BertNormalizer", "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[UNK]": 0, "red": 1, "green": 2, "##ish": 3}}}"###;
    write("tokenizer.json", tokenizer.as_bytes());
    write("model.safetensors", &weights(&[("embeddings", &[4, 2], &[9.0, 9.0, 3.0, 0.0, 0.0, 4.0, 3.0, 0.0])]));
    let model = embed::open(folder.path(), "colours").unwrap();
    assert_eq!(model.dimensions(), 2);
    let vectors = model.embed(&["Red strange", "greenish", "", "?"]).unwrap();
    assert_eq!(vectors, [vec![1.0, 0.0], vec![0.6, 0.8], vec![0.0, 0.0], vec![0.0, 0.0]]);
    write("model.safetensors", &weights(&[("embeddings", &[3, 2], &[0.0; 6])]));
    assert!(embed::open(folder.path(), "colours").err().unwrap().to_string().contains("4 tokens"));
}
