//! Lists to choose from: what opens them, what they are filled with, and what a choice does.

use jiff::tz::TimeZone;
use ox_app::conversations::listed::Listed;
use ox_app::conversations::running::running;
use ox_app::conversations::stored::Conversations;
use ox_protocol::{Back, Command, Delivery, Effort, Mode, Over, Problem, Stop, Time};

use super::console::{Console, Found};
use super::options::now;
use crate::UiError;
use crate::commands::Typed;
use crate::inside::{self, Inside};
use crate::picker::choices::{self, Permission};
use crate::picker::conversations::{self, Live, Running};
use crate::picker::turns::{self, WAYS, Way};
use crate::picker::{Answer, Of, Picked, Picker, models};
use crate::report::Look;
use crate::text::{Line, Role, detect};
use crate::words;

/// How many conversations are listed.
pub(super) const LISTED: usize = 200;

impl Console {
    /// True for a command that opens a list: nothing of it stays on the screen.
    pub(super) fn opens_list(&self, typed: &Typed) -> bool {
        let lists = [Inside::Theme(None), Inside::Permissions, Inside::Jobs, Inside::Checkpoints];
        self.screen.look.live
            && match typed {
                Typed::Resume(None) | Typed::Rewind(None, ..) | Typed::Model(None) | Typed::Effort => true,
                Typed::Inside(inside) => lists.contains(inside),
                _ => false,
            }
    }

    /// Opens the list that a command without its argument asks for. False where it asks for none.
    pub(super) fn picks(&mut self, typed: &Typed) -> Result<bool, UiError> {
        match typed {
            Typed::Resume(None) => self.pick_conversations()?,
            Typed::Rewind(None, ..) => self.pick_turns(Of::Turns)?,
            Typed::Model(None) => {
                let offered = self.project.offered_models();
                self.offers(models::picker(&self.screen.look, &offered, &self.screen.view.model))?;
            }
            Typed::Effort => {
                self.offers(choices::efforts(&self.screen.look, self.screen.view.effort))?;
            }
            Typed::Inside(Inside::Theme(None)) => {
                self.offers(choices::themes(&self.screen.look, &self.options.setting))?;
            }
            Typed::Inside(Inside::Permissions) => self.pick_rules()?,
            Typed::Inside(Inside::Jobs) if self.screen.view.jobs.is_empty() => {
                self.say("picker.jobs.none", &[], Role::Dim)?;
            }
            Typed::Inside(Inside::Jobs) => {
                self.offers(choices::jobs(&self.screen.look, &self.screen.view.jobs, now()))?;
            }
            Typed::Inside(Inside::Checkpoints) if self.screen.look.live => self.pick_checkpoints()?,
            typed => return self.shows(typed),
        }
        Ok(true)
    }

    /// Opens a list; where nothing is drawn over it is printed, and the next line is the choice.
    pub(super) fn offers(&mut self, picker: Picker) -> Result<(), UiError> {
        if self.screen.look.live {
            self.screen.picker = Some(picker);
            self.fill_preview();
            return Ok(());
        }
        self.print(&picker.printed(&self.screen.look))?;
        self.offered = Some(picker).filter(Picker::is_chosen_from);
        Ok(())
    }

    /// Takes an entered line as the choice from a printed list. False where it is none.
    pub(super) fn chose(&mut self, text: &str) -> Result<bool, UiError> {
        let text = text.trim();
        let Some(picker) = self.offered.take().filter(|_| !text.starts_with(['/', '!'])) else { return Ok(false) };
        match picker.named(text) {
            Some(row) => self.chosen(picker.of, row.id.clone())?,
            None => self.say("picker.not_listed", &[("name", text)], Role::Warn)?,
        }
        Ok(true)
    }

    fn pick_conversations(&mut self) -> Result<(), UiError> {
        match self.project.listed_conversations(LISTED) {
            Ok(all) => self.looked.conversations = all,
            Err(problem) => return self.problem(&problem),
        }
        let rows = self.conversation_rows();
        self.offers(conversations::picker(&self.screen.look, rows))?;
        let (paths, found) = (self.project.paths.clone(), self.finding.0.clone());
        tokio::spawn(async move { drop(found.send(Found::Running(running_now(&paths).await))) });
        Ok(())
    }

    fn conversation_rows(&self) -> Vec<crate::picker::Row> {
        let (looked, here) = (&self.looked, &self.screen.view.conversation);
        conversations::rows(&self.screen.look, &looked.conversations, &looked.running, here, now())
    }

    /// It was found out which conversations are running.
    pub(super) fn found_running(&mut self, running: Running) {
        self.looked.running = running;
        let rows = self.conversation_rows();
        if let Some(picker) = self.screen.picker.as_mut().filter(|it| it.of == Of::Conversations) {
            picker.set_rows(rows);
        }
    }

    /// Opens the list of turns.
    pub(super) fn pick_turns(&mut self, of: Of) -> Result<(), UiError> {
        self.looked.changes.clear();
        let (zone, today) = (TimeZone::system(), now());
        let when = move |then: Time| words::local(&zone, today, then);
        self.offers(turns::picker(&self.screen.look, of, &self.screen.view.turns, &when))
    }

    fn pick_way(&mut self, turn: u32) -> Result<(), UiError> {
        let prompt = self.prompt_of(turn).unwrap_or_default();
        self.offers(turns::ways(&self.screen.look, turn, &prompt))
    }

    fn pick_rules(&mut self) -> Result<(), UiError> {
        let look = self.screen.look;
        let rules = match self.project.reopened().and_then(|it| it.shown_rules()) {
            Ok(rules) => rules,
            Err(problem) => return self.problem(&problem),
        };
        let shown = rules.iter().map(|it| Permission {
            rule: it.rule.clone(),
            origin: format!(
                "{} {}",
                look.say(action(it.action), &[]),
                it.origins.iter().map(|(code, _)| look.say(code, &[])).collect::<Vec<_>>().join(", ")
            ),
            remembered: it.remembered,
        });
        let policy = look.say(inside::policy(self.screen.view.approval), &[]);
        let shown: Vec<Permission> = shown.collect();
        self.offers(choices::rules(&look, &policy, &shown))
    }

    /// Asks what to do with the plan that the turn which has ended so was about.
    pub(super) fn pick_for_plan(&mut self, stop: Stop) {
        let (screen, view) = (&self.screen, &self.screen.view);
        let made = format!("{}-{}", view.conversation, view.turn);
        let is_new = view.plan.as_ref().is_some_and(|it| it.id == made);
        let is_free = screen.look.live && screen.picker.is_none() && screen.composer.is_empty();
        if stop == Stop::Answered && is_new && is_free && self.later.is_empty() {
            self.screen.picker = Some(choices::plan(&screen.look));
        }
    }

    fn prompt_of(&self, turn: u32) -> Option<String> {
        self.screen.view.turns.iter().find(|it| it.number == turn).map(|it| it.prompt.clone())
    }

    /// Looks up the preview of the row that is chosen now.
    pub(super) fn fill_preview(&mut self) {
        let Some(picker) = &self.screen.picker else { return };
        let (of, Some(id)) = (picker.of, picker.wants_preview()) else { return };
        let lines = match of {
            Of::Conversations => preview_of(&self.screen.look, &self.looked.conversations, &id),
            Of::Turns | Of::Prompts => id.parse().map(|turn| self.turn_preview(turn)).unwrap_or_default(),
            Of::Back(turn) => self.way_preview(turn, &id),
            Of::Checkpoints => self.restored(&id),
            Of::Jobs => choices::job_preview(&self.screen.look, self.screen.printed.get(&id)),
            _ => Vec::new(),
        };
        if let Some(picker) = &mut self.screen.picker {
            picker.preview(&id, lines);
        }
    }

    /// The prompt, and what going back to before it would change in the files.
    fn turn_preview(&mut self, turn: u32) -> Vec<Line> {
        let prompt = self.prompt_of(turn).unwrap_or_default();
        let mut lines: Vec<Line> = crate::text::each(&prompt, Role::User).into_iter().take(3).collect();
        lines.extend(self.changes_of(turn));
        lines
    }

    fn changes_of(&mut self, turn: u32) -> Vec<Line> {
        if let Some(known) = self.looked.changes.get(&turn) {
            return known.clone();
        }
        let look = self.screen.look;
        let lines = match self.project.would_rewind(&self.screen.view.conversation, turn) {
            Ok(Some(would)) => turns::files(&look, &would.files, &would.lost),
            Ok(None) => turns::files(&look, &[], &[]),
            Err(problem) => crate::text::each(&look.language.problem(&problem), Role::Bad),
        };
        self.looked.changes.insert(turn, lines.clone());
        lines
    }

    fn way_preview(&mut self, turn: u32, id: &str) -> Vec<Line> {
        let Some((_, way, _)) = WAYS.iter().find(|it| it.0 == id) else { return Vec::new() };
        let changes = self.changes_of(turn);
        let forgotten = self.screen.view.turns.iter().filter(|it| it.number >= turn).count();
        turns::way(&self.screen.look, *way, &changes, forgotten)
    }

    /// Does what was chosen.
    pub(super) fn picked(&mut self, picked: Picked) -> Result<(), UiError> {
        let Picked { of, id, answer } = picked;
        match (of, answer) {
            (Of::Themes, Answer::Moved) => self.try_theme(&id),
            (Of::Themes, Answer::Closed) => {
                let setting = self.options.setting.clone();
                self.try_theme(&setting);
            }
            (_, Answer::Closed | Answer::Nothing) => {}
            (_, Answer::Moved) => self.fill_preview(),
            (Of::Conversations, Answer::Extra(key, text)) => self.change_conversation(key, &id, &text)?,
            (Of::Rules, Answer::Extra(..)) => self.forget_rule(&id)?,
            (Of::Checkpoints, Answer::Extra(..)) => self.restores(id)?,
            (Of::Jobs, Answer::Extra(..)) => self.send(Command::StopJob { job: id }),
            (Of::Prompts, Answer::Extra(..)) => id.parse().map_or(Ok(()), |turn| self.pick_way(turn))?,
            (_, Answer::Extra(..)) => {}
            (of, Answer::Chosen) => self.chosen(of, id)?,
        }
        Ok(())
    }

    fn chosen(&mut self, of: Of, id: String) -> Result<(), UiError> {
        match of {
            Of::Conversations if id == self.screen.view.conversation.0 => Ok(()),
            Of::Conversations if self.looked.running.keys().any(|it| it.0 == id) => {
                let line = runs_elsewhere(&self.screen.look, &id);
                self.print(&[line])
            }
            Of::Conversations => self.after_turn(Typed::Resume(Some(id))),
            Of::Turns => id.parse().map_or(Ok(()), |turn| self.pick_way(turn)),
            Of::Prompts => id.parse().map_or(Ok(()), |turn| self.after_turn(Typed::ForkBefore(turn))),
            Of::Back(turn) => match WAYS.iter().find(|it| it.0 == id) {
                Some((_, Way::Back(what), _)) => self.after_turn(Typed::Rewind(Some(turn), *what, Over::Ask)),
                Some((_, Way::Fork, _)) => self.after_turn(Typed::ForkBefore(turn)),
                None => Ok(()),
            },
            Of::Models => {
                let lacks_key = self.project.offered_models().iter().any(|it| it.name == id && it.lacks.is_some());
                if let Some((provider, _)) = id.split_once('/').filter(|_| lacks_key) {
                    let login = Typed::Own(vec!["login".to_owned(), provider.to_owned()]);
                    self.looked.model = Some(id);
                    return self.after_turn(login);
                }
                self.send(Command::SetModel { model: id });
                Ok(())
            }
            Of::Efforts => {
                self.send(Command::SetEffort { effort: Effort::named(&id) });
                Ok(())
            }
            Of::Themes => self.keep_theme(&id),
            Of::Plan if id == choices::PLAN_GO => {
                let (text, images) = (self.screen.look.say("picker.plan.prompt", &[]), Vec::new());
                self.send(Command::Prompt { text, images, mode: Some(Mode::Build), delivery: Delivery::Steer });
                self.begins();
                Ok(())
            }
            Of::Plan if id == choices::PLAN_COMMENT => {
                self.screen.composer.set("/plan comment ");
                Ok(())
            }
            Of::Plan | Of::Rules | Of::Jobs | Of::Checkpoints | Of::Answers => Ok(()),
        }
    }

    /// Does it now, or once the turn that runs has ended.
    pub(super) fn after_turn(&mut self, typed: Typed) -> Result<(), UiError> {
        if !self.screen.view.busy {
            return self.between(typed);
        }
        self.later.push_back(typed);
        self.say("ui.picker.later", &[], Role::Dim)
    }

    /// Goes back; what was asked there can be said again.
    pub(super) fn rewind(&mut self, turn: u32, what: Back, over: Over) {
        self.looked.again = if what == Back::Files { None } else { self.prompt_of(turn) };
        self.send(Command::Rewind { turn, what, over });
    }

    /// The conversation went back, or did not: what was asked there stands where the user types.
    pub(super) fn went_back(&mut self, refused: bool) {
        let again = self.looked.again.take().filter(|_| !refused && self.screen.composer.is_empty());
        again.iter().for_each(|prompt| self.screen.composer.set(prompt));
    }

    /// Says a prompt again in a conversation of its own, which is this one up to there.
    pub(super) fn fork_before(&mut self, turn: u32) -> Result<(), UiError> {
        let (before, prompt) = (self.screen.view.conversation.clone(), self.prompt_of(turn).unwrap_or_default());
        match self.project.fork_before(&before, turn) {
            Err(problem) => return self.problem(&problem),
            Ok(fork) if !self.open(fork.as_ref().map(|it| it.id.0.as_str()))? => return Ok(()),
            Ok(_) => {}
        }
        self.screen.composer.set(&prompt);
        self.say("ui.forked", &[("id", &before.0)], Role::Dim)
    }

    fn change_conversation(&mut self, key: crossterm::event::KeyCode, id: &str, text: &str) -> Result<(), UiError> {
        let here = id == self.screen.view.conversation.0;
        let running = self.looked.running.keys().any(|it| it.0 == id);
        let done =
            changed(&self.screen.look, &self.project.store().map(Conversations::of), key, id, text, here || running);
        if let Ok(all) = self.project.listed_conversations(LISTED) {
            self.looked.conversations = all;
        }
        let rows = self.conversation_rows();
        if let Some(picker) = &mut self.screen.picker {
            picker.set_rows(rows);
            picker.say(done);
        }
        self.fill_preview();
        Ok(())
    }

    /// The list of commands in the background, where it is open, shows what became of them.
    pub(super) fn refresh_jobs(&mut self) {
        let (look, screen) = (self.screen.look, &mut self.screen);
        let Some(picker) = screen.picker.as_mut().filter(|it| it.of == Of::Jobs) else { return };
        picker.set_rows(choices::job_rows(&screen.view.jobs, now()));
        for job in &screen.view.jobs {
            picker.preview(&job.id, choices::job_preview(&look, screen.printed.get(&job.id)));
        }
    }

    fn forget_rule(&mut self, rule: &str) -> Result<(), UiError> {
        let look = self.screen.look;
        let note = match self.project.forget_rule(rule) {
            Ok(true) => Line::of(&look.say("picker.rules.deleted", &[("rule", rule)]), Role::Good),
            Ok(false) => Line::of(&look.say("picker.rules.not_here", &[]), Role::Warn),
            Err(problem) => Line::of(&look.language.problem(&problem), Role::Bad),
        };
        self.pick_rules()?;
        if let Some(picker) = &mut self.screen.picker {
            picker.say(note);
        }
        Ok(())
    }

    /// Paints with a theme, without keeping it.
    pub(super) fn try_theme(&mut self, setting: &str) {
        self.painter.set_theme(detect(setting, |name| std::env::var(name).ok()));
        self.painter.repaint();
    }
}

/// What came of renaming or deleting a conversation.
pub(super) fn changed(
    look: &Look,
    all: &Result<Conversations, Problem>,
    key: crossterm::event::KeyCode,
    id: &str,
    text: &str,
    is_open: bool,
) -> Line {
    if key == conversations::DELETE && is_open {
        return Line::of(&look.say("picker.conversations.is_open", &[]), Role::Warn);
    }
    let done = all.clone().and_then(|all| match key {
        conversations::DELETE => all.delete(&[id.to_string()]).map(drop),
        _ => all.rename(id, text),
    });
    match done {
        Err(problem) => Line::of(&look.language.problem(&problem), Role::Bad),
        Ok(()) if key == conversations::DELETE => Line::of(&look.say("picker.conversations.deleted", &[]), Role::Good),
        Ok(()) => Line::of(&look.say("picker.conversations.renamed", &[]), Role::Good),
    }
}

/// That another process has the conversation, and how to join it.
pub(super) fn runs_elsewhere(look: &Look, id: &str) -> Line {
    Line::of(&look.say("picker.conversations.elsewhere", &[("id", id)]), Role::Warn)
}

/// The preview of one of these conversations.
pub(super) fn preview_of(look: &Look, all: &[Listed], id: &str) -> Vec<Line> {
    all.iter().find(|it| it.info.id.0 == id).map(|it| conversations::preview(look, it)).unwrap_or_default()
}

/// How the conversations stand that processes work on.
pub(super) async fn running_now(paths: &ox_app::Paths) -> Running {
    let live = |view: Option<ox_client::view::View>| match view {
        Some(view) if !view.asked.is_empty() => Live::Waiting,
        Some(view) if view.busy => Live::Working,
        _ => Live::Open,
    };
    running(paths).await.into_iter().map(|it| (it.id, live(it.view))).collect()
}

fn action(action: ox_protocol::RuleAction) -> &'static str {
    match action {
        ox_protocol::RuleAction::Allow => "picker.rules.allow",
        ox_protocol::RuleAction::Ask => "picker.rules.ask",
        ox_protocol::RuleAction::Deny => "picker.rules.deny",
    }
}
