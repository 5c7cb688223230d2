//! What `ox context` prints: a line and a bar for each kind of section, the reasons behind it, the same as JSON.

use ox_agent::prompt_context::PromptContext;
use ox_app::code::{ContextPreview, PreviewSection};
use ox_context::{Item, OmitReason};
use ox_protocol::Tokens;
use ox_protocol::locale::Language;
use serde_json::{Value, json};

use crate::cmd::print::columns;

/// Width of the bar of the largest section.
const BAR: u64 = 30;

fn total(shown: &ContextPreview) -> u64 {
    shown.sections.iter().map(|it| it.tokens.0).sum()
}

/// A line for each kind of section: tokens, the bound where there is one, a bar. Then the sum.
pub(super) fn table(shown: &ContextPreview, language: Language) -> String {
    let mut kinds: Vec<(&str, u64)> = Vec::new();
    for row in &shown.sections {
        match kinds.iter_mut().find(|it| it.0 == row.purpose) {
            Some(kind) => kind.1 += row.tokens.0,
            None => kinds.push((&row.purpose, row.tokens.0)),
        }
    }
    let most = kinds.iter().map(|it| it.1).max().unwrap_or(1).max(1);
    let bar = |tokens: u64| "█".repeat(usize::try_from((tokens * BAR).div_ceil(most)).unwrap_or(0));
    let budget = &shown.context.budget;
    let of = |bound: Option<Tokens>| bound.map_or_else(String::new, |it| format!("/ {}", it.0));
    let row = |(name, tokens): &(&str, u64)| {
        vec![(*name).to_owned(), format!("{tokens:>6}"), of(budget.of_section(name)), bar(*tokens)]
    };
    let mut rows: Vec<Vec<String>> = kinds.iter().map(row).collect();
    let kept = |name: &str, bound: Tokens| vec![name.to_owned(), format!("{:>6}", "-"), of(Some(bound)), String::new()];
    rows.push(kept("tool results", budget.tool_results));
    rows.push(kept("answer", budget.generation));
    let (sum, window) = (total(shown).to_string(), shown.facts.window.0.to_string());
    let key = if shown.counter.is_exact() { "context.total" } else { "context.total_about" };
    let model = if shown.facts.name.is_empty() { "-" } else { &shown.facts.name };
    format!("{}{}", columns(&rows), language.say(key, &[("tokens", &sum), ("window", &window), ("model", model)]))
}

/// Why each item is in, then why each other is not.
pub(super) fn explained(context: &PromptContext, language: Language) -> String {
    let picked = &context.picked;
    if picked.items.is_empty() && picked.left_out.is_empty() {
        return format!("{}\n", language.say("context.nothing", &[]));
    }
    let why = |it: &Item| {
        let share = |(name, share): &(String, f32)| match share {
            0.0 => name.clone(),
            _ => format!("{name} {share:.1}"),
        };
        it.sources.iter().take(4).map(share).collect::<Vec<String>>().join(", ")
    };
    let row = |it: &Item, mark: String| {
        let name = format!("{} {}", it.section, place(it));
        vec![mark, name, it.rank.name().to_owned(), format!("{:.2}", it.score), why(it)]
    };
    let is_in = picked.items.iter().map(|it| row(it, format!("+{}", it.tokens.0)));
    let out =
        |(it, because): &(Item, OmitReason)| row(it, language.say(&format!("context.because.{}", because.name()), &[]));
    let rows: Vec<Vec<String>> = is_in.chain(picked.left_out.iter().map(out)).collect();
    columns(&rows)
}

fn place(it: &Item) -> String {
    match it.lines {
        Some((from, to)) => format!("{}:{from}-{to}", it.path),
        None => it.path.clone(),
    }
}

pub(super) fn as_json(shown: &ContextPreview) -> Value {
    let item = |it: &Item, because: Option<OmitReason>| {
        let sources: Vec<Value> =
            it.sources.iter().map(|(name, share)| json!({"name": name, "share": share})).collect();
        json!({
            "section": it.section, "path": it.path, "start": it.lines.map(|it| it.0), "end": it.lines.map(|it| it.1),
            "symbol": it.symbol, "rank": it.rank.name(), "score": it.score, "tokens": it.tokens.0,
            "sources": sources, "because": because.map(OmitReason::name),
        })
    };
    let budget = &shown.context.budget;
    let section = |it: &PreviewSection| {
        let bound = budget.of_section(&it.purpose).map(|it| it.0);
        json!({"name": it.name, "purpose": it.purpose, "tokens": it.tokens.0, "budget": bound, "text": it.text})
    };
    let picked = &shown.context.picked;
    json!({
        "model": shown.facts.name, "window": shown.facts.window.0, "exact": shown.counter.is_exact(),
        "tokens": total(shown), "sections": shown.sections.iter().map(section).collect::<Vec<_>>(),
        "in": picked.items.iter().map(|it| item(it, None)).collect::<Vec<_>>(),
        "out": picked.left_out.iter().map(|(it, because)| item(it, Some(*because))).collect::<Vec<_>>(),
        "kept": {"tool_results": budget.tool_results.0, "generation": budget.generation.0},
    })
}
