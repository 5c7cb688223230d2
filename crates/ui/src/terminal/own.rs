//! Commands of Ox that have the terminal to themselves while they run: `/accept`, `/commit`, `/init`, `/doctor`, `/login`, `/mcp`, `/bug`.

use ox_app::project::models::forget_stored_keys;
use ox_protocol::{Command, Stop};

use super::console::Console;
use super::options::size;
use super::taken::{Owed, Taken};
use crate::UiError;
use crate::text::{Line, Role, wrap};
use crate::words;

impl Console {
    /// Shows the lines; in the pager where they are more than fit on the screen, and Ox does not scroll itself.
    pub(super) fn print_or_page(&mut self, lines: Vec<Line>) -> Result<(), UiError> {
        let (columns, rows) = size();
        let height: usize = lines.iter().map(|line| wrap(line, columns).len()).sum();
        if height <= rows || self.full.is_some() || !self.screen.look.live {
            return self.print(&lines);
        }
        self.owes = Some(Owed::Pager(lines));
        Ok(())
    }

    /// Says which commands in the background end with the conversation.
    pub(super) fn name_jobs(&mut self) -> Result<(), UiError> {
        if self.attached || self.screen.view.jobs.is_empty() {
            return Ok(());
        }
        let jobs = self.screen.view.jobs.iter().map(|it| format!("`{}`", words::short(&it.command, 60)));
        let jobs = jobs.collect::<Vec<_>>().join(", ");
        self.say("ui.jobs_end", &[("what", &jobs)], Role::Dim)
    }

    /// Has this command run as soon as the loop can give the terminal away.
    pub(super) fn owned(&mut self, mut words: Vec<String>) {
        let id = self.screen.view.conversation.0.clone();
        match words.first().map(String::as_str) {
            Some(name @ ("accept" | "commit")) => {
                if name == "commit" {
                    words.push("--ask".to_owned());
                }
                // One that has not begun has changed nothing; then the newest that has counts.
                if !id.is_empty() {
                    words.extend(["--session".to_owned(), id]);
                }
            }
            Some("init") if !words.iter().any(|it| it == "--no-model") => {
                words.extend(["--model".to_owned(), self.screen.view.model.clone()]);
            }
            _ => {}
        }
        self.owes = Some(Owed::Command(words));
    }

    /// Gives the terminal to what waits for it.
    pub(super) async fn give_what_is_owed(&mut self, taken: &mut Taken, lines: &mut Vec<Line>) -> Result<(), UiError> {
        match self.owes.take() {
            None => Ok(()),
            Some(Owed::Command(words)) => self.give_to_own(words, taken, lines).await,
            Some(Owed::Pager(text)) => {
                let paged = self.page(taken, &text, "less -R").await?;
                // What cannot be paged is printed.
                paged.or_else(|problem| self.print(&text).and_then(|()| self.problem(&problem)))
            }
        }
    }

    async fn give_to_own(
        &mut self,
        words: Vec<String>,
        taken: &mut Taken,
        lines: &mut Vec<Line>,
    ) -> Result<(), UiError> {
        let Some(own) = self.options.own.clone() else { return Ok(()) };
        self.draw(&std::mem::take(lines))?;
        self.painter.close(size().0)?;
        taken.give();
        let ended = tokio::task::spawn_blocking(move || own(words)).await;
        taken.enter(self.options.moves)?;
        // What the command changed: keys that were stored, files that were committed or written.
        forget_stored_keys();
        self.look_tree();
        if let Some(model) = self.looked.model.take().filter(|_| matches!(ended, Ok(0))) {
            self.send(Command::SetModel { model });
        }
        if let Ok(code) = ended
            && code > 1
            && code != Stop::Interrupted.exit_code()
        {
            let text = self.screen.look.say("repl.own_failed", &[("code", &code.to_string())]);
            lines.push(Line::of(&text, Role::Dim));
        }
        Ok(())
    }
}
