//! The agent and its projects. Nothing is cached: what is asked is asked of the routes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ox_app::ProjectOptions;
use ox_protocol::{ApprovalPolicy, FileChange, Mode};
use ox_server::Embedded;
use ox_server::answers::{
    ChangedFile, ConversationInfo, ConversationList, Diff, ProjectInfo, Recorded, RecordedTurn, RestorePreview,
    Restored,
};
use reqwest::Method;
use serde::Serialize;

use crate::link::{Asked, Link};
use crate::{Conversation, Error};

/// The agent: in this process, or a server.
#[derive(Clone)]
pub struct Ox {
    link: Arc<Link>,
}

impl Ox {
    /// The agent in this process, with the project around `folder` open and as it is configured. Conversations are stored where
    /// those of the program `ox` are. It blocks while the store is opened.
    pub fn here(folder: &Path) -> Result<Ox, Error> {
        Ox::here_with(folder, ProjectOptions::default())
    }

    /// The same with projects opened in this way: with further layers of configuration, for example.
    pub fn here_with(folder: &Path, project: ProjectOptions) -> Result<Ox, Error> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        Ok(Ox { link: Arc::new(Link::Here(Box::new(Embedded::open(&folder, &project)?))) })
    }

    /// The server at `url`, for example `http://127.0.0.1:7878`. The token is the content of the file `server-token` among the
    /// files of its state. Nothing is asked yet.
    pub fn connect(url: &str, token: &str) -> Result<Ox, Error> {
        Ok(Ox { link: Arc::new(Link::to(url, token)?) })
    }

    /// The server that `OX_BASE_URL` and `OX_TOKEN` name; where they name none, this process with the project around `folder`.
    pub fn of_environment(folder: &Path) -> Result<Ox, Error> {
        match std::env::var("OX_BASE_URL") {
            Ok(url) => Ox::connect(&url, &std::env::var("OX_TOKEN").unwrap_or_default()),
            Err(_) => Ox::here(folder),
        }
    }

    /// The server of this user that was started last on this machine.
    pub fn running() -> Result<Ox, Error> {
        let state = ox_app::project::paths()?.state_dir;
        let known = ox_server::running(&state);
        let known = known.ok_or_else(|| Error::connection("no server runs; `ox serve` starts one"))?;
        Ox::connect(&known.url, &known.token)
    }

    /// The open projects.
    pub async fn projects(&self) -> Result<Vec<Project>, Error> {
        let all: Vec<ProjectInfo> = self.link.ask(Asked::get(&["api", "projects"])).await?;
        Ok(all.into_iter().map(|info| Project { link: self.link.clone(), info }).collect())
    }

    /// Opens the project around a folder of the machine that the agent works on.
    pub async fn open(&self, folder: &Path) -> Result<Project, Error> {
        #[derive(Serialize)]
        struct Folder {
            root: PathBuf,
        }
        let folder = Folder { root: folder.to_path_buf() };
        let info = self.link.ask(Asked::with(Method::POST, &["api", "projects"], &folder)).await?;
        Ok(Project { link: self.link.clone(), info })
    }

    /// The conversation with this id, or the only one whose id begins so.
    pub async fn conversation(&self, id: &str) -> Result<Conversation, Error> {
        let info: ConversationInfo = self.link.ask(Asked::get(&["api", "conversations", id])).await?;
        Ok(Conversation::new(self.link.clone(), info.id))
    }

    /// Interrupts what runs in this process, and keeps its state. A server goes on.
    pub async fn close(&self) {
        if let Link::Here(embedded) = &*self.link {
            embedded.close().await;
        }
    }
}

/// What shapes a new conversation; what is left out is as the project is configured.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Begin {
    /// Its name.
    pub name: Option<String>,
    /// `provider/model`.
    pub model: Option<String>,
    /// Whether it plans, builds and so on.
    pub mode: Option<Mode>,
    /// When the user is asked.
    pub approval: Option<ApprovalPolicy>,
}

/// An open project.
#[derive(Clone)]
pub struct Project {
    link: Arc<Link>,
    info: ProjectInfo,
}

impl Project {
    /// What it was when it was asked for.
    pub fn info(&self) -> &ProjectInfo {
        &self.info
    }

    /// Begins a conversation.
    pub async fn begin(&self, options: Begin) -> Result<Conversation, Error> {
        #[derive(Serialize)]
        struct New<'a> {
            project: &'a str,
            #[serde(flatten)]
            options: Begin,
        }
        let new = New { project: &self.info.key, options };
        let info: ConversationInfo = self.link.ask(Asked::with(Method::POST, &["api", "conversations"], &new)).await?;
        Ok(Conversation::new(self.link.clone(), info.id))
    }

    /// Its conversations, the most recently used first; where a text is given, those in which it occurs.
    pub async fn conversations(&self, search: Option<&str>) -> Result<Vec<ConversationInfo>, Error> {
        let mut query = vec![("project", self.info.key.clone())];
        query.extend(search.map(|it| ("search", it.to_owned())));
        let asked = Asked { query: &query, ..Asked::get(&["api", "conversations"]) };
        Ok(self.link.ask::<ConversationList>(asked).await?.conversations)
    }

    /// The recorded states of its files by the turns that made them, newest first.
    pub async fn checkpoints(&self) -> Result<Vec<RecordedTurn>, Error> {
        let path = ["api", "projects", &self.info.key, "checkpoints"];
        Ok(self.link.ask::<Recorded>(Asked::get(&path)).await?.turns)
    }

    /// How the files differ now from a recorded state.
    pub async fn diff_since(&self, state: &str) -> Result<Vec<ChangedFile>, Error> {
        let path = ["api", "projects", &self.info.key, "checkpoints", state, "diff"];
        Ok(self.link.ask::<Diff>(Asked::get(&path)).await?.files)
    }

    /// What rolling back to a recorded state would change.
    pub async fn would_roll_back(&self, state: &str) -> Result<Vec<FileChange>, Error> {
        let path = ["api", "projects", &self.info.key, "checkpoints", state, "restore"];
        Ok(self.link.ask::<RestorePreview>(Asked::get(&path)).await?.changes)
    }

    /// Puts a recorded state back: these files, or all where none is named. What was there is recorded first; its id is in the
    /// answer.
    pub async fn roll_back(&self, state: &str, paths: &[String]) -> Result<Restored, Error> {
        #[derive(Serialize)]
        struct Wanted<'a> {
            paths: &'a [String],
        }
        let path = ["api", "projects", &self.info.key, "checkpoints", state, "restore"];
        self.link.ask(Asked::with(Method::POST, &path, &Wanted { paths })).await
    }
}
