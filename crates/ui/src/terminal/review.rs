//! `/review`: a turn that looks for faults in a change, and what of its answer holds.

use std::sync::Arc;

use ox_app::review::{Report, Review, Subject};
use ox_protocol::{Command, Problem};

use super::console::{Console, Found};
use crate::UiError;
use crate::text::Role;

impl Console {
    /// Finds the change beside the loop: git and the index take their time.
    pub(super) fn review(&mut self, what: Option<&str>) -> Result<(), UiError> {
        let (subject, project) = (Subject::of(what, false), Arc::clone(&self.project));
        let found = self.finding.0.clone();
        tokio::task::spawn_blocking(move || {
            let change = project.reopened().and_then(|it| it.review(&subject));
            // When the console is gone nobody needs it.
            drop(found.send(Found::Change(Box::new(change))));
        });
        self.say("review.looks", &[], Role::Dim)
    }

    /// Begins the turn, unless another one has begun meanwhile.
    pub(super) fn change_found(&mut self, found: Result<Review, Problem>) -> Result<(), UiError> {
        let review = match found {
            Err(problem) => return self.problem(&problem),
            Ok(_) if self.screen.view.busy => return self.say("review.busy", &[], Role::Warn),
            Ok(review) => review,
        };
        let lines: usize = review.files.iter().map(|it| it.added.len()).sum();
        let what = self.screen.look.language.problem(&review.about);
        let (files, lines) = (review.files.len().to_string(), lines.to_string());
        self.say("review.begins", &[("what", &what), ("count", &files), ("lines", &lines)], Role::Dim)?;
        let task = review.task();
        self.sent.insert(self.client.send_for_ox(task.clone()), task);
        self.begins();
        self.reviewing = Some((review, self.screen.view.mode));
        Ok(())
    }

    /// Holds the answer of a review that has ended against the files that it names.
    pub(super) fn judge(&mut self) {
        let Some((review, mode)) = self.reviewing.take() else { return };
        // It changes nothing, and what is said next may.
        self.send(Command::SetMode { mode });
        let (project, found, answer) =
            (Arc::clone(&self.project), self.finding.0.clone(), self.screen.view.reply.clone());
        tokio::task::spawn_blocking(move || drop(found.send(Found::Report(review.judge(&project, &answer)))));
    }

    /// Says what of the answer is not so; what is stands above.
    pub(super) fn report_found(&mut self, report: Result<Option<Report>, Problem>) -> Result<(), UiError> {
        match report {
            Err(problem) => self.problem(&problem),
            Ok(None) => self.say("review.unread", &[], Role::Warn),
            Ok(Some(report)) => {
                for finding in &report.dropped {
                    self.say("review.absent", &[("finding", &finding.line())], Role::Warn)?;
                }
                let count = report.findings.len().to_string();
                let role = if report.has_errors() { Role::Bad } else { Role::Dim };
                self.say("review.checked", &[("count", &count)], role)
            }
        }
    }
}
