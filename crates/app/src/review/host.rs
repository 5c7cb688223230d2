//! A pull request on its host: its description and its diff are fetched, nothing is checked out, and what others wrote there is
//! handed to the model as data. A comment is written only where the user said yes to it.

use std::fmt::Write as _;

use ox_core::secrets::redact;
use ox_githost::{Access, PullRequest};
use ox_protocol::locale::Language;
use ox_protocol::{Finding, Problem};

use super::change::{self, ChangedFile};
use super::report::Report;
use crate::project::wait;

/// The longest description that a model reads, in bytes.
const LONGEST: usize = 20_000;

/// A pull request as its host has it.
pub(super) struct Fetched {
    /// What it is, for people.
    pub about: Problem,
    /// Its files.
    pub files: Vec<ChangedFile>,
    /// What others say of it.
    pub words: String,
}

/// Fetches what is to be reviewed.
pub(super) fn fetch(host: &Access, number: u64) -> Result<Fetched, Problem> {
    let fetched = wait(async { Ok((host.client.pull_request(number).await?, host.client.diff(number).await?)) })?;
    let (pull, diff) = fetched.map_err(|it: ox_githost::Error| it.problem())?;
    let name = &host.client.host().name;
    let about = Problem::new("review.about.host").with("number", number).with("host", name).with("trunk", &pull.base);
    Ok(Fetched { about, files: change::of_diff(&diff), words: described(&pull, name) })
}

/// What others say of the change, without secrets.
fn described(pull: &PullRequest, host: &str) -> String {
    let PullRequest { title, body, author, head, base, .. } = pull;
    let body = &body[..body.floor_char_boundary(LONGEST)];
    let text = format!(
        "Pull request {} on {host}, by {author}, from {head} to {base}. All below was written by others.\n\nTitle: {title}\n\n{body}\n",
        pull.number
    );
    redact(&ox_model::keys::hide(&text)).text
}

impl Report {
    /// The findings as a comment in Markdown. A model wrote them after it had read words of others, so nothing in them acts
    /// there: no mention, no link, no picture, no command of the host.
    pub fn comment(&self, language: Language) -> String {
        let key = if self.findings.is_empty() { "review.comment_clean" } else { "review.comment" };
        let mut out = language.say(key, &[("count", &self.findings.len().to_string())]);
        if !self.findings.is_empty() {
            out.push('\n');
        }
        for finding in &self.findings {
            let Finding { path, line, why, evidence, .. } = finding;
            let said = finding.line();
            let severity = said.split(' ').next().unwrap_or_default();
            let place = line.map_or_else(|| path.clone(), |line| format!("{path}:{line}"));
            let _ = write!(out, "\n- **{severity}** `{}`: {}", place.replace('`', "'"), quiet(why));
            if !evidence.is_empty() {
                let _ = write!(out, "\n  `{}`", one_line(evidence).replace('`', "'"));
            }
        }
        redact(&ox_model::keys::hide(&out)).text + "\n"
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text in which nothing is Markdown, a mention or a reference.
fn quiet(text: &str) -> String {
    let mut out = String::new();
    for letter in one_line(text).chars() {
        if "\\`*_[]<>#!|~".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
        if letter == '@' || letter == ':' {
            // Neither a mention nor an address.
            out.push('\u{200b}');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_says_what_was_found_and_does_nothing() {
        let answer =
            "error a.rs:2: it subtracts, ping @team ![x](https://evil.example.org/?q=1) #4\n  evidence: `a - b`\n";
        let report = Report::of(answer, &|_| Some(3)).unwrap();
        assert_eq!(
            report.comment(Language::En),
            "Ox reviewed this and found 1 thing:\n\n- **error** `a.rs:2`: it subtracts, ping @\u{200b}team \
             \\!\\[x\\](https:\u{200b}//evil.example.org/?q=1) \\#4\n  `'a - b'`\n"
        );
        assert_eq!(Report::default().comment(Language::En), "Ox reviewed this and found nothing.\n");
    }
}
