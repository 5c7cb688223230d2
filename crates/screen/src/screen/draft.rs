//! A request for consent in the user's own editor: the command, or the text that an edit would write.

use ox_client::view::ApprovalRequest;
use serde_json::Value;

/// What the user edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// The end of the name of the file that holds it, for the editor's sake: `.rs`.
    pub suffix: String,
}

/// The argument that is edited; none where all of them are, as JSON.
pub(super) fn field(request: &ApprovalRequest) -> Option<&'static str> {
    let has = |it: &&str| request.args.get(*it).is_some_and(Value::is_string);
    let alone = request.args.get("edits").is_none();
    ["command", "content", "new"].into_iter().filter(|_| alone).find(has)
}

/// What the user edits of a request.
pub(super) fn of(request: &ApprovalRequest) -> Draft {
    let text = |name: &str| request.args.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    match field(request) {
        Some("command") => Draft { text: text("command"), suffix: ".sh".into() },
        Some(name) => {
            let path = text("path");
            let end = path.rsplit('/').next().and_then(|it| it.rsplit_once('.'));
            Draft { text: text(name), suffix: end.map(|(_, end)| format!(".{end}")).unwrap_or_default() }
        }
        None => Draft { text: serde_json::to_string_pretty(&request.args).unwrap_or_default(), suffix: ".json".into() },
    }
}

/// The text as it is meant: editors end the last line, also where it was not ended.
pub(super) fn meant(draft: &Draft, text: String) -> String {
    match text.strip_suffix('\n') {
        Some(rest) if !draft.text.ends_with('\n') => rest.to_owned(),
        _ => text,
    }
}
