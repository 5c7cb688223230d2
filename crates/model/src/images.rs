//! Asking for one picture: OpenAI's images endpoint and what is compatible with it, and Gemini's models that draw.
//!
//! What comes is believed only when its bytes are a whole PNG, JPEG or WebP file. An address that an endpoint answers with is
//! fetched without the key, over https or from the endpoint itself.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_protocol::{Failure, FailureKind, Message, Problem, Role, Wire};
use serde_json::{Map, Value, json};

use crate::catalogue::open::{Choice, reach_with_key};
use crate::failure::failure;
use crate::model::{Model, Request};
use crate::wire::endpoint::{Endpoint, bytes};
use crate::wire::http::{Http, Patience};
use crate::wire::learnt::{Learnt, Lesson};

/// Bytes of the largest picture that is taken.
pub(crate) const LARGEST: usize = 20 << 20;

/// `response_format` is unknown: the pictures come as base64 in any case.
const NO_FORM: u32 = 1;
/// The size cannot be chosen.
const NO_SIZE: u32 = 2;
/// The background cannot be chosen.
const NO_BACKGROUND: u32 = 4;
/// The kind of file cannot be chosen.
const NO_KIND: u32 = 8;

/// What refusals teach.
const LESSONS: &[Lesson] = &[
    (&["response_format"], NO_FORM),
    (&["background"], NO_BACKGROUND),
    (&["output_format"], NO_KIND),
    (&["size"], NO_SIZE),
];

/// What is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImageRequest {
    /// What it shows.
    pub prompt: String,
    /// Its shape.
    pub shape: Shape,
    /// True where nothing is to stand behind what it shows.
    pub transparent: bool,
}

/// A picture's shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// As wide as high.
    #[default]
    Square,
    /// Wider than high, 3:2.
    Wide,
    /// Higher than wide, 2:3.
    Tall,
}

/// A picture that was made, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// What kind of file.
    pub kind: PictureKind,
}

/// A kind of picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
}

impl PictureKind {
    /// The ending of such a file's name.
    pub fn ending(self) -> &'static str {
        match self {
            PictureKind::Png => "png",
            PictureKind::Jpeg => "jpg",
            PictureKind::Webp => "webp",
        }
    }

    /// What kind of file begins and ends like this; none where it is another, or not all of it is there.
    pub(crate) fn of(bytes: &[u8]) -> Option<PictureKind> {
        let end = &bytes[bytes.len().saturating_sub(64)..];
        let ends = |mark: &[u8]| end.windows(mark.len()).any(|it| it == mark);
        if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            return ends(b"IEND\xaeB`\x82").then_some(PictureKind::Png);
        }
        if bytes.starts_with(b"\xff\xd8\xff") {
            return ends(b"\xff\xd9").then_some(PictureKind::Jpeg);
        }
        let declared = bytes.get(4..8).and_then(|it| Some(u32::from_le_bytes(it.try_into().ok()?) as usize + 8));
        let webp = bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP");
        (webp && declared.is_some_and(|it| it <= bytes.len() && it > 20)).then_some(PictureKind::Webp)
    }
}

/// A model that draws.
pub struct Painter {
    name: String,
    way: Way,
}

/// How it is asked.
enum Way {
    /// Over an images endpoint.
    Endpoint { model: String, endpoint: Endpoint, learnt: Learnt },
    /// As a model whose replies hold pictures.
    Reply(Arc<dyn Model>),
}

/// The model `name` (`provider/model`) as one that draws. Problems: those of opening a model, and `images.no_endpoint` where
/// the provider makes no pictures.
pub fn painter(choice: &Choice<'_>, name: &str) -> Result<Painter, Problem> {
    let reached = reach_with_key(choice, name)?;
    let way = match reached.wire {
        Wire::Anthropic => return Err(Problem::new("images.no_endpoint").with("model", name)),
        Wire::Gemini => {
            let choice = Choice { model: Some(name.to_string()), ..choice.clone() };
            Way::Reply(crate::catalogue::open::open(&choice)?)
        }
        Wire::OpenaiChat | Wire::OpenaiResponses => {
            let url = format!("{}/images/generations", reached.base_url.trim_end_matches('/'));
            let endpoint = Endpoint::new(url, Patience::long()).within(choice.timeouts);
            let endpoint = endpoint.keyed(reached.dialect.key_header, reached.key);
            Way::Endpoint { model: reached.model, endpoint, learnt: Learnt::default() }
        }
    };
    Ok(Painter { name: name.to_string(), way })
}

impl Painter {
    /// The model's name, `provider/model`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Asks for one picture. Failures: those of asking a model, `Malformed` where what came is no picture, `ContentFilter`
    /// where the model answers with words instead of one.
    pub async fn draw(&self, request: &ImageRequest) -> Result<Picture, Failure> {
        let bytes = match &self.way {
            Way::Reply(model) => replied(model.as_ref(), request).await?,
            Way::Endpoint { model, endpoint, learnt } => loop {
                match asked(endpoint, &body(model, request, learnt)).await {
                    // Each refusal teaches one thing that was not known before, so this ends.
                    Err(failure) if learnt.learn(&failure, LESSONS) => {}
                    done => break done?,
                }
            },
        };
        if bytes.len() > LARGEST {
            let words = format!("the picture is too large: {} bytes, {LARGEST} at most", bytes.len());
            return Err(failure(FailureKind::Malformed, words));
        }
        let kind = PictureKind::of(&bytes);
        let kind = kind.ok_or_else(|| {
            failure(
                FailureKind::Malformed,
                format!("what came ({} bytes) is no whole PNG, JPEG or WebP file", bytes.len()),
            )
        })?;
        Ok(Picture { bytes, kind })
    }
}

/// The body of a request. OpenAI's own models answer in base64 and know no `response_format`; the others have to be told.
fn body(model: &str, request: &ImageRequest, learnt: &Learnt) -> Value {
    let own = model.starts_with("gpt-image") || model.starts_with("chatgpt-image");
    let mut body = Map::new();
    body.insert("model".into(), json!(model));
    body.insert("prompt".into(), json!(request.prompt));
    body.insert("n".into(), json!(1));
    if !learnt.has(NO_SIZE) {
        let size = match request.shape {
            Shape::Square => "1024x1024",
            Shape::Wide if model.starts_with("dall-e-3") => "1792x1024",
            Shape::Tall if model.starts_with("dall-e-3") => "1024x1792",
            Shape::Wide => "1536x1024",
            Shape::Tall => "1024x1536",
        };
        body.insert("size".into(), json!(size));
    }
    if own && !learnt.has(NO_KIND) {
        body.insert("output_format".into(), json!("png"));
    }
    if own && request.transparent && !learnt.has(NO_BACKGROUND) {
        body.insert("background".into(), json!("transparent"));
    }
    if !own && !learnt.has(NO_FORM) {
        body.insert("response_format".into(), json!("b64_json"));
    }
    Value::Object(body)
}

async fn asked(endpoint: &Endpoint, body: &Value) -> Result<Vec<u8>, Failure> {
    let url = crate::keys::address(endpoint.url());
    let answer = endpoint.post(bytes(body)).await?.rest(Vec::new()).await?;
    let answer: Value = serde_json::from_slice(&answer)
        .map_err(|error| failure(FailureKind::Malformed, format!("the answer of {url} is not JSON: {error}")))?;
    let first = &answer["data"][0];
    if let Some(data) = first["b64_json"].as_str().filter(|it| !it.is_empty()) {
        return decoded(data);
    }
    match first["url"].as_str() {
        Some(data) if data.starts_with("data:") => {
            let data = crate::wire::attached::of_data_url(data).map(|it| it.data).unwrap_or_default();
            decoded(&data)
        }
        Some(address) => fetched(endpoint.url(), address).await,
        None => Err(failure(FailureKind::Malformed, format!("the answer of {url} holds no picture"))),
    }
}

fn decoded(data: &str) -> Result<Vec<u8>, Failure> {
    STANDARD.decode(data.trim()).map_err(|_| failure(FailureKind::Malformed, "the picture is not base64"))
}

/// Fetches a picture where the endpoint put it, without the key.
async fn fetched(endpoint: &str, address: &str) -> Result<Vec<u8>, Failure> {
    let origin = |url: &str| url.split('/').take(3).collect::<Vec<&str>>().join("/");
    if !address.starts_with("https://") && origin(address) != origin(endpoint) {
        let words = "the picture lies at an address that is neither https nor the endpoint's own";
        return Err(failure(FailureKind::Malformed, words));
    }
    Http::new(address, Patience::default()).get(address).await?.rest(Vec::new()).await
}

/// The first picture of a reply; a reply in words is a refusal.
async fn replied(model: &dyn Model, request: &ImageRequest) -> Result<Vec<u8>, Failure> {
    let shape = match request.shape {
        Shape::Square => "square (1:1)",
        Shape::Wide => "landscape (3:2)",
        Shape::Tall => "portrait (2:3)",
    };
    let behind = if request.transparent { " Its background is plain white." } else { "" };
    let words = format!("Draw one picture: {}\n\nIts format is {shape}.{behind}", request.prompt);
    let request = Request { messages: vec![Message::text(Role::User, words).into()], ..Request::default() };
    let reply = model.ask(&request, &|_| {}).await?;
    match reply.images.first() {
        Some(image) => decoded(&image.data),
        None => {
            let said: String = reply.text.trim().chars().take(300).collect();
            Err(failure(FailureKind::ContentFilter, format!("the model answered without a picture: {said}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_known_by_its_begin_and_its_end() {
        let png = b"\x89PNG\r\n\x1a\n....\0\0\0\0IEND\xaeB`\x82";
        let webp = |size: u32| [b"RIFF".as_slice(), &size.to_le_bytes(), b"WEBPVP8 ....0123456789"].concat();
        let cases: [(Vec<u8>, Option<PictureKind>); 7] = [
            (png.to_vec(), Some(PictureKind::Png)),
            (png[..20].to_vec(), None),
            (b"\xff\xd8\xff\xe0....\xff\xd9".to_vec(), Some(PictureKind::Jpeg)),
            (b"\xff\xd8\xff\xe0....".to_vec(), None),
            (webp(22), Some(PictureKind::Webp)),
            (webp(2600), None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec(), None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(PictureKind::of(&bytes), expected, "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn each_endpoint_is_asked_for_what_it_knows() {
        let request = ImageRequest { prompt: "an ox".into(), shape: Shape::Wide, transparent: true };
        let text = |model: &str, learnt: &Learnt| body(model, &request, learnt).to_string();
        let learnt = Learnt::default();
        assert_eq!(
            text("gpt-image-2", &learnt),
            r#"{"model":"gpt-image-2","prompt":"an ox","n":1,"size":"1536x1024","output_format":"png","background":"transparent"}"#
        );
        assert_eq!(
            text("dall-e-3", &learnt),
            r#"{"model":"dall-e-3","prompt":"an ox","n":1,"size":"1792x1024","response_format":"b64_json"}"#
        );
        assert!(learnt.learn(&failure(FailureKind::BadRequest, "Unknown parameter: 'response_format'"), LESSONS));
        assert!(learnt.learn(&failure(FailureKind::BadRequest, "Argument not supported: size"), LESSONS));
        assert_eq!(text("flux", &learnt), r#"{"model":"flux","prompt":"an ox","n":1}"#);
    }

    #[tokio::test]
    async fn a_picture_elsewhere_is_fetched_over_https_alone() {
        let failure = fetched("https://api.example/v1/images/generations", "http://10.0.0.1/x.png").await.unwrap_err();
        assert!(failure.message.contains("neither https"), "{}", failure.message);
    }
}
