//! Reads a cassette. Every error names its line.

use std::sync::Arc;

use ox_protocol::{CallId, Failure, Image, Message, Part, Role, ToolSpec};
use serde_json::Value;

use super::{ReplyHead, RequestHead, Run, looks_like_name, name};
use crate::cassette::{Asked, Entry, Head, Heard, Recorded, cut_anew};
use crate::{RawCall, Reply};

/// The head and the entries of a cassette without its first line.
pub(in crate::cassette) fn read(text: &str) -> Result<(Head, Vec<Entry>), String> {
    let mut reader = Reader::default();
    let mut sections = sections(text)?.into_iter();
    // The first line counts in what an error says.
    let head = format!("\n{}", sections.next().map(|it| it.body).unwrap_or_default());
    let head = serde_json::from_str(&head).map_err(|error| format!("its head is not JSON that Ox knows: {error}"))?;
    for section in sections {
        let line = section.line;
        reader.take(section).map_err(|why| format!("line {line}: {why}"))?;
    }
    reader.end()?;
    Ok((head, reader.entries))
}

/// A section; the first one has no name.
struct Section {
    line: usize,
    words: Vec<String>,
    body: String,
}

fn sections(text: &str) -> Result<Vec<Section>, String> {
    let mut all = vec![(1, "", Vec::new())];
    for (at, line) in text.split('\n').enumerate() {
        // A text with a carriage return is written as JSON, so that one here is the work of a checkout.
        let line = line.strip_suffix('\r').unwrap_or(line);
        // The line with the version is not among these.
        if let Some(name) = name(line) {
            all.push((at + 2, name, Vec::new()));
        } else if let Some((_, _, body)) = all.last_mut() {
            body.push(line.strip_prefix('\\').filter(|it| looks_like_name(it)).unwrap_or(line));
        }
    }
    // The last line break ends the file, and the empty line before each entry is there for the eye.
    let last = all.len() - 1;
    let next_is_entry: Vec<bool> =
        (0..all.len()).map(|at| at == last || all[at + 1].1.starts_with("request ")).collect();
    let section = |((line, name, mut body), before_entry): ((usize, &str, Vec<&str>), bool)| {
        if before_entry && body.last().is_some_and(|it| it.is_empty()) {
            body.pop();
        }
        let mut words = words(name).map_err(|why| format!("line {line}: {why}"))?;
        let mut body = body.join("\n");
        if words.len() > 1 && words.last().is_some_and(|it| it == "json") {
            words.pop();
            body = serde_json::from_str(&body).map_err(|error| format!("line {line}: {error}"))?;
        }
        Ok(Section { line, words, body })
    };
    all.into_iter().zip(next_is_entry).map(section).collect()
}

/// The words of a section's name; those in quotes are JSON.
fn words(name: &str) -> Result<Vec<String>, String> {
    let (mut found, mut rest) = (Vec::new(), name.trim());
    while !rest.is_empty() {
        if rest.starts_with('"') {
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            let word = stream.next().and_then(Result::ok).ok_or("a quote in the section's name is not closed")?;
            rest = rest[stream.byte_offset()..].trim_start();
            found.push(word);
        } else {
            let (word, tail) = rest.split_once(' ').unwrap_or((rest, ""));
            found.push(word.to_string());
            rest = tail.trim_start();
        }
    }
    Ok(found)
}

/// Puts entries together, section by section.
#[derive(Default)]
struct Reader {
    entries: Vec<Entry>,
    asked: Option<(usize, Asked)>,
    new: Vec<Message>,
    answer: Option<Answer>,
}

/// An answer while its sections are read.
#[derive(Default)]
struct Answer {
    done: Option<Result<Reply, Failure>>,
    runs: Vec<Run>,
    thinking: String,
    text: String,
}

impl Reader {
    fn take(&mut self, section: Section) -> Result<(), String> {
        let what = section.words.first().cloned().unwrap_or_default();
        let what = what.as_str();
        if what == "request" {
            self.end()?;
            return self.request(&section);
        }
        if self.asked.is_none() {
            return Err(format!("`{what}` stands before the first request"));
        }
        match what {
            "reply" => self.begin(reply(&section.body)?),
            "failure" => self.begin(failure(&section.body)?),
            _ => match &mut self.answer {
                Some(answer) => answer.take(what, section),
                None => self.asked_part(what, section),
            },
        }
    }

    fn begin(&mut self, answer: Answer) -> Result<(), String> {
        if self.answer.is_some() {
            return Err("this request has two answers".to_string());
        }
        self.answer = Some(answer);
        Ok(())
    }

    /// The request's number is for people: one that stands where it stands counts.
    fn request(&mut self, section: &Section) -> Result<(), String> {
        let head: RequestHead = parsed(&section.body)?;
        let mut asked = Asked { whole: true, choice: head.choice, schema: head.schema, ..Asked::default() };
        if head.of > 0 {
            let base = self.entries.get(head.of - 1).map(|it| &it.asked);
            let base = base.ok_or_else(|| format!("there is no request {} before this one", head.of))?;
            if head.keeps > base.messages.len() {
                return Err(format!("request {} has only {} messages to keep", head.of, base.messages.len()));
            }
            asked.system = base.system.clone();
            asked.tools = base.tools.clone();
            asked.messages = base.messages[..head.keeps].to_vec();
        }
        self.asked = Some((section.line, asked));
        Ok(())
    }

    fn asked_part(&mut self, what: &str, section: Section) -> Result<(), String> {
        let Some((_, asked)) = &mut self.asked else { return Ok(()) };
        let role = match what {
            "system" => {
                asked.system = section.body.into();
                return Ok(());
            }
            "tools" => {
                let tool = |it: &str| serde_json::from_str::<ToolSpec>(it).map_err(|error| error.to_string());
                let lines = section.body.lines().filter(|it| !it.trim().is_empty());
                asked.tools = lines.map(tool).collect::<Result<Vec<_>, _>>()?.into();
                return Ok(());
            }
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            _ => return self.part(what, section),
        };
        let text = (!section.body.is_empty()).then(|| Part::text(section.body));
        self.new.push(Message { role, parts: text.into_iter().collect() });
        Ok(())
    }

    fn part(&mut self, what: &str, section: Section) -> Result<(), String> {
        let message = self.new.last_mut().ok_or_else(|| format!("`{what}` belongs to no message"))?;
        let word = |at: usize| section.words.get(at).cloned().unwrap_or_default();
        let part = match what {
            "text" => Part::text(section.body),
            "reasoning" => Part::Reasoning { reasoning: parsed(&section.body)? },
            "image" => Part::Image { image: image(&section) },
            "call" => Part::Call { name: word(1), id: CallId(word(2)), args: parsed(&section.body)? },
            "result" => {
                let ok = word(3) != "failed";
                Part::Result { name: word(1), id: CallId(word(2)), ok, text: section.body, images: Vec::new() }
            }
            "result_image" => {
                let Some(Part::Result { images, .. }) = message.parts.last_mut() else {
                    return Err("the image belongs to no result".to_string());
                };
                images.push(image(&section));
                return Ok(());
            }
            _ => return Err(format!("there is no section `{what}` in a request")),
        };
        message.parts.push(part);
        Ok(())
    }

    /// Closes the entry that was begun.
    fn end(&mut self) -> Result<(), String> {
        let Some((line, mut asked)) = self.asked.take() else { return Ok(()) };
        asked.messages.extend(self.new.drain(..).map(Arc::new));
        let answer = self.answer.take().ok_or_else(|| format!("line {line}: this request has no answer"))?;
        let heard = answer.heard().ok_or_else(|| format!("line {line}: this request has no answer"))?;
        self.entries.push(Entry { asked, heard, line });
        Ok(())
    }
}

fn parsed<T: serde::de::DeserializeOwned>(body: &str) -> Result<T, String> {
    serde_json::from_str(body).map_err(|error| format!("this is not the JSON that belongs here: {error}"))
}

fn image(section: &Section) -> Image {
    let word = |at: usize| section.words.get(at).cloned().unwrap_or_default();
    let data = section.body.chars().filter(|it| !it.is_whitespace()).collect();
    Image { media_type: word(1), name: word(2), data }
}

fn reply(body: &str) -> Result<Answer, String> {
    let head: ReplyHead = parsed(body)?;
    let reply = Reply { finish: head.finish, usage: head.usage, ..Reply::default() };
    Ok(Answer { done: Some(Ok(reply)), runs: head.pieces, ..Answer::default() })
}

fn failure(body: &str) -> Result<Answer, String> {
    let mut value: Value = parsed(body)?;
    let pieces = value.as_object_mut().and_then(|it| it.remove("pieces"));
    let runs = pieces.map_or(Ok(Vec::new()), serde_json::from_value).map_err(|error| error.to_string())?;
    let failure: Failure = serde_json::from_value(value).map_err(|error| error.to_string())?;
    Ok(Answer { done: Some(Err(failure)), runs, ..Answer::default() })
}

impl Answer {
    fn take(&mut self, what: &str, section: Section) -> Result<(), String> {
        match (what, &mut self.done) {
            ("text", _) => self.text = section.body,
            ("thinking", _) => self.thinking = section.body,
            ("reasoning", Some(Ok(reply))) => reply.reasoning.push(parsed(&section.body)?),
            ("call", Some(Ok(reply))) => {
                let name = section.words.get(1).cloned().ok_or("the call has no name")?;
                reply.calls.push(RawCall { name, args: section.body });
            }
            ("image", Some(Ok(reply))) => reply.images.push(image(&section)),
            _ => return Err(format!("there is no section `{what}` in this answer")),
        }
        Ok(())
    }

    fn heard(self) -> Option<Heard> {
        let pieces =
            cut(&self.runs, &self.thinking, &self.text).unwrap_or_else(|| cut_anew(&self.thinking, &self.text));
        let done = match self.done? {
            Ok(reply) => Ok(Reply { text: self.text, ..reply }),
            Err(failure) => Err(Failure { partial: self.text, ..failure }),
        };
        Some(Heard { pieces, done })
    }
}

/// The texts in the lengths in which they arrived; none where the lengths are not theirs.
fn cut(runs: &[Run], thinking: &str, text: &str) -> Option<Vec<Recorded>> {
    let (mut thinking, mut text) = (thinking, text);
    let mut pieces = Vec::new();
    let next = |rest: &mut &str, length: usize| {
        let (piece, tail) = rest.split_at_checked(length)?;
        *rest = tail;
        Some(piece.to_string())
    };
    for run in runs {
        match run {
            Run::Text(all) => {
                for length in all {
                    pieces.push(Recorded::Text(next(&mut text, *length)?));
                }
            }
            Run::Thinking(all) => {
                for length in all {
                    pieces.push(Recorded::Thinking(next(&mut thinking, *length)?));
                }
            }
        }
    }
    (text.is_empty() && thinking.is_empty()).then_some(pieces)
}
