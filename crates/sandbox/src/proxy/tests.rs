//! Requests of a process and what the proxy answers, with a server of the test behind every allowed host.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use super::*;

/// A server that says what it received, once per connection.
async fn echo() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut seen = vec![0; 64 << 10];
                let count = stream.read(&mut seen).await.unwrap_or(0);
                let text = String::from_utf8_lossy(&seen[..count]).into_owned();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: x-own\r\nX-Own: 1\r\n\r\n",
                    text.len()
                );
                let _ = stream.write_all(format!("{head}{text}").as_bytes()).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    address
}

/// A proxy whose every allowed host is the server above.
async fn proxy(hosts: &[&str], limits: Limits) -> Proxy {
    let server = echo().await;
    let hosts: Vec<String> = hosts.iter().map(|it| (*it).to_owned()).collect();
    let dial: Dial = Arc::new(move |host, port| {
        Box::pin(async move {
            outbound::check_name(&host)?;
            let failed = |it: io::Error| OutboundError::Connect { host, port, reason: it.to_string() };
            TcpStream::connect(server).await.map_err(failed)
        })
    });
    Proxy::build(Hosts::parse(&hosts).unwrap(), limits, dial)
}

/// What the proxy answers to a request that closes its connection.
async fn ask(proxy: &Proxy, request: &str) -> String {
    let (mut inside, outside) = UnixStream::pair().unwrap();
    let proxy = proxy.clone();
    let served = tokio::spawn(async move { proxy.speak(outside).await });
    inside.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A request that is not read to its end is answered with a reset after the answer.
    let _ = inside.read_to_end(&mut answer).await;
    served.await.unwrap();
    String::from_utf8(answer).unwrap()
}

#[tokio::test]
async fn requests_and_answers() {
    let proxy = proxy(&["good.com", "*.good.org:8080", "*"], Limits::default()).await;
    let strict = self::proxy(&["good.com", "*.good.org:8080"], Limits::default()).await;
    let close = "Connection: close\r\n\r\n";
    let table = [
        ("GET http://good.com/a?b HTTP/1.1\r\nHost: good.com\r\n", "200 OK"),
        ("GET http://x.good.org:8080/ HTTP/1.1\r\nHost: x\r\n", "200 OK"),
        ("GET http://x.good.org/ HTTP/1.1\r\nHost: x\r\n", "403 Forbidden"),
        ("GET http://bad.com/ HTTP/1.1\r\nHost: good.com\r\n", "403 Forbidden"),
        ("GET http://good.com@bad.com/ HTTP/1.1\r\nHost: good.com\r\n", "400 Bad Request"),
        ("GET https://good.com/ HTTP/1.1\r\nHost: good.com\r\n", "400 Bad Request"),
        ("GET / HTTP/1.1\r\nHost: good.com\r\n", "400 Bad Request"),
        ("CONNECT bad.com:443 HTTP/1.1\r\nHost: good.com:443\r\n", "403 Forbidden"),
        ("CONNECT good.com HTTP/1.1\r\nHost: good.com\r\n", "400 Bad Request"),
        ("CONNECT good.com:22 HTTP/1.1\r\nHost: good.com\r\n", "403 Forbidden"),
        ("CONNECT 127.0.0.1:443 HTTP/1.1\r\nHost: good.com\r\n", "403 Forbidden"),
    ];
    for (request, status) in table {
        let answer = ask(&strict, &format!("{request}{close}")).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request}\n{answer}");
    }
    // Allowed by the list, refused by the guard.
    let answer = ask(&proxy, &format!("CONNECT [::ffff:10.0.0.1]:443 HTTP/1.1\r\nHost: x\r\n{close}")).await;
    assert!(answer.contains("403 Forbidden") && answer.contains("dressed as IPv6"), "{answer}");
}

#[tokio::test]
async fn a_plain_request_carries_the_checked_host_and_no_header_of_the_connection() {
    let proxy = proxy(&["good.com"], Limits::default()).await;
    let request = "GET http://good.com/a?b HTTP/1.1\r\nHost: evil.com\r\nProxy-Authorization: x\r\nX-Mine: 1\r\n\
                   Connection: close, x-mine\r\nAccept: y\r\n\r\n";
    let answer = ask(&proxy, request).await;
    let (head, seen) = answer.split_once("\r\n\r\n").unwrap();
    assert_eq!(seen, "GET /a?b HTTP/1.1\r\nhost: good.com\r\naccept: y\r\n\r\n");
    assert!(!head.to_ascii_lowercase().contains("x-own"), "{head}");
}

#[tokio::test]
async fn a_tunnel_carries_both_ways_and_ends() {
    let proxy = proxy(&["good.com"], Limits::default()).await;
    let (mut inside, outside) = UnixStream::pair().unwrap();
    let served = tokio::spawn(async move { proxy.speak(outside).await });
    inside.write_all(b"CONNECT good.com:443 HTTP/1.1\r\nHost: good.com\r\n\r\n").await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(inside.read_u8().await.unwrap());
    }
    assert!(head.starts_with(b"HTTP/1.1 200 OK\r\n"));
    inside.write_all(b"\x16\x03\x01 any bytes").await.unwrap();
    let mut answer = String::new();
    inside.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("\x16\x03\x01 any bytes"), "{answer}");
    drop(inside);
    served.await.unwrap();
}

#[tokio::test]
async fn the_refused_are_remembered_once_each() {
    let proxy = proxy(&[], Limits::default()).await;
    for round in 0..150 {
        let request = format!("CONNECT h{}.com:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", round / 2);
        ask(&proxy, &request).await;
    }
    let refused = proxy.refused();
    assert_eq!(refused.len(), 75);
    let why = "is not among the allowed hosts".to_owned();
    assert_eq!(refused[3], RefusedHost { host: "h3.com".to_owned(), port: 443, why });
    (0..200).for_each(|it| proxy.note_refusal("h", it, "x"));
    assert_eq!(proxy.refused().len(), REMEMBERED);
}

#[tokio::test]
async fn every_limit_is_reached() {
    let limits = Limits {
        connections: 1,
        head: 8 << 10,
        patience: Duration::from_millis(100),
        idle: Duration::from_millis(100),
    };
    let proxy = proxy(&["good.com"], limits).await;
    let long =
        format!("GET http://good.com/ HTTP/1.1\r\nHost: x\r\nX: {}\r\nConnection: close\r\n\r\n", "x".repeat(20 << 10));
    assert!(ask(&proxy, &long).await.starts_with("HTTP/1.1 431 "), "a head that is too long");
    // A head that never ends, and a tunnel in which nothing moves, end by themselves.
    for start in ["GET http://good.com/ HT", "CONNECT good.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"] {
        let (mut inside, outside) = UnixStream::pair().unwrap();
        inside.write_all(start.as_bytes()).await.unwrap();
        proxy.speak(outside).await;
    }
    // With room for one connection the second waits for the first.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = proxy.clone();
    let served = tokio::spawn(async move { server.serve(listener).await });
    let first = TcpStream::connect(address).await.unwrap();
    let mut second = TcpStream::connect(address).await.unwrap();
    second.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut byte = [0; 1];
    assert!(tokio::time::timeout(Duration::from_millis(50), second.read(&mut byte)).await.is_err());
    drop(first);
    assert_eq!(second.read(&mut byte).await.unwrap(), 1);
    served.abort();
    assert!(served.await.unwrap_err().is_cancelled());
    // With the server all its connections are gone.
    let mut rest = Vec::new();
    second.read_to_end(&mut rest).await.unwrap();
}

#[test]
fn both_spellings_of_the_variables_are_set() {
    let names: Vec<String> =
        Proxy::environment(3128).into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert!(names.contains(&"https_proxy=http://127.0.0.1:3128".to_owned()), "{names:?}");
    assert!(names.contains(&"HTTP_PROXY=http://127.0.0.1:3128".to_owned()), "{names:?}");
}
