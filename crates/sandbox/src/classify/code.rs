//! Programs that are given on the command line of an interpreter (`python -c`, `perl -e`, `node -e`).
//!
//! They are not understood. They are of level 2, unless a word in them speaks of more: the network, other processes, the
//! environment, other places, or ways to hide any of these. A word that is missing here costs a question and no safety:
//! what is possible is decided by the sandbox.

use ox_protocol::{EffectKind, Level};

use super::facts::Facts;
use super::ground::is_secret;

/// Words that reach out of the process, in lower case, with what they do.
const WORDS: &[(EffectKind, &[&str])] = &[
    (
        EffectKind::Network,
        &[
            "socket",
            "urllib",
            "requests",
            "http",
            "ftp",
            "smtp",
            "telnet",
            "fetch(",
            "axios",
            "paramiko",
            "websocket",
            "dns.",
            "net.",
            "tls.",
            "net::",
            "lwp",
            "open-uri",
            "fsockopen",
            "getaddrinfo",
            "gethostby",
            "curl",
            "wget",
            "connect(",
            "urlopen",
            "aiohttp",
            "boto3",
            "xmlrpc",
            "ws://",
            "ssh",
            "dgram",
            "listen(",
            "'net'",
            "\"net\"",
            "/inet",
            "io.udp",
            "smtplib",
            "imaplib",
            "poplib",
            "asyncio.open",
        ],
    ),
    (
        EffectKind::Process,
        &[
            "subprocess",
            "os.system",
            "popen",
            "execsync",
            "execfile",
            "execv",
            "execl",
            "spawn",
            "system(",
            "system ",
            "child_process",
            "shell_exec",
            "passthru",
            "proc_open",
            "pcntl",
            "fork",
            "ctypes",
            "dlopen",
            "ffi",
            "kill(",
            "qx",
            "%x",
            "`",
            "/bin/",
            "getruntime",
            "os.exec",
            "os.posix",
            "deno.run",
            "deno.command",
            "pty.",
            "ptrace",
            "open3",
            "processbuilder",
            "do shell script",
            "exec(",
            "exec ",
            "|-",
            "-|",
        ],
    ),
    (
        EffectKind::Secret,
        &[
            "environ",
            "getenv",
            "process.env",
            "%env",
            "$env",
            "env[",
            "env.",
            "$_server",
            "dotenv",
            "keyring",
            "password",
            "passwd",
            "secret",
            "credential",
        ],
    ),
    (
        EffectKind::Obscure,
        &[
            "eval",
            "__import__",
            "importlib",
            "getattr(",
            "compile(",
            "base64",
            "b64",
            "atob(",
            "fromcharcode",
            "unhex",
            "unpack",
            "marshal",
            "pickle",
            "codecs",
            "\\x",
            "\\u00",
            "chr(",
            "rot13",
            "decode(",
            "globals(",
            "__class__",
            "instance_eval",
            "class_eval",
            "send(",
            "constructor",
            "decompress",
            "zlib",
            "[::-1]",
            "reverse(",
        ],
    ),
    (
        EffectKind::Delete,
        &["rmtree", "rmsync", "unlink", "os.remove", "rmdir", "rm_rf", "rm_r", "removeall", "truncate(", "fileutils"],
    ),
    (
        EffectKind::System,
        &[
            "/etc",
            "/root",
            "/home",
            "/proc",
            "/sys/",
            "/dev/",
            "/var/",
            "/usr/",
            "/tmp",
            "/opt/",
            "/boot",
            "/mnt",
            "../",
            "expanduser",
            "path.home",
            "homedir",
            "~/",
            "chmod",
            "chown",
            "symlink",
            "mkfifo",
            "setuid",
            "\"/\"",
            "'/'",
        ],
    ),
];

/// Notes what a program text speaks of.
pub(super) fn look(facts: &mut Facts, text: &str) {
    facts.add(EffectKind::Execute, Level::Shell, text);
    let lower = text.to_lowercase();
    for (kind, words) in WORDS {
        if let Some(found) = words.iter().find(|it| lower.contains(*it)) {
            facts.add(*kind, Level::System, format!("{} in {text}", found.trim()));
        }
    }
    let pieces = lower.split(|c: char| c.is_whitespace() || "'\"`()[]{},;=<>".contains(c));
    for piece in pieces.filter(|it| !it.is_empty() && is_secret(it)) {
        facts.add(EffectKind::Secret, Level::System, piece);
    }
}
