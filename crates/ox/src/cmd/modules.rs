//! `ox modules`: the documents of this project's modules, what each says first, and which are out of date. Nothing changes.

use clap::Args;
use ox_index::docs::{ModuleDoc, module_doc, module_docs};
use ox_protocol::locale::Language;
use serde_json::{Value, json};

use super::print::{err, json as print_json, out};
use super::query::refreshed;
use crate::cmd::shared;

/// Arguments of `ox modules`.
#[derive(Debug, Args)]
pub struct ModulesArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists the documents. The exit code is 0 whether or not one is out of date.
pub fn run(args: ModulesArgs) -> anyhow::Result<u8> {
    let project = shared::open()?;
    let index = refreshed(&project)?;
    let snapshot = index.snapshot();
    let held = |path: String| {
        let bytes = index.read(&path).unwrap_or_default();
        module_doc(&snapshot, &path, &String::from_utf8_lossy(&bytes))
    };
    let all: Vec<ModuleDoc> = module_docs(&snapshot).into_iter().map(held).collect();
    let language = project.settings.language;
    if args.json {
        print_json(&json!({"modules": all.iter().map(as_json).collect::<Vec<_>>()}));
    } else if all.is_empty() {
        err(&language.say("modules.none", &[]));
    } else {
        all.iter().for_each(|it| out(&reported(it, language)));
    }
    Ok(0)
}

fn as_json(it: &ModuleDoc) -> Value {
    let missing = it.missing.iter().map(|it| json!({"name": it.name, "line": it.line, "path": it.is_path}));
    let missing: Vec<Value> = missing.collect();
    json!({"path": it.path, "says": it.says, "stale": it.is_stale(), "missing": missing, "days_behind": it.behind})
}

/// The document, and beneath it why it is out of date.
fn reported(it: &ModuleDoc, language: Language) -> String {
    let mut text = format!("{}  {}\n", it.path, it.says);
    for gone in &it.missing {
        let line = gone.line.to_string();
        let why = language.say("modules.missing", &[("name", gone.name.as_str()), ("line", line.as_str())]);
        text += &format!("    {why}\n");
    }
    if it.is_stale() && it.behind > 0 {
        let days = it.behind.to_string();
        text += &format!("    {}\n", language.say("modules.behind", &[("count", days.as_str())]));
    }
    text
}
