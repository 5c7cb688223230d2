//! Proxies and certificates of the user's environment.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::place::{Place, Ran};
use crate::tls;

/// A proxy that leads every CONNECT to `target`, and what it was asked for.
fn proxy(target: SocketAddr) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let seen = seen.clone();
            // A client that hangs up is no fault of the proxy.
            std::thread::spawn(move || drop(lead(client, target, &seen)));
        }
    });
    (address, asked)
}

fn lead(client: TcpStream, target: SocketAddr, asked: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
    }
    asked.lock().unwrap().push(head);
    let mut server = TcpStream::connect(target)?;
    (&client).write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let mut back = server.try_clone()?;
    let mut to_client = client;
    let there = std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            if server.write_all(&piece[..count]).is_err() {
                break;
            }
        }
    });
    let _ = std::io::copy(&mut back, &mut to_client);
    let _ = to_client.shutdown(std::net::Shutdown::Both);
    let _ = there.join();
    Ok(())
}

/// Asks `models.test`, a name that nobody can look up.
fn ask(place: &Place, variables: &[(&str, &str)]) -> Ran {
    let url = "https://models.test/v1";
    let mut command = place.command(&["run", "--mode", "chat", "--model", "openai/m", "--base-url", url, "hi"]);
    command.env("OPENAI_API_KEY", "k").envs(variables.iter().copied());
    place.finish(command)
}

#[test]
fn a_proxy_and_an_authority_of_ones_own_are_used() {
    let place = Place::new();
    let (address, asked) = proxy(tls::models_server());
    let url = format!("http://{address}");
    let with_user = format!("http://me:pass-of-mine@{address}");
    let file = place.root().join("authority.pem");
    fs::write(&file, tls::AUTHORITY).unwrap();
    let folder = place.root().join("authorities");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("README"), "authorities").unwrap();
    fs::write(folder.join("0a1b2c3d.0"), tls::AUTHORITY).unwrap();
    let (file, folder) = (file.to_str().unwrap(), folder.to_str().unwrap());
    let works = [
        [("HTTPS_PROXY", url.as_str()), ("SSL_CERT_FILE", file)],
        [("https_proxy", &url), ("SSL_CERT_DIR", folder)],
        [("ALL_PROXY", &with_user), ("NODE_EXTRA_CA_CERTS", file)],
        [("HTTPS_PROXY", &url), ("REQUESTS_CA_BUNDLE", file)],
    ];
    for (variables, user) in works.into_iter().zip([false, false, true, false]) {
        asked.lock().unwrap().clear();
        let ran = ask(&place, &variables);
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello over TLS.\n"), "{variables:?} {}", ran.err);
        let heads = asked.lock().unwrap().clone();
        assert!(!heads.is_empty() && heads.iter().all(|it| it.starts_with("CONNECT models.test:443 ")), "{heads:?}");
        assert_eq!(heads[0].to_lowercase().contains("proxy-authorization: basic "), user, "{heads:?}");
        // What is between the two never sees the request, and no key.
        assert!(heads.iter().all(|it| !it.contains("Bearer")), "{heads:?}");
    }
}

#[test]
fn what_is_exempt_from_the_proxy_is_asked_directly_and_loopback_always() {
    let place = Place::new();
    let (address, asked) = proxy(tls::models_server());
    let url = format!("http://{address}");
    let ran = ask(&place, &[("HTTPS_PROXY", &url), ("NO_PROXY", "example.org,.test")]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("cannot reach https://models.test/v1"), "{}", ran.err);
    let file = place.root().join("own.pem");
    fs::write(&file, tls::CERTIFICATE).unwrap();
    let server = tls::server();
    let mut command = place.command(&["run", "--mode", "chat", "--model", "openai/m", "--base-url", &server, "hi"]);
    command.env("OPENAI_API_KEY", "k").env("ALL_PROXY", &url).env("SSL_CERT_FILE", &file);
    assert_eq!(place.finish(command).out, "Hello over TLS.\n");
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn what_is_wrong_is_named_without_the_proxy_s_password() {
    let place = Place::new();
    let (address, _) = proxy(tls::models_server());
    let url = format!("http://me:pass-of-mine@{address}");
    // The authority is nobody's whom this machine trusts.
    let ran = ask(&place, &[("HTTPS_PROXY", &url)]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("certificate") && ran.err.contains("SSL_CERT_FILE"), "{}", ran.err);
    let empty = place.root().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let ran = ask(&place, &[("HTTPS_PROXY", &url), ("SSL_CERT_FILE", empty.to_str().unwrap())]);
    assert!(ran.err.contains("SSL_CERT_FILE names /empty.pem, which holds no usable certificate"), "{}", ran.err);
    let ran = ask(&place, &[("HTTPS_PROXY", &url), ("SSL_CERT_DIR", "/no/such/folder")]);
    assert!(ran.err.contains("SSL_CERT_DIR names /no/such/folder, which cannot be read"), "{}", ran.err);
    let ran = ask(&place, &[("HTTPS_PROXY", "http://me:pass-of-mine@127.0.0.1:1")]);
    assert_eq!(ran.code, Some(1));
    assert!(!ran.err.contains("pass-of-mine"), "{}", ran.err);
}

/// A proxy that speaks SOCKS 5 and leads everybody to `target`.
fn socks(target: SocketAddr) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("socks5h://{}", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = asked.clone();
    std::thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut greet = || -> std::io::Result<()> {
                let mut head = [0; 2];
                client.read_exact(&mut head)?;
                client.read_exact(&mut vec![0; usize::from(head[1])])?;
                client.write_all(&[5, 0])?;
                let mut ask = [0; 5];
                client.read_exact(&mut ask)?;
                let mut name = vec![0; usize::from(ask[4]) + 2];
                client.read_exact(&mut name)?;
                seen.lock().unwrap().extend_from_slice(&name);
                client.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
            };
            if greet().is_err() {
                continue;
            }
            let Ok(mut server) = TcpStream::connect(target) else { continue };
            let (mut from, mut to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
            std::thread::spawn(move || std::io::copy(&mut server, &mut client));
        }
    });
    (url, asked)
}

#[test]
fn a_socks_proxy_is_used_and_looks_names_up_itself() {
    let place = Place::new();
    let (url, asked) = socks(tls::models_server());
    let file = place.root().join("authority.pem");
    fs::write(&file, tls::AUTHORITY).unwrap();
    let ran = ask(&place, &[("ALL_PROXY", &url), ("SSL_CERT_FILE", file.to_str().unwrap())]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "Hello over TLS.\n"), "{}", ran.err);
    assert!(asked.lock().unwrap().starts_with(b"models.test"));
}
