//! The project's own instructions for agents.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use ox_context::INSTRUCTION_FILES;
use ox_protocol::Problem;

use super::Project;

impl Project {
    /// The file with the instructions at the project's root; none where there is none yet.
    pub fn instructions(&self) -> Option<PathBuf> {
        INSTRUCTION_FILES.iter().map(|it| self.root.join(it)).find(|it| it.exists())
    }

    /// Where instructions are written in a project that has none.
    pub fn new_instructions(&self) -> PathBuf {
        self.root.join(INSTRUCTION_FILES[0])
    }

    /// Adds an item to the end of the instructions, and gives the file.
    pub fn add_instruction(&self, text: &str) -> Result<PathBuf, Problem> {
        let path = self.instructions().unwrap_or_else(|| self.new_instructions());
        let failed =
            |why: std::io::Error| Problem::new("sessions.not_written").with("path", path.display()).with("why", why);
        let before = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        let last = before.trim_end().lines().last();
        let end = if last.is_none() || before.ends_with('\n') { "" } else { "\n" };
        // Items go on as one list; anything else ends before it.
        let gap = if last.is_none_or(|it| it.trim_start().starts_with("- ")) { "" } else { "\n" };
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.write_all(format!("{end}{gap}- {}\n", text.trim()).as_bytes()).map_err(failed)?;
        Ok(path)
    }
}
