//! Runs a session for a program: one task or several, with nobody at a terminal, in any of the forms of output.
//!
//! Promise: standard output carries the form that was asked for and nothing else. Nobody is waited for: what would need a
//! person is refused, unless the program itself said that it answers. The first Ctrl-C stops the turn, the second leaves.

mod events;
mod face;
mod form;
mod input;

use std::collections::VecDeque;
use std::path::PathBuf;

use ox_client::result::RunResult;
use ox_client::stream_input::{self, Input, Request};
use ox_client::view::Asked as Waits;
use ox_client::{Client, Control, Update};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Delivery, Event, Mode, Stop};
use serde_json::Value;

use crate::plain::PlainOptions;
use crate::session::{Unattended, close, completion};
use crate::signals::{Asked, Signals};
use face::Face;
pub use form::Output;
use input::Lines;

/// What became of an answer that was held against its schema.
pub type Judged = Result<Value, Mismatch>;

/// Holds an answer against a schema.
pub type Judge = Box<dyn Fn(&str) -> Judged + Send + Sync>;

/// Why an answer does not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// One sentence for each reason.
    pub why: Vec<String>,
    /// What the model is asked then.
    pub again: String,
}

/// How a run is shown, and what is asked of its answer.
pub struct ScriptOptions {
    /// The user's language.
    pub language: Language,
    /// The theme of standard error.
    pub theme: String,
    /// The form of standard output.
    pub output: Output,
    /// Tasks come as lines on standard input.
    pub reads: bool,
    /// Requests for consent go to the program, which answers on standard input.
    pub asks: bool,
    /// A file for the last answer.
    pub last: Option<PathBuf>,
    /// Holds an answer against its schema.
    pub schema: Option<Judge>,
    /// Only problems go to standard error.
    pub quiet: bool,
    /// The task is Ox's own and none of the user's.
    pub of_ox: bool,
}

impl ScriptOptions {
    /// The given form and nothing more.
    pub fn new(language: Language, theme: &str, output: Output) -> ScriptOptions {
        let theme = theme.to_owned();
        let (reads, asks, quiet, of_ox) = (false, false, false, false);
        ScriptOptions { language, theme, output, reads, asks, last: None, schema: None, quiet, of_ox }
    }
}

/// Runs the session until its tasks are done: `first`, or what standard input brings. The exit code; none where the
/// session ended by itself. An error is that of an output which its reader did not close.
pub async fn run_script(
    client: &mut Client,
    first: Option<Command>,
    options: &ScriptOptions,
) -> std::io::Result<Option<u8>> {
    let mut run = Run::new(client, options);
    run.queue.extend(first);
    run.follow().await
}

/// The same for a task that was sent already.
pub async fn follow_script(client: &mut Client, options: &ScriptOptions) -> std::io::Result<Option<u8>> {
    let mut run = Run::new(client, options);
    run.busy = true;
    run.follow().await
}

/// Prints the events of a session until it ends or nobody reads them, and sends nothing.
pub async fn watch_events(client: &mut Client) -> std::io::Result<()> {
    let (mut lines, mut signals) = (ox_client::Lines::default(), Signals::watch());
    loop {
        let update = tokio::select! {
            update = client.next() => update,
            _ = signals.next() => None,
        };
        let Some(update) = update else { return Ok(()) };
        if let Err(error) = events::write(&mut std::io::stdout(), &mut lines, &update) {
            return if error.kind() == std::io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) };
        }
    }
}

/// What one step leads to.
enum Go {
    On,
    /// The session ended.
    Gone,
    /// The output takes no more, because nobody reads it or for this reason.
    Leave(std::io::Error),
}

struct Run<'a> {
    client: &'a mut Client,
    options: &'a ScriptOptions,
    face: Face,
    result: RunResult,
    unattended: Unattended,
    signals: Signals,
    interrupts: u32,
    lines: Option<Lines>,
    /// Tasks that wait.
    queue: VecDeque<Command>,
    /// True from the moment that a task is sent until its turn is over.
    busy: bool,
    /// The answer was asked for again.
    corrected: bool,
    /// The exit code of the last task.
    code: Option<u8>,
}

impl<'a> Run<'a> {
    fn new(client: &'a mut Client, options: &'a ScriptOptions) -> Run<'a> {
        let plain = PlainOptions::detect(options.language, &options.theme, options.quiet);
        let (mut face, mut result) = (Face::new(options.output, plain), RunResult::default());
        // What a resumed conversation has said of itself is known.
        for frame in client.history().unwrap_or_default() {
            face.before(&frame);
            result.before(&frame);
        }
        Run {
            client,
            options,
            face,
            result,
            unattended: Unattended::default(),
            signals: Signals::watch(),
            interrupts: 0,
            lines: options.reads.then(Lines::of_stdin),
            queue: VecDeque::new(),
            busy: false,
            corrected: false,
            code: None,
        }
    }

    async fn follow(&mut self) -> std::io::Result<Option<u8>> {
        loop {
            if !self.busy {
                match self.queue.pop_front() {
                    Some(task) => {
                        match self.options.of_ox {
                            true => self.client.send_for_ox(task),
                            false => self.client.send(task),
                        };
                        self.busy = true;
                    }
                    None if self.lines.is_none() => return Ok(self.code),
                    None => {}
                }
            }
            let go = tokio::select! {
                update = self.client.next() => match update {
                    Some(update) => self.update(&update),
                    None => Go::Gone,
                },
                line = input::next(&mut self.lines) => self.line(line),
                signal = self.signals.next() => {
                    self.interrupts += 1;
                    if self.interrupts > 1 || signal == Asked::Leave || !self.busy {
                        return Ok(self.left().await);
                    }
                    self.client.send(Command::Interrupt);
                    Go::On
                }
            };
            match go {
                Go::On => {}
                Go::Gone => return Ok(self.code),
                Go::Leave(error) => {
                    let stop = close(self.client, &mut |_| {}).await;
                    let broken = error.kind() == std::io::ErrorKind::BrokenPipe;
                    return if broken { Ok(stop.map(Stop::exit_code)) } else { Err(error) };
                }
            }
        }
    }

    /// Closes the session and shows what it still says.
    async fn left(&mut self) -> Option<u8> {
        let (face, result) = (&mut self.face, &mut self.result);
        let stop = close(self.client, &mut |update| {
            let _ = face.update(update);
            update.frame().into_iter().for_each(|it| result.apply(it));
        })
        .await;
        if self.busy {
            // A process that is to leave has little time, and its reader may be gone.
            let _ = self.face.close(&self.result, self.options.language, None);
        }
        stop.map(Stop::exit_code)
    }

    fn update(&mut self, update: &Update) -> Go {
        let ends = completion(self.client, update);
        // How a turn ended is told once its answer was judged.
        let judged = self.options.schema.is_some() && ends.is_some_and(|it| matches!(it.exit_code(), 0 | 3));
        let waits = judged && self.face.is_for_people();
        if let Some(Err(error)) = (!waits).then(|| self.face.update(update)) {
            return Go::Leave(error);
        }
        if matches!(update, Update::Control(Control::Rejected { .. })) && self.busy && !self.result.view().busy {
            // The task was not taken, so no turn begins whose end could be waited for.
            (self.busy, self.code) = (false, Some(1));
        }
        let Some(frame) = update.frame() else { return Go::On };
        self.result.apply(frame);
        if let Err(error) = self.asked(&frame.event) {
            return Go::Leave(error);
        }
        match ends {
            Some(stop) => self.over(stop, waits.then_some(update)).map_or_else(Go::Leave, |()| Go::On),
            None => Go::On,
        }
    }

    /// Answers what is asked, or hands it to the program.
    fn asked(&mut self, event: &Event) -> std::io::Result<()> {
        if self.options.asks && self.lines.is_some() {
            if let Event::ApprovalRequest { call, .. } | Event::Question { call, .. } = event
                && let Some(asked) = self.result.view().asked.iter().find(|it| it.call() == call)
            {
                return self.face.line(&stream_input::ask(asked));
            }
            return Ok(());
        }
        if let Some(answer) = self.unattended.answer(event) {
            self.client.send(answer);
        }
        Ok(())
    }

    /// A turn is over: its answer is checked, printed, and asked for again where it does not match. `end`: what is still to be
    /// told of it where it matches.
    fn over(&mut self, stop: Stop, end: Option<&Update>) -> std::io::Result<()> {
        if !self.corrected || stop.exit_code() != 0 {
            let verdict = self.face.verdict(self.options.language, self.result.view(), stop);
            self.result.judged(verdict);
        }
        let mut answer = None;
        // A turn that failed or was stopped has no answer to hold against anything.
        if let Some(judge) = self.options.schema.as_ref().filter(|_| matches!(stop.exit_code(), 0 | 3)) {
            match judge(self.result.text()) {
                Ok(value) => {
                    answer = Some(value.to_string());
                    self.result.answered(value);
                    end.map_or(Ok(()), |it| self.face.update(it))?;
                }
                Err(mismatch) => {
                    self.result.mismatched(mismatch.why);
                    if !self.corrected {
                        self.again(mismatch.again);
                        return Ok(());
                    }
                }
            }
        }
        if std::mem::take(&mut self.corrected) {
            let mode = self.result.mode_before();
            self.client.send(Command::SetMode { mode });
        }
        (self.busy, self.interrupts) = (false, 0);
        let code = self.result.exit_code();
        self.code = Some(code);
        let written = self.face.close(&self.result, self.options.language, answer.as_deref());
        if let Some(path) = &self.options.last {
            let text = answer.as_deref().unwrap_or(self.result.text());
            std::fs::write(path, format!("{text}\n"))?;
        }
        self.result = self.result.next();
        written
    }

    /// Asks for the answer once more, in a mode that changes nothing.
    fn again(&mut self, text: String) {
        self.corrected = true;
        self.result.corrects();
        let (mode, images) = (Some(Mode::Chat), Vec::new());
        self.client.send_for_ox(Command::Prompt { text, images, mode, delivery: Delivery::Steer });
    }

    /// A line of standard input, or its end.
    fn line(&mut self, line: Option<String>) -> Go {
        let Some(line) = line else {
            self.lines = None;
            // Nobody answers any more.
            let waiting: Vec<Waits> = self.result.view().asked.iter().cloned().collect();
            let reason = Language::En.say("ui.nobody", &[]);
            for asked in waiting.iter().filter(|_| self.options.asks) {
                self.client.send(stream_input::answer(asked, &Err(reason.clone())));
            }
            return Go::On;
        };
        if line.trim().is_empty() {
            return Go::On;
        }
        let written = match stream_input::read(&line) {
            Ok(Input::Prompt(task)) => {
                self.queue.push_back(task);
                Ok(())
            }
            Ok(Input::Request { id, request }) => self.request(&id, request),
            Ok(Input::Answer { id, answer }) => {
                if let Some(asked) = self.result.view().asked.iter().find(|it| it.call().0 == id) {
                    self.client.send(stream_input::answer(asked, &answer));
                }
                Ok(())
            }
            Ok(Input::Nothing) => Ok(()),
            Err(why) => {
                let error = self.options.language.say("script.bad_line", &[("why", &why)]);
                self.face.line(&serde_json::json!({ "type": "system", "subtype": "input_error", "error": error }))
            }
        };
        written.map_or_else(Go::Leave, |()| Go::On)
    }

    fn request(&mut self, id: &str, request: Request) -> std::io::Result<()> {
        let answer = match request {
            Request::Initialize => Ok(stream_input::initialized()),
            // There is nothing to stop between two turns.
            Request::Command(Command::Interrupt) if !self.busy => Ok(serde_json::json!({})),
            Request::Command(command) => {
                self.client.send(command);
                Ok(serde_json::json!({}))
            }
            Request::Unsupported(why) => Err(why),
        };
        self.face.line(&stream_input::response(id, answer))
    }
}
