//! What the terminal asks of its surroundings: pictures, file names, other conversations.

use std::path::PathBuf;

use ox_agent::Session;
use ox_agent::memory::memory;
use ox_client::pair;
use ox_protocol::{BoxFuture, ConversationId, Image, Layer, Problem};
use ox_repo::{Tree, WalkOptions};
use ox_ui::{Host, Open, Opened, Recalled, SessionLine};

use crate::wire::{self, Extras};

/// How many conversations and file names are listed.
const LISTED: usize = 40;

/// The project that the terminal was started in.
pub struct Project {
    /// Its root.
    pub root: PathBuf,
    /// Flags that every session is opened with.
    pub flags: Layer,
    /// Further folders.
    pub added: Vec<PathBuf>,
}

impl Host for Project {
    fn image(&self, path: &str) -> Option<Result<Image, Problem>> {
        let path = PathBuf::from(path);
        path.is_file().then(|| wire::image(&path))
    }

    fn files(&self, prefix: &str) -> Vec<String> {
        let Ok(tree) = Tree::open(&self.root, &self.added) else { return Vec::new() };
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        let options = WalkOptions { from: folder.to_string(), depth: Some(1), ..WalkOptions::default() };
        let entries = tree.walk(&options).unwrap_or_default();
        let shown = entries.into_iter().map(|it| if it.is_dir { format!("{}/", it.rel) } else { it.rel });
        shown.filter(|it| it.starts_with(prefix)).take(LISTED).collect()
    }

    fn sessions(&self) -> Vec<SessionLine> {
        let listed = |it: wire::Opening| Ok(wire::store(&it.paths)?.list(Some(&self.shown_root()), usize::MAX)?);
        let infos: anyhow::Result<Vec<ox_store::Info>> = self.opening().and_then(listed);
        let line =
            |it: ox_store::Info| SessionLine { id: it.id.0.clone(), title: it.title().to_string(), last: it.updated };
        infos.unwrap_or_default().into_iter().filter(ox_store::Info::has_begun).take(LISTED).map(line).collect()
    }

    fn memory(&self, here: &ConversationId) -> Result<Recalled, Problem> {
        let look = || -> anyhow::Result<Recalled> {
            let opening = self.opening()?;
            let store = wire::store(&opening.paths)?;
            let frames = store.read(here).map(|it| it.frames).unwrap_or_default();
            let limits = (opening.settings.memory_turns, wire::window(&opening.settings));
            let found = memory(store.as_ref(), &self.shown_root(), (here, &frames), limits)?;
            let (text, tokens) = found.section.map(|it| (it.text, it.tokens.0)).unwrap_or_default();
            Ok(Recalled { text, tokens, told: found.told })
        };
        look().map_err(|error| {
            wire::problem_of(&error).unwrap_or_else(|| Problem::new("error.session").with("why", format!("{error:#}")))
        })
    }

    fn open(&self, which: Open) -> BoxFuture<'_, Result<Opened, Problem>> {
        Box::pin(async move {
            let other = |error: anyhow::Error| {
                wire::problem_of(&error)
                    .unwrap_or_else(|| Problem::new("error.session").with("why", format!("{error:#}")))
            };
            let opening = self.opening().map_err(other)?;
            let store = wire::store(&opening.paths).map_err(other)?;
            let resume = match which {
                Open::New => None,
                Open::Id(prefix) => Some(store.find(&prefix).map_err(|it| it.problem())?.id),
            };
            let setup = wire::setup(opening, Extras { resume, ..Extras::default() }).map_err(other)?;
            let (client, side) = pair();
            let session = Session::open(setup, side).map_err(|it| other(it.into()))?;
            let past = session.past().to_vec();
            tokio::spawn(session.serve());
            Ok(Opened { client, past })
        })
    }
}

impl Project {
    fn opening(&self) -> anyhow::Result<wire::Opening> {
        wire::opening_at(&self.root, self.flags.clone(), &self.added)
    }

    /// The root as conversations have it on record.
    fn shown_root(&self) -> String {
        self.root.canonicalize().unwrap_or_else(|_| self.root.clone()).to_string_lossy().into_owned()
    }
}
