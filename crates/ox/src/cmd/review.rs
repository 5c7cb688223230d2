//! `ox review`: has a model look for faults in a change and changes nothing. What it finds is reported only where the file and
//! the line exist.
//!
//! Going through the changes of the last run is `ox accept`; its flags lead there from here too.

use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use ox_app::Project;
use ox_app::review::{Report, Review, Subject};
use ox_client::result::ANSWER_MISMATCH;
use ox_protocol::locale::Language;
use ox_protocol::{Finding, Problem, Severity};
use ox_ui::{Judge, Mismatch, Output, ScriptOptions};
use serde_json::{Value, json};

use super::accept::{self, AcceptArgs};
use super::answer;
use super::print::{err, json as print_json, out, paint};
use super::shared::TurnArgs;
use super::show::{self, Look};

/// The exit code of a review that found an error.
const FOUND: u8 = 8;
/// Arguments of `ox review`.
#[derive(Debug, Args)]
pub struct ReviewArgs {
    /// Commits to review: BASE..HEAD, a branch or commit to compare with, or the number or URL of a pull request; by
    /// default what is not committed, or else this branch.
    #[arg(value_name = "BASE..HEAD|PR", conflicts_with = "staged")]
    what: Option<String>,
    /// Review what is staged.
    #[arg(long)]
    staged: bool,
    /// Post the findings as a comment on the pull request, after asking.
    #[arg(long)]
    comment: bool,
    /// With `--comment`: post without asking.
    #[arg(long, requires = "comment")]
    yes: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    turn: TurnArgs,
    #[command(flatten)]
    former: Former,
}

/// What `ox review` took when it was what `ox accept` is now.
#[derive(Debug, Args)]
struct Former {
    #[arg(long, value_name = "ID", hide = true)]
    session: Option<String>,
    #[arg(long, value_name = "HUNK|PATH", hide = true)]
    accept: Vec<String>,
    #[arg(long, value_name = "HUNK|PATH", hide = true)]
    reject: Vec<String>,
    #[arg(long, hide = true)]
    reject_all: bool,
    #[arg(long, hide = true)]
    accept_all: bool,
}

impl Former {
    /// The arguments of `ox accept`, where one of its flags was given.
    fn taken(self, json: bool) -> Option<AcceptArgs> {
        let Former { session, accept, reject, reject_all, accept_all } = self;
        let any = session.is_some() || !accept.is_empty() || !reject.is_empty() || reject_all || accept_all;
        any.then_some(AcceptArgs { session, accept, reject, reject_all, accept_all, json })
    }
}

/// Reviews. Exit code 8 where something is wrong.
pub fn run(args: ReviewArgs) -> anyhow::Result<u8> {
    if let Some(moved) = args.former.taken(args.json) {
        err(&ox_app::project::language().say("review.moved", &[]));
        return accept::run(moved);
    }
    let project = args.turn.open(false)?;
    let language = project.settings.language;
    let review = Arc::new(project.review(&Subject::of(args.what.as_deref(), args.staged))?);
    if args.comment && !review.can_be_commented() {
        return Err(Problem::new("review.no_comment").into());
    }
    if args.comment && !args.yes && !ox_ui::is_interactive() {
        return Err(Problem::new("usage.needs_terminal").with("flag", "--comment").into());
    }
    let (files, lines) = (review.files.len(), review.files.iter().map(|it| it.added.len()).sum::<usize>());
    let about = language.problem(&review.about);
    err(&language
        .say("review.begins", &[("what", &about), ("count", &files.to_string()), ("lines", &lines.to_string())]));
    let found = Arc::new(Mutex::new(None));
    let code = ask(&project, &args.turn, &review, &found)?;
    let report = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(report) = report else {
        if code != 0 {
            return Ok(code);
        }
        err(&language.problem(&Problem::new("review.unreadable")));
        return Ok(ANSWER_MISMATCH);
    };
    let code = if code == 0 && report.has_errors() { FOUND } else { code };
    match args.json {
        true => print_json(&as_json(&review, &report, code)),
        false => show(&report, language),
    }
    if args.comment {
        comment(&project, &review, &report, args.yes)?;
    }
    Ok(code)
}

/// Posts the findings where the user says yes to these very words, or has said so beforehand.
fn comment(project: &Project, review: &Review, report: &Report, agreed: bool) -> anyhow::Result<()> {
    let language = project.settings.language;
    let text = report.comment(language);
    if !agreed {
        err(&format!("\n{text}"));
        let question = format!("{} [y,n]", language.say("review.comment_ask", &[]));
        if answer::line(&question)?.as_deref() != Some("y") {
            err(&language.say("review.not_posted", &[]));
            return Ok(());
        }
    }
    let url = review.comment(&text)?.unwrap_or_default();
    err(language.say("review.posted", &[("url", &url)]).trim_end());
    Ok(())
}

/// Runs the turn; what its answer says is put into `found`.
fn ask(
    project: &Project,
    turn: &TurnArgs,
    review: &Arc<Review>,
    found: &Arc<Mutex<Option<Report>>>,
) -> anyhow::Result<u8> {
    let (project_of_judge, judged, keeps) = (project.clone(), Arc::clone(review), Arc::clone(found));
    let judge: Judge = Box::new(move |answer| {
        // The answer is read on a thread of the session: what asks git needs one of its own.
        let report = std::thread::scope(|it| it.spawn(|| judged.judge(&project_of_judge, answer)).join());
        match report.ok().and_then(Result::ok).flatten() {
            Some(report) => {
                let value = json!(report.json());
                *keeps.lock().unwrap_or_else(PoisonError::into_inner) = Some(report);
                Ok(value)
            }
            None => Err(Mismatch { why: Vec::new(), again: Review::again().to_owned() }),
        }
    });
    let look = Look::of(project);
    let options = turn.session(None, true);
    let (project, options) = project.clone().for_review(options);
    let setup = project.setup(options)?;
    let options = ScriptOptions { schema: Some(judge), of_ox: true, ..look.script(Output::Aside) };
    show::headless(setup, Vec::new(), Some(review.task()), &options)
}

fn as_json(review: &Review, report: &Report, code: u8) -> Value {
    let files: Vec<&str> = review.files.iter().map(|it| it.path.as_str()).collect();
    json!({
        "reviewed": { "code": review.about.code, "args": review.about.args, "text": Language::En.problem(&review.about) },
        "files": files, "findings": report.json(), "dropped": report.dropped.len(), "exit_code": code,
    })
}

fn show(report: &Report, language: Language) {
    for finding in &report.findings {
        out(&said(finding));
    }
    let count = |severity| report.findings.iter().filter(|it| it.severity == severity).count().to_string();
    let [errors, warnings, notes] = [Severity::Error, Severity::Warning, Severity::Note].map(count);
    match report.findings.is_empty() {
        true => out(&language.say("review.clean", &[])),
        false => err(&language.say("review.found", &[("errors", &errors), ("warnings", &warnings), ("notes", &notes)])),
    }
    if !report.dropped.is_empty() {
        err(&language.say("review.dropped", &[("count", &report.dropped.len().to_string())]));
    }
}

/// A finding, and what shows it below.
fn said(finding: &Finding) -> String {
    let line = finding.line();
    let (head, rest) = line.split_once(' ').unwrap_or((&line, ""));
    let code = match finding.severity {
        Severity::Error => "31",
        Severity::Warning => "33",
        Severity::Note => "36",
    };
    let head = paint(head, code);
    match finding.evidence.as_str() {
        "" => format!("{head} {rest}\n"),
        evidence => format!("{head} {rest}\n    {evidence}\n"),
    }
}
