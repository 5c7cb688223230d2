//! Core speed: the fold alone. Results of tools come from the file, nothing is read or written, and after each event
//! the whole log folds to the very same turn.
//!
//! The order of facts is the driver's: what follows first, then what is wanted is begun, then one piece of it ends.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use ox_core::{Rejected, Turn, Want, decide, resume};
use ox_model::scripted::Step;
use ox_model::{RawCall, Reply};
use ox_protocol::{
    Call, CallId, CallKind, ChangeKind, CheckReport, Command, ConversationId, Decision, Event, FileChange, Frame,
    MessageId, Mode, Money, Outcome, Rules, Status, Usage, VERSION, WantId,
};
use ox_repo::Tree;
use ox_tools::{Board, Cx, Jobs, Surroundings, Walls};

use crate::ScenarioError;
use crate::knobs::Knobs;
use crate::moves::the_check;
use crate::story::{Asked, Halt, Story};
use crate::text::{Doc, Section};

/// More facts than any scenario has; a fold that never comes to rest is found by it.
const MOST: usize = 20_000;

/// Runs a scenario and returns it as it went, without what only a disk or a request can tell.
pub fn run(doc: &Doc, knobs: &Knobs) -> Result<Doc, ScenarioError> {
    let folder = tempfile::tempdir()?;
    let tree = Tree::open(folder.path(), &[]).map_err(ox_agent::AgentError::from)?;
    let mut fold = Fold {
        story: Story::new(doc, "", Box::new(|_, _, _| Ok(())))?,
        knobs,
        turn: Turn::default(),
        tree,
        begun: Vec::new(),
        reports: HashMap::new(),
        results: doc.sections.iter().filter(|it| it.name.starts_with("tool: ")).cloned().collect(),
        assigned: HashMap::new(),
    };
    fold.live()?;
    match fold.story.unfinished() {
        Some(why) => Err(ScenarioError::Story(why)),
        None => Ok(Doc { title: doc.title.clone(), sections: fold.story.scribe.written }),
    }
}

struct Fold<'a> {
    story: Story,
    knobs: &'a Knobs,
    turn: Turn,
    tree: Tree,
    /// What is in flight.
    begun: Vec<Want>,
    /// What checks in flight will report; nothing where they never end.
    reports: HashMap<WantId, CheckReport>,
    results: VecDeque<Section>,
    /// The result that the file has for a call.
    assigned: HashMap<CallId, Section>,
}

impl Fold<'_> {
    fn live(&mut self) -> Result<(), ScenarioError> {
        let id = ConversationId("core".to_string());
        self.record(Event::ConversationId { id, root: "/repo".to_string(), ox: String::new() })?;
        self.story.idle();
        while self.story.frames.len() < MOST {
            match self.story.halt.take() {
                Some(Halt::Fault(why)) => return Err(ScenarioError::Story(why)),
                Some(Halt::Crash) => self.restart()?,
                None => {}
            }
            match self.story.outbox.pop_front() {
                Some(Command::Close) if !self.turn.is_running() => return Ok(()),
                Some(command) => self.command(&command)?,
                None => self.step()?,
            }
        }
        Err(ScenarioError::Story("the fold does not come to rest".to_string()))
    }

    fn record(&mut self, event: Event) -> Result<(), ScenarioError> {
        if self.story.halt.is_some() || self.story.dies_before(&event) {
            return Ok(());
        }
        let frame = Frame { v: VERSION, seq: self.turn.seq().next(), time: self.story.now, event };
        self.turn.apply(&frame);
        self.story.recorded(&frame);
        if Turn::replay(&self.story.frames) != self.turn {
            return Err(ScenarioError::Story(format!(
                "the log does not replay to the live turn after event {}",
                frame.seq
            )));
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<(), ScenarioError> {
        self.turn = Turn::replay(&self.story.frames);
        self.begun.clear();
        self.story.outbox.clear();
        for event in resume(&self.turn) {
            self.record(event)?;
        }
        if self.turn.is_running() {
            self.story.resume()
        } else {
            self.story.idle()
        }
        Ok(())
    }

    fn command(&mut self, command: &Command) -> Result<(), ScenarioError> {
        match decide(&self.turn, command) {
            Ok(events) => events.into_iter().try_for_each(|it| self.record(it)),
            Err(Rejected::Idle) => self.begin(command),
            Err(Rejected::NeedsFacts) => {
                let Command::Decide { call, decision: Decision::Amend { args } } = command else { return Ok(()) };
                let amended = self.turn.call(call).map(|old| {
                    let around = Surroundings {
                        tree: &self.tree,
                        walls: &Walls::default(),
                        jobs: &Jobs::default(),
                        checks: &[],
                    };
                    ox_tools::amended(&around, old, args.clone())
                });
                amended.map_or(Ok(()), |call| self.record(Event::Amended { call }))
            }
            // A turn that a crash broke off simply goes on.
            Err(Rejected::Busy | Rejected::NotAsked) => Ok(()),
        }
    }

    fn begin(&mut self, command: &Command) -> Result<(), ScenarioError> {
        let settings = &self.knobs.settings;
        let (prompt, images, mode, continues) = match command {
            Command::Prompt { text, images, mode } => (text.clone(), images.clone(), *mode, false),
            Command::Continue => (String::new(), Vec::new(), (self.turn.turns() > 0).then(|| self.turn.mode()), true),
            _ => return Ok(()),
        };
        let mode: Mode = mode.or(self.turn.next_mode()).unwrap_or(settings.mode);
        let rules = Rules {
            approval: settings.approval,
            rules: settings.rules.clone(),
            scope: settings.scope.clone(),
            headless: self.knobs.headless,
            isolated: false,
            reach: Default::default(),
            not_isolated: None,
            untrusted: false,
            hooks: Vec::new(),
        };
        self.record(Event::TurnStart {
            turn: self.turn.turns() + 1,
            mode,
            prompt,
            images,
            continues,
            rules,
            limits: settings.limits.clone(),
            model: self.knobs.facts.clone(),
            fallbacks: self.knobs.fallbacks(),
            verification: settings.verification,
            checks: if self.knobs.checks { vec![the_check()] } else { Vec::new() },
        })?;
        self.record(Event::Prompted { system: None, tools: None, context: Vec::new() })
    }

    /// Records one thing: what follows, or the end of a piece of work.
    fn step(&mut self) -> Result<(), ScenarioError> {
        if self.turn.is_stopping() {
            self.drain()?;
        }
        if let Some(event) = self.turn.follows() {
            return self.record(event);
        }
        if let Some(stop) = self.turn.stopped() {
            self.begun.clear();
            return self.record(Event::Completion { stop, exit_code: stop.exit_code() });
        }
        let wants = self.turn.wants();
        self.begun.retain(|it| it.is_effectful() || wants.iter().any(|want| want.id() == it.id()));
        for want in &wants {
            if !self.begun.iter().any(|it| it.id() == want.id()) {
                self.begin_work(want)?;
                self.begun.push(want.clone());
            }
        }
        if self.story.halt.is_some() || !self.story.outbox.is_empty() {
            return Ok(());
        }
        self.end_work(wants)
    }

    /// Work that may change the world is left to finish; the file says how it did.
    fn drain(&mut self) -> Result<(), ScenarioError> {
        for want in std::mem::take(&mut self.begun) {
            if let Want::Tool { call, .. } = want
                && call.facts.kind == CallKind::Mutate
            {
                self.complete(&call)?;
            }
        }
        Ok(())
    }

    /// Records what has to be on record before the work itself.
    fn begin_work(&mut self, want: &Want) -> Result<(), ScenarioError> {
        let iteration = self.turn.iteration();
        let started = |call: &Call| Event::ToolStart {
            call: call.id.clone(),
            tool: call.tool.clone(),
            args: call.args.clone(),
            iteration,
        };
        match want {
            Want::Tool { call, .. } => self.record(started(call)),
            Want::Checks { id, call, baseline, round, total, .. } => {
                if let Some(event) = call.as_ref().and_then(|it| self.turn.call(it)).map(started) {
                    self.record(event)?;
                }
                if *round == 0 {
                    self.record(Event::ChecksStart { want: *id, baseline: *baseline, round: *round, total: *total })?;
                }
                let none = self.turn.checks().is_empty();
                let report = if none { Some(CheckReport::default()) } else { self.story.checks_run() };
                self.reports.extend(report.map(|it| (*id, it)));
                Ok(())
            }
            Want::Model { .. } | Want::Prune { .. } | Want::Hook { .. } | Want::Wake { .. } => Ok(()),
        }
    }

    /// Ends the piece of work that is done first: what is due, the baseline, tools, checks, and last the model.
    fn end_work(&mut self, mut wants: Vec<Want>) -> Result<(), ScenarioError> {
        let now = self.story.now;
        wants.retain(|it| !matches!(it, Want::Wake { at, .. } if *at > now));
        wants.sort_by_key(|it| match it {
            Want::Wake { .. } | Want::Hook { .. } => 0,
            Want::Checks { baseline: true, .. } => 1,
            Want::Tool { .. } => 2,
            Want::Checks { .. } => 3,
            Want::Model { .. } | Want::Prune { .. } => 4,
        });
        match wants.into_iter().next() {
            None => Err(ScenarioError::Story(format!("nothing goes on any more: {:?}", self.turn))),
            Some(Want::Wake { at, .. }) => self.record(Event::Woken { at }),
            // A story has no configuration, and so no hooks.
            Some(Want::Hook { at, .. }) => Err(ScenarioError::Story(format!("a hook is wanted at {at:?}"))),
            Some(Want::Tool { call, .. }) => self.complete(&call),
            Some(Want::Model { id, .. }) => self.ask(id),
            Some(Want::Prune { id, target }) => {
                let it = ox_context::prune(&self.story.frames, target, self.knobs.settings.keep_turns as usize);
                self.record(Event::Pruned { want: id, pruning: it.pruning, before: it.before, after: it.after })
            }
            Some(Want::Checks { id, call, baseline, round, total, .. }) => {
                let Some(report) = self.reports.remove(&id) else { return Ok(()) };
                self.record(Event::CheckResult { want: id, baseline, round, total, report })?;
                let call = call.and_then(|it| self.turn.call(&it).cloned());
                call.map_or(Ok(()), |call| self.complete(&call))
            }
        }
    }

    fn ask(&mut self, want: WantId) -> Result<(), ScenarioError> {
        let asked = self.story.model_asked(&|_| String::new());
        let Asked::Step(step) = asked else { return Ok(()) };
        while let Some(command) = self.story.outbox.pop_front() {
            self.command(&command)?;
        }
        match step {
            Step::Fail(failure) => self.record(Event::ModelFailed { want, failure, jitter: 0 }),
            Step::Reply(reply) => {
                let event = self.replied(want, reply);
                self.assign(&event);
                self.record(event)
            }
        }
    }

    fn replied(&self, want: WantId, reply: Reply) -> Event {
        let usage = reply.usage.unwrap_or_default();
        let around = Surroundings { tree: &self.tree, walls: &Walls::default(), jobs: &Jobs::default(), checks: &[] };
        let call = |(i, raw): (usize, &RawCall)| ox_tools::call(&around, CallId::of(want, i), &raw.name, &raw.args);
        let calls: Vec<Call> = reply.calls.iter().enumerate().map(call).collect();
        Event::StreamComplete {
            want,
            message_id: MessageId::of(want),
            total_length: reply.text.len() as u64,
            text: reply.text,
            reasoning: reply.reasoning,
            images: reply.images,
            calls,
            finish: reply.finish,
            usage,
            cost: self.cost(usage),
            duration_ms: 0,
        }
    }

    fn cost(&self, usage: Usage) -> Option<Money> {
        let facts = &self.knobs.facts;
        let (input, output) = (facts.input_price?.0, facts.output_price?.0);
        Some(Money((usage.input.0 * input + usage.output.0 * output) / 1_000_000))
    }

    /// Each call of a reply gets the next result of the file that bears its name.
    fn assign(&mut self, event: &Event) {
        let Event::StreamComplete { calls, .. } = event else { return };
        for call in calls {
            let is_next =
                |it: &Section| it.name.split(' ').nth(1) == Some(call.tool.split(' ').next().unwrap_or_default());
            if self.results.front().is_some_and(is_next)
                && let Some(section) = self.results.pop_front()
            {
                self.assigned.insert(call.id.clone(), section);
            }
        }
    }

    /// Records the result that the file has for this call.
    fn complete(&mut self, call: &Call) -> Result<(), ScenarioError> {
        let Some(section) = self.assigned.get(&call.id) else {
            return Err(ScenarioError::Story(format!("the file has no result of `{}` here", call.tool)));
        };
        let outcome = outcome(call, section);
        self.begun.retain(|it| !matches!(it, Want::Tool { call: begun, .. } if begun.id == call.id));
        for event in self.noted(call) {
            self.record(event)?;
        }
        self.record(Event::ToolComplete { call: call.id.clone(), tool: call.tool.clone(), outcome })
    }

    /// Tools that only take notes do so at this speed too: the turn folds their notes.
    fn noted(&self, call: &Call) -> Vec<Event> {
        if call.tool != "todo_write" {
            return Vec::new();
        }
        let mut cx = Cx::new(self.tree.clone(), Arc::new(ox_sandbox::Plain));
        cx.board = Arc::new(Board::new(self.turn.todos().to_vec(), self.turn.plan().cloned()));
        cx.mode = self.turn.mode();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.map_or(Vec::new(), |it| it.block_on(ox_tools::run(&cx, call)).events)
    }
}

/// The outcome that a section of the file tells of; see [`crate::scribe`] for the endings.
fn outcome(call: &Call, section: &Section) -> Outcome {
    let name = section.name.trim_start_matches("tool: ");
    let ending = name.strip_prefix(call.tool.as_str()).unwrap_or_default().trim();
    let status = match ending {
        "failed" => Status::Failed,
        "denied" => Status::Denied,
        "skipped" => Status::Skipped,
        "interrupted" => Status::Interrupted,
        _ => Status::Ok,
    };
    let is_command = call.facts.command.is_some();
    let edited = status == Status::Ok && call.facts.kind == CallKind::Mutate && !is_command && ending != "unchanged";
    let written = call.facts.paths.iter().filter(|it| it.write && edited);
    let changed = written.map(|it| FileChange {
        path: it.path.clone(),
        kind: ChangeKind::Modified,
        from: None,
        why: None,
        diff: String::new(),
        added: 0,
        removed: 0,
    });
    Outcome {
        status,
        output: section.body.strip_suffix('\n').unwrap_or(&section.body).to_string(),
        changed: changed.collect(),
        tree_changed: is_command && ending == "changed" || edited,
        ..Outcome::default()
    }
}
