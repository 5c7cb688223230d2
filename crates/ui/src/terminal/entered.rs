//! What an entered line does: a prompt, a command, what it shows.

use std::path::Path;

use ox_app::conversations::Memory;
use ox_app::conversations::stored::{Conversations, Info};
use ox_app::project::attachments::{named_images, names_image};
use ox_client::Update;
use ox_client::view::Spent;
use ox_protocol::{Back, Command, Delivery, Event, Plan, Problem, Seq};

use super::console::Console;
use super::options::{Start, now, size};
use crate::UiError;
use crate::commands::{self, Typed};
use crate::composer;
use crate::full::FullScreen;
use crate::inside::Inside;
use crate::screen::Screen;
use crate::text::{Line, Role, background_of, detect_on, each, wrap};

/// What is shown of the turns of a conversation that goes on: so many at most, and of all but the last what fits on so
/// many screens.
const TURNS: usize = 5;
const SCREENS: usize = 3;

/// How many conversations are listed.
const LISTED: usize = 40;

impl Console {
    pub(super) fn greet(&mut self, start: &Start, version: &str) -> Result<(), UiError> {
        self.screen.view.mode = start.mode;
        self.screen.view.effort = self.project.settings.effort;
        self.screen.view.approval = self.project.settings.approval;
        self.screen.view.model.clone_from(&start.model);
        let args = [("version", version), ("model", &start.model), ("mode", start.mode.name())];
        let line = Line::of(&self.screen.look.say("repl.welcome", &args), Role::Dim);
        self.show(&[line])
    }

    /// Does what an entered line asks. False when it asks to leave.
    pub(super) fn entered(&mut self, text: &str) -> Result<bool, UiError> {
        if self.chose(text)? {
            return Ok(true);
        }
        let typed = commands::typed(text, &self.screen.composer.commands);
        if !matches!(typed, Typed::Prompt(_) | Typed::Exit) && !self.opens_list(&typed) {
            let line = Line::of(composer::SIGN, Role::User).with(text.trim(), Role::User);
            self.print(&[Line::empty(), line.hanging(2)])?;
        }
        if matches!(typed, Typed::Diff) {
            self.compare_restored();
        }
        if let Some(lines) = commands::view(&self.screen, &typed) {
            match typed {
                Typed::Diff => self.print_or_page(lines)?,
                _ => self.print(&lines)?,
            }
            return Ok(true);
        }
        match typed {
            Typed::Prompt(text) => self.prompt(text)?,
            Typed::Keys => {
                let look = self.screen.look;
                let lines = composer::keys(|key| look.say(key, &[]), &self.project.settings.keys, look.width);
                self.print(&lines)?;
            }
            Typed::Mode(Some(mode)) => self.send(Command::SetMode { mode }),
            Typed::Model(Some(model)) => self.send(Command::SetModel { model }),
            Typed::SetEffort(effort) => self.send(Command::SetEffort { effort }),
            Typed::Memory => {
                let id = self.screen.view.conversation.clone();
                let lines = memory(&self.screen, &self.project.reopened().and_then(|it| it.memory(&id)));
                self.print(&lines)?;
            }
            Typed::Sessions => {
                let lines = sessions(&self.screen, &self.conversations());
                self.print(&lines)?;
            }
            Typed::Fullscreen => self.switches = true,
            Typed::Exit => return Ok(false),
            typed if self.picks(&typed)? => {}
            typed if self.screen.view.busy => {
                self.say("repl.later", &[("command", text.trim())], Role::Dim)?;
                self.later.push_back(typed);
            }
            typed => self.between(typed)?,
        }
        Ok(true)
    }

    /// What can be done between two turns only.
    pub(super) fn between(&mut self, typed: Typed) -> Result<(), UiError> {
        match typed {
            Typed::Continue => {
                self.send(Command::Continue);
                self.begins();
            }
            Typed::Shell(line) => {
                self.screen.begins_own(&line, now());
                self.send(Command::RunCommand { line });
            }
            Typed::Remember(text) => match self.project.add_instruction(&text) {
                Ok(file) => {
                    let name = file.file_name().unwrap_or_default().to_string_lossy();
                    self.say("repl.remembered", &[("file", &name)], Role::Plain)?;
                    self.look_tree();
                }
                Err(problem) => self.problem(&problem)?,
            },
            // What another conversation did is not taken back from here.
            Typed::Undo(_) if !self.screen.view.has_acted() => self.say("repl.undo.none", &[], Role::Dim)?,
            Typed::Undo(over) => self.send(Command::Undo { over }),
            Typed::Redo => self.send(Command::Redo),
            Typed::Rewind(Some(turn), what, over) => self.rewind(turn, what, over),
            Typed::ForkBefore(turn) => self.fork_before(turn)?,
            Typed::Inside(Inside::Fork) => self.fork()?,
            Typed::PlanComment(step, text) => self.send(Command::CommentPlan { step, text }),
            Typed::PlanAnswer(question, text) => self.send(Command::AnswerPlan { question, text }),
            Typed::PlanDrop => self.send(Command::SetPlan { plan: Plan::default() }),
            Typed::Add(files) => self.send(Command::AddFiles { files }),
            Typed::Drop(files) => self.send(Command::DropFiles { files }),
            Typed::Exclude(globs) => self.send(Command::Exclude { globs }),
            Typed::Include(globs) => self.send(Command::Include { globs }),
            Typed::Clear => {
                self.send(Command::Clear);
                self.say("repl.forgotten", &[], Role::Dim)?;
            }
            Typed::Own(words) => self.owned(words),
            Typed::Review(what) => self.review(what.as_deref())?,
            Typed::Compact => self.send(Command::Compact),
            Typed::New | Typed::Resume(_) if self.attached => self.say("attach.other", &[], Role::Warn)?,
            Typed::New => self.renew()?,
            Typed::Resume(Some(id)) => self.resume(id)?,
            _ => {}
        }
        Ok(())
    }

    /// The prompt was sent: the turn is as good as begun.
    pub(super) fn begins(&mut self) {
        if !self.screen.view.busy {
            self.screen.begins(now());
        }
    }

    fn prompt(&mut self, text: String) -> Result<(), UiError> {
        let (images, problems) = named_images(&text);
        for problem in &problems {
            self.problem(problem)?;
        }
        if !problems.is_empty() {
            return Ok(()); // The user decides again; the line is in the history.
        }
        for image in &images {
            self.say("ui.image_attached", &[("name", &image.name)], Role::Dim)?;
        }
        self.send(Command::Prompt { text, images, mode: None, delivery: Delivery::Steer });
        self.begins();
        Ok(())
    }

    /// Sends what a key meant. The answer to a question that a crash left open goes on with its turn.
    pub(super) fn send_meant(&mut self, command: Command) {
        let goes_on = matches!(command, Command::Decide { .. } | Command::Answer { .. })
            && !self.screen.view.busy
            && !self.attached;
        self.send(command);
        if goes_on {
            self.send(Command::Continue);
            self.begins();
        }
    }

    /// What the user said and the model has not read comes back to where they type, instead of before what they say next.
    pub(super) fn take_back(&mut self) {
        let count = u32::try_from(self.screen.view.unread.len()).unwrap_or(u32::MAX);
        if count > 0 && !self.attached {
            self.send(Command::TakeBack { count });
        }
    }

    /// A paste; the path of a picture, as terminals paste what is dropped on them, becomes a mark for it.
    pub(super) fn pasted(&mut self, text: &str) {
        let path = text.trim().trim_matches(['\'', '"']).replace("\\ ", " ");
        let path = path.strip_prefix("file://").unwrap_or(&path);
        let is_picture = names_image(path) && !path.contains('\n');
        if is_picture && !self.screen.is_asked() && Path::new(path).is_file() {
            self.screen.composer.picture(&format!("\"{path}\""));
        } else {
            self.screen.paste(text);
        }
    }

    /// The terminal has said what its background is.
    pub(super) fn background(&mut self, answer: &str) {
        let theme = detect_on(background_of(answer), &self.options.setting, |name| std::env::var(name).ok());
        self.painter.set_theme(theme);
    }

    /// How to go on where work of the user would be lost.
    pub(super) fn how(&self, command: &Command, code: &str) -> Option<Line> {
        let command = match command {
            Command::Rewind { turn, what: Back::Files, .. } => format!("/rewind {turn} files"),
            Command::Rewind { turn, .. } => format!("/rewind {turn}"),
            _ => "/undo".to_string(),
        };
        let lost = matches!(code, "back.lost" | "back.moved" | "back.lost_moved");
        lost.then(|| Line::of(&self.screen.look.say("repl.back_how", &[("command", &command)]), Role::Plain))
    }

    fn renew(&mut self) -> Result<(), UiError> {
        let before = self.screen.view.conversation.clone();
        let key = if before.is_empty() { "repl.cleared_first" } else { "repl.cleared" };
        let past = self.client.history().unwrap_or_default();
        if self.open(None)? {
            self.say(key, &[("id", &before.0)], Role::Dim)?;
            chosen(past.iter().map(|it| &it.event)).into_iter().for_each(|it| self.send(it));
        }
        Ok(())
    }

    /// The conversations of this project, newest first; none where the store cannot be read.
    fn conversations(&self) -> Vec<Info> {
        let project = &self.project;
        let listed = project.store().and_then(|it| Conversations::of(it).list(Some(&project.root_name()), LISTED));
        listed.unwrap_or_default()
    }

    /// Goes on with the conversation of that number in the list, or of that id.
    fn resume(&mut self, which: String) -> Result<(), UiError> {
        let all = self.conversations();
        let number = which.parse().ok().filter(|it| (1..=all.len()).contains(it));
        let id = number.map_or(which, |it: usize| all[it - 1].id.0.clone());
        self.open(Some(&id))?;
        Ok(())
    }

    /// Goes over to another conversation. False, with the reason shown, where that is not possible.
    pub(super) fn open(&mut self, which: Option<&str>) -> Result<bool, UiError> {
        match self.project.open_conversation(which) {
            Ok((client, model)) => {
                self.client.send(Command::Close);
                self.client = client;
                self.sent.clear();
                self.later.clear();
                self.shown = Seq(0);
                self.screen.begin_anew();
                // What was added since is known to the new session too.
                let project = self.project.reopened();
                self.screen
                    .list_commands(project.map(|it| it.custom_commands(&commands::is_taken)).unwrap_or_default());
                if let Some(full) = &mut self.full {
                    full.shown = FullScreen::new(self.screen.look);
                }
                self.recap(model)?;
                Ok(true)
            }
            Err(problem) => {
                self.problem(&problem)?;
                Ok(false)
            }
        }
    }

    /// Shows the last turns of what happened before; everything is taken in. The next turn asks `model`, and asks the user as
    /// it is configured now, whatever the last one did.
    pub(super) fn recap(&mut self, model: String) -> Result<(), UiError> {
        let shown = self.tell_the_past();
        self.screen.view.model = model;
        self.screen.view.approval = self.project.settings.approval;
        shown
    }

    fn tell_the_past(&mut self) -> Result<(), UiError> {
        let past = match self.client.history() {
            Ok(past) => past,
            Err(problem) => return self.problem(&problem),
        };
        let run = self.screen.run;
        let (columns, rows) = size();
        self.screen.resize(columns);
        let mut turns: Vec<Vec<Line>> = Vec::new();
        for frame in &past {
            let goes_on = match frame.event {
                Event::TurnStart { continues, .. } => continues && !turns.is_empty(),
                _ => false,
            };
            if matches!(frame.event, Event::TurnStart { .. }) && !goes_on {
                turns.push(vec![Line::empty()]);
            }
            let lines = self.show_past(&Update::from(frame.clone())).unwrap_or_default();
            // That a turn went on is seen from what it did.
            if let Some(turn) = turns.last_mut().filter(|_| !goes_on) {
                turn.extend(lines);
            }
        }
        if turns.is_empty() {
            return Ok(());
        }
        if self.full.is_none() {
            let heights: Vec<usize> =
                turns.iter().map(|lines| lines.iter().map(|it| wrap(it, columns).len()).sum()).collect();
            let from = first_shown(&heights, rows * SCREENS);
            let id = self.screen.view.conversation.clone();
            let mut lines = vec![Line::of(&self.screen.look.say("repl.resumed", &[("id", &id.0)]), Role::Dim)];
            if from > 0 {
                let earlier = self.screen.look.say("repl.earlier_turns", &[("count", &from.to_string())]);
                lines.push(Line::of(&earlier, Role::Dim));
            }
            lines.extend(turns.drain(from..).flatten());
            lines.push(Line::empty());
            self.painter.print(&lines)?;
        }
        // What was noted when the conversation was opened comes as news too.
        self.shown = past.last().map_or(Seq(0), |it| it.seq);
        // What happened before was not used by this run of the program.
        self.screen.run = if run.requests > 0 { run } else { Spent::default() };
        let stopped = self.screen.view.stop.is_some_and(|it| it.exit_code() != 0);
        if self.screen.view.busy || stopped {
            self.screen.view.busy = false;
            // What was asked is asked again, and its answer goes on.
            if !self.screen.is_asked() {
                let line = Line::of(&self.screen.look.say("ui.unfinished_turn", &[]), Role::Warn);
                self.show(&[line])?;
            }
        }
        Ok(())
    }

    pub(super) fn problem(&mut self, problem: &Problem) -> Result<(), UiError> {
        let text = self.screen.look.language.problem(problem);
        self.print(&each(&text, Role::Bad))
    }
}
/// The first of the turns with these heights that is shown; the last one always is.
fn first_shown(heights: &[usize], room: usize) -> usize {
    let mut filled = 0;
    let fits = |height: &&usize| {
        filled += **height;
        filled <= room
    };
    let shown = heights.iter().rev().take(TURNS).take_while(fits).count();
    heights.len() - shown.max(1)
}

/// What the model reads of earlier turns, word for word.
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

/// The commands that choose what the user has chosen in a conversation: mode, model, effort and when to ask.
fn chosen<'a>(past: impl Iterator<Item = &'a Event>) -> Vec<Command> {
    let mut kept: Vec<Command> = Vec::new();
    for event in past {
        let command = match event {
            Event::ModeSet { mode } => Command::SetMode { mode: *mode },
            Event::ModelSet { model } => Command::SetModel { model: model.clone() },
            Event::EffortSet { effort } => Command::SetEffort { effort: *effort },
            Event::ApprovalSet { policy } => Command::SetApproval { policy: *policy },
            _ => continue,
        };
        kept.retain(|it| std::mem::discriminant(it) != std::mem::discriminant(&command));
        kept.push(command);
    }
    kept
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

#[cfg(test)]
mod tests {
    use ox_protocol::Mode;

    use super::*;

    #[test]
    fn what_was_chosen_last_is_chosen_again_in_a_new_conversation() {
        let model = |it: &str| Event::ModelSet { model: it.to_owned() };
        let past = [model("a/b"), Event::ModeSet { mode: Mode::Plan }, model("c/d")];
        let kept = [Command::SetMode { mode: Mode::Plan }, Command::SetModel { model: "c/d".to_owned() }];
        assert_eq!(chosen(past.iter()), kept);
    }

    #[test]
    fn the_last_turns_are_shown_as_far_as_they_fit_and_the_last_one_always() {
        for (heights, from) in
            [(&[9, 9, 9][..], 0), (&[1; 9], 9 - TURNS), (&[99, 20, 30, 10], 1), (&[10, 99], 1), (&[60], 0)]
        {
            assert_eq!(first_shown(heights, 60), from, "{heights:?}");
        }
    }
}
