//! Whether a change is what it claims to be: finished, and as well tested and checked as what it replaces.
//!
//! Everything here is a function of texts: the changed files before and after, and the index. Nothing is run, written or
//! asked. What cannot be told is no finding: a language that is not known, a text that is too large, an import that may be
//! somebody else's. A finding names the place and shows the lines themselves.

/// A pattern that is made once, when it is first needed.
macro_rules! pattern {
    ($(#[$doc:meta])* $name:ident, $pattern:expr $(,)?) => {
        $(#[$doc])*
        static $name: std::sync::LazyLock<regex::Regex> =
            std::sync::LazyLock::new(|| regex::Regex::new($pattern).expect("invariant: it is a pattern"));
    };
}

mod before;
mod change;
mod diff;
mod done;
mod ground;
mod honesty;
mod pair;
mod reading;

use ox_protocol::AuditFinding;

use pair::{Pair, is_sample};

pub use before::{TestsAlone, tests_alone};
pub use change::Changed;
pub use ground::Ground;

/// Findings that are told of one change at most; after so many of them more tell nothing new.
const MOST: usize = 40;

/// What there is to say about a change, the gravest first.
pub fn audit(ground: &Ground<'_>) -> Vec<AuditFinding> {
    // What tests are run on may be as it likes, but is no less to be finished.
    let (samples, pairs): (Vec<Pair<'_>>, Vec<Pair<'_>>) =
        ground.changes.iter().map(Pair::of).partition(|it| is_sample(it.path()));
    let mut findings = done::findings(ground, &pairs.iter().chain(&samples).collect::<Vec<_>>());
    findings.extend(honesty::findings(ground, &pairs));
    findings.sort_by(|a, b| {
        let key = |it: &AuditFinding| (it.kind.weight(), it.file.clone(), it.line, it.kind);
        key(a).cmp(&key(b))
    });
    findings.dedup();
    findings.truncate(MOST);
    findings
}
