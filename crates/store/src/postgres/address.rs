//! Where the database is, as `OX_STORE` says it: a URL, or a file that only its user can read and that holds one.
//!
//! A password is never taken from a variable or a command line, where other programs see it, and nothing is sent without TLS
//! to another machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};
use tokio_postgres_rustls::MakeRustlsConnect;
use url::form_urlencoded;

use crate::StoreError;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the other end may be silent to what was sent before it counts as gone.
const SILENT: Duration = Duration::from_secs(20);

/// What is needed to connect.
pub(super) struct Address {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
    /// For messages: without the password.
    pub(super) shown: String,
}

impl Address {
    /// True for a value that names a server rather than a file.
    fn is_url(source: &str) -> bool {
        ["postgres://", "postgresql://"].iter().any(|it| source.starts_with(it))
    }

    /// Reads what `OX_STORE` says.
    pub(super) fn read(source: &str) -> Result<Address, StoreError> {
        let source = source.trim();
        if Address::is_url(source) {
            let address = Address::of_url(source)?;
            return match address.config.get_password() {
                Some(_) => Err(StoreError::PasswordShown { at: address.shown }),
                None => Ok(address),
            };
        }
        let invalid = |why: String| StoreError::BadAddress { why };
        // It may hold a password, so it is not shown.
        if source.contains("://") || source.contains(['=', '@']) {
            return Err(invalid("it is neither a postgres:// URL nor the path of a file with one".to_string()));
        }
        let path = Path::new(source);
        let metadata = std::fs::metadata(path).map_err(|error| invalid(format!("{source}: {error}")))?;
        if !is_private(&metadata) {
            return Err(StoreError::NotPrivate { path: path.to_path_buf() });
        }
        let text = std::fs::read_to_string(path).map_err(|error| invalid(format!("{source}: {error}")))?;
        let url = text.trim();
        if !Address::is_url(url) {
            return Err(invalid(format!("{source} holds no postgres:// URL")));
        }
        Address::of_url(url)
    }

    fn of_url(url: &str) -> Result<Address, StoreError> {
        let invalid = |why: String| StoreError::BadAddress { why };
        let (rest, own) = without_tls(url);
        let mut config: Config = rest.parse().map_err(|error: tokio_postgres::Error| invalid(said(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(invalid("it names no host".to_string()));
        }
        let of_password = |it: &Host| matches!(it, Host::Tcp(name) if name.contains('@'));
        if config.get_hosts().iter().any(of_password) {
            return Err(invalid("a user name or password with an `@` in it has to be written with %40".to_string()));
        }
        let shown = shown(&config);
        let here = is_here(&config);
        let encrypted = match own.mode.as_deref() {
            None => !here,
            Some("require" | "verify-ca" | "verify-full") => true,
            Some("disable" | "allow" | "prefer") if here => false,
            Some(_) => return Err(StoreError::NotEncrypted { at: shown }),
        };
        config.ssl_mode(if encrypted { SslMode::Require } else { SslMode::Disable });
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT);
        }
        if config.get_application_name().is_none() {
            config.application_name("ox");
        }
        if config.get_hosts().len() > 1 && config.get_target_session_attrs() == TargetSessionAttrs::Any {
            // Of several, the one that can be written to is meant: the others follow it.
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        config.tcp_user_timeout(SILENT).keepalives_idle(SILENT / 2).keepalives_interval(SILENT / 4);
        let tls = MakeRustlsConnect::new(client(own.roots.as_deref())?);
        Ok(Address { config, tls, shown })
    }
}

/// What a URL says of TLS.
#[derive(Default)]
struct OfTls {
    mode: Option<String>,
    /// A file of the certificates that are trusted, in place of the usual ones.
    roots: Option<String>,
}

/// The URL without `sslmode` and `sslrootcert`, which the library does not know as libpq does.
fn without_tls(url: &str) -> (String, OfTls) {
    let mut own = OfTls::default();
    let Some((base, query)) = url.split_once('?') else { return (url.to_string(), own) };
    let mut rest = Vec::new();
    for part in query.split('&') {
        match form_urlencoded::parse(part.as_bytes()).next() {
            Some((name, value)) if name == "sslmode" => own.mode = Some(value.into_owned()),
            Some((name, value)) if name == "sslrootcert" => own.roots = Some(value.into_owned()),
            _ => rest.push(part),
        }
    }
    (format!("{base}?{}", rest.join("&")), own)
}

/// True where every host is this machine, to which nobody else listens on the way.
fn is_here(config: &Config) -> bool {
    let local = |host: &Host| match host {
        Host::Tcp(name) => name == "localhost" || name.parse().is_ok_and(|it: std::net::IpAddr| it.is_loopback()),
        #[cfg(unix)]
        Host::Unix(_) => true,
    };
    config.get_hosts().iter().all(local) && config.get_hostaddrs().iter().all(std::net::IpAddr::is_loopback)
}

fn shown(config: &Config) -> String {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    // One port is that of every host.
    let ports = config.get_ports().iter().chain(std::iter::repeat(config.get_ports().last().unwrap_or(&5432)));
    let hosts: Vec<String> =
        config.get_hosts().iter().zip(ports).map(|(it, port)| format!("{}:{port}", host(it))).collect();
    format!("{}/{}", hosts.join(","), config.get_dbname().unwrap_or_default())
}

/// What the library says of an error, with its cause.
pub(super) fn said(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// TLS that verifies the certificate and the name of the host.
fn client(roots: Option<&str>) -> Result<ClientConfig, StoreError> {
    let mut trusted = RootCertStore::empty();
    match roots.filter(|it| *it != "system") {
        None => trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        Some(path) => {
            let invalid = |why: &dyn std::fmt::Display| StoreError::BadAddress { why: format!("{path}: {why}") };
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| invalid(&error))? {
                let certificate = certificate.map_err(|error| invalid(&error))?;
                trusted.add(certificate).map_err(|error| invalid(&error))?;
            }
        }
    }
    let ring = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(ring).with_safe_default_protocol_versions();
    let builder = builder.expect("invariant: ring speaks every version that rustls does");
    Ok(builder.with_root_certificates(trusted).with_no_client_auth())
}

#[cfg(unix)]
fn is_private(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o077 == 0
}

/// Elsewhere a file in the user's folder is the user's alone unless its rights were changed, which is not looked at.
#[cfg(not(unix))]
fn is_private(_metadata: &std::fs::Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_says_where_and_never_with_a_password_or_in_the_clear() {
        let read = |source: &str| match Address::read(source) {
            Ok(it) => format!("{} {:?}", it.shown, it.config.get_ssl_mode()),
            Err(error) => format!("{error:?}"),
        };
        let table = [
            ("postgres://ox@db.example/ox", "db.example:5432/ox Require"),
            (" postgresql://ox@db.example:5433/ox?sslmode=require&connect_timeout=3\n", "db.example:5433/ox Require"),
            ("postgres://ox@localhost/ox", "localhost:5432/ox Disable"),
            ("postgres://ox@[::1]/ox?sslmode=prefer", "::1:5432/ox Disable"),
            ("postgres://ox@127.0.0.1:6/ox?sslmode=verify-full", "127.0.0.1:6/ox Require"),
            ("postgres://ox@%2Frun%2Fpg/ox", "/run/pg:5432/ox Disable"),
            ("postgres://ox@localhost,db.example/ox", "localhost:5432,db.example:5432/ox Require"),
            ("postgres://ox:secret@localhost/ox", "PasswordShown { at: \"localhost:5432/ox\" }"),
            ("postgres://ox@localhost/ox?password=secret", "PasswordShown { at: \"localhost:5432/ox\" }"),
            ("postgres://ox@db.example/ox?sslmode=disable", "NotEncrypted { at: \"db.example:5432/ox\" }"),
            (
                "postgres://ox@localhost/ox?hostaddr=192.0.2.1&sslmode=prefer",
                "NotEncrypted { at: \"localhost:5432/ox\" }",
            ),
        ];
        for (source, expected) in table {
            assert_eq!(read(source), expected, "{source}");
        }
        let hosts = |source: &str| Address::read(source).map(|it| it.config.get_target_session_attrs()).ok();
        assert_eq!(hosts("postgres://ox@a.example,b.example/ox"), Some(TargetSessionAttrs::ReadWrite));
        assert_eq!(hosts("postgres://ox@a.example/ox"), Some(TargetSessionAttrs::Any));
        for source in ["postgres://ox@db.example/ox?sslrootcert=/nowhere", "postgres:///ox", "/nowhere", ""] {
            assert!(read(source).starts_with("BadAddress"), "{source}: {}", read(source));
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_password_is_taken_from_a_file_that_only_its_user_reads() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ox.url");
        std::fs::write(&path, "postgres://ox:secret@localhost/ox\n").unwrap();
        let source = path.display().to_string();
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        mode(0o640);
        assert!(matches!(Address::read(&source), Err(StoreError::NotPrivate { .. })));
        mode(0o600);
        let address = Address::read(&source).map_err(|error| error.to_string()).unwrap();
        assert_eq!(address.config.get_password(), Some(&b"secret"[..]));
        assert_eq!(address.shown, "localhost:5432/ox");
    }
}
