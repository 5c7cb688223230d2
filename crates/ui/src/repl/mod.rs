//! Bare `ox`: a line prompt, one turn after another, `/` commands between them.
//!
//! Promise: the prompt and a running turn never read the keyboard at the same time; what was typed ahead is kept.

mod prompt;

use std::sync::Arc;

use ox_app::Project;
use ox_app::conversations::Memory;
use ox_app::conversations::stored::{Conversations, Info};
use ox_app::project::attachments::named_images;
use ox_client::{Client, Control, Update};
use ox_protocol::{Command, Delivery, Event, Frame, Plan, Problem, Seq};

use crate::UiError;
use crate::commands::{self, Typed};
use crate::screen::Screen;
use crate::terminal::{Console, Ended, TerminalOptions};
use crate::text::{Line, Role};
use ox_client::view::Spent;
use prompt::{Prompt, Read};

/// How many conversations are listed.
const LISTED: usize = 40;

/// Talks with the user until they leave. `start` names what is shown
/// before anything has happened: the mode and the model.
pub async fn repl(
    client: Client,
    start: Start,
    options: &TerminalOptions,
    project: Arc<Project>,
) -> Result<(), UiError> {
    let mut prompt = Prompt::new(options.history.as_deref(), Arc::clone(&project))?;
    let mut talk = Talk { console: Console::new(options, project), client, shown: Seq(0) };
    talk.console.screen.view.mode = start.mode;
    talk.console.screen.view.model.clone_from(&start.model);
    talk.greet(options, &start)?;
    talk.recap()?;
    let mut typed = String::new();
    loop {
        talk.catch_up()?;
        // Another client of the conversation has begun a turn, or waits for an answer.
        if talk.console.screen.view.busy && !talk.turn().await? {
            return talk.close();
        }
        let initial = std::mem::take(&mut typed);
        let read;
        (prompt, read) = tokio::task::spawn_blocking(move || {
            let read = prompt.read(&initial);
            (prompt, read)
        })
        .await
        .expect("invariant: the prompt's thread does not panic");
        let line = match read? {
            Read::Line(line) => line,
            Read::End => return talk.close(),
            Read::Cleared => continue,
            Read::Interrupted { again: true } => return talk.close(),
            Read::Interrupted { again: false } => {
                talk.say("repl.again_to_leave", &[], Role::Dim)?;
                continue;
            }
        };
        if !talk.line(&line).await? {
            return talk.close();
        }
        typed = talk.console.screen.take_typed();
    }
}

/// What a conversation begins with.
#[derive(Clone, Debug)]
pub struct Start {
    /// The mode of the first turn.
    pub mode: ox_protocol::Mode,
    /// `provider/model`.
    pub model: String,
}

struct Talk {
    console: Console,
    client: Client,
    /// The last event that was shown as what happened before.
    shown: Seq,
}

impl Talk {
    fn greet(&mut self, options: &TerminalOptions, start: &Start) -> Result<(), UiError> {
        let mode = start.mode.name();
        let args = [("version", options.version.as_str()), ("model", start.model.as_str()), ("mode", mode)];
        self.say("repl.welcome", &args, Role::Dim)
    }

    /// Does what a line asks. False when it asks to leave.
    async fn line(&mut self, line: &str) -> Result<bool, UiError> {
        let typed = commands::parse(line);
        if let Some(lines) = commands::view(&self.console.screen, &typed) {
            self.console.print(&lines)?;
            return Ok(true);
        }
        match typed {
            Typed::Prompt(text) => return self.prompt(text).await,
            Typed::Continue => {
                self.client.send(Command::Continue);
                return self.turn().await;
            }
            Typed::Mode(Some(mode)) => self.set(Command::SetMode { mode }).await?,
            Typed::Model(Some(model)) => self.set(Command::SetModel { model }).await?,
            Typed::Undo(over) => self.set(Command::Undo { over }).await?,
            Typed::Redo => self.set(Command::Redo).await?,
            Typed::Rewind(Some(turn), over) => self.set(Command::Rewind { turn, over }).await?,
            Typed::PlanComment(step, text) => self.set(Command::CommentPlan { step, text }).await?,
            Typed::PlanAnswer(question, text) => self.set(Command::AnswerPlan { question, text }).await?,
            Typed::PlanDrop => self.set(Command::SetPlan { plan: Plan::default() }).await?,
            Typed::Add(files) => self.set(Command::AddFiles { files }).await?,
            Typed::Drop(files) => self.set(Command::DropFiles { files }).await?,
            Typed::Exclude(globs) => self.set(Command::Exclude { globs }).await?,
            Typed::Include(globs) => self.set(Command::Include { globs }).await?,
            Typed::Clear => {
                self.set(Command::Clear).await?;
                self.say("repl.forgotten", &[], Role::Dim)?;
            }
            Typed::Compact => self.set(Command::Compact).await?,
            Typed::Memory => {
                let id = self.console.screen.view.conversation.clone();
                let lines =
                    memory(&self.console.screen, &self.console.project.reopened().and_then(|it| it.memory(&id)));
                self.console.print(&lines)?;
            }
            Typed::New => self.renew().await?,
            Typed::Resume(id) => self.resume(id).await?,
            Typed::Sessions => {
                let lines = sessions(&self.console.screen, &self.conversations());
                self.console.print(&lines)?;
            }
            Typed::Exit => return Ok(false),
            _ => {}
        }
        Ok(true)
    }

    async fn prompt(&mut self, text: String) -> Result<bool, UiError> {
        let (images, problems) = named_images(&text);
        for problem in &problems {
            self.problem(problem)?;
        }
        if !problems.is_empty() {
            return Ok(true); // The user decides again; the line is in the history.
        }
        for image in &images {
            self.say("ui.image_attached", &[("name", &image.name)], Role::Dim)?;
        }
        self.client.send(Command::Prompt { text, images, mode: None, delivery: Delivery::Steer });
        self.turn().await
    }

    async fn turn(&mut self) -> Result<bool, UiError> {
        match self.console.turn(&mut self.client).await? {
            Ended::Turn(_) => {
                self.console.print(&[Line::empty()])?;
                Ok(true)
            }
            Ended::Left => Ok(false),
            Ended::Gone => {
                self.say("ui.session_ended", &[], Role::Bad)?;
                Ok(false)
            }
        }
    }

    /// Sends a command and shows what comes until it is answered.
    async fn set(&mut self, command: Command) -> Result<(), UiError> {
        let id = self.client.send(command.clone());
        while let Some(update) = self.client.next().await {
            self.show(&update)?;
            match &update {
                Update::Control(Control::Rejected { command: rejected, why, .. }) if *rejected == id => {
                    return self.how(&command, &why.code);
                }
                Update::Control(Control::Accepted { command, .. }) if *command == id => break,
                _ => {}
            }
        }
        Ok(())
    }

    /// Says how to go on where somebody's work would be lost.
    fn how(&mut self, command: &Command, code: &str) -> Result<(), UiError> {
        let command = match command {
            Command::Rewind { turn, .. } => format!("/rewind {turn}"),
            _ => "/undo".to_string(),
        };
        match code {
            "back.lost" | "back.moved" | "back.lost_moved" => {
                self.say("repl.back_how", &[("command", &command)], Role::Plain)
            }
            _ => Ok(()),
        }
    }

    async fn renew(&mut self) -> Result<(), UiError> {
        let before = self.console.screen.view.conversation.clone();
        let key = if before.is_empty() { "repl.cleared_first" } else { "repl.cleared" };
        if self.open(None)? {
            self.say(key, &[("id", &before.0)], Role::Dim)?;
        }
        Ok(())
    }

    /// The conversations of this project, newest first; none where the store cannot be read.
    fn conversations(&self) -> Vec<Info> {
        let project = &self.console.project;
        let listed = project.store().and_then(|it| Conversations::of(it).list(Some(&project.root_name()), LISTED));
        listed.unwrap_or_default()
    }

    /// Goes on with the conversation of that number in the list, or of that id; without one it only lists them.
    async fn resume(&mut self, which: Option<String>) -> Result<(), UiError> {
        let all = self.conversations();
        let Some(which) = which else {
            let mut lines = vec![Line::of(&self.console.screen.look.say("repl.resume.head", &[]), Role::Dim)];
            lines.extend(sessions(&self.console.screen, &all));
            return self.console.print(&lines[usize::from(all.is_empty())..]);
        };
        let number = which.parse().ok().filter(|it| (1..=all.len()).contains(it));
        let id = number.map_or(which, |it: usize| all[it - 1].id.0.clone());
        self.open(Some(&id))?;
        Ok(())
    }

    /// Goes over to another conversation. False, with the reason told, where that is not possible.
    fn open(&mut self, which: Option<&str>) -> Result<bool, UiError> {
        match self.console.project.open_conversation(which) {
            Ok(client) => {
                self.client.send(Command::Close);
                self.client = client;
                self.shown = Seq(0);
                let (mode, model) = (self.console.screen.view.mode, self.console.screen.view.model.clone());
                let run = self.console.screen.run;
                self.console.screen = Screen::new(self.console.screen.look);
                self.console.screen.view.mode = mode;
                self.console.screen.view.model = model;
                self.recap()?;
                self.console.screen.run = run;
                Ok(true)
            }
            Err(problem) => {
                self.problem(&problem)?;
                Ok(false)
            }
        }
    }

    /// Shows the last turn of what happened before; everything is taken in.
    fn recap(&mut self) -> Result<(), UiError> {
        let past = match self.client.history() {
            Ok(past) => past,
            Err(problem) => return self.problem(&problem),
        };
        let begins = |frame: &Frame| matches!(frame.event, Event::TurnStart { .. });
        let Some(last) = past.iter().rposition(begins) else { return Ok(()) };
        self.console.screen.look.echo = true;
        for (index, frame) in past.iter().enumerate() {
            let lines = self.console.screen.update(&Update::from(frame.clone()));
            if index == last {
                let id = self.console.screen.view.conversation.clone();
                self.say("repl.resumed", &[("id", &id.0)], Role::Dim)?;
            }
            if index >= last {
                self.console.print(&lines)?;
            }
        }
        self.console.screen.look.echo = false;
        // What was noted when the conversation was opened comes as news too.
        self.shown = past.last().map_or(Seq(0), |it| it.seq);
        // What happened before was not used by this run of the program.
        self.console.screen.run = Spent::default();
        let stopped = self.console.screen.view.stop.is_some_and(|it| it.exit_code() != 0);
        if self.console.screen.view.busy || stopped {
            self.console.screen.view.busy = false;
            self.say("ui.unfinished_turn", &[], Role::Warn)?;
        }
        Ok(())
    }

    /// Shows what arrived while nobody looked.
    fn catch_up(&mut self) -> Result<(), UiError> {
        while let Some(update) = self.client.ready() {
            self.show(&update)?;
        }
        Ok(())
    }

    fn show(&mut self, update: &Update) -> Result<(), UiError> {
        if matches!(update, Update::Frame(frame) if frame.seq <= self.shown) {
            return Ok(());
        }
        let lines = self.console.screen.update(update);
        self.console.print(&lines)
    }

    fn say(&mut self, key: &str, args: &[(&str, &str)], role: Role) -> Result<(), UiError> {
        let line = Line::of(&self.console.screen.look.say(key, args), role);
        self.console.print(&[line])
    }

    fn problem(&mut self, problem: &Problem) -> Result<(), UiError> {
        let text = self.console.screen.look.language.problem(problem);
        self.console.print(&crate::text::each(&text, Role::Bad))
    }

    fn close(&mut self) -> Result<(), UiError> {
        self.client.send(Command::Close);
        Ok(())
    }
}

/// What the model is told of earlier turns, word for word.
fn memory(screen: &Screen, it: &Result<Memory, Problem>) -> Vec<Line> {
    let head = |key: &str, tokens: &str| Line::of(&screen.look.say(key, &[("tokens", tokens)]), Role::Dim);
    match it {
        Err(problem) => crate::text::each(&screen.look.language.problem(problem), Role::Bad),
        Ok(Memory { section: None, reported, .. }) => {
            vec![head(if *reported { "repl.memory.not_used" } else { "repl.memory.none" }, "")]
        }
        Ok(Memory { section: Some(section), reported, .. }) => {
            let key = if *reported { "repl.memory.used" } else { "repl.memory.next" };
            let mut lines = vec![head(key, &section.tokens.0.to_string())];
            lines.extend(crate::text::each(&section.text, Role::Plain));
            lines
        }
    }
}

fn sessions(screen: &Screen, all: &[Info]) -> Vec<Line> {
    if all.is_empty() {
        return vec![Line::of(&screen.look.say("repl.no_sessions", &[]), Role::Dim)];
    }
    let line = |(at, it): (usize, &Info)| {
        let here = if it.id == screen.view.conversation { "●" } else { " " };
        Line::of(&format!("{here}{:>3}  ", at + 1), Role::Accent)
            .with(&format!("{}  ", crate::words::ago(it.updated)), Role::Dim)
            .with(&it.id.0, Role::Strong)
            .with(&format!("  {}", it.title()), Role::Plain)
            .hanging(6)
    };
    all.iter().enumerate().map(line).collect()
}
