//! The page that a model writes: shown as a diff and approved where one is there already.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use ox_app::{Project, instructions};
use ox_protocol::Problem;
use ox_protocol::locale::Language;
use ox_ui::{Judge, Mismatch, Output, ScriptOptions};
use serde_json::Value;

use crate::cmd::accept::painted;
use crate::cmd::answer;
use crate::cmd::print::{err, out};
use crate::cmd::shared::TurnArgs;
use crate::cmd::show::{self, Look};

/// The exit code where a page was not replaced because nobody approved.
const NOT_APPROVED: u8 = 4;

/// Has the page written. The exit code.
pub(super) fn write(project: &Project, turn: &TurnArgs, path: &Path, yes: bool) -> anyhow::Result<u8> {
    let language = project.settings.language;
    let failed = |error: std::io::Error| Problem::new("init.failed").with("path", path.display()).with("why", error);
    let before = if path.exists() { fs::read_to_string(path).map_err(failed)? } else { String::new() };
    err(&language.say("init.asks", &[("path", &path.display().to_string())]));
    let (page, code) = asked(project, turn, &before)?;
    let Some(page) = page else {
        if code == 0 {
            return Err(Problem::new("init.no_page").into());
        }
        return Ok(code);
    };
    if page == before {
        say("init.same", path, language);
        return Ok(0);
    }
    if !before.is_empty() {
        out(&painted(&instructions::diff(&before, &page)));
        if !yes && !says_yes(path, language)? {
            say("init.left", path, language);
            return Ok(NOT_APPROVED);
        }
    }
    fs::write(path, page).map_err(failed)?;
    say("init.made", path, language);
    Ok(0)
}

/// The page that the model answers with, and the exit code of its turn.
fn asked(project: &Project, turn: &TurnArgs, before: &str) -> anyhow::Result<(Option<String>, u8)> {
    let found = Arc::new(Mutex::new(None));
    let keeps = Arc::clone(&found);
    let judge: Judge = Box::new(move |answer| match instructions::page(answer) {
        Some(page) => {
            *keeps.lock().unwrap_or_else(PoisonError::into_inner) = Some(page);
            Ok(Value::Null)
        }
        None => Err(Mismatch { why: Vec::new(), again: instructions::again().to_owned() }),
    });
    let look = Look::of(project);
    let task = instructions::task(project, before);
    let setup = project.clone().only_reading().setup(turn.session(None, true))?;
    let options = ScriptOptions { schema: Some(judge), of_ox: true, ..look.script(Output::Aside) };
    let code = show::headless(setup, Vec::new(), Some(task), &options)?;
    let page = found.lock().unwrap_or_else(PoisonError::into_inner).take();
    Ok((page, code))
}

/// Asks at the terminal; without one the answer is no.
fn says_yes(path: &Path, language: Language) -> anyhow::Result<bool> {
    if !ox_ui::is_interactive() {
        return Ok(false);
    }
    let question = language.say("init.replace", &[("path", &path.display().to_string())]);
    let said = answer::line(&format!("{question} [y/N]"))?.unwrap_or_default();
    Ok(matches!(said.to_lowercase().as_str(), "y" | "yes" | "是"))
}

/// Says something of a file.
pub(super) fn say(key: &str, path: &Path, language: Language) {
    err(&language.say(key, &[("path", &path.display().to_string())]));
}
