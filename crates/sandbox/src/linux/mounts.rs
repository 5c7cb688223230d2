//! The first layer: what the command finds where. Everything is read-only but what its rights name.
//!
//! Runs in fresh namespaces, before any of the command's code. Nothing is ever made on a real disk: private folders live
//! in memory, and names that are protected before they exist are returned for the broker to refuse.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, fstat, mkdirat, mknodat, openat, statat, unlinkat};
use rustix::mount::{
    MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags, mount, mount_change, move_mount,
    open_tree, unmount,
};

use super::guard::PathGuard;
use super::plan::Plan;
use super::sys::{self, NODEV, NOSUID, RDONLY};
use crate::readable::{PRIVATE, is_private};

/// Where building blocks stand until the real /proc covers the place.
const STAGE: &str = "/proc";
/// Files within private places that programs cannot do without; they are put back, read-only.
const KEPT: [&str; 4] = ["/etc/resolv.conf", "/run/current-system", "/run/opengl-driver", "/run/systemd/resolve"];
/// Devices that every program may use.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Bytes of memory that the private places may take each, at most.
const PRIVATE_SIZE: u64 = 4 << 30;

/// What was built.
#[derive(Debug)]
pub(super) struct MountNamespace {
    /// Names that may not be made or moved.
    pub(super) guard: PathGuard,
    /// The private places, whose files take memory.
    pub(super) private: Vec<File>,
    /// What hides secrets.
    pub(super) hidden_mounts: HiddenMounts,
}

/// The mounts that hide secrets. Whoever replaces a hidden file outside takes its cover away.
#[derive(Debug)]
pub(super) struct HiddenMounts {
    /// The table of mounts, which tells when it changed.
    pub(super) table: File,
    count: usize,
}

impl HiddenMounts {
    fn count() -> io::Result<usize> {
        // The fourth field is what a mount shows of its file system.
        let hidden_mounts = |line: &&str| matches!(line.split(' ').nth(3), Some("/file" | "/folder"));
        Ok(fs::read_to_string("/proc/self/mountinfo")?.lines().filter(hidden_mounts).count())
    }

    /// True when one is gone.
    pub(super) fn are_fewer(&self) -> io::Result<bool> {
        Ok(HiddenMounts::count()? < self.count)
    }
}

/// What goes wrong with a place is said with the place.
fn at<T, E: Into<io::Error>>(what: &str, path: &Path, result: Result<T, E>) -> io::Result<T> {
    result.map_err(|it| {
        let it = it.into();
        io::Error::new(it.kind(), format!("{what} {}: {it}", path.display()))
    })
}

/// A copy of the mounts at `path` that is not attached anywhere yet.
fn copy(path: &Path, follow: bool) -> rustix::io::Result<OwnedFd> {
    let connection = if follow { OpenTreeFlags::empty() } else { OpenTreeFlags::AT_SYMLINK_NOFOLLOW };
    let flags = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::AT_RECURSIVE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    open_tree(CWD, path, flags | connection)
}

/// Attaches a copy at `path`; a link there is not followed.
fn attach(what: &str, tree: &OwnedFd, path: &Path) -> io::Result<()> {
    at(what, path, move_mount(tree, c"", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH))
}

/// Sets flags of the mounts at `path`, with all beneath.
fn restrict(what: &str, path: &Path, flags: u64) -> io::Result<()> {
    let name = CString::new(path.as_os_str().as_bytes())?;
    at(what, path, sys::set_flags(CWD, &name, flags))
}

/// Builds the command's fixture in this process's own mount namespace. `terminal`: where its terminal is outside.
pub(super) fn build(plan: &Plan, terminal: Option<&Path>) -> io::Result<MountNamespace> {
    let root = Path::new("/");
    at("private", root, mount_change(root, MountPropagationFlags::REC | MountPropagationFlags::PRIVATE))?;
    let copies = DetachedMounts::take(plan, terminal)?;
    restrict("read-only", root, RDONLY | NOSUID | NODEV)?;
    let size = plan.memory.min(PRIVATE_SIZE);
    stage(size)?;
    let mut private = vec![File::open(STAGE)?];
    for place in PRIVATE.map(Path::new).into_iter().filter(|it| it.is_dir() && !plan.write.iter().any(|w| w == it)) {
        match &copies.scratch {
            Some(tree) if place == Path::new("/tmp") => attach("scratch", tree, place)?,
            _ => private.push(temporary(place, size, "1777")?),
        }
    }
    private.push(devices(&copies.devices, size)?);
    if let Some(tree) = &copies.terminal {
        // Programs look for the name of their terminal here too; it has no other one inside.
        put_back(Path::new("/dev/console"), tree)?;
    }
    for (path, tree) in &copies.kept {
        put_back(path, tree)?;
    }
    for (index, path) in plan.caches.iter().enumerate() {
        // A system without overlays leaves the folder as it is: readable.
        let _ = private_copy(index, path);
    }
    for (path, tree) in &copies.write {
        put_back(path, tree)?;
    }
    for (index, path) in plan.discard.iter().enumerate() {
        if private_copy(plan.caches.len() + index, path).is_err() {
            restrict("read-only", path, RDONLY)?;
        }
    }
    let guard = protect(plan)?;
    for path in &plan.hide {
        hide(path)?;
    }
    unmount(STAGE, UnmountFlags::DETACH)?;
    processes()?;
    at("change to", Path::new(&plan.cwd), std::env::set_current_dir(&plan.cwd))?;
    let hidden_mounts = HiddenMounts { table: File::open("/proc/self/mountinfo")?, count: HiddenMounts::count()? };
    Ok(MountNamespace { guard, private, hidden_mounts })
}

/// Copies of mounts, taken while their places are not covered yet.
struct DetachedMounts {
    devices: Vec<(&'static str, OwnedFd)>,
    kept: Vec<(PathBuf, OwnedFd)>,
    write: Vec<(PathBuf, OwnedFd)>,
    terminal: Option<OwnedFd>,
    scratch: Option<OwnedFd>,
}

impl DetachedMounts {
    fn take(plan: &Plan, terminal: Option<&Path>) -> io::Result<DetachedMounts> {
        let device = |name: &&'static str| {
            let path = Path::new("/dev").join(name);
            copy(&path, true).ok().map(|it| (*name, it))
        };
        let kept = |path: PathBuf| {
            // Links are followed: what they lead to need not be there inside.
            let tree = copy(&path, true).ok()?;
            sys::set_flags(tree.as_fd(), c"", RDONLY | NOSUID | NODEV).ok()?;
            Some((path, tree))
        };
        let system = KEPT.iter().filter_map(|it| fs::canonicalize(it).ok()).filter(|it| is_private(it));
        let writable = |path: &Path| {
            let tree = at("open", path, copy(path, false))?;
            at("restrict", path, sys::set_flags(tree.as_fd(), c"", NOSUID | NODEV))?;
            Ok::<_, io::Error>(tree)
        };
        let terminal = terminal.and_then(|it| copy(it, false).ok());
        Ok(DetachedMounts {
            terminal,
            devices: DEVICES.iter().filter_map(device).collect(),
            kept: system.chain(plan.keep.iter().cloned()).filter_map(kept).collect(),
            scratch: plan.scratch.as_ref().map(|it| writable(Path::new(it))).transpose()?,
            write: plan.write.iter().map(|it| Ok((it.clone(), writable(it)?))).collect::<io::Result<_>>()?,
        })
    }
}

/// A place in memory over `path`, and a handle on it.
fn temporary(path: &Path, size: u64, mode: &str) -> io::Result<File> {
    let data = CString::new(format!("mode={mode},size={size},nr_inodes=1000000"))?;
    at("private", path, mount(c"tmpfs", path, c"tmpfs", MountFlags::NOSUID | MountFlags::NODEV, data.as_c_str()))?;
    handle(path)
}

/// A handle that says how full a place is and can do nothing else.
fn handle(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(libc::O_PATH).open(path)
}

/// Building blocks: an unreadable file and folder, and room for private copies.
fn stage(size: u64) -> io::Result<()> {
    temporary(Path::new(STAGE), size, "0755")?;
    let stage = Path::new(STAGE);
    File::options().write(true).create(true).truncate(false).mode(0o0).open(stage.join("file"))?;
    fs::DirBuilder::new().mode(0o0).create(stage.join("folder"))
}

/// A `/dev` with nothing but harmless devices, shared memory, and terminals of its own.
fn devices(copies: &[(&'static str, OwnedFd)], size: u64) -> io::Result<File> {
    let dev = Path::new("/dev");
    let place = temporary(dev, size, "0755")?;
    for (name, tree) in copies {
        let path = dev.join(name);
        File::create(&path)?;
        attach("device", tree, &path)?;
    }
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(Path::new("/proc/self").join(target), dev.join(name))?;
    }
    symlink("pts/ptmx", dev.join("ptmx"))?;
    fs::create_dir(dev.join("shm"))?;
    fs::set_permissions(dev.join("shm"), fs::Permissions::from_mode(0o1777))?;
    fs::create_dir(dev.join("pts"))?;
    // Without terminals of its own a command has none, which few notice.
    let options = c"newinstance,ptmxmode=0666,mode=620";
    let _ = mount(c"devpts", dev.join("pts"), c"devpts", MountFlags::NOSUID, options);
    Ok(place)
}

/// The processes of this namespace and nobody else's, to look at only.
fn processes() -> io::Result<()> {
    let path = Path::new("/proc");
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    at("processes", path, mount(c"proc", path, c"proc", flags, None))
}

/// Makes /proc read-only, once nothing has to be set there any more.
pub(super) fn seal_processes() -> io::Result<()> {
    restrict("read-only", Path::new("/proc"), RDONLY)
}

/// Attaches a copy under the name that it had. In a private place the way there is made first.
fn put_back(path: &Path, tree: &OwnedFd) -> io::Result<()> {
    let Some(place) = PRIVATE.iter().chain(&["/dev"]).find(|it| path != Path::new(it) && path.starts_with(it)) else {
        return attach("attach", tree, path);
    };
    let folder = FileType::from_raw_mode(fstat(tree)?.st_mode).is_dir();
    let target = at("make", path, way(Path::new(place), path, folder))?;
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    at("attach", path, move_mount(tree, c"", &target, c"", flags))
}

/// The way from `place` to `path`, made where it is missing. Earlier commands may have left something else there: it is
/// taken away and never followed.
fn way(place: &Path, path: &Path, folder: bool) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut here = openat(CWD, place, flags, Mode::empty())?;
    let rest: Vec<_> = path.strip_prefix(place).map_err(io::Error::other)?.components().collect();
    for (index, name) in rest.iter().map(|it| it.as_os_str()).enumerate() {
        let wanted = if folder || index + 1 < rest.len() { FileType::Directory } else { FileType::RegularFile };
        let found = statat(&here, name, AtFlags::SYMLINK_NOFOLLOW).map(|it| FileType::from_raw_mode(it.st_mode));
        if found.is_ok_and(|it| it != wanted) {
            let removed = if found == Ok(FileType::Directory) { AtFlags::REMOVEDIR } else { AtFlags::empty() };
            unlinkat(&here, name, removed)?;
        }
        match wanted {
            _ if found == Ok(wanted) => {}
            FileType::Directory => mkdirat(&here, name, Mode::RWXU)?,
            _ => mknodat(&here, name, FileType::RegularFile, Mode::RUSR, 0)?,
        }
        here = openat(&here, name, flags, Mode::empty())?;
    }
    Ok(here)
}

/// Lets the command write into a copy of a folder that is gone when it ends.
fn private_copy(index: usize, path: &Path) -> io::Result<()> {
    // These would end a value in the options of a mount.
    if path.as_os_str().as_bytes().iter().any(|it| b",:\\\"".contains(it)) {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let [upper, work] = ["upper", "work"].map(|it| Path::new(STAGE).join(format!("{it}{index}")));
    fs::create_dir(&upper)?;
    fs::set_permissions(&upper, fs::metadata(path)?.permissions())?;
    fs::create_dir(&work)?;
    let (upper, work, lower) = (upper.display(), work.display(), path.display());
    let data = format!("lowerdir={lower},upperdir={upper},workdir={work},userxattr,volatile");
    let data = CString::new(data)?;
    Ok(mount(c"overlay", path, c"overlay", MountFlags::NOSUID | MountFlags::NODEV, data.as_c_str())?)
}

/// Covers a file or folder with one that nobody may open.
fn hide(path: &Path) -> io::Result<()> {
    // Most of what is hidden does not exist, and finding that out must be cheap.
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    let path = fs::canonicalize(path)?;
    let cover = if found.is_dir() { "folder" } else { "file" };
    let tree = copy(&Path::new(STAGE).join(cover), false)?;
    sys::set_flags(tree.as_fd(), c"", RDONLY)?;
    attach("hide", &tree, &path)
}

/// Makes protected paths read-only and their ways unmovable; what does not exist is left to the guard.
fn protect(plan: &Plan) -> io::Result<PathGuard> {
    let mut guard = PathGuard::new(&plan.write, &plan.open);
    let mut pinned = BTreeSet::new();
    let mut left: Vec<PathBuf> = plan.protect.clone();
    // A link leads on to what it names; a ring of links ends with the count.
    let mut links = 0;
    while let Some(path) = left.pop() {
        let Some(root) = plan.write.iter().find(|it| path.starts_with(it)) else { continue };
        match walk(root, &path, &mut pinned, &mut guard)? {
            Some(target) if links < 256 => {
                links += 1;
                left.push(target);
            }
            _ => {}
        }
    }
    Ok(guard)
}

/// Goes from `root` to `path`. Answers with where it goes on when a link is in the way.
fn walk(
    root: &Path,
    path: &Path,
    pinned: &mut BTreeSet<PathBuf>,
    guard: &mut PathGuard,
) -> io::Result<Option<PathBuf>> {
    let rest = path.strip_prefix(root).expect("the caller found the root by this prefix");
    let names: Vec<_> = rest.components().collect();
    if names.iter().any(|it| !matches!(it, Component::Normal(_))) {
        return Err(io::Error::other(format!("{} is not a plain path", path.display())));
    }
    let mut here = root.to_path_buf();
    if names.is_empty() {
        restrict("protect", root, RDONLY)?;
    } else {
        guard.close(path);
    }
    for (index, name) in names.iter().enumerate() {
        let folder = here.clone();
        here.push(name);
        let last = index + 1 == names.len();
        let Ok(found) = fs::symlink_metadata(&here) else {
            return Ok(None);
        };
        if found.is_symlink() {
            guard.pin(&here);
            let target = folder.join(fs::read_link(&here)?);
            let rest: PathBuf = names[index + 1..].iter().collect();
            return Ok(resolved(&target).map(|it| it.join(rest)));
        }
        let closed = last || !found.is_dir();
        if pinned.insert(here.clone()) {
            attach("pin", &at("pin", &here, copy(&here, false))?, &here)?;
        }
        if closed {
            restrict("protect", &here, RDONLY)?;
            return Ok(None);
        }
    }
    Ok(None)
}

/// Where a link leads, as far as that exists, with the rest behind it.
pub(super) fn resolved(path: &Path) -> Option<PathBuf> {
    let mut rest = Vec::new();
    let mut start = path;
    loop {
        if let Ok(found) = fs::canonicalize(start) {
            return Some(rest.iter().rev().fold(found, |path, name| path.join(name)));
        }
        rest.push(start.file_name()?.to_owned());
        start = start.parent()?;
    }
}
