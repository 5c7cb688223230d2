//! What a store notes, in the order in which it happened: checkpoints, turns that began, and ways back that were taken.

use ox_protocol::{CheckpointReason, Time};
use serde::{Deserialize, Serialize};

use super::skip::{Skip, Skipped};
use super::types::Note;
use crate::Hash;
use crate::codec::{In, Out};

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Record {
    /// The tree was recorded.
    Taken(Box<Taken>),
    /// The tree was to be recorded and was as in a checkpoint that is there.
    Marked { commit: Hash, note: Note },
    /// The tree was put back.
    Moved(Moved),
    /// A state that the tree is to be put into was recorded before it was ever in it.
    Prepared(Box<Taken>),
    /// Git's `HEAD` is another: its words, and the commit that they lead to.
    Head(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    pub commit: Hash,
    pub tree: Hash,
    pub note: Note,
    pub files: u64,
    pub bytes: u64,
    /// The first ones.
    pub skipped: Vec<Skipped>,
    /// All of them.
    pub skips: u64,
}

/// How the tree was put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Way {
    Undo,
    Redo,
    Restore,
    /// A restore by a call of the turn, which is a part of it.
    Within,
    /// The user took parts of the last turn back.
    Review,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moved {
    pub way: Way,
    /// The checkpoint before.
    pub before: Hash,
    /// The checkpoint after.
    pub to: Hash,
    /// Not a part of it only, and nothing was left as it was.
    pub whole: bool,
    /// How many stretches an undo went back over; 0 where that was not counted.
    pub back: u64,
}

const REASONS: [CheckpointReason; 8] = [
    CheckpointReason::BeforeTurn,
    CheckpointReason::BeforeCall,
    CheckpointReason::AfterCommand,
    CheckpointReason::BeforeRestore,
    CheckpointReason::AfterTurn,
    CheckpointReason::Asked,
    CheckpointReason::Review,
    CheckpointReason::AfterRestore,
];
const WAYS: [Way; 5] = [Way::Undo, Way::Redo, Way::Restore, Way::Within, Way::Review];

fn number<T: PartialEq>(all: &[T], one: &T) -> u8 {
    all.iter().position(|it| it == one).expect("the table has all of them") as u8
}

impl Record {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Out::default();
        match self {
            Record::Taken(it) | Record::Prepared(it) => {
                out.byte(if matches!(self, Record::Taken(_)) { 1 } else { 4 }).id(&it.commit).id(&it.tree);
                note(&mut out, &it.note);
                out.number(it.files).number(it.bytes).number(it.skips).number(it.skipped.len() as u64);
                for Skipped { path, bytes, why } in &it.skipped {
                    out.bytes(path.as_bytes()).number(*bytes).byte(Skip::code(Some(*why)));
                }
            }
            Record::Marked { commit, note: its_note } => {
                out.byte(2).id(commit);
                note(&mut out, its_note);
            }
            Record::Moved(Moved { way, before, to, whole, back }) => {
                out.byte(6).byte(number(&WAYS, way)).id(before).id(to).byte(u8::from(*whole)).number(*back);
            }
            Record::Head(it) => drop(out.byte(5).bytes(it.as_bytes())),
        }
        out.0
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Record> {
        let mut input = In(bytes);
        let record = match input.byte()? {
            1 => Record::Taken(Box::new(taken(&mut input)?)),
            2 => Record::Marked { commit: input.id()?, note: note_of(&mut input)? },
            kind @ (3 | 6) => {
                let way = *WAYS.get(usize::from(input.byte()?))?;
                let (before, to, whole) = (input.id()?, input.id()?, input.byte()? == 1);
                // It was not counted before.
                let back = if kind == 3 { 0 } else { input.number()? };
                Record::Moved(Moved { way, before, to, whole, back })
            }
            4 => Record::Prepared(Box::new(taken(&mut input)?)),
            5 => Record::Head(input.text()?),
            _ => return None,
        };
        input.0.is_empty().then_some(record)
    }
}

fn taken(input: &mut In<'_>) -> Option<Taken> {
    let (commit, tree, note) = (input.id()?, input.id()?, note_of(input)?);
    let (files, bytes, skips) = (input.number()?, input.number()?, input.number()?);
    let one =
        |it: &mut In<'_>| Some(Skipped { path: it.text()?, bytes: it.number()?, why: Skip::decode(it.byte()?)?? });
    let skipped = input.many(one)?;
    Some(Taken { commit, tree, note, files, bytes, skipped, skips })
}

fn note(out: &mut Out, note: &Note) {
    let Note { conversation, turn, call, reason, why, time } = note;
    out.bytes(conversation.as_bytes()).number(u64::from(*turn)).byte(u8::from(call.is_some()));
    out.bytes(call.as_deref().unwrap_or_default().as_bytes());
    out.byte(number(&REASONS, reason)).bytes(why.as_bytes()).number(time.0);
}

fn note_of(input: &mut In<'_>) -> Option<Note> {
    let (conversation, turn, has_call) = (input.text()?, input.small()?, input.byte()? == 1);
    let call = Some(input.text()?).filter(|_| has_call);
    let reason = *REASONS.get(usize::from(input.byte()?))?;
    Some(Note { conversation, turn, call, reason, why: input.text()?, time: Time(input.number()?) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_and_parts_of_them_do_not() {
        let note = |reason| Note {
            conversation: "c".into(),
            turn: 7,
            call: Some("call_1_0".into()),
            reason,
            why: "before `rm -rf`\n".into(),
            time: Time(1_700_000_000_123),
        };
        let skipped = vec![Skipped { path: "a".into(), bytes: 9, why: Skip::Special }];
        let (commit, tree) = (Hash::of(b"c"), Hash::of(b"t"));
        let mut all: Vec<Record> = REASONS
            .map(|it| {
                let (note, skipped) = (note(it), skipped.clone());
                Record::Taken(Box::new(Taken { commit, tree, note, files: 1, bytes: 2, skipped, skips: 1 }))
            })
            .into();
        all.push(Record::Marked { commit, note: Note { call: None, ..note(CheckpointReason::Asked) } });
        all.extend(WAYS.map(|way| Record::Moved(Moved { way, before: commit, to: tree, whole: true, back: 2 })));
        all.push(Record::Head("ref: refs/heads/main\n".into()));
        for record in all {
            let bytes = record.encode();
            assert_eq!(Record::decode(&bytes), Some(record));
            for length in 0..bytes.len() {
                assert_eq!(Record::decode(&bytes[..length]), None);
            }
        }
    }
}
