//! What a shell command line would do, found by parsing it, never by running it.
//!
//! The promise is to fail closed: what is not understood is [`Level::Shell`] at least, and what hides or could hide more
//! is [`Level::System`]. Only a line all of whose parts are known to read, inside the project, is [`Level::Read`]. Nothing
//! here starts a process or opens a file: where symlinks of named paths lead, and where a repository is, is asked through
//! [`ExecutionContext::lookup`].
//!
//! The way of a line: `syntax` makes a tree of it, `analysis` visits its statements, finds out what each word becomes
//! and looks every simple command up, in `programs` where it needs code and in `table` where data says enough;
//! `paths` tells where a path leads.

use analyzer::Analyzer;
use findings::Findings;
use ox_protocol::{EffectKind, Level};
use paths::PathResolver;
use scope::Scope;

mod analysis;
mod analyzer;
mod classification;
mod findings;
mod host;
mod paths;
mod prefix;
mod programs;
mod scope;
mod steering;
mod syntax;
mod table;
mod variables;
mod word;

pub use classification::{Classification, Entry, ExecutionContext};

/// The longest line that is analysed, in bytes. A longer one is obscure and so of level system: nobody reads it before consenting.
pub const LONGEST_LINE: usize = 256 * 1024;

/// Tells what `command` would do when bash runs it in `context`.
pub fn classify(command: &str, context: &ExecutionContext<'_>) -> Classification {
    let mut findings = Findings::default();
    let is_check = context.checks.iter().any(|it| it.trim() == command.trim());
    if is_check {
        findings.add(EffectKind::Execute, Level::Edit, command.trim());
        findings.command_at(0, command.trim().to_owned(), Level::Edit);
    } else if command.len() > LONGEST_LINE {
        findings.add(EffectKind::Obscure, Level::System, "a line that is too long to be analysed");
    } else {
        let paths = PathResolver::new(context);
        let mut scope = Scope::new(context.cwd);
        Analyzer::new(&paths, &mut findings).line(command, &mut scope);
    }
    Classification { steered: !is_check && steering::is_steered(command), ..findings.finish() }
}
