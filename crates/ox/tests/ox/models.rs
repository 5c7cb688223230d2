//! `ox models`: what is listed, explained and proved.

use serde_json::Value;

use crate::place::Place;
use crate::provider::{Format, Provider};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn providers_and_models_are_listed() {
    let place = Place::new();
    let ran = place.ox_with(&["models"], &[("GROQ_API_KEY", "gsk_0123456789")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let row = |name: &str| ran.out.lines().find(|it| it.trim().starts_with(name)).unwrap_or_default().to_string();
    assert!(row("groq").ends_with("key set") && row("openai").ends_with("no key"), "{}", ran.out);
    assert!(row("ollama").ends_with("needs no key"), "{}", ran.out);
    assert!(!ran.out.contains("gsk_0123456789"));
    assert!(!ran.out.contains("PREFIX") && ran.err.contains("ox models list"), "{}{}", ran.out, ran.err);
    let listed = place.ox(&["models", "list", "sonnet"]).out;
    assert!(listed.lines().count() > 1 && listed.lines().all(|it| it.starts_with("claude-sonnet")), "{listed}");
    let all = json(&place.ox(&["models", "list", "--json"]).out);
    assert!(
        all["providers"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["name"] == "anthropic" && it["key"] == "ANTHROPIC_API_KEY")
    );
    let some = json(&place.ox(&["models", "list", "claude", "--json"]).out);
    let (all, some) = (all["models"].as_array().unwrap(), some["models"].as_array().unwrap());
    assert!(!some.is_empty() && some.len() < all.len());
    assert!(
        some.iter().all(|it| it["begins"].as_str().unwrap().contains("claude") && it["window"].as_u64().unwrap() > 0)
    );
}

#[test]
fn a_model_is_explained() {
    let place = Place::new();
    std::fs::write(
        place.home("config.toml"),
        "[providers.office]\nbase_url = \"https://me:word-of-mine@models.example.com/v1\"\n[models.\"office/big\"]\nwindow = 5000\n",
    )
    .unwrap();
    let it = json(&place.ox(&["models", "explain", "office/big", "--json"]).out);
    assert_eq!(
        (&it["facts"]["window"], &it["wire"], &it["has_key"]),
        (&5000.into(), &"openai_chat".into(), &false.into())
    );
    assert_eq!(it["base_url"], "https://[key]@models.example.com/v1");
    let words = place.ox(&["models", "explain", "office/big"]).out;
    assert!(
        words.contains("your configuration, then the built-in catalogue") && words.contains("needs no key"),
        "{words}"
    );
    let words = place.ox(&["models", "explain", "anthropic/claude-sonnet-5-5"]).out;
    assert!(
        words.contains("the built-in catalogue, `claude-sonnet") && words.contains("missing; set ANTHROPIC_API_KEY"),
        "{words}"
    );
    let words = place.ox_with(&["models", "explain"], &[("GEMINI_API_KEY", "AIza-of-mine-0123456789")]).out;
    assert!(words.contains("gemini/") && words.contains("found") && !words.contains("of-mine"), "{words}");
    assert!(place.ox(&["models", "explain"]).refusal(41).contains("ox login"));
    assert!(place.ox(&["models", "explain", "nobody/x"]).refusal(2).contains("Unknown provider `nobody`"));
}

#[test]
fn a_model_proves_what_it_can_do() {
    let good = "-- model --\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n-- model --\n@add\na: = 2\nb: = 3\n-- model --\n@add\na: = 1\nb: = 1\n-- model --\nRed.\n";
    for format in [Format::OpenAi, Format::Anthropic] {
        let (place, provider) = (Place::new(), Provider::new(format, good));
        let url = provider.flags()[3].clone();
        let model = provider.flags()[1].clone();
        let variable = if format == Format::Anthropic { "ANTHROPIC_BASE_URL" } else { "OPENAI_BASE_URL" };
        let ran = place.ox_with(&["models", "test", &model, "--json"], &[(variable, &url), provider.key()]);
        assert_eq!(ran.code, Some(0), "{format:?} {}{}", ran.out, ran.err);
        let proofs = json(&ran.out)["proofs"].clone();
        assert!(proofs.as_array().unwrap().iter().all(|it| it["ok"] == true), "{format:?} {proofs}");
        provider.is_content();
    }
}

#[test]
fn a_model_that_calls_nothing_fails_its_test() {
    let silent = "-- model --\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n-- model --\nI cannot.\n-- model --\nI cannot.\n-- model --\nBlue.\n";
    let (place, provider) = (Place::new(), Provider::new(Format::OpenAi, silent));
    let url = provider.flags()[3].clone();
    let ran = place.ox_with(&["models", "test", "openai/mock-model"], &[("OPENAI_BASE_URL", &url), provider.key()]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(
        ran.out.contains("✓") && ran.out.contains("it called nothing") && ran.out.contains("it said: Blue."),
        "{}",
        ran.out
    );
    assert!(ran.err.contains("four tiny requests"), "{}", ran.err);
}

/// A folder with a model that is a table of two words.
fn table() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("config.json", br#"{"model_type": "model2vec"}"#);
    write("vocab.txt", b"a\ntext\n");
    let head = br#"{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}"#;
    let numbers: Vec<u8> = [1.0f32, 0.0, 0.0, 1.0].iter().flat_map(|it| it.to_le_bytes()).collect();
    write("model.safetensors", &[&(head.len() as u64).to_le_bytes(), head.as_slice(), &numbers].concat());
    folder
}

#[test]
fn a_model_is_pulled_from_a_folder_and_listed_and_a_broken_one_is_not() {
    let (place, model) = (Place::new(), table());
    let from = model.path().to_string_lossy().into_owned();
    let ran = place.ox(&["models", "pull", "words", "--from", &from, "--json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(json(&ran.out)["dimensions"], 2);
    assert_eq!(json(&place.ox(&["models", "list", "--json"]).out)["pulled"], serde_json::json!(["words"]));
    std::fs::write(model.path().join("model.safetensors"), b"broken").unwrap();
    let ran = place.ox(&["models", "pull", "others", "--from", &from]);
    assert!(ran.code != Some(0) && ran.err.contains("model.safetensors"), "{}", ran.err);
    let ran = place.ox(&["models", "pull", "nothing"]);
    assert!(ran.code != Some(0) && ran.err.contains("potion-code"), "{}", ran.err);
    assert!(place.ox(&["models"]).out.contains("words"));
}

#[test]
fn a_model_is_pulled_from_a_web_folder() {
    let (place, model) = (Place::new(), table());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/models/words/", listener.local_addr().unwrap());
    let folder = model.path().to_path_buf();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in listener.incoming() {
            let (mut stream, mut asked) = (stream.unwrap(), vec![0; 8192]);
            let read = stream.read(&mut asked).unwrap();
            let asked = String::from_utf8_lossy(&asked[..read]).into_owned();
            let path = asked.split(' ').nth(1).unwrap().strip_prefix("/models/words/").unwrap().to_string();
            let body = std::fs::read(folder.join(path));
            let status = if body.is_ok() { "200 OK" } else { "404 Not Found" };
            let body = body.unwrap_or_default();
            let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            stream.write_all(&[head.as_bytes(), &body].concat()).unwrap();
        }
    });
    let ran = place.ox(&["models", "pull", "words", "--from", &url]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("words") && ran.err.contains("model.safetensors"), "{} {}", ran.out, ran.err);
    assert_eq!(json(&place.ox(&["models", "list", "--json"]).out)["pulled"], serde_json::json!(["words"]));
}
