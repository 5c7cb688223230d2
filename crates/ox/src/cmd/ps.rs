//! `ox ps`: the conversations that run now, in any project of this user.

use clap::Args;
use ox_app::conversations::running::{Running, running};
use ox_app::project::{language, now, paths};
use ox_client::view::{Asked, View};
use ox_protocol::locale::Language;
use ox_protocol::{Money, Time};
use serde_json::{Value, json};

use super::print::{columns, cut, err, json as print_json, out};
use super::shared;

/// Longest text of a cell, in characters.
const CELL: usize = 60;

/// Arguments of `ox ps`.
#[derive(Debug, Args)]
pub struct PsArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Lists them.
pub fn run(args: PsArgs) -> anyhow::Result<u8> {
    let paths = paths()?;
    let all = shared::runtime()?.block_on(running(&paths));
    let language = language();
    if args.json {
        print_json(&Value::Array(all.iter().map(value).collect()));
    } else if all.is_empty() {
        err(&language.say("ps.none", &[]));
    } else {
        let head = ["ps.id", "ps.state", "ps.since", "ps.cost", "ps.model", "ps.project", "ps.task"];
        let head = head.map(|it| language.say(it, &[])).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(all.iter().map(|it| row(it, language))).collect();
        out(&columns(&rows));
    }
    Ok(0)
}

/// How it stands, in a word.
fn state(view: Option<&View>) -> &'static str {
    match view {
        None => "unreachable",
        Some(view) if !view.asked.is_empty() => "waiting",
        Some(view) if view.busy => "working",
        Some(view) if view.stop.is_some() => "done",
        Some(_) => "idle",
    }
}

/// What it waits for.
fn asks(view: &View) -> Option<String> {
    Some(match view.asked.front()? {
        Asked::Question { text, .. } => text.clone(),
        Asked::Approval(it) if !it.commands.is_empty() => it.commands.join("; "),
        Asked::Approval(it) => match it.args["path"].as_str() {
            Some(path) => format!("{} {path}", it.tool),
            None => it.tool.clone(),
        },
    })
}

/// Since when it stands so: the beginning of the turn, or the last thing that happened.
fn since(view: &View) -> Time {
    let last = view.entries.last().map_or(view.began, |it| it.time);
    if view.busy && view.asked.is_empty() { view.began } else { last }
}

fn row(it: &Running, language: Language) -> Vec<String> {
    let state = state(it.view.as_ref());
    let word = language.say(&format!("ps.state.{state}"), &[]);
    let Some(view) = &it.view else { return vec![it.id.0.clone(), word] };
    let word = asks(view).map_or(word.clone(), |what| format!("{word}: {}", cut(&one_line(&what), CELL)));
    let cost = &view.account.conversation;
    let cost = if cost.unpriced > 0 { "?".to_owned() } else { ox_ui::words::money(cost.cost) };
    let age = ox_ui::words::age(now(), since(view));
    let root = view.root.rsplit('/').next().unwrap_or_default().to_owned();
    vec![it.id.0.clone(), word, age, cost, view.model.clone(), root, cut(&one_line(it.task()), CELL)]
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn value(it: &Running) -> Value {
    let state = state(it.view.as_ref());
    let Some(view) = &it.view else { return json!({ "id": it.id, "state": state, "socket": it.socket }) };
    let spent = &view.account.conversation;
    json!({
        "id": it.id,
        "state": state,
        "asks": asks(view),
        "project": view.root,
        "model": view.model,
        "name": view.name,
        "task": view.turns.last().map(|it| it.prompt.as_str()),
        "turn": view.turn,
        "since": since(view),
        "reason": view.stop.filter(|_| !view.busy).map(|it| it.code().trim_start_matches("stop.")),
        "cost": { "amount": dollars(spent.cost), "unit": "USD", "unpriced_requests": spent.unpriced },
        "socket": it.socket,
    })
}

/// Millionths of a dollar as dollars.
#[allow(clippy::cast_precision_loss)] // Exact up to nine thousand million dollars.
fn dollars(money: Money) -> f64 {
    money.0 as f64 / 1e6
}
