//! A model that cannot be asked: each message says what, where and why, and what to do.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use crate::place::{Place, start};
use crate::provider::{Format, Provider};
use crate::tls;

/// Runs a task on a provider whose only answer is `step`; its address is shown as `URL`.
fn failed(format: Format, step: &str, expected: Expect) {
    let (place, provider) = (Place::new(), Provider::new(format, step));
    let ran = place.finish(place.command_on(&provider, &["run", "hi"]));
    expected.assert_eq(&ran.verdict(1).replace(&provider.address, "URL"));
    assert_eq!(ran.out, "");
    assert!(!ran.err.contains(provider.key().1), "the key is shown: {}", ran.err);
}

#[test]
fn without_a_key_the_ways_out_are_named_at_once() {
    let place = Place::new();
    for args in [&["run", "fix it"][..], &["fix it"], &["run", "--json", "fix it"]] {
        let ran = place.ox(args);
        expect![[r#"
            ox: No model is configured. Store a provider's key with `ox login`, or set one of these variables: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, OPENROUTER_API_KEY, DEEPSEEK_API_KEY, MISTRAL_API_KEY, GROQ_API_KEY, DASHSCOPE_API_KEY, AZURE_OPENAI_API_KEY
              or start Ollama, or name a model with `--model provider/model` (`--base-url` for your own endpoint).
            To try Ox without a key: ox demo. More: ox help login, ox help models
        "#]]
        .assert_eq(ran.refusal(41));
        assert!(ran.took < Duration::from_secs(1), "it waited: {:?}", ran.took);
    }
    let mut command = place.command(&["run", "fix it"]);
    let ran = place.finish({
        command.env("OX_LANGUAGE", "zh");
        command
    });
    assert!(ran.refusal(41).contains("没有"), "{}", ran.err);
    assert!(ran.err.contains("OPENAI_API_KEY") && ran.err.contains("ox demo"), "{}", ran.err);
}

#[test]
fn a_model_without_its_key_names_the_variable() {
    let place = Place::new();
    expect![[r#"
        ox: anthropic needs a key. Run `ox login anthropic`, set ANTHROPIC_API_KEY, or add the key to your configuration under providers.anthropic.
    "#]]
    .assert_eq(place.ox(&["run", "--model", "anthropic/claude-x", "hi"]).refusal(41));
    expect![[r#"
        ox: Unknown provider `antropic`. Known providers: anthropic, openai, gemini, openrouter, deepseek, mistral, groq, dashscope, azure, ollama, lmstudio, vllm, llamacpp. For another endpoint, use --base-url or add it to your configuration under providers.
    "#]]
    .assert_eq(place.ox(&["run", "--model", "antropic/claude-x", "hi"]).refusal(2));
}

#[test]
fn an_ollama_that_is_silent_is_not_waited_for() {
    let place = Place::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = place.command(&["run", "hi"]);
    command.env("OLLAMA_HOST", silent.local_addr().unwrap().to_string());
    let ran = place.finish(command);
    assert!(ran.refusal(41).contains("No model is configured"));
    assert!(ran.took < Duration::from_secs(2), "it waited: {:?}", ran.took);
}

#[test]
fn an_ollama_that_answers_is_used() {
    let place = Place::new();
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let (mut socket, _) = server.accept().unwrap();
        let mut asked = Vec::new();
        while !asked.ends_with(b"\r\n\r\n") {
            let mut piece = [0; 1024];
            let count = socket.read(&mut piece).unwrap();
            asked.extend_from_slice(&piece[..count]);
        }
        let body = r#"{"object":"list","data":[{"id":"qwen3:8b","object":"model"}]}"#;
        write!(socket, "HTTP/1.0 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    });
    let mut command = place.command(&["run", "--max-time", "200ms", "hi"]);
    command.env("OLLAMA_HOST", address);
    // The server has gone by the time that the task is asked: the budget of time ends it.
    let ran = place.finish(command);
    assert_eq!(ran.code, Some(5), "{}", ran.err);
    assert!(ran.err.contains("ollama/qwen3:8b"), "{}", ran.err);
}

#[test]
fn a_wrong_key_is_named_by_its_variable_and_never_shown() {
    failed(
        Format::OpenAi,
        "-- model: fail 401 Incorrect API key provided: mock-key-0123456789. --\n",
        expect![[r#"
            ✗ Stopped: the model request failed.
              The key was rejected, or it has no access to this model.
              401 Incorrect API key provided: [key]."#]],
    );
    for format in [Format::OpenAi, Format::Anthropic] {
        let provider = Provider::new(format, "-- model: fail 401 invalid x-api-key --\n");
        let place = Place::new();
        let ran = place.finish(place.command_on(&provider, &["run", "hi"]));
        let variable = provider.key().0;
        let advice =
            format!("rejected the key in {variable}, which wins over a stored one. Correct or unset {variable}");
        assert!(ran.err.contains(&advice), "{}", ran.err);
    }
}

#[test]
fn an_unknown_model_is_named() {
    for format in [Format::OpenAi, Format::Anthropic] {
        failed(
            format,
            "-- model: fail 404 The model `mock-model` does not exist --\n",
            expect![[r#"
                ✗ Stopped: the model request failed.
                  The provider does not know this model, or the key has no access to it. Check the name: `--model`, OX_MODEL, or `model` in your configuration.
                  404 The model `mock-model` does not exist"#]],
        );
    }
}

#[test]
fn no_credit_and_a_wrong_address_are_distinguished() {
    failed(
        Format::Anthropic,
        "-- model: fail 400 Your credit balance is too low to access the API. --\n",
        expect![[r#"
            ✗ Stopped: the model request failed.
              The account has no credit left.
              400 Your credit balance is too low to access the API."#]],
    );
    let (place, provider) = (Place::new(), Provider::new(Format::OpenAi, ""));
    let url = format!("{}/api", provider.address);
    let mut command = place.command(&["run", "--model", "openai/m", "--base-url", &url, "hi"]);
    command.envs([provider.key()]);
    let words = place.finish(command).verdict(1).replace(&provider.address, "URL");
    assert!(words.contains("/api/chat/completions"), "{words}");
}

#[test]
fn hosts_that_cannot_be_reached_are_named() {
    let places = [Place::new(), Place::new()];
    // A port on which nobody listens: it was free a moment ago.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = format!("http://{free}/v1");
    let began = Instant::now();
    let urls = [refused.as_str(), "http://no-such-host.invalid/v1"];
    // Both are tried several times, so they run side by side.
    let children = [0, 1].map(|at| {
        let mut command = places[at].command(&["run", "--model", "openai/m", "--base-url", urls[at], "hi"]);
        start(&mut command)
    });
    let [refused_words, unknown] = children.map(|child| places[0].ended(child, began).verdict(1));
    expect![[r#"
        ✗ Stopped: the model request failed.
          Could not reach the model's host. Check the network and the base URL.
          cannot reach URL/chat/completions: tcp connect error: Connection refused (os error 111)"#]]
    .assert_eq(&refused_words.replace(&refused, "URL"));
    let (begin, _) = unknown.split_once(": dns error").unwrap_or((&unknown, ""));
    expect![[r#"
        ✗ Stopped: the model request failed.
          Could not reach the model's host. Check the network and the base URL.
          cannot reach http://no-such-host.invalid/v1/chat/completions"#]]
    .assert_eq(begin);
}

#[test]
fn a_failed_secure_connection_says_what_can_be_done() {
    let place = Place::new();
    let plain = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain_url = format!("https://{}/v1", plain.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut socket in plain.incoming().flatten() {
            let _ = socket.read(&mut [0; 4096]).and_then(|_| socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let (own, file) = (tls::server(), place.root().join("own.pem"));
    std::fs::write(&file, tls::CERTIFICATE).unwrap();
    let ask = |url: &str, file: Option<&str>| {
        let mut command = place.command(&["run", "--mode", "chat", "--model", "openai/m", "--base-url", url, "hi"]);
        command.env("OPENAI_API_KEY", "k").envs(file.map(|it| ("SSL_CERT_FILE", it)));
        place.finish(command)
    };
    expect![[r#"
        ✗ Stopped: the model request failed.
          The TLS connection failed: the certificate is invalid or unknown, or the address does not use TLS. Behind a proxy with its own certificate, set SSL_CERT_FILE to that certificate (PEM).
          no secure connection to URL/chat/completions: received corrupt message of type InvalidContentType"#]]
    .assert_eq(&ask(&plain_url, None).verdict(1).replace(&plain_url, "URL"));
    let unknown = ask(&own, None).verdict(1).replace(&own, "URL");
    assert!(
        unknown.contains("no secure connection to URL/chat/completions") && unknown.contains("certificate"),
        "{unknown}"
    );
    // What the message advises helps.
    let trusted = ask(&own, Some(file.to_str().unwrap()));
    assert_eq!((trusted.code, trusted.out.as_str()), (Some(0), "Hello over TLS.\n"), "{}", trusted.err);
    let absent = ask(&own, Some("/no/such/file.pem")).verdict(1);
    assert!(absent.contains("SSL_CERT_FILE names /no/such/file.pem, which cannot be read"), "{absent}");
}
