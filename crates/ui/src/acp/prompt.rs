//! A prompt of a client: text, pictures, links and embedded files as what Ox takes; or one of the commands behind a slash.
//!
//! Promise: pure, and what cannot be taken is said, never left out in silence.

use std::path::Path;

use agent_client_protocol::v1::schema::{ContentBlock, EmbeddedResourceResource};
use ox_protocol::locale::Language;
use ox_protocol::{Command, Image, Plan, Problem};
use url::Url;

use crate::commands::{Typed, typed};
use crate::composer::Item;

/// What is asked.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Asked {
    /// A turn.
    Prompt { text: String, images: Vec<Image> },
    /// Something between two turns, or a turn that goes on.
    Command(Command),
    /// Nothing that could be done; the words say why.
    Refused(String),
}

/// Reads a prompt for the project at `root`.
pub(super) fn read(
    blocks: &[ContentBlock],
    root: &Path,
    language: Language,
    custom: &[Item],
) -> Result<Asked, Problem> {
    let (mut text, mut after, mut images) = (String::new(), String::new(), Vec::new());
    for block in blocks {
        match block {
            ContentBlock::Text(it) => text.push_str(&it.text),
            ContentBlock::Image(it) => images.push(image(&it.mime_type, &it.data, it.uri.as_deref())?),
            ContentBlock::ResourceLink(it) => text.push_str(&mention(&it.uri, root)),
            ContentBlock::Resource(it) => match &it.resource {
                EmbeddedResourceResource::TextResourceContents(it) => {
                    let mention = mention(&it.uri, root);
                    let name = mention.strip_prefix('@').unwrap_or(&mention);
                    text.push_str(&mention);
                    after.push_str(&format!("\n\n<file path=\"{name}\">\n{}\n</file>", it.text.trim_end()));
                }
                EmbeddedResourceResource::BlobResourceContents(it) => {
                    let kind = it.mime_type.as_deref().unwrap_or("application/octet-stream");
                    images.push(image(kind, &it.blob, Some(&it.uri))?);
                }
                _ => return Err(unreadable("resource")),
            },
            ContentBlock::Audio(_) => return Err(unreadable("audio")),
            _ => return Err(unreadable("content")),
        }
    }
    if text.trim().is_empty() && images.is_empty() {
        return Err(Problem::new("acp.empty"));
    }
    if images.is_empty() && after.is_empty() && text.trim_start().starts_with('/') {
        return Ok(command(&text, language, custom));
    }
    Ok(Asked::Prompt { text: text + &after, images })
}

fn unreadable(kind: &str) -> Problem {
    Problem::new("acp.content").with("kind", kind)
}

/// A picture, or a document that is sent like one.
fn image(kind: &str, data: &str, uri: Option<&str>) -> Result<Image, Problem> {
    const TAKEN: [&str; 5] = ["image/png", "image/jpeg", "image/gif", "image/webp", "application/pdf"];
    if !TAKEN.contains(&kind) {
        return Err(unreadable(kind));
    }
    let data = data.split_ascii_whitespace().collect();
    Ok(Image { media_type: kind.to_owned(), data, name: uri.unwrap_or_default().to_owned() })
}

/// A link as a prompt mentions it: `@src/a.rs`, with lines `@src/a.rs:10-20`; what is no file stays as it is.
fn mention(uri: &str, root: &Path) -> String {
    let url = Url::parse(uri).ok();
    let Some((url, path)) = url.and_then(|it| it.to_file_path().ok().map(|path| (it, path))) else {
        return uri.to_owned();
    };
    let path = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    // Editors write `#L10:20`, `#L10-L20` or `#L10`.
    let lines = url.fragment().and_then(|it| it.strip_prefix('L')).map(|it| it.replace([':', 'L'], "-"));
    let lines = lines.map(|it| format!(":{}", it.replace("--", "-"))).unwrap_or_default();
    format!("@{path}{lines}")
}

/// What a line behind a slash means.
fn command(text: &str, language: Language, custom: &[Item]) -> Asked {
    let say = |key: &str, name: &str| Asked::Refused(language.say(key, &[("name", name)]));
    let name = text.split_whitespace().next().unwrap_or_default();
    Asked::Command(match typed(text, custom) {
        Typed::Prompt(text) => return Asked::Prompt { text, images: Vec::new() },
        Typed::Mode(Some(mode)) => Command::SetMode { mode },
        Typed::Model(Some(model)) => Command::SetModel { model },
        Typed::SetEffort(effort) => Command::SetEffort { effort },
        Typed::BadEffort(name) => return say("repl.bad_effort", &name),
        Typed::Clear => Command::Clear,
        Typed::Compact => Command::Compact,
        Typed::Continue => Command::Continue,
        Typed::PlanComment(step, text) => Command::CommentPlan { step, text },
        Typed::PlanAnswer(question, text) => Command::AnswerPlan { question, text },
        Typed::PlanDrop => Command::SetPlan { plan: Plan::default() },
        Typed::Add(files) => Command::AddFiles { files },
        Typed::Drop(files) => Command::DropFiles { files },
        Typed::Exclude(globs) => Command::Exclude { globs },
        Typed::Include(globs) => Command::Include { globs },
        Typed::Undo(over) => Command::Undo { over },
        Typed::Redo => Command::Redo,
        Typed::Rewind(Some(turn), what, over) => Command::Rewind { turn, what, over },
        Typed::BadMode(name) => return say("repl.bad_mode", &name),
        Typed::BadTurn(name) => return say("repl.bad_turn", &name),
        Typed::BadOver(name) => return say("repl.bad_over", &name),
        Typed::BadPlan => return say("repl.bad_plan", ""),
        _ => return say("acp.no_command", name),
    })
}

#[cfg(test)]
mod tests {
    use agent_client_protocol::v1::schema::{EmbeddedResource, ResourceLink, TextResourceContents};
    use ox_protocol::{Mode, Over};

    use super::*;

    fn asked(blocks: &[ContentBlock]) -> Result<Asked, Problem> {
        read(blocks, Path::new("/p"), Language::En, &[])
    }

    #[test]
    fn links_are_mentions_and_embedded_files_are_sections() {
        let embedded = EmbeddedResourceResource::TextResourceContents(TextResourceContents::new(
            "fn main() {}\n",
            "file:///p/src/a%20b.rs",
        ));
        let blocks = [
            ContentBlock::from("Look at "),
            ContentBlock::ResourceLink(ResourceLink::new("x", "file:///p/src/x.rs#L10:20")),
            ContentBlock::from(" and "),
            ContentBlock::Resource(EmbeddedResource::new(embedded)),
            ContentBlock::from(" and "),
            ContentBlock::ResourceLink(ResourceLink::new("y", "https://example.com/y")),
        ];
        let text = "Look at @src/x.rs:10-20 and @src/a b.rs and https://example.com/y\n\n\
                    <file path=\"src/a b.rs\">\nfn main() {}\n</file>";
        assert_eq!(asked(&blocks), Ok(Asked::Prompt { text: text.to_owned(), images: Vec::new() }));
    }

    #[test]
    fn commands_are_done_and_paths_are_not_commands() {
        let of = |text: &str| asked(&[ContentBlock::from(text)]).unwrap();
        assert_eq!(of("/undo force"), Asked::Command(Command::Undo { over: Over::Force }));
        assert_eq!(of("/mode plan"), Asked::Command(Command::SetMode { mode: Mode::Plan }));
        assert!(matches!(of("/etc/hosts is wrong"), Asked::Prompt { .. }));
        assert!(matches!(of("/sessions"), Asked::Refused(why) if why.contains("/sessions")));
        assert!(matches!(of("/nope"), Asked::Refused(why) if why.contains("/nope")));
    }

    #[test]
    fn what_cannot_be_taken_is_said() {
        assert_eq!(asked(&[ContentBlock::from("  ")]).unwrap_err().code, "acp.empty");
        assert_eq!(image("image/bmp", "", None).unwrap_err().args["kind"], "image/bmp");
        assert_eq!(image("image/png", "QUJ\nD", None).unwrap().data, "QUJD");
    }
}
