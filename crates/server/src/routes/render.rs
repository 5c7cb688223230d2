//! Text as data, from the engine that the terminal uses too.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use ox_client::view::View;
use ox_protocol::locale::Language;
use ox_protocol::{Event, Frame, Problem, Seq, Time};
use ox_screen::report::{self, Look};
use ox_text::document::{self, DiffHunk, RowKind, TextSpan, TopBlock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::Body;
use crate::shared::Shared;

/// Columns of sentences that the page wraps itself.
const WIDTH: usize = 10_000;
/// Texts in one request.
const MOST: usize = 500;

/// Texts to render.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Items {
    items: Vec<Item>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Item {
    Markdown {
        text: String,
    },
    Code {
        text: String,
        #[serde(default)]
        path: Option<String>,
        #[serde(default)]
        language: Option<String>,
    },
    Diff {
        diff: String,
        #[serde(default)]
        path: Option<String>,
    },
    /// What a call of a tool is about.
    Call {
        #[serde(default)]
        args: Value,
    },
    /// What happened, in a sentence.
    Event {
        event: Value,
    },
    /// What a command printed.
    Ansi {
        text: String,
    },
}

/// The same, rendered, in the same order.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RenderedItems {
    items: Vec<Rendered>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Rendered {
    Markdown { blocks: Vec<TopBlock> },
    Code { lines: Vec<Vec<TextSpan>> },
    Diff { hunks: Vec<DiffHunk>, added: usize, removed: usize },
    Call { title: String },
    Event { text: String },
    Ansi { lines: Vec<Vec<TextSpan>> },
}

pub(crate) async fn render(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Body(Items { items }): Body<Items>,
) -> Answer<RenderedItems> {
    if items.len() > MOST {
        return Err(Problem::new("server.too_many").with("most", MOST).into());
    }
    let language = crate::guard::language(&headers, shared.language);
    // Reading a long program takes its time.
    let items = blocking(move || Ok(items.into_iter().map(|it| rendered(it, language)).collect())).await?;
    Ok(Json(RenderedItems { items }))
}

fn rendered(item: Item, language: Language) -> Rendered {
    match item {
        Item::Markdown { text } => Rendered::Markdown { blocks: document::blocks(&text) },
        Item::Code { text, path, language } => {
            Rendered::Code { lines: document::code(&text, language.as_deref(), path.as_deref()) }
        }
        Item::Diff { diff, path } => {
            let hunks = document::hunks(path.as_deref(), &diff);
            let count = |kind| hunks.iter().flat_map(|it| &it.rows).filter(|it| it.kind == kind).count();
            Rendered::Diff { added: count(RowKind::Added), removed: count(RowKind::Removed), hunks }
        }
        Item::Call { args } => Rendered::Call { title: report::subject(&args) },
        Item::Event { event } => {
            let Ok(event) = serde_json::from_value::<Event>(event) else {
                return Rendered::Event { text: String::new() };
            };
            let lines =
                report::lines(&Look::new(language, WIDTH), &View::default(), &Frame::new(Seq(1), Time(0), event));
            Rendered::Event { text: lines.iter().map(ox_text::Line::text).collect::<Vec<_>>().join("\n") }
        }
        Item::Ansi { text } => Rendered::Ansi { lines: document::output(&text) },
    }
}
