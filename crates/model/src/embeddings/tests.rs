//! The endpoint and the hub against servers that play a script and check what they are asked.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ox_protocol::ProviderLayer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::hub::{Remote, client, fetch, list};
use super::*;

/// Answers in order: status, further headers, body, and how many bytes of it are sent.
type Reply = (u16, &'static str, Vec<u8>, usize);

/// A server that answers each connection once and keeps what it was asked.
async fn serve(replies: Vec<Reply>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = asked.clone();
    tokio::spawn(async move {
        for (status, headers, body, sent) in replies {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut text = Vec::new();
            let mut piece = [0; 65536];
            loop {
                let read = stream.read(&mut piece).await.unwrap();
                text.extend_from_slice(&piece[..read]);
                let said = String::from_utf8_lossy(&text).into_owned();
                let Some((head, rest)) = said.split_once("\r\n\r\n") else { continue };
                let length =
                    head.lines().find_map(|it| it.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
                if rest.len() >= length.unwrap_or(0) {
                    kept.lock().unwrap().push(said);
                    break;
                }
            }
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n", body.len());
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&body[..sent.min(body.len())]).await.unwrap();
        }
    });
    (url, asked)
}

fn at(url: &str, key: Option<&str>) -> Endpoint {
    let layer = ProviderLayer {
        wire: Some(Wire::OpenaiChat),
        base_url: Some(format!("{url}/v1")),
        key: key.map(str::to_string),
        ..ProviderLayer::default()
    };
    let choice = Choice { providers: BTreeMap::from([("mine".to_string(), layer)]), ..Choice::default() };
    let endpoint = endpoint(&choice, "mine/embed-1").unwrap();
    Endpoint { wait: Duration::ZERO, ..endpoint }
}

fn answer(items: &str) -> Reply {
    let body = format!(r#"{{"object":"list","data":[{items}],"usage":{{"prompt_tokens":7,"total_tokens":7}}}}"#);
    (200, "content-type: application/json\r\n", body.into_bytes(), usize::MAX)
}

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts() {
    let items = r#"{"index":1,"embedding":[0,1]},{"index":0,"embedding":[0.5,-1e-3]}"#;
    let (url, asked) = serve(vec![answer(items)]).await;
    let endpoint = at(&url, Some("sekret-key-1234"));
    assert_eq!(endpoint.embed(&["a", ""]).await.unwrap(), [vec![0.5, -0.001], vec![0.0, 1.0]]);
    assert_eq!(endpoint.dimensions(), 2);
    let asked = asked.lock().unwrap().remove(0);
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    assert!(
        head.starts_with("POST /v1/embeddings ") && head.contains("authorization: Bearer sekret-key-1234"),
        "{head}"
    );
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body, json!({"model": "embed-1", "input": ["a", " "], "encoding_format": "float"}));
}

#[tokio::test]
async fn passing_faults_are_tried_again_and_others_are_not() {
    let busy: Reply = (429, "retry-after: 0\r\n", b"{\"error\":{\"message\":\"slow down\"}}".to_vec(), usize::MAX);
    let broken: Reply = (503, "", b"no".to_vec(), usize::MAX);
    let (url, asked) = serve(vec![busy, broken, answer(r#"{"index":0,"embedding":[1]}"#)]).await;
    assert_eq!(at(&url, None).embed(&["a"]).await.unwrap(), [[1.0]]);
    assert_eq!(asked.lock().unwrap().len(), 3);
    let refused: Reply = (401, "", b"{\"error\":{\"message\":\"bad key sekret-key-1234\"}}".to_vec(), usize::MAX);
    let (url, asked) = serve(vec![refused]).await;
    let failure = at(&url, Some("sekret-key-1234")).embed(&["a"]).await.unwrap_err();
    assert!(failure.kind == FailureKind::Auth && !failure.message.contains("sekret"), "{failure:?}");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn many_texts_go_in_batches_and_long_ones_are_cut() {
    let many = |count: usize| answer(&vec![r#"{"embedding":[1,2]}"#; count].join(","));
    let (url, asked) = serve(vec![many(BATCH), many(1)]).await;
    let long = "ä".repeat(LONGEST);
    assert_eq!(at(&url, None).embed(&vec![long.as_str(); BATCH + 1]).await.unwrap().len(), BATCH + 1);
    let sizes = |it: &String| {
        let body: Value = serde_json::from_str(it.split_once("\r\n\r\n").unwrap().1).unwrap();
        let input = body["input"].as_array().unwrap();
        (input.len(), input[0].as_str().unwrap().len())
    };
    assert_eq!(asked.lock().unwrap().iter().map(sizes).collect::<Vec<_>>(), [(BATCH, LONGEST), (1, LONGEST)]);
}

#[test]
fn what_are_not_the_vectors_of_these_texts_is_refused() {
    for wrong in [
        "nothing",
        "{}",
        r#"{"data":[]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[1]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}"#,
        r#"{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[]}]}"#,
        r#"{"data":[{"index":0,"embedding":["1"]},{"index":1,"embedding":[1]}]}"#,
        r#"{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}"#,
    ] {
        assert!(vectors(wrong.as_bytes(), 2).is_err(), "{wrong}");
    }
}

#[tokio::test]
async fn a_file_that_breaks_off_goes_on_where_it_was_and_is_held_against_its_sum() {
    let text = b"0123456789".to_vec();
    let sum: String = sha2::Digest::finalize(<sha2::Sha256 as sha2::Digest>::new_with_prefix(&text))
        .iter()
        .map(|it| format!("{it:02x}"))
        .collect();
    let listed = format!(
        r#"[{{"type":"file","path":"config.json","size":10}},{{"type":"file","path":"onnx/model.onnx","size":9}},
        {{"type":"file","path":"model.safetensors","size":135,"lfs":{{"oid":"{sum}","size":10}}}}]"#
    );
    let replies: Vec<Reply> = vec![
        (200, "", listed.into_bytes(), usize::MAX),
        (200, "", text.clone(), 4),
        (206, "", text[4..].to_vec(), usize::MAX),
        (200, "", b"9876543210".to_vec(), usize::MAX),
        (404, "", Vec::new(), 0),
    ];
    let (url, asked) = serve(replies).await;
    let client = client(&url).unwrap();
    let files = list(&client, &url, "owner/model", &["config.json", "model.safetensors"]).await.unwrap();
    let found: Vec<(&str, Option<u64>, bool)> =
        files.iter().map(|it| (it.path.as_str(), it.size, it.sha256.is_some())).collect();
    assert_eq!(found, [("config.json", Some(10), false), ("model.safetensors", Some(10), true)]);
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("model.safetensors");
    assert_eq!(fetch(&client, &files[1], &place, &|_| {}).await, Ok(true));
    assert_eq!(std::fs::read(&place).unwrap(), text);
    let other = folder.path().join("other");
    let why = fetch(&client, &files[1], &other, &|_| {}).await.unwrap_err();
    assert!(why.contains("SHA-256") && !other.exists(), "{why}");
    let absent = Remote { needed: false, ..files[0].clone() };
    assert_eq!(fetch(&client, &absent, &folder.path().join("absent"), &|_| {}).await, Ok(false));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    let asked = asked.lock().unwrap();
    assert!(asked[2].to_lowercase().contains("range: bytes=4-"), "{}", asked[2]);
}
