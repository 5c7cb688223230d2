//! The embeddings of `ox index`: made where something makes them, with a bar, and kept batch by batch, so that an
//! interrupted run goes on where it was. What is missing of them keeps the index from nothing.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ox_agent::project_index::ProjectIndex;
use ox_app::Project;
use ox_index::embed::Filled;
use ox_protocol::Problem;
use serde_json::{Value, json};

use super::super::print::err;
use crate::cmd::bar::Bar;
use crate::cmd::shared;

/// What was made, by what, and how that ended.
pub(super) struct Made {
    model: String,
    filled: Filled,
    spent: Duration,
    /// Why not all was made.
    broken: Option<String>,
    interrupted: bool,
}

/// Makes what is missing. None where nothing makes embeddings. Problems: where they are `required`, that
/// nothing makes any, or that what is named cannot.
pub(super) fn make(project: &Project, index: &ProjectIndex, required: bool) -> anyhow::Result<Option<Made>> {
    match project.embed(index) {
        Err(problem) if required => return Err(problem.into()),
        Err(problem) => super::super::login::say(&problem),
        Ok(()) => {}
    }
    let Some(embedder) = index.embedder() else {
        let none = || Problem::new("embeddings.none").into();
        return if required { Err(none()) } else { Ok(None) };
    };
    let language = project.settings.language;
    let interrupted = Arc::new(AtomicBool::new(false));
    let runtime = shared::runtime()?;
    let (stop, asked) = (interrupted.clone(), tokio::signal::ctrl_c());
    runtime.spawn(async move {
        if asked.await.is_ok() {
            stop.store(true, Ordering::Release);
        }
    });
    let (start, bar, last) = (Instant::now(), Bar::new(language), Cell::new(Filled::default()));
    let reported = index.fill(&|it: Filled| {
        last.set(it);
        let (done, total) = (it.known as usize, (it.known + it.left) as usize);
        bar.show_words(done, total, &|done, total| {
            language.say("index.progress_vectors", &[("done", done), ("count", total)])
        });
        !interrupted.load(Ordering::Acquire)
    });
    bar.clear();
    let (filled, broken) = match reported {
        Some(Err(why)) => (last.get(), Some(why.to_string())),
        Some(Ok(filled)) => (filled, None),
        None => return Ok(None),
    };
    let interrupted = filled.left > 0 && interrupted.load(Ordering::Acquire);
    let made = Made { model: embedder.name().to_owned(), filled, spent: start.elapsed(), broken, interrupted };
    if let Some(why) = &made.broken {
        err(&language.say("index.vectors_broken", &[("why", why)]));
    } else if filled.left > 0 {
        let key = if interrupted { "index.vectors_interrupted" } else { "index.vectors_busy" };
        err(&language.say(key, &[("count", &filled.left.to_string())]));
    }
    Ok(Some(made))
}

impl Made {
    /// 130 after an interruption, as for everything that a user ends; 1 where embeddings are demanded and not all there.
    pub(super) fn exit_code(&self, required: bool) -> u8 {
        match self.interrupted {
            true => 130,
            false => u8::from(required && self.broken.is_some()),
        }
    }

    pub(super) fn as_json(&self) -> Value {
        json!({
            "model": self.model, "made": self.filled.made, "contents": self.filled.known, "left": self.filled.left,
            "seconds": (self.spent.as_secs_f64() * 1e3).round() / 1e3, "error": self.broken,
        })
    }

    pub(super) fn rows(&self, row: &mut impl FnMut(&str, String)) {
        row("vectors", format!("{} ({})", self.filled.known, self.model));
        if self.filled.made > 0 {
            let rate = self.filled.made as f64 / self.spent.as_secs_f64().max(1e-3);
            row("time.vectors", format!("{:.3} s, {} chunks, {rate:.1}/s", self.spent.as_secs_f64(), self.filled.made));
        }
    }
}
