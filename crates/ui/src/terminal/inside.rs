//! What the commands of `inside` look up and change.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use ox_app::conversations::stored::{Conversations, write_new};

use super::clipboard::copied;
use super::console::Console;
use super::options::now;
use crate::UiError;
use crate::commands::Typed;
use crate::inside::{self, Inside};
use crate::picker::choices::{self, THEMES};
use crate::picker::{Row, turns};
use crate::text::{Line, Role};
use crate::words;

/// Bytes that terminals take at most for their clipboard.
const COPIED: usize = 74_000;
/// Turns whose checkpoints are listed.
const TURNS: usize = 20;

impl Console {
    /// Shows what a command only shows. False where it does something.
    pub(super) fn shows(&mut self, typed: &Typed) -> Result<bool, UiError> {
        let lines = match typed {
            Typed::Inside(Inside::Status) => {
                let folder = self.project.root.display().to_string();
                inside::status(&self.screen, &self.options.version, &folder)
            }
            Typed::Inside(Inside::Config) => inside::settings(&self.screen.look, &self.project.shown_settings()),
            Typed::Inside(Inside::Context) => inside::context(&self.screen, &self.client.history().unwrap_or_default()),
            Typed::Inside(Inside::Checkpoints) => self.checkpoints(),
            Typed::Inside(Inside::Copy(code)) => return self.copy(*code).map(|()| true),
            Typed::Inside(Inside::Export(file)) => return self.export(file.as_deref()).map(|()| true),
            Typed::Inside(Inside::Rename(title)) => return self.rename(title.as_deref()).map(|()| true),
            Typed::Inside(Inside::Theme(Some(name))) => return self.keep_theme(name).map(|()| true),
            _ => return Ok(false),
        };
        self.print(&lines)?;
        Ok(true)
    }

    pub(super) fn keep_theme(&mut self, name: &str) -> Result<(), UiError> {
        if THEMES.iter().all(|it| it.0 != name) {
            return self.say("repl.bad_theme", &[("name", name)], Role::Bad);
        }
        self.options.setting = name.to_string();
        self.try_theme(name);
        match self.project.keep_setting("theme", name) {
            Ok(()) => self.say("ui.theme_set", &[("name", name)], Role::Plain),
            Err(problem) => self.problem(&problem),
        }
    }

    /// Goes over to a copy of the whole conversation.
    pub(super) fn fork(&mut self) -> Result<(), UiError> {
        if self.attached {
            return self.say("attach.other", &[], Role::Warn);
        }
        let before = self.screen.view.conversation.clone();
        if self.screen.view.turns.is_empty() {
            return self.say("repl.nothing_yet", &[], Role::Dim);
        }
        let fork = self.project.store().and_then(|it| Conversations::of(it).fork(&before.0, None));
        match fork {
            Err(problem) => self.problem(&problem),
            Ok(fork) if !self.open(Some(&fork.id.0))? => Ok(()),
            Ok(_) => self.say("ui.forked", &[("id", &before.0)], Role::Dim),
        }
    }

    fn rename(&mut self, title: Option<&str>) -> Result<(), UiError> {
        let Some(title) = title else { return self.say("repl.rename_how", &[], Role::Warn) };
        let id = self.screen.view.conversation.0.clone();
        if id.is_empty() {
            return self.say("repl.nothing_yet", &[], Role::Dim);
        }
        match self.project.store().and_then(|it| Conversations::of(it).rename(&id, title)) {
            Err(problem) => self.problem(&problem),
            Ok(()) => {
                self.screen.view.name = Some(title.to_string());
                self.say("ui.renamed", &[("title", title)], Role::Plain)
            }
        }
    }

    /// The last reply, or its last block of code, goes to the terminal's clipboard.
    fn copy(&mut self, code: bool) -> Result<(), UiError> {
        let reply = inside::last_reply(&self.screen.view);
        let text = if code { inside::last_code(&reply) } else { Some(reply.trim_end().to_string()) };
        let Some(text) = text.filter(|it| !it.is_empty()) else {
            return self.say("repl.nothing_to_copy", &[], Role::Dim);
        };
        if text.len() > COPIED || !self.options.moves {
            return self.say("repl.too_long_to_copy", &[], Role::Warn);
        }
        self.put(&copied(&text, |name| std::env::var(name).ok()))?;
        let lines = text.lines().count().to_string();
        self.say("ui.copied", &[("count", &lines)], Role::Plain)
    }

    /// Writes the conversation as Markdown into a new file.
    fn export(&mut self, file: Option<&str>) -> Result<(), UiError> {
        let id = self.screen.view.conversation.0.clone();
        if self.screen.view.turns.is_empty() {
            return self.say("repl.nothing_yet", &[], Role::Dim);
        }
        let path = file.map_or_else(|| PathBuf::from(format!("conversation-{id}.md")), PathBuf::from);
        let path = self.project.root.join(path);
        let language = self.screen.look.language;
        let text = self.project.store().and_then(|it| Conversations::of(it).as_markdown(&id, language));
        match text.and_then(|text| write_new(&path, &text)) {
            Err(problem) => self.problem(&problem),
            Ok(()) => self.say("ui.exported", &[("path", &path.display().to_string())], Role::Plain),
        }
    }

    /// Opens the list of checkpoints, by the turns that made them, the newest first.
    pub(super) fn pick_checkpoints(&mut self) -> Result<(), UiError> {
        let turns = match self.project.recorded_states().and_then(|it| it.by_turns()) {
            Ok(turns) => turns,
            Err(problem) => return self.problem(&problem),
        };
        let look = self.screen.look;
        let (zone, today) = (TimeZone::system(), now());
        let mut rows = Vec::new();
        for it in turns.iter().take(TURNS) {
            let title = it.title(look.language);
            rows.extend(it.states.iter().enumerate().map(|(at, state)| Row {
                id: state.id.clone(),
                cells: vec![
                    (if at == 0 { words::short(&title, 24) } else { String::new() }, Role::Strong),
                    (words::local(&zone, today, state.time), Role::Dim),
                ],
                title: state.why.clone(),
                also: format!("{} {title}", state.id),
                ..Row::default()
            }));
        }
        self.offers(choices::checkpoints(&look, rows))
    }

    /// What putting a checkpoint back would change.
    pub(super) fn restored(&self, id: &str) -> Vec<Line> {
        let look = &self.screen.look;
        let states = self.project.recorded_states();
        match states.and_then(|states| states.would_restore(&states.get(id)?, &[])) {
            Ok(files) => turns::files(look, &files, &[]),
            Err(problem) => crate::text::each(&look.language.problem(&problem), Role::Bad),
        }
    }

    /// Finds what going back or forward changed line by line, for `/diff`.
    pub(super) fn compare_restored(&mut self) {
        let Some(it) = &mut self.screen.restored else { return };
        if let Ok(files) = self.project.recorded_states().and_then(|states| states.restored(it)) {
            it.files = files;
        }
    }

    /// Puts a checkpoint back, now or once the turn that runs has ended.
    pub(super) fn restores(&mut self, id: String) -> Result<(), UiError> {
        self.screen.picker = None;
        self.after_turn(Typed::Own(vec!["restore".to_owned(), id]))
    }

    /// The checkpoints of this project by the turns that made them, the newest turn first.
    fn checkpoints(&self) -> Vec<Line> {
        let look = self.screen.look;
        let turns = match self.project.recorded_states().and_then(|it| it.by_turns()) {
            Ok(turns) => turns,
            Err(problem) => return crate::text::each(&look.language.problem(&problem), Role::Bad),
        };
        let (zone, today) = (TimeZone::system(), now());
        let mut out = Vec::new();
        for it in turns.iter().take(TURNS) {
            out.push(Line::of(&it.title(look.language), Role::Strong));
            out.extend(it.states.iter().map(|it| {
                let files = look.say("checkpoints.files", &[("count", &it.files.to_string())]);
                Line::of(&format!("  {}  ", words::local(&zone, today, it.time)), Role::Dim)
                    .with(&it.id, Role::Accent)
                    .with(&format!("  {files}"), Role::Dim)
                    .with(&format!("  {}", words::short(&it.why, 60)), Role::Plain)
                    .hanging(4)
            }));
        }
        if out.is_empty() {
            out.push(Line::of(&look.say("repl.checkpoints.none", &[]), Role::Dim));
        } else {
            out.push(Line::of(&look.say("repl.checkpoints.how", &[]), Role::Dim));
        }
        out
    }
}
