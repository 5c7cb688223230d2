//! Which certificates are trusted: the platform's where there are any, the built-in ones of the Mozilla programme
//! otherwise, and those of a file or a folder that the environment names beside the built-in ones. Verification is never
//! switched off.

use std::path::Path;
use std::sync::OnceLock;

use reqwest::ClientBuilder;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Variables that may name a file of further certificates; the first that is set counts. The others are those of programs
/// that whoever works behind a company's proxy has set up already.
const VARIABLES: [&str; 4] = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"];

/// The variable that may name folders of certificates, with colons between them.
const FOLDERS: &str = "SSL_CERT_DIR";

/// Gives `builder` its certificates; none at all where nothing `secure` will be asked, because loading them takes time.
pub fn install(builder: ClientBuilder, secure: bool) -> Result<ClientBuilder, String> {
    // Another part of the process may have installed a provider already; that one is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    if !secure {
        return Ok(builder.tls_backend_preconfigured(config(RootCertStore::empty())));
    }
    if let Some(roots) = named(&|name| std::env::var_os(name).filter(|it| !it.is_empty()))? {
        return Ok(builder.tls_backend_preconfigured(config(roots)));
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

/// The built-in certificates and those that variables name; none where no variable does.
fn named(variable: &dyn Fn(&str) -> Option<std::ffi::OsString>) -> Result<Option<RootCertStore>, String> {
    let file = VARIABLES.iter().find_map(|it| Some((it, variable(it)?)));
    let folders = variable(FOLDERS);
    if file.is_none() && folders.is_none() {
        return Ok(None);
    }
    let mut store = built_in();
    if let Some((name, path)) = file {
        add_file(&mut store, name, Path::new(&path))?;
    }
    if let Some(folders) = folders {
        std::env::split_paths(&folders).try_for_each(|it| add_folder(&mut store, &it))?;
    }
    Ok(Some(store))
}

fn add_file(store: &mut RootCertStore, name: &str, path: &Path) -> Result<(), String> {
    let shown = path.display();
    let unreadable = |error| format!("{name} names {shown}, which cannot be read as PEM certificates: {error}");
    let mut added = 0;
    for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
        // A bundle may hold certificates that rustls finds odd; the others still count.
        added += usize::from(store.add(certificate.map_err(unreadable)?).is_ok());
    }
    if added == 0 { Err(format!("{name} names {shown}, which holds no usable certificate")) } else { Ok(()) }
}

/// Every file of the folder that holds certificates; other files may lie there too.
fn add_folder(store: &mut RootCertStore, folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    let unreadable = |error| format!("{FOLDERS} names {shown}, which cannot be read: {error}");
    let mut added = 0;
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let Ok(certificates) = CertificateDer::pem_file_iter(&path) else { continue };
        added += certificates.flatten().filter(|it| store.add(it.clone()).is_ok()).count();
    }
    if added == 0 { Err(format!("{FOLDERS} names {shown}, which holds no usable certificate")) } else { Ok(()) }
}

fn config(roots: RootCertStore) -> ClientConfig {
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(variables: &[(&str, &Path)]) -> Result<usize, String> {
        let value = |name: &str| variables.iter().find(|it| it.0 == name).map(|it| it.1.as_os_str().to_owned());
        Ok(named(&value)?.map_or(0, |it| it.len()))
    }

    #[test]
    fn what_holds_no_certificate_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (path, absent) = (folder.path().join("ca.pem"), folder.path().join("absent"));
        for text in ["not a certificate", ""] {
            std::fs::write(&path, text).unwrap();
            for name in VARIABLES {
                let words = with(&[(name, &path)]).unwrap_err();
                assert!(
                    words.starts_with(name) && words.contains("ca.pem, which holds no usable certificate"),
                    "{words}"
                );
            }
            let words = with(&[(FOLDERS, folder.path())]).unwrap_err();
            assert!(words.starts_with(FOLDERS) && words.contains("no usable certificate"), "{words}");
        }
        assert!(with(&[("SSL_CERT_FILE", &absent)]).unwrap_err().contains("absent, which cannot be read"));
        assert!(with(&[(FOLDERS, &absent)]).unwrap_err().contains("absent, which cannot be read"));
        assert_eq!(with(&[]), Ok(0));
        assert!(built_in().len() > 100);
    }
}
