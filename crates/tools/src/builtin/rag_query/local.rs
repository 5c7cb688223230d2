//! The documents of the project and of configured folders, searched by section.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use ox_index::FileState;
use ox_index::docs::{Docs, Form, Passage, charset, form, page_text, pdf_text};
use ox_protocol::Outcome;
use ox_repo::Tree;

use super::passage::{BYTES, passage};
use crate::builtin::search_semantic::within;
use crate::call::index_query::awaited;
use crate::session::code_index::file_state;
use crate::text::{count, name, with_status};
use crate::{
    call::context::CallContext, call::error::ToolError, call::tool::ToolResult, session::sources::DocumentSources,
};

/// Bytes of a document that are read.
const MOST: usize = 4 << 20;

/// The places where documents are.
struct Library {
    /// What the paths begin with (nothing for the project), and the tree.
    places: Vec<(String, Tree)>,
}

impl Library {
    /// The project's tree and those of the configured folders that can be opened; the others are told.
    fn open(tree: &Tree, sources: &DocumentSources) -> (Library, Vec<String>) {
        let mut places = vec![(String::new(), tree.clone())];
        let mut missing = Vec::new();
        for folder in &sources.folders {
            let path: PathBuf = tree.root().join(folder);
            match Tree::open(&path, &[]) {
                Ok(opened) if opened.root() != tree.root() => {
                    let base = match opened.root().strip_prefix(tree.root()) {
                        Ok(inside) => inside.to_string_lossy().into_owned(),
                        Err(_) => opened.root().to_string_lossy().into_owned(),
                    };
                    places.push((format!("{base}/"), opened));
                }
                Ok(_) => {}
                Err(_) => missing.push(folder.clone()),
            }
        }
        (Library { places }, missing)
    }

    fn states(&self) -> Vec<FileState> {
        let of = |(base, tree): &(String, Tree)| -> Vec<FileState> {
            let documents = tree.states(false).files.into_iter().filter(|it| form(&it.path).is_some());
            documents.map(|it| FileState { path: format!("{base}{}", it.path), ..file_state(it) }).collect()
        };
        self.places.iter().flat_map(of).collect()
    }

    /// The text of a document, as Markdown where it is a page.
    fn read(&self, path: &str) -> std::io::Result<Vec<u8>> {
        let fits = |it: &&(String, Tree)| !it.0.is_empty() && path.starts_with(&it.0);
        let (base, tree) = self.places.iter().find(fits).unwrap_or(&self.places[0]);
        let bytes = tree.listed(path.strip_prefix(base.as_str()).unwrap_or(path))?;
        if form(path) == Some(Form::Pdf) {
            return Ok(pdf_text(&bytes).into_bytes());
        }
        let bytes = &bytes[..bytes.len().min(MOST)];
        match form(path) {
            Some(Form::Html) => Ok(page_text(&charset::decode(bytes, None, true)).into_bytes()),
            _ => Ok(bytes.to_vec()),
        }
    }
}

/// Answers from the documents, those under `folder` alone where one is given.
pub(super) fn ask(cx: &CallContext, folder: &str, query: &str, limit: usize) -> Result<ToolResult, ToolError> {
    let sources = &cx.sandbox_policy.sources;
    let Some(cache) = &sources.cache else {
        return Err(ToolError::Wrong("The documents of this project are not indexed. Use search_code.".into()));
    };
    let docs = opened(cx, sources, cache)?;
    let (library, missing) = Library::open(&cx.tree, sources);
    let folder = under(cx, &library, folder)?;
    let library = Arc::new(library);
    let (reader, writer) = (library.clone(), docs.clone());
    // What fails leaves what was known before.
    let work = move || drop(writer.update(&reader.states(), &|path| reader.read(path)));
    let settled = awaited(cx, &sources.reading, work)?;
    let (found, more) = docs.ask(&|path| library.read(path), query, &folder, limit);
    let mut out = String::new();
    let mut left = more;
    for it in &found {
        let piece = reported(it);
        if !out.is_empty() && out.len() + piece.len() > BYTES {
            left += 1;
            continue;
        }
        out.push_str(&piece);
    }
    let mut notes = Vec::new();
    if found.is_empty() {
        notes.push(format!("none of {} bears on that", count(docs.len(), "document")));
    }
    if left > 0 {
        notes.push(format!("{} not shown: raise limit or narrow with source", count(left, "section")));
    }
    if !settled {
        notes.push(format!("documents are still being read ({} so far), so there may be more", docs.len()));
    }
    notes.extend(missing.iter().map(|it| format!("the configured folder {it} cannot be opened")));
    Ok(Outcome::ok(if notes.is_empty() {
        out.trim_end().to_owned()
    } else {
        with_status(out, &format!("[{}]", notes.join("; ")))
    })
    .into())
}

/// The index of the documents, opened by the first who asks.
fn opened(cx: &CallContext, sources: &DocumentSources, cache: &Path) -> Result<Docs, ToolError> {
    let mut docs = sources.docs.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(docs) = &*docs {
        return Ok(docs.clone());
    }
    let opened = Docs::open(cache, &cx.tree.root().to_string_lossy())
        .map_err(|error| ToolError::Wrong(format!("The documents cannot be indexed: {error}. Use search_code.")))?;
    *docs = Some(opened.clone());
    Ok(opened)
}

/// The folder that is meant, as the documents' paths begin; words where there is none.
fn under(cx: &CallContext, library: &Library, folder: &str) -> Result<String, ToolError> {
    let folder = folder.trim_end_matches('/');
    if matches!(folder, "" | ".") {
        return Ok(String::new());
    }
    let known = library.places.iter().any(|it| within(it.0.trim_end_matches('/'), folder) && !it.0.is_empty());
    let inside = cx.tree.locate(folder, ox_repo::Access::Read).map(|it| it.rel).ok();
    let there = inside.filter(|it| !it.starts_with('/') && cx.tree.root().join(it).exists());
    match (known, there) {
        (_, Some(rel)) => Ok(rel),
        (true, None) => Ok(folder.to_owned()),
        (false, None) => {
            let names: Vec<&str> = cx.sandbox_policy.sources.servers.keys().map(String::as_str).collect();
            let servers = if names.is_empty() {
                "no server is configured".to_owned()
            } else {
                format!("configured servers: {}", names.join(", "))
            };
            Err(ToolError::Wrong(format!(
                "`{folder}` is neither a folder with documents nor a documentation server ({servers})."
            )))
        }
    }
}

fn reported(it: &Passage) -> String {
    let headings = if it.headings.is_empty() { "(beginning)".to_owned() } else { it.headings.join(" > ") };
    // The lines of a page are not those of its file.
    let place = match form(&it.path) {
        Some(Form::Text) => format!("{}:{}-{}", name(&it.path), it.start, it.end),
        _ => name(&it.path).into_owned(),
    };
    passage(&format!("{place}: {headings} (score {:.2})", it.score), &it.text)
}
