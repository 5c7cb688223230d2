//! Reads calls from a streamed text. What comes of it is the same however the text is cut.
//!
//! The end of a value is the first closing tag of its own name behind which the call goes on or ends; a closing tag in the
//! middle of other text is part of the value. Missing end tags are forgiven at the next call and at the end of the text.

use ox_protocol::ToolSpec;
use serde_json::{Map, Value};

use super::value;
use crate::think::half_tag;
use crate::{Piece, RawCall};

/// Tags of reasoning that a model writes into its text.
const THINK: [&str; 2] = ["thinking", "think"];
/// A block of this name is a call of `edit_file`; beside each of its tags the argument that it stands for.
const EDIT: &str = "edit";
const EDIT_TAGS: [(&str, &str); 4] = [("file", "path"), ("search", "old"), ("replace", "new"), ("description", "why")];

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
    /// How much of `held` has been looked at in vain.
    seen: usize,
    /// Blank space that is shown only if text follows.
    gap: String,
    /// True once text has been shown.
    begun: bool,
    /// False at the beginning of a line.
    in_line: bool,
}

#[derive(Debug)]
struct Known {
    /// The tag.
    name: String,
    schema: Value,
    args: Vec<String>,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    /// Within the tag of this index of `THINK`.
    Think(usize),
    /// Within the call of this tool, between arguments.
    Call(usize, Map<String, Value>),
    /// Within an argument.
    Value(usize, Map<String, Value>, String),
}

/// What a tag opens.
enum Opened {
    Think(usize),
    Call(usize),
    /// A call that is a single tag.
    Empty(usize),
}

/// Whether `held` begins with the tag that was looked for.
enum Found<T> {
    Yes(T),
    No,
    /// More must come first.
    Perhaps,
}

impl Parser {
    /// Calls of `tools` are read; `<edit>` blocks too where `edit_file` is among them.
    pub fn new(tools: &[ToolSpec]) -> Parser {
        let args = |schema: &Value| {
            schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let known = |it: &ToolSpec| Known { name: it.name.clone(), args: args(&it.schema), schema: it.schema.clone() };
        let mut tools: Vec<Known> = tools.iter().map(known).collect();
        let named = |name: &str| tools.iter().any(|it| it.name == name);
        if named("edit_file") && !named(EDIT) {
            let args = EDIT_TAGS.iter().map(|(tag, _)| tag.to_string()).collect();
            tools.push(Known { name: EDIT.to_string(), schema: Value::Null, args });
        }
        Parser { tools, ..Parser::default() }
    }

    /// Takes the next piece.
    pub fn feed(&mut self, piece: &str, on: &mut On<'_>) {
        self.held += piece;
        while self.step(false, on) {}
    }

    /// Ends the text; an unfinished call counts as finished.
    pub fn end(&mut self, on: &mut On<'_>) {
        while self.step(true, on) {}
        match std::mem::take(&mut self.state) {
            State::Text | State::Think(_) => {}
            State::Call(tool, args) => self.finish(tool, args),
            State::Value(tool, mut args, name) => {
                self.put(tool, &mut args, &name, 0);
                self.finish(tool, args);
            }
        }
    }

    /// The calls, in order.
    pub fn into_calls(self) -> Vec<RawCall> {
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
            State::Call(tool, args) => self.call(tool, args, last),
            State::Value(tool, args, name) => self.value(tool, args, name, last),
        }
    }

    fn text(&mut self, last: bool, on: &mut On<'_>) -> bool {
        let at = self.held.find('<').unwrap_or(self.held.len());
        let text: String = self.held.drain(..at).collect();
        self.show(&text, on);
        if self.held.is_empty() {
            return false;
        }
        match self.opening(last) {
            Found::Perhaps => return false,
            Found::No => {
                self.held.drain(..1);
                self.show("<", on);
            }
            Found::Yes((opened, length)) => {
                self.held.drain(..length);
                self.gap.clear();
                self.seen = 0;
                match opened {
                    Opened::Think(tag) => self.state = State::Think(tag),
                    Opened::Call(tool) => self.state = State::Call(tool, Map::new()),
                    Opened::Empty(tool) => self.finish(tool, Map::new()),
                }
            }
        }
        true
    }

    /// Shows text, holding blank space back until more text follows.
    fn show(&mut self, text: &str, on: &mut On<'_>) {
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
        let mut perhaps = false;
        for empty in [format!("<{name}/>"), format!("<{name} />")] {
            match begins(&self.held, &empty) {
                Found::Yes(length) => return Found::Yes((Opened::Empty(at), length)),
                Found::Perhaps => perhaps = true,
                Found::No => {}
            }
        }
        let length = match begins(&self.held, &format!("<{name}>")) {
            Found::Yes(length) => length,
            Found::No if !perhaps => return Found::No,
            _ => return Found::Perhaps,
        };
        let behind = self.held[length..].trim_start();
        if behind.is_empty() {
            let needs_nothing = tool.name != EDIT && tool.schema["required"].as_array().is_none_or(Vec::is_empty);
            return match last {
                false => Found::Perhaps,
                true if needs_nothing => Found::Yes((Opened::Empty(at), length)),
                true => Found::No,
            };
        }
        match (begins(behind, &format!("</{name}>")), tag(behind)) {
            (Found::Yes(_), _) | (_, Found::Yes(_)) => Found::Yes((Opened::Call(at), length)),
            (Found::Perhaps, _) | (_, Found::Perhaps) => Found::Perhaps,
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
    fn call(&mut self, tool: usize, args: Map<String, Value>, last: bool) -> bool {
        let blank = self.held.len() - self.held.trim_start().len();
        self.held.drain(..blank);
        let end = begins(&self.held, &format!("</{}>", self.tools[tool].name));
        if let Found::Yes(length) = end {
            self.held.drain(..length);
            self.finish(tool, args);
            return true;
        }
        match tag(&self.held) {
            Found::Yes((name, _)) if self.is_tool(name) && !self.tools[tool].args.iter().any(|it| it == name) => {
                self.finish(tool, args);
                return true;
            }
            Found::Yes((name, length)) => {
                let name = name.to_string();
                self.held.drain(..length);
                self.seen = 0;
                self.state = State::Value(tool, args, name);
                return true;
            }
            Found::Perhaps if !last => {
                self.state = State::Call(tool, args);
                return false;
            }
            _ if matches!(end, Found::Perhaps) && !last => {
                self.state = State::Call(tool, args);
                return false;
            }
            _ => {}
        }
        // Stray text between arguments means nothing.
        let next = self.held.char_indices().skip(1).find(|(_, c)| *c == '<').map_or(self.held.len(), |(at, _)| at);
        self.held.drain(..next);
        self.state = State::Call(tool, args);
        !self.held.is_empty()
    }

    /// Within an argument: looks for its end from where the last look ended.
    fn value(&mut self, tool: usize, mut args: Map<String, Value>, name: String, last: bool) -> bool {
        let own = format!("</{name}>");
        let outer = format!("</{}>", self.tools[tool].name);
        while let Some(at) = self.held[self.seen..].find("</").map(|at| at + self.seen) {
            let rest = &self.held[at..];
            let (length, goes_on) = match (begins(rest, &own), begins(rest, &outer)) {
                (Found::Yes(length), _) => (length, self.follows(tool, at, &rest[length..], last)),
                (_, Found::Yes(length)) => (length, self.another_call(&rest[length..], last)),
                (Found::No, Found::No) => (0, Found::No),
                _ if last => (0, Found::No),
                _ => (0, Found::Perhaps),
            };
            match goes_on {
                Found::Yes(()) => {
                    // The end of the call is read once more by `call`.
                    let is_own = rest.starts_with(&own);
                    self.put(tool, &mut args, &name, at);
                    self.held.drain(..if is_own { at + length } else { at });
                    self.state = State::Call(tool, args);
                    self.seen = 0;
                    return true;
                }
                Found::Perhaps => {
                    self.seen = at;
                    self.state = State::Value(tool, args, name);
                    return false;
                }
                Found::No => self.seen = at + 2,
            }
        }
        self.seen = self.seen.max(self.held.len() - usize::from(self.held.ends_with('<')));
        if !last {
            self.state = State::Value(tool, args, name);
            return false;
        }
        self.unclosed(tool, args, &name, &own, &outer);
        true
    }

    /// At the end of the text nothing closed the argument as it should: the first tag that could have does.
    fn unclosed(&mut self, tool: usize, mut args: Map<String, Value>, name: &str, own: &str, outer: &str) {
        let own = self.held.find(own).map(|at| (at, at + own.len()));
        let outer = self.held.find(outer).map(|at| (at, at + outer.len()));
        let (at, behind) = own.or(outer).unwrap_or((self.held.len(), self.held.len()));
        self.put(tool, &mut args, name, at);
        self.held.drain(..behind);
        self.finish(tool, args);
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
    fn put(&mut self, tool: usize, args: &mut Map<String, Value>, name: &str, end: usize) {
        let known = &self.tools[tool];
        if known.name != EDIT || known.schema != Value::Null {
            return value::put(args, &known.schema, name, &self.held[..end]);
        }
        let name = EDIT_TAGS.iter().find(|(tag, _)| *tag == name).map_or(name, |(_, arg)| arg);
        if args.contains_key(name) {
            // A second pair in the same block is a second edit of the same file.
            let path = args.get("path").cloned();
            self.calls
                .push(RawCall { name: "edit_file".to_string(), args: Value::Object(std::mem::take(args)).to_string() });
            args.extend(path.filter(|_| name != "path").map(|path| ("path".to_string(), path)));
        }
        value::put(args, &Value::Null, name, &self.held[..end]);
    }

    fn finish(&mut self, tool: usize, args: Map<String, Value>) {
        let known = &self.tools[tool];
        let name = if known.name == EDIT && known.schema == Value::Null { "edit_file" } else { &known.name };
        self.calls.push(RawCall { name: name.to_string(), args: Value::Object(args).to_string() });
        self.in_line = false;
    }
}

/// Whether `text` begins with `tag`, as far as it goes.
fn begins(text: &str, tag: &str) -> Found<usize> {
    if text.starts_with(tag) {
        Found::Yes(tag.len())
    } else if tag.starts_with(text) {
        Found::Perhaps
    } else {
        Found::No
    }
}

/// The opening tag at the beginning of `text`: its name and its length.
fn tag(text: &str) -> Found<(&str, usize)> {
    let Some(inner) = text.strip_prefix('<') else {
        return if text.is_empty() { Found::Perhaps } else { Found::No };
    };
    let length = inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-')).unwrap_or(inner.len());
    let name = &inner[..length];
    match inner[length..].chars().next() {
        _ if name.len() > 64 || name.starts_with(|c: char| !c.is_ascii_alphabetic()) => Found::No,
        None => Found::Perhaps,
        Some('>') if !name.is_empty() => Found::Yes((name, length + 2)),
        Some(_) => Found::No,
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
