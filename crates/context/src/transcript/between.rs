//! What happened beside the calls of the model: hooks that had something to say, a tree that was put back, commands that
//! ended on their own, turns that were taken back.

use ox_protocol::{
    BackgroundJob, BackgroundState, ChangeKind, Event, FileChange, Frame, HookPoint, Hooked, RestoredTree, UserCommand,
};

use crate::words::Note;

/// Files named before "and N more".
const FILES: usize = 20;

/// The frames that the model still knows of: those of turns that were taken back are left out, failed attempts,
/// and what the user said and took back.
pub fn remembered(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    let mut forgotten: Vec<std::ops::RangeInclusive<usize>> = Vec::new();
    for (at, frame) in frames.iter().enumerate() {
        // A further attempt at a task knows nothing of those before it.
        if matches!(frame.event, Event::Repair(_)) {
            let began = |it: &Frame| matches!(it.event, Event::TurnStart { continues: false, .. });
            forgotten.extend(frames[..at].iter().rposition(began).map(|from| from + 1..=at));
        }
        if let Event::TakenBack { count } = frame.event {
            let said = |it: &usize| matches!(frames[*it].event, Event::Steered { .. });
            let known = |it: &usize| !forgotten.iter().any(|range| range.contains(it));
            let taken: Vec<usize> = (0..at).rev().filter(said).filter(known).take(count as usize).collect();
            forgotten.extend(taken.into_iter().chain([at]).map(|it| it..=it));
        }
        let Event::Rewound { turn: first } = frame.event else { continue };
        let begins = |it: &Frame| matches!(it.event, Event::TurnStart { turn, .. } if turn >= first);
        if let Some(from) = frames[..at].iter().position(begins) {
            forgotten.push(from..=at);
        }
    }
    let known = move |at: usize| !forgotten.iter().any(|it| it.contains(&at));
    frames.iter().enumerate().filter(move |(at, _)| known(*at)).map(|(_, frame)| frame)
}

/// What the model is told of it; none where it has nothing to do with it.
pub(super) fn note(event: &Event) -> Option<String> {
    match event {
        Event::Hooked(Hooked { at: HookPoint::AfterTool, runs, .. }) => {
            let said: Vec<&str> = runs.iter().filter(|it| it.blocked).map(|it| it.message.trim()).collect();
            (!said.is_empty()).then(|| format!("{}\n{}", Note::Hooked.words(), said.join("\n")))
        }
        Event::UserCommand(UserCommand { command, output, exit_code, .. }) => {
            let how = exit_code.map_or("was stopped".to_string(), |it| format!("ended with exit code {it}"));
            Some(
                format!("[the user ran `{command}` in the project; it {how}]\n{}", output.trim_end())
                    .trim_end()
                    .to_string(),
            )
        }
        Event::Restored(RestoredTree { files, .. }) => Some(format!("{}\n{}", Note::Restored.words(), listed(files))),
        Event::Background(BackgroundJob { id, command, state, exit_code }) => {
            let how = match (state, exit_code) {
                (BackgroundState::Ended, Some(code)) => format!("ended with exit code {code}"),
                (BackgroundState::Ended, None) => "was ended by a signal".to_string(),
                (BackgroundState::Lost, _) => "was lost when Ox ended".to_string(),
                _ => return None,
            };
            Some(format!("[background command {id} (`{command}`) {how}]"))
        }
        _ => None,
    }
}

fn listed(files: &[FileChange]) -> String {
    let one = |it: &FileChange| {
        let what = match it.kind {
            ChangeKind::Created => "is back or new",
            ChangeKind::Modified => "changed",
            ChangeKind::Deleted => "is gone",
            ChangeKind::Renamed => "was renamed",
        };
        format!("- {} {what}", it.path)
    };
    let mut lines: Vec<String> = files.iter().take(FILES).map(one).collect();
    if files.len() > FILES {
        lines.push(format!("- and {} more", files.len() - FILES));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use ox_protocol::{Mode, Seq, Time};

    use super::*;

    fn start(turn: u32) -> Event {
        Event::TurnStart {
            turn,
            mode: Mode::Build,
            prompt: format!("task {turn}"),
            images: Vec::new(),
            continues: false,
            branch: None,
            rules: Default::default(),
            limits: Default::default(),
            model: Default::default(),
            fallbacks: Vec::new(),
            verification: Default::default(),
            review: ox_protocol::ReviewPolicy::Off,
            checks: Vec::new(),
            fixers: Vec::new(),
            router: None,
        }
    }

    #[test]
    fn rewinding_forgets_from_that_turn_on_and_nothing_before_or_after() {
        let events = [
            start(1),
            start(2),
            Event::Interrupted,
            start(3),
            Event::Rewound { turn: 2 },
            start(4),
            Event::Rewound { turn: 4 },
            start(5),
            Event::Rewound { turn: 9 },
        ];
        let frame = |(at, event)| Frame::new(Seq(at), Time(at), event);
        let frames: Vec<Frame> = (1..).zip(events).map(frame).collect();
        let left: Vec<u64> = remembered(&frames).map(|it| it.seq.0).collect();
        assert_eq!(left, [1, 8, 9]);
        let words = format!("{:?}", crate::Transcript::of(&frames).messages());
        assert!(words.contains("task 1") && words.contains("task 5") && !words.contains("task 2"), "{words}");
    }
}
