//! A request for consent in the user's own editor: the command, or the file as the edit would leave it.

use ox_client::view::ApprovalRequest;
use ox_protocol::CallId;
use serde_json::{Value, json};

/// What the user edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    /// The text.
    pub text: String,
    /// The end of the name of the file that holds it, for the editor's sake: `.rs`.
    pub suffix: String,
    /// The call that it belongs to.
    pub(super) call: CallId,
    of: Of,
}

/// What of the call it is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Of {
    /// This argument.
    Argument(&'static str),
    /// A whole file, with its content now.
    File { path: String, now: String },
    /// All arguments, as JSON.
    Arguments,
}

/// What the user edits of a request. `current`: the content of a file of the project.
pub(super) fn of(request: &ApprovalRequest, current: &dyn Fn(&str) -> Option<String>) -> Draft {
    let text = |name: &str| request.args.get(name).and_then(Value::as_str);
    let draft = |text: String, suffix: String, of: Of| Draft { text, suffix, call: request.call.clone(), of };
    if let Some(command) = text("command") {
        return draft(command.to_owned(), ".sh".into(), Of::Argument("command"));
    }
    if let (Some(content), Some(path)) = (text("content"), text("path")) {
        return draft(content.to_owned(), suffix(path), Of::Argument("content"));
    }
    match after(&request.args, current) {
        Some((path, now, then)) => draft(then, suffix(&path), Of::File { path, now }),
        None => {
            let args = serde_json::to_string_pretty(&request.args).unwrap_or_default();
            draft(args, ".json".into(), Of::Arguments)
        }
    }
}

/// The arguments with what became of the draft; an error of the JSON that they were edited as.
pub(super) fn amended(draft: &Draft, args: &Value, text: &str) -> Result<Value, serde_json::Error> {
    // Editors end the last line, also where it was not ended.
    let meant = match text.strip_suffix('\n') {
        Some(rest) if !draft.text.ends_with('\n') => rest,
        _ => text,
    };
    Ok(match &draft.of {
        Of::Argument(name) => {
            let mut args = args.clone();
            args[*name] = meant.into();
            args
        }
        Of::File { path, now } => {
            let (old, new) = changed(now, meant);
            json!({"path": path, "old": old, "new": new})
        }
        Of::Arguments => serde_json::from_str(text)?,
    })
}

fn suffix(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.rsplit_once('.').map(|(_, end)| format!(".{end}")).unwrap_or_default()
}

/// The one file that edits change, its content now and then; none where they change several, or where it is not plain what
/// they change.
fn after(args: &Value, current: &dyn Fn(&str) -> Option<String>) -> Option<(String, String, String)> {
    let alone = [args.clone()];
    let edits = args.get("edits").map_or(Some(&alone[..]), |it| it.as_array().map(Vec::as_slice))?;
    let path_of = |edit: &Value| edit.get("path").or(args.get("path"))?.as_str().map(str::to_owned);
    let path = path_of(edits.first()?)?;
    let now = current(&path)?;
    let then = edits.iter().try_fold(now.clone(), |text, edit| {
        let (old, new) = (edit.get("old")?.as_str()?, edit.get("new")?.as_str()?);
        let once = text.matches(old).count() == 1 && edit.get("all").is_none_or(|it| *it == false);
        (once && path_of(edit)? == path).then(|| text.replacen(old, new, 1))
    })?;
    Some((path, now, then))
}

/// The lines in which two texts differ, with as many around them as it takes for the old ones to stand there once.
fn changed<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let lines = |text: &'a str| -> Vec<&'a str> { text.split_inclusive('\n').collect() };
    let (before, behind) = (lines(old), lines(new));
    let same = |pairs: &mut dyn Iterator<Item = (&&str, &&str)>| pairs.take_while(|(a, b)| a == b).count();
    let mut first = same(&mut before.iter().zip(&behind));
    let rest = before.len().min(behind.len()) - first;
    let mut last = same(&mut before.iter().rev().zip(behind.iter().rev())).min(rest);
    let length = |lines: &[&str]| lines.iter().map(|it| it.len()).sum::<usize>();
    loop {
        let (from, kept) = (length(&before[..first]), length(&before[before.len() - last..]));
        let (then, now) = (&old[from..old.len() - kept], &new[from..new.len() - kept]);
        if (first, last) == (0, 0) || !then.is_empty() && old.matches(then).count() == 1 {
            return (then, now);
        }
        (first, last) = (first.saturating_sub(1), last.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_stands_in_the_file_once() {
        let cases = [
            ("a\nb\nc\n", "a\nx\nc\n", ("b\n", "x\n")),
            ("a\na\na\n", "a\nx\na\n", ("a\na\na\n", "a\nx\na\n")),
            ("a\nb\n", "a\nb\nc\n", ("b\n", "b\nc\n")),
            ("x\ny\nx\n", "x\ny\nz\n", ("y\nx\n", "y\nz\n")),
            ("", "new\n", ("", "new\n")),
            ("a\nb\na\nb\nc\n", "a\na\nb\nc\n", ("a\nb\na\n", "a\na\n")),
            ("one", "two", ("one", "two")),
        ];
        for (old, new, expected) in cases {
            let found = changed(old, new);
            assert_eq!(found, expected, "{old:?} {new:?}");
            assert_eq!(old.replacen(found.0, found.1, 1), new);
        }
    }
}
