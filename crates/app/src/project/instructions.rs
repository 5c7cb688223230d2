//! The project's own instructions for agents, as far as a user adds to them in passing.

use std::fs::OpenOptions;
use std::io::Write;

use ox_protocol::Problem;

use super::Project;

/// The files, the one that is preferred first.
const FILES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

impl Project {
    /// Adds an item to the end of the instructions at the project's root, and gives the name of the file. A project without
    /// instructions gets an `AGENTS.md`.
    pub fn add_instruction(&self, text: &str) -> Result<&'static str, Problem> {
        let name = FILES.into_iter().find(|it| self.root.join(it).exists()).unwrap_or(FILES[0]);
        let path = self.root.join(name);
        let failed =
            |why: std::io::Error| Problem::new("sessions.not_written").with("path", path.display()).with("why", why);
        let before = match std::fs::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(failed)?,
        };
        let gap = match before.trim_end().lines().last() {
            None => "",
            // Items go on as one list; anything else ends before it.
            Some(last) if last.trim_start().starts_with("- ") => {
                if before.ends_with('\n') {
                    ""
                } else {
                    "\n"
                }
            }
            Some(_) => {
                if before.ends_with('\n') {
                    "\n"
                } else {
                    "\n\n"
                }
            }
        };
        let mut file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.write_all(format!("{gap}- {}\n", text.trim()).as_bytes()).map_err(failed)?;
        Ok(name)
    }
}
