//! The walls of macOS: a profile for `sandbox-exec`, generated from the rights of a job.
//!
//! Everything that is not allowed is denied; of rules that both fit the later one counts, so what is protected and hidden
//! comes last. A path is named as it is given and as it resolves, for the kernel compares resolved paths. What seatbelt does
//! **not** do: it bounds neither memory nor the number of processes, and gives no process space of its own.
//!
//! The profile is text and is tested as text everywhere; it is used on macOS alone.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use ox_protocol::{Network, Rights};

/// The program that applies a profile. Named in full: a search path may lead to somebody else's.
pub const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What every program needs to run at all.
const BASE: &str = "(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow file-ioctl (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))
(allow file-read-metadata)
(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/dtracehelper\") (literal \"/dev/tty\"))
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (regex #\"^/dev/ttys[0-9]+$\") (literal \"/dev/ptmx\"))
(allow user-preference-read)
(allow mach-lookup
  (global-name \"com.apple.system.opendirectoryd.libinfo\")
  (global-name \"com.apple.system.opendirectoryd.membership\")
  (global-name \"com.apple.system.notification_center\")
  (global-name \"com.apple.system.logger\")
  (global-name \"com.apple.trustd.agent\"))
";

/// What is read besides the granted paths: programs and libraries of the system.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/sbin",
    "/usr",
    "/opt",
    "/dev",
    "/etc",
    "/private/etc",
    "/private/var/db",
    "/private/var/select",
    "/System",
    "/Library",
    "/Applications/Xcode.app",
    "/nix",
    "/var/select",
];

/// The arguments that run `argv` behind `profile`.
pub fn argv(profile: &str, argv: &[String]) -> Vec<String> {
    let start = [PROGRAM, "-p", profile, "--"].map(str::to_owned);
    start.into_iter().chain(argv.iter().cloned()).collect()
}

/// The profile of `rights`. `temporary` is the private folder for temporary files; `proxy` the port on this machine at which
/// our proxy waits, without which a list of hosts allows nothing.
pub fn profile(rights: &Rights, temporary: &Path, proxy: Option<u16>) -> String {
    let mut text = BASE.to_owned();
    if rights.read.is_empty() {
        text.push_str("(allow file-read*)\n");
    } else {
        let system = SYSTEM.iter().map(PathBuf::from);
        let granted = system.chain(rights.read.iter().chain(&rights.write).cloned()).chain([temporary.to_owned()]);
        rule(&mut text, "allow file-read*", granted, "subpath");
        // Without it nothing can be looked up from the root on.
        text.push_str("(allow file-read* (literal \"/\"))\n");
    }
    let writable = rights.write.iter().cloned().chain([temporary.to_owned()]);
    rule(&mut text, "allow file-write*", writable, "subpath");
    // A rename of a folder takes along what is protected in it.
    let around = rights.protect.iter().chain(&rights.hide).flat_map(|it| around(it, &rights.write));
    rule(&mut text, "deny file-write-unlink", around, "literal");
    rule(&mut text, "deny file-write*", rights.protect.iter().cloned(), "subpath");
    rule(&mut text, "deny file-read* file-write*", rights.hide.iter().cloned(), "subpath");
    // Otherwise a hard link would be another name for what is protected.
    rule(&mut text, "deny file-link", rights.protect.iter().chain(&rights.hide).cloned(), "subpath");
    network(&mut text, &rights.network, proxy);
    text
}

fn network(text: &mut String, network: &Network, proxy: Option<u16>) {
    match (network, proxy) {
        (Network::All, _) => text.push_str("(allow network*)\n(allow system-socket)\n"),
        (Network::Hosts(hosts), Some(port)) if !hosts.is_empty() => {
            let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        // Nothing was allowed, so nothing is.
        _ => {}
    }
}

/// A rule about paths, or nothing where there are none: a rule without paths would be about all of them.
fn rule(text: &mut String, what: &str, paths: impl Iterator<Item = PathBuf>, kind: &str) {
    let mut all: Vec<PathBuf> = paths.flat_map(|it| [resolved(&it), it]).collect();
    all.sort();
    all.dedup();
    if all.is_empty() {
        return;
    }
    let _ = write!(text, "({what}");
    for path in all {
        let _ = write!(text, "\n  ({kind} {})", quoted(&path));
    }
    text.push_str(")\n");
}

/// The folders around `path` that lie in what may be written.
fn around(path: &Path, writable: &[PathBuf]) -> Vec<PathBuf> {
    let inside = |it: &&Path| writable.iter().any(|root| it.starts_with(root));
    path.ancestors().skip(1).take_while(inside).map(Path::to_owned).collect()
}

/// The path with all symlinks followed, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    for known in path.ancestors() {
        if let Ok(real) = known.canonicalize() {
            let rest = path.strip_prefix(known).expect("an ancestor is a prefix");
            // Joining nothing would add a slash.
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

/// A string of the language of profiles. Bytes that are no text are replaced: such a path then fits nothing.
fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn rights() -> Rights {
        let mut rights = Rights::command("/no/project".into(), Duration::from_secs(1));
        rights.protect = vec!["/no/project/.git/hooks".into()];
        rights.hide = vec!["/no/project/.env".into(), "/no/home/.ssh".into()];
        rights
    }

    /// What comes after the part that every profile has.
    fn rest(rights: &Rights, proxy: Option<u16>) -> String {
        profile(rights, Path::new("/no/tmp"), proxy).strip_prefix(BASE).unwrap().to_owned()
    }

    #[test]
    fn rights_become_rules_with_denials_last() {
        let expected = r#"(allow file-read*)
(allow file-write*
  (subpath "/no/project")
  (subpath "/no/tmp"))
(deny file-write-unlink
  (literal "/no/project")
  (literal "/no/project/.git"))
(deny file-write*
  (subpath "/no/project/.git/hooks"))
(deny file-read* file-write*
  (subpath "/no/home/.ssh")
  (subpath "/no/project/.env"))
(deny file-link
  (subpath "/no/home/.ssh")
  (subpath "/no/project/.env")
  (subpath "/no/project/.git/hooks"))
"#;
        assert_eq!(rest(&rights(), None), expected);
    }

    #[test]
    fn the_network_is_what_was_granted() {
        let table = [
            (Network::None, Some(1), ""),
            (Network::Hosts(Vec::new()), Some(1), ""),
            (Network::Hosts(vec!["a.com".into()]), None, ""),
            (
                Network::Hosts(vec!["a.com".into()]),
                Some(3128),
                "(allow network-outbound (remote ip \"localhost:3128\"))\n",
            ),
            (Network::All, None, "(allow network*)\n(allow system-socket)\n"),
        ];
        let none = rest(&rights(), None);
        for (network, proxy, expected) in table {
            let rights = Rights { network: network.clone(), ..rights() };
            assert_eq!(rest(&rights, proxy).strip_prefix(&none), Some(expected), "{network:?}");
        }
    }

    #[test]
    fn a_list_of_what_is_read_is_kept_and_nothing_means_nothing() {
        let rights = Rights { read: vec!["/no/libs".into()], write: Vec::new(), protect: Vec::new(), ..rights() };
        let text = rest(&rights, None);
        assert!(!text.contains("(allow file-read*)\n"), "{text}");
        assert!(text.contains("\n  (subpath \"/no/libs\")"), "{text}");
        assert!(text.contains("(allow file-write*\n  (subpath \"/no/tmp\"))\n"), "{text}");
        // A rule without paths would be about everything.
        for empty in ["(deny file-write*)", "(allow file-write*)", "(deny file-write-unlink)"] {
            assert!(!text.contains(empty), "{text}");
        }
    }

    #[test]
    fn no_name_ends_its_string_and_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
        let odd = dir.path().join("link/a\"))(allow default)\\");
        let text = rest(&Rights { write: vec![odd], ..rights() }, None);
        let expected = format!("(subpath \"{}/a\\\"))(allow default)\\\\\")", real.display());
        assert!(text.contains(&expected), "{text}");
    }

    #[test]
    fn the_command_line_is_passed_on_untouched() {
        let words = ["sh", "-c", "-p x"].map(str::to_owned);
        assert_eq!(argv("(version 1)", &words), [PROGRAM, "-p", "(version 1)", "--", "sh", "-c", "-p x"]);
    }
}
