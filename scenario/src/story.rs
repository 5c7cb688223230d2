//! A script as it is played: who takes the next section, and what is written beside it.
//!
//! Sections are taken strictly in order. Whoever finds another section than the one that he waits for ends the run
//! with a fault that names both; nothing is ever skipped. The story does nothing itself: it says what is to be done.

use std::collections::VecDeque;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_model::scripted::Step;
use ox_protocol::{
    CallId, CheckReport, Command, Decision, Delivery, Event, Frame, Image, Plan, Rule, Time, Tokens, Usage,
};

use crate::error::ScenarioError;
use crate::moves::{self, Consent, Moment, Move};
use crate::scribe::Scribe;
use crate::show;
use crate::text::{Doc, Section};

/// When every scenario begins: 2033-05-18. Later than any file that is written while it runs.
pub(crate) const BEGINNING: Time = Time(2_000_000_000_000);
/// The same day, for the prompt.
pub(crate) const TODAY: &str = "2033-05-18";
/// What a scripted reply uses unless it says so itself.
const USAGE: Usage = Usage {
    input: Tokens(1_000),
    cache_read: Tokens(0),
    cache_write: Tokens(0),
    output: Tokens(100),
    reasoning: Tokens(0),
};

/// Why the run is to end now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The process is killed and started again.
    Crash,
    /// Somebody waits for what the script does not have.
    Fault(String),
}

/// What the model does when it is asked.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // It is handed on at once.
pub enum Asked {
    /// It answers with this.
    Step(Step),
    /// First something else happened: it has to be recorded, then the model is asked again.
    Later,
    /// It never answers.
    Never,
}

/// A change that somebody else makes to the project.
pub type Change = Box<dyn FnMut(&str, &Section, Time) -> Result<(), ScenarioError> + Send>;

/// A scenario while it runs.
pub struct Story {
    script: VecDeque<(Move, Section)>,
    /// What was written.
    pub scribe: Scribe,
    /// The present moment.
    pub now: Time,
    /// Commands of the user that have not been handed over.
    pub outbox: VecDeque<Command>,
    /// Set when the run is to end.
    pub halt: Option<Halt>,
    /// All events so far.
    pub frames: Vec<Frame>,
    baseline: CheckReport,
    /// Checks that were announced and have not run, in order; true for the baseline.
    announced: VecDeque<bool>,
    shown: usize,
    pictures: Vec<Section>,
    change: Change,
}

impl Story {
    /// The story of a scenario. `root` is hidden from what is written.
    pub(crate) fn new(doc: &Doc, root: &str, change: Change) -> Result<Story, ScenarioError> {
        let pictures = doc.sections.iter().filter(|it| it.name.starts_with("repo/")).cloned().collect();
        let mut scribe = Scribe::new(root);
        scribe.written = doc.sections.iter().filter(|it| is_setting(&it.name)).cloned().collect();
        Ok(Story {
            script: moves::script(doc)?.into(),
            scribe,
            now: BEGINNING,
            outbox: VecDeque::new(),
            halt: None,
            frames: Vec::new(),
            baseline: moves::baseline(doc)?,
            announced: VecDeque::new(),
            shown: 0,
            pictures,
            change,
        })
    }

    /// What the user does when no turn runs: the next prompt, or nothing more.
    pub(crate) fn idle(&mut self) {
        self.announced.clear();
        self.passive();
        while let Some(command) = self.script.front().and_then(|it| self.between(&it.0)) {
            self.take();
            match command {
                Ok(command) => self.outbox.push_back(command),
                Err(why) => return self.halt = Some(Halt::Fault(why)),
            }
        }
        match self.script.front().map(|it| &it.0) {
            None => self.outbox.push_back(Command::Close),
            Some(Move::Say { .. }) => self.say(),
            Some(Move::Continue) => {
                self.take();
                self.outbox.push_back(Command::Continue);
            }
            // The process is killed between two turns.
            Some(Move::Crash(Moment::Here)) => {
                self.take();
                self.halt = Some(Halt::Crash);
            }
            Some(_) => self.fault("no turn runs any more"),
        }
    }

    /// The command that begins no turn; none where the user does something else.
    fn between(&self, it: &Move) -> Option<Result<Command, String>> {
        let form = |form: &str| {
            let last = self.frames.iter().rev().find_map(|it| match &it.event {
                Event::Plan { plan } => Some(plan.clone()),
                _ => None,
            });
            let plan = Plan::from_form(form, &last.unwrap_or_default());
            plan.map(|plan| Command::SetPlan { plan })
                .map_err(|it| format!("line {} of the form: {}", it.line, it.code))
        };
        Some(match it {
            Move::Between(command) => Ok(command.clone()),
            Move::Form(text) => form(text),
            _ => return None,
        })
    }

    /// What the user does after a crash broke off a turn: says something, or has it taken up.
    pub(crate) fn resume(&mut self) {
        self.announced.clear();
        self.passive();
        match self.script.front().map(|it| &it.0) {
            Some(Move::Say { .. }) => self.say(),
            _ => self.outbox.push_back(Command::Continue),
        }
        // Whoever takes up a conversation sees again what was asked and not answered.
        for frame in self.open_requests() {
            self.scribe.frame(&frame);
            match &frame.event {
                Event::ApprovalRequest { call, always, .. } => self.decide(call, always),
                Event::Question { call, .. } => self.answer(call),
                _ => {}
            }
        }
    }

    fn open_requests(&self) -> Vec<Frame> {
        let mut open: Vec<Frame> = Vec::new();
        for frame in &self.frames {
            match &frame.event {
                Event::ApprovalRequest { .. } | Event::Question { .. } => open.push(frame.clone()),
                Event::Approval { call, .. } | Event::Answer { call, .. } | Event::ToolComplete { call, .. } => {
                    open.retain(|it| asked(&it.event) != Some(call));
                }
                Event::Amended { call } => open.retain(|it| asked(&it.event) != Some(&call.id)),
                Event::Stopped { .. } => {
                    let of = |it: &Frame| it.conversation == frame.conversation;
                    open.retain(|it| !of(it));
                }
                _ => {}
            }
        }
        open
    }

    /// True when the process dies before this can be recorded.
    pub(crate) fn dies_before(&mut self, event: &Event) -> bool {
        let Event::ToolComplete { tool, .. } = event else { return false };
        let dies = matches!(self.script.front(), Some((Move::Crash(Moment::After(name)), _)) if name == tool);
        if dies {
            self.take();
            self.halt = Some(Halt::Crash);
        }
        dies
    }

    /// What follows in the outside env from a recorded event.
    pub(crate) fn recorded(&mut self, frame: &Frame) {
        self.frames.push(frame.clone());
        self.scribe.frame(frame);
        match &frame.event {
            Event::Retry { until, .. } => self.now = self.now.max(*until),
            Event::ChecksStart { baseline, .. } => self.announced.push_back(*baseline),
            Event::ToolStart { tool, .. } => self.tool_started(tool),
            Event::ApprovalRequest { call, always, .. } => self.decide(call, always),
            Event::Question { call, .. } => self.answer(call),
            // A sub-agent's end is no end of the story.
            Event::Completion { .. } if frame.conversation.parent().is_some() => {}
            Event::Completion { stop, .. } => {
                self.passive();
                match self.script.front().map(|it| &it.0) {
                    Some(Move::Stop) => {
                        self.script.pop_front();
                    }
                    None => {}
                    Some(_) => {
                        return self.fault(&format!("the turn ended (stop: {})", crate::scribe::stop_words(*stop)));
                    }
                }
                self.scribe.stop(*stop);
                self.idle();
            }
            _ => {}
        }
    }

    /// What the model does when it is asked with this request.
    pub(crate) fn model_asked(&mut self, prompt: &dyn Fn(bool) -> String) -> Asked {
        let before = self.now;
        while let Some((Move::Prompt { new }, section)) = self.script.front().cloned() {
            self.script.pop_front();
            self.scribe.tell(&section.name, &prompt(new));
        }
        self.passive();
        if self.now != before {
            return Asked::Later;
        }
        match self.script.front().map(|it| it.0.clone()) {
            Some(Move::Prompt { .. }) => self.model_asked(prompt),
            Some(Move::Say { .. }) => {
                self.say();
                Asked::Later
            }
            Some(Move::Interrupt { during: None }) => {
                self.take();
                self.outbox.push_back(Command::Interrupt);
                Asked::Never
            }
            Some(Move::Crash(Moment::Here)) => {
                self.take();
                self.halt = Some(Halt::Crash);
                Asked::Never
            }
            Some(Move::Model(step)) => {
                self.take();
                while let Some(Move::Say { .. }) = self.script.front().map(|it| &it.0) {
                    self.say();
                }
                Asked::Step(with_usage(step))
            }
            _ => {
                self.fault("the model is asked");
                Asked::Never
            }
        }
    }

    /// What the project's checks report; none when they never end.
    pub(crate) fn checks_run(&mut self) -> Option<CheckReport> {
        if self.announced.pop_front().unwrap_or(false) {
            return Some(self.baseline.clone());
        }
        self.passive();
        match self.script.front().map(|it| it.0.clone()) {
            Some(Move::Checked(report)) => {
                self.take();
                Some(report)
            }
            Some(Move::Interrupt { during }) if during.as_deref().is_none_or(|it| it == "checks") => {
                self.take();
                self.outbox.push_back(Command::Interrupt);
                None
            }
            Some(Move::Crash(Moment::Here)) => {
                self.take();
                self.halt = Some(Halt::Crash);
                None
            }
            _ => {
                self.fault("the project's checks run");
                None
            }
        }
    }

    /// The script has sections that nobody took.
    pub(crate) fn unfinished(&self) -> Option<String> {
        self.script
            .front()
            .map(|(_, section)| format!("the session ended and `-- {} --` was never reached", section.name))
    }

    fn tool_started(&mut self, tool: &str) {
        match self.script.front().map(|it| &it.0) {
            Some(Move::Interrupt { during: Some(name) }) if name == tool => {
                self.take();
                self.outbox.push_back(Command::Interrupt);
            }
            Some(Move::Crash(Moment::During(name))) if name == tool => {
                self.take();
                self.halt = Some(Halt::Crash);
            }
            _ => {}
        }
    }

    fn decide(&mut self, call: &CallId, always: &Rule) {
        self.passive();
        let decision = match self.script.front().map(|it| it.0.clone()) {
            Some(Move::Decide(consent)) => match consent {
                Consent::Allow => Decision::Allow,
                Consent::Always => Decision::AllowAlways {
                    rule: always.clone(),
                    further: Vec::new(),
                    keep: ox_protocol::Keep::Conversation,
                },
                Consent::Amend(args) => Decision::Amend { args },
                Consent::Deny(reason) => Decision::Deny { reason, stop: false },
            },
            Some(_) if self.broken_off() => return,
            _ => return self.fault("the user is asked for consent"),
        };
        self.take();
        self.outbox.push_back(Command::Decide { call: call.clone(), decision });
    }

    fn answer(&mut self, call: &CallId) {
        self.passive();
        match self.script.front().map(|it| it.0.clone()) {
            Some(Move::Answer(text)) => {
                self.take();
                self.outbox.push_back(Command::Answer { call: call.clone(), text });
            }
            Some(_) if self.broken_off() => {}
            _ => self.fault("the user is asked a question"),
        }
    }

    /// The user stops the turn instead of answering, or the process dies.
    fn broken_off(&mut self) -> bool {
        match self.script.front().map(|it| &it.0) {
            Some(Move::Interrupt { during: None }) => self.outbox.push_back(Command::Interrupt),
            Some(Move::Crash(Moment::Here)) => self.halt = Some(Halt::Crash),
            _ => return false,
        }
        self.take();
        true
    }

    /// What happens by itself before anybody takes the next section.
    fn passive(&mut self) {
        loop {
            match self.script.front().cloned() {
                Some((Move::Clock(time), _)) => {
                    self.take();
                    self.now.0 += u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
                }
                Some((Move::Change(path), section)) => {
                    self.take();
                    if let Err(error) = (self.change)(&path, &section, Time(self.now.0 + 1)) {
                        self.halt = Some(Halt::Fault(error.to_string()));
                    }
                }
                Some((Move::Events { all }, section)) => {
                    self.script.pop_front();
                    let text = show::events(&self.frames[self.shown..], all);
                    self.shown = self.frames.len();
                    self.scribe.tell(&section.name, &text);
                }
                _ => return,
            }
        }
    }

    fn say(&mut self) {
        let Some((Move::Say { text, mode, images }, _)) = self.script.front().cloned() else { return };
        self.take();
        let images = images.iter().filter_map(|path| self.picture(path)).collect();
        self.outbox.push_back(Command::Prompt { text, images, mode, delivery: Delivery::Steer });
    }

    fn picture(&mut self, path: &str) -> Option<Image> {
        let section = self.pictures.iter().find(|it| it.name.strip_prefix("repo/") == Some(path));
        let Some(bytes) = section.and_then(|it| it.bytes().ok()) else {
            self.halt = Some(Halt::Fault(format!("no section `repo/{path}` holds the picture")));
            return None;
        };
        let ending = path.rsplit('.').next().unwrap_or_default();
        let media_type = format!("image/{}", if ending == "jpg" { "jpeg" } else { ending });
        Some(Image { media_type, data: STANDARD.encode(bytes), name: path.to_string() })
    }

    fn take(&mut self) {
        if let Some((_, section)) = self.script.pop_front() {
            self.scribe.write(section);
        }
    }

    fn fault(&mut self, waiting: &str) {
        let next = self.script.front().map_or("the script is at its end".to_string(), |(_, it)| {
            format!("the next section is `-- {} --`", it.name)
        });
        let written: Vec<String> = self.scribe.written.iter().rev().take(4).rev().map(ToString::to_string).collect();
        self.halt = Some(Halt::Fault(format!("{waiting}, and {next}. Before that:\n{}", written.concat())));
    }
}

/// The call that the user is asked about.
fn asked(event: &Event) -> Option<&CallId> {
    match event {
        Event::ApprovalRequest { call, .. } | Event::Question { call, .. } => Some(call),
        _ => None,
    }
}

fn is_setting(name: &str) -> bool {
    name == "set" || ["repo/", "served/", "baseline:"].iter().any(|kind| name.starts_with(kind))
}

fn with_usage(step: Step) -> Step {
    match step {
        Step::Reply(mut reply) => {
            reply.usage.get_or_insert(USAGE);
            Step::Reply(reply)
        }
        fail => fail,
    }
}
