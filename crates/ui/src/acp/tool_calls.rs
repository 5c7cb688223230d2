//! Calls of tools in the protocol's terms: their kind, where they work, what they changed. Pure.

use std::path::Path;

use agent_client_protocol::v1::schema::{
    ContentBlock, Diff, ImageContent, TextContent, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use ox_protocol::{Call, CallFacts, CallKind, ChangeKind, FileChange, Level, Outcome, Presentation, Statement, Status};
use serde_json::{Value, json};

use crate::diff;
use crate::report::subject;
use crate::text::clean;

/// True where a call has no line of its own, because other updates say what comes of it.
pub(super) fn is_hidden(call: &Call) -> bool {
    match call.facts.kind {
        CallKind::Question | CallKind::Conclude => true,
        CallKind::Checks | CallKind::Agent => false,
        CallKind::Read | CallKind::Mutate => call.facts.presentation == Presentation::Separate,
    }
}

/// True for a question with answers to choose from.
pub(super) fn is_choice(call: &Call) -> bool {
    matches!(&call.facts.statement, Some(Statement::Question { options, .. }) if !options.is_empty())
}

/// A call that the model asked for.
pub(super) fn proposed(root: &Path, call: &Call) -> ToolCall {
    ToolCall::new(call.id.0.clone(), title(&call.tool, &call.args))
        .name(call.tool.clone())
        .kind(kind(&call.tool, &call.facts))
        .locations(locations(root, call))
        .raw_input(call.args.clone())
}

/// A call that Ox itself makes, such as a fixer.
pub(super) fn own(id: &str, tool: &str, args: &Value) -> ToolCall {
    ToolCall::new(id.to_owned(), title(tool, args)).kind(ToolKind::Execute).raw_input(args.clone())
}

/// What a call is called: its tool and what it is about.
pub(super) fn title(tool: &str, args: &Value) -> String {
    let title = format!("{tool} {}", subject(args));
    clean(title.trim())
}

/// The protocol's kind of a call.
fn kind(tool: &str, facts: &CallFacts) -> ToolKind {
    match tool {
        "delete_file" => ToolKind::Delete,
        "move_file" => ToolKind::Move,
        "think" => ToolKind::Think,
        "web_fetch" => ToolKind::Fetch,
        "search_code" | "search_semantic" | "rag_query" | "find_symbol" | "find_references" | "find_tools" => {
            ToolKind::Search
        }
        "write_stdin" | "stop_command" => ToolKind::Execute,
        _ if facts.command.is_some() || facts.kind == CallKind::Checks => ToolKind::Execute,
        _ if facts.kind == CallKind::Agent => ToolKind::Other,
        _ if facts.kind == CallKind::Mutate => ToolKind::Edit,
        _ if facts.level == Level::Read => ToolKind::Read,
        _ => ToolKind::Other,
    }
}

/// The files that a call is about; the line is that which it asks for.
fn locations(root: &Path, call: &Call) -> Vec<ToolCallLocation> {
    let line = ["start_line", "line", "from"].iter().find_map(|it| call.args.get(it)?.as_u64());
    let line = line.and_then(|it| u32::try_from(it).ok()).filter(|_| call.facts.paths.len() == 1);
    call.facts.paths.iter().map(|it| ToolCallLocation::new(root.join(&it.path)).line(line)).collect()
}

/// What came of a call.
pub(super) fn settled(root: &Path, id: &str, outcome: &Outcome) -> ToolCallUpdate {
    let status = match outcome.status {
        Status::Ok => ToolCallStatus::Completed,
        _ => ToolCallStatus::Failed,
    };
    let mut content: Vec<ToolCallContent> = outcome.changed.iter().flat_map(|it| changed(root, it)).collect();
    // What an edit says beside its diffs is written for the model.
    if !outcome.output.trim().is_empty() && (content.is_empty() || outcome.status != Status::Ok) {
        content.push(text(&outcome.output));
    }
    let image =
        |it: &ox_protocol::Image| ContentBlock::Image(ImageContent::new(it.data.clone(), it.media_type.clone()));
    content.extend(outcome.images.iter().map(|it| image(it).into()));
    let mut fields = ToolCallUpdateFields::new().status(status).content(content).raw_output(json!({
        "status": outcome.status, "output": outcome.output, "exit_code": outcome.exit_code,
        "duration_ms": outcome.duration_ms,
    }));
    if !outcome.changed.is_empty() {
        fields = fields.locations(outcome.changed.iter().map(|it| place(root, it)).collect::<Vec<_>>());
    }
    ToolCallUpdate::new(id.to_owned(), fields)
}

fn place(root: &Path, change: &FileChange) -> ToolCallLocation {
    let line = diff::first_line(&change.diff).and_then(|it| u32::try_from(it).ok());
    ToolCallLocation::new(root.join(&change.path)).line(line)
}

/// A text as the content of a call.
pub(super) fn text(text: &str) -> ToolCallContent {
    ContentBlock::Text(TextContent::new(clean(text))).into()
}

/// A change as diffs, one for each place of the file; as text where its diff was cut.
pub(super) fn changed(root: &Path, change: &FileChange) -> Vec<ToolCallContent> {
    let path = root.join(&change.path);
    match hunks(&change.diff) {
        Some(hunks) => {
            let is_new = change.kind == ChangeKind::Created;
            let one = |(old, new): (String, String)| Diff::new(path.clone(), new).old_text((!is_new).then_some(old));
            hunks.into_iter().map(|it| one(it).into()).collect()
        }
        None => vec![text(&format!("```diff\n{}```", change.diff))],
    }
}

/// The old and the new text of each hunk of a unified diff; none where it is not whole.
fn hunks(diff: &str) -> Option<Vec<(String, String)>> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in diff.lines() {
        let Some(mark) = line.chars().next() else { continue };
        let rest = &line[mark.len_utf8()..];
        let last = all.last_mut();
        match (mark, last) {
            ('@', _) => all.push((String::new(), String::new())),
            (' ', Some((old, new))) => [old, new].into_iter().for_each(|it| add(it, rest)),
            ('-', Some((old, _))) => add(old, rest),
            ('+', Some((_, new))) => add(new, rest),
            ('\\', _) => {}
            ('…', _) => return None,
            _ => {}
        }
    }
    Some(all)
}

fn add(to: &mut String, line: &str) {
    to.push_str(line);
    to.push('\n');
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn shown(content: &[ToolCallContent]) -> String {
        content.iter().map(|it| format!("{}\n", serde_json::to_string(it).unwrap())).collect()
    }

    fn change(kind: ChangeKind, diff: &str) -> FileChange {
        let (path, diff) = ("src/a.rs".to_owned(), diff.to_owned());
        FileChange { path, kind, from: None, why: None, diff, added: 1, removed: 1 }
    }

    #[test]
    fn a_change_is_a_diff_for_each_place_and_text_where_it_was_cut() {
        let two = change(ChangeKind::Modified, "@@ -1,2 +1,2 @@\n one\n-two\n+zwei\n@@ -9,1 +9,1 @@\n-x\n+\n");
        expect![[r#"
            {"type":"diff","path":"/p/src/a.rs","oldText":"one\ntwo\n","newText":"one\nzwei\n"}
            {"type":"diff","path":"/p/src/a.rs","oldText":"x\n","newText":"\n"}
        "#]]
        .assert_eq(&shown(&changed(Path::new("/p"), &two)));
        let new = change(ChangeKind::Created, "@@ -1,0 +1,1 @@\n+a\n");
        expect![[r#"
            {"type":"diff","path":"/p/src/a.rs","newText":"a\n"}
        "#]]
        .assert_eq(&shown(&changed(Path::new("/p"), &new)));
        let cut = change(ChangeKind::Modified, "@@ -1,0 +1,1 @@\n+a\n… 500 more lines of the diff\n");
        assert!(shown(&changed(Path::new("/p"), &cut)).contains("500 more lines"));
    }

    #[test]
    fn kinds_are_those_of_the_protocol() {
        let facts = |kind, command: Option<&str>| CallFacts {
            kind,
            command: command.map(str::to_owned),
            ..CallFacts::default()
        };
        let table = [
            ("read_file", CallKind::Read, None, ToolKind::Read),
            ("search_code", CallKind::Read, None, ToolKind::Search),
            ("write_file", CallKind::Mutate, None, ToolKind::Edit),
            ("delete_file", CallKind::Mutate, None, ToolKind::Delete),
            ("run_command", CallKind::Mutate, Some("ls"), ToolKind::Execute),
            ("run_checks", CallKind::Checks, None, ToolKind::Execute),
            ("agent", CallKind::Agent, None, ToolKind::Other),
            ("web_fetch", CallKind::Read, None, ToolKind::Fetch),
        ];
        for (tool, of, command, expected) in table {
            assert_eq!(kind(tool, &facts(of, command)), expected, "{tool}");
        }
    }
}
