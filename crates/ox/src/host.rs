//! What the terminal asks of its surroundings: pictures, file names, other conversations.

use std::path::PathBuf;

use ox_app::Project;
use ox_app::conversations::session::{Conversation, SessionOptions};
use ox_app::project::attachments;
use ox_client::Client;
use ox_protocol::{BoxFuture, ConversationId, Image, Problem};
use ox_repo::{Tree, WalkOptions};
use ox_ui::{Host, Open, Recalled, SessionLine};

/// How many conversations and file names are listed.
const LISTED: usize = 40;

/// The project that the terminal was started in.
pub struct TerminalHost(pub Project);

impl Host for TerminalHost {
    fn image(&self, path: &str) -> Option<Result<Image, Problem>> {
        let path = PathBuf::from(path);
        path.is_file().then(|| attachments::image(&path))
    }

    fn files(&self, prefix: &str) -> Vec<String> {
        let Ok(tree) = Tree::open(&self.0.root, self.0.added()) else { return Vec::new() };
        let folder = prefix.rsplit_once('/').map_or("", |(folder, _)| folder);
        let options = WalkOptions { from: folder.to_string(), depth: Some(1), ..WalkOptions::default() };
        let entries = tree.walk(&options).unwrap_or_default();
        let shown = entries.into_iter().map(|it| if it.is_dir { format!("{}/", it.rel) } else { it.rel });
        shown.filter(|it| it.starts_with(prefix)).take(LISTED).collect()
    }

    fn sessions(&self) -> Vec<SessionLine> {
        let infos = self.0.store().and_then(|it| Ok(it.list(Some(&self.0.root_name()), usize::MAX)?));
        let line =
            |it: ox_store::Info| SessionLine { id: it.id.0.clone(), title: it.title().to_string(), last: it.updated };
        infos.unwrap_or_default().into_iter().filter(ox_store::Info::has_begun).take(LISTED).map(line).collect()
    }

    fn memory(&self, here: &ConversationId) -> Result<Recalled, Problem> {
        let found = self.0.reopened()?.memory(here)?;
        let (text, tokens) = found.section.map(|it| (it.text, it.tokens.0)).unwrap_or_default();
        Ok(Recalled { text, tokens, reported: found.reported })
    }

    fn open(&self, which: Open) -> BoxFuture<'_, Result<Client, Problem>> {
        Box::pin(async move {
            let project = self.0.reopened()?;
            let resume = match which {
                Open::New => None,
                Open::Id(prefix) => Some(project.conversation_to_resume(Some(&prefix))?),
            };
            let setup = project.setup(SessionOptions { resume, ..SessionOptions::default() })?;
            let Conversation { client, session } = Conversation::open(setup)?;
            tokio::spawn(session.serve());
            Ok(client)
        })
    }
}
