//! Which certificates are trusted: the platform's where there are any, the built-in ones of the Mozilla programme
//! otherwise, and those of a file that the environment names beside the built-in ones. Verification is never switched off.

use std::sync::OnceLock;

use reqwest::ClientBuilder;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Variables that may name a file of further certificates; the first that is set counts. The others are those of programs
/// that whoever works behind a company's proxy has set up already.
const VARIABLES: [&str; 4] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/// Gives `builder` its certificates; none at all where nothing `secure` will be asked, because loading them takes time.
pub fn install(builder: ClientBuilder, secure: bool) -> Result<ClientBuilder, String> {
    // Another part of the process may have installed a provider already; that one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if !secure {
        return Ok(builder.tls_backend_preconfigured(config(RootCertStore::empty())));
    }
    let named = |name: &&str| std::env::var_os(name).filter(|it| !it.is_empty());
    if let Some((name, path)) = VARIABLES.iter().find_map(|it| Some((it, named(it)?))) {
        return Ok(builder.tls_backend_preconfigured(config(with_file(name, std::path::Path::new(&path))?)));
    }
    if platform_has_certificates() { Ok(builder) } else { Ok(builder.tls_backend_preconfigured(config(built_in()))) }
}

/// Asked once per process: reading a system's certificates takes milliseconds.
fn platform_has_certificates() -> bool {
    static FOUND: OnceLock<bool> = OnceLock::new();
    *FOUND.get_or_init(|| ClientBuilder::new().build().is_ok())
}

fn built_in() -> RootCertStore {
    RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() }
}

fn with_file(name: &str, path: &std::path::Path) -> Result<RootCertStore, String> {
    let shown = path.display();
    let unreadable = |error| format!("{name} names {shown}, which cannot be read as PEM certificates: {error}");
    let mut store = built_in();
    let mut added = 0;
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        // A bundle may hold certificates that rustls finds odd; the others still count.
        added += usize::from(store.add(certificate.map_err(unreadable)?).is_ok());
    }
    if added == 0 { Err(format!("{name} names {shown}, which holds no usable certificate")) } else { Ok(store) }
}

fn config(roots: RootCertStore) -> ClientConfig {
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_file_without_certificates_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        std::fs::write(&path, "not a certificate").unwrap();
        let words = with_file("SSL_CERT_FILE", &path).unwrap_err();
        assert!(words.contains("ca.pem") && words.contains("no usable certificate"), "{words}");
        assert!(with_file("SSL_CERT_FILE", &folder.path().join("absent.pem")).unwrap_err().contains("absent.pem"));
        assert!(built_in().len() > 100);
    }
}
