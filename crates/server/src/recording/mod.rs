//! A conversation as one HTML file that plays: it opens from a disk, and asks nobody for anything.
//!
//! Promise: what was said, called and printed is text and stays text; nothing in it is markup or a script. The browser is told to
//! run the one script and to use the one style that stand here, and to load nothing.

mod markup;

use std::fmt::Write;

use base64::Engine;
use ox_protocol::locale::Language;
use ox_protocol::{Call, CallId, CheckResult, CheckStatus, Event, Frame, Image, Outcome, Problem, Status};
use ox_screen::report;
use ox_text::document;
use sha2::{Digest, Sha256};

use markup::{code, escaped, markdown};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("player.js");
/// Longest output of a tool, in characters; the rest is counted.
const OUTPUT: usize = 20_000;
/// How many times as fast it can be played.
const SPEEDS: [u32; 5] = [1, 2, 4, 8, 16];

/// The conversation as a page. `title` is its name.
pub fn recording(title: &str, frames: &[Frame], language: Language) -> String {
    let say = |key: &str| escaped(&language.say(key, &[]));
    let hash = |text: &str| base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text.as_bytes()));
    let (style, script) = (format!("\n{STYLE}"), format!("\n{SCRIPT}"));
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; script-src 'sha256-{}'; style-src 'sha256-{}'",
        hash(&script),
        hash(&style)
    );
    let (head, lang) = (escaped(title), if language == Language::Zh { "zh-CN" } else { "en" });
    let body = Page { language, out: String::new(), shown: 0, times: Vec::new(), results: Vec::new() }.filled(frames);
    let about = frames.first().map(|it| about(&it.event)).unwrap_or_default();
    let times: Vec<String> = body.times.iter().map(u64::to_string).collect();
    let speeds: String = SPEEDS
        .iter()
        .map(|it| format!("<option value=\"{it}\"{}>{it}×</option>", if *it == 4 { " selected" } else { "" }))
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{head}</title>\n<style>{style}</style>\n</head>\n<body>\n\
         <header><h1>{head}</h1><p>{about}</p></header>\n<main>\n{}</main>\n\
         <div class=\"player\" hidden data-times=\"{}\" data-play=\"{play}\" data-pause=\"{pause}\">\
         <button type=\"button\">{play}</button>\
         <input type=\"range\" min=\"0\" max=\"{}\" aria-label=\"{}\"><output></output>\
         <select aria-label=\"{}\">{speeds}</select></div>\n<script>{script}</script>\n</body>\n</html>\n",
        body.out,
        times.join(" "),
        times.len(),
        say("page.play.position"),
        say("page.play.speed"),
        play = say("page.play.start"),
        pause = say("page.play.pause"),
    )
}

/// Which conversation it is.
fn about(event: &Event) -> String {
    match event {
        Event::ConversationId { id, root, ox, .. } => escaped(&format!("{id} · {root} · Ox {ox}")),
        _ => String::new(),
    }
}

/// The page while it is written. Each thing that happens has a number; what is drawn of it says which.
struct Page {
    language: Language,
    out: String,
    shown: usize,
    times: Vec<u64>,
    /// What came of the calls, with its number, by the call.
    results: Vec<(CallId, usize, String)>,
}

impl Page {
    fn filled(mut self, frames: &[Frame]) -> Page {
        // Calls are drawn with their results, so the numbers are given first.
        let counted = frames.iter().filter(|it| self.counts(&it.event));
        let numbered: Vec<&Frame> = counted.collect();
        self.times = numbered.iter().map(|it| it.time.0).collect();
        for (at, frame) in numbered.iter().enumerate() {
            if let Event::ToolComplete { call, outcome, .. } = &frame.event {
                let drawn = self.result(outcome, at + 1);
                self.results.push((call.clone(), at + 1, drawn));
            }
        }
        for (at, frame) in numbered.iter().enumerate() {
            self.shown = at + 1;
            self.draw(&frame.event);
        }
        self
    }

    /// True for what is drawn.
    fn counts(&self, event: &Event) -> bool {
        match event {
            Event::TurnStart { prompt, images, .. } => !prompt.is_empty() || !images.is_empty(),
            Event::StreamComplete { text, calls, reasoning, images, .. } => {
                !text.trim().is_empty() || !calls.is_empty() || !reasoning.is_empty() || !images.is_empty()
            }
            Event::Steered { .. }
            | Event::Question { .. }
            | Event::Answer { .. }
            | Event::ToolComplete { .. }
            | Event::CheckResult { .. }
            | Event::Pruned { .. }
            | Event::Error { .. }
            | Event::Completion { .. } => true,
            _ => false,
        }
    }

    fn say(&self, key: &str) -> String {
        escaped(&self.language.say(key, &[]))
    }

    fn draw(&mut self, event: &Event) {
        let (user, ox) = (self.say("export.user"), self.say("export.ox"));
        match event {
            Event::TurnStart { prompt, images, .. } => self.user(&user, prompt, images),
            Event::Steered { text, images } => self.user(&user, text, images),
            Event::Answer { text, .. } => self.user(&user, text, &[]),
            Event::Question { text, .. } => self.section("ox", &ox, &markdown(text)),
            Event::StreamComplete { text, calls, reasoning, images, .. } => {
                let thoughts: Vec<&str> =
                    reasoning.iter().map(|it| it.text.as_str()).filter(|it| !it.is_empty()).collect();
                let mut html = String::new();
                if !thoughts.is_empty() {
                    let thinking = self.say("export.thinking");
                    html =
                        format!("<details><summary>{thinking}</summary>{}</details>", markdown(&thoughts.join("\n\n")));
                }
                html += &(markdown(text) + &pictures(images));
                calls.iter().for_each(|it| html += &self.call(it));
                self.section("ox", &ox, &html);
            }
            // Drawn with its call.
            Event::ToolComplete { .. } => {}
            Event::CheckResult { report, .. } => {
                let mark = |it: CheckStatus| match it {
                    CheckStatus::Passed => '✓',
                    CheckStatus::Failed => '✗',
                    _ => '–',
                };
                let line = |it: &CheckResult| format!("<li>{} {}</li>", mark(it.status), escaped(&it.check.name));
                let lines: String = report.results.iter().map(line).collect();
                let checks = self.say("export.checks");
                self.section("note", &checks, &format!("<ul>{lines}</ul>"));
            }
            Event::Pruned { pruning, .. } if !pruning.digest.is_empty() => {
                let head = self.say("export.remembered");
                let html = format!("<details><summary>{head}</summary>{}</details>", markdown(&pruning.digest));
                self.section("note", "", &html);
            }
            Event::Pruned { .. } => {}
            Event::Error { problem } => self.problem(problem),
            Event::Completion { stop, .. } => {
                let code = self.language.say(stop.code(), &[]);
                let html = format!("<p>{}</p>", escaped(&code));
                self.section("end", "", &html);
            }
            _ => {}
        }
    }

    fn section(&mut self, class: &str, head: &str, html: &str) {
        let head = if head.is_empty() { String::new() } else { format!("<h2>{head}</h2>") };
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "<section class=\"{class}\" data-n=\"{}\">{head}{html}</section>", self.shown);
    }

    fn user(&mut self, head: &str, text: &str, images: &[Image]) {
        let html = format!("<p>{}</p>{}", escaped(text), pictures(images));
        self.section("user", head, &html);
    }

    fn problem(&mut self, problem: &Problem) {
        let html = format!("<p class=\"bad\">{}</p>", escaped(&self.language.problem(problem)));
        self.section("note", "", &html);
    }

    fn call(&self, call: &Call) -> String {
        let args = serde_json::to_string_pretty(&call.args).unwrap_or_default();
        let about = call.facts.command.clone().unwrap_or_else(|| report::subject(&call.args));
        let result = self.results.iter().find(|it| it.0 == call.id).map(|it| it.2.as_str()).unwrap_or_default();
        format!(
            "<details><summary><b>{}</b> <code>{}</code></summary>{}{result}</details>",
            escaped(&call.tool),
            escaped(about.lines().next().unwrap_or_default()),
            code(&document::code(&args, Some("json"), None)),
        )
    }

    /// What came of a call: it appears within the call when its time comes.
    fn result(&self, outcome: &Outcome, number: usize) -> String {
        let class = if outcome.status == Status::Ok { "result" } else { "result bad" };
        let (text, left) = match outcome.output.char_indices().nth(OUTPUT) {
            None => (outcome.output.as_str(), 0),
            Some((at, _)) => (&outcome.output[..at], outcome.output[at..].chars().count()),
        };
        let more = if left > 0 { format!("<p>… +{left}</p>") } else { String::new() };
        let diffs: String = outcome.changed.iter().map(|it| markup::diff(&it.path, &it.diff)).collect();
        let output = if text.trim().is_empty() { String::new() } else { code(&document::output(text)) };
        format!("<div class=\"{class}\" data-n=\"{number}\">{output}{more}{diffs}{}</div>", pictures(&outcome.images))
    }
}

/// Pictures by their data.
fn pictures(images: &[Image]) -> String {
    let plain = |it: &&Image| it.data.bytes().all(|it| it.is_ascii_alphanumeric() || b"+/=".contains(&it));
    let one = |it: &Image| {
        let (kind, name) = (escaped(&it.media_type), escaped(&it.name));
        format!("<p><img alt=\"{name}\" src=\"data:{kind};base64,{}\"></p>", it.data)
    };
    images.iter().filter(plain).map(one).collect()
}
