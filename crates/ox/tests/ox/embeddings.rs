//! Embeddings from end to end: a model is pulled, vectors are made, questions are answered by them; and what happens where one
//! of these does not work. Hubs and endpoints are small servers of this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::place::Place;

/// Words in two groups that share no letters' order: what is red, and what floats.
const WORDS: [(&str, [f32; 2]); 7] = [
    ("crimson", [1.0, 0.0]),
    ("scarlet", [0.9, 0.1]),
    ("ruby", [0.8, 0.0]),
    ("boat", [0.0, 1.0]),
    ("vessel", [0.1, 0.9]),
    ("ship", [0.0, 0.8]),
    // Whoever pulls a model tries it with this word.
    ("text", [0.5, 0.5]),
];

/// The files of a model that is a table of these words.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    let numbers: Vec<u8> = WORDS.iter().flat_map(|it| it.1).flat_map(f32::to_le_bytes).collect();
    let head = format!(
        r#"{{"embeddings":{{"dtype":"F32","shape":[{},2],"data_offsets":[0,{}]}}}}"#,
        WORDS.len(),
        numbers.len()
    );
    let weights = [&(head.len() as u64).to_le_bytes(), head.as_bytes(), &numbers].concat();
    let words: String = WORDS.iter().map(|it| format!("{}\n", it.0)).collect();
    vec![
        ("config.json", br#"{"model_type": "model2vec"}"#.to_vec()),
        ("vocab.txt", words.into_bytes()),
        ("model.safetensors", weights),
    ]
}

fn pulled(place: &Place) {
    let folder = place.root().join("model");
    std::fs::create_dir(&folder).unwrap();
    files().iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
    let ran = place.ox(&["models", "pull", "colours", "--from", &folder.to_string_lossy()]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

fn project() -> Place {
    let place = Place::new();
    place.write("paint.rs", "fn crimson() {\n    mix(1);\n}\n");
    place.write("sail.rs", "fn boat() {\n    go(2);\n}\n");
    place
}

fn index(place: &Place, args: &[&str], env: &[(&str, &str)]) -> (Value, String) {
    let ran = place.ox_with(&[&["index", "--json"], args].concat(), env);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    (serde_json::from_str::<Value>(&ran.out).unwrap()["embeddings"].clone(), ran.err)
}

#[test]
fn what_shares_no_word_is_found_by_its_meaning() {
    let place = project();
    assert_eq!(index(&place, &[], &[]).0, Value::Null);
    pulled(&place);
    let (made, _) = index(&place, &["--embeddings"], &[]);
    assert_eq!((&made["model"], &made["made"], &made["left"]), (&json!("colours"), &json!(2), &json!(0)));
    assert_eq!(index(&place, &[], &[]).0["made"], 0, "they are kept");
    assert_eq!(index(&place, &["--no-embeddings"], &[]).0, Value::Null);
    for (question, expected) in [("vessel", "sail.rs"), ("scarlet", "paint.rs")] {
        let ran = place.ox(&["query", question, "--explain"]);
        assert!(ran.out.contains(expected) && ran.out.contains("meaning +"), "{question}: {} {}", ran.out, ran.err);
        let off = place.ox_with(&["query", question], &[("OX_EMBEDDINGS", "off")]);
        assert!(!off.out.contains(expected), "{question}: {}", off.out);
    }
}

#[test]
fn a_name_that_means_nothing_is_reported_with_those_that_do() {
    let place = project();
    let refused = place.ox(&["index", "--embeddings"]);
    assert!(refused.code != Some(0) && refused.err.contains("ox models pull potion-code"), "{}", refused.err);
    pulled(&place);
    for name in ["colour", "owner/colour"] {
        let wrong = [("OX_EMBEDDINGS", name)];
        let ran = place.ox_with(&["query", "crimson"], &wrong);
        assert!(ran.code == Some(0) && ran.out.contains("paint.rs"), "{}", ran.out);
        assert!(
            ran.err.contains(name) && ran.err.contains("downloaded: colours") && ran.err.contains("potion-code"),
            "{}",
            ran.err
        );
        assert!(index(&place, &[], &wrong).1.contains(name));
        assert!(place.ox_with(&["index", "--embeddings"], &wrong).code != Some(0));
    }
}

/// A server that answers each request, whose head and body it is given, by a status line with headers, and a body of which
/// only so many bytes are sent.
fn serve(answer: impl Fn(&str, &str) -> (String, Vec<u8>, usize) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut asked, mut piece) = (stream.unwrap(), Vec::new(), [0; 1 << 16]);
            let (head, body) = loop {
                let read = stream.read(&mut piece).unwrap_or(0);
                asked.extend_from_slice(&piece[..read]);
                let text = String::from_utf8_lossy(&asked).into_owned();
                let parts = text.split_once("\r\n\r\n").map(|(head, body)| (head.to_owned(), body.to_owned()));
                let Some((head, body)) = parts else { continue };
                let length = |it: &str| it.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok();
                if body.len() >= head.lines().find_map(length).unwrap_or(0) {
                    break (head, body);
                }
            };
            let (status, body, sent) = answer(&head, &body);
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            // Whoever asked may have gone.
            let _ = stream.write_all(&[head.as_bytes(), &body[..sent.min(body.len())]].concat());
        }
    });
    url
}

/// A place whose vectors an endpoint makes: it counts the letters `a` to `c`, or fewer of them.
fn asking(answer: impl Fn(usize, Vec<Vec<usize>>) -> (String, Value) + Send + 'static) -> (Place, Arc<AtomicUsize>) {
    let place = project();
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let url = serve(move |head, body| {
        assert!(head.starts_with("POST /v1/embeddings") && head.contains("Bearer sekret-of-mine"), "{head}");
        let body: Value = serde_json::from_str(body).unwrap();
        let texts: Vec<&str> = body["input"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let count = |text: &str| (b'a'..=b'c').map(|letter| text.bytes().filter(|it| *it == letter).count()).collect();
        let (status, answer) = answer(counted.fetch_add(1, Ordering::SeqCst), texts.into_iter().map(count).collect());
        (status, answer.to_string().into_bytes(), usize::MAX)
    });
    let config = format!(
        "[roles]\nembedding = \"mine/letters\"\n[providers.mine]\nwire = \"openai_chat\"\nbase_url = \"{url}/v1\"\nkey = \"sekret-of-mine\"\n"
    );
    std::fs::write(place.home("config.toml"), config).unwrap();
    (place, asked)
}

fn vectors(of: Vec<Vec<usize>>) -> (String, Value) {
    let data: Vec<Value> = of.iter().map(|it| json!({"embedding": it})).collect();
    ("200 OK".to_owned(), json!({"data": data}))
}

#[test]
fn an_endpoint_makes_vectors_and_a_busy_one_is_asked_again() {
    let busy = || ("429 Busy\r\nretry-after: 0".to_owned(), json!({"error": {"message": "slow down"}}));
    let (place, asked) = asking(move |number, of| if number == 0 { busy() } else { vectors(of) });
    let (made, said) = index(&place, &["--embeddings"], &[]);
    assert_eq!(
        (&made["model"], &made["made"], &made["left"]),
        (&json!("mine/letters"), &json!(2), &json!(0)),
        "{said}"
    );
    assert_eq!(asked.load(Ordering::SeqCst), 2, "all texts go at once, and the busy answer costs one more");
    assert_eq!(index(&place, &[], &[]).0["made"], 0);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    let ran = place.ox(&["query", "cc", "--explain"]);
    assert!(ran.out.contains("meaning +") && ran.err.is_empty(), "{} {}", ran.out, ran.err);
}

#[test]
fn an_endpoint_that_fails_is_reported_and_keeps_nobody_from_an_answer() {
    let refused = || ("401 No".to_owned(), json!({"error": {"message": "the key sekret-of-mine is wrong"}}));
    let (place, asked) = asking(move |_, _| refused());
    let (made, said) = index(&place, &[], &[]);
    assert!(made["error"].is_string() && made["left"] == 0 || made["made"] == 0, "{made}");
    assert!(said.contains("mine/letters") && !said.contains("sekret"), "{said}");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "a wrong key is not tried again");
    assert!(place.ox(&["query", "crimson"]).out.contains("paint.rs"));
    assert_eq!(place.ox(&["index", "--embeddings"]).code, Some(1));
    // Vectors of another length than those that are kept, and none for a text.
    for (broken, word) in [(json!([1, 2]), "numbers"), (json!([]), "numbers")] {
        let (place, _) = asking(move |number, of| match number {
            0 => vectors(of),
            _ => ("200 OK".to_owned(), json!({"data": [{"embedding": broken}]})),
        });
        assert_eq!(index(&place, &[], &[]).0["made"], 2);
        place.write("more.rs", "fn abc() {}\n");
        let (made, said) = index(&place, &[], &[]);
        assert!(made["error"].is_string() && said.contains(word), "{said}");
    }
}

#[test]
fn an_endpoint_without_its_key_is_reported_by_the_name_of_the_variable() {
    let place = project();
    std::fs::write(place.home("config.toml"), "[roles]\nembedding = \"openai/text-embedding-3-small\"\n").unwrap();
    let (made, said) = index(&place, &[], &[]);
    assert!(made.is_null() && said.contains("OPENAI_API_KEY"), "{said}");
    assert!(place.ox(&["index", "--embeddings"]).err.contains("OPENAI_API_KEY"));
}

/// A hub with one model. It breaks off the weights while `cut` is more than 0, and says `sum` of them.
fn hub(cut: Arc<AtomicUsize>, sum: &'static str) -> (String, Arc<Mutex<Vec<String>>>) {
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = asked.clone();
    let url = serve(move |head, _| {
        kept.lock().unwrap().push(head.to_lowercase());
        let path = head.split(' ').nth(1).unwrap();
        if path.starts_with("/api/models/owner/colours/tree/main") {
            let entry = |(name, bytes): &(&str, Vec<u8>)| match *name {
                "model.safetensors" => json!({"path": name, "size": 130, "lfs": {"oid": sum, "size": bytes.len()}}),
                _ => json!({"path": name, "size": bytes.len()}),
            };
            let all: Vec<Value> = files().iter().map(entry).collect();
            return ("200 OK".to_owned(), json!(all).to_string().into_bytes(), usize::MAX);
        }
        let name = path.rsplit('/').next().unwrap();
        let Some((_, bytes)) = files().into_iter().find(|it| it.0 == name) else {
            return ("404 No".to_owned(), Vec::new(), 0);
        };
        let range = head
            .to_lowercase()
            .lines()
            .find_map(|it| it.strip_prefix("range: bytes=")?.strip_suffix('-')?.parse().ok());
        let (status, from) = range.map_or(("200 OK", 0), |it: usize| ("206 Partial Content", it));
        let breaks = name == "model.safetensors" && cut.load(Ordering::SeqCst) > 0;
        let sent = if breaks { cut.fetch_sub(1, Ordering::SeqCst).min(3) } else { usize::MAX };
        (status.to_owned(), bytes[from..].to_vec(), sent)
    });
    (url, asked)
}

/// The SHA-256 of the weights above.
const SUM: &str = "bc141f26edd078a0e60051b7d01c40163c168e7a7f0b9c4329ad641f3b7c2050";

#[test]
fn a_pull_that_was_cut_off_goes_on_where_it_was() {
    let place = Place::new();
    let cut = Arc::new(AtomicUsize::new(5));
    let (url, asked) = hub(cut, SUM);
    let pull = || place.ox_with(&["models", "pull", "owner/colours"], &[("HF_ENDPOINT", &url)]);
    let broken = pull();
    assert!(broken.code != Some(0) && broken.err.contains("model.safetensors"), "{}", broken.err);
    assert!(!place.ox(&["models"]).out.contains("owner-colours"), "what is not whole is no model");
    asked.lock().unwrap().clear();
    let ran = pull();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("ox index"), "what to do with it: {}", ran.out);
    let asked = asked.lock().unwrap();
    let weights: Vec<&String> = asked.iter().filter(|it| it.contains("model.safetensors")).collect();
    assert!(weights.len() == 1 && weights[0].contains("range: bytes="), "{asked:?}");
    assert!(!asked.iter().any(|it| it.contains("/vocab.txt")), "what is whole is not fetched again: {asked:?}");
    assert!(place.ox(&["models"]).out.contains("owner-colours"));
    let left: Vec<_> =
        std::fs::read_dir(place.home("state/models")).unwrap().flatten().map(|it| it.file_name()).collect();
    assert_eq!(left, ["owner-colours"], "nothing else is left");
}

#[test]
fn weights_that_are_not_those_that_were_announced_are_refused_and_fetched_anew() {
    let place = Place::new();
    let (url, asked) = hub(Arc::new(AtomicUsize::new(0)), "00ff");
    let pull = |url: &str| place.ox_with(&["models", "pull", "owner/colours"], &[("HF_ENDPOINT", url)]);
    for _ in 0..2 {
        let ran = pull(&url);
        assert!(ran.code != Some(0) && ran.err.contains("SHA-256"), "{}", ran.err);
    }
    let whole = |it: &&String| it.contains("model.safetensors") && !it.contains("range:");
    assert_eq!(asked.lock().unwrap().iter().filter(whole).count(), 2, "it does not go on with what is wrong");
    let (url, _) = hub(Arc::new(AtomicUsize::new(0)), SUM);
    assert_eq!(pull(&url).code, Some(0));
    let absent = place.ox_with(&["models", "pull", "owner/absent"], &[("HF_ENDPOINT", &url)]);
    assert!(absent.code != Some(0) && absent.err.contains("owner/absent"), "{}", absent.err);
}
