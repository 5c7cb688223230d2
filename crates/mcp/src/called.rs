//! Prompts of servers that the user calls like a command: `/mcp__SERVER__PROMPT word…`.

use ox_protocol::{MCP_PREFIX, mcp_word};
use serde_json::{Map, Value};

use crate::listing::Prompt;
use crate::servers::McpServers;

impl McpServers {
    /// What the prompt says that `text` calls, below what was typed; none for a text that calls none. The words behind the name
    /// are its arguments in their order, the last of which takes the rest.
    ///
    /// # Errors
    /// A sentence for the user: there is no such server or prompt, a word is missing, or the server does not answer.
    pub async fn called(&self, text: &str) -> Option<Result<String, String>> {
        let typed = text.trim();
        let line = typed.strip_prefix('/')?.strip_prefix(MCP_PREFIX)?;
        let (name, words) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        Some(self.said(name, words.trim()).await.map(|it| format!("{typed}\n\n{it}")))
    }

    async fn said(&self, name: &str, words: &str) -> Result<String, String> {
        let rest = |server: &str| name.strip_prefix(&mcp_word(server))?.strip_prefix("__").map(str::to_owned);
        let found = self.names().into_iter().find_map(|(server, _)| Some((server, rest(server)?)));
        let Some((server, wanted)) = found else {
            let names: Vec<&str> = self.names().into_iter().map(|it| it.0).collect();
            return Err(format!("no MCP server has this name; there are: {}", names.join(", ")));
        };
        let prompts = self.prompts(server).await.map_err(|it| it.to_string())?;
        let Some(prompt) = prompts.iter().find(|it| mcp_word(&it.name) == wanted) else {
            let usages: Vec<String> = prompts.iter().map(|it| usage(server, it)).collect();
            return Err(format!("the server {server} offers: {}", usages.join("; ")));
        };
        let args = arguments(prompt, words).ok_or_else(|| format!("write {}", usage(server, prompt)))?;
        Ok(self.prompt(server, &prompt.name, args).await.map_err(|it| it.to_string())?.text)
    }
}

/// How a prompt of a server is called, with the names of its arguments; those that may be left out stand in brackets.
pub fn usage(server: &str, prompt: &Prompt) -> String {
    let argument = |(name, needed): &(String, bool)| if *needed { format!(" {name}") } else { format!(" [{name}]") };
    let arguments: String = prompt.arguments.iter().map(argument).collect();
    format!("/{MCP_PREFIX}{}__{}{arguments}", mcp_word(server), mcp_word(&prompt.name))
}

/// The words by the names of the arguments; none where one is missing that has to be given.
fn arguments(prompt: &Prompt, words: &str) -> Option<Map<String, Value>> {
    let mut args = Map::new();
    let mut rest = words;
    for (at, (name, needed)) in prompt.arguments.iter().enumerate() {
        let is_last = at + 1 == prompt.arguments.len();
        let (word, after) =
            if is_last { (rest, "") } else { rest.split_once(char::is_whitespace).unwrap_or((rest, "")) };
        rest = after.trim_start();
        match word {
            "" if *needed => return None,
            "" => {}
            word => drop(args.insert(name.clone(), word.into())),
        }
    }
    Some(args)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_arguments_in_their_order_and_the_last_takes_the_rest() {
        let of = |arguments: &[(&str, bool)], words: &str| {
            let arguments = arguments.iter().map(|(name, needed)| ((*name).to_owned(), *needed)).collect();
            let prompt = Prompt { name: "sayHello".into(), description: String::new(), arguments };
            (usage("My server", &prompt), arguments_json(&prompt, words))
        };
        fn arguments_json(prompt: &Prompt, words: &str) -> Value {
            arguments(prompt, words).map_or(Value::Null, Value::Object)
        }
        let two = [("who", true), ("how", false)];
        let usage = "/mcp__my_server__say_hello who [how]".to_owned();
        assert_eq!(of(&two, "Ada very kindly"), (usage.clone(), json!({"who": "Ada", "how": "very kindly"})));
        assert_eq!(of(&two, "Ada"), (usage.clone(), json!({"who": "Ada"})));
        assert_eq!(of(&two, ""), (usage, Value::Null));
        assert_eq!(of(&[], "what"), ("/mcp__my_server__say_hello".to_owned(), json!({})));
    }
}
