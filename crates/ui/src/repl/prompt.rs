//! The line prompt: history, completion of `/` commands and `@` files, continuation lines, multi-line paste.
//!
//! Promise: a line that begins with a space is not kept in the history; a history that cannot be written costs nothing
//! but itself.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use crate::commands::COMMANDS;
use ox_app::Project;

/// The sign before the user's words.
const SIGN: &str = "› ";

/// What came of asking for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    Line(String),
    /// Ctrl-C on a line that held something; it can be had back from the history.
    Cleared,
    /// Ctrl-C on an empty line. `again`: nothing was typed since the one before.
    Interrupted {
        again: bool,
    },
    /// Ctrl-D.
    End,
}

/// The prompt.
pub(super) struct Prompt {
    editor: Editor<Completion, FileHistory>,
    history: Option<PathBuf>,
    typed: Arc<Mutex<Typed>>,
}

/// What the editor's line holds.
#[derive(Debug, Default)]
struct Typed {
    line: String,
    /// The line before was ended with Ctrl-C, empty, and nothing was typed since.
    armed: bool,
}

fn typed(of: &Mutex<Typed>) -> std::sync::MutexGuard<'_, Typed> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Prompt {
    pub(super) fn new(history: Option<&Path>, project: Arc<Project>) -> Result<Prompt, ReadlineError> {
        let config = Config::builder()
            .history_ignore_space(true)
            .history_ignore_dups(true)?
            .max_history_size(1_000)?
            .completion_type(CompletionType::List)
            .build();
        let mut editor = Editor::with_config(config)?;
        let typed = Arc::new(Mutex::new(Typed::default()));
        editor.set_helper(Some(Completion { project, typed: Arc::clone(&typed) }));
        if let Some(path) = history {
            // The first session has none yet.
            let _ = editor.load_history(path);
        }
        Ok(Prompt { editor, history: history.map(Path::to_path_buf), typed })
    }

    /// Asks for a line; `ahead` stands in it already. Blocks.
    pub(super) fn read(&mut self, ahead: &str) -> Result<Read, ReadlineError> {
        typed(&self.typed).line = ahead.to_string();
        match self.editor.readline_with_initial(SIGN, (ahead, "")) {
            Ok(line) => {
                typed(&self.typed).armed = false;
                self.remember(&line);
                Ok(Read::Line(line.replace("\\\n", "\n")))
            }
            Err(ReadlineError::Interrupted) => {
                let line = std::mem::take(&mut typed(&self.typed).line);
                if line.is_empty() {
                    return Ok(Read::Interrupted { again: std::mem::replace(&mut typed(&self.typed).armed, true) });
                }
                // A history that takes no more costs nothing but itself.
                let _ = self.editor.add_history_entry(&line);
                Ok(Read::Cleared)
            }
            Err(ReadlineError::Eof) => Ok(Read::End),
            Err(error) => Err(error),
        }
    }

    fn remember(&mut self, line: &str) {
        if line.trim().is_empty() || !self.editor.add_history_entry(line).unwrap_or(false) {
            return;
        }
        if let Some(path) = &self.history {
            if let Some(folder) = path.parent() {
                let _ = std::fs::create_dir_all(folder);
            }
            let _ = self.editor.append_history(path);
        }
    }
}

struct Completion {
    project: Arc<Project>,
    typed: Arc<Mutex<Typed>>,
}

impl Helper for Completion {}
impl Highlighter for Completion {}
impl Hinter for Completion {
    type Hint = String;

    /// There are no hints; this is where the editor shows what the line holds after each key.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        let mut typed = typed(&self.typed);
        typed.armed &= line.is_empty();
        typed.line = line.to_string();
        None
    }
}

impl Validator for Completion {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        let goes_on = context.input().ends_with('\\');
        Ok(if goes_on { ValidationResult::Incomplete } else { ValidationResult::Valid(None) })
    }
}

impl Completer for Completion {
    type Candidate = Pair;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        Ok(complete(line, at, |prefix| self.project.paths_beginning(prefix)))
    }
}

/// Where the word to be completed begins and what it may become.
fn complete(line: &str, at: usize, files: impl Fn(&str) -> Vec<String>) -> (usize, Vec<Pair>) {
    let before = &line[..at];
    let start = before.rfind(char::is_whitespace).map_or(0, |it| it + 1);
    let word = &before[start..];
    let pair = |text: String| Pair { display: text.clone(), replacement: text };
    if let Some(prefix) = word.strip_prefix('@') {
        return (start, files(prefix).into_iter().map(|path| pair(format!("@{path}"))).collect());
    }
    if before.starts_with("/add ") || before.starts_with("/drop ") {
        return (start, files(word).into_iter().map(pair).collect());
    }
    if start == 0 && word.starts_with('/') {
        let names = COMMANDS.iter().map(|(name, ..)| *name).filter(|name| name.starts_with(word));
        return (0, names.map(|name| pair(name.to_string())).collect());
    }
    if before.starts_with("/mode ") {
        let modes = ["auto", "chat", "plan", "build"].into_iter().filter(|mode| mode.starts_with(word));
        return (start, modes.map(|mode| pair(mode.to_string())).collect());
    }
    (at, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_completed() {
        let files = |prefix: &str| {
            ["src/lib.rs", "src/main.rs", "README.md"]
                .iter()
                .filter(|it| it.starts_with(prefix))
                .map(|it| (*it).to_string())
                .collect::<Vec<_>>()
        };
        let cases: [(&str, usize, &[&str]); 6] = [
            ("look at @src/m", 8, &["@src/main.rs"]),
            ("@", 0, &["@src/lib.rs", "@src/main.rs", "@README.md"]),
            ("/mo", 0, &["/mode", "/model"]),
            ("/mode p", 6, &["plan"]),
            ("a /mo", 5, &[]),
            ("检查 @READ", 7, &["@README.md"]),
        ];
        for (line, start, expected) in cases {
            let (from, pairs) = complete(line, line.len(), files);
            let found: Vec<&str> = pairs.iter().map(|it| it.replacement.as_str()).collect();
            assert_eq!((from, found.as_slice()), (start, expected), "{line}");
        }
    }
}
