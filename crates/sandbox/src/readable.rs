//! What a command's environment leads to: the folders without which it would start other programs inside than outside.
//!
//! Places that become private and empty, such as `/tmp`, would hide them. Found from what the command's own variables and
//! its project name, wherever that lies; only folders are named, never what may hold somebody else's work: neither the
//! private place itself, nor what lies above a project, nor a home.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ox_protocol::word_list::words;

/// Places of the system that become private and empty.
pub(crate) const PRIVATE: [&str; 2] = ["/tmp", "/run"];

/// Variables that name folders of tools or of what they fetched; several are joined by colons.
const NAMES: &str = include_str!("tables/tool_variables.txt");

/// Folders of a home that tools live in or keep what they fetched in, for a home that would be hidden; and the settings of git.
const OF_HOME: &str = include_str!("tables/tool_folders.txt");

/// What dependencies are kept in, in a project and its parts.
const DEPENDENCIES: [&str; 7] = ["node_modules", ".venv", "venv", "env", "vendor", ".tox", "bower_components"];
/// What a folder of dependencies has, beside its name, that other folders have not.
const MARKS: [&str; 6] = ["pyvenv.cfg", ".bin", ".package-lock.json", ".modules.yaml", "modules.txt", "autoload.php"];
/// What a folder has beside `bin` when programs are installed in it.
const INSTALLED: [&str; 7] = ["lib", "lib64", "libexec", "share", "include", "pyvenv.cfg", "conda-meta"];
/// Folders of a project that are looked into for folders of dependencies.
const LOOKED_INTO: usize = 300;
/// Bytes of a settings file that are believed.
const SETTINGS: u64 = 64 << 10;

/// The folders of the projects `roots` that are links to dependencies elsewhere: as they are named, and where they lead.
pub(crate) fn linked(roots: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let mut folders = roots.to_vec();
    let mut level = roots.to_vec();
    for _ in 0..2 {
        level = level.iter().flat_map(|it| inner(it)).take(LOOKED_INTO.saturating_sub(folders.len())).collect();
        folders.extend(level.iter().cloned());
    }
    let links = folders.iter().flat_map(|folder| DEPENDENCIES.map(|name| folder.join(name)));
    let leads = |link: PathBuf| {
        let target = fs::read_link(&link).ok().and_then(|_| fs::canonicalize(&link).ok())?;
        let known = target.file_name() == link.file_name() || MARKS.iter().any(|it| target.join(it).exists());
        let outside = !roots.iter().any(|it| target.starts_with(it) || it.starts_with(&target));
        (known && outside && target.is_dir()).then_some((link, target))
    };
    links.filter_map(leads).collect()
}

/// The plain folders in `folder`, those of dependencies and hidden ones left out.
fn inner(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let plain = entries.filter(|it| {
        let name = it.file_name();
        let name = name.to_string_lossy();
        !name.starts_with('.') && !DEPENDENCIES.contains(&&*name) && it.file_type().is_ok_and(|it| it.is_dir())
    });
    plain.map(|it| it.path()).take(LOOKED_INTO).collect()
}

/// The paths in private places, as they are named, that a command with the variables `env` must see to find what it finds
/// outside. `roots` are the folders that it may write, as they really are: what lies there is visible anyway.
pub(crate) fn readable(env: &BTreeMap<OsString, OsString>, roots: &[PathBuf]) -> Vec<PathBuf> {
    let mut search = Search { roots, home: None, found: BTreeSet::new(), seen: BTreeSet::new() };
    let value = |name: &str| env.get(OsStr::new(name)).cloned();
    search.home = value("HOME").map(PathBuf::from);
    let paths = |name: &str| {
        let all = value(name).unwrap_or_default();
        std::env::split_paths(&all).filter(|it| it.is_absolute()).collect::<Vec<_>>()
    };
    paths("PATH").iter().for_each(|it| search.programs(it));
    words(NAMES).flat_map(paths).for_each(|it| search.folder(&it));
    if let Some(home) = search.home.clone().filter(|it| is_private(it)) {
        words(OF_HOME).for_each(|it| search.folder(&home.join(it)));
    }
    for root in roots {
        // A linked working tree has its repository elsewhere.
        repository(root).iter().for_each(|it| search.keep(it));
        // A link among them counts only where it is known to lead to dependencies.
        let own = DEPENDENCIES.iter().map(|it| root.join(it)).filter(|it| !it.is_symlink());
        own.for_each(|it| search.folder(&it));
    }
    linked(roots).iter().for_each(|(_, target)| search.folder(target));
    let mut all: Vec<PathBuf> = search.found.into_iter().collect();
    all.dedup_by(|next, first| next.starts_with(first));
    all
}

/// True where `path` lies in a place that becomes private.
pub(crate) fn is_private(path: &Path) -> bool {
    PRIVATE.iter().any(|it| path.starts_with(it) && path != Path::new(it))
}

struct Search<'a> {
    roots: &'a [PathBuf],
    home: Option<PathBuf>,
    found: BTreeSet<PathBuf>,
    seen: BTreeSet<PathBuf>,
}

impl Search<'_> {
    /// Keeps a path under its name, and where it really is.
    fn keep(&mut self, path: &Path) {
        let Ok(real) = fs::canonicalize(path) else { return };
        for name in [path, &real] {
            let plain = name.components().all(|it| matches!(it, Component::Normal(_) | Component::RootDir));
            let above = self.roots.iter().chain(&self.home).any(|it| it.starts_with(name));
            let within = self.roots.iter().any(|it| name.starts_with(it));
            if plain && is_private(name) && !above && !within {
                self.found.insert(name.to_path_buf());
            }
        }
    }

    /// A folder of programs: what they are installed in, and where their links lead.
    fn programs(&mut self, folder: &Path) {
        if !self.seen.insert(folder.to_path_buf()) || !folder.is_dir() {
            return;
        }
        self.keep(folder);
        if let Some(prefix) = folder.parent() {
            let named = |name: &str| folder.file_name().is_some_and(|it| it == name);
            let installed = || INSTALLED.iter().any(|it| prefix.join(it).exists());
            if named(".bin") || ["bin", "sbin", "shims", "Scripts"].iter().any(|it| named(it)) && installed() {
                self.keep(prefix);
                self.environment(prefix);
            }
        }
        for target in led_to(folder) {
            if let Some(folder) = target.parent() {
                self.programs(folder);
            }
        }
    }

    /// A folder of a tool, with its programs if it has any.
    fn folder(&mut self, folder: &Path) {
        self.keep(folder);
        self.environment(folder);
        self.programs(&folder.join("bin"));
    }

    /// What a virtual environment of Python is built upon, and what is installed in it by its path alone.
    fn environment(&mut self, prefix: &Path) {
        let Some(settings) = small(&prefix.join("pyvenv.cfg")) else { return };
        let home = settings.lines().filter_map(|it| it.split_once('=')).find(|it| it.0.trim() == "home");
        if let Some((_, home)) = home {
            self.programs(Path::new(home.trim()));
        }
        self.programs(&prefix.join("bin"));
        let versions = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
        let packages = versions.flat_map(|it| fs::read_dir(it.path().join("site-packages")).into_iter().flatten());
        for file in packages.flatten().map(|it| it.path()).filter(|it| it.extension().is_some_and(|it| it == "pth")) {
            let text = small(&file).unwrap_or_default();
            text.lines().map(Path::new).filter(|it| it.is_absolute() && it.is_dir()).for_each(|it| self.keep(it));
        }
    }
}

/// The git folders of a linked working tree, which lie elsewhere: its own, and the one that it shares.
fn repository(root: &Path) -> Vec<PathBuf> {
    let pointed = |file: PathBuf, start: &str| {
        let text = small(&file)?;
        fs::canonicalize(file.parent()?.join(text.strip_prefix(start)?.trim()))
            .ok()
            .filter(|it| it.join("HEAD").is_file())
    };
    let own = pointed(root.join(".git"), "gitdir:");
    let common = own.as_ref().and_then(|it| pointed(it.join("commondir"), ""));
    own.into_iter().chain(common).collect()
}

fn small(path: &Path) -> Option<String> {
    let size = fs::metadata(path).ok().filter(|it| it.is_file())?.len();
    if size > SETTINGS { None } else { fs::read_to_string(path).ok() }
}

/// Where a link leads: each link on the way in its real folder, and its end.
fn hops(link: &Path) -> Vec<PathBuf> {
    let Ok(end) = fs::canonicalize(link) else { return Vec::new() };
    let mut found = Vec::new();
    let mut here = link.to_path_buf();
    while let (Some(folder), Ok(next)) = (here.parent(), fs::read_link(&here)) {
        let Ok(folder) = fs::canonicalize(folder.join(next.parent().unwrap_or(Path::new("")))) else { break };
        here = folder.join(next.file_name().unwrap_or_default());
        // A circle of links has no end and is none.
        if found.contains(&here) {
            break;
        }
        found.push(here.clone());
    }
    found.push(end);
    found
}

/// Where the links in a folder of programs lead, as far as that is in a private place. Remembered until the folder changes.
fn led_to(folder: &Path) -> Vec<PathBuf> {
    type Known = HashMap<PathBuf, (SystemTime, Vec<PathBuf>)>;
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let Ok(changed) = fs::metadata(folder).and_then(|it| it.modified()) else { return Vec::new() };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some((_, targets)) = known.get(folder).filter(|it| it.0 == changed) {
        return targets.clone();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let links = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_symlink()));
    let targets = links.flat_map(|it| hops(&it.path())).filter(|it| is_private(it));
    let targets: Vec<PathBuf> = targets.collect::<BTreeSet<_>>().into_iter().collect();
    known.insert(folder.to_path_buf(), (changed, targets.clone()));
    targets
}
