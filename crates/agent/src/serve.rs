//! Serving a session: one command after the other, one turn at a time.
//!
//! It never starts a second turn beside a running one, and leaving it leaves a log from which the turn can go on.

use std::path::PathBuf;

use ox_client::socket;
use ox_protocol::{Command, Event, Problem, Stop, Submission};
use tokio::task::AbortHandle;

use crate::programs::Programs;
use crate::project_index::ProjectIndex;
use crate::session::{Session, TurnRequest};
use crate::turn::{command, prune};
use crate::{AgentError, task};

impl Session {
    /// Serves commands until the client leaves. Returns how the last turn ended.
    pub async fn serve(mut self) -> Result<Option<Stop>, AgentError> {
        let _listening = Listening::of(&self);
        self.programs = Programs::ask(&self.env, &self.state);
        let mut last = None;
        while !self.closed {
            if let Some(next) = self.next_in_queue(last) {
                last = Some(self.run(next).await?);
                continue;
            }
            let waiting = self.waiting.pop_front();
            let Some(mut submission) = (match waiting {
                Some(waiting) => Some(waiting),
                None => self.inbox.recv().await,
            }) else {
                break;
            };
            if submission.command == Command::Close {
                break;
            }
            if self.journal.answer(&submission.id) {
                let why = match self.env.expand_all(&mut submission.command).await {
                    Ok(()) => self.command(submission, &mut last).await?,
                    Err(why) => Some(why),
                };
                self.journal.answered(why);
            }
        }
        // What runs in the background ends with the session.
        self.env.tools.jobs.close().await.into_iter().for_each(|event| self.journal.note(event));
        self.env.tools.servers.close().await;
        drop(self.following.take());
        self.env.index.iter().for_each(|it| drop(it.save()));
        self.journal.commit()?;
        Ok(last)
    }

    /// The prompt that waits longest, after a turn that ended well; after any other the user says how to go on.
    fn next_in_queue(&mut self, last: Option<Stop>) -> Option<TurnRequest> {
        last.filter(|it| it.exit_code() == 0 && !self.journal.conversation().is_running())?;
        let (next, rest) = self.journal.conversation().queue().split_first()?;
        let ask =
            TurnRequest { prompt: next.text.clone(), images: next.images.clone(), mode: next.mode, continues: false };
        let prompts = rest.iter().map(|it| it.id.clone()).collect();
        self.journal.note(Event::QueueSet { prompts });
        Some(ask)
    }

    /// Does what is asked while the loop of no turn runs. A reason says why it has no effect; `last` is how the last turn
    /// ended.
    async fn command(
        &mut self,
        submission: Submission,
        last: &mut Option<Stop>,
    ) -> Result<Option<Problem>, AgentError> {
        let is_running = self.journal.conversation().is_running();
        match submission.command {
            Command::Prompt { text, images, .. } if is_running => {
                self.journal.note(Event::Steered { text, images });
                *last = Some(self.run(TurnRequest { continues: true, ..TurnRequest::default() }).await?);
            }
            Command::Prompt { text, images, mode, .. } => {
                *last = Some(self.run(TurnRequest { prompt: text, images, mode, continues: false }).await?);
            }
            Command::Continue => {
                *last = Some(self.run(TurnRequest { continues: true, ..TurnRequest::default() }).await?)
            }
            command => match self.at_once(Submission { command, ..submission }).await {
                Ok(events) => {
                    events.into_iter().for_each(|event| self.journal.note(event));
                    self.journal.commit()?;
                }
                Err(why) => return Ok(Some(why)),
            },
        }
        Ok(None)
    }

    /// The events of a command that begins no turn, or why it has no effect.
    async fn at_once(&mut self, submission: Submission) -> Result<Vec<Event>, Problem> {
        let is_running = self.journal.conversation().is_running();
        match submission.command {
            command @ (Command::Undo { .. } | Command::Redo | Command::Rewind { .. }) if !is_running => {
                self.go_back(&command)
            }
            Command::StopJob { job } => {
                command::stopped(&self.env.tools.jobs, &job)?.await;
                Ok(self.env.tools.jobs.news())
            }
            Command::Compact if !is_running => {
                let event = prune::compacted(&self.journal, self.env.keep_iterations, self.summary_model()).await?;
                Ok(vec![event])
            }
            Command::Clear if !is_running => Ok(self.clear()),
            Command::RunCommand { line } if !is_running => Ok(vec![self.run_for_user(line).await]),
            _ => {
                let cx = self.turn_context();
                let answer = command::answer(&cx, &submission, &self.journal);
                if let Some(model) = cx.chosen_model() {
                    self.main_model = model;
                }
                answer
            }
        }
    }

    /// Runs one turn; a problem that belongs to the turn is recorded and ends it, not the session.
    async fn run(&mut self, ask: TurnRequest) -> Result<Stop, AgentError> {
        // A run that ends by itself makes vectors as far as its time goes.
        if self.following.is_none() && self.headless {
            self.following = self.env.index.as_ref().and_then(ProjectIndex::background_vectors);
        }
        let ran = task::run(self, ask).await;
        // Whoever can be asked may ask for more; a run that ends now would watch for nothing.
        if self.following.is_none() && !self.headless {
            let runtime = tokio::runtime::Handle::current();
            self.following = self.env.index.as_ref().map(|it| it.background(runtime));
        }
        self.ended(ran)
    }

    /// Runs the turn of a sub-agent and ends what it left running.
    pub(crate) async fn one_turn(&mut self, task: String) -> Result<Stop, AgentError> {
        self.programs = Programs::ask(&self.env, &self.state);
        let continues = self.journal.conversation().is_running();
        let prompt = if continues { String::new() } else { task };
        let ran = task::run(self, TurnRequest { prompt, continues, ..TurnRequest::default() }).await;
        let stop = self.ended(ran)?;
        self.env.tools.jobs.close().await.into_iter().for_each(|event| self.journal.note(event));
        self.journal.commit()?;
        Ok(stop)
    }

    /// A problem that belongs to a turn is recorded and ends it.
    fn ended(&mut self, ran: Result<Stop, AgentError>) -> Result<Stop, AgentError> {
        match ran {
            Err(AgentError::Problem(problem)) => {
                let stop = if problem.code == task::GAVE_UP { Stop::Interrupted } else { Stop::Failed };
                self.journal.record(Event::Error { problem })?;
                self.journal.record(Event::Completion { stop, exit_code: stop.exit_code() })?;
                Ok(stop)
            }
            other => other,
        }
    }
}

/// The socket at which other processes join the conversation, until the session ends.
struct Listening {
    path: PathBuf,
    served: AbortHandle,
}

impl Listening {
    /// Listens where that is possible: without a socket the conversation goes on all the same.
    fn of(session: &Session) -> Option<Listening> {
        let path = socket::place(&session.state, session.id());
        let listener = socket::bind(&path).ok()?;
        let hub = session.journal.hub().clone();
        let served = tokio::spawn(socket::serve(listener, hub, session.further.clone())).abort_handle();
        Some(Listening { path, served })
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.served.abort();
        drop(std::fs::remove_file(&self.path));
    }
}
