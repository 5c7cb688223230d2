//! Texts that a program runs as code: a program on the command line of an interpreter, a script of awk or sed.
//!
//! They are not understood: behind walls it does not matter what they do. What they name openly counts, since consent can
//! only open what is named: hosts, secrets and places outside. So does a word that reaches out of the process, where
//! there are no walls. A word that is missing here costs a question and no safety.

use ox_protocol::{EffectKind, Level};

use super::ground::{Use, is_secret};
use super::scope::Scope;
use super::simple::host_of;
use super::walk::Walk;
use super::word::{HOLE, Word};

/// Words that reach out of the process, in lower case.
const FAR: &str = "socket urllib requests http ftp smtp telnet fetch( axios paramiko dns. net. net:: tls. lwp open-uri \
    gethostby getaddrinfo curl wget connect( urlopen boto3 xmlrpc ws:// ssh dgram listen( 'net' \"net\" imaplib poplib io.udp \
    asyncio.open subprocess os.system popen execsync execfile execv execl spawn system( child_process shell_exec passthru \
    proc_open pcntl fork ctypes dlopen ffi kill( qx %x ` getruntime os.exec os.posix deno.run deno.command pty. ptrace open3 \
    processbuilder exec( .shell .system .load load_extension environ getenv process.env %env $env env[ env. $_server symtab \
    eval __import__ importlib getattr( compile( base64 b64 atob( fromcharcode unpack marshal pickle codecs \\x chr( rot13 \
    decode( globals( __class__ instance_eval class_eval constructor decompress zlib [::-1] reverse( rmtree rmsync unlink \
    os.remove rm_rf removeall fileutils expanduser path.home homedir chmod chown symlink mkfifo setuid";

impl Walk<'_> {
    /// Notes what a program text names.
    pub fn code(&mut self, word: &Word, scope: &Scope) {
        let text = word.text.as_str();
        self.facts.add(EffectKind::Execute, Level::Shell, word.shown());
        if word.has_hole() {
            self.facts.computed(Level::System, word.source.clone());
        }
        let lower = text.to_lowercase();
        if let Some(found) = FAR.split_ascii_whitespace().find(|it| lower.contains(it)) {
            self.facts.add(EffectKind::Execute, Level::System, format!("{found} in {}", word.shown()));
        }
        for piece in pieces(text) {
            self.named_in_code(piece, scope);
        }
    }

    /// One place or host that a program text names; it may only be read, so that it is the walls that decide.
    fn named_in_code(&mut self, piece: &str, scope: &Scope) {
        if let Some((scheme, _)) = piece.split_once("://") {
            let word = scheme.chars().all(|c| c.is_ascii_alphanumeric());
            if word && scheme != "file" {
                self.facts.named_host(&host_of(piece));
            }
        } else if is_secret(piece) {
            self.use_path(&Word::plain(piece), Use::Read, scope);
        } else if self.ground.leads_outside(piece, scope) {
            self.facts.path(piece, true);
            self.facts.add(EffectKind::Read, Level::System, piece);
        }
    }
}

/// What may be a place or a host: every quoted text without blanks, and every word that begins like a path.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split(['"', '\'', '`']).filter(|it| it.contains(['.', '/']));
    let bare = text.split(|c: char| c.is_whitespace() || "'\"`(){}[];,=<>|&".contains(c));
    let bare = bare.filter(|it| it.contains("://") || it.starts_with(['/', '~', '.']) && it.len() > 1);
    // `1w/etc/x`: a command of sed with its file.
    let attached = text.split([';', '\n', ' ']).filter_map(|it| it.find(['w', 'r']).map(|at| &it[at + 1..]));
    let attached = attached.filter(|it| it.starts_with('/') && it.len() > 1 && !it.ends_with('/'));
    let all = quoted.chain(bare).chain(attached).map(str::trim);
    all.filter(|it| !it.contains(|c: char| c.is_whitespace() || c == HOLE))
}
