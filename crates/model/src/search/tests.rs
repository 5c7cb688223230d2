//! Services on this machine that answer as the real ones do.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use super::*;

/// A server that answers everything with `answer`, and what it was asked.
fn serve(answer: Value) -> (String, Arc<Mutex<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/search", listener.local_addr().unwrap());
    let asked = Arc::<Mutex<String>>::default();
    let seen = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut request = Vec::new();
            let mut buffer = [0; 4096];
            let whole = |request: &[u8]| {
                let text = String::from_utf8_lossy(request).to_ascii_lowercase();
                let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
                let length = head.split("content-length: ").nth(1).and_then(|it| it.lines().next()?.parse().ok());
                body.len() >= length.unwrap_or(0)
            };
            while !whole(&request) {
                match stream.read(&mut buffer) {
                    Ok(0) | Err(_) => break,
                    Ok(read) => request.extend_from_slice(&buffer[..read]),
                }
            }
            *seen.lock().unwrap() = String::from_utf8_lossy(&request).into_owned();
            let body = answer.to_string();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            // Who has read enough hangs up.
            let _ = stream.write_all(&[head.as_bytes(), body.as_bytes()].concat());
        }
    });
    (url, asked)
}

#[test]
fn a_service_is_asked_as_it_wants_to_be_and_its_key_stands_in_its_own_header() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ask = |kind| {
        let (url, asked) = serve(json!({"results": []}));
        let url = Url::parse(&url).unwrap();
        runtime.block_on(send(kind, &url, Some("k-123456"), "what is an ox?", 5)).unwrap();
        let request = asked.lock().unwrap().clone();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let is_sent = |it: &&str| ["GET", "POST"].iter().any(|verb| it.starts_with(verb)) || it.contains("k-123456");
        let lines: Vec<String> = head.lines().filter(is_sent).map(str::to_ascii_lowercase).collect();
        format!("{} | {body}", lines.join(" | "))
    };
    let brave = ask(SearchKind::Brave);
    assert!(brave.starts_with("get /search?q=what+is+an+ox%3f&count=5&text_decorations=false http/1.1 |"), "{brave}");
    assert!(brave.contains("x-subscription-token: k-123456"), "{brave}");
    let searxng = ask(SearchKind::Searxng);
    assert!(searxng.starts_with("get /search?q=what+is+an+ox%3f&format=json http/1.1 |"), "{searxng}");
    let tavily = ask(SearchKind::Tavily);
    assert!(tavily.starts_with("post /search http/1.1 | authorization: bearer k-123456 |"), "{tavily}");
    assert!(tavily.ends_with(r#"{"query":"what is an ox?","max_results":5}"#), "{tavily}");
}

#[test]
fn pages_have_an_address_and_what_is_said_of_them() {
    let url = Url::parse("https://search.example/find").unwrap();
    let page =
        |url: &str, title: &str, summary: &str| Page { url: url.into(), title: title.into(), summary: summary.into() };
    let brave = json!({"type": "search", "web": {"results": [
        {"title": "Ox", "url": "https://en.example/ox", "description": "A bovine."},
        {"title": "No address"},
        {"title": "Third", "url": "https://c.example/", "description": "left out by the limit"},
    ]}});
    assert_eq!(pages(&url, &brave, 2), Ok(vec![page("https://en.example/ox", "Ox", "A bovine.")]));
    let tavily = json!({"results": [{"title": "T", "url": "https://t.example/", "content": "C"}]});
    assert_eq!(pages(&url, &tavily, 5), Ok(vec![page("https://t.example/", "T", "C")]));
    assert_eq!(pages(&url, &json!({"type": "search"}), 5), Ok(Vec::new()));
    assert!(pages(&url, &json!({"error": "quota"}), 5).unwrap_err().contains("without a list"));
}
