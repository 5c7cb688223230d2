//! A changed file read before and now, and how a finding about it is made.

use std::cell::LazyCell;
use std::collections::BTreeSet;

use ox_protocol::{AuditFinding, AuditKind};
use ox_syntax::Import;

use crate::change::Changed;
use crate::diff::Diff;
use crate::reading::Reading;

/// Names that the change no longer defines, worked out when they are asked for.
pub(crate) type Removed<'r> = LazyCell<BTreeSet<String>, Box<dyn FnOnce() -> BTreeSet<String> + 'r>>;

/// A changed file, read before and now.
pub(crate) struct Pair<'a> {
    pub change: &'a Changed,
    pub before: Reading<'a>,
    pub after: Reading<'a>,
    pub diff: Diff<'a>,
}

impl<'a> Pair<'a> {
    pub fn of(change: &'a Changed) -> Pair<'a> {
        let (before, after) = (change.before_text(), change.after_text());
        Pair {
            change,
            before: Reading::of(change.before_path(), before),
            after: Reading::of(&change.path, after),
            diff: Diff::of(before, after),
        }
    }

    /// True for an import that the change brought. What no new line has a word of is not even looked for in the text before.
    pub fn is_new_import(&self, it: &Import) -> bool {
        let last = it.what.rsplit(['.', '/', ':', '\\']).find(|it| !it.is_empty()).unwrap_or(&it.what);
        let names = || std::iter::once(last).chain(it.names.iter().map(String::as_str));
        self.diff.added.iter().any(|(_, line)| names().any(|name| line.contains(name)))
            && !self.before.facts().imports.iter().any(|old| old.what == it.what && old.names == it.names)
    }

    pub fn path(&self) -> &'a str {
        &self.change.path
    }

    pub fn is_test(&self) -> bool {
        self.before.is_test() || self.after.is_test()
    }

    /// A finding of this file, about something at a line as it is now.
    pub fn finding(&self, kind: AuditKind, line: u32, about: &str, before: &str, now: &str) -> AuditFinding {
        finding(kind, self.path(), line, about, (before, now))
    }
}

/// True for what tests are run on: it may be broken, skipped or empty on purpose.
pub(crate) fn is_sample(path: &str) -> bool {
    let folders = [
        "fixtures",
        "fixture",
        "testdata",
        "test_data",
        "samples",
        "snapshots",
        "__fixtures__",
        "__snapshots__",
        "corpus",
        "vendor",
        "node_modules",
    ];
    path.split('/').any(|it| folders.contains(&it))
}

/// Bytes of a line that are shown.
const SHOWN: usize = 200;

pub(crate) fn finding(kind: AuditKind, file: &str, line: u32, about: &str, lines: (&str, &str)) -> AuditFinding {
    let short = |text: &str| {
        let text = crate::reading::flat(text);
        text[..text.floor_char_boundary(SHOWN)].to_owned()
    };
    AuditFinding { kind, file: file.to_owned(), line, about: short(about), before: short(lines.0), now: short(lines.1) }
}
