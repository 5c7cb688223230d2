//! Taking over what other agents know: their conversations into the store, their settings into the user's own files.
//!
//! The other agents' folders are read and never written. A conversation keeps its id from one import to the next, so none is
//! taken twice; one that has grown since gets the rest.

mod settings;

use std::path::Path;

pub use ox_import::{Agent, Home};
use ox_import::{Foreign, Listing, Stored, Unread, frames};
use ox_protocol::{ConversationId, Event, Frame, Problem, Seq};
use ox_store::{Log, Owner, StoreError, lock_conversation};

pub use settings::Offer;

use crate::project::{Project, env, root_name, root_of};

/// What is to be taken over.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Whose.
    pub home: Home,
    /// Conversations of all folders, not only of this project.
    pub all: bool,
    /// Only find out what would be taken.
    pub dry: bool,
}

/// What became of the conversations.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Each of them.
    pub conversations: Vec<ImportedConversation>,
    /// Conversations of other folders, which were not asked for.
    pub elsewhere: usize,
    /// Conversations of sub-agents, which are left out.
    pub of_agents: usize,
    /// What was not understood.
    pub unread: Unread,
    /// Files that could not be read or taken.
    pub problems: Vec<Problem>,
}

/// One conversation.
#[derive(Clone, Debug)]
pub struct ImportedConversation {
    /// Its id in the store.
    pub id: ConversationId,
    /// The other agent's id of it.
    pub origin: String,
    /// The project that it belongs to.
    pub root: String,
    /// Its name, or the first line of its first prompt.
    pub title: String,
    /// Its turns.
    pub turns: u32,
    /// What became of it.
    pub fate: Fate,
}

/// What becomes of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is new.
    New,
    /// It was there and had grown; this many events were added.
    Grown(usize),
    /// It was there, and nothing is new.
    Known,
    /// It was there and is another one now: it went on in both programs, or was taken in the middle of a turn. What is stored
    /// stays as it is.
    Apart,
    /// Nothing was said in it.
    Empty,
}

impl Fate {
    /// The word for it in JSON and in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Fate::New => "new",
            Fate::Grown(_) => "grown",
            Fate::Known => "known",
            Fate::Apart => "apart",
            Fate::Empty => "empty",
        }
    }
}

/// The folders of an agent: those that `from` names, or the usual ones.
pub fn home(agent: Agent, from: Option<&Path>) -> Result<Home, Problem> {
    let home = match from {
        Some(folder) => Some(Home::at(agent, folder.to_owned())),
        None => Home::usual(agent, &env),
    };
    let found = home.filter(|it| it.folder.is_dir() || it.settings.iter().any(|it| it.is_file()));
    let looked = from.map(|it| it.display().to_string());
    found.ok_or_else(|| {
        let usual = Home::usual(agent, &env).map(|it| it.folder.display().to_string());
        let place = looked.or(usual).unwrap_or_default();
        Problem::new("import.nothing_there").with("agent", agent).with("path", place).with("name", agent.name())
    })
}

impl Project {
    /// Takes conversations over, or only finds out which ones would be.
    pub fn import(&self, wanted: &Wanted) -> Result<Imported, Problem> {
        let log = self.store()?;
        let listing = wanted.home.list()?;
        let mut imported =
            Imported { of_agents: listing.of_agents, unread: listing.unread.clone(), ..Imported::default() };
        let here = self.root_name();
        for stored in &listing.conversations {
            let root = root_name(&root_of(Path::new(&stored.folder)));
            if !wanted.all && root != here {
                imported.elsewhere += 1;
                continue;
            }
            match self.import_one(log.as_ref(), wanted, (&listing, stored), root) {
                Ok((conversation, unread)) => {
                    imported.unread.add(&unread);
                    imported.conversations.push(conversation);
                }
                Err(problem) => imported.problems.push(problem),
            }
        }
        Ok(imported)
    }

    fn import_one(
        &self,
        log: &dyn Log,
        wanted: &Wanted,
        (listing, stored): (&Listing, &Stored),
        root: String,
    ) -> Result<(ImportedConversation, Unread), Problem> {
        let mut foreign = wanted.home.read(listing, stored)?;
        ox_import::without_secrets(&mut foreign, &ox_agent::without_secrets);
        let id = ox_import::conversation_id(wanted.home.agent, stored);
        let frames = frames(&foreign, &id, &root, env!("CARGO_PKG_VERSION"));
        let fate = self.keep(log, &id, &frames, &foreign, wanted.dry)?;
        let turns = frames.iter().filter(|it| matches!(it.event, Event::TurnStart { .. })).count();
        let prompt = frames.iter().find_map(|it| match &it.event {
            Event::TurnStart { prompt, .. } => prompt.lines().next().map(str::to_owned),
            _ => None,
        });
        let title = foreign.title.or(prompt).unwrap_or_default();
        let turns = u32::try_from(turns).unwrap_or(u32::MAX);
        Ok((ImportedConversation { id, origin: foreign.id, root, title, turns, fate }, foreign.unread))
    }

    /// Stores what is new of a conversation.
    fn keep(
        &self,
        log: &dyn Log,
        id: &ConversationId,
        frames: &[Frame],
        foreign: &Foreign,
        dry: bool,
    ) -> Result<Fate, Problem> {
        if !frames.iter().any(|it| matches!(it.event, Event::TurnStart { .. })) {
            return Ok(Fate::Empty);
        }
        let known = match log.read(id) {
            Ok(history) => history.frames,
            Err(StoreError::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        let fate = fate(&known, frames);
        if dry || !matches!(fate, Fate::New | Fate::Grown(_)) {
            return Ok(fate);
        }
        // Nobody goes on with it meanwhile.
        let _lock = lock_conversation(&self.paths.state_dir, id)?;
        let owner = match known.is_empty() {
            true => log.create(&frames[0]).map(|_| Owner::FIRST)?,
            false => log.own(id)?,
        };
        let from = known.len().max(1);
        log.append(id, owner, Seq(from as u64), &frames[from..])?;
        if let Some(title) = foreign.title.as_deref().filter(|_| known.is_empty()) {
            log.rename(id, title)?;
        }
        Ok(fate)
    }
}

/// What becomes of a conversation that has these events, where those are known.
fn fate(known: &[Frame], frames: &[Frame]) -> Fate {
    let common = known.len().min(frames.len());
    // The first event names the version of Ox that wrote it.
    let alike = known.iter().zip(frames).skip(1).all(|(a, b)| (a.time, &a.event) == (b.time, &b.event));
    match (common, alike) {
        (0, _) => Fate::New,
        (_, false) => Fate::Apart,
        (common, true) if common < frames.len() => Fate::Grown(frames.len() - common),
        (_, true) => Fate::Known,
    }
}
