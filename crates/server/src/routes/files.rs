//! The files of a project, and completing their names.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ox_protocol::Problem;
use ox_repo::{RepoError, Tree, WalkOptions};
use ox_text::document::{self, TextSpan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::blocking::blocking;
use crate::failure::Answer;
use crate::input::{At, Keyed, Params};
use crate::shared::Shared;

/// Bytes of a file that is shown.
const LONGEST: u64 = 2 << 20;
/// Entries of a folder that are listed.
const ENTRIES: usize = 2_000;

/// A path of the project.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Path {
    /// Relative to the root; empty for the root itself.
    #[serde(default)]
    path: String,
}

/// A folder.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FolderJson {
    path: String,
    /// Folders first.
    entries: Vec<EntryJson>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct EntryJson {
    name: String,
    path: String,
    /// `file` or `folder`.
    kind: &'static str,
    /// Bytes of a file.
    size: Option<u64>,
    /// True where it, or something in it, has changes that are not committed.
    changed: bool,
}

pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Params(Path { path }): Params<Path>,
) -> Answer<FolderJson> {
    let folder = blocking(move || {
        let project = shared.projects.open(&project)?;
        let tree = project.tree()?;
        let changed: BTreeSet<String> = project.uncommitted().unwrap_or_default().into_iter().collect();
        let from = if path.is_empty() { ".".to_owned() } else { path.clone() };
        let options = WalkOptions { from, depth: Some(1), hidden: true, limit: ENTRIES, ..WalkOptions::default() };
        let entries = tree.walk(&options).map_err(no_file)?.into_iter().map(|it| EntryJson {
            name: it.rel.rsplit('/').next().unwrap_or(&it.rel).to_owned(),
            kind: if it.is_dir { "folder" } else { "file" },
            size: (!it.is_dir).then(|| size(&tree, &it.rel)).flatten(),
            changed: match it.is_dir {
                true => changed
                    .range(format!("{}/", it.rel)..)
                    .next()
                    .is_some_and(|path| path.starts_with(&format!("{}/", it.rel))),
                false => changed.contains(&it.rel),
            },
            path: it.rel,
        });
        let mut entries: Vec<EntryJson> = entries.collect();
        entries.sort_by(|a, b| (a.kind == "file", &a.name).cmp(&(b.kind == "file", &b.name)));
        Ok(FolderJson { path, entries })
    });
    Ok(Json(folder.await?))
}

fn size(tree: &Tree, path: &str) -> Option<u64> {
    Some(tree.root().join(path).symlink_metadata().ok()?.len())
}

fn no_file(why: RepoError) -> Problem {
    Problem::new("server.no_file").with("why", why)
}

/// A file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FileJson {
    path: String,
    size: u64,
    /// Its text, where it is one that is not too large.
    text: Option<String>,
    /// The same with the classes of its language, line by line.
    lines: Option<Vec<Vec<TextSpan>>>,
    /// A picture as a data URL.
    image: Option<String>,
    /// True where it is too large to be shown.
    too_large: bool,
}

pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Params(Path { path }): Params<Path>,
) -> Answer<FileJson> {
    let file = blocking(move || {
        let tree = shared.projects.open(&project)?.tree()?;
        let size = size(&tree, &path).unwrap_or_default();
        let none = FileJson { path: path.clone(), size, text: None, lines: None, image: None, too_large: false };
        if let Some(kind) = picture(&path).filter(|_| size <= LONGEST) {
            let bytes = tree.read_bytes(&path, LONGEST).map_err(no_file)?;
            return Ok(FileJson {
                image: Some(format!("data:{kind};base64,{}", BASE64_STANDARD.encode(bytes))),
                ..none
            });
        }
        if size > LONGEST {
            return Ok(FileJson { too_large: true, ..none });
        }
        let text = match tree.read(&path) {
            Ok(read) => read.text,
            Err(RepoError::Binary { .. }) => return Ok(none),
            Err(why) => return Err(no_file(why)),
        };
        Ok(FileJson { lines: Some(document::code(&text, None, Some(&path))), text: Some(text), ..none })
    });
    Ok(Json(file.await?))
}

/// The media type of a picture that a browser shows, by its name.
fn picture(path: &str) -> Option<&'static str> {
    match path.rsplit('.').next()?.to_ascii_lowercase().as_str() {
        "png" => Some("image/png"),
        "jpg" | "jpeg" => Some("image/jpeg"),
        "gif" => Some("image/gif"),
        "webp" => Some("image/webp"),
        _ => None,
    }
}

/// What was typed.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Typed {
    /// What the names are to be like.
    #[serde(default)]
    text: String,
    /// At most so many.
    #[serde(default = "crate::input::ten")]
    limit: usize,
}

/// Names that are like it, best first.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Completions {
    items: Vec<Completion>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Completion {
    /// `file`, `folder` or `symbol`.
    kind: &'static str,
    /// What comes behind the `@`.
    insert: String,
    shown: String,
    /// Where a symbol stands; empty for others.
    detail: String,
}

pub(crate) async fn complete(
    State(shared): State<Arc<Shared>>,
    At(Keyed { project }): At<Keyed>,
    Params(Typed { text, limit }): Params<Typed>,
) -> Answer<Completions> {
    let items = blocking(move || {
        let project = shared.projects.open(&project)?;
        let limit = limit.min(100);
        let paths = project.paths();
        let mut items: Vec<Completion> = ox_screen::best(&text, &paths, limit)
            .into_iter()
            .map(|at| {
                let path = paths[at].clone();
                let kind = if path.ends_with('/') { "folder" } else { "file" };
                Completion { kind, insert: path.clone(), shown: path, detail: String::new() }
            })
            .collect();
        // Symbols are worth their price only where something was typed.
        if text.len() > 1 && items.len() < limit {
            let symbols = project.symbols().unwrap_or_default();
            let names: Vec<&str> = symbols.iter().map(|it| it.0.as_str()).collect();
            items.extend(ox_screen::best(&text, &names, limit - items.len()).into_iter().map(|at| {
                let (name, place) = symbols[at].clone();
                Completion { kind: "symbol", insert: place.clone(), shown: name, detail: place }
            }));
        }
        Ok(Completions { items })
    });
    Ok(Json(items.await?))
}
