//! The state of one analysis. What it does with each part of a line stands in `analysis` and `programs`.

use ox_protocol::Level;

use crate::findings::Findings;
use crate::paths::PathResolver;
use crate::word::Word;

/// Statements within statements.
const DEEPEST_STATEMENT: usize = 120;
/// Statements that are visited, those of loops more than once; a long one counts as several.
const MOST_STATEMENTS: usize = 10_000;

/// A command with the assignments before it.
#[derive(Default)]
pub(crate) struct ParsedCommand {
    /// Assignments before the command, or alone.
    pub assigned: Vec<(String, Option<Word>)>,
    /// The command word and its arguments.
    pub words: Vec<Word>,
}

/// The visit of one line and of the lines inside it.
pub(crate) struct Analyzer<'a> {
    pub paths: &'a PathResolver,
    pub findings: &'a mut Findings,
    /// Command lines that are being analysed, one within the other.
    pub lines: usize,
    /// Command lines that were parsed.
    pub parsed: usize,
    /// Statements, expansions and commands that are being analysed, one within the other.
    depth: usize,
    /// Statements that were visited.
    pub visited: usize,
}

impl<'a> Analyzer<'a> {
    /// Begins.
    pub fn new(paths: &'a PathResolver, findings: &'a mut Findings) -> Analyzer<'a> {
        Analyzer { paths, findings, lines: 0, parsed: 0, depth: 0, visited: 0 }
    }

    /// Goes one level down, as far as that is allowed; further down everything is obscure.
    pub fn nested<T: Default>(&mut self, part: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEEPEST_STATEMENT || self.visited > MOST_STATEMENTS {
            self.findings.add_obscure(Level::System, "a line that is too involved to be analysed");
            return T::default();
        }
        self.depth += 1;
        let found = part(self);
        self.depth -= 1;
        found
    }
}
