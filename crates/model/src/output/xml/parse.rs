//! Reads calls from a streamed text. What comes of it is the same however the text is cut.
//!
//! The end of a value is the first closing tag of its own name behind which the call goes on or ends, and before which each
//! opening tag of that name has its closing one; any other closing tag is part of the value. A call that lacks an end tag is
//! never completed: its arguments stay as they were written, and whoever runs it decides what may be made of them.

use ox_protocol::ToolSpec;
use serde_json::{Map, Value};

use super::fence::Fence;
use super::forms::{self, Form};
use super::names::{self, EDIT_TAGS, Known};
use super::tag::{Found, begins, in_tags, tag};
use super::value;
use crate::model::{Piece, RawCall};
use crate::output::think::half_tag;

/// Tags of reasoning that a model writes into its text.
const THINK: [&str; 4] = ["thinking", "think", "thought", "reasoning"];
/// Receives what is not part of a call.
type On<'a> = dyn FnMut(Piece<'_>) + 'a;

/// Reads text and calls from pieces of an answer.
#[derive(Debug, Default)]
pub struct Parser {
    tools: Vec<Known>,
    calls: Vec<RawCall>,
    state: State,
    /// What has arrived and is not understood yet.
    held: String,
    /// The call that is being read, as it was written, from behind its opening tag.
    raw: String,
    /// How much of `held` has been looked at in vain.
    seen: usize,
    /// Blank space that is shown only if text follows.
    gap: String,
    /// True once text has been shown.
    begun: bool,
    /// False at the beginning of a line.
    in_line: bool,
    fence: Fence,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// Within the tag of this index of `THINK`.
    Think(usize),
    /// Within a call, between arguments.
    Call(Open),
    /// Within an argument.
    Value(Open, Field),
    /// Within a call of another form.
    Form(Form),
}

/// A call that has begun.
#[derive(Debug, Default)]
struct Open {
    tool: usize,
    args: Map<String, Value>,
    /// An end tag was missing.
    broken: bool,
}

/// An argument that has begun.
#[derive(Debug, Default)]
struct Field {
    name: String,
    /// Opening tags of the same name in the value so far that have no closing one, up to `counted`.
    depth: usize,
    counted: usize,
    /// The first place where the value could end if its opening tags did not count.
    fallback: Option<usize>,
}

/// What a tag opens.
enum Opened {
    Think(usize),
    /// A call with the arguments that its tag carries.
    Call(usize, Map<String, Value>),
    /// A call that is a single tag.
    Whole(usize, Map<String, Value>),
    Form(Form),
}

impl Parser {
    /// Calls of `tools` are read, under the names that other agents have for them too, and `<edit>` blocks where
    /// the tool that takes them is among them.
    pub(crate) fn new(tools: &[ToolSpec]) -> Parser {
        Parser { tools: names::known(tools), ..Parser::default() }
    }

    /// Takes the next piece.
    pub(crate) fn feed(&mut self, piece: &str, on: &mut On<'_>) {
        self.held += piece;
        while self.step(false, on) {}
    }

    /// Ends the text; a call that is not finished is kept as it was written.
    pub(crate) fn end(&mut self, on: &mut On<'_>) {
        while self.step(true, on) {}
        match std::mem::take(&mut self.state) {
            State::Text | State::Think(_) => {}
            State::Call(open) | State::Value(open, _) => self.finish(Open { broken: true, ..open }),
            State::Form(form) => {
                self.form(&form, true);
            }
        }
    }

    /// The calls, in order.
    pub(crate) fn into_calls(self) -> Vec<RawCall> {
        self.calls
    }

    /// Takes one step; false when more must come first. With `last` set nothing more comes.
    fn step(&mut self, last: bool, on: &mut On<'_>) -> bool {
        if self.held.is_empty() {
            return false;
        }
        match std::mem::take(&mut self.state) {
            State::Text => self.text(last, on),
            State::Think(tag) => self.think(tag, last, on),
            State::Call(open) => self.call(open, last),
            State::Value(open, field) => self.value(open, field, last),
            State::Form(form) => {
                let closed = self.form(&form, last);
                if !closed {
                    self.state = State::Form(form);
                }
                closed
            }
        }
    }

    /// Reads a call of another form; false when more must come first.
    fn form(&mut self, form: &Form, last: bool) -> bool {
        let tools = &self.tools;
        let schema =
            |name: &str| tools.iter().find(|it| it.name == name).map(|it| it.schema.clone()).unwrap_or_default();
        let Some((calls, length)) = forms::close(form, &self.held, &mut self.seen, last, schema) else { return false };
        self.calls.extend(calls);
        self.held.drain(..length);
        self.seen = 0;
        self.in_line = false;
        true
    }

    /// Takes the first bytes of what is held; they belong to the call that is being read.
    fn take(&mut self, bytes: usize) {
        self.raw.extend(self.held.drain(..bytes));
    }

    fn text(&mut self, last: bool, on: &mut On<'_>) -> bool {
        let at = self.held.find('<').unwrap_or(self.held.len());
        let text: String = self.held.drain(..at).collect();
        self.show(&text, on);
        if self.held.is_empty() {
            return false;
        }
        let opening = if self.fence.is_open() { Found::No } else { self.opening(last) };
        match opening {
            Found::Perhaps => return false,
            Found::No => {
                self.held.drain(..1);
                self.show("<", on);
            }
            Found::Yes((opened, length)) => {
                self.held.drain(..length);
                self.gap.clear();
                self.raw.clear();
                self.seen = 0;
                match opened {
                    Opened::Think(tag) => self.state = State::Think(tag),
                    Opened::Call(tool, args) => self.state = State::Call(Open { tool, args, broken: false }),
                    Opened::Whole(tool, args) => self.finish(Open { tool, args, broken: false }),
                    Opened::Form(form) => self.state = State::Form(form),
                }
            }
        }
        true
    }

    /// Shows text, holding blank space back until more text follows.
    fn show(&mut self, text: &str, on: &mut On<'_>) {
        self.fence.feed(text);
        // Blank space before the first word is nothing.
        let text = if self.begun { text } else { text.trim_start() };
        let body = text.trim_end();
        if !body.is_empty() {
            let shown = std::mem::take(&mut self.gap) + body;
            on(Piece::Text(&shown));
            self.in_line = true;
            self.begun = true;
        }
        let blank = &text[body.len()..];
        self.gap += blank;
        self.in_line &= !blank.contains('\n');
    }

    /// What the tag at the beginning of `held` opens, and its length.
    fn opening(&self, last: bool) -> Found<(Opened, usize)> {
        let mut perhaps = false;
        for at in 0..self.tools.len() {
            match self.opens(at, last) {
                Found::Perhaps => perhaps = true,
                Found::No => {}
                yes => return yes,
            }
        }
        match forms::opening(&self.held, !self.calls.is_empty()) {
            Found::Yes((form, length)) => return Found::Yes((Opened::Form(form), length)),
            Found::Perhaps => perhaps = true,
            Found::No => {}
        }
        // A tool of the same name comes first, and a tag in the middle of a line is spoken of.
        let thoughts = if perhaps || self.in_line { 0 } else { THINK.len() };
        for (at, name) in THINK.iter().enumerate().take(thoughts) {
            match begins(&self.held, &format!("<{name}>")) {
                Found::Yes(length) => return Found::Yes((Opened::Think(at), length)),
                Found::Perhaps => perhaps = true,
                Found::No => {}
            }
        }
        if perhaps && !last { Found::Perhaps } else { Found::No }
    }

    /// A tool's tag opens a call only where an argument or the end of the call follows, so that prose about a tool is none.
    fn opens(&self, at: usize, last: bool) -> Found<(Opened, usize)> {
        let tool = &self.tools[at];
        let name = &tool.name;
        // Most tags are no tool's, which their first letter tells.
        if self.held.as_bytes().get(1).is_some_and(|it| Some(it) != name.as_bytes().first()) {
            return Found::No;
        }
        let mut perhaps = false;
        for empty in [format!("<{name}/>"), format!("<{name} />")] {
            match begins(&self.held, &empty) {
                Found::Yes(length) => return Found::Yes((Opened::Whole(at, Map::new()), length)),
                Found::Perhaps => perhaps = true,
                Found::No => {}
            }
        }
        let length = match begins(&self.held, &format!("<{name}>")) {
            Found::Yes(length) => length,
            Found::No
                if self.held[1..].starts_with(name) && self.held[1 + name.len()..].starts_with(char::is_whitespace) =>
            {
                return self.with_attributes(at, last);
            }
            Found::No if !perhaps => return Found::No,
            _ => return Found::Perhaps,
        };
        let behind = self.held[length..].trim_start();
        if behind.is_empty() {
            let needs_nothing = tool.schema.is_object() && tool.schema["required"].as_array().is_none_or(Vec::is_empty);
            return match last {
                false => Found::Perhaps,
                true if needs_nothing => Found::Yes((Opened::Whole(at, Map::new()), length)),
                true => Found::No,
            };
        }
        // A name of another agent may be a word of any markup; its arguments are known too.
        let argument = match tag(behind) {
            Found::Yes((arg, _)) if tool.schema.is_null() && !tool.args.iter().any(|it| it == arg) => Found::No,
            found => found,
        };
        match (begins(behind, &format!("</{name}>")), argument) {
            (Found::Yes(_), _) if tool.schema.is_null() => Found::No,
            (Found::Yes(_), _) | (_, Found::Yes(_)) => Found::Yes((Opened::Call(at, Map::new()), length)),
            (Found::Perhaps, _) | (_, Found::Perhaps) => Found::Perhaps,
            _ => Found::No,
        }
    }

    /// A tool's tag that carries arguments itself.
    fn with_attributes(&self, at: usize, last: bool) -> Found<(Opened, usize)> {
        let begin = 1 + self.tools[at].name.len();
        match forms::attributes(&self.held[begin..], &self.tools[at].schema) {
            Found::Yes((args, true, length)) => Found::Yes((Opened::Whole(at, args), begin + length)),
            Found::Yes((args, false, length)) => Found::Yes((Opened::Call(at, args), begin + length)),
            Found::Perhaps if !last => Found::Perhaps,
            _ => Found::No,
        }
    }

    fn think(&mut self, tag: usize, last: bool, on: &mut On<'_>) -> bool {
        let close = format!("</{}>", THINK[tag]);
        if let Some(at) = self.held.find(&close) {
            if at > 0 {
                on(Piece::Thinking(&self.held[..at]));
            }
            self.held.drain(..at + close.len());
            return true;
        }
        let sure = if last { self.held.len() } else { self.held.len() - half_tag(&self.held, &close) };
        if sure > 0 {
            on(Piece::Thinking(&self.held[..sure]));
            self.held.drain(..sure);
        }
        self.state = State::Think(tag);
        false
    }

    /// Between two arguments: the next one, the end of the call, or the beginning of another call.
    fn call(&mut self, open: Open, last: bool) -> bool {
        let blank = self.held.len() - self.held.trim_start().len();
        self.take(blank);
        let end = begins(&self.held, &format!("</{}>", self.tools[open.tool].name));
        if let Found::Yes(length) = end {
            self.take(length);
            self.finish(open);
            return true;
        }
        match tag(&self.held) {
            Found::Yes((name, _)) if self.is_tool(name) && !self.tools[open.tool].args.iter().any(|it| it == name) => {
                self.finish(Open { broken: true, ..open });
                return true;
            }
            Found::Yes((name, length)) => {
                let field = Field { name: name.to_string(), ..Field::default() };
                self.take(length);
                self.seen = 0;
                self.state = State::Value(open, field);
                return true;
            }
            found if !last && (matches!(found, Found::Perhaps) || matches!(end, Found::Perhaps)) => {
                self.state = State::Call(open);
                return false;
            }
            _ => {}
        }
        // Stray text between arguments means nothing.
        let next = self.held.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(self.held.len(), |(at, _)| at);
        self.take(next);
        self.state = State::Call(open);
        !self.held.is_empty()
    }

    /// Within an argument: looks for its end from where the last look ended.
    fn value(&mut self, mut open: Open, mut field: Field, last: bool) -> bool {
        let own = format!("</{}>", field.name);
        let outer = format!("</{}>", self.tools[open.tool].name);
        while let Some(at) = self.held[self.seen..].find("</").map(|at| at + self.seen) {
            let rest = &self.held[at..];
            let found = match (begins(rest, &own), begins(rest, &outer)) {
                (Found::Yes(length), _) => self.own_end(&open, &mut field, at, length, last),
                (_, Found::Yes(length)) => self.another_call(&rest[length..], last).at(at),
                (Found::No, Found::No) => Found::No,
                _ if last => Found::No,
                _ => Found::Perhaps,
            };
            match found {
                Found::Yes(at) => {
                    // The end of the call is read once more by `call`.
                    let is_own = self.held[at..].starts_with(&own);
                    open.broken |= !is_own;
                    self.put(&mut open, &field.name, at);
                    self.take(if is_own { at + own.len() } else { at });
                    self.state = State::Call(open);
                    self.seen = 0;
                    return true;
                }
                Found::Perhaps => {
                    self.seen = at;
                    self.state = State::Value(open, field);
                    return false;
                }
                Found::No => self.seen = at + 2,
            }
        }
        self.seen = self.seen.max(self.held.len() - usize::from(self.held.ends_with('<')));
        if !last {
            self.state = State::Value(open, field);
            return false;
        }
        self.unclosed(open, &field, &own, &outer);
        true
    }

    /// Whether the value ends with the closing tag of its own at `at`, and where.
    fn own_end(&self, open: &Open, field: &mut Field, at: usize, length: usize, last: bool) -> Found<usize> {
        let goes_on = self.follows(open.tool, at, &self.held[at + length..], last);
        if matches!(goes_on, Found::Perhaps) {
            return Found::Perhaps;
        }
        let value = self.held[..at].trim();
        if value.starts_with("<![CDATA[") && !value.ends_with("]]>") {
            return Found::No;
        }
        field.depth += self.held[field.counted..at].matches(&format!("<{}>", field.name)).count();
        field.counted = at;
        match goes_on {
            Found::Yes(()) if field.depth == 0 => return Found::Yes(at),
            Found::Yes(()) => field.fallback = field.fallback.or(Some(at)),
            _ => {}
        }
        field.depth = field.depth.saturating_sub(1);
        Found::No
    }

    /// At the end of the text nothing closed the argument as it should: the first tag that could have does.
    fn unclosed(&mut self, mut open: Open, field: &Field, own: &str, outer: &str) {
        if let Some(at) = field.fallback {
            self.put(&mut open, &field.name, at);
            self.take(at + own.len());
            self.state = State::Call(open);
            self.seen = 0;
            return;
        }
        let own = self.held.find(own).map(|at| at + own.len());
        let outer = self.held.find(outer).map(|at| at + outer.len());
        self.take(own.or(outer).unwrap_or(self.held.len()));
        self.finish(Open { broken: true, ..open });
        self.seen = 0;
    }

    /// Whether the call goes on behind a closing tag: with its end, an argument, or another call.
    fn follows(&self, tool: usize, value_end: usize, behind: &str, last: bool) -> Found<()> {
        let behind = behind.trim_start();
        if behind.is_empty() {
            return if last { Found::Yes(()) } else { Found::Perhaps };
        }
        let end = begins(behind, &format!("</{}>", self.tools[tool].name));
        match (end, tag(behind)) {
            (Found::Yes(_), _) => Found::Yes(()),
            (_, Found::Yes((name, _))) => {
                let known = self.is_tool(name) || self.tools[tool].args.iter().any(|it| it == name);
                // An argument that the tool does not know may follow a short value; in a long one it is more likely code.
                let short = !self.held[..value_end].trim().contains('\n');
                if known || short { Found::Yes(()) } else { Found::No }
            }
            (Found::Perhaps, _) | (_, Found::Perhaps) if !last => Found::Perhaps,
            _ => Found::No,
        }
    }

    /// Whether another call or the end of the text follows.
    fn another_call(&self, behind: &str, last: bool) -> Found<()> {
        let behind = behind.trim_start();
        match tag(behind) {
            _ if behind.is_empty() && last => Found::Yes(()),
            _ if behind.is_empty() => Found::Perhaps,
            Found::Yes((name, _)) if self.is_tool(name) => Found::Yes(()),
            Found::Perhaps if !last => Found::Perhaps,
            _ => Found::No,
        }
    }

    fn is_tool(&self, name: &str) -> bool {
        self.tools.iter().any(|it| it.name == name)
    }

    /// Takes `held[..end]` as the argument `name`.
    fn put(&mut self, open: &mut Open, name: &str, end: usize) {
        let known = &self.tools[open.tool];
        let Some(edits) = known.block_of.clone() else {
            return value::put(&mut open.args, &known.schema, name, &self.held[..end]);
        };
        let name = EDIT_TAGS.iter().find(|(tag, _)| *tag == name).map_or(name, |(_, arg)| arg);
        if open.args.contains_key(name) {
            // A second pair in the same block is a second edit of the same file.
            let path = open.args.get("path").cloned();
            let args = Value::Object(std::mem::take(&mut open.args)).to_string();
            self.calls.push(RawCall { name: edits, args });
            open.args.extend(path.filter(|_| name != "path").map(|path| ("path".to_string(), path)));
        }
        value::put(&mut open.args, &Value::Null, name, &self.held[..end]);
    }

    fn finish(&mut self, open: Open) {
        let known = &self.tools[open.tool];
        let name = known.block_of.as_ref().unwrap_or(&known.name);
        let raw = std::mem::take(&mut self.raw);
        let args = if open.broken { in_tags(&raw) } else { Value::Object(open.args).to_string() };
        self.calls.push(RawCall { name: name.to_string(), args });
        self.in_line = false;
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
