//! A server on this machine with a certificate that nobody trusts unless told to.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::gate::is_whole_request;

/// Made for 127.0.0.1, for a hundred years, by nobody but this repository; its key protects nothing.
pub const CERTIFICATE: &str = include_str!("certificate.pem");
const KEY: &str = include_str!("key.pem");
const ANSWER: &str = r#"{"choices":[{"message":{"role":"assistant","content":"Hello over TLS."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2}}"#;

/// An authority of these tests, and a certificate that it gave to `models.test`.
pub const AUTHORITY: &str = include_str!("authority.pem");
const MODELS: &str = include_str!("models.pem");
const MODELS_KEY: &str = include_str!("models.key.pem");

/// Starts a server that answers every request alike; its base URL.
pub fn server() -> String {
    format!("https://{}/v1", serve(CERTIFICATE, KEY))
}

/// The same as `models.test`, with a certificate of the authority; where it listens.
pub fn models_server() -> std::net::SocketAddr {
    serve(MODELS, MODELS_KEY)
}

fn serve(certificate: &str, key: &str) -> std::net::SocketAddr {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let config = Arc::new(ServerConfig::builder().with_no_client_auth().with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            // Who does not trust the certificate hangs up; that is no fault of the server.
            let _ = answer(StreamOwned::new(connection, socket));
        }
    });
    address
}

fn answer(mut stream: StreamOwned<ServerConnection, TcpStream>) -> std::io::Result<()> {
    let mut asked = Vec::new();
    let mut piece = [0; 4096];
    while !is_whole_request(&asked) {
        match stream.read(&mut piece)? {
            0 => return Ok(()),
            count => asked.extend_from_slice(&piece[..count]),
        }
    }
    let length = ANSWER.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{ANSWER}"
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}
