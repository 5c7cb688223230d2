//! `run_script`: a Rhai script without files, network, clock or modules; all that it can do is call tools.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ox_core::{Verdict, permit};
use ox_protocol::{CallId, Mode, Rules, ToolSpec};
use ox_tools::{CallContext, Toolbox, object};
use rhai::{Dynamic, Engine, EvalAltResult, Map};
use serde_json::json;

/// Tool calls of one script.
const CALLS: usize = 200;
const OPERATIONS: u64 = 5_000_000;
const TEXT: usize = 4 << 20;
const ITEMS: usize = 20_000;
const TIME: Duration = Duration::from_secs(60);

/// The tool as a model sees it: as few words as let a model write such a script.
pub fn spec() -> ToolSpec {
    ToolSpec {
        name: "run_script".into(),
        description: "Run a Rhai script that calls tools: `tool(\"read_file\", #{path: \"a\"})` gives the output as text and throws if the call fails or is denied. You read only what it prints. For many calls whose outputs you need not see; it has no other access to files, network or time. `parse_json(text)` is there.".into(),
        schema: object(&["script"], json!({"script": {"type": "string"}})),
        edit_block: false,
    }
}

/// What every call of a script goes through.
pub struct Powers {
    pub toolbox: Arc<Toolbox>,
    pub cx: CallContext,
    pub rules: Rules,
    pub runtime: tokio::runtime::Handle,
}

impl Powers {
    /// One call: read, decided by permission, run.
    fn call(&self, number: usize, name: &str, args: &str) -> Result<String, Box<EvalAltResult>> {
        if number >= CALLS {
            return Err(format!("a script makes {CALLS} calls at most").into());
        }
        let call = self.toolbox.read(&self.cx, CallId(format!("script_{number}")), name, args);
        match permit(Mode::Build, &self.rules, &[], &call) {
            Verdict::Allow => {}
            Verdict::Ask(why) => return Err(format!("{name}: nobody was there to ask ({})", why.code).into()),
            Verdict::Deny(words) => return Err(words.into()),
        }
        let ran = self.runtime.block_on(self.toolbox.run(&self.cx, &call));
        if ran.outcome.is_failure() { Err(ran.outcome.output.into()) } else { Ok(without_status(ran.outcome.output)) }
    }
}

/// A result's trailing line in brackets tells a model what a script does not need.
fn without_status(mut output: String) -> String {
    let last = output.rfind('\n').map_or(0, |it| it + 1);
    if output[last..].starts_with('[') && output.ends_with(']') {
        output.truncate(last.saturating_sub(1));
    }
    output
}

/// Runs a script; gives what it printed and the value that it ended with, or why it failed. It blocks.
pub fn run(powers: Powers, script: &str) -> Result<String, String> {
    let printed = Arc::new(Mutex::new(String::new()));
    let (out, calls, began) = (printed.clone(), AtomicUsize::new(0), Instant::now());
    let mut engine = Engine::new();
    engine.set_max_operations(OPERATIONS).set_max_string_size(TEXT).set_max_array_size(ITEMS).set_max_map_size(ITEMS);
    engine.set_max_call_levels(32).set_max_expr_depths(64, 64);
    let cancel = powers.cx.cancel.clone();
    engine.on_progress(move |_| {
        (cancel.load(Ordering::Relaxed) || began.elapsed() > TIME).then(|| Dynamic::from("stopped".to_owned()))
    });
    engine.on_print(move |text| {
        let mut out = out.lock().unwrap_or_else(PoisonError::into_inner);
        out.push_str(text);
        out.push('\n');
    });
    engine.register_fn("tool", move |name: &str, args: Map| {
        powers.call(calls.fetch_add(1, Ordering::Relaxed), name, &rhai::format_map_as_json(&args))
    });
    let value = engine.eval::<Dynamic>(script).map_err(|it| it.to_string())?;
    let mut said = printed.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if !value.is_unit() {
        said.push_str(&value.to_string());
    }
    Ok(said.trim_end().to_owned())
}
