//! What Ox says when it meets a fault of its own: one message without secrets that says what to do.
//!
//! It never shows a key that is in use here, in the environment or kept by `ox login`, whatever the fault's words contain.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::PanicHookInfo;

use ox_app::{Project, ProjectOptions};

/// From now on a fault is told in this way.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        crate::cmd::say_line(&report(info));
    }));
}

fn report(info: &PanicHookInfo<'_>) -> String {
    // Whatever keeps the configuration from being read must not hide the fault.
    if let Ok(Ok(project)) = std::panic::catch_unwind(|| Project::here(ProjectOptions::default())) {
        project.hide_keys();
    }
    let payload = info.payload();
    let words = payload.downcast_ref::<&str>().map(|it| (*it).to_string());
    let words = words.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "?".to_string());
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let trace = Backtrace::capture();
    let trace = if trace.status() == BacktraceStatus::Captured { format!("\n{trace}") } else { String::new() };
    let version = env!("CARGO_PKG_VERSION");
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    let fault = clean(&format!("ox {version} {os} {arch}: {place}: {words}{trace}"));
    let page = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
    ox_app::project::language().say("error.panic", &[("fault", &fault), ("page", page)])
}

/// A text without keys and secrets.
fn clean(text: &str) -> String {
    ox_core::secrets::redact(&ox_model::keys::hide(text)).text
}
