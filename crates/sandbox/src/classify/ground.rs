//! Where a path leads: inside the project, outside, to a secret, to what must not be changed, or nobody knows where.
//!
//! Paths are followed component by component, symlinks included, as the kernel would; nothing is opened. A part that is
//! not known makes the whole unknown unless the part before it has left the project already.

use std::fs;
use std::path::{Component, Path, PathBuf};

use ox_protocol::{EffectKind, Level};

use super::Place;
use super::scope::{Folder, Scope};
use super::walk::Walk;
use super::word::{HOLE, Word};

mod kinds;

pub(super) use kinds::is_secret;

/// The temporary folder, of which commands have a private one behind walls.
const SCRATCH: &str = "/tmp";
/// Links that are followed before a path counts as leading outside.
const MOST_LINKS: usize = 40;

/// What is done with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
    Delete,
    /// Runs it.
    Run,
    /// Its folder becomes the working folder.
    Enter,
}

/// Where a path leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Spot {
    /// Inside: relative to the root, empty for the root itself.
    Inside(String),
    /// Inside a folder that was added; absolute.
    Added(String),
    /// Anywhere else; absolute.
    Outside(String),
    /// Not known.
    Unknown,
    /// `/dev/null` and the standard streams.
    Stream,
    /// A few files that tell about the machine and nothing else.
    Public(String),
    /// A host, through bash's `/dev/tcp`.
    Host(String),
}

/// The folders that everything is measured against.
pub(super) struct Ground {
    root: PathBuf,
    home: Option<PathBuf>,
    added: Vec<PathBuf>,
}

impl Ground {
    /// The ground of a place.
    pub fn new(place: &Place<'_>) -> Ground {
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        Ground {
            root: real(place.root),
            home: place.home.map(Path::to_owned),
            added: place.added.iter().map(|it| real(it)).collect(),
        }
    }

    /// The user's home as text; a path that leads outside where it is not known.
    pub fn home_text(&self) -> String {
        self.home.as_ref().map_or_else(|| "/home/?".to_owned(), |it| it.display().to_string())
    }

    /// A text whose leading `~` is expanded.
    pub fn tilde(&self, text: &str) -> String {
        match text.strip_prefix('~') {
            None => text.to_owned(),
            Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("{}{rest}", self.home_text()),
            Some("+" | "-") => HOLE.to_string(),
            // Another user's home, wherever that is.
            Some(rest) => format!("/home/{rest}"),
        }
    }

    /// Where the text leads from `folder`.
    pub fn spot(&self, text: &str, folder: &Folder) -> Spot {
        let text = self.tilde(text);
        if let Some(device) = device(&text) {
            return device;
        }
        let path = Path::new(&text);
        let start = match folder {
            _ if path.is_absolute() => PathBuf::from("/"),
            Folder::At(folder) => fs::canonicalize(folder).unwrap_or_else(|_| folder.clone()),
            Folder::Unknown => return Spot::Unknown,
        };
        match follow(start, path) {
            Ok(end) => self.tell(&end),
            Err(Some(end)) => match self.tell(&end) {
                Spot::Inside(_) | Spot::Added(_) => Spot::Unknown,
                outside => outside,
            },
            Err(None) => Spot::Outside(text),
        }
    }

    fn tell(&self, end: &Path) -> Spot {
        if let Ok(inside) = end.strip_prefix(&self.root) {
            return Spot::Inside(inside.display().to_string());
        }
        let text = end.display().to_string();
        if self.added.iter().any(|it| end.starts_with(it)) {
            return Spot::Added(text);
        }
        if kinds::is_public(&text) {
            return Spot::Public(text);
        }
        Spot::Outside(text)
    }
}

/// Devices that are streams, and those that are hosts.
fn device(text: &str) -> Option<Spot> {
    let rest = text.strip_prefix("/dev/")?;
    let mut parts = rest.split('/');
    match (parts.next()?, parts.next(), parts.next()) {
        ("null" | "stdin" | "stdout" | "stderr", None, None) => Some(Spot::Stream),
        ("fd", Some("0" | "1" | "2"), None) => Some(Spot::Stream),
        ("tcp" | "udp", Some(host), Some(_)) => Some(Spot::Host(host.replace(HOLE, "*"))),
        _ => None,
    }
}

/// Follows a path from `at`. The error is the folder before the first part that is not known, or none where links lead in circles.
fn follow(mut at: PathBuf, path: &Path) -> Result<PathBuf, Option<PathBuf>> {
    let mut rest: Vec<PathBuf> = parts(path);
    let mut links = 0;
    while let Some(part) = rest.pop() {
        let name = part.to_string_lossy();
        if name == ".." {
            at.pop();
            continue;
        }
        if part.is_absolute() {
            at = part;
            continue;
        }
        // A pattern such as `.*` matches the folder above as well.
        let above = name.starts_with('.')
            && name[1..].contains(['*', '?', '['])
            && !name[1..].contains(|c: char| c.is_alphanumeric());
        if name.contains(HOLE) || above {
            return Err(Some(at));
        }
        let next = at.join(&part);
        match fs::read_link(&next) {
            Ok(target) => {
                links += 1;
                if links > MOST_LINKS {
                    return Err(None);
                }
                rest.extend(parts(&target));
            }
            Err(_) => at = next,
        }
    }
    Ok(at)
}

/// The components of a path, last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    let named = path.components().filter_map(|it| match it {
        Component::RootDir => Some(PathBuf::from("/")),
        Component::ParentDir => Some(PathBuf::from("..")),
        Component::Normal(name) => Some(PathBuf::from(name)),
        Component::CurDir | Component::Prefix(_) => None,
    });
    let mut named: Vec<PathBuf> = named.collect();
    named.reverse();
    named
}

impl Walk<'_> {
    /// Notes that a path is used, with the level that its place gives the use.
    pub fn use_path(&mut self, word: &Word, used: Use, scope: &Scope) {
        let spot = self.ground.spot(&word.text, &scope.folder);
        let shown = word.text.replace(HOLE, "…");
        match spot {
            Spot::Stream => {}
            Spot::Host(host) => self.facts.host(&host),
            Spot::Public(path) if used == Use::Read => self.facts.path(&path, false),
            Spot::Unknown => self.use_unknown(&shown, used),
            Spot::Inside(path) => self.use_inside(&path, used),
            Spot::Added(path) => self.use_inside(&path, used),
            Spot::Outside(path) | Spot::Public(path) => self.use_outside(&path, used),
        }
    }

    fn use_unknown(&mut self, shown: &str, used: Use) {
        let shown = if shown.is_empty() { "…" } else { shown };
        match used {
            _ if is_secret(shown) => self.facts.add(EffectKind::Secret, Level::System, shown),
            Use::Read | Use::Enter => self.facts.add(EffectKind::Read, Level::Shell, shown),
            Use::Write | Use::Delete | Use::Run => self.facts.computed(Level::System, shown),
        }
    }

    fn use_inside(&mut self, path: &str, used: Use) {
        let shown = if path.is_empty() { "." } else { path };
        let changes = matches!(used, Use::Write | Use::Delete);
        self.facts.path(shown, changes);
        match used {
            Use::Enter => {}
            _ if is_secret(path) => self.facts.add(EffectKind::Secret, Level::System, shown),
            Use::Read => {}
            Use::Run => self.facts.add(EffectKind::Execute, Level::Shell, shown),
            Use::Write | Use::Delete if kinds::is_guarded(path) => {
                self.facts.add(EffectKind::System, Level::System, shown);
            }
            Use::Write if kinds::is_instruction(path) => self.facts.add(EffectKind::Write, Level::Shell, shown),
            Use::Write => self.facts.add(EffectKind::Write, Level::Edit, shown),
            // The root and everything in it, history included.
            Use::Delete if path.is_empty() || matches!(path, "*" | ".*" | "**") => {
                self.facts.add(EffectKind::Destroy, Level::System, shown);
            }
            Use::Delete => self.facts.add(EffectKind::Delete, Level::Shell, shown),
        }
    }

    fn use_outside(&mut self, path: &str, used: Use) {
        self.facts.path(path, matches!(used, Use::Write | Use::Delete));
        let kind = match used {
            _ if is_secret(path) => EffectKind::Secret,
            Use::Read | Use::Enter => EffectKind::Read,
            Use::Write | Use::Delete if Path::new(path).starts_with(SCRATCH) => EffectKind::Scratch,
            Use::Write => EffectKind::Write,
            Use::Delete => EffectKind::Delete,
            Use::Run => EffectKind::Execute,
        };
        self.facts.add(kind, Level::System, path);
    }
}

impl Ground {
    /// The folder after a `cd` to the text.
    pub fn enter(&self, text: &str, folder: &Folder) -> Folder {
        match self.spot(text, folder) {
            Spot::Inside(path) => Folder::At(self.root.join(path)),
            Spot::Added(path) | Spot::Outside(path) | Spot::Public(path) => Folder::At(PathBuf::from(path)),
            Spot::Unknown | Spot::Stream | Spot::Host(_) => Folder::Unknown,
        }
    }

    /// True when the text leads to a place outside that is known.
    pub fn leads_outside(&self, text: &str, scope: &Scope) -> bool {
        matches!(self.spot(text, &scope.folder), Spot::Outside(_))
    }

    /// True when the folder is the project's root.
    pub fn is_root(&self, folder: &Folder) -> bool {
        matches!(folder, Folder::At(at) if fs::canonicalize(at).is_ok_and(|it| it == self.root) || *at == self.root)
    }
}
