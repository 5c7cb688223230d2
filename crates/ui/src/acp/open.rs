//! Opening, listing and deleting the conversations that are sessions.
//!
//! Promise: a conversation is named by its whole id, and is opened in its own project only. Everything here may take its
//! time and is not for threads of an async runtime.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use agent_client_protocol::v1::schema::{ListSessionsResponse, SessionId, SessionInfo};
use ox_app::conversations::session::{Editor, OpenedSession, SessionOptions};
use ox_app::conversations::stored::{Conversations, Info};
use ox_app::project::models::{Reach, forget_stored_keys};
use ox_app::project::{current_folder, root_name, root_of};
use ox_app::{Project, ProjectOptions};
use ox_client::view::View;
use ox_protocol::{ConversationId, Frame, Problem};

use super::files::ClientFiles;
use super::options::Chosen;
use super::updates::Updates;
use crate::words;

/// Sessions of one answer to `session/list`.
const PAGE: usize = 100;
/// Characters of a title.
const TITLE: usize = 80;

/// Where a session is to be opened.
pub(super) struct Place {
    cwd: PathBuf,
    added: Vec<PathBuf>,
    stored: Option<String>,
    /// How many servers of tools the client named.
    servers: usize,
}

impl Place {
    pub(super) fn new(cwd: PathBuf, added: Vec<PathBuf>) -> Place {
        Place { cwd, added, stored: None, servers: 0 }
    }

    pub(super) fn stored(cwd: PathBuf, added: Vec<PathBuf>, id: &SessionId) -> Place {
        Place { cwd, added, stored: Some(id.to_string()), servers: 0 }
    }

    /// The client named so many servers of tools.
    pub(super) fn with_servers(self, servers: usize) -> Place {
        Place { servers, ..self }
    }

    /// The conversation that goes on.
    pub(super) fn stored_id(&self) -> Option<SessionId> {
        self.stored.clone().map(SessionId::new)
    }
}

/// A session that is open and that nobody serves yet.
pub(super) struct Opened {
    pub(super) id: ConversationId,
    pub(super) project: Arc<Project>,
    pub(super) session: OpenedSession,
    pub(super) updates: Updates,
    /// What happened before.
    pub(super) history: Vec<Frame>,
    /// How many servers of tools the client named; Ox uses none.
    pub(super) servers: usize,
}

/// Opens a session.
pub(super) fn open(place: Place, options: ProjectOptions, files: Option<ClientFiles>) -> Result<Opened, Problem> {
    if !place.cwd.is_absolute() || !place.cwd.is_dir() {
        return Err(Problem::new("acp.bad_cwd").with("path", place.cwd.display()));
    }
    let added = options.added.iter().cloned().chain(place.added).collect();
    let project = Project::open(&place.cwd, ProjectOptions { added, ..options })?;
    let resume = place.stored.map(|id| stored(&id)).transpose()?;
    if let Some(info) = resume.as_ref().filter(|it| it.root != project.root_name()) {
        let problem = Problem::new("acp.other_project").with("id", &info.id).with("root", &info.root);
        return Err(problem.with("cwd", place.cwd.display()));
    }
    let kept = Arc::new(project.clone());
    let resume = resume.map(|it| it.id);
    let goes_on = resume.is_some();
    let files = files.map(Arc::new);
    let editor = files.clone().map(|it| it as Arc<dyn Editor>);
    let setup = project.setup(SessionOptions { resume, editor, ..SessionOptions::default() })?;
    let model = setup.model.facts().name.clone();
    let session = OpenedSession::open(setup)?;
    let id = session.session.id().clone();
    if let Some(files) = files {
        files.begin(SessionId::new(id.0.clone()));
    }
    let history = if goes_on { session.client.history()? } else { Vec::new() };
    let mode = if goes_on { View::of(&history).mode } else { kept.settings.mode };
    let mut models = kept.selectable_models();
    models.retain(|it| *it != model);
    models.insert(0, model.clone());
    let updates =
        Updates::new(kept.settings.language, &kept.root, Chosen { mode, model, effort: kept.settings.effort, models });
    Ok(Opened { id, project: kept, session, updates, history, servers: place.servers })
}

/// The stored conversation of this id. The beginning of an id or a name is not enough: programs mean exactly one.
fn stored(id: &str) -> Result<Info, Problem> {
    let found = Conversations::open()?.find(id).ok().filter(|it| it.id.0 == id);
    found.ok_or_else(|| Problem::new("acp.unknown_session").with("id", id))
}

/// The stored conversations, those of the project around `cwd` where it is given. `cursor`: how many were listed already.
pub(super) fn list(cwd: Option<&Path>, cursor: Option<&str>) -> Result<ListSessionsResponse, Problem> {
    let skipped = match cursor.map(str::parse::<usize>) {
        None => 0,
        Some(Ok(skipped)) => skipped,
        Some(Err(_)) => return Err(Problem::new("acp.bad_cursor").with("cursor", cursor.unwrap_or_default())),
    };
    let root = match cwd {
        Some(cwd) if !cwd.is_absolute() => return Err(Problem::new("acp.bad_cwd").with("path", cwd.display())),
        cwd => cwd.map(|it| root_name(&root_of(it))),
    };
    let all = Conversations::open()?.list(root.as_deref(), usize::MAX)?;
    let next = skipped.saturating_add(PAGE);
    let more = (all.len() > next).then(|| next.to_string());
    let infos = all.into_iter().skip(skipped).take(PAGE).map(|it| info(&it)).collect();
    Ok(ListSessionsResponse::new(infos).next_cursor(more))
}

fn info(info: &Info) -> SessionInfo {
    let updated = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(info.updated.0));
    SessionInfo::new(info.id.0.clone(), &info.root)
        .title(words::short(info.title(), TITLE))
        .updated_at(updated.to_string())
}

/// Deletes a conversation for good.
pub(super) fn delete(id: &str) -> Result<(), Problem> {
    // What is gone already need not be deleted.
    match stored(id) {
        Ok(info) => Conversations::open()?.delete(&[info.id.0]).map(drop),
        Err(problem) if problem.code == "acp.unknown_session" => Ok(()),
        Err(problem) => Err(problem),
    }
}

/// Whether there is a model that can be asked, with the keys that are stored by now.
pub(super) fn can_ask(options: ProjectOptions) -> Result<(), Problem> {
    forget_stored_keys();
    let project = Project::open(&current_folder()?, options)?;
    project.model(None, &Reach::default()).map(drop)
}
