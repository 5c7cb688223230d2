//! What the use of a path counts for: it depends on where the path leads.

use std::path::Path;

use ox_protocol::{EffectKind, Level};

use crate::analyzer::Analyzer;
use crate::paths::{PathAccess, PathTarget, is_guarded, is_instruction, is_secret};
use crate::scope::Scope;
use crate::word::{UNKNOWN, Word};

/// The temporary folder, of which commands have a private one in the sandbox.
const SCRATCH: &str = "/tmp";

impl Analyzer<'_> {
    /// Notes that a path is used, with the level that its place gives the use.
    pub fn access(&mut self, word: &Word, used: PathAccess, scope: &Scope) {
        let resolve = self.paths.resolve(&word.text, &scope.cwd);
        let shown = word.text.replace(UNKNOWN, "…");
        match resolve {
            PathTarget::Stream => {}
            PathTarget::Host(host) => self.findings.host(&host),
            PathTarget::Public(path) if used == PathAccess::Read => self.findings.path(&path, false),
            PathTarget::Unknown => self.access_unknown(&shown, used),
            PathTarget::Inside(path) => self.access_inside(&path, used),
            PathTarget::Added(path) => self.access_inside(&path, used),
            PathTarget::Outside(path) | PathTarget::Public(path) => self.access_outside(&path, used),
        }
    }

    fn access_unknown(&mut self, shown: &str, used: PathAccess) {
        let shown = if shown.is_empty() { "…" } else { shown };
        match used {
            _ if is_secret(shown) => self.findings.add(EffectKind::Secret, Level::System, shown),
            PathAccess::Read | PathAccess::Enter => self.findings.add(EffectKind::Read, Level::Shell, shown),
            PathAccess::Write | PathAccess::Delete | PathAccess::Run => {
                self.findings.add_computed(Level::System, shown)
            }
        }
    }

    fn access_inside(&mut self, path: &str, used: PathAccess) {
        let shown = if path.is_empty() { "." } else { path };
        let changes = matches!(used, PathAccess::Write | PathAccess::Delete);
        self.findings.path(shown, changes);
        match used {
            PathAccess::Enter => {}
            _ if is_secret(path) => self.findings.add(EffectKind::Secret, Level::System, shown),
            PathAccess::Read => {}
            PathAccess::Run => self.findings.add(EffectKind::Execute, Level::Shell, shown),
            PathAccess::Write | PathAccess::Delete if is_guarded(path) => {
                self.findings.add(EffectKind::System, Level::System, shown);
            }
            PathAccess::Write if is_instruction(path) => self.findings.add(EffectKind::Write, Level::Shell, shown),
            PathAccess::Write => self.findings.add(EffectKind::Write, Level::Edit, shown),
            // The root and everything in it, history included.
            PathAccess::Delete if path.is_empty() || matches!(path, "*" | ".*" | "**") => {
                self.findings.add(EffectKind::Destroy, Level::System, shown);
            }
            PathAccess::Delete => self.findings.add(EffectKind::Delete, Level::Shell, shown),
        }
    }

    fn access_outside(&mut self, path: &str, used: PathAccess) {
        self.findings.path(path, matches!(used, PathAccess::Write | PathAccess::Delete));
        let kind = match used {
            _ if is_secret(path) => EffectKind::Secret,
            PathAccess::Read | PathAccess::Enter => EffectKind::Read,
            PathAccess::Write | PathAccess::Delete if Path::new(path).starts_with(SCRATCH) => EffectKind::Scratch,
            PathAccess::Write => EffectKind::Write,
            PathAccess::Delete => EffectKind::Delete,
            PathAccess::Run => EffectKind::Execute,
        };
        self.findings.add(kind, Level::System, path);
    }
}
