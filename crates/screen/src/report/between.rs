//! What happens beside calls and checks: the tree put back, turns forgotten, hooks, commands in the background.

use ox_protocol::{
    BackgroundJob, BackgroundState, ChangeKind, ContextFiles, Event, FileChange, FileOrigin, HookRun, Hooked,
};

use super::look::Look;
use crate::text::{Line, Role, each, each_visible};

/// Files named before "and N more".
const FILES: usize = 12;
/// Skipped files named.
const SKIPPED: usize = 3;

/// The lines of such an event; none for any other.
pub(super) fn lines(look: &Look, event: &Event) -> Vec<Line> {
    match event {
        Event::Checkpoint { skipped, .. } if !skipped.is_empty() => {
            let named = skipped.iter().take(SKIPPED).cloned().collect::<Vec<_>>().join(", ");
            let count = skipped.len().to_string();
            vec![said("! ", Role::Warn, &look.say("ui.checkpoint.skipped", &[("count", &count), ("files", &named)]))]
        }
        Event::Restored(it) => restored(look, &it.to, &it.before, &it.files),
        Event::Rewound { turn } => {
            vec![said("↶ ", Role::Good, &look.say("ui.rewound", &[("turn", &turn.to_string())]))]
        }
        Event::Hooked(Hooked { runs, .. }) => runs.iter().flat_map(|it| hook(look, it)).collect(),
        // The call that it goes on from says so.
        Event::Background(BackgroundJob { state: BackgroundState::Started, .. }) if look.live => Vec::new(),
        Event::Background(BackgroundJob { id, command, state, exit_code }) => {
            let code = exit_code.map_or_else(String::new, |it| it.to_string());
            let key = match (state, exit_code) {
                (BackgroundState::Started, _) => "ui.background.started",
                (BackgroundState::Ended, Some(_)) => "ui.background.ended",
                (BackgroundState::Ended, None) => "ui.background.killed",
                (BackgroundState::Stopped, _) => "ui.background.stopped",
                (BackgroundState::Lost, _) => "ui.background.lost",
            };
            let command = crate::words::short(command, 80);
            let args = [("id", id.as_str()), ("command", command.as_str()), ("code", code.as_str())];
            vec![said("· ", Role::Dim, &look.say(key, &args))]
        }
        Event::ApprovalSet { policy } => {
            vec![Line::of(&look.say("ui.approval_set", &[("policy", &super::policy(look, *policy))]), Role::Dim)]
        }
        Event::UserCommand(it) => user_command(look, &it.command, &it.output, it.exit_code),
        Event::FilesSet(files) => file_lines(look, files),
        Event::EarlierTurns { turns } => {
            vec![said("· ", Role::Dim, &look.say("ui.earlier_turns", &[("count", &turns.len().to_string())]))]
        }
        _ => Vec::new(),
    }
}

/// The files in view and those left out.
pub fn file_lines(look: &Look, files: &ContextFiles) -> Vec<Line> {
    let of = |origin: FileOrigin| -> Vec<String> {
        let kept = files.files.iter().filter(|it| it.origin == origin);
        kept.map(|it| it.lines.map_or_else(|| it.path.clone(), |(from, to)| format!("{}:{from}-{to}", it.path)))
            .collect()
    };
    let lists = [
        ("ui.files.added", of(FileOrigin::User)),
        ("ui.files.editor", of(FileOrigin::Editor)),
        ("ui.files.excluded", files.excluded.clone()),
    ];
    let lines = lists.iter().filter(|(_, names)| !names.is_empty()).map(|(key, names)| {
        let more = names.len().saturating_sub(FILES);
        let more = if more > 0 { format!(", +{more}") } else { String::new() };
        let named = names.iter().take(FILES).cloned().collect::<Vec<_>>().join(", ") + &more;
        said("· ", Role::Dim, &look.say(key, &[("files", &named)]))
    });
    let lines: Vec<Line> = lines.collect();
    if lines.is_empty() { vec![said("· ", Role::Dim, &look.say("ui.files.none", &[]))] } else { lines }
}

fn said(mark: &str, role: Role, text: &str) -> Line {
    Line::of(mark, role).with(text, role).hanging(2)
}

fn restored(look: &Look, to: &str, before: &str, files: &[FileChange]) -> Vec<Line> {
    let count = files.len().to_string();
    let args = [("to", to), ("before", before), ("count", count.as_str())];
    let mut out = vec![said("↶ ", Role::Good, &look.say(if look.live { "ui.put_back" } else { "ui.restored" }, &args))];
    out.extend(files.iter().take(FILES).map(file));
    if files.len() > FILES {
        let more = look.say("ui.more_files", &[("count", &(files.len() - FILES).to_string())]);
        out.push(Line::of(&more, Role::Dim).indented(4, 0));
    }
    out
}

fn file(change: &FileChange) -> Line {
    let (mark, role) = match change.kind {
        ChangeKind::Created => ("+ ", Role::Good),
        ChangeKind::Deleted => ("- ", Role::Bad),
        ChangeKind::Modified | ChangeKind::Renamed => ("~ ", Role::Plain),
    };
    Line::of(mark, role).with(&change.path, Role::Plain).indented(4, 2)
}

/// A hook is told of when it objects or fails; one that is content is no news.
fn hook(look: &Look, run: &HookRun) -> Vec<Line> {
    let code = run.exit_code.map_or_else(|| "-".to_string(), |it| it.to_string());
    let args = [("command", run.command.as_str()), ("code", code.as_str())];
    let key = match (run.blocked, run.exit_code) {
        (true, _) if run.timed_out => "ui.hook.timed_out",
        (true, _) => "ui.hook.blocked",
        (false, Some(0)) => return Vec::new(),
        (false, _) => "ui.hook.failed",
    };
    let mut out = vec![said("! ", Role::Warn, &look.say(key, &args))];
    out.extend(
        each(run.message.trim(), Role::Plain)
            .into_iter()
            .filter(|_| !run.message.trim().is_empty())
            .map(|it| it.indented(4, 0)),
    );
    out
}

/// A command of the user's own, with all that is kept of what it printed.
fn user_command(look: &Look, command: &str, output: &str, exit_code: Option<i32>) -> Vec<Line> {
    let mut out = vec![said("! ", Role::User, command)];
    out.extend(each_visible(output.trim_end(), Role::Plain).into_iter().map(|it| it.indented(2, 0)));
    let ended = match exit_code {
        Some(0) => return out,
        Some(code) => look.say("ui.user_command.failed", &[("code", &code.to_string())]),
        None => look.say("ui.user_command.stopped", &[]),
    };
    out.push(Line::of(&ended, Role::Bad).indented(2, 2));
    out
}
