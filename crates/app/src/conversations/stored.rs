//! The stored conversations: listing, searching, naming, deleting, forking, exporting.
//!
//! What was said is never changed: a fork is a conversation of its own, and deleting takes all of one.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use ox_agent::Clock;
use ox_protocol::locale::Language;
use ox_protocol::{ConversationId, Event, ForkOrigin, Frame, Problem, Seq};
pub use ox_store::Info;
use ox_store::{Found, Log, Owner, export_json, export_markdown};
use serde_json::Value;

use crate::project::{now, paths, store};

/// All stored conversations of the user. A conversation is named by its id, the beginning of its id, or its name.
#[derive(Clone)]
pub struct Conversations {
    log: Arc<dyn Log>,
}

impl Conversations {
    /// Opens the store. No configuration is read: a broken file must keep nobody from their conversations.
    pub fn open() -> Result<Conversations, Problem> {
        Ok(Conversations { log: store(&paths()?)? })
    }

    /// The conversations in this store.
    pub fn of(log: Arc<dyn Log>) -> Conversations {
        Conversations { log }
    }

    /// Those that have begun, the most recently used first; of one project root where it is given.
    pub fn list(&self, root: Option<&str>, limit: usize) -> Result<Vec<Info>, Problem> {
        // A start that failed is no conversation.
        Ok(self.log.list(root, usize::MAX)?.into_iter().filter(Info::has_begun).take(limit).collect())
    }

    /// The conversation that is named so.
    pub fn find(&self, name: &str) -> Result<Info, Problem> {
        Ok(self.log.find(name)?)
    }

    /// Those in which a text occurs.
    pub fn search(&self, text: &str, root: Option<&str>, limit: usize) -> Result<Vec<Found>, Problem> {
        Ok(self.log.search(text, root, limit)?)
    }

    /// Names a conversation; an empty name takes the name away.
    pub fn rename(&self, id: &str, name: &str) -> Result<(), Problem> {
        Ok(self.log.rename(&self.log.find(id)?.id, name)?)
    }

    /// Deletes conversations for good and says which they were. All are looked up first, so that a typing error deletes
    /// nothing.
    pub fn delete(&self, ids: &[String]) -> Result<Vec<Info>, Problem> {
        let infos: Vec<Info> = ids.iter().map(|id| self.log.find(id)).collect::<Result<_, _>>()?;
        for info in &infos {
            self.log.delete(&info.id)?;
        }
        Ok(infos)
    }

    /// Copies a conversation up to the end of one of its turns, or to its end, into a new one that names its origin.
    pub fn fork(&self, id: &str, turn: Option<u32>) -> Result<Info, Problem> {
        let source = self.log.find(id)?;
        let history = self.log.read(&source.id)?;
        if let Some(why) = history.read_only() {
            return Err(Problem::new("session.read_only").with("id", &source.id).with("why", why));
        }
        let last = turn.unwrap_or(source.turns);
        if turn.is_some_and(|it| it == 0 || it > source.turns) {
            return Err(Problem::new("sessions.no_turn").with("turn", last).with("last", source.turns));
        }
        let later = |it: &Frame| matches!(it.event, Event::TurnStart { turn, .. } if turn > last);
        let kept = history.frames.iter().take_while(|it| !later(it)).filter(|it| it.seq > Seq(1));
        let id = Clock::real().new_id();
        let from = ForkOrigin { conversation: source.id.clone(), turn: last };
        let event = Event::ConversationId {
            id: id.clone(),
            root: source.root.clone(),
            ox: env!("CARGO_PKG_VERSION").to_string(),
            from: Some(from),
        };
        let own = |it: Frame| Frame { conversation: id.clone(), ..it };
        self.log.create(&own(Frame::new(Seq(1), now(), event)))?;
        let rest: Vec<Frame> = kept.cloned().map(own).collect();
        if !rest.is_empty() {
            self.log.append(&id, Owner::FIRST, Seq(1), &rest)?;
        }
        if let Some(name) = &source.name {
            let taken: Vec<String> =
                self.log.list(Some(&source.root), usize::MAX)?.into_iter().filter_map(|it| it.name).collect();
            self.log.rename(&id, &numbered(name, &taken))?;
        }
        Ok(self.log.info(&id)?)
    }

    /// A conversation as Markdown for people.
    pub fn as_markdown(&self, id: &str, language: Language) -> Result<String, Problem> {
        let info = self.log.find(id)?;
        Ok(export_markdown(&info, &self.log.read(&info.id)?, language))
    }

    /// A conversation with every event, for programs.
    pub fn as_json(&self, id: &str) -> Result<Value, Problem> {
        let info = self.log.find(id)?;
        Ok(export_json(&info, &self.log.read(&info.id)?))
    }

    /// The events of a conversation.
    pub fn frames(&self, id: &ConversationId) -> Result<Vec<Frame>, Problem> {
        Ok(self.log.read(id)?.frames)
    }
}

/// Writes an exported conversation into a file that is not there yet.
pub fn write_new(path: &Path, text: &str) -> Result<(), Problem> {
    let written = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
    let written = written.and_then(|mut it| it.write_all(text.as_bytes()));
    written.map_err(|error| Problem::new("sessions.not_written").with("path", path.display()).with("why", error))
}

/// A name that is not taken: the same with a number behind it.
fn numbered(name: &str, taken: &[String]) -> String {
    let number = |it: &str| it.strip_prefix(" (")?.strip_suffix(')')?.parse::<u32>().ok();
    let base = name.rfind(" (").filter(|at| number(&name[*at..]).is_some()).map_or(name, |at| &name[..at]);
    let mut names = (2u32..).map(|it| format!("{base} ({it})"));
    names.find(|it| !taken.contains(it)).unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use ox_protocol::{Limits, Mode, ModelFacts, Rules, Stop, Time, Verification};
    use ox_store::Store;

    use super::*;

    fn frame(seq: u64, event: Event) -> Frame {
        Frame::new(Seq(seq), Time(seq), event)
    }

    fn begin(turn: u32, prompt: &str) -> Event {
        Event::TurnStart {
            turn,
            prompt: prompt.into(),
            images: Vec::new(),
            mode: Mode::Auto,
            model: ModelFacts::default(),
            rules: Rules::default(),
            continues: false,
            branch: None,
            limits: Limits::default(),
            fallbacks: Vec::new(),
            verification: Verification::default(),
            review: ox_protocol::ReviewPolicy::Off,
            checks: Vec::new(),
            fixers: Vec::new(),
            router: None,
        }
    }

    fn conversations() -> (tempfile::TempDir, Conversations) {
        let folder = tempfile::tempdir().unwrap();
        let log: Arc<dyn Log> = Arc::new(Store::open(&folder.path().join("ox.db")).unwrap());
        let id = ConversationId("20260101-000000-aaaa".into());
        let first = Event::ConversationId { id: id.clone(), root: "/p".into(), ox: "0".into(), from: None };
        log.create(&frame(1, first)).unwrap();
        let done = || Event::Completion { stop: Stop::Done, exit_code: 0 };
        let rest = [begin(1, "one"), done(), begin(2, "two"), done()];
        let rest: Vec<Frame> = rest.into_iter().enumerate().map(|(at, it)| frame(at as u64 + 2, it)).collect();
        log.append(&id, Owner::FIRST, Seq(1), &rest).unwrap();
        (folder, Conversations::of(log))
    }

    #[test]
    fn a_fork_has_the_turns_up_to_its_point_names_its_origin_and_goes_its_own_way() {
        let (_folder, all) = conversations();
        all.rename("20260101", "mine").unwrap();
        let fork = all.fork("mine", Some(1)).unwrap();
        assert_eq!((fork.turns, fork.prompt.as_str(), fork.root.as_str(), fork.title()), (1, "one", "/p", "mine (2)"));
        let frames = all.frames(&fork.id).unwrap();
        let Event::ConversationId { id, from: Some(from), .. } = &frames[0].event else { panic!("{:?}", frames[0]) };
        assert_eq!((id, from.conversation.0.as_str(), from.turn), (&fork.id, "20260101-000000-aaaa", 1));
        assert_eq!(frames.iter().map(|it| it.seq.0).collect::<Vec<_>>(), [1, 2, 3]);
        // The whole of it, where no turn is named; the source is as it was in either case.
        assert_eq!(all.fork("20260101", None).unwrap().turns, 2);
        assert_eq!(all.frames(&ConversationId("20260101-000000-aaaa".into())).unwrap().len(), 5);
        assert_eq!(all.list(Some("/p"), 10).unwrap().len(), 3);
        assert_eq!(all.fork("20260101", Some(3)).unwrap_err().code, "sessions.no_turn");
        let gone = all.delete(std::slice::from_ref(&fork.id.0)).unwrap();
        assert_eq!((gone.len(), all.fork(&fork.id.0, None).is_err()), (1, true));
    }

    #[test]
    fn nothing_is_deleted_where_one_of_the_names_is_wrong() {
        let (_folder, all) = conversations();
        assert!(all.delete(&["20260101".into(), "nothing".into()]).is_err());
        assert_eq!(all.list(None, 10).unwrap().len(), 1);
        assert_eq!(all.search("two", None, 10).unwrap().len(), 1);
    }
}
