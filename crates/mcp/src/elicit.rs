//! Questions of a server to the user, asked like the agent's own: a form field by field, or a page to open.
//!
//! Every question names the server that asks and says where the answer goes. Nothing is sent that the user has not said or that
//! the form does not allow, no page is opened, and where nobody can answer all of it is declined.

use std::sync::Arc;

use jsonschema::PatternOptions;
use ox_protocol::BoxFuture;
use ox_protocol::locale::Language;
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction};
use serde_json::{Map, Value, json};

use crate::address::address;

/// Characters of a server's text that are shown.
const TEXT: usize = 1000;
/// Fields of the largest form that is asked.
const FIELDS: usize = 20;
/// Answers that do not fit after which a form is given up.
const ATTEMPTS: usize = 5;

/// Asks the user a question with answers to choose from, beside which every other one is possible; none where nobody answers.
pub type AskUser = Arc<dyn Fn(String, Vec<String>) -> BoxFuture<'static, Option<String>> + Send + Sync>;

/// Who answers the questions of servers during a call.
#[derive(Clone)]
pub struct UserInput {
    /// The user's language.
    pub language: Language,
    /// Asks.
    pub ask: AskUser,
}

/// What a server asked the user, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerQuestion {
    /// Its words.
    pub text: String,
    /// What it was told.
    pub fate: Fate,
}

/// What a server was told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Nobody was there to be asked.
    Unasked,
    /// The user answered.
    Answered,
    /// The user said no.
    Declined,
    /// The user did not want to decide.
    Cancelled,
}

/// A server's words in one piece: without characters that do anything, and not longer than what is shown.
pub(crate) fn shown(text: &str) -> String {
    let text = text.trim();
    let plain = text.chars().filter(|it| *it == '\n' || !it.is_control()).take(TEXT);
    plain.collect()
}

/// The server's words of a question.
pub(crate) fn words(request: &ElicitRequestParams) -> String {
    match request {
        ElicitRequestParams::FormElicitationParams { message, .. } => shown(message),
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            format!("{} ({})", shown(message), shown(url))
        }
        _ => String::new(),
    }
}

/// The user's answer to a question of a server.
pub(crate) async fn elicited(input: &UserInput, server: &str, request: ElicitRequestParams) -> ElicitResult {
    let answer = match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(requested_schema).unwrap_or_default();
            form(input, server, &message, &schema).await
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => page(input, server, &message, &url).await,
        _ => Err(ElicitationAction::Decline),
    };
    match answer {
        Ok(Some(content)) => ElicitResult::new(ElicitationAction::Accept).with_content(content),
        Ok(None) => ElicitResult::new(ElicitationAction::Accept),
        Err(action) => ElicitResult::new(action),
    }
}

type Answer<T> = Result<T, ElicitationAction>;

impl UserInput {
    fn say(&self, key: &str, args: &[(&str, &str)]) -> String {
        self.language.say(key, args)
    }

    /// What the user says to a question, beside that they do not answer it.
    async fn ask(&self, text: String, mut options: Vec<String>) -> Answer<String> {
        let (decline, cancel) = (self.say("mcp.ask.decline", &[]), self.say("mcp.ask.cancel", &[]));
        options.extend([decline.clone(), cancel.clone()]);
        match (self.ask)(text, options).await.map(|it| it.trim().to_owned()) {
            Some(said) if said == decline => Err(ElicitationAction::Decline),
            Some(said) if said != cancel => Ok(said),
            _ => Err(ElicitationAction::Cancel),
        }
    }
}

/// A server's words, each line marked as somebody else's.
fn quoted(text: &str) -> String {
    shown(text).lines().map(|it| format!("> {it}")).collect::<Vec<_>>().join("\n")
}

async fn page(input: &UserInput, server: &str, message: &str, url: &str) -> Answer<Option<Value>> {
    let Ok(address) = address(url) else { return Err(ElicitationAction::Decline) };
    let (message, host) = (quoted(message), address.host_str().unwrap_or_default().to_owned());
    let args = [("server", server), ("message", &message), ("url", address.as_str()), ("host", &host)];
    let done = input.say("mcp.ask.opened", &[]);
    // Whatever else is said is no consent.
    match input.ask(input.say("mcp.ask.page", &args), vec![done.clone()]).await? {
        said if said == done => Ok(None),
        _ => Err(ElicitationAction::Decline),
    }
}

async fn form(input: &UserInput, server: &str, message: &str, schema: &Value) -> Answer<Option<Value>> {
    let none = Map::new();
    let fields = schema["properties"].as_object().unwrap_or(&none);
    if fields.len() > FIELDS {
        return Err(ElicitationAction::Decline);
    }
    let head = input.say("mcp.ask.form", &[("server", server), ("message", &quoted(message))]);
    if fields.is_empty() {
        let agree = input.say("mcp.ask.agree", &[]);
        return match input.ask(head, vec![agree.clone()]).await? {
            said if said == agree => Ok(Some(json!({}))),
            _ => Err(ElicitationAction::Decline),
        };
    }
    let needed = |name: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|it| it == name));
    let mut content = Map::new();
    for (name, schema) in fields {
        let field = Field { name, schema, needed: needed(name) };
        if let Some(value) = field.ask(input, &head).await? {
            content.insert(name.clone(), value);
        }
    }
    Ok(Some(Value::Object(content)))
}

struct Field<'a> {
    name: &'a str,
    schema: &'a Value,
    needed: bool,
}

impl Field<'_> {
    async fn ask(&self, input: &UserInput, head: &str) -> Answer<Option<Value>> {
        let rules = jsonschema::options().with_pattern_options(PatternOptions::regex()).should_validate_formats(true);
        // A form that nothing can be held against is none.
        let Ok(rules) = rules.build(self.schema) else { return Err(ElicitationAction::Decline) };
        let default = self.schema.get("default").filter(|it| rules.is_valid(it));
        let left_out = match default {
            Some(value) => Some(input.say("mcp.ask.default", &[("value", &text_of(value))])),
            None if self.needed => None,
            None => Some(input.say("mcp.ask.leave_out", &[])),
        };
        let question = format!("{head}\n\n{}", self.words(input));
        let wrong = |why: &str| format!("{}\n\n{question}", input.say("mcp.ask.wrong", &[("why", why)]));
        let mut text = question.clone();
        for _ in 0..ATTEMPTS {
            let options = self.options(input).into_iter().chain(left_out.clone()).collect();
            let said = input.ask(text, options).await?;
            if left_out.is_some() && (said.is_empty() || left_out.as_ref() == Some(&said)) {
                return Ok(default.cloned());
            }
            let Some(value) = self.read(input, &said) else {
                text = wrong(&self.kind(input));
                continue;
            };
            let Some(why) = rules.iter_errors(&value).next().map(|it| shown(&it.to_string())) else {
                return Ok(Some(value));
            };
            text = wrong(&why);
        }
        Err(ElicitationAction::Cancel)
    }

    /// What is asked for.
    fn words(&self, input: &UserInput) -> String {
        let text = |key: &str| self.schema[key].as_str().map(shown).unwrap_or_default();
        let name = Some(text("title")).filter(|it| !it.is_empty()).unwrap_or_else(|| shown(self.name));
        let about = Some(text("description")).filter(|it| !it.is_empty()).map(|it| format!(": {it}"));
        format!("{name} ({}){}", self.kind(input), about.unwrap_or_default()).replace('\n', " ")
    }

    /// What kind of answer it takes.
    fn kind(&self, input: &UserInput) -> String {
        let choices = self.choices().into_iter().map(|it| it.1).collect::<Vec<_>>().join(", ");
        match self.schema["type"].as_str() {
            Some("array") => input.say("mcp.ask.several", &[("choices", &choices)]),
            Some("boolean") => input.say("mcp.ask.yes_or_no", &[]),
            Some("integer") => input.say("mcp.ask.integer", &[]),
            Some("number") => input.say("mcp.ask.number", &[]),
            _ if !choices.is_empty() => input.say("mcp.ask.choice", &[]),
            _ => match self.schema["format"].as_str() {
                Some(format) => shown(format),
                None => input.say("mcp.ask.text", &[]),
            },
        }
    }

    /// What can be chosen: the value, and how it is shown.
    fn choices(&self) -> Vec<(Value, String)> {
        let of = if self.schema["type"] == "array" { &self.schema["items"] } else { self.schema };
        let titled = ["oneOf", "anyOf"].iter().find_map(|it| of[*it].as_array());
        if let Some(titled) = titled {
            let one = |it: &Value| (it["const"].clone(), shown(it["title"].as_str().unwrap_or(&text_of(&it["const"]))));
            return titled.iter().map(one).collect();
        }
        let names = of["enumNames"].as_array();
        let name = |at: usize| names.and_then(|it| it.get(at)?.as_str());
        let all = of["enum"].as_array().into_iter().flatten().enumerate();
        all.map(|(at, it)| (it.clone(), shown(name(at).unwrap_or(&text_of(it))))).collect()
    }

    fn options(&self, input: &UserInput) -> Vec<String> {
        match self.schema["type"].as_str() {
            Some("boolean") => ["mcp.ask.yes", "mcp.ask.no"].map(|key| input.say(key, &[])).to_vec(),
            Some("array") => Vec::new(),
            _ => self.choices().into_iter().map(|it| it.1).collect(),
        }
    }

    /// The value that an answer means; none where it means none.
    fn read(&self, input: &UserInput, said: &str) -> Option<Value> {
        let is = |key: &str, others: &[&str]| {
            input.say(key, &[]).eq_ignore_ascii_case(said) || others.iter().any(|it| it.eq_ignore_ascii_case(said))
        };
        let choices = self.choices();
        let chosen = |said: &str| {
            // What is written exactly so counts first, and another spelling only where it can mean one thing.
            let exact =
                choices.iter().find(|it| it.1 == said).or_else(|| choices.iter().find(|it| text_of(&it.0) == said));
            let mut alike = choices
                .iter()
                .filter(|it| it.1.eq_ignore_ascii_case(said) || text_of(&it.0).eq_ignore_ascii_case(said));
            let only = alike.next().filter(|_| alike.next().is_none());
            exact.or(only).map(|it| it.0.clone())
        };
        match self.schema["type"].as_str() {
            Some("boolean") if is("mcp.ask.yes", &["yes", "y", "true"]) => Some(true.into()),
            Some("boolean") if is("mcp.ask.no", &["no", "n", "false"]) => Some(false.into()),
            Some("boolean") => None,
            Some("integer" | "number") => said.parse().ok().map(Value::Number),
            Some("array") => said.split(',').map(str::trim).filter(|it| !it.is_empty()).map(chosen).collect(),
            _ if !choices.is_empty() => chosen(said),
            _ => Some(said.into()),
        }
    }
}

/// A value as people read and write it.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => shown(text),
        Value::Array(all) => all.iter().map(text_of).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// What becomes of a form to which these answers are given one after the other, and what was asked.
    fn filled(properties: &Value, answers: &[&str]) -> (Value, Vec<(String, Vec<String>)>) {
        let schema = json!({"type": "object", "properties": properties, "required": ["n"]});
        let request = json!({"mode": "form", "message": "Who?\nAnd how?", "requestedSchema": schema});
        run(&request, answers)
    }

    fn run(request: &Value, answers: &[&str]) -> (Value, Vec<(String, Vec<String>)>) {
        let left = Mutex::new(answers.iter().rev().map(ToString::to_string).collect::<Vec<_>>());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = asked.clone();
        let ask: AskUser = Arc::new(move |text, options| {
            seen.lock().unwrap().push((text, options));
            let answer = left.lock().unwrap().pop();
            Box::pin(async move { answer })
        });
        let input = UserInput { language: Language::En, ask };
        let request: ElicitRequestParams = serde_json::from_value(request.clone()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let result = runtime.block_on(elicited(&input, "shop", request));
        let asked = std::mem::take(&mut *asked.lock().unwrap());
        (serde_json::to_value(result).unwrap(), asked)
    }

    fn accepted(content: Value) -> Value {
        json!({"action": "accept", "content": content})
    }

    #[test]
    fn each_kind_of_field_becomes_a_question_and_its_answer_a_value() {
        let text = json!({"type": "string"});
        let colours =
            json!({"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "b", "title": "Blue"}]});
        let several = json!({"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}});
        for (schema, said, value) in [
            (text.clone(), "Ada of London", json!("Ada of London")),
            (json!({"type": "integer", "minimum": 1}), "42", json!(42)),
            (json!({"type": "number"}), "1.5", json!(1.5)),
            (json!({"type": "boolean"}), "Yes", json!(true)),
            (json!({"type": "boolean"}), "false", json!(false)),
            (json!({"type": "string", "enum": ["x", "y"]}), "Y", json!("y")),
            (json!({"type": "string", "enum": ["x", "y"], "enumNames": ["First", "Second"]}), "Second", json!("y")),
            (json!({"type": "string", "enum": ["m", "M"]}), "M", json!("M")),
            (json!({"type": "string", "enum": ["b", "a"], "enumNames": ["a", "b"]}), "b", json!("a")),
            (colours, "blue", json!("b")),
            (several, "c, a", json!(["c", "a"])),
            (json!({"type": "string", "format": "email"}), "ada@example.org", json!("ada@example.org")),
        ] {
            let (result, asked) = filled(&json!({"n": schema}), &[said]);
            assert_eq!(result, accepted(json!({"n": value})), "{schema}");
            assert_eq!(asked.len(), 1);
            assert!(
                asked[0].0.contains("The MCP server shop") && asked[0].0.contains("> Who?\n> And how?"),
                "{asked:?}"
            );
        }
        let (_, asked) =
            filled(&json!({"n": {"type": "string", "title": "Name", "description": "as in the passport"}}), &["x"]);
        assert!(asked[0].0.ends_with("Name (text): as in the passport"), "{asked:?}");
        assert_eq!(asked[0].1, ["Decline", "Cancel"]);
    }

    #[test]
    fn what_does_not_fit_is_asked_again_and_given_up_in_the_end() {
        let age = json!({"n": {"type": "integer", "maximum": 9}});
        let (result, asked) = filled(&age, &["old", "10", "7"]);
        assert_eq!((result, asked.len()), (accepted(json!({"n": 7})), 3));
        assert!(asked[1].0.contains("whole number") && asked[2].0.contains("10 is greater than"), "{asked:?}");
        let (result, asked) = filled(&age, &["x"; ATTEMPTS]);
        assert_eq!((result, asked.len()), (json!({"action": "cancel"}), ATTEMPTS));
        let alike = json!({"n": {"type": "string", "enum": ["day", "DAY"]}});
        assert_eq!(filled(&alike, &["Day", "DAY"]).1.len(), 2, "what could mean two things means none");
        let mail = json!({"n": {"type": "string", "format": "email"}});
        assert_eq!(filled(&mail, &["nonsense", "Decline"]).0, json!({"action": "decline"}));
    }

    #[test]
    fn what_need_not_be_said_can_be_left_out_and_what_has_a_default_takes_it() {
        let all = json!({"n": {"type": "string"}, "o": {"type": "string"}, "d": {"type": "integer", "default": 3}});
        let (result, asked) = filled(&all, &["x", "Leave it out", "Take 3"]);
        assert_eq!(result, accepted(json!({"n": "x", "d": 3})));
        assert_eq!((asked[1].1[0].as_str(), asked[2].1[0].as_str()), ("Leave it out", "Take 3"));
    }

    #[test]
    fn no_answer_and_no_consent_send_nothing() {
        let one = json!({"n": {"type": "string"}});
        assert_eq!(filled(&one, &["Decline"]).0, json!({"action": "decline"}));
        assert_eq!(filled(&one, &["Cancel"]).0, json!({"action": "cancel"}));
        assert_eq!(filled(&one, &[]).0, json!({"action": "cancel"}), "nobody answered");
        assert_eq!(filled(&json!({}), &["Agree"]).0, accepted(json!({})));
        assert_eq!(filled(&json!({}), &["what?"]).0, json!({"action": "decline"}));
        let many: Map<String, Value> = (0..=FIELDS).map(|it| (it.to_string(), json!({"type": "string"}))).collect();
        assert_eq!(filled(&many.into(), &[]), (json!({"action": "decline"}), Vec::new()));
        let page = |url: &str, said: &[&str]| {
            run(&json!({"mode": "url", "message": "Pay", "url": url, "elicitationId": "1"}), said)
        };
        let (result, asked) = page("https://shop.example.org/pay", &["I have opened it"]);
        assert_eq!(result, json!({"action": "accept"}));
        assert!(asked[0].0.contains("shop.example.org") && asked[0].0.contains("The MCP server shop"), "{asked:?}");
        assert_eq!(page("https://a.org", &["sure"]).0, json!({"action": "decline"}));
        assert_eq!(page("file:///etc/passwd", &["I have opened it"]), (json!({"action": "decline"}), Vec::new()));
    }
}
