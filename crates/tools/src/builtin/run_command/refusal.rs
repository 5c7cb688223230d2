//! What the sandbox refused a command, recognised where it ended badly, and what to do about it.
//!
//! It only explains: nothing is decided by it, and a command that failed for another reason may print the same words.

use std::path::Path;

use ox_protocol::{Network, Rights};

/// Bytes at the end of an output that are looked through.
const LOOKED_AT: usize = 8 << 10;

/// Words of programs that reach nobody, in small letters.
const UNREACHED: [&str; 21] = [
    "could not resolve host",
    "couldn't resolve host",
    "unable to resolve host",
    "name or service not known",
    "temporary failure in name resolution",
    "no address associated with hostname",
    "nodename nor servname",
    "failed to lookup address",
    "getaddrinfo",
    "enotfound",
    "eai_again",
    "enotcached",
    "dns error",
    "no such host",
    "unknownhostexception",
    "network is unreachable",
    "enetunreach",
    "failed to establish a new connection",
    "but --offline was specified",
    "without the offline flag",
    "[refused by the sandbox:",
];
const UNANSWERED: [&str; 3] = ["connection refused", "econnrefused", "failed to connect to localhost"];
const READ_ONLY: [&str; 2] = ["read-only file system", "erofs"];
const DENIED: [&str; 3] = ["permission denied", "operation not permitted", "eacces"];
const MISSING: [&str; 2] = ["no such file or directory", "enoent"];
const MEMORY: [&str; 3] = ["of memory]", "cannot allocate memory", "out of memory"];
const CROWDED: [&str; 4] =
    ["processes and threads at once]", "resource temporarily unavailable", "cannot fork", "can't start new thread"];

/// What the sandbox presumably refused a command with `rights` that ended badly after `output`, with its remedy.
pub(crate) fn refusal(output: &str, rights: &Rights) -> Option<String> {
    let start = output.floor_char_boundary(output.len().saturating_sub(LOOKED_AT));
    let lines: Vec<&str> = output[start..].lines().collect();
    let line = |words: &[&str]| lines.iter().rev().find(|it| has(it, words)).copied();
    if line(&MEMORY).is_some() {
        return Some(format!(
            "the sandbox ends what takes more than {} MiB: do less at once; `sandbox.memory` allows more",
            rights.memory >> 20
        ));
    }
    if line(&CROWDED).is_some() {
        return Some(format!(
            "the sandbox allows {} processes and threads: run fewer at once; `sandbox.processes` allows more",
            rights.processes
        ));
    }
    if let Some(line) = line(&READ_ONLY) {
        return Some(format!(
            "the sandbox lets commands write the project and /tmp alone{}: write there, or point the tool's cache there",
            path_in(line).map(|it| format!(", not {it}")).unwrap_or_default()
        ));
    }
    let protected = lines.iter().filter(|it| has(it, &DENIED)).find_map(|line| {
        let named = |it: &&std::path::PathBuf| {
            rights.write.iter().any(|root| it.strip_prefix(root).is_ok_and(|it| names(line, it)))
        };
        rights.protect.iter().find(named)
    });
    if let Some(path) = protected {
        let name = rights.write.iter().find_map(|it| path.strip_prefix(it).ok()).unwrap_or(path).display();
        return Some(format!(
            "the sandbox protects {name}: a command that says openly that it changes it asks the user"
        ));
    }
    if rights.network != Network::All {
        if line(&UNREACHED).is_some() {
            return Some(unreached(&rights.network));
        }
        if line(&UNANSWERED).is_some() {
            return Some(
                "commands share a loopback of their own, on which nobody listened at that port: start the server \
                         as a `background` command; a server of the user's is reached by a command that names \
                         127.0.0.1:PORT, if the user consents"
                    .into(),
            );
        }
    }
    let missing = lines.iter().filter(|it| has(it, &MISSING)).filter_map(|it| path_in(it));
    let mut outside = missing.filter(|it| it.starts_with("/tmp/") && Path::new(it).exists());
    outside.next().map(|it| format!("commands have a /tmp of their own and do not see the user's {it}: read_file does"))
}

fn has(line: &str, words: &[&str]) -> bool {
    let line = line.to_ascii_lowercase();
    words.iter().any(|it| line.contains(it))
}

/// Why nobody is reached, and how somebody is.
pub(crate) fn unreached(network: &Network) -> String {
    let closed = match network {
        Network::Hosts(hosts) if !hosts.is_empty() => {
            format!("the sandbox lets this command reach {} alone", hosts.join(", "))
        }
        _ => "the sandbox gives commands no network".to_owned(),
    };
    format!(
        "{closed}: one that names its host (`curl https://…`, an install) asks the user; `sandbox.hosts` allows one for good"
    )
}

/// True where a line names a path of the project, as a whole name.
fn names(line: &str, path: &Path) -> bool {
    let path = path.display().to_string();
    // A dot ends a sentence, or goes on with the name.
    let ends = |rest: &str| {
        let rest = rest.strip_prefix('.').unwrap_or(rest);
        rest.chars().next().is_none_or(|it| !it.is_alphanumeric() && it != '-' && it != '_')
    };
    line.match_indices(&path).any(|(at, _)| ends(&line[at + path.len()..]))
}

/// The first absolute path in a line.
fn path_in(line: &str) -> Option<&str> {
    let start = line
        .match_indices('/')
        .map(|it| it.0)
        .find(|at| line[..*at].chars().next_back().is_none_or(|it| it.is_whitespace() || "'\"`‘“(:=".contains(it)))?;
    let end = line[start..].find(|it: char| it.is_whitespace() || "'\"`’”):,".contains(it));
    Some(&line[start..start + end.unwrap_or(line.len() - start)]).filter(|it| it.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use std::time::Duration;

    #[test]
    fn what_was_refused_is_said_with_its_remedy() {
        let mut rights = Rights::command("/p".into(), Duration::ZERO);
        rights.protect = vec!["/p/.git/hooks".into(), "/p/.env".into()];
        let outputs = [
            "curl: (6) Could not resolve host: example.com",
            "npm error code ENOTCACHED\nnpm error request to https://registry.npmjs.org/x failed",
            "curl: (7) Failed to connect to localhost port 3000 after 0 ms: Connection refused",
            "Error: EROFS: read-only file system, mkdir '/deps/node_modules/.vite-temp'",
            "mkdir: cannot create directory ‘.git/hooks’: Permission denied",
            "sh: 1: cannot create .env.example: Permission denied",
            "\n[ended: its processes took more than 2048 MiB of memory]\n",
            "bash: fork: retry: Resource temporarily unavailable",
            "test result: FAILED. 1 failed",
            "cat: /tmp/ox-no-such-file: No such file or directory",
        ];
        let reported = outputs.map(|it| refusal(it, &rights).unwrap_or_else(|| "-".into()));
        expect![[r#"
            the sandbox gives commands no network: one that names its host (`curl https://…`, an install) asks the user; `sandbox.hosts` allows one for good
            the sandbox gives commands no network: one that names its host (`curl https://…`, an install) asks the user; `sandbox.hosts` allows one for good
            commands share a loopback of their own, on which nobody listened at that port: start the server as a `background` command; a server of the user's is reached by a command that names 127.0.0.1:PORT, if the user consents
            the sandbox lets commands write the project and /tmp alone, not /deps/node_modules/.vite-temp: write there, or point the tool's cache there
            the sandbox protects .git/hooks: a command that says openly that it changes it asks the user
            -
            the sandbox ends what takes more than 2048 MiB: do less at once; `sandbox.memory` allows more
            the sandbox allows 256 processes and threads: run fewer at once; `sandbox.processes` allows more
            -
            -"#]]
        .assert_eq(&reported.join("\n"));
        rights.network = Network::Hosts(vec!["pypi.org".into()]);
        let reported = refusal("getaddrinfo ENOTFOUND registry.npmjs.org", &rights).unwrap();
        assert!(reported.starts_with("the sandbox lets this command reach pypi.org alone: "), "{reported}");
        rights.network = Network::All;
        assert_eq!(refusal("getaddrinfo ENOTFOUND registry.npmjs.org", &rights), None);
    }

    #[test]
    fn a_file_of_the_user_that_is_not_seen_is_named() {
        let file = tempfile::Builder::new().tempfile_in("/tmp").unwrap();
        let rights = Rights::command("/p".into(), Duration::ZERO);
        let reported = refusal(&format!("cat: {}: No such file or directory", file.path().display()), &rights);
        assert!(
            reported.is_some_and(|it| it.contains(&format!("the user's {}: read_file does", file.path().display())))
        );
    }
}
