//! Proves what a model can do by one tiny request for each ability, and explains where a model's facts come from.
//!
//! A request costs some hundred tokens; nothing is sent but the fixed words below.

use std::sync::atomic::{AtomicUsize, Ordering};

use ox_protocol::{
    Failure, Finish, Image, Message, ModelFacts, Part, Problem, Role, Tokens, ToolChoice, ToolSpec, Wire,
};
use serde_json::json;

use crate::catalogue::models::{Known, catalogue, known};
use crate::catalogue::open::{Choice, Reached, reach};
use crate::model::{Model, Piece, Reply, Request};
use crate::wire::claude_version;

/// A picture of sixteen by sixteen red points.
const RED: &str =
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR42mP4z8BAEmIY1TCqYfhqAACQ+f8B8u7oVwAAAABJRU5ErkJggg==";

/// What is known of a model before it is asked, and from where.
#[derive(Clone, Debug)]
pub struct Explained {
    /// All facts, the user's configuration included.
    pub facts: ModelFacts,
    /// The row of the catalogue that counts; none where the defaults do.
    pub known: Option<&'static Known>,
    /// The wire format.
    pub wire: Wire,
    /// Where it is asked; passwords are taken out.
    pub base_url: String,
    /// The server or service that stands there, as far as its address tells.
    pub dialect: &'static str,
    /// Where its key is looked for; empty where none is needed.
    pub key_variable: String,
    /// True where a key was found.
    pub has_key: bool,
}

/// Explains the model `name`. Problems: those of [`crate::catalogue::open::open`] but for a missing key.
pub fn explain(choice: &Choice<'_>, name: &str) -> Result<Explained, Problem> {
    let Reached { provider, model, wire, base_url, key, key_variable, dialect, facts } = reach(choice, name)?;
    let local = crate::catalogue::providers::find(&provider).is_some_and(|it| it.local);
    Ok(Explained {
        known: known(&model).filter(|_| !local),
        base_url: crate::keys::redact(&base_url, &[]),
        has_key: key.is_some(),
        dialect: dialect.name,
        facts,
        wire,
        key_variable,
    })
}

/// True where the model `name` takes PDF documents, as far as is known. A model that needs no network takes anything.
pub fn takes_documents(choice: &Choice<'_>, name: &str) -> bool {
    let Ok(Reached { wire, model, dialect, .. }) = reach(choice, name) else { return true };
    match wire {
        Wire::Anthropic => claude_version(&model).is_some_and(|it| it >= (3, 5)),
        Wire::Gemini => true,
        Wire::OpenaiResponses | Wire::OpenaiChat => dialect.documents,
    }
}

/// An ability and whether the model has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// `streaming`, `tools`, `required` or `images`.
    pub what: &'static str,
    /// What was seen, or why the ability is not proved.
    pub seen: Result<String, String>,
}

/// Asks the model once for each ability.
pub async fn probe(model: &dyn Model) -> Vec<Proof> {
    let mut proofs =
        vec![streaming(model).await, tools(model, "tools", ToolChoice::Auto, "Call `add` with 2 and 3.").await];
    proofs.push(tools(model, "required", ToolChoice::Required, "Good morning! You may use `add`.").await);
    proofs.push(images(model).await);
    proofs
}

fn request(parts: Vec<Part>) -> Request {
    Request {
        system: "You answer briefly.".into(),
        messages: vec![Message { role: Role::User, parts }.into()],
        // Models that reason need room before they say a word.
        max_output: Tokens(2000),
        ..Request::default()
    }
}

fn failed(failure: &Failure) -> String {
    failure.message.clone()
}

async fn streaming(model: &dyn Model) -> Proof {
    let pieces = AtomicUsize::new(0);
    let show = |piece: Piece<'_>| {
        pieces.fetch_add(usize::from(matches!(piece, Piece::Text(_))), Ordering::Relaxed);
    };
    let asked = model.ask(&request(vec![Part::text("Count from 1 to 30 in figures.")]), &show).await;
    let seen = match (asked, pieces.load(Ordering::Relaxed)) {
        (Err(failure), _) => Err(failed(&failure)),
        (Ok(Reply { finish: Finish::Length, .. }), _) => Err("the reply was cut off".to_string()),
        (Ok(reply), 0 | 1) => Err(format!("the reply of {} bytes came in one piece", reply.text.len())),
        (Ok(_), pieces) => Ok(format!("{pieces} pieces")),
    };
    Proof { what: "streaming", seen }
}

async fn tools(model: &dyn Model, what: &'static str, tool_choice: ToolChoice, words: &str) -> Proof {
    let number = json!({"type": "integer"});
    let schema = json!({"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]});
    let tool =
        ToolSpec { name: "add".into(), description: "Adds two whole numbers.".into(), schema, edit_block: false };
    let request = Request { tools: vec![tool], tool_choice, ..request(vec![Part::text(words)]) };
    let seen = match model.ask(&request, &|_| {}).await {
        Err(failure) => Err(failed(&failure)),
        Ok(reply) => match reply.calls.first() {
            Some(call) if call.name == "add" => Ok(format!("add {}", call.args)),
            Some(call) => Err(format!("it called `{}`, which is not offered", call.name)),
            None => Err("it called nothing".to_string()),
        },
    };
    Proof { what, seen }
}

async fn images(model: &dyn Model) -> Proof {
    let image = Image { media_type: "image/png".into(), data: RED.into(), name: "probe.png".into() };
    let words = Part::text("Which colour is the picture? One word.");
    let seen = match model.ask(&request(vec![Part::Image { image }, words]), &|_| {}).await {
        Err(failure) => Err(failed(&failure)),
        Ok(reply) if reply.text.to_lowercase().contains("red") => Ok("it sees red".to_string()),
        Ok(reply) => Err(format!("shown red, it said: {}", reply.text.chars().take(60).collect::<String>())),
    };
    Proof { what: "images", seen }
}

/// All rows of the catalogue whose beginning holds `part`.
pub fn search(part: &str) -> impl Iterator<Item = &'static Known> {
    catalogue().iter().filter(move |it| it.begins.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offline::scripted::{Scripted, parse_script};

    #[tokio::test]
    async fn what_a_model_shows_is_what_is_proved() {
        let script = "-- model --\n1 2 3 4 5 6 7 8 9 10 11 12\n-- model --\n@add\na: 2\nb: 3\n-- model --\nGood morning.\n-- model --\nBlue\n";
        let proofs = probe(&Scripted::new(parse_script(script))).await;
        let shown: Vec<String> = proofs.iter().map(|it| format!("{} {}", it.what, it.seen.is_ok())).collect();
        assert_eq!(shown, ["streaming true", "tools true", "required false", "images false"]);
        assert_eq!(proofs[3].seen, Err("shown red, it said: Blue".to_string()));
    }

    #[test]
    fn where_facts_come_from() {
        let choice = Choice::default();
        let explained = explain(&choice, "openai/gpt-5-mini").unwrap();
        assert_eq!((explained.wire, explained.has_key), (Wire::OpenaiResponses, false));
        assert_eq!((explained.key_variable.as_str(), explained.dialect), ("OPENAI_API_KEY", "openai"));
        assert_eq!(explained.known.map(|it| it.begins), Some("gpt-5-mini"));
        assert!(explain(&choice, "ollama/qwen3").unwrap().known.is_none());
        let takes = |name: &str| takes_documents(&choice, name);
        for name in
            ["anthropic/claude-haiku-4-5", "gemini/gemini-3-pro", "openai/gpt-5-mini", "openrouter/x/y", "manual"]
        {
            assert!(takes(name), "{name}");
        }
        assert!(!takes("ollama/qwen3") && !takes("deepseek/deepseek-chat") && !takes("anthropic/claude-2"));
    }
}
