//! What comes back from a server, as text and pictures. All of it is data of somebody else.

use ox_protocol::Image;
use rmcp::model::{CallToolResult, ContentBlock, PromptMessage, ResourceContents};

use crate::elicit::ServerQuestion;

/// Pictures of one answer that a model sees.
const IMAGES: usize = 8;
/// Bytes in base64 of the largest of them.
const LARGEST_IMAGE: usize = 5 << 20;
/// The kinds of pictures that models see.
const KINDS: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// What a server answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// Its text.
    pub text: String,
    /// Its pictures.
    pub images: Vec<Image>,
    /// True where the server says that it could not do what it was asked.
    pub failed: bool,
    /// What it asked the user meanwhile.
    pub questions: Vec<ServerQuestion>,
}

impl Reply {
    /// The answer to a call.
    pub(crate) fn of_call(result: CallToolResult) -> Reply {
        let mut reply = Reply { failed: result.is_error.unwrap_or_default(), ..Reply::default() };
        result.content.into_iter().for_each(|it| reply.take(it));
        // The protocol asks servers to say structured content in text too; where they do not, it is all there is.
        if let Some(value) = result.structured_content.filter(|_| reply.text.is_empty() && reply.images.is_empty()) {
            reply.say(&value.to_string());
        }
        reply
    }

    /// What a resource holds.
    pub(crate) fn of_resource(contents: Vec<ResourceContents>) -> Reply {
        let mut reply = Reply::default();
        contents.into_iter().for_each(|it| reply.take_resource(it));
        reply
    }

    /// What a prompt says.
    pub(crate) fn of_prompt(messages: Vec<PromptMessage>) -> Reply {
        let mut reply = Reply::default();
        messages.into_iter().for_each(|it| reply.take(it.content));
        reply
    }

    fn take(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(it) => self.say(&it.text),
            ContentBlock::Image(it) => self.show(it.mime_type, it.data, String::new()),
            ContentBlock::Audio(it) => self.say(&format!("[sound ({}), which cannot be heard here]", it.mime_type)),
            ContentBlock::Resource(it) => self.take_resource(it.resource),
            ContentBlock::ResourceLink(it) => {
                let about = it.description.map(|it| format!(": {it}")).unwrap_or_default();
                self.say(&format!("[resource {} ({}){about}; mcp_resource reads it]", it.uri, it.name));
            }
            _ => self.say("[something of a kind that is not known here]"),
        }
    }

    fn take_resource(&mut self, contents: ResourceContents) {
        match contents {
            ResourceContents::TextResourceContents { uri, text, .. } => self.say(&format!("[resource {uri}]\n{text}")),
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let kind = mime_type.unwrap_or_default();
                match KINDS.contains(&kind.as_str()) {
                    true => self.show(kind, blob, uri),
                    false => self.say(&format!("[resource {uri}: {} bytes of {kind}]", blob.len() / 4 * 3)),
                }
            }
            _ => self.say("[a resource of a kind that is not known here]"),
        }
    }

    fn say(&mut self, text: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn show(&mut self, media_type: String, data: String, name: String) {
        if !KINDS.contains(&media_type.as_str()) {
            return self.say(&format!("[a picture ({media_type}) of a kind that cannot be shown]"));
        }
        if data.len() > LARGEST_IMAGE || self.images.len() >= IMAGES {
            return self.say("[a picture that was left out: too large, or too many]");
        }
        self.images.push(Image { media_type, data, name });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn reply(result: serde_json::Value) -> Reply {
        Reply::of_call(serde_json::from_value(result).unwrap())
    }

    #[test]
    fn text_pictures_and_resources_become_what_a_model_reads() {
        let got = reply(json!({"isError": true, "content": [
            {"type": "text", "text": "one"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "image", "data": "AAAA", "mimeType": "image/tiff"}, {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
            {"type": "resource", "resource": {"uri": "a://b", "text": "inner"}},
            {"type": "resource", "resource": {"uri": "a://c", "blob": "AAAAAAAA", "mimeType": "x/y"}},
            {"type": "resource_link", "uri": "a://d", "name": "d"}]}));
        assert!(got.failed && got.images.len() == 1);
        let lines: Vec<&str> = got.text.lines().collect();
        assert_eq!(lines[0], "one");
        assert!(lines[1].contains("cannot be shown") && lines[2].contains("cannot be heard"));
        assert_eq!(&lines[3..6], ["[resource a://b]", "inner", "[resource a://c: 6 bytes of x/y]"]);
        assert!(lines[6].contains("a://d"));
        let many: Vec<_> = (0..20).map(|_| json!({"type": "image", "data": "AAAA", "mimeType": "image/png"})).collect();
        let got = reply(json!({"content": many}));
        assert_eq!((got.images.len(), got.text.lines().count()), (IMAGES, 12));
    }

    #[test]
    fn structured_content_stands_where_there_is_no_other() {
        assert_eq!(reply(json!({"content": [], "structuredContent": {"a": 1}})).text, r#"{"a":1}"#);
        let both = reply(json!({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}}));
        assert_eq!(both.text, "x");
    }
}
