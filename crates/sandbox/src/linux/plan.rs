//! What the helper is told to do, and how that crosses to it: plain data, no decisions.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Everything that the helper needs to know; descriptors come beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Program and arguments.
    pub(crate) argv: Vec<OsString>,
    /// `NAME=value`.
    pub(crate) env: Vec<OsString>,
    /// Working folder.
    pub(crate) cwd: PathBuf,
    /// Readable paths; empty means all.
    pub(crate) read: Vec<PathBuf>,
    /// Writable paths.
    pub(crate) write: Vec<PathBuf>,
    /// Read-only paths within the writable ones, whether they exist or not.
    pub(crate) protect: Vec<PathBuf>,
    /// Paths that may be changed though some program obeys what is there.
    pub(crate) open: Vec<PathBuf>,
    /// Unreadable paths.
    pub(crate) hide: Vec<PathBuf>,
    /// Folders of which the command gets a private copy to write to.
    pub(crate) caches: Vec<PathBuf>,
    /// Readable paths in private places, as they are named; links among them count as what they lead to.
    pub(crate) keep: Vec<PathBuf>,
    /// The folder that serves as `/tmp`; none for one in memory.
    pub(crate) scratch: Option<PathBuf>,
    /// See [`Reach`].
    pub(crate) network: Reach,
    /// The name spaces of a network that is shared with other commands come beside the plan.
    pub(crate) shared: bool,
    /// The ways out of its network.
    pub(crate) doors: Vec<Gate>,
    /// Bytes.
    pub(crate) memory: u64,
    /// Bytes by which it may fill a disk.
    pub(crate) disk: u64,
    /// Processes and threads at once.
    pub(crate) processes: u64,
    /// Processor seconds of one process.
    pub(crate) seconds: u64,
    /// Standard input is a terminal to control.
    pub(crate) terminal: bool,
}

/// How far the command's network reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    /// A loopback device, and the doors that lead out of it.
    #[default]
    Doors,
    /// The machine's network.
    All,
}

/// A port inside at which somebody outside accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gate {
    /// The port inside.
    pub(crate) port: u16,
    /// The port of this machine that it stands for; none for the proxy.
    pub(crate) target: Option<u16>,
}

impl Plan {
    /// As bytes: lists of strings, each with its length before it, and numbers.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(8 << 10);
        for list in [&self.argv, &self.env] {
            put(&mut out, list.iter().map(OsString::as_os_str));
        }
        let scratch: Vec<PathBuf> = self.scratch.iter().cloned().collect();
        let cwd = vec![self.cwd.clone()];
        let Plan { read, write, protect, open, hide, caches, keep, .. } = self;
        for list in [read, write, protect, open, hide, caches, keep, &scratch, &cwd] {
            put(&mut out, list.iter().map(|it| it.as_os_str()));
        }
        let (reach, shared) = (self.network as u64, u64::from(self.shared));
        let numbers = [reach, self.memory, self.disk, self.processes, self.seconds, u64::from(self.terminal), shared];
        let doors = self.doors.iter().map(|it| u64::from(it.port) << 16 | u64::from(it.target.unwrap_or(0)));
        for number in numbers.into_iter().chain([self.doors.len() as u64]).chain(doors) {
            out.extend(number.to_le_bytes());
        }
        out
    }

    /// The plan in `bytes`; none when they are not one.
    pub(crate) fn decode(mut bytes: &[u8]) -> Option<Plan> {
        let from = &mut bytes;
        let (argv, env) = (list(from)?, list(from)?);
        let mut paths = || Some(list(from)?.into_iter().map(PathBuf::from).collect::<Vec<_>>());
        let (read, write, protect) = (paths()?, paths()?, paths()?);
        let (open, hide, caches) = (paths()?, paths()?, paths()?);
        let (keep, scratch, cwd) = (paths()?, paths()?.pop(), paths()?.pop()?);
        let network = match number(from)? {
            0 => Reach::Doors,
            1 => Reach::All,
            _ => return None,
        };
        let (memory, disk, processes, seconds) = (number(from)?, number(from)?, number(from)?, number(from)?);
        let (terminal, shared) = (number(from)? == 1, number(from)? == 1);
        let door = |it: u64| Gate { port: (it >> 16) as u16, target: Some(it as u16).filter(|it| *it != 0) };
        let doors = (0..number(from)?).map(|_| number(from).map(door)).collect::<Option<Vec<_>>>()?;
        let plan = Plan { argv, env, cwd, read, write, protect, open, hide, caches, keep, scratch, ..Plan::default() };
        Some(Plan { network, shared, doors, memory, disk, processes, seconds, terminal, ..plan })
    }
}

fn put<'a>(out: &mut Vec<u8>, list: impl ExactSizeIterator<Item = &'a OsStr>) {
    out.extend((list.len() as u64).to_le_bytes());
    for item in list {
        out.extend((item.len() as u64).to_le_bytes());
        out.extend(item.as_bytes());
    }
}

fn number(from: &mut &[u8]) -> Option<u64> {
    let (first, rest) = from.split_first_chunk::<8>()?;
    *from = rest;
    Some(u64::from_le_bytes(*first))
}

fn list(from: &mut &[u8]) -> Option<Vec<OsString>> {
    let count = number(from)?;
    let item = |_| {
        let size = usize::try_from(number(from)?).ok()?;
        let (first, rest) = from.split_at_checked(size)?;
        *from = rest;
        Some(OsString::from_vec(first.to_vec()))
    };
    (0..count).map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_survives_the_crossing() {
        let plan = Plan {
            argv: vec!["bash".into(), "-c".into(), OsString::from_vec(vec![b'x', 0xff, b'\n'])],
            env: vec!["A=b".into(), "EMPTY=".into()],
            cwd: "/tmp/x y".into(),
            read: Vec::new(),
            write: vec!["/tmp".into()],
            protect: vec!["/tmp/.git/hooks".into(), "/tmp/.ox".into()],
            open: vec!["/tmp/sub/.git".into()],
            hide: vec!["/home/me/.ssh".into()],
            caches: vec!["/home/me/.cargo".into()],
            keep: vec!["/tmp/venv".into()],
            scratch: Some("/tmp/ox".into()),
            network: Reach::All,
            shared: true,
            doors: vec![Gate { port: 61_000, target: None }, Gate { port: 61_001, target: Some(8104) }],
            memory: u64::MAX,
            disk: 8,
            processes: 7,
            seconds: 60,
            terminal: true,
        };
        let bytes = plan.encode();
        assert_eq!(Plan::decode(&bytes), Some(plan));
        for end in 0..bytes.len() {
            assert_eq!(Plan::decode(&bytes[..end]), None, "cut at {end}");
        }
    }
}
