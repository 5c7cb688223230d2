//! An images endpoint as OpenAI documents it, for the models that draw: it checks every request to the letter, and answers
//! with pictures, addresses of pictures, and everything that goes wrong.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ox_model::Choice;
use ox_model::images::Painter;
use ox_protocol::{Problem, ProviderLayer, Wire};
use serde_json::{Value, json};

use super::format::KEY;
use super::server::{Answer, Asked, Serving, serve};

/// A whole PNG of one pixel.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// What the endpoint answers with.
#[derive(Clone, Debug)]
pub enum Drawn {
    /// The picture itself.
    Base64,
    /// The address of the picture, on this server.
    Address,
    /// These bytes in place of a picture.
    Bytes(Vec<u8>),
    /// A refusal: status, code and words.
    Refused(u16, &'static str, &'static str),
}

/// A running endpoint.
pub struct Images {
    /// The address to give to Ox; it ends in `/v1`.
    pub base_url: String,
    asked: Arc<Mutex<Vec<Value>>>,
    wrong: Arc<Mutex<Vec<String>>>,
    _serving: Serving,
}

impl Images {
    /// Serves these answers in order. Errors: those of listening on loopback.
    pub async fn new(answers: Vec<Drawn>) -> std::io::Result<Images> {
        let answers = Mutex::new(VecDeque::from(answers));
        let (asked, wrong) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
        let (bodies, violations) = (asked.clone(), wrong.clone());
        let serving = serve(move |request: Asked| {
            if request.line.starts_with("GET /files/pixel.png") {
                if !request.header("authorization").is_empty() {
                    lock(&violations).push("the key went along to where the picture lies".to_string());
                }
                return Answer::new(200, "image/png", vec![STANDARD.decode(PIXEL).expect("it is base64")]);
            }
            let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
            lock(&bodies).push(body.clone());
            if let Some((code, words)) = refusal(&request, &body) {
                return refused(400, code, &words);
            }
            let host = request.header("host").to_string();
            match lock(&answers).pop_front() {
                Some(Drawn::Base64) => drawn(json!({"b64_json": PIXEL})),
                Some(Drawn::Bytes(bytes)) => drawn(json!({"b64_json": STANDARD.encode(bytes)})),
                Some(Drawn::Address) => drawn(json!({"url": format!("http://{host}/files/pixel.png")})),
                Some(Drawn::Refused(status, code, words)) => refused(status, code, words),
                None => {
                    lock(&violations).push("asked more often than expected".to_string());
                    refused(500, "script", "the script is at its end")
                }
            }
        })
        .await?;
        Ok(Images { base_url: format!("{}/v1", serving.url), asked, wrong, _serving: serving })
    }

    /// The bodies that were asked, in order.
    pub fn asked(&self) -> Vec<Value> {
        lock(&self.asked).clone()
    }

    /// What no client may do and this one did.
    pub fn violations(&self) -> Vec<String> {
        lock(&self.wrong).clone()
    }
}

/// The images model `model` at the endpoint `base_url`.
pub(crate) fn painter(base_url: &str, model: &str) -> Result<Painter, Problem> {
    let layer = ProviderLayer {
        wire: Some(Wire::OpenaiChat),
        base_url: Some(base_url.to_string()),
        key: Some(KEY.to_string()),
        ..ProviderLayer::default()
    };
    let choice = Choice { providers: BTreeMap::from([("mine".to_string(), layer)]), ..Choice::default() };
    ox_model::images::painter(&choice, &format!("mine/{model}"))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What the provider would refuse about a request.
fn refusal(request: &Asked, body: &Value) -> Option<(&'static str, String)> {
    if !request.line.starts_with("POST /v1/images/generations") {
        return Some(("not_found", format!("Invalid URL ({})", request.line)));
    }
    if request.header("authorization") != format!("Bearer {KEY}") {
        return Some(("invalid_api_key", "Incorrect API key provided".to_string()));
    }
    if !request.header("content-type").starts_with("application/json") {
        return Some(("unsupported_media_type", "Unsupported content type".to_string()));
    }
    let Some(fields) = body.as_object() else {
        return Some(("invalid_json", "We could not parse the body".to_string()));
    };
    let own = body["model"].as_str().is_some_and(|it| it.starts_with("gpt-image"));
    let known: &[&str] = match own {
        true => &["model", "prompt", "n", "size", "quality", "background", "output_format", "moderation"],
        false => &["model", "prompt", "n", "size", "quality", "response_format", "style"],
    };
    if let Some(other) = fields.keys().find(|it| !known.contains(&it.as_str())) {
        return Some(("unknown_parameter", format!("Unknown parameter: '{other}'.")));
    }
    if body["prompt"].as_str().is_none_or(|it| it.is_empty() || it.chars().count() > 32_000) {
        return Some(("invalid_value", "Invalid 'prompt'.".to_string()));
    }
    let listed =
        |key: &str, all: &[&str]| fields.get(key).is_none_or(|it| it.as_str().is_some_and(|it| all.contains(&it)));
    let sizes: &[&str] =
        if own { &["auto", "1024x1024", "1536x1024", "1024x1536"] } else { &["1024x1024", "1792x1024", "1024x1792"] };
    let right = [
        ("size", listed("size", sizes)),
        ("background", listed("background", &["auto", "transparent", "opaque"])),
        ("output_format", listed("output_format", &["png", "jpeg", "webp"])),
        ("response_format", listed("response_format", &["url", "b64_json"])),
        ("n", fields.get("n").is_none_or(|it| it.as_u64().is_some_and(|it| (1..=10).contains(&it)))),
    ];
    let (key, _) = right.iter().find(|(_, right)| !right)?;
    Some(("invalid_value", format!("Invalid value for '{key}': {}.", fields[*key])))
}

fn drawn(picture: Value) -> Answer {
    Answer::json(200, &json!({"created": 1_790_000_000, "data": [picture]}))
}

fn refused(status: u16, code: &str, words: &str) -> Answer {
    let error =
        json!({"error": {"message": words, "type": "image_generation_user_error", "param": null, "code": code}});
    Answer::json(status, &error)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use ox_protocol::{CallId, Outcome};
    use ox_tools::{CallContext, ToolEnv, Toolbox};

    use super::*;

    /// A call of the tool in a project of its own, drawn by `model` at the endpoint.
    async fn call(root: &Path, images: &Images, model: &str, args: Value) -> Outcome {
        let tree = ox_repo::Tree::open(root, &[]).unwrap();
        let (url, model) = (images.base_url.clone(), model.to_string());
        let mut cx = CallContext::new(tree, Arc::new(ToolEnv::new(Arc::new(ox_sandbox::Plain))));
        cx.paint = Some(Arc::new(move || painter(&url, &model)));
        let call = Toolbox::default().read(&cx, CallId("call_1_0".into()), "generate_image", &args.to_string());
        Toolbox::default().run(&cx, &call).await.outcome
    }

    fn files(root: &Path) -> Vec<String> {
        let mut all: Vec<String> = std::fs::read_dir(root.join("public/images"))
            .map(|it| it.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect())
            .unwrap_or_default();
        all.sort();
        all
    }

    #[tokio::test]
    async fn a_picture_becomes_a_new_file_and_never_replaces_one() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("public")).unwrap();
        let images = Images::new(vec![Drawn::Base64, Drawn::Address, Drawn::Base64]).await.unwrap();
        let request = json!({"prompt": "A red ox", "shape": "wide", "transparent": true});
        let done = call(dir.path(), &images, "gpt-image-2", request.clone()).await;
        assert_eq!(done.output, "made public/images/red-ox.png (1 KB) with mine/gpt-image-2");
        assert!(done.tree_changed && done.changed[0].path == "public/images/red-ox.png");
        let done = call(dir.path(), &images, "dall-e-3", request.clone()).await;
        assert_eq!(done.output, "made public/images/red-ox-2.png (1 KB) with mine/dall-e-3");
        call(dir.path(), &images, "dall-e-3", json!({"prompt": "x", "name": "hero.webp"})).await;
        assert_eq!(files(dir.path()), ["hero.png", "red-ox-2.png", "red-ox.png"]);
        for file in files(dir.path()) {
            let bytes = std::fs::read(dir.path().join("public/images").join(file)).unwrap();
            assert_eq!(STANDARD.encode(bytes), PIXEL);
        }
        let asked = images.asked();
        assert_eq!(asked[0]["background"], "transparent");
        assert_eq!((asked[0].get("response_format"), &asked[1]["response_format"]), (None, &json!("b64_json")));
        assert_eq!(images.violations(), Vec::<String>::new());
    }

    #[tokio::test]
    async fn whatever_goes_wrong_nothing_is_written_and_the_words_say_what_to_do() {
        let whole = STANDARD.decode(PIXEL).unwrap();
        let cases = [
            (
                Drawn::Refused(400, "moderation_blocked", "Your request was rejected by the safety system."),
                "safety system",
            ),
            (Drawn::Bytes(whole[..40].to_vec()), "no whole PNG, JPEG or WebP"),
            (Drawn::Bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>".to_vec()), "no whole PNG, JPEG or WebP"),
            (Drawn::Bytes(Vec::new()), "holds no picture"),
            (
                Drawn::Refused(401, "invalid_api_key", "Incorrect API key provided: mock-key-0123456789"),
                "key was rejected",
            ),
            (Drawn::Refused(500, "server_error", "The server had an error"), "Try once more later"),
        ];
        for (drawn, expected) in cases {
            let dir = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(dir.path().join("public")).unwrap();
            let images = Images::new(vec![drawn.clone()]).await.unwrap();
            let failed = call(dir.path(), &images, "gpt-image-2", json!({"prompt": "an ox"})).await;
            assert!(failed.is_failure() && failed.changed.is_empty(), "{drawn:?}: {}", failed.output);
            assert!(failed.output.contains(expected), "{drawn:?}: {}", failed.output);
            assert!(failed.output.contains("nothing was written") && failed.output.contains("placeholder"));
            assert!(!failed.output.contains(KEY), "{}", failed.output);
            assert_eq!(files(dir.path()), Vec::<String>::new(), "{drawn:?}");
        }
    }

    #[tokio::test]
    async fn a_secret_in_the_prompt_is_not_sent() {
        let dir = tempfile::tempdir().unwrap();
        let images = Images::new(vec![Drawn::Base64]).await.unwrap();
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        call(dir.path(), &images, "gpt-image-2", json!({"prompt": format!("A poster with the words {key}")})).await;
        let prompt = images.asked()[0]["prompt"].as_str().unwrap().to_string();
        assert!(!prompt.contains(&key) && prompt.contains("[redacted"), "{prompt}");
    }
}
