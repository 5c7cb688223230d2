//! Texts that a program runs as code: a program on the command line of an interpreter, a script of awk or sed.
//!
//! They are not understood: in the sandbox it does not matter what they do. What they name openly counts, since consent can
//! only open what is named: hosts, secrets and places outside. So does a word that reaches out of the process, where
//! there is no sandbox. A word that is missing here costs a question and no safety.

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::host::host_of;
use crate::paths::{PathAccess, is_secret};
use crate::scope::Scope;
use crate::word::{UNKNOWN, Word};
use ox_protocol::word_list::words;

/// Words that reach out of the process, in lower case.
const FAR: &str = include_str!("../tables/words/code_reaching_out.txt");

impl Analyzer<'_> {
    /// Notes what a program text names.
    pub fn code(&mut self, word: &Word, scope: &Scope) {
        let text = word.text.as_str();
        self.findings.add(EffectKind::Execute, Level::Shell, word.shown());
        if word.has_unknown() {
            self.findings.add_computed(Level::System, word.source.clone());
        }
        let lower = text.to_lowercase();
        if let Some(found) = words(FAR).find(|it| lower.contains(it)) {
            self.findings.add(EffectKind::Execute, Level::System, format!("{found} in {}", word.shown()));
        }
        for piece in pieces(text) {
            self.named_in_code(piece, scope);
        }
    }

    /// One place or host that a program text names; it may only be read, so that it is the sandbox that decide.
    fn named_in_code(&mut self, piece: &str, scope: &Scope) {
        if let Some((scheme, _)) = piece.split_once("://") {
            let word = scheme.chars().all(|c| c.is_ascii_alphanumeric());
            if word && scheme != "file" {
                self.findings.named_host(&host_of(piece));
            }
        } else if is_secret(piece) {
            self.access(&Word::plain(piece), PathAccess::Read, scope);
        } else if self.paths.is_outside(piece, scope) {
            self.findings.path(piece, true);
            self.findings.add(EffectKind::Read, Level::System, piece);
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
    all.filter(|it| !it.contains(|c: char| c.is_whitespace() || c == UNKNOWN))
}
